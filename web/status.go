package web

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Status is what the server serves now.
type Status struct {
	Edition   int // changes whenever the data that pages show do
	Communes  int // with an outline
	Parcelles int
	Sources   []Source
	Layers    []string     // of the report, loaded for any place
	Places    Places       // what is loaded for a part of the country
	Known     []KnownLevel // availability of the statistics; empty: none are served yet
	Sheet     *Sheet       // nil: no parcels to draw
}

// Places are the codes of the communes, arrondissements and départements that something is loaded for,
// sorted; the code ” stands for all of France.
type Places struct{ Parcels, Addresses, Sales []string }

// Source is a data set that is served.
type Source struct {
	Name                     string // in the catalogue
	Producer, Title, Licence string
	Homepage                 string // page of the producer; empty: none is declared
	Vintage                  string // date given by the producer; empty: not known
	Rows                     int
	LoadedAt                 time.Time
	CheckedAt                time.Time // when its producer was last asked; zero: not by this server
	// how often it is renewed: "yearly", "half-yearly", "quarterly", "monthly", "weekly", "daily",
	// "irregularly", "once"; empty: not known
	Rhythm  string
	DueAt   time.Time // when its producer should be asked again; zero: nothing says
	Problem bool      // the newest edition could not be loaded
	Figures *Figures  // nil: no figures of communes
}

// ListProducers writes the producers of a data set as a sentence lists them: declarations part them by
// semicolons.
func ListProducers(declared string) string { return strings.ReplaceAll(declared, "; ", ", ") }

// UpperFirst returns a text as it begins a line.
func UpperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Late reports whether what is served may not be the newest edition.
func (s Source) Late(now time.Time) bool {
	return s.Problem || !s.DueAt.IsZero() && now.After(s.DueAt)
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
