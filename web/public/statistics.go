package public

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"arpent/web"
)

// StatisticsLevel is a kind of territory with the keys of its statistics, for the page on statistics.
type StatisticsLevel struct {
	Level string // "commune", "departement", "region"
	Path  string // of the operation, with a territory: "/communes/75056"
	Keys  []StatisticsKey
}

// StatisticsKey is one key of the statistics.
type StatisticsKey struct {
	Name, Doc, Type string
	Members         []StatisticsMember
	SameAs          string // id of the key above that has the same members; Members is empty then
	Sources         []StatisticsSource
}

// StatisticsMember is a member of a value.
type StatisticsMember struct {
	Name, Type, Doc string
	Depth           int // 0: of the value itself
	Enum            []string
	SameAs          string // the member above that has the same members
}

// StatisticsSource is a data set used by a key. All editions of a data set are one source.
type StatisticsSource struct {
	Names           []string // in the catalogue
	Producer, Title string
}

// knownKey returns the availability of a key; nil if the level has no such key, or nothing is served yet.
func (v view) knownKey(level, key string) (*web.KnownKey, int) {
	for _, l := range v.status.Known {
		if l.Level != level {
			continue
		}
		for i := range l.Keys {
			if l.Keys[i].Name == key {
				return &l.Keys[i], l.Of
			}
		}
	}
	return nil, 0
}

// knownKeys returns the keys of all levels, each once.
func (v view) knownKeys() (names []string) {
	for _, l := range v.status.Known {
		for _, k := range l.Keys {
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	return names
}

// isAnyLoaded reports whether one of the names is a loaded source.
func (v view) isAnyLoaded(names []string) bool {
	return slices.ContainsFunc(v.status.Sources, func(s web.Source) bool {
		return slices.Contains(names, s.Name)
	})
}

// keyLink returns the link to the documentation of a key, at the first level that has it.
func (v view) keyLink(key string) string {
	for _, l := range v.options.Statistics {
		for _, k := range l.Keys {
			if k.Name == key {
				return "/docs/statistics#" + KeyID(l.Level, key)
			}
		}
	}
	return "/docs/statistics"
}

// KeyID returns the id of a key on the page on statistics.
func KeyID(level, key string) string { return level + "-" + key }

// formatYears formats one year, or the oldest and the newest.
func formatYears(from, to int) string {
	switch {
	case to == 0:
		return ""
	case from == 0 || from == to:
		return strconv.Itoa(to)
	default:
		return strconv.Itoa(from) + " – " + strconv.Itoa(to)
	}
}

// formatPeriods formats the periods of a source: up to three are listed; of
// more the oldest, the newest and their number.
func formatPeriods(l web.Lang, all []string) string {
	if len(all) <= 3 {
		return strings.Join(all, ", ")
	}
	return all[0] + " – " + all[len(all)-1] + " (" + l.Count(len(all), "période", "period") + ")"
}

// joinParts joins the parts of a line that are not empty.
func joinParts(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// listSourceParts returns what is said of a source after its producer; a part that it lacks is empty. A
// source without figures of communes does not say zero, because it may apply to all.
func listSourceParts(l web.Lang, s web.Source, now time.Time) []string {
	communes := ""
	if f := s.Figures; f != nil {
		communes = formatShare(l, l.Pick("communes renseignées", "communes with a value"), f.Communes, f.Of)
		if periods := formatPeriods(l, f.Periods); periods != "" {
			communes += ", " + periods
		}
	}
	return []string{licenceText(l, s.Licence), l.Pick("édition\u00a0: ", "edition: ") + l.Vintage(s.Vintage),
		l.Count(s.Rows, "ligne", "row"), communes, l.Pick("chargé le ", "loaded on ") + l.Day(s.LoadedAt),
		s.RhythmIn(l), s.FreshnessIn(l, now)}
}

// licenceText names a licence with its conditions, which are declared in English.
func licenceText(l web.Lang, declared string) string {
	name, conditions, _ := strings.Cut(declared, "; ")
	if french := licenceConditions[conditions]; l == web.French && french != "" {
		return name + "\u00a0; " + french
	}
	return declared
}

var licenceConditions = map[string]string{"no re-identification, no indexing by search engines": "pas de réidentification, " +
	"pas d’indexation par les moteurs de recherche"}

// listKnownParts returns for each level that has the key how many of its territories have a value.
func (v view) listKnownParts(key string) (parts []string) {
	for _, level := range v.status.Known {
		k, of := v.knownKey(level.Level, key)
		if k == nil {
			continue
		}
		part := formatShare(v.Lang, strings.ToLower(web.Levels.NameOf(v.Lang, level.Level)), k.Known, of)
		if years := formatYears(k.From, k.To); years != "" {
			part += ", " + years
		}
		parts = append(parts, part)
	}
	return parts
}

// formatShare formats how many of all there are.
func formatShare(l web.Lang, label string, n, of int) string {
	return label + l.Pick("\u00a0: ", ": ") + l.Number(n) + l.Pick(" sur ", " of ") + l.Number(of)
}

// memberNote returns the possible values of a member, or the link to the description of its members.
func memberNote(m StatisticsMember) string {
	switch {
	case len(m.Enum) > 0:
		return "One of: " + strings.Join(m.Enum, ", ") + "."
	case m.SameAs != "":
		return "Has the members of " + m.SameAs + " above."
	default:
		return ""
	}
}

// memberIndent shows the depth of a member.
func memberIndent(depth int) string { return strings.Repeat("· ", depth) }

// sourceNames returns the names of the editions of a source; of long lists the first and the last.
func sourceNames(s StatisticsSource) string {
	if n := len(s.Names); n > 2 {
		return s.Names[0] + " … " + s.Names[n-1]
	}
	return strings.Join(s.Names, ", ")
}

// one is a territory of a level.
var one = web.Texts{"commune": {"une commune", "a commune"}, "departement": {"un département",
	"a département"}, "region": {"une région", "a région"}}

// formatKnown formats the number of territories that have a key, and its years.
func formatKnown(l web.Lang, k *web.KnownKey, of int) string {
	text := l.Pick(" pour ", " for ") + l.Number(k.Known) + l.Pick(" sur ", " of ") + l.Number(of)
	if span := formatYears(k.From, k.To); span != "" {
		text += ", " + span
	}
	return text
}
