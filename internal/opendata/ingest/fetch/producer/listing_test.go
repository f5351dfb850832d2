package producer_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// A listing of a bucket is read to its end, a thousand keys at a time.
func TestS3(t *testing.T) {
	t.Parallel()
	const (
		bucket = "https://object.files.data.gouv.fr/meteofrance"
		first  = bucket + "?max-keys=1000&prefix=data/MENS/"
	)
	page := func(truncated bool, names ...string) string {
		var contents strings.Builder
		for _, name := range names {
			fmt.Fprintf(&contents, "<Contents><Key>data/MENS/%s</Key><LastModified>2026-11-01T00:00:00Z</LastModified><Size>7</Size></Contents>", name)
		}
		return fmt.Sprintf(`<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>%v</IsTruncated>%s</ListBucketResult>`, truncated, contents.String())
	}
	answers := producers{
		first: page(true, "MENSQ_20_latest-2025-2026.csv.gz", "MENSQ_93_latest-2025-2026.csv.gz"),
		bucket + "?marker=data/MENS/MENSQ_93_latest-2025-2026.csv.gz&max-keys=1000&prefix=data/MENS/": page(false, "MENSQ_93_previous-1950-2024.csv.gz", "MENSQ_99 x.csv"),
	}
	file := func(name string) string {
		return bucket + "/data/MENS/" + name + " as " + strings.ReplaceAll(name, "%20", " ") + " of 2026-11-01T00:00:00Z bytes 7"
	}
	from := producer.S3{Bucket: bucket, Prefix: "data/MENS/", File: `^MENSQ_{departement}_(previous|latest)-`}
	runAll(t, []resolveCase{
		{name: "on both pages", from: from, place: fetch.Place{Departement: "93"}, answers: answers,
			want: file("MENSQ_93_latest-2025-2026.csv.gz") + "\n" + file("MENSQ_93_previous-1950-2024.csv.gz")},
		{name: "blank in a key", from: producer.S3{Bucket: bucket, Prefix: "data/MENS/", File: `^MENSQ_99`}, answers: answers, want: file("MENSQ_99%20x.csv")},
		{name: "département without files", from: from, place: fetch.Place{Departement: "976"}, answers: answers, nothing: true,
			err: "has no file ^MENSQ_976_(previous|latest)-; it has MENSQ_20_latest"},
		{name: "empty", from: from, answers: producers{first: page(false)}, nothing: true, err: "it has nothing"},
		{name: "never ending", from: from, place: fetch.Place{Departement: "93"}, answers: producers{first: page(true)}, nothing: true, err: "it has nothing"},
		{name: "error in place of a listing", from: from, answers: producers{first: "<Error><Message>Access Denied</Message></Error>"}, err: "Access Denied"},
	})
}

