package loadkit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// Facts is a synthetic source of rows without a shape. Its columns are those of the target's attrs.
func Facts(read source.Read, columns ...source.Column) source.Source {
	pairs := make([]string, len(columns))
	for i, c := range columns {
		pairs[i] = "'" + c.Name + "', " + c.Name
		columns[i].Internal = true
	}
	return source.Source{
		Name: "facts", Title: "Facts", Producer: "Test producer", Licence: source.LicenceOuverte,
		Files: []source.Files{{Path: `^facts\.[a-z.]+$`}},
		Read:  read,
		Columns: append(columns,
			source.Column{Name: "id", From: []string{"id", "nofinesset", "entite.numero"}, Required: true},
			source.Column{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object(" + strings.Join(pairs, ", ") +
				"))"}),
		Checks: source.Checks{MaxRefused: 0.5},
		Target: source.Target{Table: "geo.enrich_radon", Key: []string{"part", "id"}, Part: true},
		Covers: []source.Coverage{{Layer: "radon"}},
	}
}

// Columns are columns of facts, each by its name, or as "name=field" by the name that the file has for it.
func Columns(names ...string) []source.Column {
	out := make([]source.Column, len(names))
	for i, name := range names {
		column, from, renamed := strings.Cut(name, "=")
		out[i] = source.Column{Name: column}
		if renamed {
			out[i].From = []string{from}
		}
	}
	return out
}

// Layer is a synthetic source; several of them share one layer.
func Layer(name, group string) source.Source {
	return source.Source{
		Name: name, Group: group, Title: name, Producer: "Test producer", Licence: source.LicenceOuverte,
		Files: []source.Files{{Path: `^` + name + `(_(?P<scope>[0-9A-Za-z]+))?(\.(?P<vintage>[0-9-]{8,10}))?\.geojson$`}},
		Read:  source.Read{Format: source.GeoJSON},
		Columns: []source.Column{
			{Name: "id", Required: true},
			{Name: "kind", Internal: true},
			{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object('kind', kind))"},
		},
		Geometry: &source.Geometry{From: source.Feature, Subdivide: true},
		Checks:   source.Checks{MaxRefused: 0.5},
		Target:   source.Target{Table: "geo.enrich_cavity", Key: []string{"part", "id", "piece"}, Part: true},
		Covers:   []source.Coverage{{Layer: "cavity"}},
	}
}

// Thing is a GeoJSON feature of a layer.
func Thing(id, kind, shape string) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"id":%q,"kind":%q},"geometry":%s}`, id, kind, shape)
}

// PointJSON is a GeoJSON point geometry.
func PointJSON(lon, lat float64) string {
	return fmt.Sprintf(`{"type":"Point","coordinates":[%g,%g]}`, lon, lat)
}

// CadastreSources are the real declarations of the cadastre.
func CadastreSources() []source.Source {
	return slices.DeleteFunc(topic.Sources(), func(s source.Source) bool { return s.Group != "parcels" })
}

// Cadastre is a fixture with the real declarations of the cadastre, and a few communes to check against.
func Cadastre(t testing.TB) *Fixture {
	t.Helper()
	b := New(t, CadastreSources()...)
	b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, commune_code, former_codes) VALUES
		('commune-actuelle', '01001', 'Un', '01', '01001', '{01998}'), ('commune-actuelle', '01002', 'Deux', '01', '01002', '{}'),
		('commune-deleguee', '01999', 'Ancienne', '01', '01002', '{}'),
		('commune-actuelle', '97105', 'Basse-Terre', '971', '97105', '{}'),
		('commune-actuelle', '97502', 'Saint-Pierre', NULL, '97502', '{}'),
		('commune-actuelle', '75056', 'Paris', '75', '75056', '{}'),
		('arrondissement-municipal', '75101', 'Paris 1er', '75', '75056', '{}')`)
	return b
}

// Parcel is a feature of an Etalab file: a parcel of commune 01001, section A, at its number's place.
func Parcel(number, contenance int) string {
	return ParcelOf("01001", number, contenance, "2020-01-01")
}

// ParcelOf is Parcel of any commune, with the day of its last change.
func ParcelOf(commune string, number, contenance int, updated string) string {
	return fmt.Sprintf(`{"type":"Feature","geometry":%s,"properties":{"id":"%s0000A%04d","contenance":%d,"updated":"%s"}}`,
		Square(5+0.001*float64(number), 46), commune, number, contenance, updated)
}

// Coverage is the query of the areas that the loads cover.
const Coverage = "SELECT c.layer, c.area, l.source, l.scope, l.active FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id"

// Places is a synthetic source that uses what declarations can say about tables of text.
func Places(read source.Read) source.Source {
	return source.Source{
		Name: "places", Title: "Places", Producer: "Test producer", Licence: source.LicenceOuverte,
		Files: []source.Files{{Path: `(^|/)places\.[a-z.]+$`}},
		Read:  read,
		Columns: []source.Column{
			{Name: "code", From: []string{"codgeo", "CODE INSEE"}, Pad: 5, Required: true,
				Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "name", From: []string{"libelle"}},
			{Name: "people", From: []string{"population"}, Kind: source.Integer},
			{Name: "share", From: []string{"part"}, Kind: source.Number},
			{Name: "seen", From: []string{"date"}, Kind: source.Date},
		},
		Dedupe: source.Dedupe{Key: []string{"code"}},
		Checks: source.Checks{MaxRefused: 0.75},
		Target: source.Target{Table: "geo.place", Key: []string{"code"}},
	}
}

// CreatePlace makes the table of Places.
const CreatePlace = `CREATE TABLE geo.place (code text PRIMARY KEY, name text, people integer, share double precision, seen date)`
