package producer_test

import (
	"testing"

	"arpent/internal/opendata/ingest/fetch/producer"
)

// A dataset of the catalogue is the CSV of its newest year.
func TestMelodi(t *testing.T) {
	t.Parallel()
	const (
		catalogue = "https://api.insee.fr/melodi/catalog/DS_BPE"
		file      = "https://api.insee.fr/melodi/file/DS_BPE/"
	)
	from := producer.Melodi{Dataset: "DS_BPE"}
	runAll(t, []resolveCase{
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
