package services

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// NamedServices holds the nearest of the most requested services, from
// the middle of a commune as the crow flies.
type NamedServices struct {
	stats.Envelope
	Hospital    *NearHospital    `json:"hospital" doc:"Nearest hospital within 100 km (general and regional hospitals by their category (FINESS 101, 355) and name, without their outposts: day hospitals, dental, psychiatric and geriatric units. Local and psychiatric hospitals and private clinics are none. Where INSEE's inventory of facilities is loaded, only those with an emergency department within 500 m; else whether there is one is not known). Where only an extract is loaded, the nearest in it."`
	School      *NearSchool      `json:"school" doc:"Nearest school of any level within 50 km."`
	Station     *NearStation     `json:"station" doc:"Passenger station of the commune, of several the nearest; where none lies in it, the nearest within 50 km."`
	Supermarket *NearSupermarket `json:"supermarket" doc:"Nearest supermarket within 50 km."`
	NotCovered  []string         `json:"notCovered,omitempty" doc:"Services that no loaded list has for this commune: their null does not mean that there is none. In Corsica always the station, for the list is that of the national operator, which runs no trains there."`
	// WhyNull is also the reason of the state of a part that a call names.
	WhyNull map[string]string `json:"whyNull,omitempty" doc:"Of each service that is null: whether no loaded list has this commune, or which distance was searched."`
}

// NearPlace is the location of a service.
type NearPlace struct {
	Name        *string `json:"name" doc:"Name, where the source has it."`
	CommuneCode *string `json:"communeCode" doc:"Code of its commune." example:"93010"`
	DistanceKm  float64 `json:"distanceKm" minimum:"0" doc:"Great-circle distance from a point in the middle of the commune, in kilometres." example:"3.4"`
	Year        *int    `json:"year" doc:"Year of the list that has it; null where the list has none." example:"2014"`
	Lat         float64 `json:"lat" doc:"Latitude, in degrees." example:"48.9"`
	Lon         float64 `json:"lon" doc:"Longitude, in degrees." example:"2.48"`
	Source      string  `json:"source" doc:"Producer and title of the data set."`
	Note        string  `json:"note,omitempty" doc:"Only where another one is nearer, or may be: of another commune than the station, or in a département without a list; and what a list of stations lacks, where none lies in the commune."`
}

// NearHospital is a hospital.
type NearHospital struct{ NearPlace }

// NearSchool is a school.
type NearSchool struct {
	NearPlace
	Type *string `json:"type" enum:"ecole,college,lycee" doc:"Level: ecole, college or lycee."`
}

// NearStation is a passenger station.
type NearStation struct {
	NearPlace
	HighSpeed *bool `json:"highSpeed" doc:"Whether high-speed trains stop there; null where no list of such stations is loaded."`
}

// NearSupermarket is a supermarket.
type NearSupermarket struct {
	NearPlace
	Brand *string `json:"brand" doc:"Brand: null, for the inventory of facilities has none."`
}

// stationLayer is the layer of passenger stations.
const stationLayer = "railway_station"

// layersOfServices lists for each service its layers, the preferred one first, and the search
// radius. Layers and radii are those of the report. Stations are those of the national
// operator: the ones of Corsica are not listed.
var layersOfServices = []struct {
	service string
	maxKm   float64
	layers  []string
	without []string // départements that the lists do not have, although they are of all of France
	types   string   // member of equipementTypes with the number of them in the commune
}{
	{"hospital", 100, []string{"hospital", "hospital_extract"}, nil, "health"},
	{"school", 50, []string{"school"}, nil, "education"},
	{"station", 50, []string{stationLayer}, []string{"2A", "2B"}, "transport"},
	{"supermarket", 50, []string{"facility"}, nil, "shops"},
}

// The reasons of a service that is null.
const (
	notListed  = "No list of them that is loaded has this commune: whether one is near is not known."
	noneWithin = "Of those that are loaded none lies within %g km of the middle of the commune."
	mayBeNear  = "The nearest of those that are loaded. No list of département %s is, whose communes are about as " +
		"near: one there may be nearer."
	schoolsHas = " schools has those of the commune."
	typesOf    = " equipementTypes.%s has the number of facilities in the commune by type."
)

// Services holds the nearest place of each service, by its name.
type Services struct {
	found            map[string]nearestSite
	unknown          []string // those that no list has for the commune
	hasHighSpeedList bool     // a list of stations with high-speed trains is loaded
	stations         []*site  // that lie in the commune
}

type nearestSite struct {
	*site
	km     float64
	beyond string // a département without a list, in which one may be nearer; empty: none
	nearer string // what is said of a station of another commune that is nearer; empty: none is
}

// site is a candidate for the nearest place.
type site struct {
	layer, id  string
	from       *stats.Load
	name, kind *string
	lat, lon   float64
	commune    *string
}

//go:embed places.sql
var selectSites string

