package elections

import (
	_ "embed"
	"encoding/json"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// BlocTable is the published convention behind politicalScore and the waves: the bloc of each nuance
// and candidate, the reason, and the limits.
type BlocTable struct {
	Version      string             `json:"version"`
	Method       string             `json:"method"`
	Notes        []string           `json:"notes"`
	MinCoverage  float64            `json:"minCoverage"`  // required share of votes with a place on the scale
	MinExpressed int                `json:"minExpressed"` // votes below which there is no score
	Weights      map[string]float64 `json:"weights"`      // weight of each kind of election in politicalScore
	// upper bounds of "left", "centre-left" and "centre"; lower bound of "right" under "centre-right"
	Labels        map[string]float64 `json:"labels"`
	WaveDirection float64            `json:"waveDirection"` // trend from which a wave has a direction
	MinPanel      float64            `json:"minPanelShare"` // required share of inhabitants in the panel
	Blocs         []Bloc             `json:"blocs"`
	Nuances       []NuanceBloc       `json:"nuances"`
	Candidates    []CandidateBloc    `json:"candidates"`

	positions  map[string]float64
	nuances    map[string]*NuanceBloc
	candidates map[candidateKey]*CandidateBloc
}

// Bloc is one of the places on the scale.
type Bloc struct {
	Bloc     string  `json:"bloc"`
	Position float64 `json:"position"`
}

// NuanceBloc is the bloc of a nuance; none if Bloc is nil. Why explains debatable choices.
type NuanceBloc struct {
	Code  string  `json:"code"`
	Label string  `json:"label"`
	Bloc  *string `json:"bloc"`
	Why   string  `json:"why"`
}

// CandidateBloc is the bloc of a presidential candidate.
type CandidateBloc struct {
	Year    int     `json:"year"`
	Surname string  `json:"surname"`
	Given   string  `json:"given"`
	Party   string  `json:"party"`
	Bloc    *string `json:"bloc"`
	Why     string  `json:"why"`
}

type candidateKey struct {
	year    int
	surname string // folded
}

//go:embed blocs.json
var blocsFile []byte

var blocTable = mustBlocs(blocsFile)

// Blocs returns the current table.
func Blocs() *BlocTable { return blocTable }

func mustBlocs(file []byte) *BlocTable {
	t := &BlocTable{positions: map[string]float64{}, nuances: map[string]*NuanceBloc{},
		candidates: map[candidateKey]*CandidateBloc{}}
	if err := json.Unmarshal(file, t); err != nil {
		panic(err) // the file is part of the program
	}
	for _, b := range t.Blocs {
		t.positions[b.Bloc] = b.Position
	}
	for i := range t.Nuances {
		t.nuances[t.Nuances[i].Code] = &t.Nuances[i]
	}
	for i := range t.Candidates {
		c := &t.Candidates[i]
		t.candidates[candidateKey{c.Year, foldName(c.Surname)}] = c
	}
	return t
}

// findNuance finds a ministry code, with or without its prefix for
// lists and pairs; nil if it is not in the table.
func (t *BlocTable) findNuance(code string) *NuanceBloc {
	code = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(code)), "BC-")
	if n := t.nuances[code]; n != nil {
		return n
	}
	return t.nuances[strings.TrimPrefix(code, "L")]
}

// foldName returns a name in capitals without accents, its words separated by single blanks.
func foldName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(unicode.ToUpper(r))
		case !unicode.Is(unicode.Mn, r):
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
