// Package coverage counts which part of each département a server holds: parcels, addresses, sales, every key
// of the report and of the statistics. It is counted once after a load, concurrently with requests, and
// served from memory. A report says the same of one parcel: both read geo.coverage.
package coverage

import (
	"context"
	"math"
	"time"

	"arpent/api/parcel"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/stats"
)

// Document is the machine form. Members are added over time and none is taken away.
type Document struct {
	CountedAt    time.Time     `json:"countedAt" doc:"When it was counted: after the last load."`
	Loading      *Loading      `json:"loading,omitempty" doc:"Only while data are being loaded or prepared: what is counted still changes. It is looked up every few seconds."`
	Communes     int           `json:"communes" doc:"Communes of today in all of France. Shares are of these."`
	Keys         []Key         `json:"keys" doc:"What is counted, in the order of answers: parcels, addresses and sales, the keys of the report, those of the statistics of communes."`
	Departements []Departement `json:"departements" doc:"Every département of today, by code, overseas ones included."`
}

// Loading is what a server that loads data has not finished.
type Loading struct {
	Loads    bool     `json:"loads" doc:"true: a command loads data sets."`
	DataSets int      `json:"dataSets" doc:"Data sets that are loaded so far."`
	Outdated []string `json:"outdated" doc:"Which of addresses, statistics and parcels are answered from the state before the last loads, or not yet: they are being made anew."`
	Of       int      `json:"of" doc:"How many of these there are."`
}

// Key is one thing that is counted, for the whole country.
type Key struct {
	Part  string `json:"part" doc:"data, report or statistics."`
	Group string `json:"group,omitempty" doc:"Group of a key of the report."`
	Name  string `json:"name" doc:"parcels, addresses or sales; else the key as in answers."`
	Share
}

// Share is how many communes of a place are covered.
type Share struct {
	Communes int `json:"communes" doc:"Communes that are covered as a whole. Of statistics: that have a value."`
	Partly   int `json:"partly,omitempty" doc:"Communes in addition to these of which a part is: some arrondissements of a city, some of the parcels. Absent for none."`
	// Of is how many communes there are; those of places where there is no such thing are left out.
	Of     int    `json:"of" doc:"Communes there are, without those of départements where there can be no such thing."`
	Oldest string `json:"oldest,omitempty" doc:"Oldest and newest edition of what covers it: a day, a month or a year, as producers write them; of statistics the years of the values. Absent where the files do not say."`
	Newest string `json:"newest,omitempty" doc:"The newest, as oldest."`
}

// Departement is what is held of a département.
type Departement struct {
	Code       string           `json:"code" doc:"Code of the département."`
	Name       string           `json:"name" doc:"Its name."`
	Communes   int              `json:"communes" doc:"Communes of today in it."`
	Data       map[string]Share `json:"data" doc:"Shares of parcels, addresses and sales, by name."`
	Report     map[string]Share `json:"report" doc:"Shares by key of the report. A key that covers nothing here is absent."`
	Statistics map[string]Share `json:"statistics" doc:"Shares by key of the statistics of communes. A key that no commune here has is absent."`
	Own        []string         `json:"own" doc:"Keys of the statistics of the département itself that have a value."`
}

// The parts of what is counted.
const (
	Data       = "data"
	Report     = "report"
	Statistics = "statistics"
)

// What is counted in addition to keys.
const (
	Parcels   = "parcels"
	Addresses = "addresses"
	Sales     = "sales"
)

// None reports whether nothing is covered.
func (s Share) None() bool { return s.Communes+s.Partly == 0 }

// Whole reports whether every commune is covered.
func (s Share) Whole() bool { return s.Of > 0 && s.Communes == s.Of }

// Applies reports whether there can be such a thing in the place.
func (s Share) Applies() bool { return s.Of > 0 }

// Ratio is the share from 0 to 1, to four digits; a commune that is covered in part counts for nothing.
func (s Share) Ratio() float64 {
	if s.Of == 0 {
		return 0
	}
	return math.Floor(10_000*float64(s.Communes)/float64(s.Of)) / 10_000
}

// Of is the share of a key in a département.
func (d *Departement) Of(k *Key) Share {
	in := map[string]map[string]Share{Data: d.Data, Report: d.Report, Statistics: d.Statistics}[k.Part]
	if s, there := in[k.Name]; there {
		return s
	}
	return Share{Of: d.Communes}
}

// Find returns a département; nil: there is none of that code.
func (d *Document) Find(code string) *Departement {
	for i := range d.Departements {
		if d.Departements[i].Code == code {
			return &d.Departements[i]
		}
	}
	return nil
}

// Key finds what is counted; nil: there is no such thing.
func (d *Document) Key(part, name string) *Key {
	for i := range d.Keys {
		if k := &d.Keys[i]; k.Part == part && k.Name == name {
			return k
		}
	}
	return nil
}

// includeEditions adds an edition to the span of a share.
func (s *Share) includeEditions(oldest, newest string) {
	if oldest != "" && (s.Oldest == "" || oldest < s.Oldest) {
		s.Oldest = oldest
	}
	if newest > s.Newest {
		s.Newest = newest
	}
}

// Catalogue lists the data whose coverage is counted.
type Catalogue struct {
	Parcels    func() []parcel.Edition // those that are served
	Addresses  []string                // layers of house numbers that the search finds
	Report     []report.Key
	Statistics func() *stats.Snapshot         // nil while none are served
	Loading    func(context.Context) *Loading // nil while nothing is being loaded; the function may be nil
}
