package source

import "time"

// rhythms are the rhythms of publication, with how long after one check the next is due: a little more than the rhythm itself,
// since producers are not punctual to the day. 0: there is nothing to wait for.
var rhythms = map[string]time.Duration{
	"daily": 2 * day, "weekly": 9 * day, "monthly": 35 * day, "quarterly": 100 * day, "half-yearly": 200 * day, "yearly": 380 * day,
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

// Due is when the producer of a source should be asked again, after it was asked. It is zero for a source without a rhythm.
func Due(rhythm string, asked time.Time) time.Time {
	if rhythms[rhythm] == 0 {
		return time.Time{}
	}
	return asked.Add(rhythms[rhythm])
}

// IsRhythm reports whether a text is one of the rhythms.
func IsRhythm(text string) bool {
	_, is := rhythms[text]
	return is
}
