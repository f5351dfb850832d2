package topic_test

import (
	"regexp"
	"testing"

	"arpent/internal/opendata/topic"
)

// Files match under the names that their producers give them; files of something else match nothing.
func TestMobilityAndServiceFiles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, source, scope, vintage string }{
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

// Roads are read from the archive in their own format, in one file or in
// volumes; other topics read the same archive.
func TestArchivesOfRoads(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, source, scope string }{
		{"BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D031_2026-06-15.7z", "", ""},
		{"BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D02A_2026-06-15.7z.001", "roads-bdtopo-shp", "2A"},
		{"BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D02A_2026-06-15.7z.002", "", ""},
	} {
		name, scope := "", ""
		for _, s := range topic.Sources() {
			for _, f := range s.Files {
				expr := regexp.MustCompile(f.Path)
				if m := expr.FindStringSubmatch(tc.path); m != nil && s.Name == "roads-bdtopo-shp" {
					name, scope = s.Name, m[expr.SubexpIndex("scope")]
				}
			}
		}
		if name != tc.source || scope != tc.scope {
			t.Errorf("%s is %s, %q; want %s, %q", tc.path, name, scope, tc.source, tc.scope)
		}
	}
}
