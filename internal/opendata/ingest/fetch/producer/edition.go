package producer

import (
	"regexp"
	"strings"
	"time"
)

// dateForms are the forms of a date in the name of a file, the most exact first. They are matched in lower
// case, with a space on either side of each number, so that no number is a part of a longer one.
var dateForms = []struct {
	form *regexp.Regexp
	date func(m []string) string // empty: it is not one
}{
	{regexp.MustCompile(` (\d{4}) [-_.] (\d\d) [-_.] (\d\d) `), func(m []string) string {
		return reformatDate(m[1]+m[2]+m[3], time.DateOnly, "20060102")
	}},
	// A time of day may follow.
	{regexp.MustCompile(` (\d{8})(?:\d{6})? `), func(m []string) string {
		return reformatDate(m[1], time.DateOnly, "20060102", "02012006")
	}},
	{regexp.MustCompile(`t ([1-4]) [-_] (\d{4}) `), func(m []string) string {
		return lastMonthOfQuarter(m[2], m[1])
	}},
	{regexp.MustCompile(` (\d{4}) [-_]?t ([1-4]) `), func(m []string) string {
		return lastMonthOfQuarter(m[1], m[2])
	}},
	{regexp.MustCompile(` (\d{4}) [-_] (\d\d) `), func(m []string) string {
		return reformatDate(m[1]+m[2], "2006-01", "200601")
	}},
	{regexp.MustCompile(` (\d{6}) `), func(m []string) string {
		return reformatDate(m[1], "2006-01", "200601")
	}},
	{regexp.MustCompile(` (\d{4}) `), func(m []string) string { return reformatDate(m[1], "2006", "2006") }},
	{regexp.MustCompile(` (\d\d) \D*$`), func(m []string) string { return reformatDate(m[1], "2006", "06") }},
}

var number = regexp.MustCompile(`\d+`)

// dateIn is the date in the name of a file, as exactly as the name has it: "2026-06-25", "2026-06"
// (of a quarter its last month) or "2026". Of several it is the most exact, of those the latest.
// Without one it is empty. Dates compare as texts.
func dateIn(name string) string {
	spaced := number.ReplaceAllString(strings.ToLower(name), " $0 ")
	for _, f := range dateForms {
		latest := ""
		for _, m := range f.form.FindAllStringSubmatch(spaced, -1) {
			latest = max(latest, f.date(m))
		}
		if latest != "" {
			return latest
		}
	}
	return ""
}

// reformatDate writes a date, if it is one of the years since 1900 in one of the layouts, in another.
func reformatDate(text, to string, layouts ...string) string {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1900 && t.Year() < 2100 {
			return t.Format(to)
		}
	}
	return ""
}

// lastMonthOfQuarter is the last month of a quarter, as 202606; empty for one that is no quarter.
func lastMonthOfQuarter(year, quarter string) string {
	return reformatDate(year+map[string]string{"1": "03", "2": "06", "3": "09", "4": "12"}[quarter], "2006-01",
		"200601")
}

// yearOf is the field year of a date; without a date there is none.
func yearOf(date string) map[string]string {
	if date == "" {
		return nil
	}
	return map[string]string{"year": date[:4]}
}

// maxYearsBack is how many years without a file are looked back over.
const maxYearsBack = 4

// recentYears are the years in which so many files are looked for, this year first.
func recentYears(now time.Time, wanted int) []int {
	years := make([]int, max(wanted, 1)+maxYearsBack)
	for i := range years {
		years[i] = now.Year() - i
	}
	return years
}