// Of the whole history of a partition the document in force is taken.
func TestUrbanisme(t *testing.T) {
	t.Parallel()
	const api = "https://www.geoportail-urbanisme.gouv.fr/api/document"
	document := func(id, name, status, effective string) string {
		return fmt.Sprintf(`{"id":%q,"name":%q,"originalName":%q,"type":"PLU","status":%q,"legalStatus":"APPROVED","effectiveStatus":%q}`, id, name, name, status, effective)
	}
	history := "[" + strings.Join([]string{
		document("a", "97404_PLU_20260501", "document.deleted", "EN_VIGUEUR"), document("b", "97404_PLU_20250917", "document.production", "EN_VIGUEUR"),
		document("c", "97404_PLU_20260101", "document.production", "ABROGE"), document("d", "97404_PLU_20240101", "document.production", "EN_VIGUEUR")}, ",") + "]"
	from, place := producer.Urbanisme{Query: "partition=DU_{commune}"}, fetch.Place{Departement: "974", Commune: "97404"}
	runAll(t, []resolveCase{
		{name: "in force", from: from, place: place, answers: producers{api + "?partition=DU_97404": history},
			want: api + "/b/download/97404_PLU_20250917.zip as 97404_PLU_20250917.zip of b 97404_PLU_20250917 year=2025"},
		{name: "plans of parts", from: producer.Urbanisme{Query: "partition=DU_{grouping}"}, place: fetch.Place{Grouping: "200012345"},
			answers: producers{api + "?partition=DU_200012345": "[" + strings.Join([]string{
				document("a", "200012345_PLUi_20210101_A", "document.production", "EN_VIGUEUR"),
				document("b", "200012345_PLUi_20220101_B", "document.production", "EN_VIGUEUR"),
				document("c", "200012345_PLUi_20190101_A", "document.production", "EN_VIGUEUR")}, ",") + "]"},
			want: api + "/a/download/200012345_PLUi_20210101_A.zip as 200012345_PLUi_20210101_A.zip of a 200012345_PLUi_20210101_A year=2021\n" +
				api + "/b/download/200012345_PLUi_20220101_B.zip as 200012345_PLUi_20220101_B.zip of b 200012345_PLUi_20220101_B year=2022"},
		{name: "easements of all authorities but those withheld", place: fetch.Place{Departement: "69"},
			from: producer.Urbanisme{Query: "documentType[]=SUP&grid={departement}", Withheld: true},
			answers: producers{api + "?documentType[]=SUP&grid=69": `[{"id":"e","name":"172014607_AC1_69_20240301","status":"document.production"},
				{"id":"p","name":"130010937_SUP_69_PM1","status":"document.production","effectiveStatus":"EN_VIGUEUR"},
				{"id":"t","name":"120064019_T5_69_20200101","status":"document.production"}]`,
				api + "/e/download/172014607_AC1_69_20240301.zip": "PK", api + "/p/download/130010937_SUP_69_PM1.zip": "PK",
				api + "/t/download/120064019_T5_69_20200101.zip": "403"},
			want: api + "/p/download/130010937_SUP_69_PM1.zip as 130010937_SUP_69_PM1.zip of p 130010937_SUP_69_PM1\n" +
				api + "/e/download/172014607_AC1_69_20240301.zip as 172014607_AC1_69_20240301.zip of e 172014607_AC1_69_20240301 year=2024"},
		{name: "none in force", from: from, place: place, nothing: true, err: "partition=DU_97404 lists no document in force",
			answers: producers{api + "?partition=DU_97404": "[" + document("c", "x", "document.production", "ABROGE") + "]"}},
		{name: "none of its own", from: from, place: place, answers: producers{api + "?partition=DU_97404": "[]"}, nothing: true, err: "lists no document in force"},
		{name: "intercommunality without a plan", from: producer.Urbanisme{Query: "partition=DU_{grouping}"},
			place: fetch.Place{Grouping: "200012345"}, nothing: true, err: "lists no document in force"},
		{name: "partition not known", from: from, place: place, nothing: true, err: "lists no document in force"},
		{name: "site that does not want us", from: from, place: place, answers: producers{api + "?partition=DU_97404": "403"}, err: "answers 403"},
		{name: "page in place of JSON", from: from, place: place, answers: producers{api + "?partition=DU_97404": "<html>"}, err: "read " + api},
	})
}

// The layers of all documents are listed by a feed of each week's extraction, with their MD5.
func TestUrbanismeLayer(t *testing.T) {
	t.Parallel()
	const (
		feed = "https://www.geoportail-urbanisme.gouv.fr/api/extraction/download-latest"
		file = "https://data.geopf.fr/annexes/gpu/extraction/x1/gpu."
	)
	entry := func(layer string) string {
		return `<entry><title>` + layer + `</title><updated>2026-08-29T02:01:00Z</updated>
			<link href="` + file + layer + `.gpkg" length="3900000000"/><content>0123456789abcdef0123456789ABCDEF</content></entry>`
	}
	answers := producers{feed: `<feed xmlns="http://www.w3.org/2005/Atom">` + entry("doc_zone_urba") + entry("zone_urba") + `</feed>`}
	runAll(t, []resolveCase{
		{name: "layer", from: producer.UrbanismeLayer{Layer: "zone_urba"}, answers: answers,
			want: file + "zone_urba.gpkg as zone_urba.gpkg of 2026-08-29 bytes 3900000000 md5 0123456789abcdef0123456789abcdef year=2026"},
		{name: "layer that is gone", from: producer.UrbanismeLayer{Layer: "secteur_cc"}, answers: answers, err: "has no layer secteur_cc; it has"},
		{name: "no feed", from: producer.UrbanismeLayer{Layer: "zone_urba"}, err: "answers 404"},
		{name: "page in its place", from: producer.UrbanismeLayer{Layer: "zone_urba"}, answers: producers{feed: "<html>x</html>"}, err: "read " + feed},
	})
}

