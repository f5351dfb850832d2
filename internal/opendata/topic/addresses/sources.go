// Package addresses declares the data on addresses and the places that are searched by name.
package addresses

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{baseAdresseNationale(), movementSource(), postcodeSource(), baseAdresseLocale(),
		lieuxDits(), banoSource()}
}

// listedParcels is SQL for the parcels of an address. A list of one needs no splitting, which takes three
// times as long.
const listedParcels = `CASE WHEN listed ~ '^` + source.IDU + `$' THEN ARRAY[listed]
	WHEN listed IS NOT NULL THEN (SELECT array_agg(p ORDER BY p)
		FROM string_to_table(translate(listed, ',; ', '|||'), '|') p WHERE p ~ '^` + source.IDU + `$') END`

func banSource(name, title string) source.Source {
	return source.Source{
		Name: name, Group: "addresses", Title: title, Producer: "DINUM, IGN, La Poste, communes",
		Homepage: "https://adresse.data.gouv.fr/outils/telechargements",
		Columns: []source.Column{
			{Name: "id", Required: true},
			// An address with several positions has one row for each.
			{Name: "place", SQL: "(row_number() OVER (PARTITION BY id ORDER BY _file, _line))::integer"},
			{Name: "numero", Kind: source.Integer},
			{Name: "rep"},
			{Name: "street", From: []string{"nom_voie"}, FixMojibake: true},
			{Name: "postcode", From: []string{"code_postal"}, Pad: 5},
			{Name: "code_insee", Required: true, Pad: 5, Match: source.CommuneCode},
			{Name: "commune", From: []string{"nom_commune"}, FixMojibake: true},
			{Name: "old_code", From: []string{"code_insee_ancienne_commune"}},
			{Name: "old_commune", From: []string{"nom_ancienne_commune"}, FixMojibake: true},
			{Name: "lieu_dit", From: []string{"nom_ld"}, FixMojibake: true},
			{Name: "position_type", From: []string{"type_position"}},
			{Name: "certified", From: []string{"certification_commune"}, Kind: source.Boolean},
			{Name: "listed", From: []string{"cad_parcelles"}, Internal: true},
			{Name: "parcels", SQL: listedParcels},
			source.FileScope,
		},
		Geometry: &source.Geometry{From: source.LonLat, X: []string{"lon"}, Y: []string{"lat"},
			Bounds: source.France},
		Reject: []source.Rule{source.OfScope("code_insee")},
		Checks: source.Checks{Queries: []string{source.WholeDepartement("10000"),
			source.WholeCountry("10000000")}},
		Target: source.Target{Table: "geo.adresse", Key: []string{"part", "id", "place"}, Part: true},
	}
}

func baseAdresseNationale() source.Source {
	s := banSource("ban", "Base Adresse Nationale")
	s.Licence = source.LicenceOuverte
	s.Origins = banOrigins(
		fetch.Origin{From: producer.At{Address: adresse + "csv/adresses-{departement}.csv.gz"}, Bytes: 17_098_791},
		fetch.Origin{From: producer.At{Address: adresse + "csv/adresses-france.csv.gz"}})
	const edition = `(_(?P<vintage>20[0-9]{2}(-[0-9]{2}-[0-9]{2})?))?`
	s.Files = []source.Files{
		{Path: `(^|/)adresses-` + source.PlaceCode + edition + `\.csv(\.gz)?$`},
		{Path: `(^|/)adresses-france` + edition + `\.csv(\.gz)?$`},
	}
	s.Read = source.Read{Format: source.CSV, Separator: "sniff", Nulls: []string{"NA"}}
	s.Covers = source.Covers("adresse")
	return s
}

const adresse = "https://adresse.data.gouv.fr/data/ban/adresses/latest/"

// banOrigins returns the origins of the Base Adresse Nationale: a file for each département, and one for
// France.
func banOrigins(departement, france fetch.Origin) []fetch.Origin {
	departement.Area, departement.Rhythm, france.Rhythm = fetch.Departement, "daily", "daily"
	return []fetch.Origin{departement, france}
}

const exchangeForm = "The BAN in the exchange format: the search reads it only in communes that the BAN lacks."
