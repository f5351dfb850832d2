// Package areas declares the data on régions, départements and communes: their codes, names and outlines.
package areas

import (
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(cogSources(), Intercommunal(), communeBodies(), []source.Source{contoursCommunes(),
		contoursArrondissements()})
}

func cogSource(name, title, file string) source.Source {
	return source.Source{
		Name:     name,
		Group:    "cog",
		Title:    title,
		Producer: "INSEE, La Poste; Etalab",
		Licence:  source.LicenceOuverte,
		Homepage: "https://github.com/datagouv/decoupage-administratif",
		// the name may have the edition
		Files: []source.Files{{Path: `(^|/)cog/` + file + `(-(?P<vintage>20[0-9]{2}))?\.json(\.gz|\.bz2)?$`}},
		Origins: []fetch.Origin{{
			// the newest version
			From: producer.At{Address: "https://unpkg.com/@etalab/decoupage-administratif@latest/data/" + file +
				".json"},
			As: "cog/" + file + ".json", Rhythm: "yearly",
		}},
		Read: source.Read{Format: source.JSON},
	}
}

// The files list the overseas collectivities (975, 977…) among régions and départements, which
// they are not: only their communes are read.
const collectivity = "zone = 'com'"

var zoneColumn = source.Column{Name: "zone", Internal: true}

// chefLieuColumn has the commune that is the préfecture of a région or département.
var chefLieuColumn = source.Column{Name: "chef_lieu", From: []string{"chefLieu"},
	Match: `[0-9][0-9AB][0-9]{3}`}

// cogSources declares the code officiel géographique: the codes and names
// that every other source is checked against.
func cogSources() []source.Source {
	regions := cogSource("cog-regions", "Code officiel géographique : régions", "regions")
	regions.Columns = []source.Column{
		{Name: "code", Required: true, Match: `[0-9]{2,3}`},
		{Name: "name", From: []string{"nom"}, Required: true},
	}
	regions.Columns = append(regions.Columns, zoneColumn, chefLieuColumn)
	regions.Drop = []string{collectivity}
	regions.Dedupe = source.Dedupe{Key: []string{"code"}}
	regions.Target = source.Target{Table: "geo.region", Key: []string{"code"}}
	regions.Checks = source.Checks{MinRows: 18, MaxRows: 18}

	departements := cogSource("cog-departements", "Code officiel géographique : départements", "departements")
	departements.After = []string{"cog-regions"}
	departements.Columns = []source.Column{
		{Name: "code", Required: true, Match: `[0-9]{2,3}|2[AB]`},
		{Name: "name", From: []string{"nom"}, Required: true},
		{Name: "region_code", From: []string{"region"}},
		zoneColumn, chefLieuColumn,
	}
	departements.Drop = []string{collectivity}
	departements.Dedupe = source.Dedupe{Key: []string{"code"}}
	departements.Target = source.Target{Table: "geo.departement", Key: []string{"code"}}
	departements.Checks = source.Checks{MinRows: 101, MaxRows: 101, Known: []source.Known{{
		Code: "region_code", Query: "SELECT code FROM geo.region", Reason: "'no région has code ' || region_code",
	}}}
	return []source.Source{regions, departements, cogCommunes()}
}

// Intercommunal returns the intercommunal bodies with their communes: those with own taxes, and the
// territories of the Métropole du Grand Paris.
func Intercommunal() []source.Source {
	bodies := []source.Source{
		cogSource("cog-epci", "Code officiel géographique : intercommunalités", "epci"),
		cogSource("cog-ept", "Code officiel géographique : établissements publics territoriaux", "ept"),
	}
	for i := range bodies {
		s := &bodies[i]
		s.After = []string{"cog-communes"}
		s.Columns = []source.Column{
			{Name: "body", From: []string{"code"}, Required: true, Match: `[0-9]{9}`},
			{Name: "members", From: []string{"membres"}, Required: true, Internal: true},
		}
		s.Rows = `SELECT DISTINCT body, m ->> 'code' AS commune FROM stage, jsonb_array_elements(members::jsonb) m`
		s.Dedupe = source.Dedupe{Key: []string{"body"}}
		s.Target = source.Target{Table: "geo.intercommunal_member", Key: []string{"part", "body", "commune"},
			Part: true,
			Create: "CREATE TABLE geo.intercommunal_member (part text NOT NULL, body text NOT NULL, commune text NOT NULL,\n" +
				"\tPRIMARY KEY (part, body, commune));\n"}
		s.Checks = source.Checks{MinRows: 11}
	}
	bodies[0].Checks.MinRows = 1200
	return bodies
}

func cogCommunes() source.Source {
	s := cogSource("cog-communes", "Code officiel géographique : communes", "communes")
	s.After = []string{"cog-regions", "cog-departements"}
	s.Columns = []source.Column{
		{Name: "type", Required: true, Match: `commune-(actuelle|deleguee|associee)|arrondissement-municipal`},
		{Name: "code", Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
		{Name: "name", From: []string{"nom"}, Required: true},
		zoneColumn,
		{Name: "departement", Internal: true},
		{Name: "region", Internal: true},
		{Name: "parent", From: []string{"commune", "chefLieu"}, Internal: true},
		{Name: "population", Kind: source.Integer},
		{Name: "listed_postcodes", From: []string{"codesPostaux"}, Kind: source.TextList, Internal: true},
		{Name: "listed_codes", From: []string{"anciensCodes"}, Kind: source.TextList, Internal: true},
		{Name: "departement_code", SQL: "CASE WHEN " + collectivity + " THEN NULL ELSE departement END"},
		{Name: "region_code", SQL: "CASE WHEN " + collectivity + " THEN NULL ELSE region END"},
		{Name: "commune_code", SQL: "CASE type WHEN 'commune-actuelle' THEN code ELSE parent END"},
		{Name: "postcodes", SQL: "coalesce(listed_postcodes, '{}')"},
		{Name: "former_codes", SQL: "coalesce(listed_codes, '{}')"},
	}
	// A commune déléguée may share the code of the commune it belongs to.
	s.Dedupe = source.Dedupe{Key: []string{"type", "code"}}
	s.Target = source.Target{Table: "geo.commune", Key: []string{"type", "code"}}
	s.Checks = source.Checks{MinRows: 35000, MaxRows: 45000, Queries: []string{
		// Spot checks: a file of something else is rejected before it replaces every name.
		`SELECT 'commune ' || code || ' is not called ' || name FROM (VALUES ('75056', 'Paris'), ('2A004', 'Ajaccio'),
		('97411', 'Saint-Denis')) AS v(code, name) WHERE NOT EXISTS
		(SELECT FROM stage s WHERE s.code = v.code AND s.name = v.name AND s.type = 'commune-actuelle')`,
	}}
	return s
}
