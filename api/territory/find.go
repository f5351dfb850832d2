package territory

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/api/reply"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/stats"
)

// Regions lists the régions, with their population where statistics are included.
func (s *Snapshot) Regions(inc Include) (reply.Reply, error) {
	return addPopulation(s.regionList, stats.Region, inc)
}

// Region returns a région. It returns fault.Missing for an unknown code, as do the methods below.
func (s *Snapshot) Region(code string, inc Include) (reply.Reply, error) {
	r, ok := s.regions[code]
	if !ok {
		return reply.Reply{}, s.regionNotFound(code)
	}
	return r.composeArea(inc, stats.Region, code, "departements", inc.Departements), nil
}

// Departements lists the metropolitan départements, of one région unless region is empty, with
// their population where statistics are included.
func (s *Snapshot) Departements(region string, inc Include) (reply.Reply, error) {
	if region == "" {
		return addPopulation(s.departementList, stats.Departement, inc)
	}
	r, ok := s.regions[region]
	if !ok {
		return reply.Reply{}, s.regionNotFound(region)
	}
	return addPopulation(r.list, stats.Departement, inc)
}

// addPopulation adds to a list the population of each territory, as its statistics give it.
func addPopulation(list reply.Reply, level stats.Level, inc Include) (reply.Reply, error) {
	if inc.Stats == nil {
		return list, nil
	}
	var all CodeNameList
	if err := json.Unmarshal(list.Body, &all); err != nil {
		return reply.Reply{}, fmt.Errorf("read a list: %w", err)
	}
	for i := range all.Data {
		inc.Buffer = inc.Stats.Of(level, all.Data[i].Code).Append(inc.Buffer[:0])
		figures := gjson.ParseBytes(inc.Buffer)
		all.Data[i].Population = &Inhabitants{intValue(figures.Get("population")),
			intValue(figures.Get("sources.population.year"))}
	}
	return encodeList(all.Data)
}

// intValue returns the number in a body; nil where there is none.
func intValue(value gjson.Result) *int {
	if value.Type != gjson.Number {
		return nil
	}
	return new(int(value.Int()))
}

// Departement returns a metropolitan département.
func (s *Snapshot) Departement(code string, inc Include) (reply.Reply, error) {
	if d, ok := s.departements[code]; ok {
		return d.composeArea(inc, stats.Departement, code, "communes", inc.Communes), nil
	}
	if err := s.NoOverseas(code); err != nil {
		return reply.Reply{}, err
	}
	return reply.Reply{}, departementNotFound(code)
}

// outlineOrigin is the source of an area that INSEE does not publish.
const outlineOrigin = "area of the outline"

// AreaOf returns the area of a territory in km² as its answer has it, and where it is from; null where it is
// not known. That of an overseas département is that of its région, the same territory.
func (s *Snapshot) AreaOf(level stats.Level, code string) (areaKm2 gjson.Result, origin stats.Origin) {
	var of *area
	switch level {
	case stats.Region:
		of = s.regions[code]
	case stats.Departement:
		if of = s.departements[code]; of == nil && s.overseas[code] != nil {
			of = s.regions[s.overseas[code].region]
		}
	default:
		if i, ok := s.byCode.Find(code); ok {
			return readArea(s.communes[i].plain.Body)
		}
		if a := s.findTown(code); a != nil {
			return readArea(a.plain.Body)
		}
	}
	if of == nil {
		return areaKm2, origin
	}
	return readArea(of.plain.Body)
}

// ChefLieuOf returns the commune that is the chef-lieu of a région or département; nil: it is not known.
func (s *Snapshot) ChefLieuOf(level stats.Level, code string) *ChefLieu {
	of := s.regions[code]
	if level == stats.Departement {
		of = s.findDepartement(code)
	}
	if of == nil {
		return nil
	}
	return of.chefLieu
}

// readArea reads the area in an answer.
func readArea(body []byte) (areaKm2 gjson.Result, origin stats.Origin) {
	found := gjson.GetManyBytes(body, "areaKm2", "areaSource", "areaYear")
	origin = stats.Origin{Source: found[1].Str, Year: intValue(found[2])}
	if found[1].Type == gjson.Null {
		origin.Source = outlineOrigin
	}
	return found[0], origin
}

// CommuneAreas orders the communes by their area.
func (s *Snapshot) CommuneAreas() *stats.Column {
	codes, areas := make([]string, len(s.places)), make([]float64, len(s.places))
	for i, p := range s.places {
		codes[i], areas[i] = p.CodeInsee, math.NaN()
		if km2, _ := readArea(s.communes[i].plain.Body); km2.Type == gjson.Number {
			areas[i] = km2.Num
		}
	}
	return stats.NewColumn(codes, areas)
}

// Commune returns a current commune, or an arrondissement of one.
func (s *Snapshot) Commune(code string, inc Include) (reply.Reply, error) {
	if i, ok := s.byCode.Find(code); ok {
		return s.composeCommune(i, inc), nil
	}
	if a := s.findTown(code); a != nil {
		return a.composeReply(composition{Include: inc, level: stats.Arrondissement, code: code,
			parcels: inc.countParcels(code), neighbours: s.encodeNeighbours(inc, a.shape, a.commune, code)}), nil
	}
	return reply.Reply{}, s.communeNotFound(code)
}

