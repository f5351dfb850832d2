// Package buildings declares the data on buildings, the condominiums that own them and the energy that homes
// need.
package buildings

import (
	_ "embed"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

var (
	//go:embed tables.sql
	tables string
	//go:embed condominium_parcels.sql
	condominiumParcels string
	//go:embed condominium_rows.sql
	condominiumRows string
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{buildingSource(), buildingObjects(), condominiumSource()}
}

// unplacedCondominium leaves out the condominiums that are on no parcel of today: the register does not
// require a parcel, and does not follow one that is divided.
var unplacedCondominium = source.Rule{
	When: "false",
	Reason: `CASE WHEN coalesce(reference_1, reference_2, reference_3) IS NULL THEN 'it names no parcel'
		ELSE 'no parcel of today, or more than one, fits '
			|| concat_ws(', ', reference_1, reference_2, reference_3) END`,
	LeaveOut: "ctid NOT IN (SELECT place FROM joined)",
}

// condominiumSource declares the register of condominiums. The daily file and the earlier ones have names of
// their own for the same columns.
func condominiumSource() source.Source {
	representative := []string{"raison_sociale_representant_legal", "raison_sociale_du_representant_legal"}
	return source.Source{
		Name: "rnic", Group: "buildings", Title: "Registre national d'immatriculation des copropriétés",
		Producer: "ANAH", Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/registre-national-dimmatriculation-des-coproprietes",
		After:    []string{"parcelles-etalab", "parcelles-ign-shp", "sirene-entreprises"},
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "registre-national-dimmatriculation-des-coproprietes",
				Resource: "3ea8e2c3-0038-464a-b17e-cd5c91f65ce2", File: `(?i)^([0-9]{8}-)?rnc-data-gouv-with-qpv\.csv$`},
			As: "rnic/{served}", Bytes: 437_000_000, Rhythm: "daily",
			Note: "The resource “RNIC - Actualisation quotidienne”; the yearly and quarterly ones have other " +
				"columns.",
		}},
		Files: []source.Files{{Path: `(?i)(^|/)((?P<vintage>[0-9]{8})-)?(rnc-data-gouv[^/]*|rnic([-_.]` +
			source.PlaceCode + `)?)\.csv(\.gz|\.zip)?$`}},
		Read: source.Read{Format: source.CSV, Separator: "sniff",
			Nulls: []string{"non connu", "Non connu", "NON_CONNU", "NON_CONNUE",
				"Identité non partagée en Open Data"}},
		Columns: []source.Column{
			{Name: "id", From: []string{"numero_immatriculation", "numero_d_immatriculation"}, Required: true},
			{Name: "name", From: []string{"nom_usage_copropriete", "nom_d_usage_de_la_copropriete"},
				Persons: source.LegalPersonName},
			{Name: "address", From: []string{"adresse_reference", "adresse_de_reference"}},
			{Name: "lots", From: []string{"nombre_total_lots", "nombre_total_de_lots"}, Kind: source.Integer,
				Internal: true},
			{Name: "main_lots", From: []string{"nombre_lots_habitation_bureaux_commerces",
				"nombre_total_de_lots_a_usage_d_habitation_de_bureaux_ou_de_comm"}, Kind: source.Integer},
			{Name: "housing_lots", From: []string{"nombre_lots_habitation", "nombre_de_lots_a_usage_d_habitation"},
				Kind: source.Integer},
			{Name: "parking_lots", From: []string{"nombre_lots_stationnement", "nombre_de_lots_de_stationnement"},
				Kind: source.Integer},
			{Name: "built_period", From: []string{"periode_construction", "periode_de_construction"}},
			{Name: "updated", From: []string{"date_derniere_maj", "date_de_la_derniere_maj"}, Kind: source.Date},
			source.Internal("kind", "type_syndic", "type_de_syndic_benevole_professionnel_non_connu"),
			{Name: "organisation", From: representative, Internal: true, Persons: source.KnownOrganisationName},
			{Name: "representative", From: representative, Internal: true},
			{Name: "siret", From: []string{"siret_representant_legal", "siret_du_representant_legal"}, Pad: 14,
				Internal: true},
			// code_officiel_commune holds the postcode.
			source.Internal("code_insee", "code_officiel_arrondissement_commune"),
			source.Internal("reference_1", "reference_cadastrale_1"),
			source.Internal("reference_2", "reference_cadastrale_2"),
			source.Internal("reference_3", "reference_cadastrale_3"),
			{Name: "parcel_count", From: []string{"nombre_parcelles", "nombre_de_parcelles_cadastrales"},
				Kind: source.Integer},
			source.FileScope,
		},
		Join:    condominiumParcels,
		Rows:    condominiumRows,
		Vintage: "max(updated)::text",
		Reject:  []source.Rule{unplacedCondominium},
		Dedupe:  source.Dedupe{Key: []string{"id"}, Best: "updated DESC NULLS LAST"},
		Checks:  source.Checks{Queries: []string{source.WholeDepartement("100"), source.WholeCountry("100000")}},
		Target:  source.Target{Table: "geo.condominium", Key: []string{"part", "id"}, Part: true, Create: tables},
		Covers:  source.Covers("condominium"),
		Note: "The parcels are looked up in the cadastre: it is loaded first. Of the references of Marseille, " +
			"which lack the arrondissement or the prefix, those that one parcel fits are used.",
	}
}

