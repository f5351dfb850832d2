package topic_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// An error in a declaration is found here, not on the day its file arrives.
func TestDeclarationsAreWhole(t *testing.T) {
	t.Parallel()
	seen := []string{}
	made := map[string]string{}
	for _, s := range topic.Sources() {
		if sql, known := made[s.Target.Table]; known && sql != s.Target.Create {
			t.Errorf("source %s makes %s in another form than the source before it", s.Name, s.Target.Table)
		}
		made[s.Target.Table] = s.Target.Create
		if s.Name == "" || s.Title == "" || s.Producer == "" || s.Licence.Name == "" || s.Target.Table == "" || len(s.Target.Key) == 0 {
			t.Errorf("source %q lacks a name, title, producer, licence, table or key", s.Name)
		}
		if slices.Contains(seen, s.Name) {
			t.Errorf("source %s is declared twice", s.Name)
		}
		for _, before := range s.After {
			if !slices.Contains(seen, before) {
				t.Errorf("source %s comes after %s, which is not before it in the catalogue", s.Name, before)
			}
		}
		seen = append(seen, s.Name)
		var columns []string
		for _, c := range s.Columns {
			columns = append(columns, c.Name)
			if _, err := regexp.Compile(c.Match); err != nil {
				t.Errorf("source %s, column %s: %v", s.Name, c.Name, err)
			}
		}
		keys := slices.Clone(s.Dedupe.Key)
		if s.Rows == "" { // else its SQL computes the columns of the target
			keys = append(keys, s.Target.Key...)
		}
		for _, key := range keys {
			filled := key == "part" && s.Target.Part || key == "piece" && s.Geometry != nil && s.Geometry.Subdivide
			if !slices.Contains(columns, key) && !filled {
				t.Errorf("source %s has no column %s, which is in its key", s.Name, key)
			}
		}
		for _, fault := range declarationFaults(s, columns) {
			t.Errorf("source %s: %s", s.Name, fault)
		}
		if len(s.Files) == 0 {
			t.Errorf("source %s has no files", s.Name)
		}
	}
}

// declarationFaults returns the errors that the loader would only detect when a file is there.
func declarationFaults(s source.Source, columns []string) []string {
	var out []string
	targets := []source.Target{s.Target}
	for _, d := range s.Derived {
		targets = append(targets, d.Target)
	}
	for _, target := range targets {
		if target.Part && (len(target.Key) == 0 || target.Key[0] != "part") {
			out = append(out, "the key of "+target.Table+" does not begin with part")
		}
		if target.Part && target.ScopeColumn != "" {
			out = append(out, target.Table+" has parts and a scope column")
		}
	}
	if slices.Contains(columns, "part") && s.Target.Part {
		out = append(out, "the column part is the loader's")
	}
	if g := s.Geometry; g != nil {
		if g.Subdivide && !slices.Contains(s.Target.Key, "piece") {
			out = append(out, "its shapes are cut into pieces, which are not in the key")
		}
	}
	for _, layer := range s.Covers {
		if layer.Layer == "" {
			out = append(out, "it covers a layer without a name")
		}
		if scope := invalidScope(s); layer.Areas == "" && scope != "" {
			out = append(out, "its files can have the scope "+scope+", which is no place, and it does not say which areas the layer "+layer.Layer+" covers")
		}
	}
	r, table := s.Read, s.Read.Format == source.CSV || s.Read.Format == source.Spreadsheet
	for fault, is := range map[string]bool{
		"Rows has a parameter that nothing fills": regexp.MustCompile(`\$[0-9]`).MatchString(s.Rows),
		"Unpivot does not apply to what GDAL reads": r.Unpivot != nil && !table &&
			!strings.Contains(string(r.Format), "json"),
		"Repeat applies only to tables without Unpivot": r.Repeat != nil && (!table || r.Unpivot != nil),
		"Repeat lacks Names or From": r.Repeat != nil &&
			(len(r.Repeat.Names) == 0 || r.Repeat.From == ""),
		"Keyed applies only to JSON with one item in Items": r.Keyed &&
			(r.Format != source.JSON || len(r.Items) != 1),
		"AllMembers applies only to CSV with Member": r.AllMembers &&
			(r.Format != source.CSV || r.Member == ""),
		"Sheet applies only to spreadsheets": r.Sheet != "" && r.Format != source.Spreadsheet,
		"HeaderCell applies only to tables":  r.HeaderCell != "" && !table,
		"Skip applies only to CSV without HeaderCell": r.Skip > 0 &&
			(r.Format != source.CSV || r.HeaderCell != ""),
		"a column reads what Unpivot, Repeat or Keyed make": slices.ContainsFunc(s.Columns,
			func(c source.Column) bool {
				return readsNothing(r, c.From)
			}),
	} {
		if is {
			out = append(out, fault)
		}
	}
	for _, w := range r.Unpivot {
		_, measure := format.ParseTemplate(w.Measure)
		_, period := format.ParseTemplate(w.Period)
		if err := errors.Join(measure, period); err != nil || w.Column == "" || w.Measure == "" {
			out = append(out, fmt.Sprintf("Unpivot %v lacks a name or a measure: %v", w, err))
		}
	}
	exprs := append([]string{s.Read.Member, s.Read.Sheet, s.Read.HeaderCell}, s.Read.Layers...)
	for _, w := range s.Read.Unpivot {
		exprs = append(exprs, w.Column)
	}
	for _, f := range s.Files {
		exprs = append(exprs, f.Path, f.Partial)
	}
	for _, expr := range s.Read.Keep {
		exprs = append(exprs, expr)
	}
	for _, expr := range exprs {
		if _, err := regexp.Compile(expr); err != nil {
			out = append(out, err.Error())
		}
	}
	return out
}