// CommuneAt returns the commune that covers a point; on a border, the one with the lowest code.
func (s *Snapshot) CommuneAt(lat, lon float64, inc Include) (reply.Reply, error) {
	p := geom.Snap(lon, lat)
	i, ok := s.communeAt(p)
	if !ok {
		return reply.Reply{}, s.communeNotFoundAt(p)
	}
	c := s.communeComposition(i, inc)
	if code, ok := s.ArrondissementAt(lat, lon); ok && s.findTown(code).commune == i {
		encoded, err := json.Marshal(NamedCommune{Name: s.findTown(code).name, CodeInsee: code})
		if err != nil {
			return reply.Reply{}, fmt.Errorf("encode an arrondissement: %w", err)
		}
		c.listName, c.list = "arrondissement", encoded
	}
	if note := s.describeBorder(p, i); note != "" {
		encoded, err := json.Marshal(note)
		if err != nil {
			return reply.Reply{}, fmt.Errorf("encode a note: %w", err)
		}
		c.note = encoded
	}
	return s.communes[i].composeReply(c), nil
}

// describeBorder names the commune next to the one that covers a point, where it is no farther than outlines
// are imprecise: the nearest one, of equally near ones the lowest code. Empty: none is that near.
func (s *Snapshot) describeBorder(p geom.Point, in int32) string {
	nearest, least := int32(-1), float64(s.precisionM)
	for i := range s.tree.In(p.Within(least)) {
		if i == in {
			continue
		}
		if m := s.communes[i].shape.LocalMetresTo(p); m < least || m == least && i < nearest {
			nearest, least = i, m
		}
	}
	if nearest < 0 {
		return ""
	}
	other := s.places[nearest]
	return fmt.Sprintf("The point is %.0f m from the border of %s (%s) as it is drawn. Outlines are generalised by about %d m: it may lie there.",
		least, other.CommuneName, other.CodeInsee, s.precisionM)
}

// PlaceAt returns the place of the commune that covers a point. Its error is that of CommuneAt.
func (s *Snapshot) PlaceAt(lat, lon float64) (Place, error) {
	p := geom.Snap(lon, lat)
	i, ok := s.communeAt(p)
	if !ok {
		return Place{}, s.communeNotFoundAt(p)
	}
	return s.places[i], nil
}

// Arrondissements lists the codes of the arrondissements of a commune, in order: there are some in Paris,
// Lyon and Marseille.
func (s *Snapshot) Arrondissements(commune string) (codes []string) {
	if i, ok := s.byCode.Find(commune); ok {
		return s.arrondissementsOf(i)
	}
	return nil
}

// arrondissementsOf lists the codes of the arrondissements of the nth commune.
func (s *Snapshot) arrondissementsOf(nth int32) (codes []string) {
	for _, a := range s.arrondissements {
		if a.commune == nth {
			codes = append(codes, a.code)
		}
	}
	return codes
}

// ArrondissementAt returns the code of the arrondissement that covers a point, on a border the lowest one;
// false: no outline of an arrondissement covers it.
func (s *Snapshot) ArrondissementAt(lat, lon float64) (code string, ok bool) {
	p := geom.Snap(lon, lat)
	for _, a := range s.arrondissements {
		if a.shape.Covers(p) {
			return a.code, true
		}
	}
	return "", false
}

// IsArrondissement reports whether an arrondissement has a code.
func (s *Snapshot) IsArrondissement(code string) bool { return s.findTown(code) != nil }

// findTown returns an arrondissement; nil: none has the code.
func (s *Snapshot) findTown(code string) *town {
	i, ok := slices.BinarySearchFunc(s.arrondissements, code,
		func(a town, code string) int { return strings.Compare(a.code, code) })
	if !ok {
		return nil
	}
	return &s.arrondissements[i]
}

func (s *Snapshot) composeCommune(i int32, inc Include) reply.Reply {
	return s.communes[i].composeReply(s.communeComposition(i, inc))
}

func (s *Snapshot) communeComposition(i int32, inc Include) composition {
	code := s.places[i].CodeInsee
	codes := s.arrondissementsOf(i)
	if codes == nil {
		codes = []string{code}
	}
	return composition{Include: inc, level: stats.Commune, code: code, outlines: s.outlines, nth: i,
		parcels: inc.countParcels(codes...), neighbours: s.encodeNeighbours(inc, s.communes[i].shape, i, code)}
}

// countParcels encodes the number of parcels of places; nil: it is not included.
func (inc Include) countParcels(codes ...string) []byte {
	if inc.Stats == nil || inc.Parcels == nil {
		return nil
	}
	encoded, err := json.Marshal(inc.Parcels(codes...))
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return encoded
}

// communeAt returns the index of the commune; indices are in the order of the codes.
func (s *Snapshot) communeAt(p geom.Point) (index int32, ok bool) {
	for i := range s.tree.At(p) {
		if (!ok || i < index) && s.communes[i].shape.Covers(p) {
			index, ok = i, true
		}
	}
	return index, ok
}
