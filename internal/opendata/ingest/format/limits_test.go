package format_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// endlessReader repeats a record for as long as it is read, up to a size, and
// looks meanwhile at what is kept in memory.
type endlessReader struct {
	start, record, end string
	left               int
	pending            string
	peak               uint64
	looked             int // left at the last look
}

func (e *endlessReader) Read(p []byte) (int, error) {
	if e.looked-e.left > 1<<20 {
		e.looked, e.peak = e.left, max(e.peak, usedBytes())
	}
	if e.pending == "" {
		switch {
		case e.start != "":
			e.pending, e.start = e.start, ""
		case e.left > 0:
			e.pending = e.record
			e.left -= len(e.record)
		case e.end != "":
			e.pending, e.end = e.end, ""
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, e.pending)
	e.pending = e.pending[n:]
	return n, nil
}

// usedBytes is how many bytes are in use once the garbage is collected: how far a busy machine lets the
// collector fall behind does not show in it.
func usedBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A file is read record by record: its size does not show in the
// memory. Not parallel: it watches the whole heap.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	testkit.SkipIfShort(t)
	const size, most = 8 << 20, 2 << 20
	feature := `{"type":"Feature","properties":{"id":"010010000A0001"},"geometry":` + loadkit.Square(5, 46) + `}`
	for _, tc := range []struct {
		name string
		in   endlessReader
		spec source.Read
	}{
		{"geojson", endlessReader{start: `{"features":[` + feature, record: "," + feature, end: "]}"}, source.Read{Format: source.GeoJSON}},
		{"csv", endlessReader{start: "a;b;c\n", record: "01001;Ain;12\n"}, source.Read{Format: source.CSV, Separator: ";"}},
		{"csv of which little is wanted", endlessReader{start: "a;b\n", record: "1;x\n" + strings.Repeat("2;x\n", 20)},
			source.Read{Format: source.CSV, Separator: ";", Keep: map[string]string{"a": "1"}, Encoding: "mixed"}},
		{"objects within objects", endlessReader{start: `{"pmej":[{}`, record: `,{"ege":[{"a":1},{"a":{"b":2}}],"x":[[]]}`, end: "]}"},
			source.Read{Format: source.JSON, Items: []string{"pmej", "ege"}}},
		{"much before and after the objects", endlessReader{start: `{"a":[0`, record: `,[1,{"b":"c"}]`, end: `],"pmej":[` + strings.Repeat("{},", 100_000) + `{}]}`},
			source.Read{Format: source.JSON, Items: []string{"pmej"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := usedBytes()
			tc.in.left, tc.in.looked = size, size
			good, _, err := format.ReadRecords(&tc.in, tc.spec)
			if err != nil || good < 25_000 {
				t.Fatalf("%d records, %v", good, err)
			}
			if grown := int64(tc.in.peak) - int64(before); tc.in.peak == 0 || grown > most {
				t.Errorf("%d KiB were kept while reading %d MiB", grown>>10, size>>20)
			}
		})
	}
}

// A record that never ends is given up before it fills the memory.
func TestARecordThatNeverEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		in   endlessReader
		spec source.Read
	}{
		"geojson": {endlessReader{start: `{"features":[{"type":"`, record: strings.Repeat("x", 1000)}, source.Read{Format: source.GeoJSON}},
		"csv":     {endlessReader{start: "a;b\n\"", record: strings.Repeat("x", 1000)}, source.Read{Format: source.CSV, Separator: ";"}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.in.left = 1 << 30
			_, _, err := format.ReadRecords(&tc.in, tc.spec)
			loadkit.Contains(t, err, "one record is longer than 32 MiB")
		})
	}
}

// No file makes the reader of objects, wherever they are in it, panic, read on for ever or make up records.
func FuzzObjects(f *testing.F) {
	f.Add(loadkit.Collection(loadkit.Parcel(1, 2)))
	f.Add(`{"crs":{"properties":{"name":"EPSG:2154"}},"features":[{"type":"Feature","id":7,"properties":null,"geometry":null}]}`)
	f.Add(`{"features":[{},1,[],"x"],"crs":null}`)
	f.Add(`[{"a":{"b":"x"},"a.b":1},{"a":[1,[2,{"c":null}]]},1]`)
	f.Add("{\"a\":1}\n\n{\"a\":\"\\ud800\"}\r\n{")
	f.Add(`{"a":1e400}{"b":-}`)
	f.Add(strings.Repeat(`[`, 2000))
	f.Add(`{"x":[{}],"pmej":[{"ege":[{"a":[{"b":1}]},7]},{"ege":null},{}],"y":{}}`)
	f.Add(`[{"pmej":[{"ege":{"a":{"b":[]}}}]},[{"pmej":1}],null]`)
	f.Add(`{"x":[{}],"a":{"1":{"c":[]},"2":7},"y":{}}`)
	f.Fuzz(func(t *testing.T, in string) {
		for _, spec := range []source.Read{
			{Format: source.GeoJSON}, {Format: source.JSON}, {Format: source.JSONLines},
			{Format: source.JSON, Items: []string{"pmej", "ege"}}, {Format: source.JSON, Keyed: true, Items: []string{"a"}},
		} {
			good, refused, err := format.ReadRecords(strings.NewReader(in), spec)
			if good+refused > len(in) {
				t.Errorf("%+v: %d records of %d bytes (%v)", spec, good+refused, len(in), err)
			}
		}
	})
}

// No file makes the reader of delimited text panic or read on for ever.
func FuzzCSVReader(f *testing.F) {
	f.Add("a;b\n1;2\n\"x\";\"y;z\"\n", ";", "utf-8", 0)
	f.Add("\ufeffa,b\r\n1\r\n", ",", "cp1252", 1)
	f.Add("\xe9;\x81\n", "|", "latin1", 0)
	f.Add("\"a;b\"|c\n\xe9|\u00e9\xc3\n", "sniff", "mixed", 0)
	f.Add("a;Nom;Voix;Nom\n1;A;2;B\n1\n2;;;C;3", ";", "utf-8", 0)
	f.Fuzz(func(t *testing.T, in, separator, encoding string, skip int) {
		spec := source.Read{Format: source.CSV, Separator: separator, Encoding: encoding, Skip: max(0, min(skip, 10))}
		good, refused, err := format.ReadRecords(strings.NewReader(in), spec)
		if good+refused > len(in) {
			t.Errorf("%d records of %d bytes (%v)", good+refused, len(in), err)
		}
		spec.Repeat = &source.Repeat{Names: []string{"Nom", "Voix"}, From: "Nom"}
		if good, refused, err := format.ReadRecords(strings.NewReader(in), spec); good+refused > len(in) {
			t.Errorf("%d groups of %d bytes (%v)", good+refused, len(in), err)
		}
		spec.Repeat = nil
		spec.Header, spec.Keep = []string{"a", "A", ""}, map[string]string{"a#2": ".*"}
		if _, _, err := format.ReadRecords(strings.NewReader(in), spec); err == nil && encoding == "nonsense" {
			t.Error("an encoding of that name is accepted")
		}
	})
}
