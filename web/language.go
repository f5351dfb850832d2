package web

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Lang is a language that pages are written in.
type Lang string

// The languages.
const (
	French  Lang = "fr"
	English Lang = "en"
)

// language is the one asked for by ?lang=, else the first of ours that the browser names, else French.
func language(asked, accepted string) Lang {
	for _, l := range append([]string{asked}, strings.Split(accepted, ",")...) {
		tag, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(l)), ";")
		switch main, _, _ := strings.Cut(tag, "-"); Lang(main) {
		case French:
			return French
		case English:
			return English
		}
	}
	return French
}

// pick chooses between the two ways of saying something.
func (l Lang) pick(french, english string) string {
	if l == English {
		return english
	}
	return french
}

// number writes n in the reader's format: 34 875 in French (a narrow no-break space), 34,875 in English.
func (l Lang) number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + l.pick("\u202f", ",") + digits[i:]
	}
	return digits
}

var paris = func() *time.Location {
	loc, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		return time.UTC
	}
	return loc
}()

var months = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
	"novembre", "décembre"}

// day writes the day of t in Paris.
func (l Lang) day(t time.Time) string {
	t = t.In(paris)
	if l == English {
		return t.Format("2 January 2006")
	}
	first := strconv.Itoa(t.Day())
	if t.Day() == 1 {
		first = "1er"
	}
	return first + " " + months[t.Month()-1] + " " + strconv.Itoa(t.Year())
}

// vintage writes a producer's date: a day, a month or a year, or what else the producer says; or two with a dash
// between them.
func (l Lang) vintage(v string) string {
	if oldest, newest, ok := strings.Cut(v, " – "); ok {
		return l.vintage(oldest) + " – " + l.vintage(newest)
	}
	if t, err := time.ParseInLocation(time.DateOnly, v, paris); err == nil {
		return l.day(t)
	}
	if v == "" || !utf8.ValidString(v) {
		return l.pick("non connu", "not known")
	}
	return v
}
