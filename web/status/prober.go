package status

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
)

// ProberOptions are what a Prober is made of.
type ProberOptions struct {
	Pool   *pgxpool.Pool
	Clock  clock.Clock
	Secret string        // of the key that the server calls itself with
	Every  time.Duration // between two calls of an operation; 0: nothing is measured
	// Names are the operations in the order of the page; Calls gives a call of each, by its
	// name, with what is loaded at the time.
	Names []string
	Calls func() []Call
}

// Prober measures whether the service answers: it calls every operation of its own server once in some
// minutes, through the network as a customer does, and keeps what came of it for 90 days. What was not
// measured is absent, never counted as answered. While the database is away what is measured is kept in
// memory, and written when it is back. Several instances that share a database each call themselves, and add
// to the same rows: an instance that fails shows as a part of the calls that failed.
type Prober struct {
	o ProberOptions

	mu       sync.Mutex
	written  *measurements // as it was read last; nil: it could not be
	since    measurements  // what was measured since, and is not in it
	unsaved  measurements  // the part of it that is not written
	last     map[string]lastCall
	isBehind bool
	report   *Report // as it was asked for last; nil: something has changed since
	reportAt time.Time
}

// reportFresh is for how long a report holds when nothing is measured: adding up 90
// days costs more than a page that shows them.
const reportFresh = 5 * time.Second

// lastCall is what this instance found last.
type lastCall struct {
	at     time.Time
	failed bool
}

// NewProber returns a prober that has measured nothing. Run measures.
func NewProber(o ProberOptions) *Prober {
	return &Prober{o: o, last: map[string]lastCall{}, since: measurements{days: map[dayKey]*Day{}},
		unsaved: measurements{days: map[dayKey]*Day{}}}
}

// incidentGap is how long after the last failure an incident still goes on: a call
// more than the next one, which may come late.
func (p *Prober) incidentGap() time.Duration { return 2*p.o.Every + callTimeout }

// Run calls the operations of the server at an address, one after the other, spread over the time between two
// calls of one. It ends with ctx; a call that is cut off then is not counted.
func (p *Prober) Run(ctx context.Context, base string) {
	if p.o.Every <= 0 {
		return
	}
	every := time.NewTicker(max(p.o.Every/time.Duration(len(p.o.Names)), time.Millisecond))
	defer every.Stop()
	p.refreshHistory(ctx)
	for next := 0; ; next++ {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		calls := p.o.Calls()
		c := calls[next%len(calls)]
		if next > 0 && next%len(calls) == 0 {
			p.refreshHistory(ctx)
		}
		if c.Path == "" {
			continue
		}
		begun := p.o.Clock.Now()
		reason := makeCall(ctx, base, p.o.Secret, c)
		if ctx.Err() != nil {
			return
		}
		p.Record(c.Operation, begun, p.o.Clock.Now().Sub(begun), reason)
		p.saveMeasurements(ctx)
	}
}

