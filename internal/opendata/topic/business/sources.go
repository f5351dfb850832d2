// Package business declares the data on companies.
package business

import (
	_ "embed"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed sirene_found.sql
var sireneFound string

//go:embed tables.sql
var tables string

// sireneReconcile brings names and positions of the establishments up to date
// when one of the other two files was loaded.
var sireneReconcile = `WITH e AS (SELECT part, id, public, lambert FROM geo.sirene), n AS (` + sireneFound + `)
UPDATE geo.sirene s SET name = n.name, geom = n.geom FROM n
WHERE n.part = s.part AND n.id = s.id AND (s.name, s.geom) IS DISTINCT FROM (n.name, n.geom)`

// sireneRows are the establishments of a stock.
var sireneRows = `WITH e AS (SELECT id, naf, head_office, employees, coalesce(diffusion, 'P') = 'O' AS public, ` + lambertPoint + ` AS lambert FROM stage)
` + sireneFound

// lambertPoint is the position in recent stocks, in the legal projection of the territory. Coordinates
// outside the range of the projection are dropped rather than guessed at.
const lambertPoint = `CASE
	WHEN x BETWEEN 50000 AND 1300000 AND y BETWEEN 6000000 AND 7200000 AND coalesce(code_insee, '') !~ '^9[78]'
		THEN ST_Transform(ST_SetSRID(ST_MakePoint(x, y), 2154), 4326)
	WHEN x BETWEEN 100000 AND 900000 AND y BETWEEN 0 AND 10000000 AND code_insee ~ '^97[1-46]'
		THEN ST_Transform(ST_SetSRID(ST_MakePoint(x, y), CASE left(code_insee, 3)
			WHEN '973' THEN 2972 WHEN '974' THEN 2975 WHEN '976' THEN 4471 ELSE 5490 END), 4326)
	END`

// sireneFile matches the path of a stock, of the country or cut to a département or commune.
func sireneFile(stock string) []source.Files {
	return []source.Files{{Path: `(^|/)` + stock + `(_utf8)?([-_.]` + source.PlaceCode +
		`)?\.(csv(\.gz)?|zip)$`}}
}

// sireneAreas returns the places for which both this load and one of
// the other file exist: the smaller of the two.
func sireneAreas(other string) string {
	return `SELECT CASE WHEN starts_with(l.scope, t.scope) THEN l.scope ELSE t.scope END FROM this_load t JOIN geo.load l
		ON l.source = '` + other + `' AND l.active AND (starts_with(l.scope, t.scope) OR starts_with(t.scope, l.scope))`
}

func sireneSource(name, title, table string) source.Source {
	return source.Source{
		Name: name, Group: "sirene", Title: title, Producer: "INSEE", Licence: source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/base-sirene-des-entreprises-et-de-leurs-etablissements-siren-siret",
		Read:     source.Read{Format: source.CSV, Separator: "sniff", Nulls: []string{"[ND]", "NN"}},
		Dedupe:   source.Dedupe{Key: []string{"id"}},
		Checks:   source.Checks{Queries: []string{source.WholeDepartement("1000"), source.WholeCountry("100000")}},
		Target: source.Target{Table: table, Key: []string{"part", "id"}, Part: true, After: sireneReconcile,
			Create: tables},
	}
}

// Sources returns the active establishments, from three files: positions, names of companies, establishments;
// and the owners of parcels that are legal persons.
func Sources() []source.Source {
	return []source.Source{sirenePlaces(), sireneCompanies(), sireneStock(), legalOwners()}
}

func sirenePlaces() source.Source {
	s := sireneSource("sirene-positions", "Géolocalisation des établissements du répertoire Sirene",
		"geo.sirene_place")
	s.Homepage = "https://www.data.gouv.fr/datasets/geolocalisation-des-etablissements-du-repertoire-sirene-pour-les-etudes-statistiques"
	s.Origins = stockOrigins("61d5e2d372a52d9f9411ff88", "ba6a4e4c-aac6-4764-bbd2-f80ae345afc5",
		"GeolocalisationEtablissement_Sirene_pour_etudes_statistiques_utf8", 0)
	s.Files = sireneFile(`(?i:GeolocalisationEtablissement_Sirene_pour_etudes_statistiques)`)
	s.Columns = []source.Column{
		{Name: "id", From: []string{"siret"}, Required: true, Pad: 14, Match: "[0-9]{14}"},
		{Name: "quality", From: []string{"qualite_xy"}, Kind: source.Integer},
		source.FileScope,
	}
	// epsg differs from row to row; the degrees are always there.
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"x_longitude"}, Y: []string{"y_latitude"},
		Optional: true, Bounds: source.France}
	s.Drop = []string{"geom IS NULL"}
	s.Checks.MaxRefused = 0.02 // the overseas collectivities are out of bounds
	s.Covers = []source.Coverage{{Layer: "sirene", Areas: sireneAreas("sirene")}}
	return s
}

