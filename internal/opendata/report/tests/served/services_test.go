package served_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
)

// In the inventory of facilities letters take the place of words since the
// edition of 2024, and codes that of empty cells.
func TestFacilitiesAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const header = "AN;NOMRS;CNOMRS;CODPOS;DEPCOM;DEP;REG;LIBCOM;DOM;SDOM;TYPEQU;SIRET;LAMBERT_X;LAMBERT_Y;LONGITUDE;LATITUDE;QUALITE_XY;EPSG;QUALITE_GEOLOC\n"
	row := func(kind, name, place, quality string) string {
		return "2025;" + name + ";_Z;93140;93010;93;11;Bondy;B;B1;" + kind + ";_U;" + place + ";_Z;_Z;" + quality + "\n"
	}
	place := strings.ReplaceAll(b.Lambert(2.4805, 48.9005), ",", ".")
	b.loadsAsServed(asServed{"bpe", "BPE25.zip", loadkit.Archive(t, map[string]string{"BPE25.csv": header +
		row("B105", "BON MARCHE", place, "B;2154;11") + row("B105", "AILLEURS", place, "M;2154;33") + row("B104", "A PEU PRES", place, "A;2154;12") +
		row("F101", "_Z", place, "_U;2154;_Z") + row("B105", "SANS PLACE", ";", "_Z;4471;_Z") + row("B105", "SANS OBJET", "_Z;_Z", "_Z;2154;_Z"),
	}), 2, 0, "SELECT attrs->>'type' AS type, attrs->>'name' AS name FROM geo.enrich_facility", "B105|BON MARCHE\nF101|"})
}

// Of the two pairs of coordinates of a structure either may be the one in degrees, and the
// address of its premises need not be the first.
func TestHealthPlusAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	x, y := b.Lambert93(2.4812, 48.9012)
	metres, asMetres := fmt.Sprintf(`"coordonneeX":"%.2f","coordonneeY":"%.2f"`, y, x), fmt.Sprintf(`"directionLongitude":"%.2f","directionLatitude":"%.2f"`, x, y)
	const (
		degrees    = `"directionLongitude":"2.4812","directionLatitude":"48.9012"`
		inDegrees  = `"coordonneeX":"2.4812","coordonneeY":"48.9012"`
		turned     = `"coordonneeX":"48.9012","coordonneeY":"2.4812"`
		mayotte    = `"coordonneeX":"8587194.7","coordonneeY":"524819.9","directionLongitude":"45.23","directionLatitude":"-12.78"`
		elsewhere  = `"coordonneeX":"0","coordonneeY":"0","directionLongitude":"12.5","directionLatitude":"41.9"`
		number     = `,"cleInInteropBAN":"93010_1_00012"`
		ofCommune  = `,"cleInInteropBAN":"93010"`
		noPosition = `"coordonneeX":"","coordonneeY":"","directionLongitude":"","directionLatitude":""`
	)
	address := func(use, coordinates string) string {
		return fmt.Sprintf(`{"usageAdresse":%q,"cogCommune":"93010","coordonneesGeographique":{%s}}`, use, coordinates)
	}
	var all []string
	structure := func(closed, state string, addresses ...string) {
		all = append(all, fmt.Sprintf(`{"informationsGeneralesEGE":{"numFinessEge":"9300000%02d","nomEgeLong":"PHARMACIE"%s},`+
			`"categorieentiteGeographiqueExercice":"620","etatObjet":%q,"adresse":[%s]}`, len(all), closed, state, strings.Join(addresses, ",")))
	}
	structure("", "A", address("03", degrees+","+metres+number))
	structure("", "A", address("03", asMetres+","+inDegrees+number))
	structure("", "A", address("03", asMetres+","+turned))
	structure("", "A", address("06", elsewhere), address("03", degrees+","+metres))
	structure("", "A", address("03", mayotte))
	structure("", "A", address("03", degrees+","+metres+ofCommune)) // 05: the middle of the commune
	structure("", "A", address("03", noPosition), address("06", degrees))
	structure("", "A", address("03", elsewhere))
	structure(`,"dateFermeture":"2026-01-31"`, "A", address("03", degrees))
	structure("", "I", address("03", degrees))
	for range 40 { // one rejected row in a few would be too many
		structure("", "A", address("03", metres))
	}
	b.loadsAsServed(asServed{"finess-plus", "finess-structures-journalier-20260905.json.gz", loadkit.Zipped(
		`{"generatedAt":"2026-09-05","schemaVersion":"v1.0.0","pmej":[{"etatObjet":"A","adresse":[],"ege":[` + strings.Join(all, ",") + `]}],"gco":[],"gcc":[]}`),
		45, 1, `SELECT min(id) AS first, count(*) AS n, round(ST_X(geom)::numeric, 3) AS lon, round(ST_Y(geom)::numeric, 3) AS lat
			FROM geo.enrich_health GROUP BY 3, 4`, "930000000|44|2.481|48.901\n930000004|1|45.230|-12.780"})
}

// Results of lycées come with technical names or with labels, and their year as a number or a day.
func TestSchoolResultsAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const query = "SELECT part, id, attrs->>'successRatePct' AS rate, attrs->>'session' AS session FROM geo.enrich_school_result WHERE part = "
	b.loadsAsServed(
		asServed{"school-results-lycees", "fr-en-indicateurs-de-resultat-des-lycees-gt_v2.csv",
			"\ufeffannee;uai;libelle_uai;secteur;code_commune;libelle_commune;presents_total;taux_reu_total;va_reu_total\n" +
				"2024;0930001A;LYCEE DE L'ESSAI;public;93010;BONDY;200;90;1\n2025;0930001A;LYCEE DE L'ESSAI;public;93010;BONDY;210;92;2\n",
			1, 0, query + "'school-results-lycees'", "school-results-lycees|0930001A|92|2025"},
		asServed{"school-results-lycees", "fr-en-indicateurs-de-resultat-des-lycees-gt_v2.csv",
			"\ufeffUAI;Année;Etablissement;Secteur;Taux de reussite - Toutes series\n0930001A;2025;LYCEE DE L'ESSAI;public;93\n",
			1, 0, query + "'school-results-lycees'", "school-results-lycees|0930001A|93|2025"},
		asServed{"school-results-lycees-pro", "fr-en-indicateurs-de-resultat-des-lycees-pro_v2.csv",
			"annee;uai;taux_reu_total\n2025-01-01T00:00:00+00:00;0930002B;81\n",
			1, 0, query + "'school-results-lycees-pro'", "school-results-lycees-pro|0930002B|81|2025"},
	)
}
