package clock_test

import (
	"testing"
	"time"

	"arpent/internal/clock"
)

// A quota day is a calendar day of Paris: an account that is promised N requests a day gets
// them on the short and on the long day too.
func TestDayOnClockChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		day         string
		first, last string // first and last instant of the day, UTC
		hours       float64
	}{
		{"winter", "2026-01-15", "2026-01-14T23:00:00Z", "2026-01-15T22:59:59.999999999Z", 24},
		{"clocks forward, 23 hours", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59.999999999Z", 23},
		{"summer", "2026-07-14", "2026-07-13T22:00:00Z", "2026-07-14T21:59:59.999999999Z", 24},
		{"clocks back, 25 hours", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59.999999999Z", 25},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first, last := parseInstant(t, tt.first), parseInstant(t, tt.last)
			d := clock.Day(first)
			if d.String() != tt.day {
				t.Errorf("day of %s is %s, want %s", tt.first, d, tt.day)
			}
			if clock.Day(first.Add(-1)) != d-1 || clock.Day(last) != d || clock.Day(last.Add(1)) != d+1 {
				t.Errorf("the day does not run from %s to %s", tt.first, tt.last)
			}
			if got := d.End().Sub(d.Start()).Hours(); got != tt.hours {
				t.Errorf("%v hours, want %v", got, tt.hours)
			}
		})
	}
}

// Days follow one another without gap or overlap, hour by hour over thirty years.
func TestDaysAreContiguous(t *testing.T) {
	t.Parallel()
	end := time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
	last := clock.Day(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	for at := time.Date(2020, 1, 1, 0, 30, 0, 0, time.UTC); at.Before(end); at = at.Add(time.Hour) {
		d := clock.Day(at)
		if d != last && d != last+1 {
			t.Fatalf("%s jumps from %s to %s", at, last, d)
		}
		if at.Before(d.Start()) || !at.Before(d.End()) {
			t.Fatalf("%s is not between the start and the end of its day %s", at, d)
		}
		last = d
	}
}

// A day in an address or an argument is read as it is written, and no text means the day that the caller
// proposes.
func TestParseDay(t *testing.T) {
	t.Parallel()
	const proposed = clock.Date(20_000)
	for text, want := range map[string]string{"": proposed.String(), "2026-03-29": "2026-03-29",
		"1970-01-01": "1970-01-01", "9999-12-31": "9999-12-31"} {
		if d, ok := clock.ParseDay(text, proposed); !ok || d.String() != want {
			t.Errorf("%q is %s, %t; want %s", text, d, ok, want)
		}
	}
	for _, text := range []string{"1969-12-31", "2026-02-30", "2026-3-1", "10000-01-01", "today", " "} {
		if d, ok := clock.ParseDay(text, proposed); ok {
			t.Errorf("%q is %s", text, d)
		}
	}
}

func parseInstant(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