const (
	selectCovered = `
SELECT DISTINCT c.layer, c.area FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id
WHERE l.active AND c.layer = ANY ($1)`
	// Outlines are only looked up for the places that are the nearest of some commune: at most four for
	// each. In the other order, the communes by code until one matches, the planner would read all of them
	// for each place. Index: commune_contour_geom.
	selectCommunesOf = `
SELECT p.n::int, min(c.code) FROM (
	SELECT n, ST_SetSRID(ST_MakePoint(lon, lat), 4326) AS point FROM unnest($1::float8[], $2::float8[]) WITH ORDINALITY AS u(lat, lon, n)) p
JOIN geo.commune_contour c ON ST_Intersects(c.geom, p.point) GROUP BY p.n`
)

// coverageSet is the set of areas that a layer covers.
type coverageSet map[[2]string]bool

func (c coverageSet) hasLayer(layer string, t *stats.Territory) bool {
	return c[[2]string{layer, ""}] || c[[2]string{layer, t.Code}] || t.Parent != nil &&
		c[[2]string{layer, t.Parent.Code}]
}

var nearestSlot stats.Slot[map[string]Services]

func readServices(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	if err := readNearest(ctx, tx, d); err != nil {
		return err
	}
	if err := readSchools(ctx, tx, d); err != nil {
		return err
	}
	return readFacilityTypes(ctx, tx, d)
}

// readNearest finds the nearest services of each commune.
func readNearest(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	grids, err := readGrids(ctx, tx, d)
	if err != nil {
		return err
	}
	layers := []string{"high_speed_station"}
	for _, s := range layersOfServices {
		layers = append(layers, s.layers...)
	}
	speaks := coverageSet{}
	rows, _ := tx.Query(ctx, selectCovered, layers) // the rows have its error too
	var at [2]string
	if _, err := pgx.ForEachRow(rows, []any{&at[0], &at[1]},
		func() error { speaks[at] = true; return nil }); err != nil {
		return fmt.Errorf("read what layers cover: %w", err)
	}
	var chosen []*site
	all := map[string]Services{}
	unlisted := gridsWithoutList(d, speaks)
	for _, t := range d.Communes {
		of := findNearestServices(t, grids, unlisted, speaks)
		if of.found == nil {
			continue
		}
		all[t.Code] = of
		for _, n := range of.found {
			chosen = append(chosen, n.site)
		}
	}
	nearestSlot.Put(d, all)
	var stations []*site
	if grid := grids[stationLayer]; grid != nil {
		for _, cell := range grid.cells {
			stations = append(stations, cell...)
		}
	}
	if err := setCommunes(ctx, tx, append(chosen, stations...)); err != nil {
		return err
	}
	for _, s := range stations {
		if s.commune != nil {
			of := all[*s.commune]
			of.stations = append(of.stations, s)
			all[*s.commune] = of
		}
	}
	for _, t := range d.Communes { // a station of its own comes before a nearer one of another commune
		of := all[t.Code]
		if _, ok := of.found["station"]; !ok || len(of.stations) == 0 {
			continue
		}
		nearest, own := of.found["station"], nearestSite{km: math.Inf(1)}
		for _, s := range of.stations {
			if km := greatCircle(*t.Lat, *t.Lon, s.lat, s.lon); km < own.km {
				own = nearestSite{site: s, km: km}
			}
		}
		if nearest.km < own.km && nearest.name != nil {
			own.nearer = fmt.Sprintf(" %s, in another commune, is nearer to the middle: %.1f km.",
				*nearest.name, nearest.km)
		}
		of.found["station"] = own
	}
	return nil
}

