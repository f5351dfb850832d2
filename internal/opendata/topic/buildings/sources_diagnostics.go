package buildings

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// misplaced matches points outside the département of their codes: overseas addresses that were
// geocoded in the mainland, and the reverse.
const misplaced = `'97' IN (left(code_insee, 2), left(postcode, 2)) AND EXISTS (SELECT FROM ` + source.Overseas + ` AS d(code, box)
	WHERE (left(code_insee, 3) = d.code OR left(postcode, 3) = d.code) IS TRUE
	AND NOT geom @ ST_SetSRID(d.box::geometry, 4326))
	OR (coalesce(code_insee, postcode) !~ '^9[78]' AND ST_Y(geom) < 41)`

// DiagnosticSources returns the energy-performance diagnostics since July 2021. Older files follow another
// method and have other columns: without the required class column they are rejected.
func DiagnosticSources() []source.Source {
	existing := dpeSource("dpe", "Diagnostics de performance énergétique, logements existants", "03existant")
	existing.Covers = source.Covers("dpe")
	existing.Origins = dpeOrigins("dpe03existant", fetch.Read,
		"data-fair/data-fair, outputs.ts (select); other public source code (address, header; limits)")
	recent := dpeSource("dpe-neufs", "Diagnostics de performance énergétique, logements neufs", "02neuf")
	recent.Origins = dpeOrigins("dpe02neuf", fetch.Derived,
		"public source code (address); export as for dpe03existant")
	recent.Note = "Shown where the diagnostics of existing homes are loaded as well."
	return []source.Source{existing, recent}
}

func dpeSource(name, title, file string) source.Source {
	return source.Source{
		Name: name, Group: "energy", Title: title, Producer: "ADEME", Licence: source.LicenceOuverte,
		Homepage: "https://data.ademe.fr/datasets/dpe" + file,
		Files: []source.Files{{Path: `(?i)(^|/)dpe` + file + `([-_.]` + source.PlaceCode +
			`)?\.csv(\.gz|\.zip)?$`}},
		Read: source.Read{Format: source.CSV, Separator: "sniff"},
		Columns: []source.Column{
			{Name: "id", From: []string{"numero_dpe", "N°DPE"}, Required: true},
			{Name: "replaces", From: []string{"numero_dpe_remplace", "N°_DPE_remplacé"}},
			{Name: "date", From: []string{"date_etablissement_dpe", "Date_établissement_DPE"}, Kind: source.Date,
				Required: true},
			{Name: "valid_until", From: []string{"date_fin_validite_dpe", "Date_fin_validité_DPE"}, Kind: source.Date},
			{Name: "energy_class", From: []string{"etiquette_dpe", "Etiquette_DPE"}, Required: true, Match: "[A-G]"},
			{Name: "ghg_class", From: []string{"etiquette_ges", "Etiquette_GES"}, Match: "[A-G]"},
			{Name: "consumption", From: []string{"conso_5_usages_par_m2_ep", "Conso_5_usages_par_m²_é_primaire"},
				Kind: source.Number},
			{Name: "emissions", From: []string{"emission_ges_5_usages_par_m2", "emission_ges_5_usages par_m2",
				"Emission_GES_5_usages_par_m²"}, Kind: source.Number},
			{Name: "building_type", From: []string{"type_batiment", "Type_bâtiment"}},
			{Name: "built_year", From: []string{"annee_construction", "Année_construction"}, Kind: source.Integer},
			{Name: "built_period", From: []string{"periode_construction", "Période_construction"}},
			{Name: "living_area", From: []string{"surface_habitable_logement", "Surface_habitable_logement"},
				Kind: source.Number},
			{Name: "address_id", From: []string{"identifiant_ban", "Identifiant__BAN"}},
			{Name: "code_insee", From: []string{"code_insee_ban", "Code_INSEE_(BAN)"}, Pad: 5, Internal: true},
			{Name: "postcode", From: []string{"code_postal_brut", "code_postal_ban", "Code_postal_(brut)"}, Pad: 5,
				Internal: true},
			source.FileScope,
		},
		// _geopoint is computed as if all coordinates were in Lambert-93, which overseas
		// is wrong by thousands of kilometres.
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"coordonnee_cartographique_x_ban"},
			Y:    []string{"coordonnee_cartographique_y_ban"},
			SRID: source.Lambert93, SRIDByScope: source.OfficialSRID, Optional: true, Bounds: source.France,
			Else: &source.Geometry{From: source.LatLonText, X: []string{"_geopoint"}}},
		Reject: []source.Rule{{
			When:   misplaced,
			Reason: "'it is placed at ' || ST_AsText(geom, 3) || ', far from ' || coalesce(code_insee, postcode)",
		}},
		Dedupe: source.Dedupe{Key: []string{"id"}, Best: "date DESC"},
		Checks: source.Checks{MaxRefused: 0.05, Queries: []string{source.WholeDepartement("1000"),
			source.WholeCountry("100000")}},
		Target: source.Target{Table: "geo.dpe", Key: []string{"part", "id"}, Part: true, Create: tables},
	}
}
