package stats_test

import (
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

// doctorsSheet is a sheet as DREES makes it: titles, header, units, communes.
func doctorsSheet(year string, communes ...string) []string {
	return append([]string{
		"Indicateur d'accessibilité potentielle localisée (APL) " + year, "", "Champ : France hors Mayotte", "", "", "", "", "",
		"Code commune INSEE;Commune;APL aux médecins généralistes;APL aux médecins généralistes de 65 ans et moins ;APL aux médecins généralistes de 62 ans ou moins;" +
			"APL aux médecins généralistes de 60 ans et moins;Population standardisée 2022 pour la médecine générale;Population totale 2022 ",
		";;(en C/hab. par an);(en C/hab. par an);(en C/hab. par an);(en C/hab. par an);(nombre);(nombre)",
	}, communes...)
}

const doctorsFile = "drees/Indicateur d'accessibilité potentielle localisée (APL) aux médecins généralistes.xlsx"

// small takes the checks of national files away: tests write a few
// lines, of which the one of units is refused.
func small(s *source.Source) {
	s.Checks.MinRows, s.Checks.MaxRefused, s.Checks.Queries = 0, 0.5, s.Checks.Queries[1:]
}

// A commune has the figure of its sheet, each year from its own; a city whose figures are by
// arrondissement has their mean, weighted as its producer does; a département has the mean of its
// communes and the share of people with too few.
func TestDoctors(t *testing.T) {
	b := newFixture(t)
	b.exec(`UPDATE geo.commune SET departement_code = '93' WHERE code = '91001'`)
	b.write(doctorsFile, loadkit.Workbook(t, []string{"Lisez-moi", "APL 2023", "APL 2024"}, []string{"Lecture"},
		doctorsSheet("2023", "93010;Bondy;2.61;2.4;2.2;2;50000;54000"),
		doctorsSheet("2024", "93010;Bondy;2.4;2.25;2.126;2;40000;54000", "93066;Saint-Denis;3;;;;120000;110000", "91001;Abbéville;1;1;1;1;s;300",
			"75101;Paris 1er;4;3;2;1;10000;16000", "75118;Paris 18e;2;2;2;2;30000;190000", "69381;Lyon 1er;3;3;3;3;10;10", "Total;;3;3;3;3;1;1", "Lecture : en 2024")))
	for _, year := range []string{"2023", "2024", "2022"} {
		testkit.Must(b.try("apl-"+year, small))(t)
	}
	b.wants(stats.Commune, "93010", "apl", `{"source": "DREES, Accessibilité potentielle localisée aux médecins généralistes 2024", "year": 2024,
		"generalPractitioners": 2.4, "under65": 2.25, "under62": 2.13, "under60": 2, "underserved": true, "shareUnderservedPct": null,
		"timeline": [{"year": 2023, "generalPractitioners": 2.61}, {"year": 2024, "generalPractitioners": 2.4}]}`)
	if served := b.block(stats.Commune, "93066", "apl"); !strings.Contains(served, `"under65":null`) || !strings.Contains(served, `"underserved":false`) {
		t.Errorf("Saint-Denis shows %s", served)
	}
	if paris := b.block(stats.Commune, "75056", "apl"); !strings.Contains(paris, `"generalPractitioners":2.5,"under65":2.25,"under62":2,"under60":1.75,"underserved":false`) {
		t.Errorf("Paris shows %s", paris)
	}
	// (2.4 × 40000 + 3 × 120000) / 160000; 91001 has no weight, but its people count: (54000 + 300) / 164300.
	if dept := b.block(stats.Departement, "93", "apl"); !strings.Contains(dept, `"generalPractitioners":2.85,`) || !strings.Contains(dept, `"shareUnderservedPct":33.05`) {
		t.Errorf("the département shows %s", dept)
	}
	b.wants(stats.Commune, "97411", "apl", "null")
}

// A sheet of something else, one without the weights and one that is cut are refused.
func TestDoctorFilesThatAreRefused(t *testing.T) {
	b := newFixture(t)
	good := doctorsSheet("2024", "93010;Bondy;2.4;2.25;2.126;2;40000;54000")
	load := func(sheet []string, change func(*source.Source)) error {
		b.write(doctorsFile, loadkit.Workbook(t, []string{"APL 2024"}, sheet))
		_, err := b.try("apl-2024", change)
		return err
	}
	testkit.NoError(t, load(good, small))
	before := b.block(stats.Commune, "93010", "apl")
	edited := func(from, to string) []string {
		return strings.Split(strings.ReplaceAll(strings.Join(good, "\n"), from, to), "\n")
	}
	for name, c := range map[string]struct {
		sheet  []string
		change func(*source.Source)
		reason string
	}{
		"dentists":    {edited("médecins généralistes", "chirurgiens-dentistes"), small, "no column of doctors.all"},
		"no header":   {edited("Code commune INSEE", "Région"), small, "no header"},
		"no weights":  {edited("Population standardisée", "Population"), small, "no column of doctors.standardised"},
		"percentages": {edited("2.4;", "240;"), small, "the mean accessibility is 240"},
		"cut":         {edited("2.4;", "2.5;"), func(s *source.Source) { s.Checks.MaxRefused = 0.5 }, "expected at least 100000"},
	} {
		if err := load(c.sheet, c.change); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, expected a refusal that says %q", name, err, c.reason)
		}
	}
	if after := b.block(stats.Commune, "93010", "apl"); after != before {
		t.Errorf("a refused file changed what is served: %s", after)
	}
}

