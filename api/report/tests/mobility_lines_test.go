package report_test

import (
	"fmt"
	"math"
	"testing"

	"arpent/app/dev/reportkit"
)

// The tables of ANFR give operator, generation and place apart from one another: in degrees, minutes and seconds, in
// Latin-1. Television, trains and what is not in service are no mobile masts.
func TestMobileMastsOfTables(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.Write("anfr/SUP_SUPPORT.txt", "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;"+
		"COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_LB_LIEU\n"+
		"100;0930000001;11;48;54;2;N;2;29;6;E;32,5;1;Ch\xe2teau d'eau\n"+
		"100;0930000002;11;48;54;2;N;2;29;6;E;32,5;1;\n"+
		"200;0930000003;11;48;54;2;N;2;28;55;E;10;1;\n"+ // television
		"300;0930000004;11;48;54;2;N;2;28;55;E;10;1;\n"+ // not in service
		"400;0930000005;11;;;;;;;;;10;1;\n")
	b.Write("anfr/SUP_STATION.txt", "STA_NM_ANFR;ADM_ID;DEM_NM_COMSIS;DTE_IMPLANTATION;DTE_MODIF;DTE_EN_SERVICE\n"+
		"0930000001;23;1;01/01/2010;01/01/2010;01/01/2010\n0930000002;137;1;01/01/2010;01/01/2010;01/01/2010\n"+
		"0930000003;23;1;01/01/2010;01/01/2010;01/01/2010\n0930000004;23;1;01/01/2010;01/01/2010;\n")
	b.Write("anfr/SUP_EMETTEUR.txt", "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE\n"+
		"1;LTE 700;0930000001;1;\n2;LTE 800;0930000001;1;\n3;5G NR 3500;0930000002;1;\n4;TNT;0930000003;1;\n"+
		"5;GSM R;0930000003;1;\n6;LTE 800;0930000004;1;\n")
	b.Write("anfr/SUP_EXPLOITANT.txt", "ADM_ID;ADM_LB_NOM\n23;ORANGE\n137;FREE MOBILE\n")
	loaded(t, b.LoadSource("anfr-operators"), 2, 0)
	loaded(t, b.LoadSource("anfr-emitters"), 3, 0)
	loaded(t, b.LoadSource("anfr-stations"), 3, 0)
	loaded(t, b.LoadSource("anfr-supports"), 4, 0)
	lon, lat := 2+29./60+6./3600, 48+54./60+2./3600
	b.wants("nearestMobile", fmt.Sprintf(`{"supportId":"100","operators":["FREE MOBILE","ORANGE"],"generations":["4G","5G"],"heightM":32.5,"distanceM":%d}`,
		int(math.Round(apart(2.481, lat, lon, lat)))))
}

// Positions alone do not say that there is no mast.
func TestMobileSupportsAlone(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.Load("anfr-supports", "anfr/SUP_SUPPORT.txt", "SUP_ID;STA_NM_ANFR;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;"+
		"COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;COR_CD_EW_LON;SUP_NM_HAUT\n100;0930000001;48;54;2;N;2;29;6;E;32,5\n")
	if b.covers("mobile_mast") {
		t.Error("supports without emitters cover a layer")
	}
	b.wants("nearestMobile", "null")
}

// recognises reports whether a source takes any of the files that the test wrote.
func (b *fixture) recognises(name string) bool {
	b.T.Helper()
	out, err := b.Loads(b.Source(name))
	return err != nil || len(out) > 0
}

