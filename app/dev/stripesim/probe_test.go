package stripesim_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

// probed is what stripe-probe asks Stripe, in its order: each row of the document that is only assumed.
var probed = []string{
	"card of the subscription after a phase without it", "upgrade during the last phase of a schedule",
	"cancel_at after the release of a schedule", "preview of a change with always_invoice",
	"a bank debit with pending_if_incomplete", "pending update after its invoice is void",
	"list of subscriptions of a deleted customer", "renewal with an address that cannot be placed",
	"the same key after a 400", "version of an endpoint made through the API", "Stripe Tax",
}

// probeRequests are the requests of stripe-probe and what is wrong with them.
type probeRequests struct {
	mu      sync.Mutex
	ids     strings.Builder // the answers to what it made
	deleted int
	faults  []string
}

// forward has stripe-mock answer a request, and judges it: Stripe takes it, and what it changes or deletes is
// what the script made before. The mock gives all objects of a kind one id, which it is not asked for before.
func (p *probeRequests) forward(mock *http.Client, r *http.Request) (int, []byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://stripe-mock"+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header = r.Header.Clone()
	if r.Method == http.MethodPost { // curl leaves it out where there is no body, which Stripe takes
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := mock.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if bytes.Contains(answer, []byte(`"object": "subscription",`)) { // as version 2023-10-16 has it
		answer = bytes.Replace(answer, []byte("{"), []byte(`{"current_period_start": 1767225600, "current_period_end": 1769904000, "latest_invoice": "in_1",`), 1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	upcoming := path == "invoices/upcoming" // the mock is of a newer version, which has no such route
	if res.StatusCode >= http.StatusBadRequest && !upcoming {
		p.faults = append(p.faults, fmt.Sprintf("%s %s: %s", r.Method, r.URL.Path, answer))
	}
	if r.Method == http.MethodDelete {
		p.deleted++
	}
	if r.Method != http.MethodGet {
		for part := range strings.SplitSeq(path, "/") {
			if isID := strings.ContainsAny(part, "0123456789") && strings.Contains(part, "_"); isID && !strings.Contains(p.ids.String(), `"`+part+`"`) {
				p.faults = append(p.faults, fmt.Sprintf("%s %s: it did not make %s", r.Method, r.URL.Path, part))
			}
		}
		p.ids.Write(answer)
	}
	return res.StatusCode, answer, err
}

// runProbe runs stripe-probe with a key, and curl sent to a server in place of Stripe's.
func runProbe(t *testing.T, key, server string) (string, error) {
	t.Helper()
	curl, err := exec.LookPath("curl")
	if _, missing := exec.LookPath("jq"); err != nil || missing != nil {
		t.Skip("curl or jq is not installed")
	}
	bin := t.TempDir()
	script := "#!/usr/bin/env bash\nexec " + curl + ` "${@/#https:\/\/api.stripe.com/` + server + "}\"\n"
	testkit.NoError(t, os.WriteFile(filepath.Join(bin, "curl"), []byte(script), 0o700))
	cmd := exec.CommandContext(t.Context(), filepath.Join(testkit.Root(t), ".ci", "stripe-probe"))
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "ARPENT_STRIPE_KEY="+key)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// An operator with a test account gets an answer to each question by requests that Stripe takes, and loses
// nothing: the script changes and deletes only what it made. A live key is refused before the first request.
func TestProbeAsksWhatIsAssumed(t *testing.T) {
	t.Parallel()
	mock, requests := stripesim.MockClient(t), &probeRequests{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body, err := requests.forward(mock, r)
		if err != nil {
			t.Error(err)
			status = http.StatusBadGateway
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	if out, err := runProbe(t, "sk_live_x", server.URL); err == nil || !strings.Contains(out, "not of test mode") || requests.ids.Len() > 0 {
		t.Errorf("a live key: %v: %s", err, out)
	}
	out, err := runProbe(t, "sk_test_x", server.URL)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(probed) {
		t.Fatalf("%d lines for %d questions: %s", len(lines), len(probed), out)
	}
	for i, line := range lines {
		isAnswer := strings.HasPrefix(line, "as assumed  ") || strings.HasPrefix(line, "OTHER ") && strings.Contains(line, " -> ")
		if !isAnswer || !strings.Contains(line, probed[i]) {
			t.Errorf("line %d is no answer to %q: %s", i+1, probed[i], line)
		}
	}
	for _, fault := range requests.faults {
		t.Error(fault)
	}
	if requests.deleted == 0 {
		t.Error("it deletes nothing of what it made")
	}
}
