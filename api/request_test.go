package api_test

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"arpent/api"
	"arpent/app/base/fault"
)

// What a parameter's pattern says in the document is exactly what is accepted: a client that checks before it
// calls is never refused, and never refuses what would have worked.
func TestPatternsAgree(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, op := range api.Operations() {
		for _, p := range op.Params {
			if p.Pattern == "" {
				continue
			}
			pattern := regexp.MustCompile(p.Pattern)
			if s, ok := p.Example.(string); !ok || !p.Valid(s) {
				t.Errorf("%s: example %v of %s is not accepted", op.Name, p.Example, p.Name)
			}
			for range 20_000 {
				s := randomCode(random)
				if p.Valid(s) != pattern.MatchString(s) {
					t.Fatalf("%s: %s %q: accepted %v, pattern %v", op.Name, p.Name, s, p.Valid(s), !p.Valid(s))
				}
			}
		}
	}
}

func randomCode(random *rand.Rand) string {
	const alphabet = "0123456789AB0123456789abZé \x00"
	runes := []rune(alphabet)
	lengths := []int{0, 1, 2, 3, 4, 5, 13, 14, 15}
	s := make([]rune, lengths[random.IntN(len(lengths))])
	for i := range s {
		s[i] = runes[random.IntN(len(runes)-random.IntN(2)*5)]
	}
	if len(s) == 14 && random.IntN(2) == 0 {
		return "930100000A0" + string(s[:3])
	}
	return string(s)
}

// Every operation is complete: whatever is left out would be missing from the documentation.
func TestOperationsAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, op := range api.Operations() {
		if op.Summary == "" || op.Description == "" || op.Run == nil || len(op.Results) == 0 || op.Cost < 1 || len(op.Params) > 5 || seen[op.Name] {
			t.Errorf("%s is incomplete or there twice", op.Name)
		}
		seen[op.Name] = true
		for _, p := range op.Params {
			if p.Description == "" || p.Expected == "" || (p.Valid == nil) == (p.Values == nil) || p.Example == nil {
				t.Errorf("%s: parameter %s is incomplete", op.Name, p.Name)
			}
		}
	}
}

// Whoever looks up in the log why a call got a 503 finds why, also where nothing failed but a file that is being made.
func TestLogSaysWhyACallWasNotServed(t *testing.T) { // not parallel: it reads the log of the process
	var log bytes.Buffer
	former := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(former)
	api.Explain(fault.Down("The statistics are being computed.", nil), new([16]byte))
	if !strings.Contains(log.String(), "request not served") || !strings.Contains(log.String(), "The statistics are being computed.") {
		t.Errorf("the log has %s", &log)
	}
}
