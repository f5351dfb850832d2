package addresses

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Searched are the layers of house numbers that the search finds. A report has
// those of the Base Adresse Nationale alone.
var Searched = []string{"adresse", "adresse_locale", "adresse_bano"}

// movementSource declares the changes of communes: what each was called before, and what it became.
func movementSource() source.Source {
	return source.Source{
		Name: "cog-movements", Group: "cog", Title: "Code officiel géographique : événements survenus aux communes depuis 1943",
		Producer: "INSEE", Licence: source.LicenceOuverte, Homepage: "https://www.insee.fr/fr/information/2560452",
		Files: []source.Files{
			{Path: `(^|/)cog/mouvements-communes[^/]*\.csv(\.gz)?$`},
			{Path: `(^|/)v_mvt_?commune_?(?P<vintage>[0-9]{4})\.csv(\.gz)?$`},
		},
		// The page at INSEE has another number each year, of which the catalogue of data.gouv.fr keeps the newest.
		Origins: []fetch.Origin{{
			From: producer.DataGouv{Dataset: "code-officiel-geographique-cog",
				File: `(?i)^v_mvt_?commune_?20[0-9]{2}\.csv$`},
			Rhythm: "yearly", Derived: true,
		}, {
			From:   producer.At{Address: "https://www.insee.fr/fr/statistiques/fichier/8740222/v_mvt_commune_2026.csv"},
			Rhythm: "yearly",
		}},
		Read: source.Read{Format: source.CSV},
		Columns: []source.Column{
			{Name: "kind", From: []string{"MOD"}, Kind: source.Integer, Required: true},
			{Name: "day", From: []string{"DATE_EFF"}, Kind: source.Date, Required: true},
			{Name: "type_before", From: []string{"TYPECOM_AV"}},
			{Name: "code_before", From: []string{"COM_AV"}, Match: source.CommuneCode},
			{Name: "name_before", From: []string{"LIBELLE_AV"}},
			{Name: "type_after", From: []string{"TYPECOM_AP"}},
			{Name: "code_after", From: []string{"COM_AP"}, Match: source.CommuneCode},
			{Name: "name_after", From: []string{"LIBELLE_AP"}},
		},
		Drop: []string{"code_before IS NULL"}, // new communes, as those of Mayotte
		Rows: `SELECT kind, day, type_before, code_before, name_before, type_after, code_after, name_after FROM stage WHERE code_after IS NOT NULL`,
		Dedupe: source.Dedupe{Key: []string{"kind", "day", "type_before", "code_before", "name_before",
			"type_after", "code_after", "name_after"}},
		Checks: source.Checks{MinRows: 10000},
		Target: source.Target{Table: "geo.commune_movement",
			Key: []string{"kind", "day", "type_before", "code_before", "name_before", "type_after", "code_after",
				"name_after"}},
		Derived: []source.Derived{{Name: "ready_ended", Query: communesEnded,
			Target: source.Target{Table: "geo.commune_ended", Key: []string{"code"},
				Create: "CREATE TABLE geo.commune_ended (code text PRIMARY KEY, name text NOT NULL, day date NOT NULL);\n"}}},
	}
}

// communesEnded selects the communes that ended without a successor among communes: Saint-Barthélemy and
// Saint-Martin, which became collectivities in 2007.
const communesEnded = `SELECT DISTINCT ON (code_before) code_before AS code, coalesce(name_before, code_before) AS name, day
	FROM stage s WHERE code_after IS NULL AND type_before = 'COM'
		AND NOT EXISTS (SELECT FROM stage n WHERE n.code_after = s.code_before AND n.day > s.day)
	ORDER BY code_before, day DESC`

