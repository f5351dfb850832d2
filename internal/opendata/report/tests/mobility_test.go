package report_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
)

const (
	chargeHeader = "nom_operateur,nom_enseigne,id_station_itinerance,nom_station,code_insee_commune,coordonneesXY,nbre_pdc,id_pdc_itinerance," +
		"puissance_nominale,gratuit,date_maj,consolidated_longitude,consolidated_latitude\n"
	chargeFile = "irve/consolidation-etalab-schema-irve-statique-v-2.3.1-20240508.csv"
)

// A customer reads one station, not a charge point: its points are counted once, and its power
// is in kilowatts whatever the operator typed.
func TestNearestIrve(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("charge-points", chargeFile, chargeHeader+
		`Op,Br,FRA1,Far,93010,"[2.60,48.9005]",1,FRA1E1,50,false,2024-01-01,2.60,48.9005
Op,Br,FRA2,Near,93010,"[2.485,48.9005]",2,FRA2E1,22,true,2024-01-01,,
Op,Br,FRA2,Near,93010,"[2.485,48.9005]",2,FRA2E2,22000,false,2024-02-01,,
Op,Br,FRA2,Old name,93010,"[2.485,48.9005]",2,FRA2E2,7.4,false,2023-02-01,,
,Br,Non concerné,Swapped,93010,"[48.9005,2.482]",1,Non concerné,0,,2024-03-01,48.9005,2.4825
`), 4, 0)
	b.wants("nearestIrve", fmt.Sprintf(`{"stationId":"Swapped 48.9005 2.4825 [48.9005,2.482]","name":"Swapped","operator":"Br","maxPowerKw":null,
		"points":1,"free":null,"updated":"2024-03-01","distanceM":%d}`, east(2.4825)))
	b.Exec("DELETE FROM geo.enrich_charge_point WHERE id LIKE 'Swapped%'")
	b.wants("nearestIrve", fmt.Sprintf(`{"stationId":"FRA2","name":"Near","operator":"Op","maxPowerKw":22,"points":2,"free":false,
		"updated":"2024-02-01","distanceM":%d}`, east(2.485)))
	b.Exec("DELETE FROM geo.enrich_charge_point")
	b.wants("nearestIrve", "null")
}

// A position outside France in both readings is no station of France.
func TestChargePointOutside(t *testing.T) {
	b := newFixture(t)
	rows := strings.Repeat("Op,Br,S%[1]d,Near,93010,\"[2.485,48.9005]\",1,P%[1]d,22,true,2024-01-01,,\n", 1)
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, rows, i)
	}
	loaded(t, b.Load("charge-points", chargeFile, chargeHeader+text.String()+
		"Op,Br,S,Away,93010,\"[12.5,41.9]\",1,P,22,true,2024-01-01,,\n"), 30, 1)
}

// The fictitious example of the schema never gets into service.
func TestFictitiousChargePoints(t *testing.T) {
	b := newFixture(t)
	b.Write("irve/exemple-valide-statique.csv", chargeHeader)
	if b.takesAny("charge-points") {
		t.Error("charge-points takes it")
	}
}

// The operators and generations of one support are returned together; what is only approved is not there yet.
func TestNearestMobile(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("mobile-masts", "anfr/20240105_observatoire_2G_3G_4G.csv",
		"id;adm_lb_nom;sup_id;emr_lb_systeme;generation;sup_nm_haut;coordonnees;statut\n"+
			"1;ORANGE;100;LTE 700;4G;32,5;48.9005,2.485;En service\n"+
			"2;ORANGE;100;LTE 800;4G;32,5;48.9005,2.485;En service\n"+
			"3;FREE MOBILE;100;5G NR 3500;5G;32.5;48.9005,2.485;En service\n"+
			"4;SFR;100;5G NR 3500;5G;32,5;48.9005,2.485;Projet approuvé\n"+
			"5;SFR;200;GSM 900;2G;;48.9005,2.53;En service\n"), 3, 0)
	b.wants("nearestMobile", fmt.Sprintf(`{"supportId":"100","operators":["FREE MOBILE","ORANGE"],"generations":["4G","5G"],"heightM":32.5,"distanceM":%d}`,
		east(2.485)))
	b.Exec("DELETE FROM geo.enrich_mobile_mast WHERE id = '100'")
	b.wants("nearestMobile", fmt.Sprintf(`{"supportId":"200","operators":["SFR"],"generations":["2G"],"heightM":null,"distanceM":%d}`, east(2.53)))
	b.Exec("DELETE FROM geo.enrich_mobile_mast")
	b.wants("nearestMobile", "null")
}

