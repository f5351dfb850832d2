package report_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"arpent/api/report"
	"arpent/api/topic"
)

// forest is a parcel of 490 ha with three thousand corners, as ragged as a wood's edge and the same on both sides of its
// meridian.
func forest() string {
	var ring []string
	for k := range 3001 {
		radius := 0.0114
		if k%2 == 1 {
			radius *= 0.999
		}
		sin, cos := math.Sincos(2 * math.Pi * float64(k%3000) / 3000)
		ring = append(ring, fmt.Sprintf("%.7f %.7f", 2.5+radius*1.52*cos, 48.9+radius*sin))
	}
	return "POLYGON((" + strings.Join(ring, ",") + "))"
}

// half says that a value tells of a share of one half.
var half = regexp.MustCompile(`"sharePct" ?: ?50(\.0)?[,}]`)

// A forest of thousands of corners, over hundreds of pieces of each layer, is answered as exactly as a courtyard.
func TestForestOfManyCorners(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.parcel(square[:10]+"9999", forest())
	layers := map[string]struct{ table, covers, attrs string }{
		"riskPlans":          {"ppr_zone", "ppr_zone", `{"form":"zone","plan":"93DDT20180003","kind":"PPRN","code":"R"}`},
		"tris":               {"tri", "tri", `{"form":"area","tri":"T","scenario":"01For"}`},
		"rga":                {"rga", "rga", `{"level":2}`},
		"qpv":                {"qpv", "qpv", `{"name":"Q"}`},
		"gpu":                {"plan_zone", "plan_zone", `{"zone":"N","territory":"93010"}`},
		"gpuPrescriptions":   {"plan_prescription", "plan_prescription", `{"type":"01","territory":"93010"}`},
		"sup":                {"easement", "easement", `{"category":"AC1"}`},
		"aerodromeServitude": {"aerodrome_easement", "aerodrome_easement", `{"kind":"T5"}`},
		"rpgBio":             {"rpg_bio", "rpg_bio", `{"stage":"AB","year":2024}`},
		"aoc":                {"aoc", "aoc", `{"appellation":"A"}`},
		"clc":                {"land_cover", "land_cover", `{"code":"311","year":2018}`},
		"bdforet":            {"forest", "forest", `{"code":"FF3","year":2014}`},
		"zonesVegetation":    {"vegetation", "vegetation", `{"nature":"Bois"}`},
		"protectedAreas":     {"protected_area", "protected_area_pn", `{"type":"PN"}`},
	}
	for _, l := range layers {
		b.exec(`INSERT INTO geo.enrich_`+l.table+` (part, id, piece, attrs, geom)
			SELECT $1, 'west', i, $2, ST_MakeEnvelope(2.48 + i % 20 * 0.001, 48.88 + i / 20 * 0.002, 2.481 + i % 20 * 0.001, 48.882 + i / 20 * 0.002, 4326)
			FROM generate_series(0, 399) i`, "test-"+l.covers+"/93", l.attrs)
		b.cover(l.covers, "93")
	}
	r, err := b.store.Report(t.Context(), report.Parcel{IDU: square[:10] + "9999", Arrondissement: "93010", Commune: "93010", Departement: "93"})
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range topic.Report().Keys() {
		if _, asked := layers[k.Name]; asked && len(half.FindAll(r.Values[i], 2)) != 1 {
			t.Errorf("%s is %s", k.Name, r.Values[i])
		}
	}
}
