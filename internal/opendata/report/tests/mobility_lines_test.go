package report_test

import (
	"fmt"
	"testing"

	"arpent/app/dev/reportkit"
)

// recognises reports whether a source takes any of the files that the test wrote.
func (b *fixture) recognises(name string) bool {
	b.T.Helper()
	out, err := b.Loads(b.Source(name))
	return err != nil || len(out) > 0
}

// Without the course of roads a count is returned of its straight line, and said to be an approximation;
// of two counts of one stretch the newer one.
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

// line is a numbered road of BD TOPO, along a meridian.
func line(id, road string, lon, south, north float64) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"ID":%q,"NUMERO":%q},"geometry":{"type":"LineString","coordinates":[[%g,%g],[%g,%g]]}}`,
		id, road, lon, south, lon, north)
}

// With the course of roads the nearest numbered one that is counted is returned,
// exactly where the count is of that stretch.
func TestRoadTrafficOnLines(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.Load("road-traffic", "traffic/tmja-2024.csv", reportkit.TrafficHeader+
		b.TrafficSegment("A0003", 1, 2.490, 48.89, 48.91, 2023, "98000", "14,0")+ // bends: the line is nearer than the chord
		b.TrafficSegment("A0003", 2, 2.490, 48.80, 48.82, 2023, "70000", "14,0"))
	const roads = "ROUTE_NUMEROTEE_OU_NOMMEE"
	b.Geodata("BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D093_2026-06-15/"+roads+".shp", "ESRI Shapefile", roads,
		features(line("1", "A3", 2.485, 48.89, 48.91), line("2", "D 41", 2.482, 48.89, 48.91)), "-t_srs", "EPSG:2154")
	loaded(t, b.LoadSource("roads-bdtopo-shp"), 2, 0)
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":98000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":false}`, eastOf(2.485)))
	b.Exec("DELETE FROM geo.enrich_road_traffic WHERE (attrs->>'aadt')::int = 98000")
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":70000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":true}`, eastOf(2.485)))
	b.Exec("DELETE FROM geo.enrich_road")
	b.wants("roadTraffic", "null")
}

// A road that crosses a parcel twice is as near at both places: which count is returned does not
// depend on the order in which they are stored.
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
