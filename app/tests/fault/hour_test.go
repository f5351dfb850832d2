//go:build soak

package fault_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// lasting is how long TestSoakHour lasts; ARPENT_SOAK, such as 20m, makes it another time.
func lasting(t *testing.T) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(os.Getenv("ARPENT_SOAK"))
	if err != nil {
		return time.Hour
	}
	return d
}

const (
	loadEvery   = 2 * time.Minute
	sampleEvery = 10 * time.Second
)

// An hour of traffic of every kind, with concurrent loads, leaves the process as it was: goroutines,
// open files and memory of the last third are at most 5 % above those of the second. Nothing is
// answered wrongly, and everything is counted.
func TestSoakHour(t *testing.T) {
	r := newReal(t)
	outcomes, samples := r.steadily(t, lasting(t), rate)
	describe(t, "the hour", outcomes)
	byOperation(t, outcomes)
	for _, name := range watched {
		third := len(samples) / 3
		middle, last := medianSample(samples[third:2*third], name), medianSample(samples[2*third:], name)
		t.Logf("%s: %.0f in the second third, %.0f in the last", name, middle, last)
		if last > middle*1.05 {
			t.Errorf("%s grows by %.1f %%", name, 100*(last/middle-1))
		}
	}
}

// The same under the race detector, which makes everything five to ten times slower:
// for a sixth of the time, a fifth as often.
func TestSoakHourRaced(t *testing.T) {
	r := newReal(t)
	raced := filepath.Join(t.TempDir(), "arpent")
	build := exec.CommandContext(t.Context(), "go", "build", "-race", "-o", raced, "arpent/app/cmd/arpent")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.server.Stop()
	r.program.Path = raced
	r.server = r.start()
	outcomes, _ := r.steadily(t, lasting(t)/6, rate/5)
	describe(t, "under the race detector", outcomes)
	r.server.Stop()
	if log, err := os.ReadFile(r.log.Name()); err != nil || bytes.Contains(log, []byte("DATA RACE")) {
		t.Errorf("a race, or no log: %v\n%s", err, log)
	}
}

// watched are the metrics that have to stay.
var watched = []string{"go_goroutines", "process_open_fds", "process_resident_memory_bytes"}

// steadily sends the traffic, so many requests a second, and loads territory again and
// again, and looks at the process meanwhile.
func (r *real) steadily(t *testing.T, d time.Duration, rate int) ([]outcome, []map[string]float64) {
	t.Helper()
	metrics := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	r.server.Stop()
	r.server = r.start("ARPENT_METRICS_ADDR=" + metrics)
	r.untilIndexed(t)
	mix := r.mix()
	mix.Rate = rate
	before := r.usedNow()
	end := mix.Start()
	var samples []map[string]float64
	stop, load := time.Now().Add(d), time.Now().Add(loadEvery/2)
	for loads := 0; time.Now().Before(stop); time.Sleep(sampleEvery) {
		samples = append(samples, sample(t, metrics))
		if time.Now().After(load) {
			if out, err := r.lowPriority().Run(t.Context(), "-n", "19", r.program.Path, "load", "cog-communes"); err != nil {
				t.Errorf("load: %v\n%s", err, out)
			}
			loads++
			load = time.Now().Add(loadEvery)
		}
	}
	outcomes := end()
	wrong(t, outcomes, never)
	r.exact(before, outcomes)
	return outcomes, samples
}

var metric = regexp.MustCompile(`(?m)^(\w+) (\S+)$`)

func sample(t *testing.T, address string) map[string]float64 {
	t.Helper()
	res := testkit.Must(http.Get("http://" + address + "/metrics"))(t)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	testkit.NoError(t, err)
	out := map[string]float64{}
	for _, m := range metric.FindAllStringSubmatch(string(text), -1) {
		if slices.Contains(watched, m[1]) {
			if out[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(out) != len(watched) {
		t.Fatalf("only %v is measured", out)
	}
	return out
}

func medianSample(samples []map[string]float64, name string) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, s[name])
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// byOperation says how long each kind of request took.
func byOperation(t *testing.T, outcomes []outcome) {
	t.Helper()
	took := map[string][]time.Duration{}
	for _, o := range outcomes {
		kind := o.Path + " " + o.Body
		took[kind] = append(took[kind], o.Took())
	}
	for kind, list := range took {
		slices.Sort(list)
		t.Logf("p50 %s p99 %s of %d: %s", harness.Quantile(list, 0.5).Round(time.Microsecond), harness.Quantile(list, 0.99).Round(time.Microsecond), len(list), kind)
	}
}