// Life expectancy is that of the newest year, by sex as published; the mean of both says that it is computed.
func TestLifeExpectancy(t *testing.T) {
	b := newFixture(t)
	const header = "GEO;GEO_OBJECT;EC_MEASURE;AGE;SEX;FREQ;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n"
	row := func(object, code, sex, value string) string {
		return code + ";" + object + ";LEXPEC;Y0;" + sex + ";A;A;2023;" + value + "\n"
	}
	b.load("life-expectancy-melodi", "insee/DS_DECES_MORTALITE_SERIES_2023_data.csv", header+
		row("DEP", "93", "M", "79.55")+row("DEP", "93", "F", "85")+row("DEP", "974", "F", "84.6")+row("REG", "11", "M", "81.3")+row("REG", "11", "F", "85.9"))
	const label = "INSEE, Espérance de vie à la naissance (catalogue)"
	b.wants(stats.Departement, "93", "lifeExpectancy", `{"source": "`+label+`", "year": 2023, "men": 79.55, "women": 85, "both": 82.28, "computed": true}`)
	b.wants(stats.Departement, "974", "lifeExpectancy", `{"source": "`+label+`", "year": 2023, "men": null, "women": 84.6, "both": null, "computed": false}`)
	b.wants(stats.Region, "11", "lifeExpectancy", `{"source": "`+label+`", "year": 2023, "men": 81.3, "women": 85.9, "both": 83.6, "computed": true}`)
	b.wants(stats.Departement, "75", "lifeExpectancy", "null")
	b.wants(stats.Region, "94", "lifeExpectancy", "null") // one département of two says nothing of the région
}

// Regional product comes from INSEE, and from Eurostat for the years that INSEE does not have. Only the
// product of all activities in current prices is read.
func TestRegionalProduct(t *testing.T) {
	b := newFixture(t)
	b.load("comptes-regionaux", "DS_COMPTES_REGIONAUX_2024_data.csv",
		"GEO;GEO_OBJECT;STO;ACTIVITY;UNIT_MEASURE;UNIT_MULT;PRICES;OBS_STATUS_FR;TIME_PERIOD;OBS_VALUE\n"+
			"11;REG;B1GQ;_T;XDC;6;V;SD;2022;820000.25\n11;REG;B1GQ;_T;XDC_PS;0;V;SD;2022;66500.4\n11;REG;B1GQ;_T;XDC;6;L;SD;2022;1\n"+
			"11;REG;B1G;A;XDC;6;V;SD;2022;2\n11;REG;B1GQ;_T;XDC;6;V;PROV;2023;860000\nFM;FRANCE;B1GQ;_T;XDC;6;V;SD;2022;2600000\n04;REG;B1GQ;_T;XDC;6;V;D;2021;\n")
	b.load("eurostat-gdp", "estat_nama_10r_2gdp_filtered_en.csv", "DATAFLOW,LAST UPDATE,freq,unit,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG\n"+
		"ESTAT:NAMA_10R_2GDP(1.0),01/01/26,A,MIO_EUR,FR10,2021,765000,\nX,Y,A,EUR_HAB,FR1,2021,62000,\nX,Y,A,MIO_EUR,FR1,2021,765000,\n"+
		"X,Y,A,MIO_EUR,FR1,2022,1000,\nX,Y,A,MIO_EUR,FRY4,2023,22000,p\nX,Y,A,MIO_EUR,DE1,2022,600000,\nX,Y,A,PPS_EU27_2020_HAB,FR1,2021,1,\n")
	const insee, eurostat = "INSEE, Comptes régionaux", "Eurostat, nama_10r_2gdp"
	b.wants(stats.Region, "11", "pib", `[{"year": 2021, "gdpMillionEur": 765000, "gdpPerCapitaEur": 62000, "status": null, "source": "`+eurostat+`"},
		{"year": 2022, "gdpMillionEur": 820000.3, "gdpPerCapitaEur": 66500, "status": "semiFinal", "source": "`+insee+`"},
		{"year": 2023, "gdpMillionEur": 860000, "gdpPerCapitaEur": null, "status": "provisional", "source": "`+insee+`"}]`)
	b.wants(stats.Region, "04", "pib", `[{"year": 2023, "gdpMillionEur": 22000, "gdpPerCapitaEur": null, "status": "provisional", "source": "`+eurostat+`"}]`)
	b.wants(stats.Region, "94", "pib", "null")
	for name, c := range map[string]struct{ content, reason string }{
		"euros for millions": {"GEO;GEO_OBJECT;STO;ACTIVITY;UNIT_MEASURE;UNIT_MULT;PRICES;TIME_PERIOD;OBS_VALUE\n11;REG;B1GQ;_T;XDC;6;V;2022;820000000000\n", "million euros"},
		"employment":         {"GEO;GEO_OBJECT;STO;ACTIVITY;UNIT_MEASURE;UNIT_MULT;PRICES;TIME_PERIOD;OBS_VALUE\n11;REG;EMP;_T;PS;3;_Z;2022;6000\n", "no row"},
		"another layout":     {"codgeo;an;pib\n11;2022;820000\n", "no row"},
	} {
		b.write("DS_COMPTES_REGIONAUX_2024_data.csv", c.content)
		if _, err := b.try("comptes-regionaux", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, expected a refusal that says %q", name, err, c.reason)
		}
	}
}