// Without the course of roads a count is returned of its straight line, and said to be an approximation; of two counts of one
// stretch the newer one.
func TestRoadTraffic(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	loaded(t, b.Load("road-traffic", "traffic/tmja-2024.csv", reportkit.TrafficHeader+
		b.TrafficSegment("A0003", 1, 2.485, 48.89, 48.91, 2019, "90000", "9,5")+
		b.TrafficSegment("A0003", 1, 2.485, 48.89, 48.91, 2023, "98000", "14,0")+
		b.TrafficSegment("N0186", 1, 2.486, 48.89, 48.91, 2023, "5000", "")+
		b.TrafficSegment("N0002", 1, 2.49, 48.89, 48.91, 2023, "", "")+
		b.TrafficSegment("A0086", 1, 2.52, 48.89, 48.91, 2023, "1000", "1")), 3, 0)
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":98000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":true}`, eastOf(2.485)))
	b.Exec("DELETE FROM geo.enrich_road_traffic WHERE attrs->>'road' = 'A3'")
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"N186","aadt":5000,"heavyPct":null,"year":2023,"distanceM":%d,"approximated":true}`, eastOf(2.486)))
	b.Exec("DELETE FROM geo.enrich_road_traffic WHERE attrs->>'road' = 'N186'") // the rest is farther than 500 m
	b.wants("roadTraffic", "null")
}

func line(id, road string, lon, south, north float64) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"id":%q,"road":%q},"geometry":{"type":"LineString","coordinates":[[%g,%g],[%g,%g]]}}`,
		id, road, lon, south, lon, north)
}

// With the course of roads the nearest numbered one that is counted is returned, exactly where the count is of that stretch.
func TestRoadTrafficOnLines(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.Load("road-traffic", "traffic/tmja-2024.csv", reportkit.TrafficHeader+
		b.TrafficSegment("A0003", 1, 2.490, 48.89, 48.91, 2023, "98000", "14,0")+ // bends: the line is nearer than the chord
		b.TrafficSegment("A0003", 2, 2.490, 48.80, 48.82, 2023, "70000", "14,0"))
	loaded(t, b.Load("roads-geojson", "roads/numbered-roads-93.geojson", `{"type":"FeatureCollection","features":[`+
		line("1", "A3", 2.485, 48.89, 48.91)+","+line("2", "D 41", 2.482, 48.89, 48.91)+"]}"), 2, 0)
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":98000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":false}`, eastOf(2.485)))
	b.Exec("DELETE FROM geo.enrich_road_traffic WHERE (attrs->>'aadt')::int = 98000")
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":70000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":true}`, eastOf(2.485)))
	b.Exec("DELETE FROM geo.enrich_road")
	b.wants("roadTraffic", "null")
}

// A road that crosses a parcel twice is as near at both places: which count is returned does not depend on the order in which
// they are stored.
func TestRoadThatCrossesTwice(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.cover("road_traffic", "")
	b.cover("road", "")
	const line = `(SELECT ST_SetSRID(ST_MakeLine(ST_MakePoint(2.47, lat), ST_MakePoint(2.49, lat)), 4326))`
	b.Exec(`INSERT INTO geo.enrich_road (part, id, piece, attrs, geom) SELECT 'test', '1', piece, '{"road":"A3"}', ` + line + `
		FROM (VALUES (2, 48.9008), (1, 48.9002)) p (piece, lat)`)
	b.Exec(`INSERT INTO geo.enrich_road_traffic (part, id, attrs, geom) SELECT 'test', aadt::text, jsonb_build_object('road', 'A3', 'aadt', aadt), ` + line + `
		FROM (VALUES (2000, 48.9009), (1000, 48.9001)) p (aadt, lat)`)
	b.wants("roadTraffic", `{"road":"A3","aadt":1000,"heavyPct":null,"year":null,"distanceM":0,"approximated":false}`)
}

// A position that is not in Lambert-93 is refused, and the file with it when there are many.
func TestRoadTrafficElsewhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	rows := reportkit.TrafficHeader
	for i := range 25 {
		rows += b.TrafficSegment("A0003", i, 2.485, 48.89, 48.91, 2023, "98000", "14,0")
	}
	loaded(t, b.Load("road-traffic", "traffic/tmja-2024.csv", rows+
		"01/01/2024;A0009;1;90;34;0;3,87;43,6;0;3,88;43,6;0;D;2023;1;1\n"), 25, 1)
}
