package served_test

import (
	"fmt"
	"testing"
)

// outlined is a feature of the national file of outlines.
func outlined(code, city string, x extent) string {
	return x.Feature(fmt.Sprintf(`"code":"%s","nom":"x","departement":"x","region":"x","epci":"x","plm":false,"commune":%s`, code, city))
}

// nationalOutlines is a file of all communes of the test, with the
// arrondissement 75118 and communes of collectivities.
func nationalOutlines(more ...string) string {
	list := append([]string{
		outlined("93010", "null", extent{2.47, 48.89, 2.49, 48.91}), outlined("75056", "null", extent{2.3, 48.8, 2.4, 48.9}),
		outlined("91001", "null", extent{2.1, 48.3, 2.2, 48.4}), outlined("2A247", "null", extent{9.2, 41.5, 9.3, 41.6}),
		outlined("34172", "null", extent{3.8, 43.6, 3.9, 43.7}), outlined("97411", "null", extent{55.4, -21, 55.5, -20.9}),
		outlined("75118", `"75056"`, extent{2.33, 48.88, 2.36, 48.9}),
		outlined("97502", "null", extent{-56.3, 46.7, -56.2, 46.8}), outlined("98735", "null", extent{-149.6, -17.6, -149.5, -17.5}),
		outlined("98613", "null", extent{-176.2, -13.4, -176.1, -13.3}), outlined("98818", "null", extent{166.4, -22.3, 166.5, -22.2}),
	}, more...)
	return features(list...)
}

// Outlines of the whole country come as one file, with communes, arrondissements and collectivities mixed.
func TestServedOutlines(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	var more []string
	for n := 1; n <= 44; n++ {
		code := fmt.Sprintf("132%02d", n)
		b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
			VALUES ('arrondissement-municipal', $1, 'x', '93', '11', '75056', '{}')`, code)
		more = append(more, outlined(code, `"13055"`, extent{5.3, 43.2, 5.4, 43.3}))
	}
	b.Write("admin/communes-5m-2026.geojson.gz", nationalOutlines(more...))
	out := b.LoadSource("contours-communes")
	loaded(t, out, 6, 0)
	if out.Vintage != "2026" {
		t.Errorf("vintage %q", out.Vintage)
	}
	if got := b.text("SELECT code || ' ' || edition FROM geo.commune_contour WHERE code IN ('93010', '97411') ORDER BY 1"); got !=
		"93010 contours-administratifs-2026\n97411 contours-administratifs-2026" {
		t.Errorf("outlines of %s", got)
	}
	loaded(t, b.LoadSource("contours-arrondissements"), 45, 0)
	if got := b.text("SELECT min(code) || ' ' || max(code) FROM geo.arrondissement_contour"); got != "13201 75118" {
		t.Errorf("arrondissements %s", got)
	}
}

func TestServedAddresses(t *testing.T) {
	t.Parallel()
	const localities = "id;nom_lieu_dit;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat;source_position;source_nom_voie"
	const exchange = "id_ban_commune;id_ban_toponyme;id_ban_adresse;cle_interop;commune_insee;commune_nom;commune_deleguee_insee;commune_deleguee_nom;" +
		"voie_nom;lieudit_complement_nom;numero;suffixe;position;x;y;long;lat;cad_parcelles;source;date_der_maj;certification_commune"
	checkServed(t, []served{
		{"ban-lieux-dits", plain("lieux-dits-beta-france.csv.gz", localities, "93010_b123;La Mare;93140;93010;Bondy;;;1;2;2.48;48.9;commune;commune"),
			"SELECT part || ' ' || name FROM geo.lieu_dit", "ban-lieux-dits La Mare"},
		{"bal", plain("bal-france.csv.gz", exchange, ";;;93010_0010_00001;93010;Bondy;;;Rue du Bois;;1;;entrée;1;2;2.48;48.9;;commune;2026-01-01;1"),
			"SELECT part || ' ' || street FROM geo.adresse_locale", "bal Rue du Bois"},
	})
}

// Of two years of the movements of communes the newer is read, whichever was saved last.
func TestServedMovements(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v_mvt_commune_2026.csv", "v_mvtcommune_2026.csv"} {
		got, scope, vintage := takenBy(name, "cog-movements")
		if !got || scope != "" || vintage != "2026" {
			t.Errorf("%s is taken %v, %q, %q", name, got, scope, vintage)
		}
	}
}
