package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// eastOf is the distance in whole metres from the test's parcel to a point east of it.
func eastOf(lon float64) int {
	return int(math.Round(apart(2.481, 48.9005, lon, 48.9005)))
}

const (
	chargeHeader = "nom_operateur,nom_enseigne,id_station_itinerance,nom_station,code_insee_commune,coordonneesXY,nbre_pdc,id_pdc_itinerance," +
		"puissance_nominale,gratuit,date_maj,consolidated_longitude,consolidated_latitude\n"
	chargeFile = "irve/consolidation-etalab-schema-irve-statique-v-2.3.1-20240508.csv"
)

// A customer reads one station, not a charge point: its points are counted once, and its power
// is in kilowatts whatever the operator typed.
func TestNearestIrve(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	loaded(t, b.Load("charge-points", chargeFile, chargeHeader+
		`Op,Br,FRA1,Far,93010,"[2.60,48.9005]",1,FRA1E1,50,false,2024-01-01,2.60,48.9005
Op,Br,FRA2,Near,93010,"[2.485,48.9005]",2,FRA2E1,22,true,2024-01-01,,
Op,Br,FRA2,Near,93010,"[2.485,48.9005]",2,FRA2E2,22000,false,2024-02-01,,
Op,Br,FRA2,Old name,93010,"[2.485,48.9005]",2,FRA2E2,7.4,false,2023-02-01,,
,Br,Non concerné,Swapped,93010,"[48.9005,2.482]",1,Non concerné,0,,2024-03-01,48.9005,2.4825
`), 4, 0)
	b.wants("nearestIrve", fmt.Sprintf(`{"stationId":"Swapped 48.9005 2.4825 [48.9005,2.482]","name":"Swapped","operator":"Br","maxPowerKw":null,
		"points":1,"free":null,"updated":"2024-03-01","distanceM":%d}`, eastOf(2.4825)))
	b.Exec("DELETE FROM geo.enrich_charge_point WHERE id LIKE 'Swapped%'")
	b.wants("nearestIrve", fmt.Sprintf(`{"stationId":"FRA2","name":"Near","operator":"Op","maxPowerKw":22,"points":2,"free":false,
		"updated":"2024-02-01","distanceM":%d}`, eastOf(2.485)))
	b.Exec("DELETE FROM geo.enrich_charge_point")
	b.wants("nearestIrve", "null")
}

// A position outside France in both readings is no station of France.
func TestChargePointOutside(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	b := newFixture(t)
	b.Write("irve/exemple-valide-statique.csv", chargeHeader)
	if b.recognises("charge-points") {
		t.Error("charge-points takes it")
	}
}

// The operators and generations of one support are returned together; what is only approved is not there yet.
func TestNearestMobile(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	loaded(t, b.Load("mobile-masts", "anfr/20240105_observatoire_2G_3G_4G.csv",
		"id;adm_lb_nom;sup_id;emr_lb_systeme;generation;sup_nm_haut;coordonnees;statut\n"+
			"1;ORANGE;100;LTE 700;4G;32,5;48.9005,2.485;En service\n"+
			"2;ORANGE;100;LTE 800;4G;32,5;48.9005,2.485;En service\n"+
			"3;FREE MOBILE;100;5G NR 3500;5G;32.5;48.9005,2.485;En service\n"+
			"4;SFR;100;5G NR 3500;5G;32,5;48.9005,2.485;Projet approuvé\n"+
			"5;SFR;200;GSM 900;2G;;48.9005,2.53;En service\n"), 3, 0)
	b.wants("nearestMobile", fmt.Sprintf(`{"supportId":"100","operators":["FREE MOBILE","ORANGE"],"generations":["4G","5G"],"heightM":32.5,"distanceM":%d}`,
		eastOf(2.485)))
	b.Exec("DELETE FROM geo.enrich_mobile_mast WHERE id = '100'")
	b.wants("nearestMobile", fmt.Sprintf(`{"supportId":"200","operators":["SFR"],"generations":["2G"],"heightM":null,"distanceM":%d}`, eastOf(2.53)))
	b.Exec("DELETE FROM geo.enrich_mobile_mast")
	b.wants("nearestMobile", "null")
}

