// Package heritage declares the data on protected monuments.
package heritage

import (
	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
)

// Sources returns the protected monuments.
func Sources() []source.Source { return []source.Source{merimee(), monumentsMontpellier()} }

// printable repairs the punctuation of Windows-1252 that other encodings read as control characters.
func printable(column string) string {
	return `translate(` + column + `, U&'\0085\0091\0092\0093\0094\0096\0097\009C', '…‘’“”–—œ')`
}

// protectionDay is the first date of "1981/10/29 : inscrit MH ; 1990/01/02 : classé MH".
const protectionDay = `substring(protected_on from '[0-9]{4}[/-][0-9]{2}[/-][0-9]{2}')`

// merimee declares the monuments of the ministry. Some are placed at the centre of their commune: several monuments of
// one commune at one point are marked as approximate.
func merimee() source.Source {
	return source.Source{
		Name: "monuments", Group: "heritage", Title: "Immeubles protégés au titre des monuments historiques",
		Producer: "Ministère de la Culture", Licence: source.LicenceOuverte,
		Homepage: "https://data.culture.gouv.fr/explore/dataset/liste-des-immeubles-proteges-au-titre-des-monuments-historiques",
		Origins: []fetch.Origin{{
			From: producer.Opendatasoft{Host: "data.culture.gouv.fr", Dataset: "liste-des-immeubles-proteges-au-titre-des-monuments-historiques", Format: "csv"},
			As:   "liste-des-immeubles-proteges-au-titre-des-monuments-historiques.csv", Rhythm: "monthly", Evidence: fetch.Read,
			Basis: "public source code", ReadOn: "2026-10",
		}},
		Files: []source.Files{
			{Path: `(?i)(^|/)(base-)?merimee(-mh|-monuments-historiques)?([-_.](?P<vintage>20[0-9]{2}-[0-9]{2}-[0-9]{2}))?\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)liste-des-immeubles-proteges-au-titre-des-monuments-historiques\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)merimee-` + source.PlaceCode + `\.csv(\.gz)?$`},
		},
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "mixed", Lazy: true},
		Columns: []source.Column{
			{Name: "id", From: []string{"Reference", "Référence", "ref"}, Required: true},
			{Name: "title", From: []string{"Titre_editorial_de_la_notice", "Titre éditorial de la notice"}, Internal: true},
			{Name: "building", From: []string{"Denomination_de_l_edifice", "Dénomination de l'édifice"}, Internal: true},
			{Name: "commune", From: []string{"Commune_forme_index", "Commune (forme index)"}, Internal: true},
			{Name: "protection", From: []string{"Typologie_de_la_protection", "Typologie de la protection"}, Internal: true},
			{Name: "protected_on", From: []string{"Date_et_typologie_de_la_protection", "Date et typologie de la protection"}, Internal: true},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object(
				'name', ` + printable("coalesce(title, building)") + `,
				'protection', ` + printable("protection") + `,
				'protectedOn', replace(` + protectionDay + `, '/', '-'),
				'commune', ` + printable("commune") + `,
				'approximate', count(*) OVER (PARTITION BY commune, geom) > 2))`},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LatLonText, X: []string{"coordonnees_au_format_WGS84", "coordonnées au format WGS84"}, Optional: true,
			Subdivide: true, Bounds: source.France},
		Drop:   []string{"geom IS NULL"},
		Dedupe: source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{Queries: []string{source.WholeCountry("20000")}},
		Target: source.ShapeLayer("monument"),
		Covers: source.Covers("monument"),
	}
}

// monumentsMontpellier declares the outlines of the protected buildings of one city, in Lambert-93 without a declared
// projection.
func monumentsMontpellier() source.Source {
	return source.Source{
		Name: "monuments-montpellier", Group: "heritage", Title: "Monuments historiques de Montpellier",
		Producer: "Ville de Montpellier", Licence: source.LicenceOuverte, Homepage: "https://data.montpellier3m.fr",
		Origins: []fetch.Origin{{ // the national list has the monuments of the city as well
			From:     producer.At{Address: "https://data.montpellier3m.fr/sites/default/files/ressources/VilleMTP_MTP_MonumentsHist.json"},
			OnDemand: true, Rhythm: "irregularly", Evidence: fetch.Derived,
			Basis: "public source code (the folder), the catalogue of the city (the name)", ReadOn: "2026-10",
		}},
		Files: []source.Files{{Path: `(?i)(^|/)(montpellier/monuments_historiques|VilleMTP_MTP_MonumentsHist)\.(geo)?json(\.gz)?$`}},
		Read:  source.Read{Format: source.GeoJSON},
		Columns: []source.Column{
			// The file only numbers its monuments by position.
			{Name: "id", SQL: "_line::text"},
			{Name: "name", From: []string{"DESIGNATIO"}, Internal: true},
			{Name: "protection", From: []string{"NATURE"}, Internal: true},
			{Name: "protected_on", From: []string{"DATE_"}, Internal: true},
			{Name: "attrs", SQL: `jsonb_strip_nulls(jsonb_build_object('name', ` + printable("name") + `, 'protection', protection, 'protectedOn',
				CASE WHEN protected_on ~ '^[0-9]{2} [0-9]{2} [0-9]{4}$'
					THEN substr(protected_on, 7) || '-' || substr(protected_on, 4, 2) || '-' || left(protected_on, 2) END,
				'commune', 'Montpellier', 'approximate', false))`},
		},
		Geometry: &source.Geometry{From: source.Feature, MetricSRID: source.Lambert93, Subdivide: true, Bounds: source.France},
		Target:   source.ShapeLayer("monument"),
		Covers:   []source.Coverage{{Layer: "monument_montpellier", Areas: "SELECT '34172'"}},
		Note:     "Used where the national list is not loaded.",
	}
}
