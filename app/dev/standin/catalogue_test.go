package standin_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/ingest/official"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

const (
	one = `{"type":"FeatureCollection","features":[{"type":"Feature","id":"way/7","properties":{"name":"A"},"geometry":{"type":"Point","coordinates":[2.5,48.9]}}]}`
	two = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"B"},"geometry":{"type":"Point","coordinates":[2.6,48.8]}}]}`
)

// declaration is a source of files that match an expression, with its origins.
func declaration(name, path string, origins ...fetch.Origin) source.Source {
	return source.Source{Name: name, Licence: source.LicenceOuverte, Files: []source.Files{{Path: `(^|/)` + path}}, Origins: origins}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files are what was fetched, by path.
func (f *fixture) files(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(f.dir, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(f.dir, path)
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") || !strings.Contains(name, "/") {
			return err
		}
		b, err := os.ReadFile(path)
		out[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// table is a table of so many rows, some with a line break in them.
func table(rows int) string {
	var out strings.Builder
	out.WriteString("a,b\n")
	for i := range rows {
		fmt.Fprintf(&out, "%d,\"x\ny\"\n", i)
	}
	return out.String()
}

// collection is a collection of so many features, as a service writes it.
func collection(n int) string {
	features := make([]string, n)
	for i := range n {
		features[i] = fmt.Sprintf(`{"id":%d}`, i)
	}
	return "{\"type\":\"FeatureCollection\",\"features\":[\n" + strings.Join(features, ",\n") + "\n]}\n"
}

// Each way in which producers publish is answered as they do: what was in the folder is what is fetched.
func TestEachWayOfPublishing(t *testing.T) {
	t.Parallel()
	const dep, com = fetch.Departement, fetch.Commune
	archive := loadkit.Archive(t, map[string]string{"zone.csv": "a\n1\n"})
	for name, tc := range map[string]struct {
		from  fetch.Resolver
		as    string
		area  fetch.Area
		path  string // of the files of the source
		files map[string]string
		want  map[string]string // what is fetched; an empty content is not compared
	}{
		"address with a year": {from: producer.At{Address: "https://a.fr/{year}.csv"}, as: "t-{year}.csv", path: `t-(?P<year>20\d\d)\.csv$`,
			files: map[string]string{"t-2024.csv": "a\n1\n", "t-2023.csv": "a\n2\n"}, want: map[string]string{"a.fr/t-2024.csv": "a\n1\n"}},
		"address with a quarter": {from: producer.At{Address: "https://a.fr/{year}T{quarter}.csv"}, as: "t-{year}T{quarter}.csv", path: `t-(?P<vintage>20\d\dT[1-4])\.csv$`,
			files: map[string]string{"t-2025T2.csv": "a\n1\n"}, want: map[string]string{"a.fr/t-2025T2.csv": "a\n1\n"}},
		"several years": {from: producer.At{Address: "https://a.fr/{year}.csv", Years: 2}, as: "t-{year}.csv", path: `t-(?P<year>20\d\d)\.csv$`,
			files: map[string]string{"t-2024.csv": "a\n1\n", "t-2023.csv": "a\n2\n", "t-2022.csv": "a\n3\n"},
			want:  map[string]string{"a.fr/t-2024.csv": "a\n1\n", "a.fr/t-2023.csv": "a\n2\n"}},
		"address of communes together": {from: producer.At{Address: "https://a.fr/{departement}.csv"}, as: "t-{departement}.csv", area: dep, path: `t-(?P<scope>\d+)\.csv$`,
			files: map[string]string{"t-93010.csv": "a\n1\n", "t-93011.csv": "a\n2", "t-35000.csv": "a\n3\n"}, want: map[string]string{"a.fr/t-93.csv": "a\n1\n2\n"}},
		"data.gouv.fr": {from: producer.DataGouv{Dataset: "d", File: `(?i)^bio-20\d\d\.csv$`, Newest: producer.All}, path: `bio-(?P<year>20\d\d)\.csv$`,
			files: map[string]string{"bio-2024.csv": "a\n1\n", "bio-2023.csv": "a\n2\n"},
			want:  map[string]string{"static.data.gouv.fr/bio-2024.csv": "a\n1\n", "static.data.gouv.fr/bio-2023.csv": "a\n2\n"}},
		"data.gouv.fr by id": {from: producer.DataGouv{Dataset: "d", Resource: "r", File: `\.zip$`}, path: `zones\.(zip|csv)$`,
			files: map[string]string{"zones.zip": archive}, want: map[string]string{"static.data.gouv.fr/zones.zip": archive}},
		"Opendatasoft": {from: producer.Opendatasoft{Host: "o.fr", Dataset: "d", Format: "csv", Where: "year={year}"}, as: "o_{year}.csv", path: `o_(?P<scope>20\d\d)\.csv$`,
			files: map[string]string{"o_2024.csv": "a,b\n1,\"2,3\"\n"}, want: map[string]string{"o.fr/o_2024.csv": "a;b\n1;2,3\n"}},
		"Opendatasoft, shapes": {from: producer.Opendatasoft{Host: "o.fr", Dataset: "d", Format: "geojson"}, path: `d\.geojson$`,
			files: map[string]string{"d.geojson": collection(3)}, want: map[string]string{"o.fr/d.geojson": collection(3)}},
		"attachment": {from: producer.Attachment{Host: "o.fr", Dataset: "d", Title: `^Indicateur`}, path: `Indicateur [^/]*\.csv$`,
			files: map[string]string{"Indicateur 2024.csv": "a\n1\n"}, want: map[string]string{"o.fr/Indicateur 2024.csv": "a\n1\n"}},
		"data-fair": {from: producer.DataFair{Host: "f.fr", Dataset: "d", Format: "csv", Filter: "dep_eq={departement}"}, as: "d-{departement}.csv", area: dep, path: `d-(?P<scope>\d\d)\.csv$`,
			files: map[string]string{"d-93.csv": table(600)}, want: map[string]string{"f.fr/d-93.csv": table(600)}},
		"data-fair, shapes": {from: producer.DataFair{Host: "f.fr", Dataset: "d", Format: "geojson"}, path: `d\.geojson$`,
			files: map[string]string{"d.geojson": collection(600)}, want: map[string]string{"f.fr/d.geojson": collection(600)}},
		"Melodi": {from: producer.Melodi{Dataset: "DS_X"}, as: "{served}.zip", path: `DS_X(_(?P<scope>20\d\d))?_CSV_FR\.zip$`,
			files: map[string]string{"DS_X_2024_CSV_FR.zip": archive}, want: map[string]string{"api.insee.fr/DS_X_2024_CSV_FR.zip": archive}},
		"IGN": {from: producer.Geoplateforme{Product: "BDTOPO", Format: "SHP", Edition: `^BDTOPO_3-[0-9]_TOUSTHEMES_`}, area: dep,
			path: `(BDTOPO_3_(?P<scope>\d{5})\.zip|BDTOPO_3-\d_TOUSTHEMES_SHP_LAMB93_D(?P<zone>\d{3})_[0-9-]+\.7z)$`, files: map[string]string{"BDTOPO_3_93010.zip": archive},
			want: map[string]string{"data.geopf.fr/BDTOPO_3-2_TOUSTHEMES_SHP_LAMB93_D093_*.7z": ""}},
		"WFS": {from: producer.WFS{Endpoint: "https://w.fr/wfs", Layer: "a:b"}, as: "b.geojson", path: `b\.geojson$`,
			files: map[string]string{"b.geojson": collection(600)}, want: map[string]string{"w.fr/b.geojson": collection(600)}},
		"bucket": {from: producer.S3{Bucket: "https://s.fr/b", Prefix: "p/q/", File: `^M_{departement}_20\d\d\.csv\.gz$`}, area: dep, path: `M_(?P<scope>\d\d)_(?P<year>20\d\d)\.csv(\.gz)?$`,
			files: map[string]string{"M_93_2024.csv.gz": "\x1f\x8b\b\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"}, want: map[string]string{"s.fr/M_93_2024.csv.gz": ""}},
		"document of a commune": {from: producer.Urbanisme{Partition: "DU_{commune}"}, area: com, path: `(?P<territory>\d{5})_PLU_\d{8}\.zip$`,
			files: map[string]string{"93010_PLU_20240101.zip": archive}, want: map[string]string{"www.geoportail-urbanisme.gouv.fr/93010_PLU_20240101.zip": archive}},
		"D4C": {from: producer.D4C{Host: "d.fr", Dataset: "x"}, path: `observatoire_\d{8}\.csv$`,
			files: map[string]string{"observatoire_20260827.csv": "a\n1\n"}, want: map[string]string{"d.fr/observatoire_20260827.csv": "a\n1\n"}},
		"OpenStreetMap": {from: producer.Overpass{Key: "shop", Value: "x"}, as: "osm-{departement}.geojson", area: dep, path: `osm-(?P<scope>\d\d)\.geojson$`,
			files: map[string]string{"osm-93.geojson": one}, want: map[string]string{"overpass-api.de/osm-93.geojson": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources := []source.Source{declaration("s", tc.path, fetch.Origin{From: tc.from, As: tc.as, Area: tc.area})}
			f := serve(t, sources, folder(t, tc.files))
			request := official.Request{Departements: []string{"93"}}
			if report := f.run(t, sources, request); report.Err() != nil || len(report.Results) != len(tc.want) {
				t.Fatalf("%d files: %v; lacking %+v", len(report.Results), report.Err(), f.Lacking())
			}
			compare(t, f.files(t), tc.want)
			for _, r := range f.run(t, sources, request).Results {
				if r.State != fetch.Unchanged {
					t.Errorf("%s is %s the second time", r.Item.Path, r.State)
				}
			}
		})
	}
}

// compare compares files. A name may have a star, a content that is expected to be empty may be any.
func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, content := range got {
		i := slices.IndexFunc(slices.Collect(maps.Keys(want)), func(w string) bool { found, _ := filepath.Match(w, name); return found })
		if i < 0 {
			t.Errorf("%s is not expected", name)
		} else if w := want[name]; w != "" && w != content {
			t.Errorf("%s is\n%.300q\nexpected\n%.300q", name, content, w)
		}
	}
}
