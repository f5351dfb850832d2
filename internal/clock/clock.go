// Package clock gives the time, and which quota day an instant belongs to.
package clock

import (
	"sync"
	"time"
	_ "time/tzdata" // the quota day is a day of Europe/Paris, on every machine
)

// Clock gives the time. Constructors take one, so that a test sets the hour.
type Clock interface{ Now() time.Time }

// Real is the machine's clock.
type Real struct{}

// Now is time.Now.
func (Real) Now() time.Time { return time.Now() }

// Fixed is a clock that moves only when it is set. It is safe for concurrent use.
type Fixed struct {
	mu  sync.Mutex
	now time.Time
}

// At makes a clock that stands at t.
func At(t time.Time) *Fixed { return &Fixed{now: t} }

// Now is the time the clock was set to.
func (f *Fixed) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Set moves the clock to t.
func (f *Fixed) Set(t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = t
}

// Advance moves the clock on by d.
func (f *Fixed) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
}

// Paris is the time zone of quota days.
var Paris = func() *time.Location {
	loc, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		panic(err) // time/tzdata is linked in
	}
	return loc
}()

// Date is a quota day: a calendar day of Europe/Paris, 23 or 25 hours long on the nights the clock changes.
// Its value counts the days since 1970-01-01, so that days compare and fit a map key.
type Date int32

// Day is the quota day that t belongs to. It is the only code that decides this.
func Day(t time.Time) Date {
	y, m, d := t.In(Paris).Date()
	return Date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// ParseDay parses a day as String writes it; an empty text stands for otherwise. It returns false for any
// other text and for a day before 1970.
func ParseDay(text string, otherwise Date) (Date, bool) {
	if text == "" {
		return otherwise, true
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1970 {
		return 0, false
	}
	return Day(day), true
}

// Time is the day as a UTC midnight, the form that a PostgreSQL date takes.
func (d Date) Time() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// Start is the instant at which the day begins in Paris.
func (d Date) Start() time.Time {
	y, m, day := d.Time().Date()
	return time.Date(y, m, day, 0, 0, 0, 0, Paris)
}

// End is the instant at which the next day begins.
func (d Date) End() time.Time { return (d + 1).Start() }

// String is the day as 2006-01-02.
func (d Date) String() string { return d.Time().Format(time.DateOnly) }
