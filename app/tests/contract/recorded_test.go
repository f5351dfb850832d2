package contract_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"
	"github.com/tidwall/gjson"

	"arpent/api"
	"arpent/api/recorded"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/fault"
	"arpent/web/guide"
	"arpent/web/reference"
)

// golden compares an answer with the recorded one.
func golden(t *testing.T, file string, body []byte) {
	t.Helper()
	testkit.Golden(t, "../../../../api/recorded/"+file, append(body, '\n')) // next to testdata
}

// What the documentation shows as the answer to the example of an operation is what
// this service answers on the national files.
func recordedAnswers(t *testing.T, s *fixture.Service, key string) {
	s = s.For(t)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	s.Within(10*time.Minute, func() bool { // the files of all of France are built meanwhile, one after the other
		<-tick.C
		body := s.Get(api.Root+"/communes/93010?fields=population", "X-API-Key", key).Body
		return gjson.GetBytes(body, "stats.population").IsObject()
	})
	s.UntilIndexed(key)
	for _, op := range api.Operations() {
		r := s.Get(api.Root+op.Example, "X-API-Key", key)
		if r.Status != http.StatusOK {
			t.Errorf("%s: the example answers %d: %s", op.Name, r.Status, r.Body)
			continue
		}
		fitsDocument(t, api.Root+op.Example, r)
		golden(t, recorded.File(op.Name), r.Body)
		callsWork(t, s, op.Name, key)
	}
	recordedGuide(t, s, key)
}

// callsWork requests the address of each call that the page of an operation shows.
func callsWork(t *testing.T, s *fixture.Service, operation, key string) {
	t.Helper()
	asked := map[string]bool{}
	testkit.NewBrowser(t, s.Base).Get(reference.Path + "/" + operation).Find(".langs code").Each(func(_ int, code *goquery.Selection) {
		call := calls.FindStringSubmatch(code.Text())
		if call == nil {
			t.Errorf("%s: no address in %s", operation, code.Text())
			return
		}
		if r := s.Get(call[1], "X-API-Key", key); !asked[call[1]] && r.Status != http.StatusOK {
			t.Errorf("%s: %s answers %d", operation, call[1], r.Status)
		}
		asked[call[1]] = true
	})
	if len(asked) != 1 {
		t.Errorf("%s: the calls ask for %v", operation, asked)
	}
}

// calls finds the path that a snippet asks for.
var calls = regexp.MustCompile(`"` + regexp.QuoteMeta(recorded.Base) + `(/[^"]*)"`)

// What the documentation shows as the body of an error is what this service answers.
func TestRecordedErrors(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory)
	s.Run(withRecordedAddress)
	key := s.Account("errors@example.org", "free")
	for _, c := range []struct {
		code      fault.Code
		path, key string
	}{
		{fault.InvalidParameter, "/communes/9301", key}, {fault.MissingAPIKey, "/regions", ""}, {fault.InvalidAPIKey, "/regions", "arp_unknown"},
		{fault.NotFound, "/communes/93011", key}, {fault.RequestTooLarge, "/regions?q=" + strings.Repeat("x", 9000), key},
	} {
		recordError(t, s, c.code, c.path, c.key)
	}
	empty := fixture.New(t)
	empty.Run(withRecordedAddress)
	empty.AsksOnce = true
	recordError(t, empty, fault.Unavailable, "/regions", empty.Account("empty@example.org", "free"))
	for range 20 {
		s.Get(api.Root+"/regions", "X-API-Key", key)
	}
	recordError(t, s, fault.RateLimited, "/regions", key)
	s.Exec(`UPDATE account.account SET per_minute = 1000`)
	s.Until(func() bool {
		return s.Get(api.Root+"/regions", "X-API-Key", key).Header.Get("X-RateLimit-Limit") == "1000"
	})
	for range 100 { // a day of the free plan
		s.Get(api.Root+"/regions", "X-API-Key", key)
	}
	recordError(t, s, fault.QuotaExceeded, "/regions", key)
	for _, r := range slices.Concat(s.App.Fiber().Stack()...) {
		if r.Path == api.Root+"/departements" {
			r.Handlers = []fiber.Handler{func(*fiber.Ctx) error { panic("broken for a test") }}
		}
	}
	recordError(t, s, fault.Internal, "/departements", key)
}

// passing is what an error says that depends on when it is asked for.
var (
	passing = regexp.MustCompile(`Wait [0-9]+ seconds?|request id [0-9a-f]{16}`)
	moment  = map[byte]string{'W': "Wait 42 seconds", 'r': "request id 5f0c2a9e81d34b67"}
)

func recordError(t *testing.T, s *fixture.Service, code fault.Code, path, key string) {
	t.Helper()
	r := s.Get(api.Root+path, "X-API-Key", key)
	status := code.Status()
	if code == fault.RequestTooLarge {
		status = http.StatusRequestHeaderFieldsTooLarge // of a request without a body
	}
	if r.Status != status || r.Code(t) != string(code) {
		t.Errorf("%s: status %d: %s", code, r.Status, r.Body)
		return
	}
	golden(t, recorded.File("error-"+string(code)), passing.ReplaceAllFunc(r.Body, func(text []byte) []byte { return []byte(moment[text[0]]) }))
}

// What the guide shows as answers is what this service answers to its calls, and its programs print what
// is shown: a reader who pastes them gets the same.
func recordedGuide(t *testing.T, s *fixture.Service, key string) {
	t.Helper()
	for _, c := range guide.Calls() {
		r := s.Get(api.Root+c.Path, "X-API-Key", key)
		if r.Status != http.StatusOK {
			t.Errorf("%s: %s answers %d: %s", c.Name, c.Path, r.Status, r.Body)
			continue
		}
		golden(t, recorded.File(c.Name), r.Body)
	}
	for _, sample := range guide.Samples() {
		if needs := strings.Fields(sample.Needs); len(needs) > 0 && exec.CommandContext(t.Context(), needs[0], needs[1:]...).Run() != nil {
			t.Run(sample.File, func(t *testing.T) { t.Skipf("not run here, where this fails: %s", sample.Needs) })
			continue
		}
		golden(t, recorded.OutputFile(sample.Recorded()), runSample(t, s, sample, key))
	}
}

// runSample runs a program as the page shows it, in an empty folder, and returns what it prints.
func runSample(t *testing.T, s *fixture.Service, sample guide.Sample, key string) []byte {
	t.Helper()
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, sample.File), []byte(sample.Code(s.Base)), 0o600))
	words := strings.Fields(sample.Command)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "ARPENT_KEY="+key, "PYTHONIOENCODING=utf-8", "LC_ALL=C.UTF-8")
	cmd.Stdin = strings.NewReader(sample.InputText())
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil || problems.Len() > 0 {
		t.Errorf("%s: %v: %s", sample.Command, err, &problems)
	}
	return bytes.TrimRight(bytes.ReplaceAll(out, []byte(s.Base), []byte(recorded.Base)), "\n")
}