// keptPlots are the parcels that a building of the RNB lies on, in the path language of JSON. The RNB lists
// every parcel that the outline touches, with the share of the building on it. Less than a twentieth comes
// from outlines that are not drawn alike, and is left out as on the site of the RNB.
const keptPlots = `'$[*] ? (@.bdg_cover_ratio >= 0.05 && @.id like_regex "^` + source.IDU + `$")'`

// buildingSource declares the register of buildings. Who validated a building is not read.
func buildingSource() source.Source {
	return source.Source{
		Name: "rnb", Group: "buildings", Title: "Référentiel national des bâtiments",
		Producer: "RNB; DINUM; IGN; CSTB", Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/referentiel-national-des-batiments",
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://rnb-opendata.s3.fr-par.scw.cloud/files/RNB_{departement}.csv.zip"},
			As:   "rnb/RNB_{departement}.csv.zip", Area: fetch.Departement, Rhythm: "weekly",
			Note: "A large département is 1 GB, nine tenths of it outlines. RNB_nat.csv.zip has all of them once " +
				"more and is not read.",
		}},
		Files: []source.Files{{Path: `(^|/)RNB_` + source.PlaceCode + `\.csv(\.gz|\.zip)?$`}},
		Read:  source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "id", From: []string{"rnb_id"}, Required: true, Match: "[0-9A-Z]{12}"},
			{Name: "status", Required: true},
			{Name: "plots", Kind: source.Objects, Internal: true},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.WKT, X: []string{"shape"}, Optional: true, Bounds: source.France},
		Rows: `SELECT p.idu, s.id, s.status, p.share, s.area
			FROM (SELECT *, CASE ST_Dimension(geom) WHEN 2 THEN ST_Area(geom::geography) END AS area
				FROM stage OFFSET 0) s
			CROSS JOIN LATERAL (SELECT plot->>'id' AS idu, max((plot->>'bdg_cover_ratio')::float8) AS share
				FROM jsonb_path_query(s.plots, ` + keptPlots + `) plot GROUP BY 1) p`,
		Reject: []source.Rule{
			{When: `plots @? '$[*].bdg_cover_ratio ? (@.type() == "string" || @.type() == "boolean" || @ < 0)'`,
				Reason: "'a share in its plots is no number: ' || left(plots::text, 100)"},
			{When: "false", LeaveOut: "status NOT IN ('constructed', 'ongoingChange', 'notUsable')",
				Reason: "'it does not stand: its status is ' || status"},
			{When: "false", LeaveOut: "(plots @? " + keptPlots + ") IS NOT TRUE",
				Reason: "'no parcel has a twentieth of it: ' || left(coalesce(plots::text, ''), 100)"},
		},
		Dedupe: source.Dedupe{Key: []string{"id"}},
		Checks: source.Checks{Queries: []string{source.WholeDepartement("10000")}},
		Target: source.Target{Table: "geo.building", Key: []string{"part", "idu", "id"}, Part: true,
			Create: tables},
		Covers: source.Covers("building"),
	}
}

