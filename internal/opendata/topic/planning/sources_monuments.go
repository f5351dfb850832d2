package planning

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// MonumentSources returns the protected monuments.
func MonumentSources() []source.Source { return []source.Source{merimeeSource()} }

// fixPunctuation repairs the punctuation of Windows-1252 that other encodings read as control characters.
func fixPunctuation(column string) string {
	return `translate(` + column + `, U&'\0085\0091\0092\0093\0094\0096\0097\009C', '…‘’“”–—œ')`
}

// protectionDay is the first date of "1981/10/29 : inscrit MH ; 1990/01/02 : classé MH".
const protectionDay = `substring(protected_on from '[0-9]{4}[/-][0-9]{2}[/-][0-9]{2}')`

// merimeeSource declares the monuments of the ministry. Some are placed at the centre of their commune:
// three or more monuments of one commune at one point are marked as approximate.
func merimeeSource() source.Source {
	return source.Source{
		Name: "monuments", Group: "heritage", Title: "Immeubles protégés au titre des monuments historiques",
		Producer: "Ministère de la Culture", Licence: source.LicenceOuverte,
		Homepage: "https://data.culture.gouv.fr/explore/dataset/liste-des-immeubles-proteges-au-titre-des-monuments-historiques",
		Origins: []fetch.Origin{{
			From: producer.Opendatasoft{Host: "data.culture.gouv.fr",
				Dataset: "liste-des-immeubles-proteges-au-titre-des-monuments-historiques", Format: "csv"},
			As: "liste-des-immeubles-proteges-au-titre-des-monuments-historiques.csv", Rhythm: "monthly",
			Evidence: fetch.Read,
			Basis:    "public source code", ReadOn: "2026-10",
		}},
		Files: []source.Files{
			{Path: `(?i)(^|/)(base-)?merimee(-mh|-monuments-historiques)?([-_.](?P<vintage>20[0-9]{2}-[0-9]{2}-[0-9]{2}))?\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)liste-des-immeubles-proteges-au-titre-des-monuments-historiques\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)merimee-` + source.PlaceCode + `\.csv(\.gz)?$`},
		},
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "mixed", Lazy: true},
		Columns: []source.Column{
			{Name: "id", From: []string{"Reference", "Référence", "ref"}, Required: true},
			{Name: "title", From: []string{"Titre_editorial_de_la_notice", "Titre éditorial de la notice"},
				Internal: true},
			{Name: "building", From: []string{"Denomination_de_l_edifice", "Dénomination de l'édifice"},
				Internal: true},
			{Name: "commune", From: []string{"Commune_forme_index", "Commune (forme index)"}, Internal: true},
			{Name: "protection", From: []string{"Typologie_de_la_protection", "Typologie de la protection"},
				Internal: true},
			{Name: "protected_on", From: []string{"Date_et_typologie_de_la_protection",
				"Date et typologie de la protection"}, Internal: true},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object(
				'name', ` + fixPunctuation("coalesce(title, building)") + `,
				'protection', ` + fixPunctuation("protection") + `,
				'protectedOn', replace(` + protectionDay + `, '/', '-'),
				'commune', ` + fixPunctuation("commune") + `,
				'approximate', count(*) OVER (PARTITION BY commune, geom) > 2))`},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LatLonText, X: []string{"coordonnees_au_format_WGS84",
			"coordonnées au format WGS84"}, Optional: true,
			Subdivide: true, Bounds: source.France},
		Drop:   []string{"geom IS NULL"},
		Dedupe: source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{Queries: []string{source.WholeCountry("20000")}},
		Target: source.ShapeLayer("monument"),
		Covers: source.Covers("monument"),
	}
}
