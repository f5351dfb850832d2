package status

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"arpent/api/coverage"
	"arpent/web"
)

// formatPercent formats a share, rounded. What is not quite all is never called 100 %, nor what is little
// nothing.
func formatPercent(l web.Lang, s coverage.Share) string {
	sign := l.Pick("\u00a0%", "%")
	switch n := int(math.Round(100 * s.Ratio())); {
	case !s.Applies():
		return "–"
	case s.None():
		return "0"
	case n == 100 && !s.Whole():
		return "99" + sign
	case s.Of == 1: // Paris, of which an arrondissement is there
		return l.Pick("en partie", "in part")
	case n == 0:
		return l.Pick("<\u00a01", "<1") + sign
	default:
		return strconv.Itoa(n) + sign
	}
}

// formatCommunes says how many communes are covered.
func formatCommunes(l web.Lang, s coverage.Share) string {
	if !s.Applies() {
		return l.Pick("sans objet", "not applicable")
	}
	text := l.Number(s.Communes) + l.Pick(" sur ", " of ") + l.Number(s.Of)
	if s.Partly > 0 {
		text += l.Pick(", et ", ", and ") + l.Number(s.Partly) + l.Pick(" en partie", " in part")
	}
	return text
}

// formatEditions formats the editions of a share; empty: the files do not say.
func formatEditions(l web.Lang, s coverage.Share) string {
	switch {
	case s.Newest == "":
		return ""
	case s.Oldest == s.Newest:
		return l.Vintage(s.Newest)
	default:
		return l.Vintage(s.Oldest + " – " + s.Newest)
	}
}

// newestYear is the year of the newest edition.
func newestYear(s coverage.Share) string {
	year, _, _ := strings.Cut(s.Newest, "-")
	return year
}

// summaryText says in one sentence what is held of the country.
func (v coverageView) summaryText() string {
	in := map[string]int{}
	for _, d := range v.held.Departements {
		for name, s := range d.Data {
			if !s.None() {
				in[name]++
			}
		}
	}
	part := func(name, french, english string) string {
		k := v.held.Key(coverage.Data, name)
		if k == nil || k.None() {
			return v.Lang.Pick("aucune "+strings.TrimSuffix(french, "s"), "no "+english)
		}
		return v.Lang.Pick(french+" de ", english+" of ") + v.formatCovered(k.Share) + v.Lang.Pick(" dans ",
			" in ") + v.Lang.Count(in[name], "département", "département")
	}
	return v.Lang.Pick("Chargé sur ce serveur\u00a0: ", "Loaded on this server: ") + part(coverage.Parcels,
		"parcelles", "parcels") + v.Lang.Pick("\u00a0; ", "; ") +
		part(coverage.Addresses, "adresses", "addresses") + v.Lang.Pick("\u00a0; ", "; ") + part(coverage.Sales,
		"ventes", "sales") + "."
}

// formatCovered counts the communes of a share, those apart of which not all is there.
func (v coverageView) formatCovered(s coverage.Share) string {
	whole, part := v.Lang.Count(s.Communes, "commune", "commune"), v.Lang.Count(s.Partly, "commune", "commune")
	switch {
	case s.Partly == 0:
		return whole
	case s.Communes == 0:
		return v.Lang.Pick(part+" en partie", part+" in part")
	}
	return whole + v.Lang.Pick(", et de "+v.Lang.Count(s.Partly, "autre", "")+" en partie,",
		", and part of "+v.Lang.Count(s.Partly, "other", "other")+",")
}

// mapCaption describes a département on the map.
func (v coverageView) mapCaption(name, code string, h heldCount) string {
	french, english := "commune", "commune"
	if v.shown.name == coverage.Report || v.shown.name == coverage.Statistics {
		french, english = "clé", "key"
	}
	return name + " (" + code + ")" + v.Lang.Pick(
		"\u00a0: "+v.Lang.Count(h.n, french, english)+" sur "+v.Lang.Number(h.of),
		": "+v.Lang.Number(h.n)+" of "+v.Lang.Count(h.of, french, english))
}

// legendText is the text of a level of the map.
func (v coverageView) legendText(level int) string {
	keys := v.shown.name == coverage.Report || v.shown.name == coverage.Statistics
	texts := [4][2]string{{"rien", "nothing"}, {"moins de la moitié des communes",
		"less than half of the communes"},
		{"la moitié ou plus", "half or more"}, {"toutes les communes", "all communes"}}
	if keys {
		texts[1], texts[3] = [2]string{"moins de la moitié des clés", "less than half of the keys"},
			[2]string{"toutes les clés", "all keys"}
	}
	return v.Lang.Pick(texts[level][0], texts[level][1])
}

// hasPlaces reports whether parcels, addresses or sales of the département are loaded.
func (v coverageView) hasPlaces() bool {
	for _, s := range subjects[:3] {
		if share := v.of.Data[s.name]; !share.None() {
			return true
		}
	}
	return false
}

// isRoomy reports whether the table leaves a column out on a narrow screen: of the two that count keys, the
// one that the map does not show.
func (v coverageView) isRoomy(subject string) bool {
	if v.shown.name == coverage.Statistics {
		return subject == coverage.Report
	}
	return subject == coverage.Statistics
}

func levelClass(level int) string { return "level-" + strconv.Itoa(level) }

// coverageMembers are those of the document, as the page documents it.
var coverageMembers = web.Members(reflect.TypeFor[coverage.Document]())

// keyTitle names a key for people.
func keyTitle(l web.Lang, k *coverage.Key) string {
	if k.Part == coverage.Statistics {
		return web.StatisticsKeys.NameOf(l, k.Name)
	}
	return web.ReportKeys.NameOf(l, k.Name)
}
