package stats_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"arpent/api/stats"
)

const (
	stationsHeader = "Nom;Trigramme;Segment(s) DRG;Position géographique;Code commune;Code(s) UIC\n"
	bondyStations  = stationsHeader +
		"Bondy;BDY;B;48.893512, 2.480228;93010;87113712\n" +
		"Noisy-le-Sec;NYS;B;48.896522, 2.459714;93053;87113803;\n" +
		"Brest;BES;A;48.387890, -4.480010;29019;87474007\n"
)

// Bondy has its nearest station with the commune that it lies in; a commune without an outline has none.
func TestNamedServices(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.wants(stats.Commune, "93010", "namedServices", "null")
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations)
	b.load("high-speed-stations", "high-speed-stations.csv", "uic\n87474007\n")
	// The point in the middle is 48.8995, 2.4825: 0.005988° and 0.002272° × cos(48.9°) away, 0.69 km.
	b.wants(stats.Commune, "93010", "namedServices", `{"source":"SNCF Gares & Connexions, Gares de voyageurs","year":null,"hospital":null,"school":null,
		"station":{"name":"Bondy","communeCode":"93010","distanceKm":0.7,"lat":48.893512,"lon":2.480228,
			"source":"SNCF Gares & Connexions, Gares de voyageurs","highSpeed":false},"supermarket":null,"notCovered":["hospital","school","supermarket"]}`)
	b.wants(stats.Commune, "97411", "namedServices", "null")
}

// A layer that does not speak for a commune gives it nothing, however near its places are.
func TestServicesOutsideTheirCoverage(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const shop = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"@id":"node/%d","shop":"supermarket","name":"Casino","brand":"Casino"},
		"geometry":{"type":"Point","coordinates":[2.48,48.9]}}]}`
	b.load("osm-supermarkets", "osm-supermarkets-75.geojson", fmt.Sprintf(shop, 1))
	b.wants(stats.Commune, "93010", "namedServices", "null")
	b.load("osm-supermarkets", "osm-supermarkets-93.geojson", fmt.Sprintf(shop, 2))
	b.wants(stats.Commune, "93010", "namedServices", `{"source":"OpenStreetMap contributors, OpenStreetMap : supermarchés","year":null,"hospital":null,
		"school":null,"station":null,"supermarket":{"name":"Casino","communeCode":"93010","distanceKm":0.2,"lat":48.9,"lon":2.48,
		"source":"OpenStreetMap contributors, OpenStreetMap : supermarchés","brand":"Casino"},"notCovered":["hospital","school","station"]}`)
}

// The nearest of many is the one that the database finds by measuring all of them.
func TestNearestOfMany(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 400 { // as thin as on the countryside, so that some are far
		b.exec(`INSERT INTO geo.enrich_railway_station (part, id, attrs, geom) VALUES ('railway-stations', $1, jsonb_build_object('name', $1::text),
			ST_SetSRID(ST_MakePoint($2, $3), 4326))`, fmt.Sprint("s", i), -4+random.Float64()*11, 42.5+random.Float64()*8)
	}
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		SELECT 'commune-actuelle', '15' || lpad(n::text, 3, '0'), n::text, '15', '84', '15' || lpad(n::text, 3, '0'), '{}' FROM generate_series(200, 399) n`)
	b.exec(`INSERT INTO geo.commune_contour (code, area_km2, geom) SELECT '15' || lpad(n::text, 3, '0'), 1,
		ST_Multi(ST_MakeEnvelope(x, y, x + 0.01, y + 0.01, 4326)) FROM (SELECT n, -4.5 + n * 53 % 120 / 10.0 AS x, 42 + n * 31 % 90 / 10.0 AS y
		FROM generate_series(200, 399) n) p`)
	d := b.read()
	rows, err := b.db.Query(t.Context(), `SELECT c.code, s.name, s.km FROM geo.commune_contour c JOIN LATERAL (
		SELECT attrs->>'name' AS name, ST_DistanceSphere(ST_PointOnSurface(c.geom), s.geom) / 1000 AS km FROM geo.enrich_railway_station s
		ORDER BY 2, s.id LIMIT 1) s ON true`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := 0
	for rows.Next() {
		var code, name string
		var km float64
		if err := rows.Scan(&code, &name, &km); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Station *struct {
				Name       string
				DistanceKm float64
			}
		}
		if err := json.Unmarshal([]byte(blockOf(t, d, stats.Commune, code, "namedServices")), &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case km > 50.01 && got.Station != nil:
			t.Errorf("%s shows %+v, %g km away", code, *got.Station, km)
		case km < 49.99 && (got.Station == nil || got.Station.Name != name || got.Station.DistanceKm < km-0.1 || got.Station.DistanceKm > km+0.1):
			t.Errorf("%s shows %+v, expected %s at %g km", code, got.Station, name, km)
		case km < 49.99:
			found++
		}
	}
	if found < 100 {
		t.Errorf("%d communes have a station, which is too few to conclude", found)
	}
}

// Without a list of high-speed stations nobody knows whether trains of that kind call; the older list of stations serves where the
// newer one is not loaded.
func TestStationFallback(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.load("station-list", "sncf/liste-des-gares.csv", "code_uic;libelle;voyageurs;c_geo\n87113712;Bondy;O;48.893512, 2.480228\n87999999;Dépôt;N;48.8995, 2.4825\n")
	b.wants(stats.Commune, "93010", "namedServices", `{"source":"SNCF Réseau, Liste des gares","year":null,"hospital":null,"school":null,
		"station":{"name":"Bondy","communeCode":"93010","distanceKm":0.7,"lat":48.893512,"lon":2.480228,"source":"SNCF Réseau, Liste des gares","highSpeed":null},
		"supermarket":null,"notCovered":["hospital","school","supermarket"]}`)
}
