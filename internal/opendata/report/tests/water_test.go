package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// rounded is a distance as reports give it.
func rounded(metres float64) int { return int(math.Round(metres)) }

// bdtopo writes a table of BD TOPO as a Shapefile, from features with the names of its columns.
func (b *fixture) bdtopo(table, features string) {
	b.T.Helper()
	const folder = "BDTOPO_3-4_TOUSTHEMES_SHP_LAMB93_D093_2025-03-15/HYDROGRAPHIE/"
	b.Write("tmp.geojson", `{"type":"FeatureCollection","features":[`+features+`]}`)
	b.Write(folder+"README", "")
	b.gdal("ogr2ogr", "-t_srs", "EPSG:2154", "-dim", "XYZ", "-lco", "ENCODING=UTF-8", b.path(folder+table+".shp"), b.path("tmp.geojson"))
}

func waterLine(properties, coordinates string) string {
	return `{"type":"Feature","properties":{` + properties + `},"geometry":{"type":"LineString","coordinates":` + coordinates + `}}`
}

func waterBox(properties string, west, south, east, north float64) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{%s},"geometry":{"type":"Polygon","coordinates":[[[%[2]g,%[3]g],[%[4]g,%[3]g],[%[4]g,%[5]g],[%[2]g,%[5]g],[%[2]g,%[3]g]]]}}`,
		properties, west, south, east, north)
}

// A customer reads the name of the river that matters, not that of the ditch
// before it, and never one of another valley.
func TestCoursEau(t *testing.T) {
	b := newFixture(t)
	// 0.001 degrees south there is a ditch without a name, 0.0018 degrees south a brook with one.
	b.bdtopo("TRONCON_HYDROGRAPHIQUE", strings.Join([]string{
		waterLine(`"ID":"TRONCON1","NATURE":"Ecoulement naturel","FICTIF":"Non","PERSISTANC":"Intermittent"`, `[[2.47,48.899,12],[2.49,48.899,11]]`),
		waterLine(`"ID":"TRONCON2","NATURE":"Ecoulement naturel","FICTIF":"Non","PERSISTANC":"Permanent","ID_C_EAU":"COURDEAU1","NOM_C_EAU":"Le Rû"`, `[[2.47,48.8982,12],[2.49,48.8982,11]]`),
		waterLine(`"ID":"TRONCON3","NATURE":"Plan d'eau","FICTIF":"Oui","PERSISTANC":"Permanent"`, `[[2.47,48.9005,12],[2.49,48.9005,11]]`),
	}, ","))
	b.bdtopo("COURS_D_EAU", waterLine(`"ID":"COURDEAU1","CODE_HYDRO":"F70-0400","TOPONYME":"Le Rû","IMPORTANCE":"5","STATUT":"Validé"`,
		`[[2.47,48.8982,12],[2.49,48.8982,11]]`))
	if o := b.LoadSource("bdtopo-troncons-hydrographiques"); o.Rows != 2 || o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	ditch := fmt.Sprintf(`{"name":"Le Rû","code":null,"nature":"Ecoulement naturel","distanceM":%d,"importance":null,"permanent":true}`,
		rounded(apart(2.4805, 48.900, 2.4805, 48.8982)))
	b.wants("coursEau", ditch)
	b.LoadSource("bdtopo-cours-d-eau")
	b.wants("coursEau", fmt.Sprintf(`{"name":"Le Rû","code":"F70-0400","nature":null,"distanceM":%d,"importance":5,"permanent":true}`,
		rounded(apart(2.4805, 48.900, 2.4805, 48.8982))))
	// More than twice as far as the ditch is too far.
	b.Exec(`UPDATE geo.enrich_watercourse SET geom = ST_Translate(geom, 0, -0.0003) WHERE attrs ? 'name'`)
	b.wants("coursEau", fmt.Sprintf(`{"name":null,"code":null,"nature":"Ecoulement naturel","distanceM":%d,"importance":null,"permanent":false}`,
		rounded(apart(2.4805, 48.900, 2.4805, 48.899))))
	b.Exec(`UPDATE geo.enrich_watercourse SET geom = ST_Translate(geom, 0, -0.05)`)
	b.wants("coursEau", `null`)
}

// A stream that closes on itself around a parcel does not touch it,
// and an axis that carries no stream is none.
func TestCoursEauAround(t *testing.T) {
	b := newFixture(t)
	b.bdtopo("TRONCON_HYDROGRAPHIQUE", waterLine(`"ID":"TRONCON1","CODE_HYDRO":"03C1","NATURE":"Canal","FICTIF":"Non","PERSISTANC":"Permanent","ID_C_EAU":"C1 / C2","NOM_C_EAU":"Fossé/Rû d'Été"`,
		`[[2.479,48.899,40],[2.482,48.899,40],[2.482,48.902,40],[2.479,48.902,40],[2.479,48.899,40]]`)+`,`+
		waterLine(`"ID":"TRONCON2","CODE_HYDRO":"03C2","NATURE":"Canal","FICTIF":"Oui","PERSISTANC":"Permanent","ID_C_EAU":null,"NOM_C_EAU":null`,
			`[[2.4805,48.9005,40],[2.4806,48.9005,40]]`))
	if o := b.LoadSource("bdtopo-troncons-hydrographiques"); o.Rows != 1 || o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	b.wants("coursEau", fmt.Sprintf(`{"name":"Fossé / Rû d'Été","code":"03C1","nature":"Canal","distanceM":%d,"importance":null,"permanent":true}`,
		rounded(apart(2.481, 48.9005, 2.482, 48.9005))))
}

func TestCoursEauNotLoaded(t *testing.T) {
	b := newFixture(t)
	b.Exec(`INSERT INTO geo.enrich_watercourse VALUES ('x', '1', 1, '{"name":"Le Rû"}', ST_GeomFromText('LINESTRING(2.48 48.9, 2.49 48.9)', 4326))`)
	b.wants("coursEau", `null`)
	b.cover("watercourse", "34")
	b.wants("coursEau", `null`)
	b.cover("watercourse", "93")
	b.wants("coursEau", `{"name":"Le Rû","code":null,"nature":null,"distanceM":0,"importance":null,"permanent":null}`)
}

// The nearest in degrees need not be the nearest: a degree of longitude is shorter.
func TestCoursEauIsNearestInMetres(t *testing.T) {
	b := newFixture(t)
	b.cover("watercourse", "93")
	b.Exec(`INSERT INTO geo.enrich_watercourse VALUES
		('x', 'north', 1, '{}', ST_GeomFromText('LINESTRING(2.48 48.911, 2.481 48.911)', 4326)),
		('x', 'east', 1, '{}', ST_GeomFromText('LINESTRING(2.493 48.9, 2.493 48.901)', 4326))`)
	b.wants("coursEau", fmt.Sprintf(`{"name":null,"code":null,"nature":null,"distanceM":%d,"importance":null,"permanent":null}`,
		rounded(apart(2.481, 48.901, 2.493, 48.901))))
}

// A lake's area is that of the lake, not of the piece of it that happens to be near.
func TestPlanEau(t *testing.T) {
	b := newFixture(t)
	b.bdtopo("SURFACE_HYDROGRAPHIQUE", strings.Join([]string{
		waterBox(`"ID":"SURF1","NATURE":"Retenue","PERSISTANC":"Permanent","POS_SOL":"0"`, 2.470, 48.890, 2.490, 48.899),
		waterBox(`"ID":"SURF2","NATURE":"Ecoulement naturel","PERSISTANC":"Permanent"`, 2.470, 48.8995, 2.490, 48.8996),
		waterBox(`"ID":"SURF3","NATURE":"Retenue","ETAT":"En projet"`, 2.470, 48.8997, 2.490, 48.8998),
	}, ","))
	if o := b.LoadSource("bdtopo-surfaces-en-eau"); o.Rows != 1 || o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	if o := b.LoadSource("bdtopo-surfaces-en-eau-courante"); o.Rows != 1 {
		t.Errorf("loaded %+v", o)
	}
	area := boxArea(2.470, 48.890, 2.490, 48.899)
	within(t, b.number("planEau", "areaM2"), area, area*1e-4)
	within(t, b.number("planEau", "distanceM"), apart(2.4805, 48.900, 2.4805, 48.899), 0.5)
	b.wants("coursEau", `null`) // river surfaces alone do not speak for the place
	b.Exec(`UPDATE geo.enrich_water_body SET geom = ST_Translate(geom, 0, -0.05)`)
	b.wants("planEau", `null`)
	b.Exec(`DELETE FROM geo.coverage`)
	b.Exec(`UPDATE geo.enrich_water_body SET geom = ST_Translate(geom, 0, 0.05)`)
	b.wants("planEau", `null`)
}

func TestPlanEauPrefersNames(t *testing.T) {
	b := newFixture(t)
	b.bdtopo("PLAN_D_EAU", strings.Join([]string{
		waterBox(`"ID":"PLANDEAU1","TOPONYME":"Étang du Roi / Grand Étang","NATURE":"Etang","PERMANENT":"Oui"`, 2.470, 48.890, 2.490, 48.8985),
		waterBox(`"ID":"PLANDEAU2","NATURE":"Mare","PERMANENT":"Non"`, 2.470, 48.8988, 2.490, 48.899),
	}, ","))
	b.LoadSource("bdtopo-plans-d-eau")
	if got := b.value("planEau"); !strings.Contains(got, `"Étang du Roi / Grand Étang"`) || !strings.Contains(got, `"permanent":true`) {
		t.Errorf("planEau is %s", got)
	}
}

const stationsHeader = "CdStationMesureEauxSurface;LbStationMesureEauxSurface;DurStationMesureEauxSurface;CoordXStationMesureEauxSurface;" +
	"CoordYStationMesureEauxSurface;CdProjStationMesureEauxSurface;LibelleProjection;CodeCommune;LbCommune;CodeDepartement;LbDepartement;" +
	"NomCoursdEau;AltitudePointCaracteritisque\n"

// The list mixes projections and is written in cp1252; stations that were given up have no place.
func TestNearestRiverWater(t *testing.T) {
	b := newFixture(t)
	x, y := b.Lambert93(2.4900, 48.9005)
	rows := stationsHeader +
		fmt.Sprintf("03000001;L'OURCQ \xc0 BONDY;;%.2f;%.2f;26;RGF93 / Lambert 93;93010;BONDY;93;Seine-Saint-Denis;L'Ourcq;42.6\n", x, y) +
		"3000002;SANS LIEU;;;;;;93010;BONDY;93;Seine-Saint-Denis;;\n" +
		"10000003;CAYENNE;;350000;540000;;RGFG95 / UTM 22;97302;CAYENNE;973;Guyane;Le Mahury;3\n" +
		"06000004;LEZ;;769000;6280000;26;RGF93 / Lambert 93;34172;MONTPELLIER;34;H\xe9rault;Le Lez;\n"
	if o := b.Load("river-stations", "naiades/Stations.csv", rows); o.Rows != 3 || o.Refused != 0 {
		t.Errorf("loaded %+v", o)
	}
	b.wants("nearestRiverWater", fmt.Sprintf(`[{"stationId":"03000001","name":"L'OURCQ À BONDY","watercourse":"L'Ourcq","altitudeM":43,"distanceM":%d,"lastSample":null}]`,
		rounded(apart(2.481, 48.9005, 2.4900, 48.9005))))
	b.Parcel("973020000A0001", "POLYGON((-52.30 4.90, -52.299 4.90, -52.299 4.901, -52.30 4.901, -52.30 4.90))")
	b.Exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('973', 'Guyane', '11')`)
	b.wantsOf("973020000A0001", "nearestRiverWater", "null")
	b.Exec(`DELETE FROM geo.enrich_river_station WHERE id = '03000001'`)
	b.wants("nearestRiverWater", `[]`)
}

