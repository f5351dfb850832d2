package source

import (
	"regexp"
	"strconv"
	"time"
)

// Rhythms are those of publication, with how long after one check the next is due: a little more than
// the rhythm itself, since producers are not punctual to the day. 0: there is nothing to wait for.
var Rhythms = map[string]time.Duration{
	"daily": 2 * day, "weekly": 9 * day, "monthly": 35 * day, "quarterly": 100 * day, "half-yearly": 200 * day,
	"yearly":      380 * day,
	"irregularly": 0, "once": 0,
}

const day = 24 * time.Hour

// Rhythm is how often the source is renewed, as in Origin.Rhythm; empty where it is not known.
func (s Source) Rhythm() string {
	for _, o := range s.Origins {
		if o.Rhythm != "" {
			return o.Rhythm
		}
	}
	return ""
}

// Due is when the producer of the source should be asked again, after it was
// asked. It is zero for a source without a rhythm.
func (s Source) Due(asked time.Time) time.Time {
	if Rhythms[s.Rhythm()] == 0 {
		return time.Time{}
	}
	return asked.Add(Rhythms[s.Rhythm()])
}

// How long after the end of a period its figures are published, where the vintage names the period and not
// the day of the edition: at most. A census is in force three years after its year.
const (
	yearLag    = 3 // years
	quarterLag = 100 * day
)

var quarterOf = regexp.MustCompile(`^(\d{4})-T([1-4])$`)

// LatestPublication is the latest day on which an edition of the source can have been published, by its
// vintage: that day, or the last one of that month, quarter or year; for yearly and quarterly figures it adds
// the usual delay. It is zero for a vintage of another form.
func (s Source) LatestPublication(vintage string) time.Time {
	figures := s.Target.Table == FigureTarget.Table
	if t, err := time.Parse(time.DateOnly, vintage); err == nil {
		return t
	}
	if t, err := time.Parse("2006-01", vintage); err == nil {
		return t.AddDate(0, 1, -1)
	}
	if q := quarterOf.FindStringSubmatch(vintage); q != nil {
		year, _ := strconv.Atoi(q[1]) // four and one digits
		quarter, _ := strconv.Atoi(q[2])
		end := time.Date(year, time.Month(3*quarter+1), 0, 0, 0, 0, 0, time.UTC)
		if figures {
			end = end.Add(quarterLag)
		}
		return end
	}
	t, err := time.Parse("2006", vintage)
	switch {
	case err != nil:
		return time.Time{}
	case figures:
		return t.AddDate(1+yearLag, 0, -1)
	default:
		return t.AddDate(1, 0, -1)
	}
}