const stationFile = "\ufeffNom;Trigramme;Segment(s) DRG;Position géographique;Code commune;Code(s) UIC\n" +
	"Proche;AAA;B;48.9005, 2.50;93010;87000001\n" +
	"Rapide;BBB;\"A;A\";48.9005, 2.60;93010;\"87000002;87000003\"\n"

// The nearest station, and the nearest that high-speed trains call
// at, which the list of stations does not give.
func TestNearestStations(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("railway-stations", "sncf/gares-de-voyageurs.csv", stationFile), 2, 0)
	b.wants("nearestGare", fmt.Sprintf(`{"name":"Proche","uic":"87000001","distanceM":%d}`, east(2.50)))
	b.wants("nearestGareTgv", "null")
	// The second of its codes, written as a number with decimals.
	loaded(t, b.Load("high-speed-stations", "sncf/high-speed-stations.csv", "uic,name\n87000003.0,Rapide\n"), 1, 0)
	b.wants("nearestGareTgv", fmt.Sprintf(`{"name":"Rapide","uic":"87000002","distanceM":%d}`, east(2.60)))
	b.wants("nearestGare", fmt.Sprintf(`{"name":"Proche","uic":"87000001","distanceM":%d}`, east(2.50)))
	b.Exec("DELETE FROM geo.enrich_railway_station")
	b.wants("nearestGareTgv", "null")
	b.wants("nearestGare", "null")
}

// Where a list says which airports have scheduled flights, the nearest of those is given, not a nearer
// airfield.
func TestNearestAirport(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("airports-airportsdata", "airports/airportsdata.csv",
		"icao,iata,name,city,country,lat,lon\n"+
			"LFXX,,Aero-club,Bondy,FR,48.9005,2.482\n"+
			"LFYY,XYZ,Near,Bondy,FR,48.9005,2.54\n"+
			"LSGG,GVA,Geneva,Geneva,CH,46.238,6.109\n"+
			"EDZZ,QQQ,Abroad,Elsewhere,DE,48.9005,2.49\n"+
			"NTAA,PPT,Faaa,Papeete,PF,-17.55,-149.6\n"), 2, 0)
	b.wants("nearestAirport", fmt.Sprintf(`{"name":"Near","iata":"XYZ","icao":"LFYY","distanceM":%d,"scheduledFlights":null}`, east(2.54)))
	loaded(t, b.Load("airports-ourairports", "airports/airports.csv",
		"id,ident,type,name,latitude_deg,longitude_deg,iso_country,scheduled_service,gps_code,iata_code\n"+
			"1,FR-0001,small_airport,Regular,48.9005,2.55,FR,yes,,\n"+
			"2,LFZZ,closed,Closed,48.9005,2.49,FR,no,LFZZ,ZZZ\n"+
			"3,LFPB,medium_airport,Without airlines,48.9005,2.50,FR,no,LFPB,LBG\n"), 1, 0)
	b.wants("nearestAirport", fmt.Sprintf(`{"name":"Regular","iata":null,"icao":null,"distanceM":%d,"scheduledFlights":true}`, east(2.55)))
	b.Exec("DELETE FROM geo.enrich_airport WHERE id <> 'LSGG'") // 400 km away
	b.wants("nearestAirport", "null")
}

// Times are those of today's commune, also when they were computed for one that is merged since.
func TestTravelTime(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("travel-times", "travel/travel-times.csv",
		"commune;paris_road_min;paris_rail_min;prefecture_road_min;method;year\n"+
			"93010;25;;12;router;2024\n91999;60;50;40;router;2024\n75118;10;;5;router;2024\n75056;11;;6;router;2024\n34172;;;;router;2024\n"), 4, 0)
	b.wants("travelTime", `{"parisRoadMin":25,"parisRailMin":null,"prefectureRoadMin":12,"method":"router","year":2024}`)
	for idu, want := range map[string]string{
		"910010000A0001": `"parisRoadMin":60`, "751180000A0001": `"parisRoadMin":10`, "2A2470000A0001": "null", "341720000A0001": "null",
	} {
		b.Parcel(idu, squareWKT)
		if got := b.valueOf(idu, "travelTime"); !strings.Contains(got, want) {
			t.Errorf("%s: %s; want %s", idu, got, want)
		}
	}
}

