package format_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// wantFacts loads a file of a source of facts and compares the rows, and the lines that are refused.
func wantFacts(t *testing.T, s source.Source, content, rows, refused string) {
	t.Helper()
	b := loadkit.New(t, s)
	b.File("facts.x", content)
	out := b.MustLoad()["facts"]
	b.Want("SELECT id, attrs FROM geo.enrich_radon", rows)
	var got []string
	for _, r := range out.Rejections {
		got = append(got, fmt.Sprintf("%d: %s", r.Line, r.Reason))
	}
	if strings.Join(got, "\n") != refused {
		t.Errorf("refused %q; want %q", got, refused)
	}
}

// The layouts that French producers have come up with give the rows that are meant.
func TestUnusualLayouts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, content string
		read          source.Read
		columns       []source.Column
		rows          string // id and attrs
		refused       string
	}{
		{
			name: "a header that repeats a name", content: "id;CODE RISQUE;Code risque ;x\n1;11;12;a\n2;;13;\n",
			read:    source.Read{Format: source.CSV, Separator: ";"},
			columns: loadkit.Columns("one=code risque", "two=CODE RISQUE#2", "three=CODE RISQUE#3", "x"),
			rows:    `1|{"x": "a", "one": "11", "two": "12"}` + "\n" + `2|{"two": "13"}`,
		},
		{
			name: "many lines of which few are wanted", content: "id,parameter\n1,1340\n2,1341\n3,13400\n4, 1340 \n5\n",
			read:    source.Read{Format: source.CSV, Keep: map[string]string{"PARAMETER": "1340|1449"}},
			columns: loadkit.Columns("parameter"), rows: `1|{"parameter": "1340"}` + "\n" + `4|{"parameter": "1340"}`, refused: "6: it has 1 cells; expected 2",
		},
		{
			name: "separators at the end of the header only", content: "id;name;\n1;a;\n2;b\n",
			read: source.Read{Format: source.CSV, Separator: ";"}, columns: loadkit.Columns("name"),
			rows: `1|{"name": "a"}` + "\n" + `2|{"name": "b"}`,
		},
		{
			name: "separators at the end of the lines only", content: "id;name\n1;a;\n2;b;c\n",
			read: source.Read{Format: source.CSV, Separator: ";"}, columns: loadkit.Columns("name"),
			rows: `1|{"name": "a"}`, refused: "3: it has 3 cells; expected 2",
		},
		{
			name: "a separator to be found out", content: "\"id, or; number\"|id|name\n9|1|a,b;c\n",
			read: source.Read{Format: source.CSV, Separator: "sniff"}, columns: loadkit.Columns("name"), rows: `1|{"name": "a,b;c"}`,
		},
		{
			name: "a separator to be found out in a file of one column", content: "id\n1\n",
			read: source.Read{Format: source.CSV, Separator: "sniff"}, columns: loadkit.Columns("name"), rows: `1|{}`,
		},
		{
			name: "Windows-1252 letters in a UTF-8 file", content: "\ufeffid,name\n1,\u00c9glise\n2,\xc9glise \x9cuvre\n",
			read: source.Read{Format: source.CSV, Encoding: "mixed"}, columns: loadkit.Columns("name"),
			rows: `1|{"name": "Église"}` + "\n" + `2|{"name": "Église œuvre"}`,
		},
		{
			name: "labels above the header", content: "Identifier;Name of it\nid;name\n1;a\n", rows: `1|{"name": "a"}`,
			read: source.Read{Format: source.CSV, Separator: ";", HeaderCell: "(?i)ID"}, columns: loadkit.Columns("name"),
		},
		{
			name: "a header found by a cell, with nothing above", content: "id;name\n1;a\n", rows: `1|{"name": "a"}`,
			read: source.Read{Format: source.CSV, Separator: ";", HeaderCell: "name"}, columns: loadkit.Columns("name"),
		},
		{
			name: "all members of an archive", content: loadkit.Archive(t, map[string]string{"x/b.csv": "id,name\n2,b\n3\n", "a.csv": "id,name\n1,a\n", "c.txt": "id,name\n4,d\n"}),
			read:    source.Read{Format: source.CSV, Member: `\.csv$`, AllMembers: true},
			columns: loadkit.Columns("name"), rows: `1|{"name": "a"}` + "\n" + `2|{"name": "b"}`, refused: "3: in x/b.csv: it has 1 cells; expected 2",
		},
		{
			name: "a file in place of an archive of members", content: "id,name\n1,a\n", rows: `1|{"name": "a"}`,
			read: source.Read{Format: source.CSV, Member: `\.csv$`, AllMembers: true}, columns: loadkit.Columns("name"),
		},
		{
			name: "objects within objects within arrays",
			content: `{"version":{"pmej":[1]},"pmej":[{"x":[[]],"ege":[{"entite":{"numero":"1","nom":"A"},"adresse":[{"cog":"01001"},{"cog":"01002"}]}]},` +
				`{"ege":[]},{"ege":null},{},{"ege":[{"entite":{"numero":"2","nom":null},"adresse":[]},7]},{"ege":{"entite":{"numero":"3"},"adresse":{"cog":"2A004"}}}],"end":[[{}]]}`,
			read:    source.Read{Format: source.JSON, Items: []string{"pmej", "ege"}},
			columns: loadkit.Columns("nom=entite.nom", "cog=Adresse.COG"),
			rows:    `1|{"cog": "01001", "nom": "A"}` + "\n" + `2|{}` + "\n" + `3|{"cog": "2A004"}`,
			refused: "3: it is not an object of the expected form",
		},
		{
			name: "one member that holds the objects", content: `{"total":2,"results":[{"id":1},{"id":2}]}`,
			read: source.Read{Format: source.JSON, Items: []string{"results"}}, columns: loadkit.Columns("name"), rows: "1|{}\n2|{}",
		},
		{
			name: "an array of objects that hold the objects", content: `[{"results":[{"id":1}]},8,{"results":[{"id":2}]}]`,
			read: source.Read{Format: source.JSON, Items: []string{"results"}}, columns: loadkit.Columns("name"), rows: "1|{}\n2|{}",
			refused: "2: it is not an object of the expected form",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			wantFacts(t, loadkit.Facts(tc.read, tc.columns...), tc.content, tc.rows, tc.refused)
		})
	}
}

