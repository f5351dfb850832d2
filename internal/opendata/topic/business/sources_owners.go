package business

import (
	_ "embed"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

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
		Evidence: fetch.Read, Basis: "public source code (names of the attachments 2021 to 2025)",
		ReadOn: "2026-09",
		Note:   "One of two archives: half of the départements each, a file a département.",
	}
}

// ownerHeader names the columns by their position, which has been the same since 2021: the producer's own
// names change with the edition, and "Contenance" is among them twice.
var ownerHeader = []string{"departement", "direction", "commune", "commune_name", "prefix", "section", "plan",
	"street_number", "repetition", "majic_street", "rivoli_street", "street_kind", "street", "area", "suf",
	"culture",
	"suf_area", "right", "majic", "siren", "group", "form", "form_short", "name"}

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
