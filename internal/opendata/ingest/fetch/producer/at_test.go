package producer_test

import (
	"testing"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// An address with a year or quarter finds the newest file that there is,
// and no more requests are made than for that.
func TestAt(t *testing.T) {
	t.Parallel()
	const (
		dvf   = "https://files.data.gouv.fr/geo-dvf/latest/csv/{year}/departements/{departement}.csv.gz"
		in    = "https://files.data.gouv.fr/geo-dvf/latest/csv/"
		insee = "https://www.insee.fr/fr/statistiques/fichier/"
	)
	runAll(t, []resolveCase{
		{name: "without a year it is not asked", from: producer.At{Address: "https://data.geopf.fr/D{departement:3}/{commune}.zip"},
			place: fetch.Place{Departement: "93", Commune: "93010"}, want: "https://data.geopf.fr/D093/93010.zip", asked: "nothing"},
		{name: "the year before", from: producer.At{Address: insee + "3698339/base-pop-historiques-1876-{year}.xlsx"},
			answers: producers{insee + "3698339/base-pop-historiques-1876-2023.xlsx": "PK…", insee + "3698339/base-pop-historiques-1876-2022.xlsx": "PK"},
			want:    insee + "3698339/base-pop-historiques-1876-2023.xlsx bytes 5 year=2023 yy=23"},
		{name: "two digits", from: producer.At{Address: insee + "8217525/BPE{yy}.zip"}, answers: producers{insee + "8217525/BPE25.zip": "PK"},
			want:  insee + "8217525/BPE25.zip bytes 2 year=2025 yy=25",
			asked: insee + "8217525/BPE26.zip\n" + insee + "8217525/BPE25.zip"},
		{name: "quarters", from: producer.At{Address: insee + "2012804/sl_etc_{year}T{quarter}.xls"},
			answers: producers{insee + "2012804/sl_etc_2025T4.xls": "PK", insee + "2012804/sl_etc_2026T1.xls": "410"},
			want:    insee + "2012804/sl_etc_2025T4.xls bytes 2 quarter=4 year=2025 yy=25",
			asked:   insee + "2012804/sl_etc_2026T2.xls\n" + insee + "2012804/sl_etc_2026T1.xls\n" + insee + "2012804/sl_etc_2025T4.xls"},
		{name: "several years, one of them without a file", from: producer.At{Address: dvf, Years: 3}, place: fetch.Place{Departement: "2A"},
			answers: producers{in + "2025/departements/2A.csv.gz": "1…", in + "2023/departements/2A.csv.gz": "2…",
				in + "2022/departements/2A.csv.gz": "3…", in + "2021/departements/2A.csv.gz": "4…"},
			want: in + "2025/departements/2A.csv.gz bytes 4 year=2025 yy=25\n" + in + "2023/departements/2A.csv.gz bytes 4 year=2023 yy=23\n" +
				in + "2022/departements/2A.csv.gz bytes 4 year=2022 yy=22"},
		{name: "a département without files", from: producer.At{Address: dvf, Years: 5}, place: fetch.Place{Departement: "57"},
			err: in + "{year}/departements/57.csv.gz has no file of the years from 2018 to 2026", nothing: true},
		{name: "no file of France", from: producer.At{Address: insee + "1/x{year}.zip"}, answers: producers{insee + "1/x2021.zip": "too old"},
			err: "has no file of the years from 2022 to 2026"},
		{name: "a server that does not want us", from: producer.At{Address: insee + "1/x{year}.zip"},
			answers: producers{insee + "1/x2026.zip": "403", insee + "1/x2025.zip": "PK"}, err: "answers 403"},
	})
}

// Of several files of a dataset the newest is taken: by what its name says, not by when it was uploaded.
func TestDateInAName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"donnee-data.gouv-2025-geographie2026-produit-le2026-06-25.csv.gz": "2026-06-25",
		"20260630-export-etalab-data.zip":                                  "2026-06-30",
		"31052018_export_etalab_data.zip":                                  "2018-05-31",
		"20122019_x.zip":                                                   "2019-12-20",
		"20260827182212_observatoireod_20260828.csv":                       "2026-08-28",
		"20250423121419_observatoire_2g_3g_4g.csv":                         "2025-04-23",
		"2026T2-Immeuble":                                                  "2026-06",
		"2026t2-immeuble.zip":                                              "2026-06",
		"sl_etc_2025T4.xls":                                                "2025-12",
		"chomage-zone-t1-2003-t4-2025.xlsx":                                "2025-12",
		"elus-2026-08.csv":                                                 "2026-08",
		"indices_202607.csv":                                               "2026-07",
		"MENSQ_93_previous-1950-2024.csv.gz":                               "2024",
		"table-appartenance-geo-communes-2026.zip":                         "2026",
		"lovac-opendata-communes26.csv":                                    "2026",
		"97404_PLU_20250917.zip":                                           "2025-09-17",
		"etalab-cs1100507.csv":                                             "",
		"radon.csv":                                                        "",
		"20261399.csv":                                                     "",
	} {
		if got := producer.DateIn(name); got != want {
			t.Errorf("%s: %q; expected %q", name, got, want)
		}
	}
}
