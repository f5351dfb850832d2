package parcels

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
)

//go:embed neighbours.sql predecessors.sql
var statements embed.FS

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	layers := []string{source.ParcelLayer}
	return report.Topic{Group: "Cadastre", Files: statements, Queries: []report.Query{
		report.Rows(report.Query{File: "neighbours.sql", Args: report.Args{"limit": 100, "margin": 50}, Weight: 2},
			neighbourValues,
			report.Key{Name: "neighbours", Layers: layers, Value: []Neighbour{}, None: state.NoNeighbour,
				Doc: "Parcels that share a border with the parcel, the longest border first, at most {limit}. Streets and " +
					"water have no parcel. Outlines share what runs along both within 0.1 m; parcels that touch at a corner are " +
					"no neighbours. Null within {margin} m of a commune whose parcels are not all loaded."}),
		report.Rows(report.Query{File: "predecessors.sql", Args: report.Args{"limit": 50}, Weight: 1},
			predecessorValues,
			report.Key{Name: "predecessors", Layers: layers, Value: []Predecessor{}, None: state.NoPredecessor,
				Doc: "Parcels that are gone in whose place the parcel is, the one that covers most of it first, at " +
					"most {limit}: those that overlap it by a twentieth or more of one of the two, so that a small " +
					"part of a large former parcel has that one, too. They are known from the earlier editions of the " +
					"cadastre that were loaded here; null in a commune of which no parcel is known as gone."}),
	}}
}

// Neighbour is a parcel that shares a border with the parcel.
type Neighbour struct {
	report.Counted
	IDU     string  `json:"idu" doc:"Its reference." example:"930100000A0225"`
	BorderM float64 `json:"borderM" doc:"Length of the border that both share, in metres." example:"24.7"`
}

// Predecessor is a parcel that is gone, in whose place the parcel is.
type Predecessor struct {
	report.Counted
	IDU            string   `json:"idu" doc:"Its reference." example:"930100000A0009"`
	LastSeen       *string  `json:"lastSeen" doc:"Edition of the cadastre that had it last, a day; null where the file did not say." example:"2022-01-01"`
	SharePct       *float64 `json:"sharePct" doc:"Share of it that lies on the parcel, in percent." example:"48.2"`
	ParcelSharePct *float64 `json:"parcelSharePct" doc:"Share of the parcel that lies on it, in percent." example:"100"`
}

// predecessorRow is a predecessor, or none, with whether an earlier edition is known, and the oldest.
type predecessorRow struct {
	Predecessor
	Known  bool
	Oldest *string
}

// predecessorValues returns the predecessors, unless no earlier edition is known.
func predecessorValues(rows []predecessorRow) []any {
	list := []Predecessor{}
	var out report.Partial
	for _, r := range rows {
		switch {
		case r.IDU != "":
			list = append(list, r.Predecessor)
		case !r.Known:
			return []any{report.NotCovered{Reason: state.NoEarlierEdition}}
		case r.Oldest != nil:
			out.None = state.NoPredecessor + " Those of its commune are gone since the edition of " + *r.Oldest +
				" or a later one."
		}
	}
	out.Value = list
	return []any{out}
}

// neighbourRow is a neighbour, or none, with whether some may be missing.
type neighbourRow struct {
	Neighbour
	Unseen bool
}

// neighbourValues returns the neighbours, as the known ones where some may be missing.
func neighbourValues(rows []neighbourRow) []any {
	list := []Neighbour{}
	unseen := false
	for _, r := range rows {
		unseen = unseen || r.Unseen
		if r.IDU != "" {
			list = append(list, r.Neighbour)
		}
	}
	if unseen {
		return []any{report.NotCovered{Reason: state.NeighboursNotLoaded, Known: list}}
	}
	return []any{list}
}
