//go:build soak

package harness_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
)

// These tests measure time as it passes, with whole processes: they
// run alone, on request, one after the other.
//
//	go test -tags soak -run Soak -timeout 30m -v ./app/dev/harness

const (
	account = "soak@example.org"
	path    = "/api/v1/regions"
	lasting = 5 * time.Second // of a round of traffic
)

// newService is a program on a database of its own that has a territory to serve.
func newService(t *testing.T, env ...string) (harness.Program, *pgxpool.Pool) {
	t.Helper()
	pool, url := testkit.DB(t)
	testkit.Exec(t, pool, `INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France')`)
	binary := testkit.Must(harness.Build(t.Context(), t.TempDir()))(t)
	env = append(env, "ARPENT_DATABASE_URL="+url, "ARPENT_STATE_DIR="+t.TempDir(), "ARPENT_LOG_LEVEL=warn")
	return harness.Program{Path: binary, Env: env, Log: os.Stderr}, pool
}

func startServer(t *testing.T, p harness.Program) *harness.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := testkit.Must(p.Serve(ctx))(t)
	t.Cleanup(s.Kill)
	return s
}

func newKey(t *testing.T, p harness.Program, l harness.Limits) string {
	t.Helper()
	return testkit.Must(p.Account(t.Context(), account, l))(t)
}

// A customer who pays for N requests a minute gets N in any 60 seconds, not one less and not one more,
// however hard the account is hammered and however many instances serve it.
func TestSoakExactlyNAMinute(t *testing.T) {
	for _, instances := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d instances", instances), func(t *testing.T) {
			var env []string
			if instances > 1 {
				env = append(env, "ARPENT_REDIS_URL="+testkit.Redis(t))
			}
			p, _ := newService(t, env...)
			var bases []string
			for range instances {
				bases = append(bases, startServer(t, p).Base)
			}
			const perMinute = 300
			key := newKey(t, p, harness.Limits{PerMinute: perMinute, EnrichmentsPerMinute: 1, PerDay: 1_000_000})
			waitForKey(t, bases, key)
			begin := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
			defer cancel()
			admitted, others := harness.Hammer(ctx, bases, 50, path, key)
			t.Logf("%d admitted in %s; others by status: %v", len(admitted), time.Since(begin).Round(time.Second), others)
			// One burst at the start, and one each 60 seconds later.
			if want := 3*perMinute - len(bases); len(admitted) != want {
				t.Errorf("%d requests were admitted in 150 s, expected %d in addition to the %d that waited for the key", len(admitted), want, len(bases))
			}
			if slices.ContainsFunc(slices.Collect(maps.Keys(others)), func(status int) bool { return status != http.StatusTooManyRequests }) {
				t.Errorf("some answers were neither 200 nor 429: %v", others)
			}
			checkWindows(t, admitted, perMinute)
		})
	}
}

// waitForKey asks each instance once it knows the key; each has then admitted one request.
func waitForKey(t *testing.T, bases []string, key string) {
	t.Helper()
	for _, base := range bases {
		c := harness.NewClient(base, "")
		defer c.Close()
		testkit.Eventually(t, 5*time.Second, base+" knows the key", func() bool {
			a, err := c.Get(path, key)
			if err != nil || a.Status != http.StatusOK && a.Status != http.StatusUnauthorized {
				t.Fatalf("%s answers %d: %s %v", base, a.Status, a.Body, err)
			}
			return a.Status == http.StatusOK
		})
	}
}

// checkWindows fails when more than n requests were admitted within some 60 seconds. A request was admitted
// between its sending and its answer; so the n-th later answer must be 60 s after a sending at least.
func checkWindows(t *testing.T, admitted []harness.Answer, n int) {
	t.Helper()
	sent := slices.SortedFunc(slices.Values(admitted), func(a, b harness.Answer) int { return a.Sent.Compare(b.Sent) })
	for i := range len(admitted) - n {
		if apart := admitted[i+n].Received.Sub(sent[i].Sent); apart < time.Minute {
			t.Fatalf("%d requests were admitted within %s", n+1, apart)
		}
	}
}

// Somebody who guesses keys must neither reach the database nor slow down those who pay, by
// more than the same guesses do where another server on the machine takes them and does
// nothing: what receiving them costs is the machine's.
func TestSoakWrongKeysCostNothing(t *testing.T) {
	p, pool := newService(t)
	server := startServer(t, p)
	key := newKey(t, p, harness.Limits{PerMinute: 10_000_000, EnrichmentsPerMinute: 1, PerDay: 10_000_000})
	waitForKey(t, []string{server.Base}, key)
	idle := countTransactions(t, pool, func() { time.Sleep(lasting) })
	attacked := countTransactions(t, pool, func() {
		startAttack(t, server.Base)()
	})
	t.Logf("transactions in %s: %d idle, %d attacked", lasting, idle, attacked)
	// The listening connections' signs of life, seven a second, are reported in
	// lumps; a look-up a key would be 50 000.
	if attacked > idle+100 {
		t.Errorf("wrong keys reached the database: %d transactions, %d without them", attacked, idle)
	}
	good := harness.Steady{Base: server.Base, Path: path, Rate: 400, Lasting: lasting, Clients: 8,
		Key: func(int, int) string { return key }}
	other := startBare(t)
	attackedAt := func(base string) time.Duration {
		defer startAttack(t, base)()
		return measureP99(t, good)
	}
	var ratios []float64
	for round := range 9 {
		alone, control, attacked := measureP99(t, good), attackedAt(other), attackedAt(server.Base)
		ratios = append(ratios, float64(attacked)/float64(control))
		t.Logf("round %d: p99 %s alone, %s while another server is attacked, %s attacked", round, alone, control, attacked)
	}
	slices.Sort(ratios)
	middle := ratios[len(ratios)/2]
	t.Logf("p99 with wrong keys over p99 with them at another server: median %.2f", middle)
	if middle >= 1.2 {
		t.Errorf("wrong keys raised the p99 of good traffic by %.0f %%", 100*(middle-1))
	}
}

