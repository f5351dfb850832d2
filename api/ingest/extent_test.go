package ingest_test

import (
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// An extract covers what its name says, whatever the source: else the file of a commune claims that nothing is in the rest of France.
func TestExtractCoversWhatItIsNamedAfter(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"facts.csv":               "radon|",
		"facts-93010.csv":         "radon|93010",
		"facts-2A247.csv":         "radon|2A247",
		"facts-commune-93010.csv": "radon|93010",
		"facts-dep-93.csv":        "radon|93",
		"facts-region-11.csv":     "radon|75\nradon|93",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...)
			s.Files = []source.Files{{Path: `(^|/)facts[^/]*\.csv$`}}
			s.Covers = source.Covers("radon")
			b := loadkit.New(t, s)
			b.Exec(`INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France'), ('94', 'Corse');
				INSERT INTO geo.departement (code, name, region_code) VALUES ('75', 'Paris', '11'), ('93', 'Seine-Saint-Denis', '11'), ('2A', 'Corse-du-Sud', '94')`)
			b.File(name, "id,name\n1,a\n")
			b.MustLoad()
			b.Want("SELECT layer, area FROM geo.coverage ORDER BY area", want)
		})
	}
}

// The file of the whole country takes the place of its extracts.
func TestWholeFileReplacesExtracts(t *testing.T) {
	t.Parallel()
	s := loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...)
	s.Files = []source.Files{{Path: `(^|/)facts\.csv$`}}
	s.Covers = source.Covers("radon")
	b := loadkit.New(t, s)
	b.Exec(`INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France');
		INSERT INTO geo.departement (code, name, region_code) VALUES ('75', 'Paris', '11')`)
	b.File("facts-93010.csv", "id,name\n1,a\n")
	b.File("facts-region-11.csv", "id,name\n3,c\n")
	b.MustLoad()
	b.File("facts.csv", "id,name\n1,a\n2,b\n3,c\n")
	if out := b.MustLoad(); len(out) != 1 || out["facts"].State != ingest.Loaded {
		t.Errorf("loaded %+v", out)
	}
	b.Want(factRows+" ORDER BY id", "1|a\n2|b\n3|c")
}
