package risks

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// maxCommuneSites is how many of its installations or sites the statistics of a commune list.
const maxCommuneSites = 100

// SiteCounts are the numbers of the installations or sites of a commune.
type SiteCounts struct {
	Total           int  `json:"total" minimum:"0" doc:"Number in the commune: those that the file places in it by its code, else by their position." example:"59"`
	WithoutPosition int  `json:"withoutPosition" minimum:"0" doc:"How many of total are only known to be in the commune: reports of parcels lack them." example:"0"`
	Unassigned      int  `json:"unassigned" minimum:"0" doc:"How many of the file have neither a position nor a commune: some may lie here, and are not in total." example:"368"`
	Shown           int  `json:"shown" minimum:"0" doc:"How many of total are listed."`
	Cut             bool `json:"truncated" doc:"True where there are more than are listed."`
}

// StatsIcpe is the classified installations of a commune.
type StatsIcpe struct {
	stats.Envelope
	SiteCounts
	ByRegime      []SiteCount           `json:"byRegime" doc:"Their number by legal regime, in the words of the producer, the most frequent first."`
	BySeveso      []SiteCount           `json:"bySeveso" doc:"Their number by Seveso status, of those of which the file has it."`
	Installations []CommuneInstallation `json:"installations" doc:"Seveso first, then by regime and name, at most 100."`
	Note          string                `json:"note" doc:"Which installations are in no commune, and which names are left out."`
}

// StatsPollutedSites is the former industrial sites of a commune.
type StatsPollutedSites struct {
	stats.Envelope
	SiteCounts
	ByStatus []SiteCount   `json:"byStatus" doc:"Their number by state, in the words of the producer, the most frequent first."`
	Sites    []CommuneSite `json:"sites" doc:"Those with a name first, by name, at most 100."`
	Note     string        `json:"note" doc:"What such a site is, which names are left out, and whether only a part of the sites is loaded."`
}

// SiteCount counts the installations or sites of a kind.
type SiteCount struct {
	Value *string `json:"value" doc:"Regime, status or state; null where the file has none." example:"Autorisation"`
	Count int     `json:"count" minimum:"1" doc:"Number of them." example:"12"`
}

// CommuneInstallation is a classified installation.
type CommuneInstallation struct {
	ID      string  `json:"id" doc:"AIOT code." example:"0006516611"`
	Name    *string `json:"name" doc:"Name of the establishment; null where the file has none, and where it is, or may be, that of a person."`
	Regime  *string `json:"regime" doc:"Legal regime, in the words of the producer." example:"Autorisation"`
	Seveso  *string `json:"seveso" doc:"Seveso status, in the words of the producer." example:"Non Seveso"`
	Status  *string `json:"status" doc:"State of the activity." example:"En exploitation avec titre"`
	Active  *bool   `json:"active" doc:"Whether it is in operation."`
	Address *string `json:"address" doc:"Address, as the file has it."`
}

// CommuneSite is a former industrial site.
type CommuneSite struct {
	ID            string  `json:"id" doc:"Identifier of the producer." example:"IDF9303349"`
	Register      *string `json:"register" doc:"Register: CASIAS, or ADEME for sites managed by the State." example:"CASIAS"`
	Name          *string `json:"name" doc:"Name of the site; null where the file has none, and where it is, or may be, that of a person." example:"GARAGE BECQUEREL"`
	Activity      *string `json:"activity" doc:"What was done there, in the words of the producer."`
	ActivityCodes *string `json:"activityCodes" doc:"Codes of the activities in the list of the register: NAF of 2003 behind one or two letters, g50.2 is the repair of vehicles." example:"g50.2, g50.5"`
	Status        *string `json:"status" doc:"State of the site, in the words of the producer." example:"Activité terminée"`
	Address       *string `json:"address" doc:"Address, as the file has it." example:"17 Allée BECQUEREL"`
}

// pastActivity is the note on the former industrial sites of a commune.
const pastActivity = "A site indicates a past or present activity, not confirmed pollution. " + namesLeftOut

// namesLeftOut is the note on the names of installations and sites.
const namesLeftOut = "A name that is, or may be, that of a person is left out."

// ademeAlone is what follows it where no load of CASIAS speaks for the commune.
const ademeAlone = " Only the sites that ADEME manages for the State are loaded for this commune: the register CASIAS, which has " +
	"most former sites, is not."

// siteSources are the sources of which a load has to speak for a commune, by layer.
var siteSources = map[string]string{"icpe": "icpe", "polluted_site": "casias"}

// communeSites are the installations or sites of a commune.
type communeSites struct {
	SiteCounts
	from          []*stats.Load
	first, second []SiteCount // by regime and Seveso status, or by state
	installations []CommuneInstallation
	sites         []CommuneSite
}

// siteLists are the installations and sites by layer and commune or arrondissement, and how many of each load
// have no place.
type siteLists struct {
	of         map[string]map[string]*communeSites
	unassigned map[string]int // by part
}

// sitesSlot is the slot of the installations and sites of all communes.
var sitesSlot stats.Slot[siteLists]

//go:embed commune_sites.sql
var selectSites string