const (
	bareServer   = "HARNESS_BARE"   // set in a process that is to be attacked in the service's place
	attackTarget = "HARNESS_ATTACK" // set in a process that is to be the attacker
	attackRate   = 10_000           // requests a second
)

func TestMain(m *testing.M) {
	for setting, run := range map[string]func(value string) error{bareServer: serveBare, attackTarget: sendUnknownKeys} {
		value := os.Getenv(setting)
		if value == "" {
			continue
		}
		if err := run(value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// startBare starts a server that refuses everything, without a look, in a process as the service is one.
func startBare(t *testing.T) (base string) {
	t.Helper()
	self := testkit.Must(os.Executable())(t)
	server, err := harness.Program{Path: self, Log: os.Stderr, Env: []string{bareServer + "=1"}}.StartServer(t.Context(), nil)
	testkit.NoError(t, err)
	t.Cleanup(server.Stop)
	return server.Base
}

func serveBare(string) error {
	bare := fiber.New(fiber.Config{DisableStartupMessage: true})
	bare.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	bare.Get("/*", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusTooManyRequests) })
	return bare.Listen("127.0.0.1:" + os.Getenv("PORT"))
}

// startAttack runs this test binary once more as the attacker of a server. It takes whatever time the
// processors have left: attackers are on other machines. The first line that it writes says that it has
// begun; wait logs the second one, and fails the test when the process does.
func startAttack(t *testing.T, target string) (wait func()) {
	t.Helper()
	self := testkit.Must(os.Executable())(t)
	cmd := exec.Command("nice", "-n", "19", self)
	cmd.Env = append(os.Environ(), attackTarget+"="+target)
	cmd.Stderr = os.Stderr
	out := testkit.Must(cmd.StdoutPipe())(t)
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	in := bufio.NewScanner(out)
	if !in.Scan() {
		t.Fatal("the attack did not begin")
	}
	return func() {
		t.Helper()
		in.Scan()
		t.Log(in.Text())
		if err := cmd.Wait(); err != nil {
			t.Errorf("attack: %v", err)
		}
	}
}

// sendUnknownKeys sends well-formed keys that no account has, from a hundred addresses.
func sendUnknownKeys(base string) error {
	keys := make([]string, attackRate)
	for i := range keys {
		keys[i], _ = apikey.New()
	}
	var n [600]atomic.Int64
	s := harness.Steady{Base: base, Path: path, Rate: attackRate, Lasting: lasting, Clients: 100,
		From: func(client int) string { return "127.0.1." + strconv.Itoa(1+client) },
		Key:  func(client, request int) string { return keys[(request*100+client)%len(keys)] }}
	fmt.Println("begun")
	begin := time.Now()
	late, err := s.Run(func(status int) { n[status].Add(1) })
	refused := n[http.StatusUnauthorized].Load() + n[http.StatusTooManyRequests].Load()
	rate := float64(len(late)) / time.Since(begin).Seconds()
	fmt.Printf("%.0f wrong keys a second; 401: %d, 429: %d\n", rate, n[http.StatusUnauthorized].Load(), n[http.StatusTooManyRequests].Load())
	switch {
	case err != nil:
		return err
	case refused != int64(len(late)):
		return fmt.Errorf("%d of %d wrong keys were not refused", int64(len(late))-refused, len(late))
	case rate < 0.95*attackRate:
		return fmt.Errorf("only %.0f a second were sent", rate)
	}
	return nil
}

func measureP99(t *testing.T, s harness.Steady) time.Duration {
	t.Helper()
	took, err := s.Run(func(status int) {
		if status != http.StatusOK {
			t.Errorf("good traffic was answered %d", status)
		}
	})
	if err != nil {
		t.Error(err)
	}
	return harness.Quantile(took, 0.99)
}

const committed = `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()`

// countTransactions counts those of the database while something runs. Figures arrive a second late.
func countTransactions(t *testing.T, pool *pgxpool.Pool, run func()) (n int64) {
	t.Helper()
	var before, after int64
	read := func(into *int64) {
		time.Sleep(1500 * time.Millisecond)
		testkit.NoError(t, pool.QueryRow(t.Context(), committed).Scan(into))
	}
	read(&before)
	run()
	read(&after)
	return after - before
}
