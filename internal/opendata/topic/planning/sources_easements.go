package planning

import (
	_ "embed"

	"arpent/internal/opendata/source"
)

//go:embed easement_areas.sql
var easementAreas string

// easementCategories adds the category of an archive to the layers that its load covers: so the
// report can name the categories that are loaded.
var easementCategories = `INSERT INTO geo.coverage (layer, area, load_id)
SELECT DISTINCT 'easement ' || (r.attrs->>'category'), a.code, t.id
FROM this_load t, (SELECT attrs FROM ready LIMIT 1) r, (
` + easementAreas + `) a(code)`

// sup matches the beginning of the name of an easement archive, as the
// Géoportail names it: authority, category, territory.
const sup = `(?i)(^|/)(?P<document>(?P<scope>[0-9]{9}(_SUP)?_` + supCategory + `_` + supTerritory + `)_(?P<vintage>[0-9]{8}))`

const (
	supCategory  = `(?P<category>[A-Z]{1,3}[0-9]{0,2}(BIS|TER)?)`
	supTerritory = `(?P<territory>[0-9][0-9AB]|[0-9]{3}|0[0-9][0-9AB]|[0-9][0-9AB][0-9]{3}|R[0-9]{2})`
)

var easementFiles = []source.Files{
	{Path: sup + `\.zip$`},
	// The name of the partition, with the territory before the category.
	{Path: `(?i)(^|/)(?P<document>(?P<scope>[0-9]{9}_SUP_` + supTerritory + `_` + supCategory + `)(_(?P<vintage>[0-9]{8}))?)\.zip$`},
}

// supKey returns SQL for a unique identifier: those in the files are only unique within their archive, and a
// numeric column has 35 where another one has 35.00.
func supKey(column string) string {
	return "CASE WHEN " + column + " !~ '^[*]+$' THEN upper(scope) || ':' || regexp_replace(" + column + `, '[.]0+$', '') END`
}

// rowsWithoutKey matches rows that nothing can refer to.
const rowsWithoutKey = "key IS NULL OR key ~ '^[*]+$'"

// duplicateRows selects rows that repeat another one under the same
// identifier: a monument in two parts has two rows.
func duplicateRows(columns ...string) string {
	same := "EXISTS (SELECT FROM stage o WHERE o.key = stage.key AND (o._file, o._line) < (stage._file, stage._line)"
	for _, c := range columns {
		same += " AND o." + c + " IS NOT DISTINCT FROM stage." + c
	}
	return same + ")"
}

// easementSources declares the public-utility easements: the areas they apply to (assiettes), the objects
// they originate from (générateurs) and their acts (servitudes), in three tables that the report joins.
func easementSources() []source.Source {
	return []source.Source{
		easementSource("sup-servitudes", "servitudes", fillEasementActs),
		easementSource("sup-generateurs", "générateurs", fillEasementGenerators),
		easementSource("sup-assiettes", "assiettes", fillEasementAreas),
		noisePlans(),
	}
}

func easementSource(name, title string, fill func(*source.Source)) source.Source {
	s := source.Source{
		Name: name, Group: "planning", Title: "Servitudes d'utilité publique : " + title,
		Producer: "gestionnaires des servitudes; DGALN, IGN", Licence: source.LicenceOuverte,
		Homepage: "https://www.geoportail-urbanisme.gouv.fr",
		After:    []string{"cog-departements", "cog-communes", "contours-communes"},
		Files:    easementFiles,
		Origins:  easementOrigins,
		Read:     source.Read{Format: source.Shapefile},
		Checks:   source.Checks{MaxRefused: 0.05},
		Note:     "One zip a category and territory, under the name that the Géoportail gives it: 172014607_AC1_2A_20180130.zip.",
	}
	fill(&s)
	// Where a path names no territory the field is missing and the column stays null.
	s.Columns = append(s.Columns, source.FromPath("scope"), source.FromPath("document"), source.FromPath("category"), source.FromPath("territory"))
	return s
}

func fillEasementActs(s *source.Source) {
	s.Read.Optional = true
	s.Read.Member = `(?i)(^|[/_])SERVITUDE(_[0-9AB]+)?\.dbf$`
	s.Columns = []source.Column{
		source.Internal("key", "IdSup"), source.Internal("name", "nomSupLitt"), source.Internal("short", "nomSup"),
		source.Internal("repealed", "estAbroge"),
		{Name: "id", SQL: supKey("key")},
		source.Attrs("'name', coalesce(name, short), 'repealed', CASE WHEN lower(repealed) IN ('t', 'true', '1', 'o', 'oui', 'y') THEN true END"),
	}
	s.Drop = []string{rowsWithoutKey, duplicateRows("name", "short", "repealed")}
	s.Dedupe = source.Dedupe{Key: []string{"key"}}
	s.Target = source.FactLayer("easement_act")
}

func fillEasementGenerators(s *source.Source) {
	s.Read.Optional = true
	s.Read.Member = `(?i)[/_]GENERATEUR_SUP_[SLP][^/]*\.dbf$`
	s.Columns = []source.Column{
		source.Internal("key", "IdGen"), source.Internal("servitude", "IdSup"), source.Internal("name", "nomGen"),
		{Name: "id", SQL: supKey("key")},
		source.Attrs("'servitude', " + supKey("servitude") + ", 'name', name"),
	}
	s.Drop = []string{rowsWithoutKey, duplicateRows("servitude")}
	s.Dedupe = source.Dedupe{Key: []string{"key"}}
	s.Target = source.FactLayer("easement_generator")
}

func fillEasementAreas(s *source.Source) {
	s.After = append(s.After, "sup-servitudes", "sup-generateurs")
	s.Read.Member = `(?i)[/_]ASSIETTE_SUP_S[^/]*\.shp$`
	s.Columns = []source.Column{
		source.RowID, source.Internal("generator", "IdGen"), source.Internal("name", "nomAss"), source.Internal("kind", "typeAss"),
		source.Attrs("'category', upper(category), 'kind', kind, 'document', document, 'name', name, 'generator', " + supKey("generator") +
			", 'territory', upper(territory)"),
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
		Homepage: "https://www.data.gouv.fr/datasets/zonage-des-plan-dexposition-au-bruit-peb", Origins: noiseOrigins,
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