// Record notes what came of a call. An empty reason: it was answered.
func (p *Prober) Record(operation string, at time.Time, took time.Duration, reason string) {
	d := Day{OK: 1, Latency: make([]int, latencyClasses)}
	if reason == "" {
		ms := float64(took) / float64(time.Millisecond)
		d.Latency[min(max(0, int(math.Ceil(10*math.Log10(ms)))), latencyClasses-1)]++
	} else {
		d.OK, d.Failed = 0, 1
		slog.Warn("uptime probe failed", "operation", operation, "reason", reason)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[operation], p.report = lastCall{at, reason != ""}, nil
	for _, m := range []*measurements{&p.since, &p.unsaved} {
		m.dayEntry(dayKey{clock.Day(at), operation}).addCounts(d)
		if reason != "" {
			m.incidents = mergeIncident(m.incidents, Incident{Operation: operation, BeganAt: at, FailedAt: at,
				Failures: 1, Reason: reason}, p.incidentGap())
		}
	}
}

func (m *measurements) dayEntry(k dayKey) *Day {
	d := m.days[k]
	if d == nil {
		d = &Day{Date: k.date}
		m.days[k] = d
	}
	return d
}

// addMeasurements adds what was measured elsewhere, or later.
func (m *measurements) addMeasurements(other measurements, gap time.Duration) {
	for k, d := range other.days {
		m.dayEntry(k).addCounts(*d)
	}
	for _, i := range other.incidents {
		m.incidents = mergeIncident(m.incidents, i, gap)
	}
}

// mergeIncident adds failures to the incident that goes on, or begins another.
func mergeIncident(all []Incident, i Incident, gap time.Duration) []Incident {
	at := slices.IndexFunc(all, func(o Incident) bool {
		return o.Operation == i.Operation && !o.FailedAt.Before(i.BeganAt.Add(-gap)) && !o.BeganAt.After(i.FailedAt)
	})
	if at < 0 {
		return append(all, i)
	}
	o := &all[at]
	if !i.FailedAt.Before(o.FailedAt) {
		o.FailedAt, o.Reason = i.FailedAt, i.Reason
	}
	o.Failures += i.Failures
	return all
}

// saveMeasurements writes what is not written. What cannot be is kept for the next time.
func (p *Prober) saveMeasurements(ctx context.Context) {
	p.mu.Lock()
	now := p.unsaved
	p.unsaved = measurements{days: map[dayKey]*Day{}}
	p.mu.Unlock()
	err := now.writeRows(ctx, p.o.Pool, clock.Day(p.o.Clock.Now()), p.incidentGap())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report = nil
	if err != nil && ctx.Err() == nil && !p.isBehind {
		slog.WarnContext(ctx, "uptime results not written, retrying", "error", err)
	}
	if p.isBehind = err != nil; p.isBehind {
		now.addMeasurements(p.unsaved, p.incidentGap())
		p.unsaved = now
	}
}

// refreshHistory reads what all instances have written. Until that is possible what was
// measured here is added to what was read before.
func (p *Prober) refreshHistory(ctx context.Context) {
	p.saveMeasurements(ctx)
	h, err := readHistory(ctx, p.o.Pool, p.o.Clock.Now().Add(-p.incidentGap()))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report = nil
	if err != nil || p.isBehind {
		return
	}
	p.written, p.since = h, measurements{days: map[dayKey]*Day{}}
}

// Report returns the current measurements, without a query. The caller must not modify it.
func (p *Prober) Report() Report {
	now := p.o.Clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.report == nil || now.Sub(p.reportAt) >= reportFresh || now.Before(p.reportAt) {
		p.report, p.reportAt = new(p.buildReport(now)), now
	}
	return *p.report
}

// buildReport adds up what is known.
func (p *Prober) buildReport(now time.Time) Report {
	r := Report{Every: p.o.Every, Today: clock.Day(now)}
	r.Since = r.Today - Retention + 1
	r.Read, r.Behind = p.written != nil, p.isBehind
	all := measurements{days: map[dayKey]*Day{}}
	if p.written != nil {
		all.addMeasurements(measurements{days: p.written.days}, 0)
		all.incidents = slices.Clone(p.written.incidents)
	}
	all.addMeasurements(p.since, p.incidentGap())
	for _, name := range p.o.Names {
		r.Operations = append(r.Operations, p.operationReport(name, &r, all.days))
	}
	p.addIncidents(&r, all.incidents, now)
	return r
}

// operationReport gathers the days of an operation, and its state by the last call.
func (p *Prober) operationReport(name string, r *Report, days map[dayKey]*Day) Operation {
	o := Operation{Name: name, State: Unknown, Last: p.last[name].at}
	for date := r.Since; date <= r.Today; date++ {
		if d := days[dayKey{date, name}]; d != nil {
			o.Days = append(o.Days, *d)
		}
	}
	if !o.Last.IsZero() && p.o.Clock.Now().Sub(o.Last) <= p.incidentGap() && !p.last[name].failed {
		o.State = OK
	}
	return o
}

// addIncidents adds the incidents. One that goes on makes its operation failing, whichever instance found it.
func (p *Prober) addIncidents(r *Report, incidents []Incident, now time.Time) {
	for _, i := range incidents {
		if i.Failures < minFailures {
			continue
		}
		i.Over = now.Sub(i.FailedAt) > p.incidentGap() || p.last[i.Operation].at.After(i.FailedAt) &&
			!p.last[i.Operation].failed
		if at := slices.IndexFunc(r.Operations, func(o Operation) bool { return o.Name == i.Operation }); at >= 0 &&
			!i.Over {
			r.Operations[at].State = Failing
		}
		r.Incidents = append(r.Incidents, i)
	}
	slices.SortFunc(r.Incidents, func(a, b Incident) int {
		return cmp.Or(b.BeganAt.Compare(a.BeganAt), cmp.Compare(a.Operation, b.Operation))
	})
}