// A dataset of a D4C portal names its newest file.
func TestD4C(t *testing.T) {
	t.Parallel()
	const api = "https://data.anfr.fr/d4c/api/datasets/2.0/search/?rows=100"
	answer := func(extras string) producers {
		return producers{api: `{"success":true,"result":{"count":2,"results":[{"name":"autre","extras":[]},{"name":"observatoire_2g_3g_4g","extras":[` + extras + `]}]}}`}
	}
	from := producer.D4C{Host: "data.anfr.fr", Dataset: "observatoire_2g_3g_4g"}
	const file = "https://data.anfr.fr/sites/default/files/dataset/20260827182212_observatoireod_20260827.csv"
	const want = file + " as 20260827182212_observatoireod_20260827.csv of 2026-08-27 year=2026"
	runAll(t, []resolveCase{
		{name: "file of the week", from: from, want: want,
			answers: answer(`{"key":"records_count","value":"{\"88ef0887\":\"0000826418\"}"},{"key":"x","value":1},{"key":"file_csv","value":"` + file + `"}`)},
		{name: "path alone", from: from, want: want,
			answers: answer(`{"key":"file_csv","value":"/sites/default/files/dataset/20260827182212_observatoireod_20260827.csv"}`)},
		{name: "no file", from: from, answers: answer(`{"key":"file_csv","value":""}`), err: "names no file"},
		{name: "dataset gone", from: producer.D4C{Host: "data.anfr.fr", Dataset: "x"}, answers: answer(""), err: "has no dataset x; it has autre, observatoire_2g_3g_4g"},
		{name: "page in place of JSON", from: from, answers: producers{api: "<html>"}, err: "read " + api},
	})
}

// Objects of OpenStreetMap become features, and an answer that ended early is not taken for all of them.
func TestOverpass(t *testing.T) {
	t.Parallel()
	const (
		address = `https://overpass-api.de/api/interpreter?data=[out:json][timeout:50];area["boundary"="administrative"]["admin_level"~"^[56]$"]` +
			`["ref:INSEE"~"^93[DM]?$"]->.d;.d out count;nwr["shop"="supermarket"](area.d);out tags center;`
		count = `{"type":"count","id":0,"tags":{"areas":"1","total":"1"}}`
		head  = `{"version":0.6,"osm3s":{"copyright":"ODbL"},"elements":[`
		file  = address + " as supermarket.geojson"
	)
	from, place := producer.Overpass{Key: "shop", Value: "supermarket"}, fetch.Place{Departement: "93"}
	runAll(t, []resolveCase{
		{name: "nodes and ways", from: from, place: place, want: file, asked: address,
			answers: producers{address: head + count + `,{"type":"node","id":123,"lat":48.9,"lon":2.40,"tags":{"name":"A"}},
				{"type":"way","id":9,"center":{"lat":48.8,"lon":2.5},"tags":{"shop":"supermarket"}},{"type":"relation","id":1,"tags":{}}]}`},
			written: `{"type":"FeatureCollection","features":[` + "\n" +
				`{"geometry":{"coordinates":[2.40,48.9],"type":"Point"},"id":"node/123","properties":{"name":"A"},"type":"Feature"},` + "\n" +
				`{"geometry":{"coordinates":[2.5,48.8],"type":"Point"},"id":"way/9","properties":{"shop":"supermarket"},"type":"Feature"}` + "\n]}\n"},
		{name: "none", from: from, place: place, want: file, written: "{\"type\":\"FeatureCollection\",\"features\":[\n\n]}\n",
			answers: producers{address: head + count + `]}`}},
		{name: "out of time", from: from, place: place, again: true, err: `answers: runtime error: Query timed out in "query"`,
			answers: producers{address: head + `],"remark":"runtime error: Query timed out in \"query\" at line 1"}`}},
		{name: "no such area", from: from, place: place, err: "it knows no such département",
			answers: producers{address: head + strings.ReplaceAll(count, `"areas":"1"`, `"areas":"0"`) + `]}`}},
		{name: "page in place of JSON", from: from, place: place, answers: producers{address: "<?xml version=\"1.0\"?><p>Error: too many requests</p>"},
			err: "Error: too many requests"},
		{name: "all of France", from: from, err: "one département at a time", asked: "nothing"},
	})
}

// A file with two addresses arrives when one of them serves it.
func TestFirst(t *testing.T) {
	t.Parallel()
	const first, second = "https://data.laposte.fr/raw", "https://datanova.laposte.fr/postcodes.csv"
	from := producer.First{producer.At{Address: first}, producer.At{Address: second}}
	runAll(t, []resolveCase{
		{name: "the first", from: from, answers: producers{first: "#Code;x", second: "code,x"}, want: first + " bytes 7", asked: first},
		{name: "the second where the first is gone", from: from, answers: producers{second: "code,x"}, want: second + " bytes 6",
			asked: first + "\n" + second},
		{name: "the second where the first sends a page", from: from, answers: producers{first: "<html>", second: "code,x"},
			want: second + " bytes 6"},
		{name: "none", from: from, answers: producers{first: "403"}, err: "answers 403"},
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