// readGrids reads the places of each layer.
func readGrids(ctx context.Context, tx pgx.Tx, d *stats.Data) (map[string]*grid, error) {
	rows, _ := tx.Query(ctx, selectSites) // the rows have its error too
	of := map[string][]*site{}
	var s site
	var part string
	_, err := pgx.ForEachRow(rows, []any{&s.layer, &part, &s.id, &s.name, &s.kind, &s.lat, &s.lon},
		func() error {
			one := s
			if one.from = d.Loads[part]; one.from != nil {
				of[s.layer] = append(of[s.layer], &one)
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read the services: %w", err)
	}
	grids := map[string]*grid{}
	for layer, places := range of {
		grids[layer] = newGrid(places)
	}
	return grids, nil
}

// gridsWithoutList returns, by layer, the communes that no list of the layer has, where it has others: each as
// the middle of the commune with the code of its département.
func gridsWithoutList(d *stats.Data, speaks coverageSet) map[string]*grid {
	grids := map[string]*grid{}
	for _, s := range layersOfServices {
		for _, layer := range s.layers {
			if speaks[[2]string{layer, ""}] {
				continue
			}
			var places []*site
			for _, t := range d.Communes {
				if t.Lat != nil && t.Lon != nil && t.Parent != nil && !speaks.hasLayer(layer, t) {
					places = append(places, &site{id: t.Code, lat: *t.Lat, lon: *t.Lon, commune: &t.Parent.Code})
				}
			}
			grids[layer] = newGrid(places)
		}
	}
	return grids
}

// communeReachKm is how far from its middle a commune may have a service. Few are wider.
const communeReachKm = 5

// findNearestServices returns the nearest services of a commune. Of several layers
// only the first that covers it is searched.
func findNearestServices(t *stats.Territory, grids, unlisted map[string]*grid, speaks coverageSet) Services {
	out := Services{hasHighSpeedList: speaks.hasLayer("high_speed_station", t)}
	if t.Lat == nil || t.Lon == nil {
		return out
	}
	for _, s := range layersOfServices {
		i := slices.IndexFunc(s.layers, func(layer string) bool { return speaks.hasLayer(layer, t) })
		if i < 0 || t.Parent != nil && slices.Contains(s.without, t.Parent.Code) {
			out.unknown = append(out.unknown, s.service)
			continue
		}
		if grids[s.layers[i]] == nil {
			continue
		}
		if place, km := grids[s.layers[i]].findNearest(*t.Lat, *t.Lon, s.maxKm); place != nil {
			if out.found == nil {
				out.found = map[string]nearestSite{}
			}
			one := nearestSite{site: place, km: km}
			if without := unlisted[s.layers[i]]; without != nil {
				if near, _ := without.findNearest(*t.Lat, *t.Lon, km+communeReachKm); near != nil {
					one.beyond = *near.commune
				}
			}
			out.found[s.service] = one
		}
	}
	return out
}

func setCommunes(ctx context.Context, tx pgx.Tx, places []*site) error {
	slices.SortFunc(places, func(a, b *site) int {
		return cmp.Or(cmp.Compare(a.layer, b.layer), cmp.Compare(a.from.Part, b.from.Part), cmp.Compare(a.id, b.id))
	})
	places = slices.Compact(places)
	lats, lons := make([]float64, len(places)), make([]float64, len(places))
	for i, p := range places {
		lats[i], lons[i] = p.lat, p.lon
	}
	rows, _ := tx.Query(ctx, selectCommunesOf, lats, lons) // the rows have its error too
	var n int
	var code string
	_, err := pgx.ForEachRow(rows, []any{&n, &code}, func() error {
		places[n-1].commune = new(code)
		return nil
	})
	return fault.Wrap("find the communes of services", err)
}

func namedServices(d *stats.Data, t *stats.Territory) *NamedServices {
	of := nearestSlot.Of(d)[t.Code]
	if of.found == nil {
		return nil
	}
	out := NamedServices{NotCovered: of.unknown, WhyNull: map[string]string{}}
	for _, s := range layersOfServices {
		if _, ok := of.found[s.service]; ok {
			continue
		}
		why := fmt.Sprintf(noneWithin, s.maxKm)
		if slices.Contains(of.unknown, s.service) {
			why = notListed
		}
		if s.service == "school" && listSchools(d, t) != nil {
			why += schoolsHas
		}
		out.WhyNull[s.service] = why + fmt.Sprintf(typesOf, s.types)
	}
	var loads []*stats.Load
	for _, n := range of.found {
		loads = append(loads, n.from)
	}
	out.Envelope = stats.EnvelopeOfAll(loads)
	if n, ok := of.found["hospital"]; ok {
		out.Hospital = &NearHospital{n.toNearPlace()}
	}
	if n, ok := of.found["school"]; ok {
		out.School = &NearSchool{n.toNearPlace(), n.kind}
	}
	if n, ok := of.found["station"]; ok {
		out.Station = &NearStation{NearPlace: n.toNearPlace()}
		out.Station.Note = strings.TrimSpace(out.Station.Note + n.nearer)
		if len(of.stations) == 0 {
			out.Station.Note = strings.TrimSpace(out.Station.Note +
				" No station of the list lies in the commune. " + railOnly)
		}
		if fast := n.kind != nil; of.hasHighSpeedList {
			out.Station.HighSpeed = &fast
		}
	}
	if n, ok := of.found["supermarket"]; ok {
		out.Supermarket = &NearSupermarket{NearPlace: n.toNearPlace()}
	}
	return &out
}

func (n nearestSite) toNearPlace() NearPlace {
	out := NearPlace{Name: n.name, CommuneCode: n.commune, DistanceKm: *stats.Round(&n.km, 1),
		Year: stats.Year(n.from.Vintage), Lat: *stats.Round(&n.lat, 6), Lon: *stats.Round(&n.lon, 6),
		Source: n.from.Label()}
	if n.beyond != "" {
		out.Note = fmt.Sprintf(mayBeNear, n.beyond)
	}
	return out
}

// ServiceReach is the search radius of a service of namedServices.
type ServiceReach struct {
	Service string
	MaxKm   float64
}

// ServiceReaches lists the services of namedServices.
func ServiceReaches() (out []ServiceReach) {
	for _, s := range layersOfServices {
		out = append(out, ServiceReach{s.service, s.maxKm})
	}
	return out
}
