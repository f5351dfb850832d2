package buildings

import (
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// dpeSelect are the columns that are asked for, of some 230.
var dpeSelect = strings.Join([]string{
	"numero_dpe", "numero_dpe_remplace", "date_etablissement_dpe", "date_fin_validite_dpe", "etiquette_dpe",
	"etiquette_ges",
	"conso_5_usages_par_m2_ep", "emission_ges_5_usages_par_m2", "type_batiment", "annee_construction",
	"periode_construction",
	"surface_habitable_logement", "identifiant_ban", "code_insee_ban", "code_postal_brut",
	"coordonnee_cartographique_x_ban",
	"coordonnee_cartographique_y_ban", "_geopoint",
}, ",")

// dpeOrigins asks for one département at a time: the whole country would be one
// file of 1 600 pages, which cannot be resumed.
func dpeOrigins(dataset string, evidence fetch.Evidence, basis string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.DataFair{Host: "data.ademe.fr", Dataset: dataset, Select: dpeSelect,
			Filter: "code_departement_ban_eq={departement}", Format: "csv"},
		As: "dpe/" + dataset + "-{departement}.csv", Area: fetch.Departement, Rhythm: "weekly",
		Evidence: evidence, Basis: basis, ReadOn: "2026-10",
		Note: "Pages of 10 000 lines, some 2 MB each, at 500 KB a second. Diagnostics whose address was not found are of no département, and left out.",
	}}
}
