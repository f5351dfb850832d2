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

// IsOwn reports whether it is an address of the parcel, not just one that is near.
func (a Address) IsOwn() bool { return a.Label != "" && a.Match != "near" }

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
	Lines  []Line // nil: none of its keys has a value
	Absent int    // keys without a value
}

// Line is one key that has a value here.
type Line struct {
	Key    string // as the API calls it
	Label  string
	Text   string
	Source string // producers
	Year   string
}

// Groups lists the parts of the report that were asked for.
func (r *Report) Groups(l web.Lang) []Group {
	var out []Group
	for _, of := range groupsOf {
		g := Group{Title: l.Pick(of.french, of.english)}
		for _, k := range of.keys {
			switch r.States[k.name].State {
			case state.Value:
				g.Lines = append(g.Lines, r.newLine(l, k))
			case "": // a part of the keys was asked for
			default:
				g.Absent++
			}
		}
		if g.Lines != nil || g.Absent > 0 {
			out = append(out, g)
		}
	}
	return out
}

func (r *Report) newLine(l web.Lang, k key) Line {
	line := Line{Key: k.name, Label: web.ReportKeys.Of(l, k.name), Source: r.producerNames(k.name),
		Year: l.Pick("édition non datée", "undated edition")}
	if v := r.States[k.name].Vintage; v != nil {
		line.Year = l.Vintage(*v)
	}
	if value := r.Values[k.name]; value != nil {
		line.Text = k.format(formatter{l, r.Lists[k.name].Total}, value)
	}
	return line
}

// Absent are the keys without a value for one reason.
type Absent struct {
	Reason string
	Labels []string
}

// Missing lists the keys of the page without a value, by reason.
func (r *Report) Missing(l web.Lang) []Absent {
	labels := map[state.State][]string{}
	for _, of := range groupsOf {
		for _, k := range of.keys {
			s := r.States[k.name].State // empty: a part of the keys was asked for
			labels[s] = append(labels[s], web.ReportKeys.Of(l, k.name)+r.knownText(l, k))
		}
	}
	return GroupAbsent(l, labels)
}

// knownText is what is loaded of a value that is not all loaded, in brackets; empty: nothing is.
func (r *Report) knownText(l web.Lang, k key) string {
	known := r.States[k.name].Known
	if known == nil || string(known.Value) == "null" || string(known.Value) == "[]" {
		return ""
	}
	text, total := l.Pick(" (d’après ce qui est chargé\u00a0: ", " (in what is loaded: "), 0
	if known.AtLeast != nil {
		text, total = text+l.Pick("au moins ", "at least "), *known.AtLeast
	}
	return text + k.format(formatter{l, total}, known.Value) + ")"
}

// NotGiven is the state of a figure that is null inside a key with a value.
const NotGiven state.State = "not_given"

// GroupAbsent orders keys without a value by reason, in the same words on every page.
func GroupAbsent(l web.Lang, labels map[state.State][]string) []Absent {
	var out []Absent
	for _, reason := range reasons {
		if list := labels[reason.state]; list != nil {
			out = append(out, Absent{l.Pick(reason.french, reason.english), list})
		}
	}
	return out
}

func countLabels(list []Absent) (n int) {
	for _, a := range list {
		n += len(a.Labels)
	}
	return n
}

// producerNames returns the producers of the data sets of a key, each once.
func (r *Report) producerNames(key string) string {
	var out []string
	for _, s := range r.Sources {
		if name := web.ListProducers(s.Producer); slices.Contains(s.Keys, key) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return web.UpperFirst(strings.Join(out, ", "))
}

// reasons begin the lists of keys without a value, in the order of the page.
var reasons = []struct {
	state           state.State
	french, english string
}{
	{state.None, "Rien de recensé ici", "Nothing recorded here"},
	{NotGiven, "Chiffre absent des sources pour ce lieu", "Figure that the sources do not give here"},
	{state.NotCovered, "Chargé, mais pas pour ce lieu", "Loaded, but not for this place"},
	{state.NotLoaded, "Non chargé sur ce serveur", "Not loaded on this server"},
	{state.NotApplicable, "Sans objet ici", "Not applicable here"},
	{state.Secret, "Non publié par le producteur (secret statistique)",
		"Withheld by the producer (statistical secrecy)"},
}
