package geocode_test

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
	"arpent/api/geocode/layout"
	"arpent/app/dev/testkit"
	"arpent/internal/snapshot"
)

// newIndex makes an index of the input and opens it.
func newIndex(t testing.TB, in build.Input) *geocode.Index {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index")
	err := snapshot.Write(path, layout.Format, "test", func(w *snapshot.Writer) error { return build.Build(t.Context(), w, in) })
	testkit.NoError(t, err)
	return testkit.Must(geocode.Open(path))(t)
}

// openGzip opens a file of the box, or one of the full files below "territory".
func openGzip(t testing.TB, path ...string) io.Reader {
	t.Helper()
	folder := testkit.Box(t)
	if path[0] == "territory" {
		folder = testkit.FullData(t)
	}
	f := testkit.Must(os.Open(filepath.Join(append([]string{folder}, path...)...)))(t)
	t.Cleanup(func() { f.Close() })
	return testkit.Must(gzip.NewReader(f))(t)
}

// readTable reads a CSV file; each row is by the names of the columns.
func readTable(t testing.TB, comma rune, header []string, path ...string) []map[string]string {
	t.Helper()
	r := csv.NewReader(openGzip(t, path...))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = comma, true, -1
	all := testkit.Must(r.ReadAll())(t)
	if header == nil {
		header, all = all[0], all[1:]
	}
	var out []map[string]string
	for _, row := range all {
		m := map[string]string{}
		for i, name := range header[:min(len(header), len(row))] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}

// shared is what most tests search in: France, and France with the addresses of the box. No test changes
// them.
var shared struct {
	readOnce, countryOnce, boxOnce sync.Once
	in                             build.Input
	country, box                   *geocode.Index
}

// countryIndex returns France and an index of it, made once for all tests.
func countryIndex(t testing.TB) (in build.Input, x *geocode.Index) {
	t.Helper()
	in = readCountry(t)
	shared.countryOnce.Do(func() { shared.country = newIndex(t, in) })
	return in, madeIndex(t, shared.country)
}

// boxIndex returns France with the addresses of the box and an index of it, made once for all tests.
func boxIndex(t testing.TB) (in build.Input, x *geocode.Index) {
	t.Helper()
	in = readCountry(t)
	in.Addresses = streamAddresses(readAddresses(t, false))
	shared.boxOnce.Do(func() { shared.box = newIndex(t, in) })
	return in, madeIndex(t, shared.box)
}

// madeIndex fails a test whose index another test failed to make.
func madeIndex(t testing.TB, x *geocode.Index) *geocode.Index {
	t.Helper()
	if x == nil {
		t.Fatal("the index was not made")
	}
	return x
}

// spread returns n of a list, at even distances.
func spread[T any](list []T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// cogRow is a row of the code officiel géographique.
type cogRow struct {
	Code, Nom, Type, Zone, Departement, Commune, ChefLieu string
	CodesPostaux, AnciensCodes                            []string
	Population                                            int
}

// cogRows are the rows of the code officiel géographique for communes.
func cogRows(t testing.TB) (rows []cogRow) {
	t.Helper()
	testkit.NoError(t, json.NewDecoder(openGzip(t, "cog", "communes-2026.json.gz")).Decode(&rows))
	return rows
}

// overseasCommunes are the communes of the overseas collectivities, without a département, as in the tables.
func overseasCommunes(t testing.TB) (out []build.Commune) {
	for _, c := range cogRows(t) {
		if c.Zone == "com" {
			out = append(out, build.Commune{Code: c.Code, Name: c.Nom, Population: c.Population, Postcodes: c.CodesPostaux})
		}
	}
	return out
}

// readCountry is the code officiel géographique, with the names of former times and of the post. It is read
// once: who adds to a list makes another one.
func readCountry(t testing.TB) build.Input {
	t.Helper()
	shared.readOnce.Do(func() { shared.in = readCountryFiles(t) })
	if len(shared.in.Communes) == 0 {
		t.Fatal("the files of the country were not read")
	}
	return shared.in
}

func readCountryFiles(t testing.TB) build.Input {
	t.Helper()
	communes := cogRows(t)
	var in build.Input
	for _, r := range readTable(t, ',', nil, "cog", "departements.csv.gz") {
		in.Departements = append(in.Departements, build.Departement{Code: r["DEP"], Name: r["LIBELLE"], Region: r["REG"]})
	}
	var regions []struct{ Code, Nom, Zone string }
	testkit.NoError(t, json.NewDecoder(openGzip(t, "cog", "regions.json.gz")).Decode(&regions))
	for _, r := range regions {
		if r.Zone != "com" {
			in.Regions = append(in.Regions, build.Region{Code: r.Code, Name: r.Nom})
		}
	}
	for _, c := range communes {
		switch {
		case c.Zone == "com":
		case c.Type == "commune-actuelle":
			in.Communes = append(in.Communes, build.Commune{Code: c.Code, Name: c.Nom, Departement: c.Departement,
				Population: c.Population, Postcodes: c.CodesPostaux, FormerCodes: c.AnciensCodes})
		default:
			in.Parts = append(in.Parts, build.Part{Arrondissement: c.Type == "arrondissement-municipal", Code: c.Code, Name: c.Nom,
				Commune: c.Commune + c.ChefLieu, Population: c.Population, Postcodes: c.CodesPostaux})
		}
	}
	slices.SortStableFunc(in.Communes, func(a, b build.Commune) int { return strings.Compare(a.Code, b.Code) })
	in.Parts = append(in.Parts, build.FormerNames(readMovements(t), in.Communes)...)
	for _, r := range readTable(t, ',', nil, "codes-postaux", "laposte-hexasmal-datanova-2025-06-19.csv.gz") {
		for _, name := range []string{r["libelle_d_acheminement"], r["ligne_5"]} {
			in.Postal = append(in.Postal, build.Postal{Commune: r["code_commune_insee"], Postcode: r["code_postal"], Name: name})
		}
	}
	return in
}

func readMovements(t testing.TB) []build.Movement {
	t.Helper()
	var out []build.Movement
	for _, r := range readTable(t, ',', nil, "cog", "mouvements-communes.csv.gz") {
		if r["COM_AV"] != "" {
			out = append(out, build.Movement{Day: r["DATE_EFF"], CodeBefore: r["COM_AV"], NameBefore: r["LIBELLE_AV"],
				CodeAfter: r["COM_AP"], NameAfter: r["LIBELLE_AP"]})
		}
	}
	return out
}

// readAddresses returns the addresses of the box, those of Bondy; full
// adds the full files: Mont-Bonvillers and BANO.
func readAddresses(t testing.TB, full bool) []build.Address {
	t.Helper()
	var out []build.Address
	for _, r := range readTable(t, ';', nil, "pilots", "adresses-93010_2025.csv.gz") {
		out = append(out, build.Address{Code: r["code_insee"], Name: fixMojibake(r["nom_voie"]), Postcode: r["code_postal"],
			Number: parseInt(r["numero"]), Suffix: r["rep"], At: parsePoint(r["lat"], r["lon"])})
	}
	if full {
		for _, r := range readTable(t, ';', nil, "territory", "addresses", "54084-mont-bonvillers", "adresses-54084.bal-1.3.csv.gz") {
			out = append(out, build.Address{Code: r["commune_insee"], Name: r["voie_nom"], Number: parseInt(r["numero"]), Suffix: r["suffixe"],
				At: parsePoint(r["lat"], r["long"])})
		}
		header := []string{"id", "number", "street", "postcode", "town", "origin", "lat", "lon"}
		for _, d := range []string{"05", "2A", "2B", "48", "90", "971", "972", "973"} {
			for _, r := range readTable(t, ',', header, "territory", "addresses", "bano-2016", "bano-"+d+".csv.gz") {
				digits := len(r["number"]) - len(strings.TrimLeft(r["number"], "0123456789"))
				out = append(out, build.Address{Code: r["id"][:5], Name: r["street"], Postcode: r["postcode"],
					Number: parseInt(r["number"][:digits]), Suffix: strings.TrimSpace(r["number"][digits:]), At: parsePoint(r["lat"], r["lon"])})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b build.Address) int {
		return strings.Compare(a.Code+"|"+a.Name+"|"+a.Postcode, b.Code+"|"+b.Name+"|"+b.Postcode)
	})
	return out
}

// fixMojibake gives a name as loading does: what was encoded twice in the file is repaired.
func fixMojibake(name string) string {
	if s, err := charmap.Windows1252.NewEncoder().String(name); err == nil && utf8.ValidString(s) {
		return s
	}
	return name
}

// streamAddresses gives a list of addresses as an index is built from them.
func streamAddresses(list []build.Address) func(context.Context, func(build.Address) error) error {
	return func(_ context.Context, each func(build.Address) error) error {
		for _, a := range list {
			if err := each(a); err != nil {
				return err
			}
		}
		return nil
	}
}

func parseInt(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func parsePoint(lat, lon string) geocode.Point {
	y, _ := strconv.ParseFloat(lat, 64)
	x, _ := strconv.ParseFloat(lon, 64)
	return geocode.Point{Lat: y, Lon: x}
}

// communeCodes are the communes of an answer, in order.
func communeCodes(r geocode.FoundPlaces) []string {
	var out []string
	for _, f := range r.Data {
		out = append(out, f.CodeInsee)
	}
	return out
}
