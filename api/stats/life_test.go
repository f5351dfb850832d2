package stats_test

import (
	"strings"
	"testing"

	"arpent/api/source"
	"arpent/api/stats"
)

const lifeFile = "insee_esperance_vie_departement_2023.csv"

// Life expectancy is that of the newest year, by sex as published; the mean of both says that it is computed.
func TestLifeExpectancy(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("life-expectancy-departement", lifeFile, "codgeo;libgeo;an;esp_vie_h;esp_vie_f\n"+
		"93;Seine-Saint-Denis;2022;79,1;84,2\n93;Seine-Saint-Denis;2023;79,55;85\n2A;Corse-du-Sud;2023;81,4;86,3\n974;La Réunion;2022;78;84\n974;La Réunion;2023;s;84,6\n")
	b.load("life-expectancy-region", "insee_esperance_vie_region_2023.csv", "codgeo;libgeo;an;Espérance de vie des hommes à la naissance;Espérance de vie des femmes à la naissance\n11;Île-de-France;2021-2023;81,3;85,9\n")
	b.wants(stats.Departement, "93", "lifeExpectancy", `{"source": "INSEE, Espérance de vie à la naissance, départements", "year": 2023, "men": 79.55, "women": 85, "both": 82.28, "computed": true}`)
	b.wants(stats.Departement, "974", "lifeExpectancy", `{"source": "INSEE, Espérance de vie à la naissance, départements", "year": 2023, "men": null, "women": 84.6, "both": null, "computed": false}`)
	b.wants(stats.Region, "11", "lifeExpectancy", `{"source": "INSEE, Espérance de vie à la naissance, régions", "year": 2023, "men": 81.3, "women": 85.9, "both": 83.6, "computed": true}`)
	b.wants(stats.Departement, "75", "lifeExpectancy", "null")
	b.wants(stats.Region, "94", "lifeExpectancy", "null") // one département of two says nothing of the région
	for name, c := range map[string]struct{ content, reason string }{
		"another year":  {"codgeo;libgeo;an;esp_vie_h;esp_vie_f\n93;X;2022;79,1;84,2\n", "its name says 2023"},
		"months":        {"codgeo;libgeo;an;esp_vie_h;esp_vie_f\n93;X;2023;950;1000\n", "life expectancy is 950 years"},
		"sexes swapped": {"codgeo;libgeo;an;esp_vie_f;esp_vie_h\n93;X;2023;79,1;84,2\n", "longer than men"},
		"mortality":     {"codgeo;libgeo;an;taux_mortalite\n93;X;2023;9,1\n", "no column of figures"},
		"régions":       {"codgeo;libgeo;an;esp_vie_h;esp_vie_f\n11;X;2023;79,1;84,2\n", "no departement has code 11"},
	} {
		b.write(lifeFile, c.content)
		if _, err := b.try("life-expectancy-departement", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, expected a refusal that says %q", name, err, c.reason)
		}
	}
}

// Regional product comes from INSEE, and from Eurostat for the years that INSEE does not tell. Only the product of all
// activities in current prices is read.
func TestRegionalProduct(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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