// A file that is cut off, is something else or does not have the declared layout is refused whole, and the
// error says what is missing: it is never a part of the rows.
func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	csv := func(s source.Read) source.Read {
		s.Format = source.CSV
		return s
	}
	items := source.Read{Format: source.JSON, Items: []string{"pmej", "ege"}}
	keyed := source.Read{Format: source.JSON, Keyed: true, Items: []string{"a"}}
	groups := csv(source.Read{Separator: ";", Repeat: &source.Repeat{Names: []string{"Nom", "Voix"}, From: "Nom"}})
	figures := func(column, period string) source.Read {
		return csv(source.Read{Unpivot: []source.Unpivot{{Column: column, Measure: "median", Period: period}}})
	}
	years, plain := figures(`P(?P<yy>\d\d)_POP`, "{yy}"), figures(`(?i)MED|Q2`, "{annee}")
	object := func(column string) source.Read {
		return source.Read{Format: source.JSON, Unpivot: []source.Unpivot{{Column: column, Measure: "rate"}}}
	}
	for _, tc := range []struct {
		name, content string
		read          source.Read
		says          []string
	}{
		{"no such member", `{"a":[{"pmej":[]}]}`, items, []string{`there is no "pmej"`}},
		{"cut within the records", `{"pmej":[{"ege":[{"id":1},{"id":2`, items, []string{"cut off"}},
		{"cut between the records", `{"pmej":[{"ege":[{"id":1}]},`, items, []string{"cut off"}},
		{"cut after the records", `{"pmej":[{"ege":[{"id":1}]}]`, items, []string{"cut off"}},
		{"cut in what is passed over", `{"a":[[1,2],`, items, []string{"cut off"}},
		{"cut in what follows", `{"pmej":[{"ege":[{"id":1}]}],"b":[{`, items, []string{"cut off"}},
		{"something after the end", `{"pmej":[{"ege":[{"id":1}]}]}{}`, items, []string{"unexpected data after the JSON value"}},
		{"no column to choose lines by", "id,b\n1,2\n", csv(source.Read{Keep: map[string]string{"c": "x"}}), []string{"it has no column c"}},
		{"no cell that begins a header", "a;b\n1;2\n", csv(source.Read{HeaderCell: "code"}), []string{"has a cell that matches code"}},
		{"no member of an archive", loadkit.Archive(t, map[string]string{"a.csv": "id\n1\n"}), csv(source.Read{Member: "b", AllMembers: true}), []string{"no such file"}},
		{"no header in the second member", loadkit.Archive(t, map[string]string{"a.csv": "id\n1\n", "b.csv": "x\n2\n"}),
			csv(source.Read{Member: `\.csv$`, AllMembers: true, HeaderCell: "id"}), []string{"b.csv: "}},
		{"a page of the web, of a source that may say nothing", "<html><body>Bad gateway</body></html>\n", csv(source.Read{Optional: true}), []string{"got HTML or XML"}},

		{"groups: nowhere to begin", "id;name;Voix\n1;A;2\n", groups, []string{`no column "Nom", where its groups begin`}},
		{"groups: columns in another order", "id;Nom;Sexe;Voix\n1;A;M;2\n", groups, []string{`"Sexe" is where a group has "Voix"`}},
		{"groups: columns after them", "id;Nom;Voix;url\n1;A;2;u\n", groups, []string{`"url" is where a group has "Nom"`}},
		{"groups: a line that is cut", "id;Nom;Voix\n1;A;2\n2;B;3;C", groups, []string{"cut off"}},
		{"groups: empty", "", groups, []string{"empty"}},

		{"keyed: no such member", `{"b":{"1":{}}}`, keyed, []string{`there is no "a"`}},
		{"keyed: a text where the objects should be", `{"a":"x"}`, keyed, []string{`there is "x" where "{" should be`}},
		{"keyed: a list in place of the file", `[{"a":{}}]`, keyed, []string{`there is "[" where`}},
		{"keyed: cut within an object", `{"a":{"1":{"id":"1"},"2":{"id"`, keyed, []string{"after record 1: the file is cut off"}},
		{"keyed: cut between objects", `{"a":{"1":{"id":"1"}`, keyed, []string{"after record 1: the file is cut off"}},
		{"keyed: cut before the end", `{"a":{"1":{"id":"1"}}`, keyed, []string{"cut off"}},
		{"keyed: something after the end", `{"a":{"1":{"id":"1"}}}{}`, keyed, []string{"unexpected data after the JSON value"}},
		{"keyed: nothing", "", keyed, []string{"the file is empty"}},
		{"keyed: a page", "<html>", keyed, []string{"got HTML or XML"}},

		{"figures: another table", "code,a,b\n1,2,3\n", years, []string{"no column of figures", `"P(?P<yy>\\d\\d)_POP"`, `["code" "a" "b"]`}},
		{"figures: a column that ends alike", "code,XP21_POP\n1,2\n", years, []string{"no column of figures", "XP21_POP"}},
		{"figures: two columns for one", "code,annee,MED,Q2\n1,2021,3,4\n", plain, []string{`"MED" and "Q2"`, `"median"`, `"{annee}"`}},
		{"figures: one name twice", "code,MED,MED\n1,3,4\n", plain, []string{`"MED" and "MED"`}},
		{"figures: two members for one", `[{"code":"1","a":1},{"code":"2","A":2}]`, object("(?i)a"), []string{`"a" and "A"`}},
		{"figures: objects without the member", `[{"code":"1","a":2},{"code":"2"}]`, object("rate"), []string{"no column of figures", `["a" "code"]`}},
		{"figures: cut off", "code,P21_POP\n1,2\n3", years, []string{"cut off"}},
		{"figures: objects that are cut off", `[{"code":"1","rate":2},{"co`, object("rate"), []string{"cut off"}},
		{"figures: a page", "<html>503</html>", years, []string{"got HTML or XML", "<html>503</html>"}},
		{"figures: UTF-16", "\xff\xfec\x00,\x00P\x002\x001\x00_\x00P\x00O\x00P\x00\n\x00", years, []string{"line 1: it is in UTF-16"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := readAll(t, writeFiles(t, []string{"facts.x"}, tc.content), tc.read)
			loadkit.Contains(t, err, tc.says...)
		})
	}
}

