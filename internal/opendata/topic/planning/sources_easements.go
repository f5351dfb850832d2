package planning

import (
	_ "embed"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed easement_places.sql
var easementPlaces string

// easementAreas selects the places that a load covers.
var easementAreas = "SELECT DISTINCT code FROM (\n" + easementPlaces + ") a"

// easementCategories adds the categories of a load to the layers that it covers: so the
// report can name the categories that are loaded.
var easementCategories = `INSERT INTO geo.coverage (layer, area, load_id)
SELECT DISTINCT 'easement ' || a.category, a.code, t.id
FROM this_load t, (
` + easementPlaces + `) a WHERE a.category IS NOT NULL`

// sup matches the beginning of the name of an easement archive, as the
// Géoportail names it: authority, category, territory.
const sup = `(?i)(^|/)(?P<document>(?P<scope>[0-9]{9}(_SUP)?_` + supCategory + `_` + supTerritory +
	`)_(?P<vintage>[0-9]{8}))`

const (
	supCategory  = `(?P<category>[A-Z]{1,3}[0-9]{0,2}(BIS|TER)?)`
	supTerritory = `(?P<territory>` + territoryCode + `)`
	// territoryCode matches the code of a département, commune or région; 000 is France.
	territoryCode = `[0-9][0-9AB]|[0-9]{3}|0[0-9][0-9AB]|[0-9][0-9AB][0-9]{3}|R[0-9]{2}`
)

var easementFiles = []source.Files{
	{Path: sup + `\.zip$`},
	// The name of the partition, with the territory before the category.
	{Path: `(?i)(^|/)(?P<document>(?P<scope>[0-9]{9}_SUP_` + supTerritory + `_` + supCategory +
		`)(_(?P<vintage>[0-9]{8}))?)\.zip$`},
}

// easementDocument is how the rows of a file name the document that they are from. Identifiers are unique
// within a document alone. Its texts are SQL over its columns.
type easementDocument struct {
	columns             []source.Column
	owner               string   // what identifies the document
	keys                []string // the columns that identify a row in the file
	category, territory string
	name                string // of an assiette
	suffix              string // of the names of the sources
}

// archiveDocument is named by the path of its archive.
var archiveDocument = easementDocument{
	// Where a path names no territory the field is missing and the column stays null.
	columns: []source.Column{source.FromPath("scope"), source.FromPath("document"), source.FromPath("category"),
		source.FromPath("territory")},
	owner: "scope", keys: []string{"key"}, category: "category", territory: "territory", name: "name",
}

// nationalDocument is named by the partition of each row: 172014607_SUP_69_AC1. The assiettes
// of the national layer have the name of their servitude.
var nationalDocument = easementDocument{
	columns: []source.Column{
		{Name: "document", From: []string{"partition"}, Internal: true, Required: true}, source.Internal("suptype"),
		source.Internal("literal", "nomSupLitt"),
	},
	owner: "document", keys: []string{"document", "key"},
	category:  "coalesce(suptype, substring(document FROM '_([A-Za-z0-9]+)$'))",
	territory: "substring(upper(document) FROM '^[0-9]{9}_SUP_(" + territoryCode + ")_')",
	name:      "coalesce(literal, name)", suffix: "-national",
}

// uniqueID returns SQL for a unique identifier: those in the files are only unique within their document, and
// a numeric column has 35 where another one has 35.00.
func (d easementDocument) uniqueID(column string) string {
	return "CASE WHEN " + column + " !~ '^[*]+$' THEN upper(" + d.owner + ") || ':' || regexp_replace(" +
		column + `, '[.]0+$', '') END`
}

// rowsWithoutKey matches rows that nothing can refer to.
const rowsWithoutKey = "key IS NULL OR key ~ '^[*]+$'"

// duplicateRows selects rows that repeat another one under the same
// identifier: a monument in two parts has two rows.
func (d easementDocument) duplicateRows(columns ...string) string {
	same := "EXISTS (SELECT FROM stage o WHERE "
	for _, c := range d.keys {
		same += "o." + c + " = stage." + c + " AND "
	}
	same += "(o._file, o._line) < (stage._file, stage._line)"
	for _, c := range columns {
		same += " AND o." + c + " IS NOT DISTINCT FROM stage." + c
	}
	return same + ")"
}

// easementSources declares the public-utility easements: the areas they apply to (assiettes), the objects
// they originate from (générateurs) and their acts (servitudes), in three tables that the report joins.
func easementSources() []source.Source {
	return []source.Source{
		easementArchives("sup-servitudes", "servitudes", fillEasementActs),
		easementArchives("sup-generateurs", "générateurs", fillEasementGenerators),
		easementArchives("sup-assiettes", "assiettes", fillEasementAreas),
		easementNational("sup-servitudes-national", "servitudes", fillEasementActs, "servitude"),
		easementNational("sup-generateurs-national", "générateurs", fillEasementGenerators, "generateur_sup_s",
			"generateur_sup_l", "generateur_sup_p"),
		easementNational("sup-assiettes-national", "assiettes", fillEasementAreas, "assiette_sup_s"),
		noisePlans(),
	}
}

func easementSource(name, title string, d easementDocument,
	fill func(*source.Source, easementDocument)) source.Source {
	s := source.Source{
		Name: name, Group: "planning", Title: "Servitudes d'utilité publique : " + title,
		Producer: "gestionnaires des servitudes; DGALN, IGN", Licence: source.LicenceOuverte,
		Homepage: "https://www.geoportail-urbanisme.gouv.fr",
		After:    []string{"cog-departements", "cog-communes", "contours-communes"},
		Checks:   source.Checks{MaxRefused: 0.05},
	}
	fill(&s, d)
	s.Columns = append(s.Columns, d.columns...)
	return s
}

// easementArchives declares a table of the archives, one archive a category and territory.
func easementArchives(name, title string, fill func(*source.Source, easementDocument)) source.Source {
	s := easementSource(name, title, archiveDocument, fill)
	s.Files, s.Read.Format = easementFiles, source.Shapefile
	s.Origins = []fetch.Origin{{
		From: producer.Urbanisme{Query: "documentType[]=SUP&grid={departement}", Withheld: true},
		Area: fetch.Departement, Extent: fetch.PlacesOnly, Rhythm: "irregularly",
		ReadOn: "2026-11",
		Note:   "Archives that their authority withholds (T5, PT1 and PT2 of most départements: status 403) are left out.",
	}}
	s.Note = "One zip a category and territory, under the name that the Géoportail gives it: 172014607_AC1_2A_20180130.zip."
	return s
}

// easementNational declares a table of the easements of all authorities, of France or of a département, from
// layers of the weekly extraction.
func easementNational(name, title string, fill func(*source.Source, easementDocument),
	layers ...string) source.Source {
	s := easementSource(name, title+" (couche nationale)", nationalDocument, fill)
	anyLayer := "(" + strings.Join(layers, "|") + ")"
	s.Files = []source.Files{{Path: nationalPath("wfs_sup", anyLayer), GroupByScope: len(layers) > 1}}
	s.Read = source.Read{Format: source.GeoPackage, Layers: []string{"(wfs_sup[:_])?" + anyLayer}}
	for _, layer := range layers {
		s.Origins = append(s.Origins, layerOrigins(layer, 0)...)
	}
	if s.Geometry != nil {
		s.Geometry = source.ShapesInDegrees()
	}
	s.Note = "The layers " + strings.Join(layers, ", ") +
		" as GeoPackages. Where an archive of the same authority, category and territory " +
		"is loaded, the archive is served."
	return s
}

func fillEasementActs(s *source.Source, d easementDocument) {
	s.Read.Optional = true
	s.Read.Member = `(?i)(^|[/_])SERVITUDE(_[0-9AB]+)?\.dbf$`
	s.Columns = []source.Column{
		source.Internal("key", "IdSup"), source.Internal("name", "nomSupLitt"), source.Internal("short", "nomSup"),
		source.Internal("repealed", "estAbroge"),
		{Name: "id", SQL: d.uniqueID("key")},
		source.Attrs("'name', coalesce(name, short), 'repealed', CASE WHEN lower(repealed) IN ('t', 'true', '1', 'o', 'oui', 'y') THEN true END"),
	}
	s.Drop = []string{rowsWithoutKey, d.duplicateRows("name", "short", "repealed")}
	s.Dedupe = source.Dedupe{Key: d.keys}
	s.Target = source.FactLayer("easement_act")
}

func fillEasementGenerators(s *source.Source, d easementDocument) {
	s.Read.Optional = true
	s.Read.Member = `(?i)[/_]GENERATEUR_SUP_[SLP][^/]*\.dbf$`
	s.Columns = []source.Column{
		source.Internal("key", "IdGen"), source.Internal("servitude", "IdSup"), source.Internal("name", "nomGen"),
		{Name: "id", SQL: d.uniqueID("key")},
		source.Attrs("'servitude', " + d.uniqueID("servitude") + ", 'name', name"),
	}
	s.Drop = []string{rowsWithoutKey, d.duplicateRows("servitude")}
	s.Dedupe = source.Dedupe{Key: d.keys}
	s.Target = source.FactLayer("easement_generator")
}

func fillEasementAreas(s *source.Source, d easementDocument) {
	s.After = append(s.After, "sup-servitudes"+d.suffix, "sup-generateurs"+d.suffix)
	s.Read.Member = `(?i)[/_]ASSIETTE_SUP_S[^/]*\.shp$`
	s.Columns = []source.Column{
		source.RowID, source.Internal("generator", "IdGen"), source.Internal("name", "nomAss"),
		source.Internal("kind", "typeAss"),
		source.Attrs("'category', upper(" + d.category + "), 'kind', kind, 'document', document, 'name', " +
			d.name +
			", 'generator', " + d.uniqueID("generator") + ", 'territory', upper(" + d.territory + ")"),
	}
	s.Geometry = source.Shapes()
	s.Target = source.ShapeLayer("easement")
	s.Target.After = easementCategories
	s.Covers = []source.Coverage{{Layer: "easement", Areas: easementAreas}}
}

// noisePlans declares plans d'exposition au bruit: one file a zone for the
// mainland, in Lambert-93, or a format of ours.
func noisePlans() source.Source {
	shapes := source.ShapesInDegrees()
	shapes.MetricSRID = source.Lambert93
	return source.Source{
		Name: "aerodromes-peb", Group: "planning", Title: "Plans d'exposition au bruit des aérodromes",
		Producer: "DGAC", Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/zonage-des-plan-dexposition-au-bruit-peb",
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "zonage-des-plan-dexposition-au-bruit-peb",
				File: `(?i)^c-dgac-peb-metro-z[a-d]\.geojson$`, Newest: producer.All},
			Rhythm: "once",
			Note:   "State of 2020, of the mainland, deposited by a user of data.gouv.fr. Its licence was not read.",
		}},
		Files: []source.Files{
			{Path: `(?i)(^|/)peb(-(?P<scope>[0-9AB]{2,5}))?(\.` + source.FileDay + `)?\.(geo)?json(\.gz)?$`},
			{Path: `(?i)(^|/)([^/]*-)?peb-metro-z[a-d]\.(geo)?json(\.gz)?$`, GroupByScope: true},
		},
		Read: source.Read{Format: source.GeoJSON},
		Columns: []source.Column{
			source.RowID,
			{Name: "zone", Internal: true, Required: true, Match: "[A-D]"},
			{Name: "aerodrome", From: []string{"aerodrome", "nom"}, Internal: true, Required: true},
			source.Attrs("'kind', 'PEB', 'zone', zone, 'name', aerodrome"),
		},
		Geometry: shapes,
		Target:   source.ShapeLayer("aerodrome_easement"),
		Covers: []source.Coverage{{Layer: "aerodrome_easement", Areas: `SELECT scope FROM this_load WHERE scope <> ''
			UNION ALL SELECT d.code FROM geo.departement d, this_load t WHERE t.scope = '' AND char_length(d.code) = 2`}},
		Note: "Four files of 2020 for the mainland, c-dgac-peb-metro-za.geojson to -zd.geojson. Or a format of ours: " +
			"peb-<département>.geojson, polygons with the members aerodrome (its name) and zone (A to D).",
	}
}