// The nearest is the nearest in metres: towards the east a degree is a third shorter than towards the north.
func TestNearestInMetres(t *testing.T) {
	b := newFixture(t)
	const point = `INSERT INTO geo.enrich_%s (part, id, attrs, geom) VALUES
		('test', 'east', '{"name":"East","uic":"1","codes":["1"],"operator":"O","generation":"4G","points":1,"category":"620","type":"B105"}',
			ST_SetSRID(ST_MakePoint(2.493, 48.9005), 4326)),
		('test', 'north', '{"name":"North","uic":"2","codes":["2"],"operator":"O","generation":"4G","points":1,"category":"620","type":"B105"}',
			ST_SetSRID(ST_MakePoint(2.4805, 48.911), 4326))`
	for layer, key := range map[string]string{
		"railway_station": "nearestGare", "airport": "nearestAirport", "mobile_mast": "nearestMobile", "charge_point": "nearestIrve",
		"marketplace": "nearestMarketplace", "health": "nearestPharmacy", "facility": "nearestSupermarket",
	} {
		b.Exec(fmt.Sprintf(point, layer))
		covered := layer
		if layer == "health" {
			covered = "pharmacy"
		}
		b.cover(covered, "")
		if got := b.value(key); !strings.Contains(got, fmt.Sprintf(`"distanceM":%d`, east(2.493))) {
			t.Errorf("%s: %s", key, got)
		}
	}
}

// Without the course of roads a count is returned of its straight line, and said to be an approximation;
// of two counts of one stretch the newer one.
func TestRoadTraffic(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("road-traffic", "traffic/tmja-2024.csv", reportkit.TrafficHeader+
		b.TrafficSegment("A0003", 1, 2.485, 48.89, 48.91, 2019, "90000", "9,5")+
		b.TrafficSegment("A0003", 1, 2.485, 48.89, 48.91, 2023, "98000", "14,0")+
		b.TrafficSegment("N0186", 1, 2.486, 48.89, 48.91, 2023, "5000", "")+
		b.TrafficSegment("N0002", 1, 2.49, 48.89, 48.91, 2023, "", "")+
		b.TrafficSegment("A0086", 1, 2.52, 48.89, 48.91, 2023, "1000", "1")), 3, 0)
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":98000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":true}`, east(2.485)))
	b.Exec("DELETE FROM geo.enrich_road_traffic WHERE attrs->>'road' = 'A3'")
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"N186","aadt":5000,"heavyPct":null,"year":2023,"distanceM":%d,"approximated":true}`, east(2.486)))
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
	b := newFixture(t)
	b.Load("road-traffic", "traffic/tmja-2024.csv", reportkit.TrafficHeader+
		b.TrafficSegment("A0003", 1, 2.490, 48.89, 48.91, 2023, "98000", "14,0")+ // bends: the line is nearer than the chord
		b.TrafficSegment("A0003", 2, 2.490, 48.80, 48.82, 2023, "70000", "14,0"))
	const roads = "ROUTE_NUMEROTEE_OU_NOMMEE"
	b.Geodata("BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D093_2026-06-15/"+roads+".shp", "ESRI Shapefile", roads,
		features(line("1", "A3", 2.485, 48.89, 48.91), line("2", "D 41", 2.482, 48.89, 48.91)), "-t_srs", "EPSG:2154")
	loaded(t, b.LoadSource("roads-bdtopo-shp"), 2, 0)
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":98000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":false}`, east(2.485)))
	b.Exec("DELETE FROM geo.enrich_road_traffic WHERE (attrs->>'aadt')::int = 98000")
	b.wants("roadTraffic", fmt.Sprintf(`{"road":"A3","aadt":70000,"heavyPct":14,"year":2023,"distanceM":%d,"approximated":true}`, east(2.485)))
	b.Exec("DELETE FROM geo.enrich_road")
	b.wants("roadTraffic", "null")
}

// A road that crosses a parcel twice is as near at both places: which count is returned does not
// depend on the order in which they are stored.
func TestRoadThatCrossesTwice(t *testing.T) {
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
	b := newFixture(t)
	rows := reportkit.TrafficHeader
	for i := range 25 {
		rows += b.TrafficSegment("A0003", i, 2.485, 48.89, 48.91, 2023, "98000", "14,0")
	}
	loaded(t, b.Load("road-traffic", "traffic/tmja-2024.csv", rows+
		"01/01/2024;A0009;1;90;34;0;3,87;43,6;0;3,88;43,6;0;D;2023;1;1\n"), 25, 1)
}
