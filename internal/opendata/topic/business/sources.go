// Package business declares the data on companies.
package business

import (
	_ "embed"

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
	s.Origins = placesOrigins
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
	s.Origins = companyOrigins
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
	s.Origins = establishmentOrigins
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