func postcodeSource() source.Source {
	return source.Source{
		Name: "postcodes", Group: "addresses", Title: "Base officielle des codes postaux", Producer: "La Poste",
		Licence: source.LicenceOuverte, Homepage: "https://www.data.gouv.fr/datasets/base-officielle-des-codes-postaux",
		Files: []source.Files{{Path: `(?i)(^|/)(laposte[-_]hexasmal|base-officielle-codes-postaux)[^/]*\.csv(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.First{
				producer.At{Address: "https://data.laposte.fr/data-fair/api/v1/datasets/laposte-hexasmal/raw"},
				producer.At{Address: "https://datanova.laposte.fr/data-fair/api/v1/datasets/laposte-hexasmal/metadata-attachments/" +
					"base-officielle-codes-postaux.csv"},
			},
			As: "laposte-hexasmal.csv", Bytes: 1_555_485, Rhythm: "half-yearly",
		}},
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "sniff"},
		Columns: []source.Column{
			{Name: "commune", From: []string{"code_commune_insee", "#Code_commune_INSEE"}, Required: true, Pad: 5,
				Match: source.CommuneCode},
			{Name: "postcode", From: []string{"code_postal"}, Required: true, Pad: 5, Match: `[0-9]{5}`},
			{Name: "label", From: []string{"libelle_d_acheminement", "libellé_d_acheminement"}, Required: true},
			{Name: "ligne_5", Internal: true},
			{Name: "locality", SQL: "coalesce(ligne_5, '')"},
		},
		Dedupe: source.Dedupe{Key: []string{"commune", "postcode", "label", "ligne_5"}},
		Checks: source.Checks{MinRows: 30000},
		Target: source.Target{Table: "geo.postcode", Key: []string{"commune", "postcode", "label", "locality"}},
	}
}

// baseAdresseLocale declares what a commune publishes of its own addresses, in exchange format 1.3.
func baseAdresseLocale() source.Source {
	return source.Source{
		Name: "bal", Group: "addresses", Title: "Bases adresses locales (format 1.3)", Producer: "communes",
		Licence:  source.LicenceOuverte,
		Homepage: "https://adresse.data.gouv.fr/bases-locales",
		Files: []source.Files{
			{Path: `(^|/)adresses-` + source.PlaceCode + `\.bal-1\.[0-9]\.csv(\.gz)?$`},
			{Path: `(^|/)bal-(` + source.PlaceCode + `|france)\.csv(\.gz)?$`},
		},
		// The files in the exchange format have the names of those of the BAN: they are saved under others.
		Origins: banOrigins(
			fetch.Origin{
				From: producer.At{Address: adresse + "csv-bal/adresses-{departement}.csv.gz"},
				As:   "bal-{departement}.csv.gz", OnDemand: true,
				Note: exchangeForm,
			},
			fetch.Origin{
				From: producer.At{Address: adresse + "csv-bal/adresses-france.csv.gz"},
				As:   "bal-france.csv.gz", OnDemand: true,
				Note: exchangeForm,
			}),
		Read: source.Read{Format: source.CSV, Separator: "sniff", Encoding: "sniff"},
		Columns: []source.Column{
			{Name: "id", From: []string{"cle_interop"}, Required: true},
			{Name: "place", SQL: "(row_number() OVER (PARTITION BY id ORDER BY _file, _line))::integer"},
			// 99999 stands for the street or locality itself.
			{Name: "listed_numero", From: []string{"numero"}, Kind: source.Integer, Internal: true},
			{Name: "numero", SQL: "nullif(listed_numero, 99999)"},
			{Name: "rep", From: []string{"suffixe"}},
			{Name: "street", From: []string{"voie_nom"}, Required: true, FixMojibake: true},
			{Name: "code_insee", From: []string{"commune_insee"}, Required: true, Pad: 5, Match: source.CommuneCode},
			{Name: "old_code", From: []string{"commune_deleguee_insee"}},
			{Name: "lieu_dit", From: []string{"lieudit_complement_nom"}, FixMojibake: true},
			{Name: "position_type", From: []string{"position"}},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"long"}, Y: []string{"lat"},
			Bounds: source.France},
		Reject: []source.Rule{source.OfScope("code_insee")},
		Checks: source.Checks{MaxRefused: 0.05},
		Target: source.Target{Table: "geo.adresse_locale", Key: []string{"part", "id", "place"}, Part: true},
		// Not every commune publishes one: a file of several covers those that are in it.
		Covers: []source.Coverage{{Layer: "adresse_locale", Areas: "SELECT DISTINCT code_insee FROM ready"}},
	}
}

func lieuxDits() source.Source {
	return source.Source{
		Name: "ban-lieux-dits", Group: "addresses", Title: "Base Adresse Nationale : lieux-dits",
		Producer: "DINUM, IGN, La Poste, communes",
		Licence:  source.LicenceOuverte, Homepage: "https://adresse.data.gouv.fr/outils/telechargements",
		Files: []source.Files{{Path: `(^|/)lieux-dits-((` + source.PlaceCode +
			`|france)(-beta)?|beta-france)\.csv(\.gz)?$`}},
		Origins: banOrigins(
			fetch.Origin{From: producer.At{Address: adresse + "csv/lieux-dits-{departement}-beta.csv.gz"}},
			fetch.Origin{
				From: producer.At{Address: adresse + "csv/lieux-dits-beta-france.csv.gz"},
			}),
		Read: source.Read{Format: source.CSV, Separator: "sniff"},
		Columns: []source.Column{
			{Name: "id", Required: true},
			{Name: "name", From: []string{"nom_lieu_dit"}, Required: true, FixMojibake: true},
			{Name: "postcode", From: []string{"code_postal"}, Pad: 5},
			{Name: "code_insee", Required: true, Pad: 5, Match: source.CommuneCode},
			{Name: "old_code", From: []string{"code_insee_ancienne_commune"}},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"lon"}, Y: []string{"lat"},
			Bounds: source.France},
		Reject: []source.Rule{source.OfScope("code_insee")},
		Dedupe: source.Dedupe{Key: []string{"id"}},
		Target: source.Target{Table: "geo.lieu_dit", Key: []string{"part", "id"}, Part: true},
	}
}

// banoSource declares the addresses of OpenStreetMap France; the first five characters of their identifier
// are the code of the commune. They stay in a table of their own.
func banoSource() source.Source {
	return source.Source{
		Name: "bano", Group: "addresses", Title: "Base d'adresses nationale ouverte (BANO)",
		Producer: "OpenStreetMap France",
		Licence:  source.Licence{Name: "ODbL 1.0", Open: false}, Homepage: "https://bano.openstreetmap.fr",
		Files: []source.Files{{Path: `(^|/)bano-(?P<scope>` + source.DepartementCode + `)\.csv(\.gz)?$`}},
		Origins: []fetch.Origin{{
			From: producer.At{Address: "https://bano.openstreetmap.fr/data/bano-{departement}.csv"},
			Area: fetch.Departement, Rhythm: "irregularly",
		}},
		Read: source.Read{Format: source.CSV, Header: []string{"id", "number", "street", "postcode", "town",
			"origin", "lat", "lon"}},
		Columns: []source.Column{
			{Name: "id", Required: true, Match: source.CommuneCode + `.*`},
			{Name: "place", SQL: "(row_number() OVER (PARTITION BY id ORDER BY _file, _line))::integer"},
			{Name: "number", Internal: true},
			{Name: "numero", SQL: "substring(number FROM '^[0-9]{1,5}')::integer"},
			{Name: "rep", SQL: "lower(nullif(btrim(substring(number FROM '^[0-9]+(.*)$')), ''))"},
			{Name: "street", Required: true, FixMojibake: true},
			{Name: "postcode", Match: `[0-9]{5}`},
			{Name: "code_insee", SQL: "left(id, 5)"},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"lon"}, Y: []string{"lat"},
			Bounds: source.France},
		Reject: []source.Rule{source.OfScope("left(id, 5)")},
		Checks: source.Checks{MaxRefused: 0.02},
		Target: source.Target{Table: "geo.adresse_bano", Key: []string{"part", "id", "place"}, Part: true},
		Covers: source.Covers("adresse_bano"),
		Note: "Under the ODbL, which asks to name it and to share alike: left out unless named. Once loaded, the search answers with it where no other " +
			"addresses of a commune are loaded, and else spells streets with its accents; those answers and the index file hold data under the ODbL, and the operator of the service has to name it.",
	}
}
