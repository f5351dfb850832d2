// Package parcels declares the data on parcels of the cadastre.
package parcels

import (
	_ "embed"
	"slices"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed parcelle_swap.sql
var parcelleSwap string

//go:embed parcelle_sheet.sql
var parcelleSheet string

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(parcelSources(), sheetSources())
}

const sheetNumber = `[0-9]{1,3}`

// latestDate dates a file by the newest change recorded in it.
const latestDate = "greatest(max(updated), max(created))::text"

// knownCommune rejects parcels outside the current communes of a département: the overseas collectivities
// only have names here. The parcels of a former commune have other references now; the old ones are not
// rewritten, because the file lacks the prefix that the merger gave them. The cadastre of Guadeloupe still
// holds Saint-Barthélemy and Saint-Martin, and each edition some communes that merged a few months ago: of
// these places, unlike of codes that no commune ever had, the rows are left out.
func knownCommune(column string) []source.Known {
	code := "left(" + column + ", 5)"
	return []source.Known{{
		Code: code,
		Query: `SELECT code FROM geo.commune
			WHERE type IN ('commune-actuelle', 'arrondissement-municipal') AND departement_code IS NOT NULL`,
		Reason: `coalesce((SELECT 'commune ' || ` + code + ` || CASE WHEN k.departement_code IS NULL
				THEN ' is in no département: only its name is served' ELSE ' is part of ' || k.commune_code || ' now' END
			FROM geo.commune k WHERE k.code = ` + code + ` OR k.former_codes @> ARRAY[` + code + `]
			LIMIT 1), (SELECT 'commune ' || e.code || ' (' || e.name || ') ended on ' || e.day FROM geo.commune_ended e WHERE e.code = ` + code + `),
			'no commune has code ' || ` + code + `)`,
		Elsewhere: `SELECT code FROM geo.commune UNION ALL SELECT unnest(former_codes) FROM geo.commune
			UNION ALL SELECT code FROM geo.commune_ended`,
	}}
}

// outlinesOf lists the communes of the rows, whose references are in a column, and those of the scope, whose
// parcels may be gone or lie on another sheet.
func outlinesOf(column string) string {
	return "SELECT DISTINCT left(" + column + `, 5) FROM ready
		UNION SELECT code FROM geo.parcelle_commune, load WHERE scope <> '' AND starts_with(code, scope)`
}

// parcelSource returns what both publications of the cadastral plan have in common.
func parcelSource(name, title string, rank int, columns ...source.Column) source.Source {
	return source.Source{
		Name:     name,
		Group:    "parcels",
		Title:    title,
		Licence:  source.LicenceOuverte,
		After:    []string{"cog-regions", "cog-departements", "cog-communes"},
		Columns:  append(columns, source.FileScope),
		Geometry: &source.Geometry{From: source.Feature, Polygon: true, Bounds: source.France},
		Outlines: outlinesOf("idu"),
		Reject:   []source.Rule{source.OfScope("idu")},
		Dedupe:   source.Dedupe{Key: []string{"idu"}},
		Vintage:  latestDate,
		Checks:   source.Checks{Known: knownCommune("idu")},
		Target: source.Target{Table: "geo.parcel_block", Key: []string{"idu"}, ScopeColumn: "first_idu", Swap: parcelleSwap,
			History: true, Rank: rank},
	}
}

var (
	contenance = source.Column{Name: "contenance", Kind: source.Integer}
	updated    = source.Column{Name: "updated", Kind: source.Date, Internal: true}
	created    = source.Column{Name: "created", Kind: source.Date, Internal: true}
)

// knownSheet is null until sheets are loaded, see parcelle_sheet.sql. That there are none is looked up once,
// and not for each parcel, which took a fifth of a first load.
const knownSheet = "CASE WHEN EXISTS (SELECT FROM geo.feuille) THEN geo.sheet_of(idu, geom) END"

// parcelSources declares the parcels of the cadastral plan. When several sources
// have one commune the newest vintage is served.
func parcelSources() []source.Source {
	etalab := parcelSource("parcelles-etalab", "Cadastre Etalab : parcelles", 2,
		source.Column{Name: "idu", From: []string{"id"}, Required: true, Match: source.IDU},
		contenance, updated, created, source.Column{Name: "feuille", SQL: knownSheet})
	etalab.Producer = "DGFiP; Etalab"
	etalab.Homepage = "https://cadastre.data.gouv.fr/datasets/cadastre-etalab"
	etalab.Files = etalabFiles("parcelles")
	etalab.Origins = etalabOrigins("parcelles", 54_000_000, 5_360_000)
	etalab.Read = source.Read{Format: source.GeoJSON}

	return []source.Source{etalab, ignParcels()}
}