// buildingObjects declares the details that BD TOPO has of the buildings of the RNB, by their identifiers. An
// object may be several buildings, and a building several objects: its height is then that of the highest,
// its use and year those on which all agree, and its dwellings are known where no object is another building
// too.
func buildingObjects() source.Source {
	const table = "batiment"
	return source.Source{
		Name: "bdtopo-batiments", Group: "buildings", Title: "BD TOPO : bâtiments", Producer: "IGN",
		Licence:  source.LicenceOuverte,
		Homepage: "https://geoservices.ign.fr/bdtopo",
		Origins:  source.BDTopo,
		Files: append(source.InDelivery("BDTOPO_", table, "shp")[:1],
			source.BDTopoArchive, source.Files{Path: `(?i)(^|/)BDTOPO_[^/]*` + source.IGNDelivery + `[^/]*\.zip$`}),
		Read: source.Read{Format: source.Shapefile, Member: `(?i)(^|/)` + table + `\.shp$`, Optional: true},
		Columns: []source.Column{
			{Name: "object", From: []string{"ID"}, Required: true},
			{Name: "buildings", From: []string{"IDS_RNB"}},
			{Name: "height", From: []string{"HAUTEUR"}, Kind: source.Number},
			{Name: "floors", From: []string{"NB_ETAGES"}, Kind: source.Integer},
			{Name: "use", From: []string{"USAGE1"}},
			{Name: "second_use", From: []string{"USAGE2"}},
			{Name: "dwellings", From: []string{"NB_LOGTS"}, Kind: source.Integer},
			{Name: "appeared", From: []string{"DATE_APP"}},
			{Name: "matched", From: []string{"APP_FF"}},
		},
		// Unknown floors and dwellings are 0. A year comes from the land-tax files: it is taken where the match
		// with them is of the best class.
		Rows: `SELECT b.id, max(nullif(height, 0)) AS height, max(nullif(floors, 0)) AS floors,
				CASE WHEN count(DISTINCT use) = 1 THEN nullif(min(use), 'Indifférencié') END AS use,
				CASE WHEN count(DISTINCT second_use) = 1 THEN nullif(min(second_use), 'Indifférencié') END
					AS second_use,
				CASE WHEN bool_and(b.shared = 1 AND coalesce(dwellings, 0) > 0) THEN sum(dwellings)::integer END
					AS dwellings,
				CASE WHEN count(DISTINCT b.year) = 1 THEN min(b.year) END AS built_year
			FROM stage CROSS JOIN LATERAL (SELECT btrim(x) AS id, count(*) OVER () AS shared,
				CASE WHEN matched LIKE 'A%' THEN substring(appeared FROM '^[12][0-9]{3}')::integer END AS year
				FROM string_to_table(buildings, '/') x) b
			WHERE b.id ~ '^[0-9A-Z]{12}$' GROUP BY b.id`,
		Reject: []source.Rule{{When: "false", LeaveOut: "buildings IS NULL OR buildings !~ '[0-9A-Z]{12}'",
			Reason: "'the object ' || object || ' has no identifier of the RNB'"}},
		Dedupe: source.Dedupe{Key: []string{"object"}},
		Target: source.Target{Table: "geo.building_object", Key: []string{"part", "id"}, Part: true,
			Create: tables},
		// An archive may lack the layer: then it covers nothing.
		Covers: []source.Coverage{{Layer: "building_object", Areas: "SELECT area FROM (" + source.IGNAreas +
			") a (area) WHERE EXISTS (SELECT FROM ready)"}},
		Note: "The Shapefiles; shown on the parcels for which rnb is loaded.",
	}
}

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
	existing.Origins = dpeOrigins("dpe03existant")
	recent := dpeSource("dpe-neufs", "Diagnostics de performance énergétique, logements neufs", "02neuf")
	recent.Origins = dpeOrigins("dpe02neuf")
	recent.Origins[0].Derived = true
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
func dpeOrigins(dataset string) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.DataFair{Host: "data.ademe.fr", Dataset: dataset, Select: dpeSelect,
			Filter: "code_departement_ban_eq={departement}", Format: "csv"},
		As: "dpe/" + dataset + "-{departement}.csv", Area: fetch.Departement, Rhythm: "weekly",
		Note: "Pages of 10 000 lines, some 2 MB each, at 500 KB a second. Diagnostics whose address was not found are of no département, and left out.",
	}}
}