// sireneCompanies declares the names of companies. Those of sole traders are not read, nor companies without
// a name or whose publication is restricted.
func sireneCompanies() source.Source {
	s := sireneSource("sirene-entreprises", "Sirene : unités légales", "geo.sirene_company")
	s.Origins = stockOrigins(registerDataset, "825f4199-cadd-486c-ac46-a65a8ea1a047", "StockUniteLegale_utf8", 0)
	s.Files = sireneFile("StockUniteLegale")
	s.Columns = []source.Column{
		{Name: "id", From: []string{"siren"}, Required: true, Pad: 9, Match: "[0-9]{9}"},
		{Name: "name", From: []string{"denominationUniteLegale"}},
		{Name: "diffusion", From: []string{"statutDiffusionUniteLegale"}, Internal: true},
		{Name: "form", From: []string{"categorieJuridiqueUniteLegale"}, Internal: true},
		source.FileScope,
	}
	s.Drop = []string{"name IS NULL", "diffusion = 'P'", "form LIKE '1%'"}
	s.Covers = nil
	return s
}

func sireneStock() source.Source {
	s := sireneSource("sirene", "Sirene : établissements", "geo.sirene")
	s.After = []string{"sirene-positions", "sirene-entreprises"}
	s.Origins = stockOrigins(registerDataset, "0651fb76-bcf3-4f6a-a38d-bc04fa708576", "StockEtablissement_utf8",
		2_600_000_000) // the size was read as 1.1 GB too
	s.Files = sireneFile("StockEtablissement")
	s.Columns = []source.Column{
		{Name: "id", From: []string{"siret"}, Required: true, Pad: 14, Match: "[0-9]{14}"},
		{Name: "naf", From: []string{"activitePrincipaleEtablissement"}},
		{Name: "head_office", From: []string{"etablissementSiege"}, Kind: source.Boolean},
		{Name: "employees", From: []string{"trancheEffectifsEtablissement"}},
		{Name: "diffusion", From: []string{"statutDiffusionEtablissement"}, Internal: true},
		{Name: "state", From: []string{"etatAdministratifEtablissement"}, Internal: true},
		{Name: "code_insee", From: []string{"codeCommuneEtablissement"}, Internal: true},
		{Name: "x", From: []string{"coordonneeLambertAbscisseEtablissement"}, Kind: source.Number, Internal: true},
		{Name: "y", From: []string{"coordonneeLambertOrdonneeEtablissement"}, Kind: source.Number, Internal: true},
		source.FileScope,
	}
	s.Drop = []string{"state IS DISTINCT FROM 'A'"}
	s.Rows, s.Target.After = sireneRows, ""
	// Without positions nothing is found around any parcel, which proves nothing.
	s.Covers = []source.Coverage{{Layer: "sirene",
		Areas: "SELECT scope FROM this_load WHERE EXISTS (SELECT FROM ready WHERE lambert IS NOT NULL) UNION " +
			sireneAreas("sirene-positions")}}
	s.Note = "Three files of one month belong together: positions, StockUniteLegale, StockEtablissement."
	return s
}

const (
	ownersDataset = "fichiers-des-locaux-et-des-parcelles-des-personnes-morales"
	// ownerPath is where the two archives are saved, and the files of single départements and communes by hand.
	ownerPath = `(?i)(^|/)parcelles-personnes-morales-`
)

// ownerOrigins are the two archives, each of half the départements. Where they are split changes with the
// edition.
var ownerOrigins = []fetch.Origin{ownerOrigin("1", `01_a_[0-9]+`), ownerOrigin("2", `[5-6][0-9]_a_976`)}

func ownerOrigin(half, departements string) fetch.Origin {
	return fetch.Origin{
		From: producer.Attachment{Host: "data.economie.gouv.fr", Dataset: ownersDataset,
			Title: `^fichiers?_des_parcelles_.*20[0-9]{2}_de?pts?_` + departements},
		As: "parcelles-personnes-morales-{year}-" + half + ".zip", Bytes: 245_000_000, Rhythm: "yearly",
		ReadOn: "2026-09",
		Note:   "One of two archives: half of the départements each, a file a département.",
	}
}