// readSites reads the installations and sites of all communes.
func readSites(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	lists := siteLists{of: map[string]map[string]*communeSites{"icpe": {}, "polluted_site": {}}, unassigned: map[string]int{}}
	rows, _ := tx.Query(ctx, selectSites) // the rows have its error too
	var places [2]string                  // commune and arrondissement
	var layer, part, last string
	var hasPosition bool
	var i CommuneInstallation
	var s CommuneSite
	_, err := pgx.ForEachRow(rows, []any{&places[0], &places[1], &layer, &part, &hasPosition, &s.ID, &s.Register, &s.Name, &i.Regime, &i.Seveso,
		&s.Activity, &s.ActivityCodes, &s.Status, &i.Active, &s.Address}, func() error {
		from := d.Loads[part]
		if from == nil || last == layer+s.ID { // on the border of two communes
			return nil
		}
		last = layer + s.ID
		if places[0] == "" {
			if !hasPosition { // else it is abroad, or in the sea
				lists.unassigned[part]++
			}
			return nil
		}
		for _, place := range places {
			if place == "" {
				continue
			}
			of := lists.of[layer][place]
			if of == nil {
				of = &communeSites{}
				lists.of[layer][place] = of
			}
			i.ID, i.Name, i.Status, i.Address = s.ID, s.Name, s.Status, s.Address
			of.addSite(layer, i, s, hasPosition)
			if !slices.Contains(of.from, from) {
				of.from = append(of.from, from)
			}
		}
		return nil
	})
	sitesSlot.Put(d, lists)
	return fault.Wrap("read the sites of communes", err)
}

// addSite counts an installation or site, and lists it while there is room.
func (c *communeSites) addSite(layer string, i CommuneInstallation, s CommuneSite, hasPosition bool) {
	c.Total++
	if !hasPosition {
		c.WithoutPosition++
	}
	if layer == "icpe" {
		c.first = countSite(c.first, i.Regime)
		if i.Seveso != nil {
			c.second = countSite(c.second, i.Seveso)
		}
		if c.Shown < maxCommuneSites {
			c.installations, c.Shown = append(c.installations, i), c.Shown+1
		}
	} else {
		c.first = countSite(c.first, s.Status)
		if c.Shown < maxCommuneSites {
			c.sites, c.Shown = append(c.sites, s), c.Shown+1
		}
	}
	c.Cut = c.Shown < c.Total
}

// countSite adds one to the number of a value.
func countSite(counts []SiteCount, value *string) []SiteCount {
	at := slices.IndexFunc(counts, func(c SiteCount) bool {
		return c.Value == nil && value == nil || c.Value != nil && value != nil && *c.Value == *value
	})
	if at < 0 {
		at, counts = len(counts), append(counts, SiteCount{Value: value})
	}
	counts[at].Count++
	return counts
}

// findSites returns the installations or sites of a commune; nil: no load speaks for it, or the one that does
// names none and has none without a place. Where none does, the sites of ADEME alone are returned.
func findSites(d *stats.Data, t *stats.Territory, layer string) *communeSites {
	lists := sitesSlot.Of(d)
	of, from := lists.of[layer][t.Code], t.FindLoad(d.LoadsOf(siteSources[layer]))
	if from == nil {
		if of == nil || slices.ContainsFunc(of.from, func(l *stats.Load) bool { return l.Source != ademeSource }) {
			return nil
		}
		return of
	}
	out := communeSites{from: []*stats.Load{from}}
	if of != nil {
		out = *of
	}
	if out.Unassigned = lists.unassigned[from.Part]; out.Total+out.Unassigned == 0 {
		return nil
	}
	return &out
}

// sortCounts copies counts, the greatest first.
func sortCounts(counts []SiteCount) []SiteCount {
	out := append([]SiteCount{}, counts...)
	slices.SortStableFunc(out, func(a, b SiteCount) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// describeUnassigned is the note on the installations of a file.
func describeUnassigned(unassigned int) string {
	if unassigned == 0 {
		return namesLeftOut
	}
	return fmt.Sprintf("Of the file, %d have neither a position nor a commune: no commune counts them. ", unassigned) +
		namesLeftOut
}

func communeIcpe(d *stats.Data, t *stats.Territory) *StatsIcpe {
	of := findSites(d, t, "icpe")
	if of == nil {
		return nil
	}
	return &StatsIcpe{stats.EnvelopeOfAll(of.from), of.SiteCounts, sortCounts(of.first), sortCounts(of.second),
		append([]CommuneInstallation{}, of.installations...), describeUnassigned(of.Unassigned)}
}

func communePollutedSites(d *stats.Data, t *stats.Territory) *StatsPollutedSites {
	of := findSites(d, t, "polluted_site")
	if of == nil {
		return nil
	}
	note := pastActivity
	if t.FindLoad(d.LoadsOf("casias")) == nil {
		note += ademeAlone
	}
	return &StatsPollutedSites{stats.EnvelopeOfAll(of.from), of.SiteCounts, sortCounts(of.first),
		append([]CommuneSite{}, of.sites...), note}
}
