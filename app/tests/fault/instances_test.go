//go:build soak

package fault_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// What one, two and three instances serve behind HAProxy, with one Redis and one PostgreSQL: how many
// requests a second and what each costs every part, and that limits are exact over all of them. All parts
// share the processors of this machine, so the requests a second say how fast the whole is here; what more
// machines would serve is computed from the processor time of a request in each part.
func TestSoakInstances(t *testing.T) {
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			store := testkit.Redis(t)
			w := newWorld(t, "ARPENT_TRUSTED_PROXIES=127.0.0.1", "ARPENT_REDIS_URL="+store)
			var servers []*harness.Server
			for range n {
				servers = append(servers, w.start())
			}
			base, proxy := balance(t, servers)
			parts := partsOf(t, w, servers, proxy, store)
			key := w.keys[callers[0]]
			for _, s := range servers {
				knows(t, s.Base, key)
			}
			for _, path := range []string{"/api/v1/communes/93010", "/api/v1/parcelles/930100000A0001", "/api/v1/parcelles/930100000A0001/enrichments"} {
				throughput(t, parts, base, path, key)
			}
			exactly(t, w, servers, base)
		})
	}
}

const measured = 5 * time.Second

// part is one that a request takes processor time of.
type part struct {
	name string
	took func() time.Duration
}

func processes(pids ...int) (sum time.Duration) {
	for _, pid := range pids {
		took, _ := harness.Processor(pid) // a session of the database may have ended
		sum += took
	}
	return sum
}

// parts are an instance and its database alone.
func (w *world) parts(s *harness.Server, database *testkit.Postgres) []part {
	return []part{
		{"instance", func() time.Duration { return processes(s.PID()) }},
		{"PostgreSQL", func() time.Duration { return processes(database.Processes()...) }},
	}
}

func partsOf(t *testing.T, w *world, servers []*harness.Server, proxy int, store string) []part {
	o := testkit.Must(redis.ParseURL(store))(t)
	client := redis.NewClient(o)
	t.Cleanup(func() { client.Close() })
	return []part{
		{"instances", func() (sum time.Duration) {
			for _, s := range servers {
				sum += processes(s.PID())
			}
			return sum
		}},
		{"HAProxy", func() time.Duration { return processes(proxy) }},
		{"PostgreSQL", func() time.Duration { return processes(w.database.Processes()...) }},
		{"Redis", func() (sum time.Duration) {
			text := testkit.Must(client.Info(t.Context(), "cpu").Result())(t)
			for line := range strings.Lines(text) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
				var seconds float64
				if name == "used_cpu_user" || name == "used_cpu_sys" {
					testkit.Must(fmt.Sscan(value, &seconds))(t)
				}
				sum += time.Duration(seconds * float64(time.Second))
			}
			return sum
		}},
		{"generator", func() time.Duration {
			var u syscall.Rusage
			testkit.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
			return time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}},
	}
}

// throughput prints how many requests a second are answered, and the
// processor time of each part for one of them.
func throughput(t *testing.T, parts []part, base, path, key string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), measured)
	defer cancel()
	before := make([]time.Duration, len(parts))
	for i, p := range parts {
		before[i] = p.took()
	}
	admitted, others := harness.Hammer(ctx, []string{base}, 32, path, key)
	if len(others) > 0 {
		t.Errorf("%s: other answers than 200: %v", path, others)
	}
	line := fmt.Sprintf("%-46s %6.0f a second;", path, float64(len(admitted))/measured.Seconds())
	for i, p := range parts {
		line += fmt.Sprintf(" %s %d µs", p.name, (p.took()-before[i]).Microseconds()/int64(max(1, len(admitted))))
	}
	t.Log(line)
}

// exactly fails unless an account that is limited gets its minute over all instances, not
// one request more or less, and that is stored.
func exactly(t *testing.T, w *world, servers []*harness.Server, base string) {
	t.Helper()
	const perMinute, email = 2000, "limited@example.org"
	key, err := w.program.Account(t.Context(), email, harness.Limits{PerMinute: perMinute, EnrichmentsPerMinute: 1, PerDay: 1_000_000})
	testkit.NoError(t, err)
	for _, s := range servers {
		knows(t, s.Base, key)
	}
	ctx, cancel := context.WithTimeout(t.Context(), measured)
	defer cancel()
	admitted, others := harness.Hammer(ctx, []string{base}, 32, "/api/v1/communes/93010", key)
	rejected := others[http.StatusTooManyRequests]
	if got := len(admitted) + len(servers); got != perMinute || rejected == 0 || len(others) != 1 {
		t.Errorf("%d were admitted, want %d; others: %v", got, perMinute, others)
	}
	testkit.Eventually(t, 10*time.Second, "all are counted", func() bool { return w.used(email) >= perMinute })
	t.Logf("limit %d a minute: %d admitted, %d rejected, %d stored", perMinute, len(admitted)+len(servers), rejected, w.used(email))
	if got := w.used(email); got != perMinute {
		t.Errorf("%d are stored", got)
	}
}

// knows waits until an instance knows a key, and has then admitted one request of it.
func knows(t *testing.T, base, key string) {
	t.Helper()
	c := harness.NewClient(base, "")
	defer c.Close()
	testkit.Eventually(t, testkit.Timeout, base+" knows the key", func() bool {
		a, err := c.Get("/api/v1/communes/93010", key)
		return err == nil && a.Status == http.StatusOK
	})
}
