package report

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"arpent/web"
)

// formatter is who a value is written for.
type formatter struct {
	web.Lang
	total int // how many a list has, of which some are given; 0: it is no list
}

// decodeAs reads a value into a type of what is said of it. What does not fit is shown
// as it is: a report must not fail for a key.
func decodeAs[T any](say func(formatter, T) string) func(formatter, json.RawMessage) string {
	return func(r formatter, raw json.RawMessage) string {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return string(raw)
		}
		return say(r, v)
	}
}

// listNames lists what a list has a name for.
func listNames[T any](name func(formatter, T) string) func(formatter, json.RawMessage) string {
	return decodeAs(func(r formatter, list []T) string {
		var out []string
		for _, v := range list {
			out = append(out, name(r, v))
		}
		if out = uniqueTexts(slices.DeleteFunc(out, func(s string) bool { return s == "" })); len(out) == 0 {
			return r.Number(r.total) // none of them has a name
		}
		return r.formatNames(out)
	})
}

// place is a place nearby.
type place struct {
	Name      *string `json:"name"`
	DistanceM *int    `json:"distanceM"`
}

// formatDistance is how far something is: 210 m, 1,4 km.
func (r formatter) formatDistance(metres *int) string {
	switch {
	case metres == nil:
		return ""
	case *metres == 0:
		return r.Pick("sur place", "on the spot")
	case *metres < 1000:
		return r.Pick("à ", "") + strconv.Itoa(*metres) + "\u00a0m" + r.Pick("", " away")
	}
	return r.Pick("à ", "") + r.Decimal(float64(*metres/100)/10) + "\u00a0km" + r.Pick("", " away")
}

func (r formatter) formatPlace(p place) string {
	return joinNonEmpty(", ", readableName(trimmedText(p.Name)), r.formatDistance(p.DistanceM))
}

// formatNearest says how many there are, and how far the first is.
func (r formatter) formatNearest(list []place) string {
	if len(list) == 0 {
		return ""
	}
	if r.total == 1 {
		return r.formatPlace(list[0])
	}
	if r.Lang == web.French && trimmedText(list[0].Name) == "" { // a distance alone
		return r.Number(r.total) + ", " + r.formatPlace(list[0]) + " au plus près"
	}
	return r.Number(r.total) + r.Pick(", au plus près\u00a0: ", "; nearest: ") + r.formatPlace(list[0])
}

// formatNames names up to three, and counts the others.
func (r formatter) formatNames(names []string) string {
	const shown = 3
	if len(names) > shown {
		return strings.Join(names[:shown], ", ") + r.Pick(" et ", " and ") + r.Number(len(names)-shown) +
			r.Pick(" de plus", " more")
	}
	return strings.Join(names, ", ")
}

// formatShare is the part of the parcel that something covers; all of it needs no words.
func (r formatter) formatShare(percent float64) string {
	if percent >= 99.95 {
		return ""
	}
	return r.Decimal(percent) + r.Pick("\u00a0% de la parcelle", "% of the parcel")
}

// formatClass is a class on a scale.
func (r formatter) formatClass(word [2]string, class, of int) string {
	return r.Pick(word[0], word[1]) + " " + strconv.Itoa(class) + r.Pick(" sur ", " of ") + strconv.Itoa(of)
}

func trimmedText(s *string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(*s)
}

func joinNonEmpty(between string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), between)
}

func uniqueTexts(list []string) (out []string) {
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// formatDay formats a day as the API writes it; empty: it is not known.
func (r formatter) formatDay(date string) string {
	if date == "" {
		return ""
	}
	return r.Vintage(date)
}
