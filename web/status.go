package web

import "time"

// Status is what the server serves now.
type Status struct {
	Demonstration bool
	Communes      int // with an outline
	Parcelles     int
	Sources       []Source
	Layers        []string      // of the report, loaded for any place
	Known         []KnownLevel  // availability of the statistics; empty: none are served yet
	Sheet         *Sheet        // nil: no parcels to draw
	Lookup        time.Duration // median duration of reading one parcel; 0: not measured
}

// Source is a data set that is served.
type Source struct {
	Name                     string // in the catalogue
	Producer, Title, Licence string
	Vintage                  string // date given by the producer; empty: not known
	Rows                     int
	LoadedAt                 time.Time
	Figures                  *Figures // nil: no figures of communes
}

// Figures is the number of communes that a statistics source has values for.
type Figures struct {
	Communes, Of int
	Periods      []string // its periods, oldest first: years, quarters, pairs of years
}

// KnownLevel is the availability of the statistics of a level.
type KnownLevel struct {
	Level string
	Of    int // territories
	Keys  []KnownKey
}

// KnownKey is the number of territories that have a key.
type KnownKey struct {
	Name     string
	Known    int
	From, To int // years; 0: none
}
