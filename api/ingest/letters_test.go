package ingest_test

import (
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
)

func inUTF16(text string) string { return string(wideLetters(text)) }

// A name is told with the letters that its producer wrote, or the file is refused: whatever was there stays.
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
		{"UTF-8 that says so", "\ufeff" + accents, csv("latin1"), "", "01001|Ain\n01002|Évian"},
		{"no accents", "codgeo,libelle\n01001,Ain\n", csv("cp1252"), "", "01001|Ain"},
		{"a letter between two blocks", long, csv(""), "", "01001|Évian"},
		{"a wrong byte among right ones in a column that is not read", "codgeo,libelle,other\n01002,Évian,\xe0\n", csv(""), "", "01002|Évian"},
		{"Latin-1 for UTF-8", narrow, csv(""), "line 3: it is not in UTF-8", ""},
		{"Latin-1 for UTF-8 in a column that is not read", "codgeo,libelle,other\n01001,Ain,\xe0\n", csv("utf-8"), "line 2: it is not in UTF-8", ""},
		{"UTF-8 for Latin-1", accents, csv("latin1"), "line 3: it is in UTF-8 without a mark, and expected in latin1", ""},
		{"UTF-8 for Windows-1252", accents, csv("cp1252"), "line 3: it is in UTF-8 without a mark, and expected in cp1252", ""},
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
			b := newBench(t, places(tc.read))
			b.exec(createPlace)
			if tc.says == "" {
				b.file("places.csv", tc.content)
				b.mustLoad()
				b.want("SELECT code, name FROM geo.place", tc.rows)
				return
			}
			b.exec(`INSERT INTO geo.place (code, name) VALUES ('01001', 'Before')`)
			b.file("places.csv", tc.content)
			_, err := b.load(ingest.Request{})
			contains(t, err, "places.csv", tc.says)
			b.want("SELECT code, name FROM geo.place", "01001|Before")
		})
	}
}