// readsNothing reports whether none of the names of a column is made by the way its file is read.
func readsNothing(r source.Read, from []string) bool {
	made := map[string]bool{"_measure": r.Unpivot != nil, "_period": r.Unpivot != nil,
		"_missing": r.Unpivot != nil,
		"_value":   r.Unpivot != nil || r.Keyed, "_group": r.Repeat != nil, "_key": r.Keyed}
	return len(from) > 0 && !slices.ContainsFunc(from, func(name string) bool {
		is, special := made[name]
		return is || !special
	})
}

var scopeGroup = regexp.MustCompile(`\(\?P<scope>((?:[^()]|\([^()]*\))*)\)`)

// invalidScope tries names on the expressions that extract the scope from a path.
func invalidScope(s source.Source) string {
	for _, f := range s.Files {
		m := scopeGroup.FindStringSubmatch(f.Path)
		if m == nil {
			continue
		}
		expr := regexp.MustCompile(`^(?:` + m[1] + `)$`)
		for _, name := range []string{"30014_PLU_20171013", "38DDT20180003", "172014607", "R76", "occitanie", "metropole"} {
			if expr.MatchString(name) {
				return name
			}
		}
	}
	return ""
}

// Paths used by producers match, with the place and date in them; files of something else match nothing.
func TestFilesAreRecognised(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, source, scope, vintage string }{
		{"territory/cog/communes.json.gz", "cog-communes", "", ""},
		{"cog/communes-2026.json.gz", "cog-communes", "", "2026"},
		{"stats/cog/communes.csv.gz", "", "", ""},
		{"territory/admin/communes-10m/communes-2A.geojson.gz", "contours-communes", "", ""},
		{"outlines/communes.topo.json.gz", "contours-communes", "", ""},
		{"territory/admin/communes-api-geo-5m/communes-2A.json.gz", "", "", ""},
		{"parcels/cadastre-93010-parcelles.2025-01-01.json.gz", "parcelles-etalab", "93010", "2025-01-01"},
		{"latest/geojson/departements/2A/cadastre-2A-parcelles.json.gz", "parcelles-etalab", "2A", ""},
		{"latest/geojson/departements/2A/cadastre-2A-parcelles.json.gz.part", "", "", ""},
		{"latest/geojson/departements/971/cadastre-971-feuilles.json.gz", "feuilles-etalab", "971", ""},
		{"parcels/cadastre-2A247-lieux_dits.json.gz", "", "", ""},
		{"parcels/2A247-x/cadastre-2A247-parcelles.subset.json.gz", "parcelles-etalab", "2A247", ""},
		{"parcels/27412-terres-de-bord/parcelles.geojson.gz", "parcelles-etalab", "27412", ""},
		{"parcels/27412-terres-de-bord/batiments.geojson.gz", "", "", ""},
		{"PARCELLAIRE-EXPRESS_1-1__SHP_LAMB93_D075_2024-07-01/1_DONNEES/PARCELLE.SHP", "parcelles-ign-shp", "75", "2024-07-01"},
		{"PARCELLAIRE-EXPRESS_1-1__SHP_LAMB93_D075_2024-07-01/1_DONNEES/COMMUNE.SHP", "", "", ""},
		{"x/PARCELLAIRE-EXPRESS_1-1__SHP_LAMB93_D075_2024-07-01.shp", "parcelles-ign-shp", "75", "2024-07-01"},
		{"COMMUNE_D075_2024-07-01.shp", "", "", ""},
		{"parcellaire-01.2024-07-01.shp", "parcelles-ign-shp", "01", "2024-07-01"},
		{"PARCELLAIRE-EXPRESS_1-1__SHP_LAMB93_D002_2025-12-01.7z", "parcelles-ign-shp", "02", "2025-12-01"},
		{"BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D02A_2026-06-15.7z.001", "bdtopo-vegetation", "D02A", "2026-06-15"},
		{"BDALTIV2_2-0_25M_ASC_LAMB93-IGN69_D007_2022-12-16.7z", "altitudes-ign", "07", "2022-12-16"},
		{"admin/communes-5m-2026.geojson.gz", "contours-communes", "", "2026"},
		{"communes-50m.geojson.gz", "", "", ""},
		{"irve/consolidation-etalab-schema-irve-statique-v-2.3.1-20240508.csv", "charge-points", "", "20240508"},
		{"irve/consolidated-irve.csv.gz", "charge-points", "", ""},
		{"irve/exemple-valide-statique.csv", "", "", ""},
		{"anfr/20240105_observatoire_2G_3G_4G.csv", "mobile-masts", "", "20240105"},
		{"traffic/TMJA_RRNc_2023.csv", "road-traffic", "", ""},
		{"BDTOPO_3-4_TOUSTHEMES_SHP_LAMB93_D02A_2024-06-15/TRANSPORT/ROUTE_NUMEROTEE_OU_NOMMEE.shp", "roads-bdtopo-shp", "2A", "2024-06-15"},
		{"sncf/gares-de-voyageurs.csv", "railway-stations", "", ""},
		{"airports/airports.csv", "airports-ourairports", "", ""},
		{"airports/airportsdata_fr.csv", "airports-airportsdata", "", ""},
		{"20260827182212_observatoireod_20260827.csv", "mobile-masts", "", "20260827"},
		{"2026t2-immeuble.zip", "fibre", "", ""},
		{"2026t2-commune.zip", "", "", ""},
		{"ipe_93.csv", "fibre", "93", ""},
		{"ipe-2023-10-05-93010.csv.gz", "fibre", "93010", "2023-10-05"},
		{"base_imb_93.csv.gz", "", "", ""}, // of another data set, without the state of the roll-out
		{"export_gtfs_voyages.zip", "high-speed-stations", "", ""},
		{"Export_OpenData_SNCF_GTFS_NewTripId.zip", "", "", ""}, // all trains
		{"travel-times.csv", "travel-times", "", ""},
		{"schools/fr-en-ips-lycees-ap2022.csv.gz", "school-index-lycees", "", ""},
		{"schools/fr-en-indicateurs-de-resultat-des-lycees-gt_v2.csv", "school-results-lycees", "", ""},
		{"schools/fr-en-indicateurs-de-resultat-des-lycees-pro_v2.csv", "school-results-lycees-pro", "", ""},
		{"finess/hopitaux_idf_2014.geojson", "finess-hospitals", "", "2014"},
		{"finess/finess-structures-extract.json", "", "", ""},
		{"finess/exemple-finess-structures-journalier-20260309.json", "", "", ""},
		{"finess/finess-structures-journalier-20260309.json", "finess-plus", "", "20260309"},
		{"bpe/bpe23_ensemble_xy_csv.zip", "bpe", "", ""},
		{"bpe/BPE24.csv", "bpe", "", ""},
		{"bpe/bpe18_enseignement.csv.gz", "", "", ""},
		{"osm/osm-marketplaces-34.geojson", "osm-marketplaces", "34", ""},
	} {
		name, scope, vintage := recognizePath(t, tc.path)
		if name != tc.source || scope != tc.scope || vintage != tc.vintage {
			t.Errorf("%s is %s, %q, %q; want %s, %q, %q", tc.path, name, scope, vintage, tc.source, tc.scope, tc.vintage)
		}
	}
}

