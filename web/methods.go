package web

import (
	"slices"
	"strconv"
	"strings"
)

// Methods is what the page on methods prints of the code and of the files that figures are computed with.
type Methods struct {
	Numbers  MethodNumbers
	Blocs    BlocTable
	Metrics  []Metric
	Offences []OffenceList
	Services []ServiceReach
}

// MethodNumbers are thresholds.
type MethodNumbers struct {
	MinCoverage               float64 // share of the inhabitants that a sum needs
	PresidentialYears         int
	MunicipalYears            int
	ReferencePeriod           string
	StationReachKm            int
	MinDecadeYears            int
	MinConsultations          float64
	NitratesMgL, LeadUgL      float64
	PesticidesUgL             float64
	MinBlocCoverage           float64 // share of the votes that need a place on the scale
	MinExpressed              int
	WaveDirection, MinPanel   float64
	Presidential, Legislative float64 // weights in politicalScore
	European                  float64
	Left, CentreLeft, Centre  float64 // greatest value of each label
	CentreRight               float64 // below it, above Centre
}

// BlocTable says where votes are counted.
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

// BlocOf is where a nuance or a candidate is counted.
type BlocOf struct {
	Year        int    // 0: a nuance
	Name, Label string // code and what it stands for; candidate and party
	Bloc        string // empty: nowhere
	Why         string // of debatable choices
}

// Metric is something that territories are ranked by.
type Metric struct {
	Name, Doc string
	Ascending bool
	Levels    []string
}

// OffenceList is the kinds of offences that are added up, as one list of labels calls them.
type OffenceList struct {
	List   string // "2024", "2025"
	Labels []string
}

// ServiceReach says how far a service is looked for.
type ServiceReach struct {
	Service string
	MostKm  float64
}

// candidateYears lists the years of the candidates, oldest first.
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

// Decimal writes a number in the reader's format: 0,95 or 0.95.
func (l Lang) Decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	text = strings.Replace(text, "-", "−", 1)
	if l != English {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// Signed writes a number with its sign, but for 0.
func (l Lang) Signed(v float64) string {
	if v > 0 {
		return "+" + l.Decimal(v)
	}
	return l.Decimal(v)
}

// Percent writes a share: 95 % or 95%.
func (l Lang) Percent(share float64) string {
	return l.Decimal(float64(int(share*1000+0.5))/10) + l.Pick("\u00a0%", "%")
}

// blocName is what a bloc is called.
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

// serviceName is what a service is called.
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

// offenceList says which editions a list of labels is of.
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

// among says which territories are ranked by a metric.
func (l Lang) among(levels []string) string {
	var names []string
	for _, level := range levels {
		names = append(names, strings.ToLower(l.levelName(level)))
	}
	return strings.Join(names, ", ")
}

// told gives a sentence of the data files, which are written in English, in the language of the page. Where there is no
// translation it stays English, and the page marks it so.
func (l Lang) told(english string) (text string, lang Lang) {
	if french := InFrench(english); l == French && french != "" {
		return french, French
	}
	return english, English
}
