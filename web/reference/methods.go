package reference

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"arpent/web"
)

// MethodValues are the constants and tables of the code that the page on methods prints.
type MethodValues struct {
	Numbers  MethodNumbers
	Blocs    BlocTable
	Metrics  []Metric
	Offences []OffenceList
	Services []ServiceReach
}

// MethodNumbers are thresholds and weights.
type MethodNumbers struct {
	MinCoverage               float64 // share of the inhabitants required for a sum
	PresidentialYears         int
	MunicipalYears            int
	ReferencePeriod           string
	StationReachKm            int
	MinDecadeYears            int
	MinConsultations          float64
	NitratesMgL, LeadUgL      float64
	PesticidesUgL             float64
	MinBlocCoverage           float64 // required share of votes with a place on the scale
	MinExpressed              int
	WaveDirection, MinPanel   float64
	Presidential, Legislative float64 // weights in politicalScore
	European                  float64
	Left, CentreLeft, Centre  float64 // upper bound of each label
	CentreRight               float64 // upper bound of centre-right, above Centre
}

// BlocTable is the table of blocs that votes are counted in.
type BlocTable struct {
	Version, Method string
	Notes           []string
	Blocs           []BlocPlace
	Nuances         []BlocOf
	Candidates      []BlocOf // by year
}

// BlocPlace is a place on the scale.
type BlocPlace struct {
	Bloc     string
	Position float64
}

// BlocOf is the bloc of a nuance or a candidate.
type BlocOf struct {
	Year        int    // 0: a nuance
	Name, Label string // code and meaning; candidate and party
	Bloc        string // empty: none
	Why         string // reason of a debatable choice
}

// Metric is a metric of the rankings.
type Metric struct {
	Name, Doc string
	Ascending bool
	Levels    []string
}

// OffenceList is the summed kinds of offences under the names of one list of labels.
type OffenceList struct {
	List   string // "2024", "2025"
	Labels []string
}

// ServiceReach is the search radius of a service.
type ServiceReach struct {
	Service string
	MaxKm   float64
}

// methodsView is the data of the page.
type methodsView struct {
	web.Frame
	MethodValues
}

// MethodsPage renders the page on how the computed figures are computed. Its numbers and tables are those of
// the code.
func MethodsPage(f web.Frame, values MethodValues) templ.Component {
	return methodsPage(methodsView{f, values})
}

// candidateYears returns the years of the candidates, oldest first.
func (t BlocTable) candidateYears() (years []int) {
	for _, c := range t.Candidates {
		if !slices.Contains(years, c.Year) {
			years = append(years, c.Year)
		}
	}
	slices.Sort(years)
	return years
}

func (t BlocTable) candidatesOf(year int) (out []BlocOf) {
	for _, c := range t.Candidates {
		if c.Year == year {
			out = append(out, c)
		}
	}
	return out
}

// names are the names of blocs, services and lists of labels.
var names = web.Texts{
	"farLeft":     {"extrême gauche", "far left"},
	"left":        {"gauche", "left"},
	"centre":      {"centre", "centre"},
	"right":       {"droite", "right"},
	"farRight":    {"extrême droite", "far right"},
	"":            {"sans place", "no place"},
	"hospital":    {"hôpital", "hospital"},
	"school":      {"école, collège ou lycée", "school"},
	"station":     {"gare de voyageurs", "passenger station"},
	"supermarket": {"supermarché", "supermarket"},
	"2024":        {"Éditions jusqu’au début de 2025", "Editions until early 2025"},
	"2025":        {"Éditions depuis juillet 2025", "Editions since July 2025"},
}

// levelNames returns the territories ranked by a metric.
func levelNames(l web.Lang, levels []string) string {
	var all []string
	for _, level := range levels {
		all = append(all, strings.ToLower(web.Levels.NameOf(l, level)))
	}
	return strings.Join(all, ", ")
}

// inLanguage returns an English sentence of the data files in the language of the page, with the language of
// the result: English where there is no translation.
func inLanguage(l web.Lang, english string) (text string, lang web.Lang) {
	if french := InFrench(english); l == web.French && french != "" {
		return french, web.French
	}
	return english, web.English
}
