package ingest_test

import (
	"archive/tar"
	"bytes"
	"regexp"
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/api/topic"
)

func zippedTar(t *testing.T, name string) string {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 1, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped(out.String())
}

// No file, however broken, makes the reader of GeoJSON panic or read on for ever.
func FuzzGeoJSONReader(f *testing.F) {
	f.Add(collection(parcel(1, 2)))
	f.Add(`{"crs":{"properties":{"name":"EPSG:2154"}},"features":[{"type":"Feature","id":7,"properties":null,"geometry":null}]}`)
	f.Add(`{"features":[{},1,[],"x"],"crs":null}`)
	f.Add(`{"features":[`)
	f.Fuzz(func(t *testing.T, in string) {
		good, refused, err := ingest.ReadRecords(strings.NewReader(in), source.Read{Format: source.GeoJSON})
		if good+refused > len(in) {
			t.Errorf("%d records of %d bytes (%v)", good+refused, len(in), err)
		}
	})
}

// No file makes the reader of nested objects panic, read on for ever or make up records.
func FuzzItems(f *testing.F) {
	f.Add(`{"x":[{}],"pmej":[{"ege":[{"a":[{"b":1}]},7]},{"ege":null},{}],"y":{}}`)
	f.Add(`[{"pmej":[{"ege":{"a":{"b":[]}}}]},[{"pmej":1}],null]`)
	f.Add(`{"pmej":[[[{"ege":[[]]}`)
	f.Fuzz(func(t *testing.T, in string) {
		good, refused, err := ingest.ReadRecords(strings.NewReader(in), source.Read{Format: source.JSON, Items: []string{"pmej", "ege"}})
		if good+refused > len(in) {
			t.Errorf("%d records of %d bytes (%v)", good+refused, len(in), err)
		}
	})
}

// No table makes the search for its encoding panic.
func FuzzTableEncoding(f *testing.F) {
	f.Add(table([]string{"A:C3", "B:N4"}, []string{"é", "1"}, []string{"\xe9", "****"}))
	f.Add(strings.Repeat("\xff", 100))
	f.Fuzz(func(t *testing.T, in string) {
		if _, err := ingest.IsTableUTF8(strings.NewReader(in)); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	})
}

// No file makes the reader of delimited text panic or read on for ever.
func FuzzCSVReader(f *testing.F) {
	f.Add("a;b\n1;2\n\"x\";\"y;z\"\n", ";", "utf-8", 0)
	f.Add("\ufeffa,b\r\n1\r\n", ",", "cp1252", 1)
	f.Add("\xe9;\x81\n", "|", "latin1", 0)
	f.Add("\"a;b\"|c\n\xe9|\u00e9\xc3\n", "sniff", "mixed", 0)
	f.Fuzz(func(t *testing.T, in, separator, encoding string, skip int) {
		spec := source.Read{Format: source.CSV, Separator: separator, Encoding: encoding, Skip: max(0, min(skip, 10))}
		good, refused, err := ingest.ReadRecords(strings.NewReader(in), spec)
		if good+refused > len(in) {
			t.Errorf("%d records of %d bytes (%v)", good+refused, len(in), err)
		}
		spec.Record, spec.Header, spec.Keep = "x", []string{"a", "A", ""}, map[string]string{"a#2": ".*"}
		if _, _, err := ingest.ReadRecords(strings.NewReader(in), spec); err == nil && encoding == "nonsense" {
			t.Error("an encoding of that name is accepted")
		}
	})
}

// What the geometry encoder accepts is a MultiPolygon that PostGIS can take: closed rings of at least four points.
func FuzzShape(f *testing.F) {
	f.Add(square(5, 46))
	f.Add(`{"type":"MultiPolygon","coordinates":[[[[0,0,9],[1,0,9],[1,1,9],[0,0,9]]],[]]}`)
	f.Add(`{"type":"Polygon","coordinates":[[[0,0],[1e400,0],[1,1],[0,0]]]}`)
	f.Add(`{"type":"Polygon","coordinates":null}`)
	f.Fuzz(func(t *testing.T, in string) {
		out, err := ingest.EncodeShape([]byte(in), 4326, true)
		if err == nil && (len(out) < 13 || out[1] != 6) {
			t.Errorf("%q became %x", in, out)
		}
	})
}

// No text in place of a geometry makes the reader of well-known text panic.
func FuzzWKT(f *testing.F) {
	f.Add("POINT (1 2)")
	f.Add("SRID=4326;MULTIPOINT((1 2),(3 4))")
	f.Add("POLYGON Z (((,)")
	f.Fuzz(func(t *testing.T, in string) {
		if out, err := ingest.EncodeWKT(in); err == nil && len(out) < 13 {
			t.Errorf("%q became %x", in, out)
		}
	})
}

var iduForm = regexp.MustCompile(`^([0-9]{2}|2[AB])[0-9]{6}[0-9A-Z]{2}[0-9]{4}$`)

// Whatever the cells of a parcel hold, a reference that is accepted has the form of one.
func FuzzIDU(f *testing.F) {
	ign := topic.Sources()[0]
	for _, s := range topic.Sources() {
		if s.Name == "parcelles-ign-shp" {
			ign = s
			ign.Geometry = nil
		}
	}
	f.Add("75118000DF0136", "", "", "", "", "", "")
	f.Add("", "01", "001", "000", "", "A", "12")
	f.Add("", "75", "056", "000", "101", "AB", "12345")
	f.Fuzz(func(t *testing.T, idu, dep, com, abs, arr, section, numero string) {
		cells := map[string]string{"CODE_DEP": dep, "CODE_COM": com, "COM_ABS": abs, "CODE_ARR": arr, "SECTION": section, "NUMERO": numero}
		if idu != "" {
			cells["IDU"] = idu
		}
		row, err := ingest.Convert(ign, cells)
		if err == nil && !iduForm.MatchString(row[0].(string)) {
			t.Errorf("%v became %q", cells, row[0])
		}
	})
}
