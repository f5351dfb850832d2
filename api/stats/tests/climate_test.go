package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/api/source"
	"arpent/api/stats"
)

const monthsHeader = "NUM_POSTE;NOM_USUEL;LAT;LON;ALTI;AAAAMM;RR;QRR;TX;QTX;TM;QTM;NBTM\n"

// months writes twelve months of some years of a station, all of one temperature.
func months(id, lat, lon string, temperature float64, from, to int, but ...string) string {
	var b strings.Builder
	for year := from; year <= to; year++ {
		for month := 1; month <= 12; month++ {
			at := fmt.Sprintf("%d%02d", year, month)
			value := fmt.Sprintf("%.1f", temperature)
			for _, missing := range but {
				if strings.HasPrefix(at, missing) {
					value = ""
				}
			}
			fmt.Fprintf(&b, "%s;STATION %s;%s;%s;50;%s;12.0;1;20.0;1;%s;1;30\n", id, id, lat, lon, at, value)
		}
	}
	return b.String()
}

// A commune has the figures of the nearest station that has a normal and the newest year; a year with a month missing is none;
// beyond 40 km there is nothing; a département is the mean of the anomalies of its stations.
func TestClimateAnomaly(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.exec(`INSERT INTO geo.commune_contour (code, area_km2, geom)
		SELECT '93066', 10, ST_Multi(g) FROM ST_MakeEnvelope(4.0, 48.89, 4.01, 48.9, 4326) g`)
	near, far, short := "93010001", "93010002", "93010003"
	b.write("meteo/MENSQ_93_previous-1950-2023.csv", monthsHeader+
		months(near, "48.90", "2.49", 10, 1991, 2020)+months(near, "48.90", "2.49", 11, 2021, 2023, "202203")+
		months(far, "48.70", "2.48", 12, 1991, 2020, "1991", "1992", "1993")+months(far, "48.70", "2.48", 15, 2021, 2023)+
		months(short, "48.899", "2.482", 12, 2005, 2023))
	b.load("climat-mensuel", "meteo/MENSQ_93_latest-2024-2025.csv", monthsHeader+
		months(near, "48.90", "2.49", 11.5, 2024, 2025, "202511", "202512")+months(far, "48.70", "2.48", 14, 2024, 2025, "202512"))
	bondy := b.block(stats.Commune, "93010", "climateAnomaly")
	for _, want := range []string{
		`{"source":"Météo-France, Données climatologiques de base - mensuelles","year":2024,"referencePeriod":"1991-2020","anomalyC":1.5,"meanC":11.5,"normalC":10,"decadeAnomalyC":0.39,`,
		`{"year":2021,"anomalyC":1},{"year":2023,"anomalyC":1},{"year":2024,"anomalyC":1.5}]`,
		`"station":{"id":"93010001","name":"STATION 93010001","altitudeM":50,"distanceKm":0.6},"stations":null}`,
	} {
		if !strings.Contains(bondy, want) {
			t.Errorf("Bondy shows\n%s\nexpected in it\n%s", bondy, want)
		}
	}
	b.wants(stats.Commune, "93066", "climateAnomaly", "null") // 110 km away
	b.wants(stats.Commune, "75056", "climateAnomaly", "null") // where it is is not known
	all := b.block(stats.Departement, "93", "climateAnomaly")
	if !strings.Contains(all, `"anomalyC":1.75,"meanC":null,"normalC":null`) || !strings.Contains(all, `"stations":2}`) {
		t.Errorf("the département shows %s", all)
	}
	if region := b.block(stats.Region, "11", "climateAnomaly"); region != all {
		t.Errorf("the région with one département shows %s", region)
	}
	b.wants(stats.Departement, "91", "climateAnomaly", "null")
}

// Without the years of the normal there is no anomaly: the load is refused, and so are files of something else.
func TestClimateFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, reason string }{
		"newest years only": {monthsHeader + months("93010001", "48.9", "2.49", 10, 2024, 2025), "the file of the years from 1950 on"},
		"another header":    {strings.Replace(monthsHeader, "TM;", "TMM;", 1) + months("93010001", "48.9", "2.49", 10, 1991, 2020), "no row"},
		"days":              {strings.Replace(monthsHeader, "AAAAMM", "AAAAMMJJ", 1) + months("93010001", "48.9", "2.49", 10, 1991, 2020), "no month"},
		"tenths of degrees": {monthsHeader + months("93010001", "48.9", "2.49", 100, 1991, 2020), "its mean temperature is 100"},
	} {
		b := newFixture(t)
		b.write("MENSQ_93_previous-1950-2023.csv", c.content)
		if _, err := b.try("climat-mensuel", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, expected a refusal that says %q", name, err, c.reason)
		}
	}
}