const stationFile = "\ufeffNom;Trigramme;Segment(s) DRG;Position géographique;Code commune;Code(s) UIC\n" +
	"Proche;AAA;B;48.9005, 2.50;93010;87000001\n" +
	"Rapide;BBB;\"A;A\";48.9005, 2.60;93010;\"87000002;87000003\"\n"

// The nearest station, and the nearest that high-speed trains call
// at, which the list of stations does not give.
func TestNearestStations(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	loaded(t, b.Load("railway-stations", "sncf/gares-de-voyageurs.csv", stationFile), 2, 0)
	b.wants("nearestGare", fmt.Sprintf(`{"name":"Proche","uic":"87000001","distanceM":%d}`, eastOf(2.50)))
	b.wants("nearestGareTgv", "null")
	// The second of its codes, written as a number with decimals.
	loaded(t, b.Load("high-speed-stations", "sncf/high-speed-stations.csv", "uic,name\n87000003.0,Rapide\n"), 1, 0)
	b.wants("nearestGareTgv", fmt.Sprintf(`{"name":"Rapide","uic":"87000002","distanceM":%d}`, eastOf(2.60)))
	b.wants("nearestGare", fmt.Sprintf(`{"name":"Proche","uic":"87000001","distanceM":%d}`, eastOf(2.50)))
	b.Exec("DELETE FROM geo.enrich_railway_station")
	b.wants("nearestGareTgv", "null")
	b.wants("nearestGare", "null")
}

// Where a list says which airports have scheduled flights, the nearest of those is given, not a nearer airfield.
func TestNearestAirport(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	loaded(t, b.Load("airports-airportsdata", "airports/airportsdata.csv",
		"icao,iata,name,city,country,lat,lon\n"+
			"LFXX,,Aero-club,Bondy,FR,48.9005,2.482\n"+
			"LFYY,XYZ,Near,Bondy,FR,48.9005,2.54\n"+
			"LSGG,GVA,Geneva,Geneva,CH,46.238,6.109\n"+
			"EDZZ,QQQ,Abroad,Elsewhere,DE,48.9005,2.49\n"+
			"NTAA,PPT,Faaa,Papeete,PF,-17.55,-149.6\n"), 2, 0)
	b.wants("nearestAirport", fmt.Sprintf(`{"name":"Near","iata":"XYZ","icao":"LFYY","distanceM":%d,"scheduledFlights":null}`, eastOf(2.54)))
	loaded(t, b.Load("airports-ourairports", "airports/airports.csv",
		"id,ident,type,name,latitude_deg,longitude_deg,iso_country,scheduled_service,gps_code,iata_code\n"+
			"1,FR-0001,small_airport,Regular,48.9005,2.55,FR,yes,,\n"+
			"2,LFZZ,closed,Closed,48.9005,2.49,FR,no,LFZZ,ZZZ\n"+
			"3,LFPB,medium_airport,Without airlines,48.9005,2.50,FR,no,LFPB,LBG\n"), 1, 0)
	b.wants("nearestAirport", fmt.Sprintf(`{"name":"Regular","iata":null,"icao":null,"distanceM":%d,"scheduledFlights":true}`, eastOf(2.55)))
	b.Exec("DELETE FROM geo.enrich_airport WHERE id <> 'LSGG'") // 400 km away
	b.wants("nearestAirport", "null")
}

// Times are those of today's commune, also when they were computed for one that is merged since.
func TestTravelTime(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
		if got := b.value(key); !strings.Contains(got, fmt.Sprintf(`"distanceM":%d`, eastOf(2.493))) {
			t.Errorf("%s: %s", key, got)
		}
	}
}
