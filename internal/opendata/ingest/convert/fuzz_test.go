package convert_test

import (
	"math"
	"regexp"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// What the geometry encoder accepts is a MultiPolygon that PostGIS can
// take: closed rings of at least four points.
func FuzzShape(f *testing.F) {
	f.Add(loadkit.Square(5, 46))
	f.Add(`{"type":"MultiPolygon","coordinates":[[[[0,0,9],[1,0,9],[1,1,9],[0,0,9]]],[]]}`)
	f.Add(`{"type":"Polygon","coordinates":[[[0,0],[1e400,0],[1,1],[0,0]]]}`)
	f.Add(`{"type":"Polygon","coordinates":null}`)
	f.Fuzz(func(t *testing.T, in string) {
		out, err := convert.EncodeShape(in, 4326, true)
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
		if out, err := convert.EncodeWKT(in); err == nil && len(out) < 13 {
			t.Errorf("%q became %x", in, out)
		}
	})
}

// No cell makes converting it panic: it becomes a value that PostgreSQL can take, or an error.
func FuzzCells(f *testing.F) {
	f.Add("12", "48.85", "2.35", "4326", "E")
	f.Add("1 234,5", "48.85, 2.35", "", "EPSG:2154", "N")
	f.Add("2026-02-30", "[48,]", "1e400", "", "")
	f.Add("20260228", "48", "51", "4326", "O")
	f.Add("oui", `{"type":"Point","coordinates":[2,48]}`, "NaN", "Lambert", "W")
	f.Add("AllÃ©e\x00", "POINT(2 48)", "-0x1p3", "99999999999", "S")
	var sources []source.Source
	read := source.Read{Format: source.CSV, Decimal: ","}
	for _, kind := range []source.Kind{source.Text, source.Integer, source.Number, source.Date, source.Boolean} {
		sources = append(sources, source.Source{Name: "kinds", Read: read, Columns: []source.Column{{Name: "v", Kind: kind, FixMojibake: kind == source.Text}}})
	}
	for _, from := range []source.GeometryFrom{source.LonLat, source.LatLonText, source.GeoJSONText, source.WKT} {
		g := source.Geometry{From: from, X: []string{"x"}, Y: []string{"y"}, SRIDFrom: "srid", Optional: true}
		sources = append(sources, source.Source{Name: "shapes", Read: read, Geometry: &g})
	}
	f.Fuzz(func(t *testing.T, v, x, y, srid, w string) {
		for _, s := range sources {
			row, err := convert.Convert(s, map[string]string{"v": v, "x": x, "y": y, "srid": srid, "w": w})
			if err != nil {
				continue
			}
			for _, value := range row {
				switch value := value.(type) {
				case float64:
					if math.IsNaN(value) || math.IsInf(value, 0) {
						t.Errorf("%q became %v", v, value)
					}
				case time.Time:
					if value.Year() < 1000 || value.Year() > 9999 {
						t.Errorf("%q became %v", v, value)
					}
				case []byte:
					if len(value) < 9 {
						t.Errorf("%q, %q became %x", x, y, value)
					}
				case string, nil, int32, bool:
				default:
					t.Errorf("%s of %q became %T", s.Name, v, value)
				}
			}
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
		row, err := convert.Convert(ign, cells)
		if err == nil && !iduForm.MatchString(row[0].(string)) {
			t.Errorf("%v became %q", cells, row[0])
		}
	})
}

// Every source of the service is declared so that it can be read.
func TestDeclarationsCanBeRead(t *testing.T) {
	t.Parallel()
	for _, s := range topic.Sources() {
		if err := convert.CheckDeclaration(s); err != nil {
			t.Error(err)
		}
	}
}
