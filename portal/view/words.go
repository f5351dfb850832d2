package view

import (
	"strconv"
	"time"

	"arpent/internal/clock"
	"arpent/web"
)

// Number formats a number with the thousands separator of the language.
func Number(l web.Lang, n int64) string { return l.Number(int(n)) }

// Requests formats a number of requests.
func Requests(l web.Lang, n int64) string { return l.Count(int(n), "requête", "request") }

// Share formats a part in whole percents; a smaller one as less than 1 %.
func Share(l web.Lang, part, whole int64) string {
	sign := l.Pick("\u00a0%", "%")
	switch {
	case whole == 0 || part == 0:
		return "0" + sign
	case part*100 < whole:
		return l.Pick("<\u00a01", "<1") + sign
	}
	return strconv.FormatInt((part*100+whole/2)/whole, 10) + sign
}

var shortMonths = [...]string{"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.",
	"oct.", "nov.", "déc."}

// shortDay formats a quota day (midnight UTC) without its year.
func shortDay(l web.Lang, t time.Time) string {
	if l == web.English {
		return t.Format("2 Jan")
	}
	return strconv.Itoa(t.Day()) + "\u00a0" + shortMonths[t.Month()-1]
}

// ShortDate formats the day of an instant in Paris, with its year.
func ShortDate(l web.Lang, at time.Time) string {
	day := clock.Day(at).Time()
	return shortDay(l, day) + l.Pick("\u00a0", " ") + strconv.Itoa(day.Year())
}

// Count formats a number with its noun.
func Count(l web.Lang, n int, oneFrench, manyFrench, oneEnglish, manyEnglish string) string {
	one := n == 1 || n == 0 && l == web.French
	if one {
		return strconv.Itoa(n) + "\u00a0" + l.Pick(oneFrench, oneEnglish)
	}
	return l.Number(n) + "\u00a0" + l.Pick(manyFrench, manyEnglish)
}

// Ordinal formats a feminine ordinal: 1re, 61e; 1st, 61st, 112th.
func Ordinal(l web.Lang, n int) string {
	if l == web.French {
		if n == 1 {
			return "1re"
		}
		return l.Number(n) + "e"
	}
	ending := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return l.Number(n) + ending
}

// scopeNames are the names of the scopes of management tokens. A person alone reads them too.
var scopeNames = web.Texts{"usage:read": {"consommation", "usage"}, "keys:read": {"clés", "keys"},
	"organisation:read": {"compte et membres", "account and members"}}

// ScopeName names what a management token may read.
func ScopeName(l web.Lang, scope string) string { return scopeNames.Of(l, scope) }
