package web

import (
	"slices"
	"strconv"
	"strings"
)

// Methods holds the constants and tables of the code that the page on methods prints.
type Methods struct {
	Numbers  MethodNumbers
	Blocs    BlocTable
	Metrics  []Metric
	Offences []OffenceList
	Services []ServiceReach
}

// MethodNumbers holds thresholds and weights.
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

// Decimal formats a number in the reader's format: 0,95 or 0.95.
func (l Lang) Decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	text = strings.Replace(text, "-", "−", 1)
	if l != English {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// Signed formats a number with its sign, except 0.
func (l Lang) Signed(v float64) string {
	if v > 0 {
		return "+" + l.Decimal(v)
	}
	return l.Decimal(v)
}

// Percent formats a share: 95 % or 95%.
func (l Lang) Percent(share float64) string {
	return l.Decimal(float64(int(share*1000+0.5))/10) + l.Pick("\u00a0%", "%")
}

// blocName returns the name of a bloc.
func (l Lang) blocName(bloc string) string {
	switch bloc {
	case "farLeft":
		return l.Pick("extrême gauche", "far left")
	case "left":
		return l.Pick("gauche", "left")
	case "centre":
		return l.Pick("centre", "centre")
	case "right":
		return l.Pick("droite", "right")
	case "farRight":
		return l.Pick("extrême droite", "far right")
	case "":
		return l.Pick("sans place", "no place")
	default:
		return bloc
	}
}

// serviceName returns the name of a service.
func (l Lang) serviceName(service string) string {
	switch service {
	case "hospital":
		return l.Pick("hôpital", "hospital")
	case "school":
		return l.Pick("école, collège ou lycée", "school")
	case "station":
		return l.Pick("gare de voyageurs", "passenger station")
	case "supermarket":
		return l.Pick("supermarché", "supermarket")
	default:
		return service
	}
}

// offenceList returns the editions of a list of labels.
func (l Lang) offenceList(list string) string {
	switch list {
	case "2024":
		return l.Pick("Éditions jusqu’au début de 2025", "Editions until early 2025")
	case "2025":
		return l.Pick("Éditions depuis juillet 2025", "Editions since July 2025")
	default:
		return list
	}
}

// among returns the territories ranked by a metric.
func (l Lang) among(levels []string) string {
	var names []string
	for _, level := range levels {
		names = append(names, strings.ToLower(l.levelName(level)))
	}
	return strings.Join(names, ", ")
}

// translated returns an English sentence of the data files in the language of the page, with the language of the result:
// English where there is no translation.
func (l Lang) translated(english string) (text string, lang Lang) {
	if french := InFrench(english); l == French && french != "" {
		return french, French
	}
	return english, English
}
