package services

import (
	"cmp"
	"context"
	_ "embed"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// StatsSchools is the schools of a commune.
type StatsSchools struct {
	stats.Envelope
	Total    int             `json:"total" minimum:"1" doc:"Number of schools in the commune."`
	ByLevel  []SchoolCount   `json:"byLevel" doc:"Their number by level: lycee, college, ecole."`
	Schools  []SchoolFigures `json:"schools" doc:"Lycées first, then collèges, then écoles, each by name, at most 150 of total. The report of a parcel lists the nearest to it."`
	Shown    int             `json:"shown" minimum:"1" doc:"How many of total are in schools."`
	Cut      bool            `json:"truncated" doc:"True where there are more than are shown: byLevel counts all of them."`
	ListedBy string          `json:"listedBy" enum:"location,commune" doc:"How they are known: location, the directory of schools places them inside the commune; commune, the lists of indices name it."`
	Note     string          `json:"note" doc:"Which schools are not counted, where not every one of the directory of schools is, and that numbers of pupils are not read."`
}

// What the note on a list of schools says.
const (
	indexedOnly = "Only schools with an index of social position are counted, which nursery schools have not."
	noPupils    = "Numbers of pupils are not read from any file."
)

// SchoolCount counts the schools of a level. Where the sector of a school is not known it is in total alone.
type SchoolCount struct {
	Level   string `json:"level" enum:"lycee,college,ecole" doc:"Level: lycee, college or ecole."`
	Total   int    `json:"total" minimum:"1" doc:"Number of schools."`
	Public  int    `json:"public" minimum:"0" doc:"Number of public ones."`
	Private int    `json:"private" minimum:"0" doc:"Number of private ones."`
	// SchoolYear is nil where the directory, which is of no year, is counted.
	SchoolYear *string `json:"schoolYear" doc:"School year of the list that is counted; null for the directory of schools, which has those that are open." example:"2022-2023"`
}

// maxCommuneSchools is how many of its schools the statistics of a commune list.
const maxCommuneSchools = 150

// communeSchools is the schools of a commune from one of the two lists.
type communeSchools struct {
	StatsSchools
	counted, from []*stats.Load // those that have the schools, and all that their figures are from
}

// schoolLists are the schools of all communes by both lists.
type schoolLists struct {
	// by the commune or arrondissement that they lie in, and that their list names
	placed, named map[string]*communeSchools
	directory     []*stats.Load
}

var schoolsSlot stats.Slot[schoolLists]

//go:embed commune_schools.sql
var selectSchools string

func readSchools(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	lists := schoolLists{placed: map[string]*communeSchools{}, named: map[string]*communeSchools{},
		directory: d.LoadsOf("schools")}
	rows, _ := tx.Query(ctx, selectSchools) // the rows have its error too
	var places [2]string                    // commune and arrondissement
	var listed bool
	var parts [3]string
	var s SchoolFigures
	_, err := pgx.ForEachRow(rows, []any{&places[0], &places[1], &listed, &parts[0], &parts[1], &parts[2], &s.UAI, &s.Name,
		&s.Level, &s.Sector, &s.SuccessRatePct, &s.Session, &s.IPS, &s.IPSSchoolYear}, func() error {
		if d.Loads[parts[0]] == nil {
			return nil
		}
		all := lists.named
		if listed {
			all = lists.placed
		}
		for _, place := range places {
			if place == "" {
				continue
			}
			if all[place] == nil {
				all[place] = &communeSchools{}
			}
			all[place].addSchool(s, listed)
			all[place].counted = addLoad(all[place].counted, d.Loads[parts[0]])
			for _, part := range parts {
				all[place].from = addLoad(all[place].from, d.Loads[part])
			}
		}
		return nil
	})
	schoolsSlot.Put(d, lists)
	return fault.Wrap("read the schools of communes", err)
}

// addLoad appends a load to others that do not have it; nil adds none.
func addLoad(loads []*stats.Load, one *stats.Load) []*stats.Load {
	if one == nil || slices.Contains(loads, one) {
		return loads
	}
	return append(loads, one)
}

// addSchool counts a school, placed by the directory or named by a list of indices, and lists it while there
// is room. Schools come by level.
func (c *communeSchools) addSchool(s SchoolFigures, placed bool) {
	c.Total++
	if n := len(c.ByLevel); n == 0 || c.ByLevel[n-1].Level != s.Level {
		c.ByLevel = append(c.ByLevel, SchoolCount{Level: s.Level})
	}
	count := &c.ByLevel[len(c.ByLevel)-1]
	count.Total++
	if !placed && (count.SchoolYear == nil || s.IPSSchoolYear != nil && *s.IPSSchoolYear > *count.SchoolYear) {
		count.SchoolYear = s.IPSSchoolYear
	}
	switch {
	case s.Sector == nil:
	case *s.Sector == "public":
		count.Public++
	case *s.Sector == "private":
		count.Private++
	}
	if len(c.Schools) < maxCommuneSchools {
		c.Schools = append(c.Schools, s)
	}
}

// listSchools returns the schools of a commune: those of the directory where it speaks for the commune.
func listSchools(d *stats.Data, t *stats.Territory) *StatsSchools {
	lists := schoolsSlot.Of(d)
	all, by := lists.named, "commune"
	if t.FindLoad(lists.directory) != nil {
		all, by = lists.placed, "location"
	}
	of := all[t.Code]
	if of == nil {
		return nil
	}
	out := of.StatsSchools
	out.Shown, out.Cut = len(out.Schools), len(out.Schools) < out.Total
	out.Envelope, out.ListedBy, out.Note = stats.EnvelopeOfAll(of.from), by, noPupils
	out.Year = stats.EnvelopeOfAll(of.counted).Year // results of examinations have their own session
	if by == "commune" {
		out.Note = indexedOnly + " " + noPupils
	}
	return &out
}

// pointToFacilities says where schools are counted that have no index.
func pointToFacilities(d *stats.Data, t *stats.Territory) string {
	if t.FindLoad(schoolsSlot.Of(d).directory) != nil {
		return ""
	}
	return indexedOnly + " equipements.selected counts primary and other schools with and without one."
}

// NearestStation is the passenger station of a commune that is nearest to its middle; where none lies in it,
// the nearest of all.
type NearestStation struct {
	stats.Envelope
	Name         *string `json:"name" doc:"Name of the station." example:"Bondy"`
	UIC          string  `json:"uic" doc:"UIC code, the first where it has several." example:"87113712"`
	DistanceM    int     `json:"distanceM" minimum:"0" doc:"Great-circle distance from a point in the middle of the commune, in metres." example:"690"`
	MeasuredFrom string  `json:"measuredFrom" enum:"centre" doc:"Always centre: a point in the middle of the commune, not a parcel."`
	// InCommune is empty where no station of the list lies in the commune.
	InCommune []CommuneStation `json:"inCommune" doc:"All stations of the list that lie in the commune, the nearest to its middle first."`
	Note      string           `json:"note" doc:"Which stops are no stations of the list, and a station of another commune that is nearer."`
}

// CommuneStation is a passenger station in a commune.
type CommuneStation struct {
	Name      *string `json:"name" doc:"Name of the station." example:"Bondy"`
	UIC       string  `json:"uic" doc:"UIC code, the first where it has several." example:"87113712"`
	DistanceM int     `json:"distanceM" minimum:"0" doc:"Great-circle distance from a point in the middle of the commune, in metres." example:"690"`
}

// railOnly is the note on the stations of a commune.
const railOnly = "Passenger stations of SNCF: RER stations of RATP and stops of metro, tram and bus " +
	"are not in the list."

// nearestStation returns the station of namedServices, and those that lie in the commune.
func nearestStation(d *stats.Data, t *stats.Territory) *NearestStation {
	of := nearestSlot.Of(d)[t.Code]
	n, ok := of.found["station"]
	if !ok {
		return nil
	}
	out := NearestStation{Envelope: n.from.DatedEnvelope(), Name: n.name, UIC: n.id, DistanceM: toMetres(n.km),
		MeasuredFrom: "centre", InCommune: []CommuneStation{}, Note: railOnly + n.nearer}
	for _, s := range of.stations {
		out.InCommune = append(out.InCommune,
			CommuneStation{s.name, s.id, toMetres(greatCircle(*t.Lat, *t.Lon, s.lat, s.lon))})
	}
	slices.SortFunc(out.InCommune, func(a, b CommuneStation) int {
		return cmp.Or(cmp.Compare(a.DistanceM, b.DistanceM), cmp.Compare(a.UIC, b.UIC))
	})
	return &out
}

// toMetres rounds kilometres to whole metres.
func toMetres(km float64) int { return int(km*1000 + 0.5) }
