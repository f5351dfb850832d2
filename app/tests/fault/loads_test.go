//go:build soak

package fault_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// real is a world on the real territory and the real parcels of Bondy, of which a new
// edition can be put into the folder of data.
type real struct {
	*world
	data   string
	server *harness.Server
}

const (
	bondy    = "pilots/cadastre-93010-parcelles.%d-01-01.json.gz"
	outlines = "outlines/communes.topo.json.gz"
)

func newReal(t *testing.T) *real {
	t.Helper()
	r := &real{world: &world{database: testkit.NewPostgres(t, "")}, data: t.TempDir()}
	r.places = strings.NewReplacer("930100000A0001", "930100000J0236", "lat=48.9105&lon=2.511", "lat=48.9024&lon=2.4834", "lat=48.95&lon=2.5", "lat=48.9024&lon=2.4834")
	testkit.NoError(t, os.CopyFS(filepath.Join(r.data, "cog"), os.DirFS(filepath.Join(testkit.Box(t), "cog"))))
	r.copy(t, testkit.Box(t), outlines, outlines)
	r.edition(t, 2022)
	r.set(t, func() { r.run("load") }, "ARPENT_DATA="+r.data)
	r.server = r.start()
	return r
}

// edition adds the parcels of a year to those of the years before. The box has the editions of 2022 and 2025:
// each serves for the year before or after it too, so that two editions in a row differ.
func (r *real) edition(t *testing.T, year int) {
	t.Helper()
	of := 2022
	if year%2 == 1 {
		of = 2025
	}
	r.copy(t, testkit.Box(t), fmt.Sprintf(bondy, of), fmt.Sprintf(bondy, year))
}

// copy copies a file of a folder into the folder of data.
func (r *real) copy(t *testing.T, folder, from, name string) {
	t.Helper()
	content := testkit.Must(os.ReadFile(filepath.Join(folder, from)))(t)
	to := filepath.Join(r.data, name)
	testkit.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	testkit.NoError(t, os.WriteFile(to, content, 0o600))
}

// A load, a fetch and a build of an index that are killed at any moment leave what is served as it was, and
// are done by the next try. A load that is not killed is not felt by those who ask meanwhile.
func TestSoakFaultLoads(t *testing.T) {
	r := newReal(t)
	t.Run("a swap under load", r.swaps)
	t.Run("loads that are killed", r.killedLoads)
	t.Run("builds that are killed", r.killedBuilds)
	t.Run("fetches that are killed", r.killedFetches)
}

// vintage is which edition of the parcels the database serves.
func (r *real) vintage() int {
	r.T.Helper()
	return testkit.Count(r.T, r.Pool, `SELECT extract(year FROM vintage)::int FROM geo.parcelle_commune WHERE code = '93010'`)
}

