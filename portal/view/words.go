package view

import (
	"strconv"
	"time"

	"arpent/app/base/clock"
	"arpent/web"
)

func number(l web.Lang, n int64) string { return l.Number(int(n)) }

// requests writes a number of them. French counts 0 and 1 alike.
func requests(l web.Lang, n int64) string {
	if n == 1 || n == 0 && l == web.French {
		return number(l, n) + l.Pick(" requête", " request")
	}
	return number(l, n) + l.Pick(" requêtes", " requests")
}

// share writes a part in whole percents; less than one is said to be so.
func share(l web.Lang, part, whole int64) string {
	sign := l.Pick("\u00a0%", "%")
	switch {
	case whole == 0 || part == 0:
		return "0" + sign
	case part*100 < whole:
		return l.Pick("<\u00a01", "<1") + sign
	}
	return strconv.FormatInt((part*100+whole/2)/whole, 10) + sign
}

// ordinal writes the place of something feminine: 1re, 61e; 1st, 61st, 112th.
func ordinal(l web.Lang, n int) string {
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

var shortMonths = [...]string{"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."}

// shortDay writes a midnight UTC, as the quota days come, without its year.
func shortDay(l web.Lang, t time.Time) string {
	if l == web.English {
		return t.Format("2 Jan")
	}
	return strconv.Itoa(t.Day()) + "\u00a0" + shortMonths[t.Month()-1]
}

// shortDate writes the day of an instant in Paris, with its year.
func shortDate(l web.Lang, at time.Time) string {
	day := clock.Day(at).Time()
	return shortDay(l, day) + l.Pick("\u00a0", " ") + strconv.Itoa(day.Year())
}

// lastUse writes when something was used last.
func lastUse(l web.Lang, at *time.Time) string {
	if at == nil {
		return l.Pick("jamais", "never")
	}
	return l.DateTime(*at)
}

// until writes the end of a time: a day is meant to its end, and an instant is said as it is.
func until(l web.Lang, at time.Time, endOfDay bool) string {
	if endOfDay {
		return l.Day(at.Add(-time.Second))
	}
	return l.DateTime(at)
}
