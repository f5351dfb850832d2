package producer_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

const dataGouvAPI = "https://www.data.gouv.fr/api/1/datasets/"

// dataGouvFile is a resource of data.gouv.fr, below the folder with the
// time of its upload. more are further members.
func dataGouvFile(id, title, file, modified, more string) string {
	return fmt.Sprintf(`{"id":%q,"title":%q,"url":"https://static.data.gouv.fr/resources/x/20260101-000000/%s","last_modified":"%sT10:00:00+00:00",`+
		`"filetype":"file","filesize":12,"checksum":null%s}`, id, title, file, modified, more)
}

func dataGouvAnswer(resources ...string) producers {
	return producers{dataGouvAPI + "set/": `{"id":"5c4a","slug":"set","deleted":null,"resources":[` + strings.Join(resources, ",") + `]}`}
}

// A resource is found by its id, and by rules when the producer has replaced it or uploaded old ones again.
func TestDataGouv(t *testing.T) {
	t.Parallel()
	const static = "https://static.data.gouv.fr/resources/x/20260101-000000/"
	anfr := dataGouvAnswer(
		dataGouvFile("1", "Tables de mai 2018", "31052018_export_etalab_data.zip", "2026-11-01", ""),
		dataGouvFile("2", "Tables", "20260630-export-etalab-data.zip", "2026-07-02", ""),
		dataGouvFile("3", "Tables", "20260531-export-etalab-data.zip", "2026-10-02", ""),
		dataGouvFile("4", "Références", "20260731-export-etalab-ref.zip", "2026-08-24", ""))
	water := dataGouvAnswer(
		dataGouvFile("1", "2024", "dis-2024.zip", "2026-06-01", ""), dataGouvFile("2", "2026", "dis-2026.zip", "2026-06-01", ""),
		dataGouvFile("3", "2025", "dis-2025.zip", "2026-04-22", ""), dataGouvFile("4", "2026", "dis-2026-dept.zip", "2026-06-01", ""))
	fibre := dataGouvAnswer(dataGouvFile("1", "2026T1-Immeuble", "a.zip", "2026-09-30", ""), dataGouvFile("2", "2026T2-Immeuble", "b.zip", "2026-09-10", ""))
	runAll(t, []resolveCase{
		{name: "by id, with its checksum", from: producer.DataGouv{Dataset: "set", Resource: "2", File: `^maire`},
			answers: dataGouvAnswer(dataGouvFile("1", "Maires", "maires.csv", "2026-11-01", ""),
				dataGouvFile("2", "Élus", "elus%20maires-mai.csv", "2026-08-11", `,"checksum":{"type":"SHA1","value":"0AB1"}`)),
			want: static + "elus%20maires-mai.csv as elus maires-mai.csv of 2026-08-11 bytes 12 sha1 0ab1"},
		{name: "id replaced", from: producer.DataGouv{Dataset: "set", Resource: "6252a84c", File: `^donnee-(comm-)?data\.gouv-.*\.csv\.gz$`},
			answers: dataGouvAnswer(dataGouvFile("44ef4323", "Communes", "donnee-data.gouv-2025-geographie2026-produit-le2026-06-25.csv.gz", "2026-07-09", ""),
				dataGouvFile("x", "Départements", "donnee-dep-data.gouv-2025-produit-le2026-06-25.csv", "2026-07-09", "")),
			want: static + "donnee-data.gouv-2025-geographie2026-produit-le2026-06-25.csv.gz as " +
				"donnee-data.gouv-2025-geographie2026-produit-le2026-06-25.csv.gz of 2026-06-25 bytes 12 year=2026"},
		{name: "id gone and no rule", from: producer.DataGouv{Dataset: "set", Resource: "6252a84c"}, answers: dataGouvAnswer(dataGouvFile("1", "x", "x.csv", "2026-07-09", "")),
			err: "the dataset set of data.gouv.fr has no resource with id 6252a84c; it has x.csv"},
		{name: "old file uploaded again", from: producer.DataGouv{Dataset: "set", File: `export.etalab.data\.zip$`}, answers: anfr,
			want: static + "20260630-export-etalab-data.zip as 20260630-export-etalab-data.zip of 2026-06-30 bytes 12 year=2026"},
		{name: "date in the title", from: producer.DataGouv{Dataset: "set", File: `\.zip$`}, answers: fibre,
			want: static + "b.zip as b.zip of 2026-06 bytes 12 year=2026"},
		{name: "the newest two", from: producer.DataGouv{Dataset: "set", File: `^dis-20\d\d\.zip$`, Newest: 2}, answers: water,
			want: static + "dis-2026.zip as dis-2026.zip of 2026 bytes 12 year=2026\n" + static + "dis-2025.zip as dis-2025.zip of 2025 bytes 12 year=2025"},
		{name: "all, of two with one name the newer", from: producer.DataGouv{Dataset: "set", File: `^tmja`, Newest: producer.All},
			answers: dataGouvAnswer(dataGouvFile("1", "old", "tmja-2019.csv", "2020-01-01", `,"filesize":1`), dataGouvFile("2", "x", "tmja-2019.csv", "2021-12-22", ""),
				dataGouvFile("3", "x", "tmja-2024.csv", "2025-08-18", "")),
			want: static + "tmja-2024.csv as tmja-2024.csv of 2024 bytes 12 year=2024\n" + static + "tmja-2019.csv as tmja-2019.csv of 2019 bytes 12 year=2019"},
		{name: "file of others, whose checksum is not renewed", from: producer.DataGouv{Dataset: "set", Resource: "1"},
			answers: dataGouvAnswer(dataGouvFile("1", "Stock", "stock.zip", "2026-11-01", `,"filetype":"remote","checksum":{"type":"sha1","value":"0ab1"}`)),
			want:    static + "stock.zip as stock.zip of 2026-11-01"},
		{name: "checksum of an unknown kind", from: producer.DataGouv{Dataset: "set", Resource: "1"},
			answers: dataGouvAnswer(dataGouvFile("1", "Stock", "stock.zip", "2026-11-01", `,"checksum":{"type":"crc","value":"0ab1"}`)),
			want:    static + "stock.zip as stock.zip of 2026-11-01 bytes 12"},
		{name: "of a département", from: producer.DataGouv{Dataset: "set", File: `^MENS_departement_{departement}_`}, place: fetch.Place{Departement: "35"},
			answers: dataGouvAnswer(dataGouvFile("1", "x", "MENS_departement_35_2026.csv", "2026-11-01", "")),
			want:    static + "MENS_departement_35_2026.csv as MENS_departement_35_2026.csv of 2026 bytes 12 year=2026"},
		{name: "département without a file", from: producer.DataGouv{Dataset: "set", File: `_{departement}_`}, place: fetch.Place{Departement: "35"},
			answers: dataGouvAnswer(), err: "it has nothing", nothing: true},
		{name: "no file that matches", from: producer.DataGouv{Dataset: "set", File: `^ppp`}, answers: anfr,
			err: "has no resource with file name ^ppp; it has 31052018_export_etalab_data.zip, 20260630-export-etalab-data.zip,"},
		{name: "dataset gone", from: producer.DataGouv{Dataset: "set", File: `x`}, answers: producers{dataGouvAPI + "set/": "410"},
			err: "data.gouv.fr no longer has the dataset set"},
		{name: "dataset deleted", from: producer.DataGouv{Dataset: "set", File: `x`}, answers: producers{dataGouvAPI + "set/": `{"deleted":"2026-10-01","resources":[]}`},
			err: "it was deleted on 2026-10-01"},
		{name: "page in place of JSON", from: producer.DataGouv{Dataset: "set", File: `x`}, answers: producers{dataGouvAPI + "set/": "<html>Maintenance</html>"},
			err: "read " + dataGouvAPI + "set/"},
		{name: "expression with a mistake", from: producer.DataGouv{Dataset: "set", File: `(x`}, answers: anfr, err: "the expression (x"},
	})
}
