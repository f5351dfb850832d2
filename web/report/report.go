// Package report shows the report of a parcel as a person reads it: in groups, each figure with its source
// and its year, and what is none here apart from what is not loaded here. It reads the answer of the API and
// nothing else, so that a page shows what a caller gets.
package report

import (
	"encoding/json"
	"slices"
	"strings"

	"arpent/internal/fault"
	"arpent/internal/opendata/state"
	"arpent/web"
)

// Report is the report of a parcel, as the API answers it.
type Report struct {
	IDU     string                     `json:"idu"`
	Values  map[string]json.RawMessage `json:"enrichments"`
	Lists   map[string]listLength      `json:"lists"`
	States  map[string]state.KeyState  `json:"states"`
	Sources []loadedSource             `json:"sources"`
}

type listLength struct {
	Total int `json:"total"`
}

type loadedSource struct {
	Producer string   `json:"producer"`
	Keys     []string `json:"keys"`
}

// Read reads the body of an answer.
func Read(body []byte) (*Report, error) {
	r := &Report{}
	err := json.Unmarshal(body, r)
	return r, fault.Wrap("read the report", err)
}

// Known is how many keys of the report have a value, of how many.
func (r *Report) Known() (known, of int) {
	for _, s := range r.States {
		if s.State == state.Value {
			known++
		}
	}
	return known, len(r.States)
}

// Shown is how many of the lines that a person reads have a value, and in how
// many groups: the more, the better an example.
func (r *Report) Shown() (lines, groups int) {
	for _, g := range groupsOf {
		n := 0
		for _, k := range g.keys {
			if r.States[k.name].State == state.Value {
				n++
			}
		}
		lines, groups = lines+n, groups+min(n, 1)
	}
	return lines, groups
}

// Address is the best address of a parcel; without a label none is known.
type Address struct {
	Label     string
	Match     string // how it was matched with the parcel, as the API says
	DistanceM int
}

// IsOwn reports whether it is an address of the parcel, not just the nearest one.
func (a Address) IsOwn() bool { return a.Label != "" && a.Match != "nearest" }

// Address returns the best address of the parcel.
func (r *Report) Address() (a Address) {
	if json.Unmarshal(r.Values["address"], &a) != nil {
		return Address{}
	}
	return a
}

// Group is a part of the report.
type Group struct {
	Title  string
	Lines  []Line
	Absent []Absent
}

// Line is one key that was looked for here.
type Line struct {
	Key    string // as the API calls it
	Label  string
	Text   string
	None   bool   // there is none here
	Source string // producers
	Year   string
}

// Absent are the keys of a group for which there is nothing to read, by reason.
type Absent struct {
	Reason string
	Labels []string
}

// Groups lists the parts of the report with what is known first.
func (r *Report) Groups(l web.Lang) []Group {
	var out []Group
	for _, of := range groupsOf {
		g := Group{Title: l.Pick(of.french, of.english)}
		absent := map[state.State][]string{}
		for _, k := range of.keys {
			label := web.ReportKeys.Of(l, k.name)
			switch s := r.States[k.name]; s.State {
			case state.Value:
				g.Lines = append(g.Lines, r.newLine(l, k, label))
			case state.None:
				line := r.newLine(l, k, label)
				line.None, line.Text = true, l.Pick(noneHere.InFrench, noneHere.Text)
				g.Lines = append(g.Lines, line)
			case "": // a part of the keys was asked for
			default:
				absent[s.State] = append(absent[s.State], label)
			}
		}
		for _, reason := range reasons {
			if labels := absent[reason.state]; labels != nil {
				g.Absent = append(g.Absent, Absent{l.Pick(reason.french, reason.english), labels})
			}
		}
		slices.SortStableFunc(g.Lines, func(a, b Line) int { return lineRank(a) - lineRank(b) })
		if g.Lines != nil || g.Absent != nil {
			out = append(out, g)
		}
	}
	return out
}

func lineRank(l Line) int {
	if l.None {
		return 1
	}
	return 0
}

func (r *Report) newLine(l web.Lang, k key, label string) Line {
	line := Line{Key: k.name, Label: label, Source: r.producerNames(k.name), Year: l.Pick("édition non datée", "undated edition")}
	if v := r.States[k.name].Vintage; v != nil {
		line.Year = l.Vintage(*v)
	}
	if value := r.Values[k.name]; value != nil {
		line.Text = k.format(formatter{l, r.Lists[k.name].Total}, value)
	}
	return line
}

// producerNames are those of the data sets that a key was looked for in, each once.
func (r *Report) producerNames(key string) string {
	var out []string
	for _, s := range r.Sources {
		if slices.Contains(s.Keys, key) && !slices.Contains(out, s.Producer) {
			out = append(out, s.Producer)
		}
	}
	return strings.Join(out, ", ")
}

// noneHere is how the API itself explains that there is none.
var noneHere = state.Meanings[slices.IndexFunc(state.Meanings, func(m state.Meaning) bool { return m.State == state.None })]

// reasons begin the lists of keys without a value, in the order of the page.
var reasons = []struct {
	state           state.State
	french, english string
}{
	{state.NotCovered, "Chargé, mais pas pour ce lieu", "Loaded, but not for this place"},
	{state.NotLoaded, "Pas chargé sur ce serveur", "Not loaded on this server"},
	{state.NotApplicable, "Sans objet ici", "Not applicable here"},
	{state.Secret, "Gardé secret par le producteur", "Kept secret by the producer"},
}
