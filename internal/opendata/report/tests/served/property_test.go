package served_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/ingest"
)

// asServed is a file under the name and in the layout in which its producer serves
// it, and what a query gives once it is loaded.
type asServed struct {
	source, file, content string
	rows, refused         int64
	query, want           string
}

// loadsAsServed fails the test unless the files are loaded as they are served, one after the other, each in a
// folder of its own. Checks of whole files, which small ones cannot pass, are left out.
func (b *fixture) loadsAsServed(files ...asServed) {
	b.T.Helper()
	for _, f := range files {
		src := b.Source(f.source)
		src.Checks.MinRows, src.Checks.Queries = 0, nil
		b.Data = b.T.TempDir()
		b.Write(f.file, f.content)
		out, err := b.Loads(src)
		if err != nil || len(out) != 1 {
			b.T.Errorf("%s, %s: %d loads, %v", f.source, f.file, len(out), err)
			continue
		}
		loaded(b.T, out[0], f.rows, f.refused)
		(&loadkit.Fixture{T: b.T, DB: b.DB}).Want(f.query, f.want)
	}
}

const servedSales = "id_mutation,date_mutation,numero_disposition,nature_mutation,valeur_fonciere,adresse_numero,adresse_suffixe,adresse_nom_voie," +
	"adresse_code_voie,code_postal,code_commune,nom_commune,code_departement,ancien_code_commune,ancien_nom_commune,id_parcelle,ancien_id_parcelle," +
	"numero_volume,lot1_numero,lot1_surface_carrez,lot2_numero,lot2_surface_carrez,lot3_numero,lot3_surface_carrez,lot4_numero,lot4_surface_carrez," +
	"lot5_numero,lot5_surface_carrez,nombre_lots,code_type_local,type_local,surface_reelle_bati,nombre_pieces_principales,code_nature_culture," +
	"nature_culture,code_nature_culture_speciale,nature_culture_speciale,surface_terrain,longitude,latitude\n"

// servedSale is a line of the file of a year.
func servedSale(year, price int) string {
	return fmt.Sprintf("%[1]d-1,%[1]d-03-04,000001,Vente,%[2]d,12,,RUE DE L'ESSAI,0123,93140,93010,Bondy,93,,,930100000A0001,,,,,,,,,,,,,"+
		"0,1,Maison,95,4,S,sols,,,200,2.4805,48.9005\n", year, price)
}

// Sales are read from the files of years and from those of all years,
// of the country, a département or a commune.
func TestSalesAsServed(t *testing.T) {
	t.Parallel()
	const query = "SELECT part, mutation, price FROM geo.dvf"
	for file, part := range map[string]string{
		"dvf/2024/full.csv.gz":                  "dvf",
		"dvf.csv.gz":                            "dvf",
		"full-2024.csv.gz":                      "dvf",
		"dvf/2024/departements/93.csv.gz":       "dvf/93",
		"dvf/2024/communes/93/93010.csv":        "dvf/93010",
		"geo-dvf/2024/departements/93.csv":      "dvf/93",
		"geo-dvf/2024/communes/93/93010.csv.gz": "dvf/93010",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			content := servedSales + servedSale(2024, 310000)
			if strings.HasSuffix(file, ".gz") {
				content = loadkit.Zipped(content)
			}
			newFixture(t).loadsAsServed(asServed{"dvf", file, content, 1, 0, query, part + "|2024-1|310000"})
		})
	}
}

// A file of all years next to those of single years would show each sale twice: the load is rejected.
func TestSalesOfAYearTwice(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.Write("dvf/2023/full.csv", servedSales+servedSale(2023, 300000))
	b.Write("dvf.csv", servedSales+servedSale(2023, 300000)+servedSale(2024, 310000))
	out := b.TryLoad("dvf")
	if out.State != ingest.Refused {
		t.Fatalf("the load is %s", out.State)
	}
	loadkit.Contains(t, out.Err, "the sales of 2023 are in 2 of its files")
}

// The export of diagnostics has a blank in the name of one column, and overseas a
// position that is computed in the wrong projection.
func TestEnergyAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const header = "\ufeffnumero_dpe,numero_dpe_remplace,date_etablissement_dpe,date_fin_validite_dpe,etiquette_dpe,etiquette_ges,conso_5_usages_par_m2_ep," +
		"emission_ges_5_usages par_m2,type_batiment,annee_construction,periode_construction,surface_habitable_logement,identifiant_ban,code_insee_ban," +
		"code_postal_brut,coordonnee_cartographique_x_ban,coordonnee_cartographique_y_ban,_geopoint\n"
	row := func(commune string, srid int, lon, lat float64, geopoint string) string {
		x, y := b.Projected(lon, lat, srid)
		return header + fmt.Sprintf("2499E0000001A,,2024-01-05,2034-01-04,D,B,212,9.4,maison,1954,1948-1974,95.5,,%s,%s,%.2f,%.2f,%q\n",
			commune, commune, x, y, geopoint)
	}
	const query = "SELECT id, emissions, round(ST_X(geom)::numeric, 4) AS lon, round(ST_Y(geom)::numeric, 4) AS lat FROM geo.dpe WHERE part = "
	b.loadsAsServed(
		asServed{"dpe", "dpe/dpe03existant-93.csv", row("93010", 2154, 2.4805, 48.9005, "48.9005,2.4805"), 1, 0,
			query + "'dpe/93'", "2499E0000001A|9.4|2.4805|48.9005"},
		asServed{"dpe", "dpe/dpe03existant-974.csv", row("97411", 2975, 55.45, -20.88, "57.91,-2.74"), 1, 0,
			query + "'dpe/974'", "2499E0000001A|9.4|55.4500|-20.8800"},
		asServed{"dpe-neufs", "dpe/dpe02neuf-971.csv", row("97105", 5490, -61.72, 16, "-3.2,-4.1"), 1, 0,
			query + "'dpe-neufs/971'", "2499E0000001A|9.4|-61.7200|16.0000"},
	)
}
