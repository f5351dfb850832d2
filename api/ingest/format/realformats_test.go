package format_test

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"arpent/api/source"
	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
)

// The real files in each layout give the number of records that their producers publish, and the totals that the whole
// country knows: a column that is off by one, or a row that is lost, shows there.
func TestRealLayouts(t *testing.T) {
	t.Parallel()
	data := testkit.NationalData(t)
	sheet := func(name string, skip int, header string) source.Read {
		return source.Read{Format: source.Spreadsheet, Sheet: name, Skip: skip, HeaderCell: header}
	}
	keyed := func(item string, columns ...source.Unpivot) source.Read {
		return source.Read{Format: source.JSON, Keyed: true, Items: []string{item}, Unpivot: columns}
	}
	stations := source.Read{Format: source.CSV, Separator: ";", Repeat: &source.Repeat{Names: []string{"N°Panneau", "Nom", "Voix"}}}
	every := source.Unpivot{Column: "(?P<name>.*)", Measure: "{name}"}
	for _, tc := range []struct {
		file    string
		read    source.Read
		names   [2]string // a field, and one whose whole numbers are added up where that field is only; "": everywhere
		only    string
		records int
		total   int
	}{
		{"insee-population/population2019.xls.gz", sheet("Communes", 7, ""), [2]string{"", "Population municipale"}, "", 35382, 66361658},
		{"insee-population/population2019.xls.gz", sheet("Régions", 0, "Code région"), [2]string{"", "Population municipale"}, "", 17, 66361658},
		{"insee-bpe/bpe2013.xlsx.gz", source.Read{Format: source.Spreadsheet}, [2]string{"", "Total de nb_equip"}, "", 35190, 2186273},
		{"insee-bpe/bpe2013.xlsx.gz", source.Read{Format: source.Spreadsheet, Unpivot: []source.Unpivot{{Column: "(?P<name>[A-Z].*)", Measure: "{name}", Period: "2013"}}},
			[2]string{"_measure", "_value"}, "Boulangerie", 609504, 46245},
		{"elections/resultats-par-niveau-dpt-t1-2022.xlsx.gz", source.Read{Format: source.Spreadsheet,
			Repeat: &source.Repeat{Names: []string{"Sexe", "Nom", "Prénom", "Voix", "% Voix/Ins", "% Voix/Exp"}, From: "Sexe"}},
			[2]string{"Nom", "Voix"}, "MACRON", 107 * 12, 9783058},
		{"elections/presidentielle-2017-t1-bureaux-rhone.csv.gz", stations, [2]string{"Nom", "Voix"}, "MACRON", 1287 * 11, 236137},
		{"elections/presidentielle-2017-t2-bureaux-rhone.csv.gz", stations, [2]string{"Nom", "Voix"}, "MACRON", 280 * 2, 572015},
		{"logement/agg_comm_qlog.parquet.gz", source.Read{Format: source.Parquet}, [2]string{"", "P22_POP"}, "", 3696, 46626012},
		{"logement/rp_vacance_communes_2021.json.gz", keyed("communes", every), [2]string{"_measure", "_value"}, "log", 34955 * 5, 39328061},
		{"insee-bpe/bpe_communes_2024.json.gz", keyed("communes", every), [2]string{"_measure", "_value"}, "poste", 110120, 13824},
		{"insee-chomage/chomage_zones_emploi_2021-2025.json.gz", keyed("zes"), [2]string{"", "_key"}, "", 302, 1518086},
		{"insee-chomage/chomage_zones_emploi_2021-2025.json.gz", keyed("communes"), [2]string{"", ""}, "", 34875, 0},
		{"logement/rpls_communes.json.gz", keyed("communes"), [2]string{"", ""}, "", 35228, 0},
	} {
		t.Run(strings.Join([]string{tc.file, tc.only}, " "), func(t *testing.T) {
			t.Parallel()
			records, total := 0, 0
			err := loadkit.EachRecord(t.Context(), filepath.Join(data, "stats", tc.file), tc.read, tc.names[:], func(_ int64, cells []string) {
				records++
				n, err := strconv.Atoi(cells[1])
				if err == nil && (tc.only == "" || cells[0] == tc.only) {
					total += n
				}
			})
			if err != nil || records != tc.records || total != tc.total {
				t.Errorf("%d records, in all %d, %v; want %d, %d", records, total, err, tc.records, tc.total)
			}
		})
	}
}

// The lists of a municipal election are in an array of each object, which a column of text holds as the JSON that it is.
func TestRealArraysAsText(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testkit.NationalData(t), "stats/elections/municipales-2026-t1-communes.jsonl.gz")
	records, lists, odd := 0, 0, 0
	err := loadkit.EachRecord(t.Context(), path, source.Read{Format: source.JSONLines}, []string{"candidats"}, func(_ int64, cells []string) {
		var candidates []struct{ Voix *int }
		if json.Unmarshal([]byte(cells[0]), &candidates) != nil {
			odd++
		}
		records++
		lists += len(candidates)
	})
	if err != nil || records != 34881 || lists < records || odd > 0 {
		t.Errorf("%d records with %d lists, %d of them odd, %v; want 34881", records, lists, odd, err)
	}
}