// ownerHeader names the columns by their position, which has been the same since 2021: the producer's own
// names change with the edition, and "Contenance" is among them twice.
var ownerHeader = []string{"departement", "direction", "commune", "commune_name", "prefix", "section", "plan",
	"street_number", "repetition", "majic_street", "rivoli_street", "street_kind", "street", "area", "suf",
	"culture", "suf_area", "right", "majic", "siren", "group", "form", "form_short", "name"}

// ownerCommune is the code of the commune: overseas the number of the commune begins with the third figure of
// the département.
const ownerCommune = `(left(departement, 2) || commune)`

//go:embed owners_rows.sql
var ownerRows string

// legalOwners declares the owners of parcels that are legal persons, a row a right on a part of a parcel
// (SUF).
func legalOwners() source.Source {
	return source.Source{
		Name: "legal-owners", Group: "owners", Title: "Fichier des parcelles des personnes morales",
		Producer: "DGFiP",
		Licence:  source.LicenceOuverte,
		Homepage: "https://data.economie.gouv.fr/explore/dataset/" + ownersDataset + "/",
		Origins:  ownerOrigins,
		Files: []source.Files{
			{Path: ownerPath + `(?P<vintage>20[0-9]{2})-[12]\.zip$`, GroupByScope: true},
			{Path: ownerPath + source.PlaceCode + `-(?P<vintage>20[0-9]{2})\.csv(\.gz)?$`},
			{Path: `(?i)(^|/)fichiers?[-_ ]des[-_ ]parcelles[-_ ].*(?P<vintage>20[0-9]{2}).*[-_.]zip$`,
				GroupByScope: true},
			{Path: `(^|/)PM_(?P<yy>[0-9]{2})_NB_(?P<scope>97[1-6]|2[AB]|[0-9]{2})0?\.(csv|txt)(\.gz)?$`},
		},
		Read: source.Read{Format: source.CSV, Member: `(?i)(^|/)P[MB]_[0-9]{2}_NB_[^/]*\.(csv|txt)$`,
			AllMembers: true,
			Header:     ownerHeader, Skip: 1, Separator: ";", Encoding: "mixed", Lazy: true},
		Columns: []source.Column{
			{Name: "departement", Required: true, Pad: 2, Match: `2[AB]|97[1-6]?|[0-9]{2}`},
			{Name: "commune", Required: true, Pad: 3, Match: `[0-9]{3}`},
			{Name: "prefix", Pad: 3, Match: `[0-9]{3}`},
			{Name: "section", Required: true, Pad: 2, Match: `[0-9A-Z]{2}`},
			{Name: "plan", Required: true, Pad: 4, Match: `[0-9]{4}`},
			{Name: "right", Match: `[A-Z0-9]{1,2}( *- .*)?`},
			{Name: "siren", Match: `[0-9A-Z]{1,10}`}, // U and a number where there is none
			{Name: "group", Required: true, Match: `[0-9]( *- .*)?`},
			{Name: "form"},
			{Name: "name", FixMojibake: true, Persons: source.LegalPersonName},
			source.FromPath("vintage"),
			{Name: "year", From: []string{}, Template: "20{yy}", Internal: true},
			source.FileScope,
		},
		Rows: ownerRows,
		Reject: []source.Rule{
			{When: ownerCommune + ` IN ('75056', '69123', '13055')`,
				Reason: ownerCommune + ` || ' is a city of arrondissements, of which the cadastre has no parcel'`},
			source.OfScope(ownerCommune),
		},
		Vintage: "max(year)",
		Checks:  source.Checks{Queries: []string{source.WholeDepartement("1000")}},
		Target:  source.FactLayer("legal_owner"),
		Covers: []source.Coverage{{Layer: "legal_owner", Areas: `SELECT scope FROM this_load WHERE scope <> ''
			UNION SELECT DISTINCT CASE WHEN left(r.id, 2) = '97' THEN left(r.id, 3) ELSE left(r.id, 2) END
			FROM ready r, this_load t WHERE t.scope = ''`}},
		Note: "Legal persons alone. Each edition replaces the one before; both archives belong together.",
	}
}

// stockOrigins is a file that INSEE replaces on the first of each month, under the same name.
func stockOrigins(dataset, resource, file string, bytes int64) []fetch.Origin {
	return []fetch.Origin{{
		From: producer.DataGouv{Dataset: dataset, Resource: resource, File: "^" + file + `\.zip$`},
		As:   "sirene/" + file + ".zip", Bytes: bytes, Rhythm: "monthly",
	}}
}

const registerDataset = "5b7ffc618b4c4169d30727e0"
