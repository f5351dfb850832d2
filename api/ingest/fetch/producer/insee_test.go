package producer_test

import (
	"testing"

	"arpent/api/ingest/fetch/producer"
)

// A file on a page of insee.fr is found although its name moves on.
func TestInseePage(t *testing.T) {
	t.Parallel()
	const (
		page = "https://www.insee.fr/fr/statistiques/1893230"
		file = "https://www.insee.fr/fr/statistiques/fichier/1893230/"
	)
	answers := producers{page: `<!DOCTYPE html><a href="/fr/accueil">x</a><a>y</a>
		<a href="/fr/statistiques/fichier/1893230/chomage-zone-t1-2003-t3-2025.xlsx">Ancien</a>
		<a href="/fr/statistiques/fichier/1893230/chomage-zone-t1-2003-t4-2025.xlsx?v=2">Fichier</a>
		<a href="https://www.insee.fr/fr/statistiques/fichier/1893230/documentation.pdf">Documentation</a>
		<a href="/fr/statistiques/serie/chomage-zone-t1-2003-t4-2026.xlsx">série</a>`}
	runAll(t, []resolving{
		{name: "newest", from: producer.InseePage{Page: 1893230, File: `^chomage-zone-.*\.xlsx$`}, answers: answers,
			want: file + "chomage-zone-t1-2003-t4-2025.xlsx?v=2 as chomage-zone-t1-2003-t4-2025.xlsx of 2025-12 year=2025"},
		{name: "without a year", from: producer.InseePage{Page: 1893230, File: `\.pdf$`}, answers: answers, want: file + "documentation.pdf as documentation.pdf"},
		{name: "none that matches", from: producer.InseePage{Page: 1893230, File: `\.zip$`}, answers: answers,
			err: page + ` has no file \.zip$; it has chomage-zone-t1-2003-t3-2025.xlsx, chomage-zone-t1-2003-t4-2025.xlsx, documentation.pdf`},
		{name: "another page in its place", from: producer.InseePage{Page: 1893230, File: `x`}, answers: producers{page: "<h1>Maintenance</h1>"}, err: "it has nothing"},
		{name: "page gone", from: producer.InseePage{Page: 1893230, File: `x`}, err: "answers 404"},
	})
}

// A dataset of the catalogue is the CSV of its newest year.
func TestMelodi(t *testing.T) {
	t.Parallel()
	const (
		catalogue = "https://api.insee.fr/melodi/catalog/DS_BPE"
		file      = "https://api.insee.fr/melodi/file/DS_BPE/"
	)
	from := producer.Melodi{Dataset: "DS_BPE"}
	runAll(t, []resolving{
		{name: "newest year", from: from, want: file + "DS_BPE_2025_CSV_FR as DS_BPE_2025_CSV_FR of 2026-08-04T08:50:56 bytes 14 year=2025",
			answers: producers{catalogue: `{"identifier":"DS_BPE","product":[
			{"accessURL":"` + file + `DS_BPE_2025_CSV_FR","format":"CSV","language":"FR","modified":"2026-08-04T08:50:56","byteSize":14,"packageFormat":"application/zip"},
			{"accessURL":"` + file + `DS_BPE_2024_CSV_FR","format":"CSV","language":"FR","modified":"2026-09-01T00:00:00","byteSize":13},
			{"accessURL":"` + file + `DS_BPE_2026_CSV_EN","format":"CSV","language":"EN","modified":"2026-08-04T08:50:56"},
			{"accessURL":"` + file + `DS_BPE_2026_XLSX_FR","format":"XLSX","language":"FR","modified":"2026-08-04T08:50:56"}]}`}},
		{name: "without a year", from: from, want: file + "DS_BPE_CSV_FR as DS_BPE_CSV_FR",
			answers: producers{catalogue: `{"product":[{"accessURL":"` + file + `DS_BPE_CSV_FR","format":"CSV"}]}`}},
		{name: "no CSV", from: from, answers: producers{catalogue: `{"product":[{"accessURL":"` + file + `DS_BPE_XLSX_FR","format":"XLSX"}]}`},
			err: catalogue + " has no CSV in French; it has DS_BPE_XLSX_FR"},
		{name: "no product", from: from, answers: producers{catalogue: `{"product":null}`}, err: "it has nothing"},
		{name: "dataset gone", from: from, err: "answers 404"},
	})
}