// Of many stations the three nearest are returned, in their order.
func TestNearestRiverWaterIsThree(t *testing.T) {
	b := newFixture(t)
	b.cover("river_station", "")
	b.Exec(`INSERT INTO geo.enrich_river_station SELECT 'x', n::text, 1, '{}', ST_SetSRID(ST_MakePoint(2.481 + n * 0.01, 48.9005), 4326)
		FROM generate_series(1, 9) n`)
	b.Exec(`INSERT INTO geo.enrich_river_station VALUES ('x', 'north', 1, '{"lastSample":"2025-05-01"}', ST_SetSRID(ST_MakePoint(2.4805, 48.9185), 4326))`)
	var want []string
	for n, station := range []string{"1", "2", "north"} {
		d, sample := apart(2.481, 48.9005, 2.481+0.01*float64(n+1), 48.9005), "null"
		if station == "north" {
			d, sample = apart(2.4805, 48.901, 2.4805, 48.9185), `"2025-05-01"`
		}
		want = append(want, fmt.Sprintf(`{"stationId":%q,"name":null,"watercourse":null,"altitudeM":null,"distanceM":%d,"lastSample":%s}`, station, rounded(d), sample))
	}
	b.wants("nearestRiverWater", "["+strings.Join(want, ",")+"]")
}