func (r *real) swaps(t *testing.T) {
	r.T = t
	mix := r.mix()
	alone := mix.Start()
	time.Sleep(10 * time.Second)
	quiet := alone()
	before := r.usedNow()
	end := mix.Start()
	time.Sleep(2 * time.Second)
	begin := time.Now()
	r.edition(t, 2023)
	_, err := r.lowPriority().Run(t.Context(), "-n", "19", r.program.Path, "load", "parcelles-etalab")
	testkit.NoError(t, err)
	loaded := time.Since(begin)
	r.untilIndexed(t)
	t.Logf("loading took %s, and the files were made anew after %s", loaded.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	time.Sleep(2 * time.Second)
	outcomes := end()
	mix = r.regrade(mix, outcomes)
	for email, key := range r.keys { // that asked for everything once more
		before[email] += len(slices.DeleteFunc(slices.Clone(mix.Requests), func(q harness.Request) bool { return q.Key != key }))
	}
	r.exact(before, outcomes)
	alone = mix.Start() // a busy machine is busy at one time and not at another
	time.Sleep(10 * time.Second)
	again := alone()
	describe(t, "alone before", quiet)
	describe(t, "alone after", again)
	describe(t, "during a swap", outcomes)
	wrong(t, outcomes, never)
	slower := p99(outcomes) - min(p99(quiet), p99(again))
	t.Logf("p99 during a swap less that of the quieter time without: %s", slower.Round(time.Microsecond))
	slices.SortFunc(outcomes, func(a, b outcome) int { return cmp.Compare(b.Took(), a.Took()) })
	for _, o := range outcomes[:10] {
		t.Logf("%s after the begin: %s took %s", o.Due.Sub(begin).Round(time.Millisecond), o.Path, o.Took().Round(time.Millisecond))
	}
	if slower > 50*time.Millisecond {
		t.Errorf("a swap makes the p99 %s longer", slower)
	}
}

func p99(outcomes []outcome) time.Duration {
	return harness.Quantile(times(outcomes, anywhere), 0.99)
}

// regrade takes what is answered now for as right as what was answered
// when a mix was made, and gives the mix of now.
func (w *world) regrade(former traffic, outcomes []outcome) (now traffic) {
	w.T.Helper()
	now = w.mix()
	accepted := map[*harness.Request]string{}
	for i := range former.Requests {
		accepted[&former.Requests[i]] = digest(w.expected[&now.Requests[i]])
	}
	for i := range outcomes {
		if o := &outcomes[i]; strings.HasPrefix(o.Grade, accepted[o.Request]) {
			o.Grade = fine
		}
	}
	return now
}

// lowPriority returns a program that runs commands at the lowest priority, as the service runs its updates.
func (r *real) lowPriority() harness.Program {
	return harness.Program{Path: "nice", Env: r.program.Env}
}

// untilIndexed waits until the server has made its files of what is loaded.
func (r *real) untilIndexed(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	var report string
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(report)
		}
	})
	testkit.Eventually(t, 4*time.Minute, "the files are of what is loaded", func() bool {
		<-tick.C
		report, _ = r.lowPriority().Run(t.Context(), "-n", "19", r.program.Path, "doctor") // it finds fault with an address without TLS
		return strings.Contains(report, "is up to date: ") && !strings.Contains(report, "is older than what is loaded")
	})
}

func (r *real) killedLoads(t *testing.T) {
	r.T = t
	mix := r.mix()
	begin := time.Now()
	r.edition(t, 2024)
	killed := 0
	end := mix.Start()
	for i := range 10 { // each may go on a little longer than the one before, until one comes to its end
		cmd := exec.Command(r.program.Path, "load", "parcelles-etalab")
		cmd.Env = append(os.Environ(), r.program.Env...)
		testkit.NoError(t, cmd.Start())
		time.Sleep(time.Duration(i)*100*time.Millisecond + time.Duration(rand.Int64N(int64(100*time.Millisecond))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if r.vintage() == 2023 {
			killed++
		}
		if n := testkit.Count(t, r.Pool, `SELECT count(DISTINCT p.load_id) FROM geo.parcelle_commune p JOIN geo.load l ON l.id = p.load_id AND l.active WHERE p.code = '93010'`); n != 1 {
			t.Errorf("the parcels are of %d loads", n)
		}
	}
	outcomes := end()
	t.Logf("%d of 10 loads were killed before their end, in %s", killed, time.Since(begin).Round(time.Second))
	if killed == 0 {
		t.Error("no load was killed before its end")
	}
	r.run("load", "parcelles-etalab")
	if got := r.vintage(); got != 2024 {
		t.Errorf("the next load leaves the edition of %d", got)
	}
	if n := testkit.Count(t, r.Pool, `SELECT count(*) FROM pg_class WHERE relpersistence = 't'`); n > 0 {
		t.Errorf("%d tables of killed loads are left", n)
	}
	r.untilIndexed(t)
	r.regrade(mix, outcomes)
	describe(t, "killed loads", outcomes)
	wrong(t, outcomes, never)
}

// killedBuilds kills the process that makes the file of parcels each time it is there, twice.
func (r *real) killedBuilds(t *testing.T) {
	r.T = t
	mix := r.mix()
	end := mix.Start()
	r.edition(t, 2025)
	r.run("load", "parcelles-etalab")
	killed := 0
	for deadline := time.Now().Add(150 * time.Second); killed < 2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for _, pid := range r.builds(t) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			killed++
		}
	}
	r.untilIndexed(t)
	outcomes := end()
	t.Logf("%d builds were killed", killed)
	if killed == 0 {
		t.Error("no build was there to be killed")
	}
	r.regrade(mix, outcomes)
	describe(t, "killed builds", outcomes)
	wrong(t, outcomes, never)
	if left, _ := filepath.Glob(filepath.Join(r.state(), "*.new*")); len(left) > 0 {
		t.Errorf("half-written files are left: %q", left)
	}
}