// A source that may have nothing to say of a place says just that: its area is covered, and nothing is there.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.CSV, Optional: true}))
	b.File("facts.x", "id\n1\n")
	b.MustLoad()
	b.File("facts.x", "id\n")
	if out := b.MustLoad()["facts"]; out.State != ingest.Loaded || out.Rows != 0 {
		t.Errorf("an empty file is %s with %d rows; expected loaded with none", out.State, out.Rows)
	}
	b.Want("SELECT id FROM geo.enrich_radon", "")
	b.Want(loadkit.Coverage, "radon||facts||true")
	b.File("facts.x", "name\nunnamed\n")
	_, err := b.Load(ingest.Request{})
	loadkit.Contains(t, err, "no row that can be loaded", "it has no id")
}

// readCells reads the cells of some columns, joined by bars, of the records that can be used.
func readCells(t *testing.T, content string, spec source.Read, names ...string) (rows []string, err error) {
	t.Helper()
	r, err := format.Open(t.Context(), writeFiles(t, []string{"places.csv"}, content), spec, format.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		record, err := r.Next()
		if _, bad := errors.AsType[*format.RecordError](err); bad {
			continue
		}
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		cells := make([]string, len(names))
		for i, name := range names {
			cells[i], _ = record.Fields.Text(name)
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
}

// A table that a broken transfer cut off must not take the place of the whole one, as half a country: its
// last line gives it away, also where it is one of those that are passed over. A short line elsewhere costs
// that line.
func TestTablesThatAreCutOff(t *testing.T) {
	t.Parallel()
	all := source.Read{Format: source.CSV, Separator: ";"}
	some := source.Read{Format: source.CSV, Separator: ";", Keep: map[string]string{"a": "x"}}
	const cut = "3: the file is cut off: its last line is not whole"
	for name, tc := range map[string]struct {
		content    string
		read       source.Read
		rows, says string
	}{
		"whole":                              {"id;a;b\n1;x;y\n2;x;y\n", all, "1 2", ""},
		"without an end of its last line":    {"id;a;b\n1;x;y\n2;x;y", all, "1 2", ""},
		"cut within a line":                  {"id;a;b\n1;x;y\n2;x", all, "", cut},
		"cut within a line, in gzip":         {loadkit.Zipped("id;a;b\n1;x;y\n2;x"), all, "", cut},
		"a short line at the end":            {"id;a;b\n1;x;y\n2;x\n", all, "1", ""},
		"a short line in between":            {"id;a;b\n1;x\n2;x;y", all, "2", ""},
		"a short line in between, in gzip":   {loadkit.Zipped("id;a;b\n1;x\n2;x;y"), all, "2", ""},
		"two short lines, the last cut":      {"id;a;b\n1;x\n2;x", all, "", cut},
		"a short line, then one without end": {"id;a;b\n1;x\n2;x\n3;x;y\n4;x;y", all, "3 4", ""},
		"a short line that is passed over":   {"id;a;b\n1;x;y\n2;z\n3;x;y\n", some, "1 3", ""},
		"passed over, cut in a cell":         {"id;a;b\n1;x;y\n2;z", some, "", cut},
		"passed over, cut after a separator": {"id;a;b\n1;x;y\n2;", some, "", cut},
		"passed over, cut in its first cell": {"id;a;b\n1;x;y\n2", some, "", cut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, err := readCells(t, tc.content, tc.read, "id")
			if tc.says != "" {
				loadkit.Contains(t, err, tc.says)
			} else if got := strings.Join(rows, " "); err != nil || got != tc.rows {
				t.Errorf("rows %q, %v; expected %q", got, err, tc.rows)
			}
		})
	}
}

func inUTF16(text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// A name keeps the letters that its producer wrote, or the file is rejected.
func TestFilesInAnotherEncoding(t *testing.T) {
	t.Parallel()
	csv := func(encoding string) source.Read { return source.Read{Format: source.CSV, Encoding: encoding} }
	objects := source.Read{Format: source.JSON}
	const accents = "codgeo,libelle,other\n01001,Ain,a\n01002,Évian,à\n"
	const narrow = "codgeo,libelle,other\n01001,Ain,a\n01002,\xc9vian,\xe0\n"
	// The first byte of É is the last of the 4096 that are passed on at once.
	const before = "codgeo,libelle,other\n"
	long := before + strings.Repeat("\n", 4096-len(before)-len("01001,")-1) + "01001,Évian,\n"
	for _, tc := range []struct {
		name, content string
		read          source.Read
		says          string // empty: it is loaded
		rows          string
	}{
		{"UTF-8", accents, csv(""), "", "01001|Ain\n01002|Évian"},
		{"Latin-1", narrow, csv("latin1"), "", "01001|Ain\n01002|Évian"},
		{"either", accents, csv("sniff"), "", "01001|Ain\n01002|Évian"},
		{"or", narrow, csv("sniff"), "", "01001|Ain\n01002|Évian"},
		{"UTF-8 with its mark", "\ufeff" + accents, csv("latin1"), "", "01001|Ain\n01002|Évian"},
		{"no accents", "codgeo,libelle\n01001,Ain\n", csv("cp1252"), "", "01001|Ain"},
		{"a letter between two blocks", long, csv(""), "", "01001|Évian"},
		{"a wrong byte among right ones in a column that is not read", "codgeo,libelle,other\n01002,Évian,\xe0\n", csv(""), "", "01002|Évian"},
		{"Latin-1 for UTF-8", narrow, csv(""), "line 3: it is not in UTF-8", ""},
		{"Latin-1 for UTF-8 in a column that is not read", "codgeo,libelle,other\n01001,Ain,\xe0\n", csv("utf-8"), "line 2: it is not in UTF-8", ""},
		{"UTF-8 for Latin-1", accents, csv("latin1"), "line 3: it is in UTF-8 without a byte-order mark, and expected in latin1", ""},
		{"UTF-8 for Windows-1252", accents, csv("cp1252"), "line 3: it is in UTF-8 without a byte-order mark, and expected in cp1252", ""},
		{"UTF-16", "\xff\xfe" + inUTF16(accents), csv(""), "line 1: it is in UTF-16", ""},
		{"UTF-16 where either is read", "\xff\xfe" + inUTF16(accents), csv("sniff"), "line 1: it is in UTF-16", ""},
		{"UTF-16 without a mark", inUTF16(accents), csv("sniff"), "line 1: it has bytes of zero", ""},
		{"UTF-16 for Latin-1", inUTF16(accents), csv("latin1"), "line 1: it has bytes of zero", ""},
		{"objects that say so", "\ufeff" + `[{"codgeo":"01001","libelle":"Évian"}]`, objects, "", "01001|Évian"},
		{"objects in Latin-1", "[{\"codgeo\":\"01001\"},\n{\"codgeo\":\"01002\",\"libelle\":\"\xc9vian\"}]", objects, "line 2: it is not in UTF-8", ""},
		{"objects by name in Latin-1", "{\"a\":{\"01001\":{\"libelle\":\"\xc9vian\"}}}", source.Read{Format: source.JSON, Items: []string{"a"}, Keyed: true}, "line 1: it is not in UTF-8", ""},
		{"objects in UTF-16", "\xff\xfe" + inUTF16(`[{"codgeo":"01001"}]`), objects, "line 1: it is in UTF-16", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rows, err := readCells(t, tc.content, tc.read, "codgeo", "libelle")
			if tc.says != "" {
				loadkit.Contains(t, err, tc.says)
			} else if got := strings.Join(rows, "\n"); err != nil || got != tc.rows {
				t.Errorf("rows %q, %v; expected %q", got, err, tc.rows)
			}
		})
	}
}

// A collection longer than any buffer is read to its end, each feature
// once; what is cut off, or follows, is missed.
func TestLongCollection(t *testing.T) {
	t.Parallel()
	const features = 5000
	var b strings.Builder
	b.WriteString(`{"type":"FeatureCollection", "name":"x", "features" : [`)
	for i := range features {
		if i > 0 {
			b.WriteString(" ,\n")
		}
		fmt.Fprintf(&b, `{"type":"Feature","properties":{"id":"%d","a":[{"b":"]}\""}]},"geometry":{"type":"Point","coordinates":[5,46]}}`, i)
	}
	whole := b.String()
	for _, c := range []struct{ end, wants string }{
		{" ] }\n", ""}, {`],"links":[1,{"a":2}]}`, ""}, {"", "cut off"}, {"]", "cut off"}, {"]}]", "after the JSON value"}, {"}", "invalid"}, {",{", "cut off"},
		{`],"crs":{"properties":{"name":"EPSG:2154"}}}`, "after the features"},
	} {
		path := t.TempDir() + "/f"
		testkit.NoError(t, os.WriteFile(path, []byte(whole+c.end), 0o600))
		n := 0
		err := loadkit.EachRecord(t.Context(), path, source.Read{Format: source.GeoJSON}, []string{"id"}, func(_ int64, cells []string) {
			if cells[0] != fmt.Sprint(n) {
				t.Fatalf("feature %d has id %s", n, cells[0])
			}
			n++
		})
		if n != features || (err == nil) != (c.wants == "") || err != nil && !strings.Contains(err.Error(), c.wants) {
			t.Errorf("with %q at the end %d features were read, and then: %v", c.end, n, err)
		}
	}
}

// twoSquares are two squares that share the arc 0 and an island, in cells of half a degree. b lies east of a
// and follows the shared arc backwards; c is a polygon with a hole, and an island.
const twoSquares = `{"type":"Topology","bbox":[0,0,1,1],"transform":{"scale":[0.5,0.5],"translate":[2,48]},
"arcs":[[[2,0],[0,2]],[[2,2],[-2,0],[0,-2],[2,0]],[[2,0],[2,0],[0,2],[-2,0]],[[8,8],[1,0],[0,1],[-1,-1]],[[0,8],[4,0],[0,4],[-4,-4]],[[1,9],[0,0],[1,1],[0,-1],[-1,0]]],
"objects":{"places":{"type":"GeometryCollection","geometries":[
 {"type":"Polygon","arcs":[[0,1]],"properties":{"code":"a"}},
 {"type":"Polygon","arcs":[[2,-1]],"id":"b","properties":{"code":"b"}},
 {"type":"MultiPolygon","arcs":[[[4],[5]],[[3]]],"properties":{"code":"c"}}%s]},
 "others":{"type":"GeometryCollection","geometries":[%s]}}}`

func placesOf(t *testing.T, content string, layers ...string) (records []string, err error) {
	t.Helper()
	path := writeFiles(t, []string{"x"}, content)
	r, err := format.Open(t.Context(), path, source.Read{Format: source.GeoJSON, Layers: layers}, format.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		record, err := r.Next()
		if bad, is := err.(*format.RecordError); is {
			records = append(records, fmt.Sprint(bad.Line, ": ", bad.Reason))
			continue
		}
		if err != nil {
			return records, err
		}
		code, _ := record.Fields.Text("code")
		if layer, _ := record.Fields.Text("_layer"); layer != "places" {
			code = layer + " " + code
		}
		records = append(records, code+" "+strings.ReplaceAll(record.Shape, ".0000000", ""))
	}
}

// Outlines that share their borders in a topology are the polygons that
// were meant: each arc in its direction, once.
func TestPolygonsOfATopology(t *testing.T) {
	t.Parallel()
	const c = `c {"type":"MultiPolygon","coordinates":[[[[2,52],[4,52],[4,54],[2,52]],` +
		`[[2.5000000,52.5000000],[2.5000000,52.5000000],[3,53],[3,52.5000000],[2.5000000,52.5000000]]],[[[6,52],[6.5000000,52],[6.5000000,52.5000000],[6,52]]]]}`
	records, err := placesOf(t, fmt.Sprintf(twoSquares, `,{"type":null,"properties":{"code":"d"}},{"type":"Point","coordinates":[1,1]},
		{"type":"Polygon","arcs":[[0,3]]},{"type":"Polygon","arcs":[[9]]},{"type":"Polygon","arcs":[0]},7`, ""), "PLACES")
	want := []string{
		`a {"type":"MultiPolygon","coordinates":[[[[3,48],[3,49],[2,49],[2,48],[3,48]]]]}`,
		`b {"type":"MultiPolygon","coordinates":[[[[3,48],[4,48],[4,49],[3,49],[3,48]]]]}`,
		c,
		"d ",
		`5: its geometry is a "Point"; of a topology polygons alone are read`,
		"6: the arcs of its shape do not meet",
		"7: its shape refers to arc 9; the topology has 6",
		"8: its arcs are not lists of whole numbers",
		"9: it is not an object of the expected form",
	}
	if strings.Join(records, "\n") != strings.Join(want, "\n") {
		t.Errorf("read\n%s\nwant\n%s", strings.Join(records, "\n"), strings.Join(want, "\n"))
	}
	loadkit.Contains(t, err, "EOF")
}

// The objects that an expression matches are read together: départements made of the arcs of their communes.
func TestObjectsOfATopology(t *testing.T) {
	t.Parallel()
	content := fmt.Sprintf(twoSquares, "", `{"type":"Polygon","arcs":[[1,2]],"properties":{"code":"ab"}}`)
	records, err := placesOf(t, content, "places|others")
	loadkit.Contains(t, err, "EOF")
	want := `others ab {"type":"MultiPolygon","coordinates":[[[[3,49],[2,49],[2,48],[3,48],[4,48],[4,49],[3,49]]]]}`
	if len(records) != 4 || records[0] != want || !strings.HasPrefix(records[1], "a {") {
		t.Errorf("read\n%s\nwant\n%s\nand three places", strings.Join(records, "\n"), want)
	}
}

// A topology that is not whole is refused, and so is one that would fill the memory.
func TestTopologiesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	whole := fmt.Sprintf(twoSquares, "", "")
	repeated := `{"type":"Polygon","arcs":[[` + strings.Repeat("1,-2,", 100) + `0]]}`
	for name, tc := range map[string]struct{ content, says string }{
		"cut off":                  {whole[:len(whole)-3], "its end is missing"},
		"cut off in its arcs":      {whole[:200], "its end is missing"},
		"something after its end":  {whole + "{}", "after top-level value"},
		"no objects":               {`{"type":"Topology","arcs":[]}`, "expected one of"},
		"another object":           {strings.Replace(whole, `"places"`, `"elsewhere"`, 1), `it has the layers ["elsewhere" "others"]`},
		"a number that is a text":  {strings.Replace(whole, "[8,8]", `[8,"8"]`, 1), `string into Go float64 within "/arcs/3/0/1"`},
		"a position of one number": {strings.Replace(whole, "[8,8]", "[8]", 1), `within "/arcs/3/0"`},
		"arcs that are an object":  {`{"type":"Topology","arcs":{}}`, `within "/arcs"`},
		"far more than its arcs":   {fmt.Sprintf(twoSquares, strings.Repeat(","+repeated, 3), ""), "more than 16 times"},
	} {
		_, err := placesOf(t, tc.content, "places")
		t.Run(name, func(t *testing.T) { loadkit.Contains(t, err, tc.says) })
	}
	_, err := placesOf(t, `{"type":"Topology",`+strings.Repeat(" ", 32<<20)+`"arcs":[]}`)
	loadkit.Contains(t, err, "longer than 32 MiB")
}

// A topology never ends the program, whatever it holds.
func FuzzTopology(f *testing.F) {
	f.Add(fmt.Sprintf(twoSquares, "", ""))
	f.Add(`{"type":"Topology","arcs":[[]],"objects":{"places":{"geometries":[{"type":"Polygon","arcs":[[0,-1]]}]}}}`)
	f.Fuzz(func(t *testing.T, content string) {
		if strings.HasPrefix(content, `{"type":"Topology"`) {
			_, _ = placesOf(t, content, "places")
		}
	})
}
