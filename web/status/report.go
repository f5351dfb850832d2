package status

import (
	"math"
	"slices"
	"time"

	"arpent/internal/clock"
)

const (
	// Retention is how many days are kept, today included.
	Retention = 90
	// A single failure is no incident yet: the next call decides.
	minFailures = 2
	// Of durations: how many classes there are, ten for each power of ten milliseconds.
	// The last holds what took 10 s or longer.
	latencyClasses = 41
)

// Day is what was measured of an operation in a day.
type Day struct {
	Date       clock.Date
	OK, Failed int
	Latency    []int // see class
}

// Percentile is a duration within which that share of the answers came, to a
// tenth of a power of ten; 0: none was answered.
func (d *Day) Percentile(share float64) time.Duration {
	total := 0
	for _, n := range d.Latency {
		total += n
	}
	if total == 0 {
		return 0
	}
	wanted, seen := int(math.Ceil(share*float64(total))), 0
	for i, n := range d.Latency {
		if seen += n; seen >= wanted {
			return time.Duration(math.Pow(10, float64(i)/10) * float64(time.Millisecond))
		}
	}
	return 0
}

// addCounts adds what was measured elsewhere, or later.
func (d *Day) addCounts(other Day) {
	d.OK, d.Failed = d.OK+other.OK, d.Failed+other.Failed
	if d.Latency == nil {
		d.Latency = make([]int, latencyClasses)
	}
	for i, n := range other.Latency {
		d.Latency[min(i, latencyClasses-1)] += n
	}
}

// Incident is a row of failed calls.
type Incident struct {
	Operation         string
	BeganAt, FailedAt time.Time // the first and the last failure
	Failures          int
	Reason            string // see failureReason
	Over              bool   // no call has failed for a while
}

// State is how an operation does.
type State string

// The states.
const (
	OK      State = "ok"
	Failing State = "failing"
	Unknown State = "unknown" // not measured, or not for a while
)

// Operation is what is known of an operation.
type Operation struct {
	Name  string
	State State
	Last  time.Time // when this instance called it last; zero: it has not
	Days  []Day     // that were measured, oldest first
}

// Answered is the share of calls that were answered in all days; ok is false where none was made.
func (o *Operation) Answered() (share float64, ok bool) {
	good, all := 0, 0
	for _, d := range o.Days {
		good, all = good+d.OK, all+d.OK+d.Failed
	}
	if all == 0 {
		return 0, false
	}
	return float64(good) / float64(all), true
}

// Report is what is known of all operations.
type Report struct {
	Every      time.Duration // between two calls of an operation; 0: nothing is measured here
	Today      clock.Date
	Since      clock.Date // the oldest day that is kept
	Operations []Operation
	Incidents  []Incident // newest first
	Read       bool       // the days before could be read since the start
	Behind     bool       // what was measured last could not be written
}

// Speed is within which times half and 95 % of an operation's answers came, on the newest day on which any
// did; 0: none is known.
func (r *Report) Speed(operation string) (median, p95 time.Duration) {
	for _, o := range r.Operations {
		if o.Name != operation {
			continue
		}
		for _, d := range slices.Backward(o.Days) {
			if d.OK > 0 {
				return d.Percentile(0.5), d.Percentile(0.95)
			}
		}
	}
	return 0, 0
}

// State returns the state of the service: failing while an operation is.
func (r *Report) State() State {
	state := Unknown
	for _, o := range r.Operations {
		switch o.State {
		case Failing:
			return Failing
		case OK:
			state = OK
		}
	}
	return state
}
