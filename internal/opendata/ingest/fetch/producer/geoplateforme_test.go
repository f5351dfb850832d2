package producer_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

const geopf = "https://data.geopf.fr/telechargement/"

// atomPage is a page of a listing of IGN.
func atomPage(pages int, entries ...string) string {
	return fmt.Sprintf(`<?xml version='1.0' encoding='UTF-8'?><feed xmlns:gpf_dl="https://data.geopf.fr/annexes/ressources/xsd/gpf_dl.xsd" `+
		`xmlns="http://www.w3.org/2005/Atom" gpf_dl:page="1" gpf_dl:pagecount="%d"><title>Produit</title>%s</feed>`, pages, strings.Join(entries, ""))
}

func atomEdition(title, date string) string {
	return fmt.Sprintf(`<entry><title>%s</title><link href="%sresource/X/%[1]s" rel="alternate" type="application/atom+xml"/>`+
		`<gpf_dl:zone term="D035"/><gpf_dl:editionDate>%[3]s</gpf_dl:editionDate></entry>`, title, geopf, date)
}

func atomFile(name, content string, length int) string {
	return fmt.Sprintf(`<entry><link href="%sdownload/%s" rel="section" gpf_dl:length="%d"/><content>%s</content></entry>`, geopf, name, length, content)
}

// The newest edition that has all its volumes is taken.
func TestGeoplateforme(t *testing.T) {
	t.Parallel()
	const (
		list  = geopf + "resource/BDTOPO?format=GPKG&limit=50&page=%d&zone=D035"
		march = "BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D035_2026-03-15"
		june  = "BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D035_2026-06-15"
		sept  = "BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D035_2026-09-15"
		// One of another subject, format or zone.
		autumn = "BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D035_2026-10-01"
		md5    = "147a219d1998f990677ba1984085f7dc"
	)
	files := func(edition string) string { return geopf + "resource/BDTOPO/" + edition + "?limit=50&page=1" }
	editions := func(more producers) producers {
		all := producers{
			fmt.Sprintf(list, 1): atomPage(2, atomEdition(march, "2026-03-15"), atomEdition(strings.ReplaceAll(autumn, "TOUSTHEMES", "DIFF"), "2026-10-01"),
				atomEdition(strings.ReplaceAll(autumn, "GPKG", "SHP"), "2026-10-01")),
			fmt.Sprintf(list, 2): atomPage(2, atomEdition(june, "2026-06-15"), atomEdition(strings.ReplaceAll(autumn, "D035", "D056"), "2026-10-01")),
			files(march):         atomPage(1, atomFile("m.7z", "", 7)),
			files(strings.ReplaceAll(autumn, "D035", "D056")):       atomPage(1, atomFile("other.7z", "", 7)),
			files(strings.ReplaceAll(autumn, "GPKG", "SHP")):        atomPage(1, atomFile("other.7z", "", 7)),
			files(strings.ReplaceAll(autumn, "TOUSTHEMES", "DIFF")): atomPage(1, atomFile("other.7z", "", 7)),
		}
		maps.Copy(all, more)
		return all
	}
	announced := editions(producers{
		fmt.Sprintf(list, 2): atomPage(2, atomEdition(sept, "2026-09-15"), atomEdition(june, "2026-06-15")),
		files(sept):          "404",
		files(june):          atomPage(1, atomFile("a.7z.001", "", 9), atomFile("a.7z.003", "", 9)),
	})
	from, place := producer.Geoplateforme{Product: "BDTOPO", Format: "GPKG", Edition: "TOUSTHEMES"}, fetch.Place{Departement: "35"}
	rpg := producer.Geoplateforme{Product: "RPG", Format: "GPKG", Edition: "_FXX_"}
	runAll(t, []resolveCase{
		{name: "newest of two pages, with its checksum", from: from, place: place,
			answers: editions(producers{files(june): atomPage(1, atomFile("x.md5", "", 133), atomFile("a.7z", " "+strings.ToUpper(md5)+"\n", 528975501))}),
			want:    geopf + "download/a.7z as a.7z of 2026-06-15 bytes 528975501 md5 " + md5 + " year=2026"},
		{name: "newest announced without a file", from: from, place: place,
			answers: editions(producers{files(june): atomPage(1)}), want: geopf + "download/m.7z as m.7z of 2026-03-15 bytes 7 year=2026"},
		{name: "volumes in order", from: from, place: place,
			answers: editions(producers{files(june): atomPage(1, atomFile("a.7z.002", "", 8), atomFile("a.7z.001", "", 9))}),
			want:    geopf + "download/a.7z.001 as a.7z.001 of 2026-06-15 bytes 9 year=2026\n" + geopf + "download/a.7z.002 as a.7z.002 of 2026-06-15 bytes 8 year=2026"},
		{name: "newer ones announced without their files", from: from, place: place, answers: announced,
			want: geopf + "download/m.7z as m.7z of 2026-03-15 bytes 7 year=2026"},
		{name: "France", from: rpg, want: geopf + "download/r.7z as r.7z of 2024-01-01 bytes 1 year=2024", answers: producers{
			geopf + "resource/RPG?format=GPKG&limit=50&page=1":                         atomPage(1, atomEdition("RPG_3-0__GPKG_LAMB93_FXX_2024-01-01", ""), atomEdition("RPG_3-0__GPKG_LAMB93_R84_2025-01-01", "")),
			geopf + "resource/RPG/RPG_3-0__GPKG_LAMB93_FXX_2024-01-01?limit=50&page=1": atomPage(1, atomFile("r.7z", "", 1)),
		}},
		{name: "zone of two characters and a letter", from: producer.Geoplateforme{Product: "BDFORET", Format: "SHP"}, place: fetch.Place{Departement: "2A"},
			answers: producers{geopf + "resource/BDFORET?format=SHP&limit=50&page=1&zone=D02A": atomPage(0)}, nothing: true, err: "for 2A; it has nothing"},
		{name: "no edition that matches", from: producer.Geoplateforme{Product: "BDTOPO", Format: "GPKG", Edition: "EXPRESS"}, place: place, answers: editions(nil),
			nothing: true, err: "has no edition EXPRESS with files for 35; it has BDTOPO_3-5_TOUSTHEMES"},
		{name: "no edition of France", from: rpg, answers: producers{geopf + "resource/RPG?format=GPKG&limit=50&page=1": atomPage(1)}, err: "for France; it has nothing"},
		{name: "page in place of a listing", from: rpg, answers: producers{geopf + "resource/RPG?format=GPKG&limit=50&page=1": "<html><p>x"}, err: "read " + geopf},
		{name: "product gone", from: rpg, err: "answers 404"},
	})
}