func (r *real) state() string {
	for _, v := range r.program.Env {
		if dir, found := strings.CutPrefix(v, "ARPENT_STATE_DIR="); found {
			return dir
		}
	}
	return ""
}

// builds are the processes of the server that make a file.
func (r *real) builds(t *testing.T) (pids []int) {
	t.Helper()
	tasks := testkit.Must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", r.server.PID())))(t)
	for _, task := range tasks {
		children, _ := os.ReadFile(task) // it may have ended
		for field := range strings.FieldsSeq(string(children)) {
			pid, err := strconv.Atoi(field)
			command, _ := os.ReadFile("/proc/" + field + "/cmdline")
			if err == nil && bytes.Contains(command, []byte("index\x00")) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// openCodes opens a file of the code officiel géographique in the box, where its name may have the edition.
func openCodes(box, name string) (*os.File, error) {
	found, err := filepath.Glob(filepath.Join(box, "cog", strings.TrimSuffix(name, ".json")+"*.json.gz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("files of %s: %q, %w", name, found, err)
	}
	return os.Open(found[0])
}

// killedFetches kills a fetch from a producer that answers slowly, at every stage.
func (r *real) killedFetches(t *testing.T) {
	r.T = t
	content := testkit.Must(os.ReadFile(filepath.Join(testkit.Box(t), fmt.Sprintf(bondy, 2025))))(t)
	producer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if name, names := strings.CutPrefix(q.URL.Path, "/unpkg.com/"); names {
			packed, err := openCodes(testkit.Box(t), path.Base(name))
			if err == nil {
				defer packed.Close()
				var content *gzip.Reader
				if content, err = gzip.NewReader(packed); err == nil {
					_, err = io.Copy(w, content)
				}
			}
			if err != nil {
				t.Error(err)
			}
			return
		}
		if !strings.HasSuffix(q.URL.Path, "/communes/93/93010/cadastre-93010-parcelles.json.gz") {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		for piece := range slices.Chunk(content, len(content)/20) {
			if _, err := w.Write(piece); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(50 * time.Millisecond)
		}
	}))
	t.Cleanup(producer.Close)
	fetch := r.program
	fetch.Env = append(slices.Clone(fetch.Env), "ARPENT_MIRROR="+producer.URL)
	for range 10 {
		cmd := exec.Command(fetch.Path, "fetch", "parcelles-etalab", "--commune", "93010")
		cmd.Env = append(os.Environ(), fetch.Env...)
		testkit.NoError(t, cmd.Start())
		time.Sleep(time.Duration(rand.Int64N(int64(1500 * time.Millisecond))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		r.noHalfFile(t)
	}
	if out, err := fetch.Run(t.Context(), "fetch", "parcelles-etalab", "--commune", "93010"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := r.noHalfFile(t); n != 1 {
		t.Errorf("%d files of parcels were fetched, want one", n)
	}
	if left, _ := filepath.Glob(filepath.Join(r.state(), "downloads", "**", "*.part*")); len(left) > 0 {
		t.Logf("left for the next fetch: %q", left)
	}
}

// noHalfFile reads each file that a load would take.
func (r *real) noHalfFile(t *testing.T) (files int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(r.state(), "downloads"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "parcelles.json.gz") {
			return nil // there may be no folder yet
		}
		files++
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err == nil {
			_, err = io.Copy(io.Discard, z)
		}
		if err != nil {
			t.Errorf("%s is half a file: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return files
}
