package format_test

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// parquetRow has the kinds of columns that producers' files have.
type parquetRow struct {
	ID      string    `parquet:"id"`
	Name    *string   `parquet:"Nom,optional,dict,zstd"`
	Whole   *int64    `parquet:"whole,optional"`
	Small   uint8     `parquet:"small"`
	Rate    *float64  `parquet:"rate,optional,snappy"`
	Short   float32   `parquet:"short"`
	Yes     bool      `parquet:"yes"`
	Day     int32     `parquet:"day,date"`
	At      time.Time `parquet:"at,timestamp(microsecond)"`
	Euros   int64     `parquet:"euros,decimal(2:12)"`
	Many    []string  `parquet:"many,list"`
	P21_POP *float64  `parquet:"P21_POP,optional"`
	Inner   struct {
		X int32 `parquet:"x"`
	} `parquet:"inner"`
}

// parquetFile is a file of rows, in groups of a size.
func parquetFile[T any](t testing.TB, group int64, rows ...T) string {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, parquet.MaxRowsPerRowGroup(group))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parquetRows() []parquetRow {
	name, whole, rate, none := "Évian", int64(1)<<53+1, 0.1, math.NaN()
	return []parquetRow{
		{ID: "01001", Name: &name, Whole: &whole, Small: 200, Rate: &rate, Short: 0.1, Yes: true, Day: 18431, Euros: -1205, Many: []string{"a", "b"},
			At: time.Date(2020, 6, 18, 12, 0, 0, 1000, time.UTC), P21_POP: &rate},
		{ID: "01002", Rate: &none, Euros: 7, At: time.Unix(0, 0)},
		{ID: "01003", Many: []string{"c"}, At: time.Unix(0, 0), P21_POP: &rate},
	}
}

// The figures of a Parquet file are read with all their digits, and what it lacks is absent.
func TestParquet(t *testing.T) {
	t.Parallel()
	content := parquetFile(t, 2, parquetRows()...)
	const rows = `01001|{"at": "2020-06-18T12:00:00.000001Z", "day": "2020-06-18", "yes": "true", "name": "Évian", "rate": "0.1", "euros": "-12.05", "short": "0.1", "small": "200", "whole": "9007199254740993"}
01002|{"at": "1970-01-01T00:00:00Z", "day": "1970-01-01", "yes": "false", "euros": "0.07", "short": "0", "small": "0"}
01003|{"at": "1970-01-01T00:00:00Z", "day": "1970-01-01", "yes": "false", "euros": "0.00", "short": "0", "small": "0"}`
	for name, file := range map[string]string{
		"plain": content, "in gzip": loadkit.Zipped(content), "in zip": loadkit.Archive(t, map[string]string{"a/x.parquet": content, "a/readme": "x"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.Parquet},
				loadkit.Columns("name=nom", "whole", "small", "rate", "short", "yes", "day", "at", "euros", "many", "i=inner", "x")...))
			b.File("facts.x", file)
			b.MustLoad()
			b.Want("SELECT id, attrs FROM geo.enrich_radon", rows)
		})
	}
	t.Run("figures in columns", func(t *testing.T) {
		t.Parallel()
		s := figures(source.Read{Format: source.Parquet, Unpivot: []source.Unpivot{{Column: `P(?P<yy>\d\d)_POP`, Measure: "population", Period: "{yy}"}}})
		s.Columns[0].From = []string{"id"}
		b := loadkit.New(t, s)
		b.Exec(createFigure)
		b.File("figures.x", content)
		b.MustLoad()
		b.Want("SELECT * FROM geo.figure", "01001|population|2021|0.1|\n01003|population|2021|0.1|")
	})
}

// A file that is no Parquet file, or one that is cut off or damaged, is refused with the reason; what was served stays and
// no copy is left on the disk.
func TestParquetThatIsBroken(t *testing.T) { // not parallel: it has a folder for temporary files of its own
	content := parquetFile(t, 2, parquetRows()...)
	b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.Parquet}))
	unpacked := t.TempDir()
	t.Setenv("TMPDIR", unpacked)
	b.File("facts.x", content)
	b.MustLoad()
	before := b.Text("SELECT id FROM geo.enrich_radon")
	type lists struct {
		Many []string `parquet:"many,list"`
	}
	for name, tc := range map[string][2]string{
		"empty":                  {"", "no Parquet file"},
		"text":                   {"id;name\n1;a\n", "no Parquet file"},
		"cut":                    {content[:len(content)-20], "cut off"},
		"cut to its first bytes": {content[:6], "cut off"},
		"a middle that is gone":  {content[:200] + content[300:], ""},
		"a footer of noise":      {content[:len(content)-300] + strings.Repeat("\xff", 292) + content[len(content)-8:], "footer of the file is damaged"},
		"a footer of 4 GB":       {noFooter, "cut off"},
		"a list of 2 billion":    {endlessList, "footer of the file is damaged"},
		"nothing but lists":      {parquetFile(t, 9, lists{[]string{"a"}}), "no column that is not a list"},
		"another table":          {parquetFile(t, 9, struct{ A string }{"x"}), "it has no id"},
		"no rows":                {parquetFile[parquetRow](t, 9), "no row"},
	} {
		for _, file := range []string{tc[0], loadkit.Zipped(tc[0])} {
			b.File("facts.x", file)
			_, err := b.Load(ingest.Request{})
			if err == nil || !strings.Contains(err.Error(), tc[1]) {
				t.Errorf("%s: %v; want it to say %q", name, err, tc[1])
			}
			b.Want("SELECT id FROM geo.enrich_radon", before)
		}
	}
	left, err := os.ReadDir(unpacked)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// noFooter has 12 bytes and declares a footer of 4 GB; the list that describes the columns of endlessList has 2 147 483 647 elements.
const (
	noFooter    = "PAR1\x0c\x0c\x0b\xf7PAR1"
	endlessList = "PAR1" + "\x29\xfc\xff\xff\xff\xff\x07" + "\x07\x00\x00\x00PAR1"
)

// No file makes the reader of Parquet panic, read on for ever or make up rows.
func FuzzParquet(f *testing.F) {
	f.Add([]byte(parquetFile(f, 2, parquetRows()...)))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Add([]byte(noFooter))
	f.Add([]byte(endlessList))
	f.Fuzz(func(t *testing.T, in []byte) { loadkit.FuzzFile(t, in, source.Read{Format: source.Parquet}) })
}