// The extract of BD TOPO gives the water bodies of the one commune that it is of.
func TestPlanEauReal(t *testing.T) {
	b := newFixture(t)
	b.Data = testkit.FullData(t)
	b.Exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('12', 'Aveyron', '76');
		INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		VALUES ('commune-actuelle', '12174', 'Olemps', '12', '76', '12174', '{}')`)
	for name, rows := range map[string]int64{"bdtopo-surfaces-en-eau": 27, "bdtopo-surfaces-en-eau-courante": 1} {
		o := b.LoadSource(name)
		if o.Refused != 0 || o.Rows != rows || o.Scope != "12174" {
			t.Errorf("loaded %+v", o)
		}
	}
	if got := b.Covered("water_body"); !slices.Equal(got, []string{"12174"}) {
		t.Errorf("it speaks for %q", got)
	}
	if got := b.Covered("watercourse"); len(got) > 0 {
		t.Errorf("wide rivers speak for %q", got)
	}
	b.Parcel("121740000A0001", "POLYGON((2.55 44.335, 2.5505 44.335, 2.5505 44.3355, 2.55 44.335))")
	// In Lambert-93 the file says 755.99 m² and 475.5 m, where a metre of
	// the map is 0.9995 of one on the ground.
	want := `{"name":null,"code":"05S0000002244047897","nature":"Réservoir-bassin","distanceM":476,"areaM2":756,"permanent":false}`
	b.wantsOf("121740000A0001", "planEau", want)
}