// ignParcels declares the parcellaire of IGN, which has the sheet of each parcel.
func ignParcels() source.Source {
	const delivery = `_D0?(?P<scope>[0-9]{2,3}|2[AB])_` + source.FileDay
	s := parcelSource("parcelles-ign-shp", "Parcellaire Express", 3,
		source.Column{Name: "idu", From: []string{"IDU"}, Required: true, Match: source.IDU,
			Template: "{CODE_DEP}{CODE_ARR|CODE_COM:3}{COM_ABS:3}{SECTION:2}{NUMERO:4}"}, contenance,
		source.Column{Name: "feuille", Kind: source.Integer, Match: sheetNumber})
	s.Producer = "IGN; DGFiP"
	s.Homepage = "https://geoservices.ign.fr/parcellaire-express-pci"
	s.Vintage = ""
	s.Origins = []fetch.Origin{{
		From: producer.Geoplateforme{Product: "PARCELLAIRE-EXPRESS", Format: "SHP"}, Area: fetch.Departement,
		OnDemand: true, Rhythm: "quarterly",
	}}
	s.Files = []source.Files{
		// The names of IGN's deliveries, which hold one file a layer:
		// …_D075_2024-07-01/…/PARCELLE.SHP; or the name of a renamed file.
		{Path: `(?i)(^|/)p(arcellaire|e_)[^/]*` + delivery + `[^/]*/(.*/)?parcelle\.shp$`},
		{Path: `(?i)(^|/)parcel[^/]*_shp_[^/]*` + delivery + `[^/]*\.7z(\.001)?$`},
		{Path: `(?i)(^|/)(parcel|pepci)[^/]*` + delivery + `[^/]*\.shp$`},
		{Path: `(?i)(^|/)parcellaire[^/0-9]*[-_](?P<scope>[0-9AB]{2,5})(\.` + source.FileDay + `)?\.shp$`},
		{Path: `(?i)(^|/)parcelle\.shp$`},
	}
	s.Read = source.Read{Format: source.Shapefile, Layers: []string{"PARCELLE"}}
	s.Geometry.SRID = source.Lambert93
	s.Geometry.SRIDByScope = source.OfficialSRID
	return s
}

// etalabFiles matches the files of one layer, of a commune or of a département.
func etalabFiles(layer string) []source.Files {
	const end = `\.(geo)?json(\.gz)?$`
	return []source.Files{
		{
			Path:    `(^|/)cadastre-(?P<scope>[0-9AB]{2,5})-` + layer + `(\.` + source.FileDay + `|\.subset)?` + end,
			Partial: `\.subset\.`,
		},
		{Path: `(^|/)(?P<scope>[0-9AB]{5})-[^/]*/` + layer + end}, // a file kept in the commune's folder
	}
}

// sheetSources declares the sheets of the plan. They fill in the sheet of parcels whose
// source has none, whichever is loaded first.
func sheetSources() []source.Source {
	return []source.Source{{
		Name: "feuilles-etalab", Group: "parcels", Title: "Cadastre Etalab : feuilles", Producer: "DGFiP; Etalab",
		Licence:  source.LicenceOuverte,
		Homepage: "https://cadastre.data.gouv.fr/datasets/cadastre-etalab",
		After:    []string{"cog-regions", "cog-departements", "cog-communes"},
		Files:    etalabFiles("feuilles"),
		Origins:  etalabOrigins("feuilles", 0, 0),
		Read:     source.Read{Format: source.GeoJSON},
		Columns: []source.Column{
			{Name: "id", Required: true, Match: `([0-9]{2}|2[AB])[0-9]{6}[0-9A-Z]{2}[0-9]{2}`}, updated, created,
			source.FileScope},
		Geometry: &source.Geometry{From: source.Feature, Polygon: true, Bounds: source.France},
		Outlines: outlinesOf("id"),
		Reject:   []source.Rule{source.OfScope("id")},
		Dedupe:   source.Dedupe{Key: []string{"id"}},
		Vintage:  latestDate,
		Checks:   source.Checks{Known: knownCommune("id")},
		Target:   source.Target{Table: "geo.feuille", Key: []string{"id"}, ScopeColumn: "id", After: parcelleSheet},
	}}
}

// etalabOrigins are the files of a layer of the cadastre, of a département and of a commune.
func etalabOrigins(layer string, departementBytes, communeBytes int64) []fetch.Origin {
	const edition = "https://cadastre.data.gouv.fr/data/etalab-cadastre/latest/geojson"
	origin := fetch.Origin{
		From: producer.At{Address: edition + "/departements/{departement}/cadastre-{departement}-" + layer +
			".json.gz"},
		Area: fetch.Departement, Bytes: departementBytes, Rhythm: "quarterly",
		Derived: layer == "feuilles",
		Note:    "Some weeks after the DGFiP publishes the plan.",
	}
	commune := origin
	commune.From = producer.At{Address: edition + "/communes/{departement}/{commune}/cadastre-{commune}-" +
		layer + ".json.gz"}
	commune.Area, commune.Bytes = fetch.Commune, communeBytes
	return []fetch.Origin{origin, commune}
}
