package report_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// projected gives a position in another projection.
func (b *bench) projected(lon, lat float64, srid int) (x, y float64) {
	b.t.Helper()
	err := b.db.QueryRow(b.t.Context(), `SELECT ST_X(p), ST_Y(p) FROM ST_Transform(ST_SetSRID(ST_MakePoint($1, $2), 4326), $3::integer) p`, lon, lat, srid).Scan(&x, &y)
	if err != nil {
		b.t.Fatal(err)
	}
	return x, y
}

// box puts a parcel of a thousandth of a degree in service, with its south-eastern corner there.
func (b *bench) box(idu string, east, south float64) {
	b.t.Helper()
	b.parcel(idu, fmt.Sprintf("POLYGON((%[1]f %[2]f, %[3]f %[2]f, %[3]f %[4]f, %[1]f %[4]f, %[1]f %[2]f))", east-0.001, south, east, south+0.001))
}

// FINESS writes each place in the projection of its département, and its codes are not those of INSEE; one edition is in
// Latin-1.
func TestHealthOverseas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	places := []struct {
		idu, id  string
		lon, lat float64
		srid     int
	}{
		{"971050000A0001", "9A0000010", -61.72, 16.00, 2970},
		{"972090000A0001", "9B0000010", -61.07, 14.61, 2973},
		{"973020000A0001", "9C0000010", -52.32, 4.93, 2972},
		{"974110000A0001", "9D0000010", 55.45, -20.88, 2975},
		{"975020000A0001", "9E0000010", -56.18, 46.78, 32621},
		{"976080000A0001", "9F0000010", 45.23, -12.78, 32738},
		{"2A2470000A0001", "2A0000010", 9.28, 41.59, 2154},
	}
	text := "finess;etalab;93;2024-01-11\n"
	for _, p := range places {
		b.box(p.idu, p.lon, p.lat-0.0005)
		x, y := b.projected(p.lon+0.01, p.lat, p.srid)
		text += finessLines(p.id, "H\xd4PITAL", "101", fmt.Sprintf("%.2f", x), fmt.Sprintf("%.2f", y))
	}
	b.write("finess/etalab-cs1100507-stock-20240111-0339.csv", text)
	loaded(t, b.loadSource("finess-structures"), int64(len(places)), 0)
	loaded(t, b.loadSource("finess-positions"), int64(len(places)), 0)
	for _, p := range places {
		var got *struct {
			FINESS, Name string
			DistanceM    float64
		}
		if err := json.Unmarshal([]byte(b.valueOf(p.idu, "nearestHospital")), &got); err != nil {
			t.Fatal(err)
		}
		if got == nil || got.FINESS != p.id || got.Name != "HÔPITAL" {
			t.Errorf("%s has %+v", p.idu, got)
			continue
		}
		within(t, got.DistanceM, apart(p.lon, p.lat, p.lon+0.01, p.lat), 1.5)
	}
}

// The list of stations names a projection a row, as many as France has.
func TestRiverStationsOfAllProjections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('971', 'Guadeloupe', '04'), ('973', 'Guyane', '04'), ('976', 'Mayotte', '04')`)
	places := []struct {
		idu, id, projection string
		lon, lat            float64
		srid                int
	}{
		{"930100000B0001", "03000001", "RGF93 / Lambert 93", 2.48, 48.95, 2154},
		{"930100000C0001", "03000002", "NTF (Paris) / Lambert zone II", 2.48, 48.50, 27572},
		{"971050000A0001", "07000001", "RGAF09 / UTM 20", -61.72, 16.00, 5490},
		{"973020000A0001", "10000001", "RGFG95 / UTM 22", -52.32, 4.93, 2972},
		{"974110000A0001", "40000001", "RGR92 / UTM 40", 55.45, -20.88, 2975},
		{"976080000A0001", "11000001", "RGM04 / UTM 38", 45.23, -12.78, 4471},
	}
	text := stationsHeader
	for _, p := range places {
		b.box(p.idu, p.lon, p.lat-0.0005)
		x, y := b.projected(p.lon+0.01, p.lat, p.srid)
		departement := p.idu[:2]
		if departement == "97" {
			departement = p.idu[:3]
		}
		text += fmt.Sprintf("%s;STATION;;%.2f;%.2f;;%s;%s;;%s;;;\n", p.id, x, y, p.projection, p.idu[:5], departement)
	}
	loaded(t, b.load("river-stations", "naiades/Stations.csv", text), int64(len(places)), 0)
	for _, p := range places {
		var got []struct {
			StationID string
			DistanceM float64
		}
		unpack(t, b.valueOf(p.idu, "nearestRiverWater"), &got)
		if len(got) == 0 || got[0].StationID != p.id {
			t.Errorf("%s has %+v", p.idu, got)
			continue
		}
		within(t, got[0].DistanceM, apart(p.lon, p.lat, p.lon+0.01, p.lat), 3)
	}
}
