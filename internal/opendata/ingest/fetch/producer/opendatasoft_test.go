package producer_test

import (
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// An export is taken only if it has all rows that the portal counts.
func TestOpendatasoft(t *testing.T) {
	t.Parallel()
	const (
		api     = "https://data.example.fr/api/explore/v2.1/catalog/datasets/gares"
		set     = `{"dataset_id":"gares","metas":{"default":{"modified":"2026-01-01","data_processed":"2026-11-01T04:00:00+00:00"}}}`
		csv     = api + "/exports/csv?delimiter=;&use_labels=true"
		geojson = api + "/exports/geojson"
		all     = api + "/records?limit=0"
		rows    = "\uFEFFNom;Note\n\"Gare; de\nl'Est\";a\nGare du Nord;\"b \"\"c\"\"\"\n"
		area    = `{"type": "FeatureCollection", "features": [{"type":"Feature","properties":{"a":[1,{}]}}, {"type":"Feature"}]}` + "\n"
	)
	stations := producer.Opendatasoft{Host: "data.example.fr", Dataset: "gares", Format: "csv", Labels: true}
	shapes := producer.Opendatasoft{Host: "data.example.fr", Dataset: "gares", Format: "geojson"}
	finances := producer.Opendatasoft{Host: "data.example.fr", Dataset: "gares", Format: "csv", Select: "exer,montant", Where: `year(exer)={year} AND agregat IN ("Dette")`}
	budget := func(year, of string) string {
		return api + of + `where=year(exer)=` + year + ` AND agregat IN ("Dette")`
	}
	const export = "/exports/csv?delimiter=;&select=exer,montant&use_labels=false&"
	local := producer.Opendatasoft{Host: "data.example.fr", Dataset: "gares", Format: "csv", Where: `dep="{departement}"`}
	runAll(t, []resolveCase{
		{name: "rows that span lines", from: stations, answers: producers{api: set, all: `{"total_count":2,"results":[]}`, csv: rows},
			want: csv + " as gares.csv of 2026-11-01T04:00:00+00:00", written: rows},
		{name: "cut short", from: stations, answers: producers{api: set, all: `{"total_count":3}`, csv: rows}, err: "has 2 rows of 3", again: true},
		{name: "shapes", from: shapes, answers: producers{api: set, all: `{"total_count":2}`, geojson: area},
			want: geojson + " as gares.geojson of 2026-11-01T04:00:00+00:00", written: area},
		{name: "fewer shapes", from: shapes, answers: producers{api: set, all: `{"total_count":3}`, geojson: area}, err: "has 2 rows of 3", again: true},
		{name: "shapes cut off", from: shapes, answers: producers{api: set, all: `{"total_count":2}`, geojson: strings.TrimSuffix(area, "]}\n")},
			err: "after 2 rows: it was cut off", again: true},
		{name: "page in place of the export", from: stations,
			err:     `answers with a page or message: "Désolé Service indisponible"`,
			answers: producers{api: set, all: `{"total_count":2}`, csv: "<!DOCTYPE html><title>Désolé</title><script>x</script>\n<p>Service&nbsp;indisponible"}},
		{name: "newest year", from: finances, want: budget("2024", export) + " as gares-2024.csv of 2026-11-01T04:00:00+00:00 year=2024", written: "exer;montant\n2024;1\n",
			answers: producers{api: set, budget("2026", "/records?limit=0&"): `{"total_count":0}`, budget("2025", "/records?limit=0&"): `{"total_count":0}`,
				budget("2024", "/records?limit=0&"): `{"total_count":1}`, budget("2024", export): "exer;montant\n2024;1\n"}},
		{name: "département without rows", from: local, place: fetch.Place{Departement: "48"}, nothing: true, err: `has no rows where dep="48"`,
			answers: producers{api: set, api + `/records?limit=0&where=dep="48"`: `{"total_count":0}`}},
		{name: "no rows at all", from: stations, answers: producers{api: set, all: `{"total_count":0}`}, err: "has no rows"},
		{name: "no count", from: stations, answers: producers{api: set, all: `{}`}, err: "does not say how many rows"},
		{name: "dataset gone", from: stations, err: api + " answers 404"},
		{name: "page in place of JSON", from: stations, answers: producers{api: "<html>"}, err: "read " + api},
	})
}

// An attachment keeps its title as a name, whatever the edition calls its id.
func TestAttachment(t *testing.T) {
	t.Parallel()
	const api = "https://data.example.fr/api/explore/v2.1/catalog/datasets/530_apl"
	set := producers{api: `{"dataset_id":"530_apl","attachments":[
		{"id":"notice_pdf","title":"Notice APL généralistes","mimetype":"application/pdf"},
		{"id":"indicateur_d_apl_aux_medecins_generalistes_xlsx","title":"Indicateur d'APL aux médecins généralistes.xlsx"},
		{"id":"apl_sages_femmes_2023_xlsx","title":"APL 2023 / sages-femmes"},
		{"id":"apl_sages_femmes_2024_xlsx","title":"APL 2024 / sages-femmes"}]}`}
	runAll(t, []resolveCase{
		{name: "by id", from: producer.Attachment{Host: "data.example.fr", Dataset: "530_apl", Title: `generalistes_xlsx$`}, answers: set,
			want: api + "/attachments/indicateur_d_apl_aux_medecins_generalistes_xlsx as Indicateur d'APL aux médecins généralistes.xlsx"},
		{name: "newest by title", from: producer.Attachment{Host: "data.example.fr", Dataset: "530_apl", Title: `sages-femmes`}, answers: set,
			want: api + "/attachments/apl_sages_femmes_2024_xlsx as APL 2024 - sages-femmes.xlsx of 2024 year=2024"},
		{name: "none that matches", from: producer.Attachment{Host: "data.example.fr", Dataset: "530_apl", Title: `dentistes`}, answers: set,
			err: "has no attachment dentistes; it has Notice APL généralistes, Indicateur"},
		{name: "none at all", from: producer.Attachment{Host: "data.example.fr", Dataset: "530_apl", Title: `x`}, answers: producers{api: `{"attachments":null}`},
			err: "it has nothing"},
	})
}
