package ingest_test

import (
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// cavities is the content of a file of a layer with one thing of a kind.
func cavities(kind string) string {
	return `{"type":"FeatureCollection","features":[` + loadkit.Thing("1", kind, loadkit.Spot(2.48, 48.9)) + `]}`
}

const (
	cavityParts = "SELECT part, attrs->>'kind' AS kind FROM geo.enrich_cavity"
	activeLoads = "SELECT scope, vintage FROM geo.load WHERE active"
)

// What an operator fetches or places is what is served of its source, although the box has a newer file: a clone gives all files of
// the box the time of the clone, and its editions may be younger than those that somebody chose.
func TestFilesReplaceThoseOfTheBox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		box, file    string
		parts, loads string
	}{
		"same scope":      {"layer_93010.2025-01-01.geojson", "layer_93010.2020-01-01.geojson", "layer/93010|mine", "93010|2020-01-01"},
		"wider scope":     {"layer_93010.2025-01-01.geojson", "layer_93.2020-01-01.geojson", "layer/93|mine", "93|2020-01-01"},
		"the country":     {"layer_93010.2025-01-01.geojson", "layer.2020-01-01.geojson", "layer|mine", "|2020-01-01"},
		"same file":       {"layer_93010.geojson", "layer_93010.geojson", "layer/93010|mine", "93010|"},
		"another place":   {"layer_93010.geojson", "layer_35.geojson", "layer/35|mine\nlayer/93010|box", "35|\n93010|"},
		"part of a place": {"layer_93.geojson", "layer_93010.geojson", "layer/93|box", "93|"},
	} {
		for _, incomplete := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := loadkit.Layer("layer", "")
				if incomplete { // its areas are those of its rows
					s.Covers[0].Areas = "SELECT '93010'"
				}
				if incomplete && name == "part of a place" {
					t.Skip("loads of such a source do not replace each other")
				}
				b := loadkit.New(t, s)
				// Whether the box was loaded before the file came makes no difference.
				b.BoxFile(c.box, cavities("box"))
				b.MustLoad()
				b.File(c.file, cavities("mine"))
				b.BoxFile(c.box, cavities("box")) // is the newest
				b.MustLoad()
				b.Want(cavityParts, c.parts)
				b.Want(activeLoads, c.loads)
				for source, o := range b.MustLoad() {
					if o.State != ingest.Unchanged {
						t.Errorf("%s is %s again", source, o.State)
					}
				}
			})
		}
	}
}

// Older editions of the cadastre name the successors of a parcel that is gone: those of the box stay next to other editions that were
// fetched, which replace the same edition alone.
func TestHistoryOfTheBoxStays(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	collection := func(contenance int) string {
		return `{"type":"FeatureCollection","features":[` + loadkit.Parcel(1, contenance) + `]}`
	}
	const folder = "territory/parcels/etalab/"
	b.BoxFile(folder+"cadastre-01001-parcelles.2022-01-01.json", collection(22))
	b.BoxFile(folder+"cadastre-01001-parcelles.2025-01-01.json", collection(25))
	b.File(folder+"cadastre-01001-parcelles.2025-01-01.json", collection(26))
	b.BoxFile(folder+"cadastre-01001-parcelles.2025-01-01.json", collection(25))
	b.MustLoad()
	b.Want("SELECT contenance FROM geo.parcelle", "26")
	b.Want("SELECT vintage FROM geo.load ORDER BY 1", "2022-01-01\n2025-01-01")
}

// A source that nothing was fetched of is served from the box, and a folder that is not there is no fault.
func TestTheBoxAlone(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...))
	b.BoxFile("facts.csv", "id,name\n1,a\n")
	b.Data = ""
	b.MustLoad()
	b.Want(factRows, "1|a")
}
