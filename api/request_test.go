package api_test

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/gjson"
	"github.com/valyala/fasthttp"

	"arpent/api"
	"arpent/api/fieldset"
	"arpent/api/figures"
	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
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
		if op.Summary == "" || op.Description == "" || op.Run == nil || len(op.Results) == 0 || op.Cost < 1 ||
			len(op.Params) > 11 || seen[op.Name] {
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

// The log gives the reason of a call that got a 503, also where nothing failed but a file that is being made.
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

// oneDecision is a meter that decides the same of every request, and keeps what it was answered.
type oneDecision struct {
	meter.Decision
	done []int
}

func (m *oneDecision) Admit(context.Context, meter.Request) meter.Decision { return m.Decision }

func (m *oneDecision) AdmitFree(ident.AccountID, billing.Limits) meter.Decision { return m.Decision }

func (m *oneDecision) Done(_ *meter.Decision, answer meter.Answer) int {
	m.done = append(m.done, answer.Status)
	return 0
}

// newServer has no data: an operation that reads some panics.
func newServer(m api.Meter) *api.Server {
	return api.New(api.Options{TagKey: bytes.Repeat([]byte{1}, 32), Clock: clock.Real{}, Meter: m, Territory: territory.New(nil),
		Log: api.NewAccessLog(nil, 1), Metrics: api.NewMetrics(prometheus.NewRegistry())})
}

// A request that comes a little early is held until its place is free: served at once, more
// than the limit would be admitted in a minute.
func TestAnEarlyRequestIsHeld(t *testing.T) {
	t.Parallel()
	const wait = 30 * time.Millisecond
	s := newServer(&oneDecision{Decision: meter.Decision{Wait: wait}})
	key := &apikey.Entry{Plan: "pro"}
	for name, call := range map[string]func() error{
		"operation": func() error {
			if r := s.Execute(t.Context(), api.Caller{Key: key}, s.Operation("get_index"), api.Arguments{}); r.Fault != nil {
				return r.Fault
			}
			return nil
		},
		"free message": func() error { return s.AdmitFree(key) },
	} {
		begun := time.Now()
		if err := call(); err != nil || time.Since(begun) < wait {
			t.Errorf("%s: answered after %s (%v), to be held for %s", name, time.Since(begun), err, wait)
		}
	}
}

// A fault of ours ends one request and not the process: the caller gets a number to
// quote, nothing of our insides, and pays nothing.
func TestPanicIsAnAnswer(t *testing.T) {
	t.Parallel()
	m := &oneDecision{}
	s := newServer(m)
	op := s.Operation("get_parcel")
	var a api.Arguments
	a.Set(op, "idu", "930100000J0236")
	r := s.Execute(t.Context(), api.Caller{Key: &apikey.Entry{Plan: "pro"}}, op, a)
	if r.Status != 500 || r.Fault == nil || r.Fault.Code != fault.Internal || !strings.Contains(r.Fault.Message, r.RequestID()) || strings.Contains(r.Fault.Message, "nil") {
		t.Errorf("status %d: %v", r.Status, r.Fault)
	}
	if !slices.Equal(m.done, []int{500}) {
		t.Errorf("counted as %v", m.done)
	}
}

// BenchmarkLimitHeaders is what the headers about limits cost in each answer.
func BenchmarkLimitHeaders(b *testing.B) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	key := &apikey.Entry{Plan: "pro"}
	d := meter.Decision{Limit: 300, QuotaLimit: 25_000, QuotaUsed: 1234, Remaining: 299, ResetAfter: time.Second,
		QuotaReset: now.Add(11 * time.Hour).Unix()}
	var h fasthttp.ResponseHeader
	memory := make([]byte, 0, 128)
	b.ReportAllocs()
	for b.Loop() {
		h.Reset()
		api.LimitHeaders(&h, key, d, memory, now)
	}
}

// A caller who tries an example gets the parcel with most to read: all documents name the same one.
func TestExamplesNameOneParcel(t *testing.T) {
	t.Parallel()
	for _, op := range api.Operations() {
		for _, p := range op.Params {
			if p.Name == "idu" && p.Example != parcel.ExampleIDU {
				t.Errorf("%s has the example %v", op.Name, p.Example)
			}
		}
	}
	for _, of := range []any{api.Enrichments{}, parcel.Parcelle{}, geocode.FoundPlace{}} {
		if field, _ := reflect.TypeOf(of).FieldByName("IDU"); field.Tag.Get("example") != parcel.ExampleIDU {
			t.Errorf("%T has the example %q", of, field.Tag.Get("example"))
		}
	}
}

// A list is sorted by a number, or refused: by whatever part of whatever key, also of the items of lists.
func TestAnyPartIsSortedByOrRefused(t *testing.T) {
	t.Parallel()
	for _, level := range []stats.Level{stats.Region, stats.Departement, stats.Commune} {
		var visit func(path string, depth int)
		visit = func(path string, depth int) {
			_ = api.CheckSortField(level, path, gjson.Result{}) // it does not panic
			part, found := topic.Statistics().FindPart(level, path)
			if !found || depth == 0 {
				return
			}
			for _, name := range part.Names() {
				visit(path+"."+name, depth-1)
			}
		}
		for _, key := range topic.Statistics().Keys(level) {
			visit(key, 3)
		}
		if level != stats.Commune {
			continue
		}
		for _, list := range []string{"prices.byType", "schools.schools", "nearestGare.inCommune"} {
			if err := api.CheckSortField(level, list, gjson.Result{}); err == nil || fault.From(err).Code != fault.InvalidParameter {
				t.Errorf("%s: %v", list, err)
			}
		}
	}
}

// Who names a subject in words of their own, in French or English, is pointed to keys that the report has. A
// word for a subject that is not loaded is none for another one.
func TestWordsForSubjectsNameKeys(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, k := range topic.Report().Keys() {
		keys = append(keys, k.Name)
	}
	for word, says := range fieldset.ReportWords {
		first, _, _ := strings.Cut(says, " ")
		isKey := slices.Contains(keys, first)
		if !isKey && !strings.HasPrefix(first, "parcel.") && !strings.Contains(first, "=") || fieldset.Unserved[word] != "" {
			t.Errorf("%s: %s", word, says)
		}
		if slices.Contains(keys, word) {
			t.Errorf("%s is a key", word)
		}
	}
	levels := []stats.Level{stats.Commune, stats.Departement, stats.Region}
	for word, fields := range fieldset.StatisticsWords {
		for field := range strings.FieldsSeq(fields) {
			if !slices.ContainsFunc(levels, func(level stats.Level) bool {
				return topic.Statistics().HasPart(level, field) || slices.Contains(figures.PlainFields(level), field)
			}) {
				t.Errorf("%s: no level has %s", word, field)
			}
		}
	}
	for word, says := range fieldset.Unserved {
		if slices.Contains(keys, word) || !strings.HasSuffix(says, ".") {
			t.Errorf("%s: %s", word, says)
		}
	}
}
