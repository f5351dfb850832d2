package box_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/box"
	"arpent/app/dev/testkit"
)

// smallFiles declares a box of a table, two editions of a file of
// objects, a layer and the lists of an election.
var smallFiles = []box.File{
	{From: `table\.csv(?:\.gz)?`, To: "table/table.csv.gz", Make: box.Columns(';', "code", `year\d\d`),
		Totals: []box.Total{{Separator: ';', Column: "year21", Sum: 5}}},
	{From: `objects_(20\d\d)\.json`, To: "objects_$1.json.gz", Newest: true,
		Make: box.Members("communes", "kept")},
	{From: `layer\.geojson`, To: "layer.geojson.gz", Make: box.Properties("name")},
	{From: `lists\.jsonl`, To: "lists.jsonl.gz", Make: box.MunicipalLists},
}

// writeFull writes the full files of smallFiles.
func writeFull(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"a/table.csv":         "\ufeffcode;name;year21\n01001;L'Abergement;2\n2A004;Ajaccio \xe9;3\n",
		"b/objects_2023.json": `{"communes":{"01001":{"kept":1}}}`,
		"b/objects_2024.json": `{"meta":{},"communes":{"01001":{"left":0,"kept":1.50},"2A004":{"kept":null}}}`,
		"layer.geojson": `{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"properties":{"name":"A & B","left":1},
			"geometry":{"type":"Point","coordinates":[2.10,48.0]}}]}`,
		"lists.jsonl": `{"codeCommune":"01001","libelleCommune":"L","inscrits":679,"candidats":[{"numero":1,"libelleListe":"X","libelleAbrege":"x","voix":345}]}
{"codeCommune":"75101","sectorCode":"7501","candidats":[]}
`,
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testkit.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return folder
}

// The same full files give the same bytes: a rebuilt box without new editions is no change of the
// repository. Values keep the producer's digits.
func TestBuildsTheSameBytesTwice(t *testing.T) {
	t.Parallel()
	full := writeFull(t)
	var folders [2]string
	for i := range folders {
		folders[i] = t.TempDir()
		testkit.Must(box.Build(t.Context(), []string{full}, folders[i], smallFiles))(t)
	}
	for name, want := range map[string]string{
		"table/table.csv.gz":   "code;year21\n01001;2\n2A004;3\n",
		"objects_2024.json.gz": `{"communes":{"01001":{"kept":1.50},"2A004":{"kept":null}}}` + "\n",
		"layer.geojson.gz": `{"type":"FeatureCollection","features":[` + "\n" +
			`{"geometry":{"type":"Point","coordinates":[2.10,48.0]},"properties":{"name":"A & B"},"type":"Feature"}` + "\n]}\n",
		"lists.jsonl.gz": `{"candidats":[{"libelleListe":"X","numero":1,"voix":345}],"codeCommune":"01001","inscrits":679}` + "\n",
	} {
		var bytesOf [2][]byte
		for i, folder := range folders {
			content := testkit.Must(os.ReadFile(filepath.Join(folder, filepath.FromSlash(name))))(t)
			bytesOf[i] = content
		}
		if !bytes.Equal(bytesOf[0], bytesOf[1]) {
			t.Errorf("%s has other bytes the second time", name)
		}
		got, err := box.ReadFile(filepath.Join(folders[0], filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s holds\n%s\n%v; want\n%s", name, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(folders[0], "objects_2023.json.gz")); err == nil {
		t.Error("an older edition is in the box too")
	}
}

// A full file that is not there, lacks a column or has another total
// is named: a box without it would look whole.
func TestNamesWhatIsNotBuilt(t *testing.T) {
	t.Parallel()
	full := writeFull(t)
	files := []box.File{
		{From: `absent\.csv`, To: "absent.csv.gz"},
		{From: `table\.csv`, To: "column.csv.gz", Make: box.Columns(';', "area")},
		{From: `table\.csv`, To: "total.csv.gz", Totals: []box.Total{{Separator: ';', Column: "year21", Sum: 6}}},
		{From: `lists\.jsonl`, To: "lists.jsonl.gz"},
	}
	written, err := box.Build(t.Context(), []string{full}, t.TempDir(), files)
	if err == nil || len(written) != 1 {
		t.Fatalf("%d files are written: %v", len(written), err)
	}
	for _, want := range []string{"absent.csv.gz", "no column area", "add up to 5, the official total is 6"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said: %v", want, err)
		}
	}
}