// recognizePath returns the first source that reads a file of the path, of those that are named or of all,
// with the scope and the vintage that the path gives it.
func recognizePath(t *testing.T, path string, among ...string) (name, scope, vintage string) {
	t.Helper()
	for _, s := range topic.Sources() {
		if len(among) > 0 && !slices.Contains(among, s.Name) {
			continue
		}
		for _, f := range s.Files {
			expr := pattern(f.Path)
			if m := expr.FindStringSubmatch(path); m != nil {
				group := func(name string) string {
					if i := expr.SubexpIndex(name); i >= 0 {
						return m[i]
					}
					return ""
				}
				return s.Name, group("scope"), group("vintage")
			}
		}
	}
	return "", "", ""
}

// Selecting one source also selects those it is checked against, before it.
func TestSelectBringsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	found := testkit.Must(source.Select(topic.Sources(), []string{"contours"}))(t)
	var names []string
	for _, s := range found {
		names = append(names, s.Name)
	}
	want := []string{"cog-regions", "cog-departements", "cog-communes", "contours-communes", "contours-arrondissements"}
	if !slices.Equal(names, want) {
		t.Errorf("selected %q; want %q", names, want)
	}
}

// Roads are read from the archive in their own format, in one file or in
// volumes; other topics read the same archive.
func TestArchivesOfRoads(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D031_2026-06-15.7z":    "",
		"BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D02A_2026-06-15.7z.001": "2A",
		"BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D02A_2026-06-15.7z.002": "",
	} {
		name, scope, _ := recognizePath(t, path, "roads-bdtopo-shp")
		if scope != want || (name != "") != (want != "") {
			t.Errorf("%s is %s, %q; want %q", path, name, scope, want)
		}
	}
}
