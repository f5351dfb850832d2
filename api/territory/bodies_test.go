package territory_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/tidwall/gjson"

	"arpent/api/territory"
	"arpent/internal/opendata/stats"
)

// loadAfter loads the miniature again after a statement.
func loadAfter(t *testing.T, pool *pgxpool.Pool, statement string) *territory.Snapshot {
	t.Helper()
	if _, err := pool.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	snap, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// A caller reads of a département or région which commune is its préfecture, and of a commune whether it is
// one; null where the loaded files do not say, which is not the same as none.
func TestChefsLieux(t *testing.T) {
	t.Parallel()
	snap, pool := loadFixture(t)
	check := func(snap *territory.Snapshot, want [4]string) {
		t.Helper()
		region, err := snap.Region("11", territory.Include{})
		if err != nil {
			t.Fatal(err)
		}
		departement, err := snap.Departement("93", territory.Include{})
		if err != nil {
			t.Fatal(err)
		}
		got := [4]string{gjson.GetBytes(region.Body, "chefLieu").Raw,
			gjson.GetBytes(departement.Body, "chefLieu").Raw}
		for i, code := range []string{"75056", "93010"} {
			commune, err := snap.Commune(code, territory.Include{})
			if err != nil {
				t.Fatal(err)
			}
			got[2+i] = gjson.GetBytes(commune.Body, "chefLieuOf").Raw
		}
		if got != want {
			t.Errorf("the chefs-lieux are %q, want %q", got, want)
		}
	}
	check(snap, [4]string{"null", "null", "null", "null"})
	snap = loadAfter(t, pool, `UPDATE geo.region SET chef_lieu = CASE code WHEN '11' THEN '75056' WHEN '04' THEN '97411' END;
UPDATE geo.departement SET chef_lieu = CASE code WHEN '75' THEN '75056' WHEN '93' THEN '93008' WHEN '974' THEN '97411' END`)
	check(snap, [4]string{`{"name":"Paris","codeInsee":"75056"}`, `{"name":"Bobigny","codeInsee":"93008"}`,
		`[{"kind":"departement","code":"75","name":"Paris"},{"kind":"region","code":"11","name":"Île-de-France"}]`, "[]"})
	if town, err := snap.Commune("75118", territory.Include{}); err != nil ||
		gjson.GetBytes(town.Body, "chefLieuOf").Raw != "[]" {
		t.Errorf("an arrondissement of a chef-lieu: %v %s", err, town.Body)
	}
	if of := snap.ChefLieuOf(stats.Departement, "974"); of == nil || of.CodeInsee != "97411" {
		t.Errorf("the chef-lieu of an overseas département is %v", of)
	}
}

// A caller that knows an intercommunal body by its number or name gets its communes in one call, of several
// départements too, and never those of another body.
func TestCommunesOfIntercommunalBodies(t *testing.T) {
	t.Parallel()
	snap, pool := loadFixture(t)
	if _, err := snap.CommunesOfBody("200054781"); err == nil ||
		!strings.Contains(err.Error(), "is loaded on this server") {
		t.Errorf("without a list of bodies: %v", err)
	}
	snap = loadAfter(t, pool, `INSERT INTO geo.stat_fact (part, level, code, kind, period, attrs)
SELECT part, 'commune', commune, kind, '', jsonb_build_object('code', body, 'name', name) FROM (VALUES
	('cog-epci-communes', '93010', 'areas.epci', '200054781', 'Métropole du Grand Paris'),
	('cog-epci-communes', '75056', 'areas.epci', '200054781', 'Métropole du Grand Paris'),
	('cog-ept-communes', '93010', 'areas.ept', '200057875', 'Est Ensemble'),
	('cog-epci-communes', '93008', 'areas.epci', '200000001', 'CC du Grand Val'),
	('cog-epci-communes', '93001', 'areas.epci', '200000002', 'CA Le Grand Val et Seine'),
	('cog-epci-communes', '99999', 'areas.epci', '200000002', 'CA Le Grand Val et Seine')) v (part, commune, kind, body, name)`)
	for code, want := range map[string]string{
		"200054781": `{"count":2,"data":[{"name":"Paris","codeInsee":"75056"},{"name":"Bondy","codeInsee":"93010"}],"epci":{"code":"200054781","name":"Métropole du Grand Paris","communes":2,"population":null}}`,
		"200057875": `{"count":1,"data":[{"name":"Bondy","codeInsee":"93010"}],"epci":{"code":"200057875","name":"Est Ensemble","communes":1,"population":null}}`,
		"200000002": `{"count":1,"data":[{"name":"L'Enclave","codeInsee":"93001"}],"epci":{"code":"200000002","name":"CA Le Grand Val et Seine","communes":1,"population":null}}`,
	} {
		if got, err := snap.CommunesOfBody(code); err != nil || string(got.Body) != want {
			t.Errorf("the communes of %s are %s, %v, want %s", code, got.Body, err, want)
		}
	}
	if _, err := snap.CommunesOfBody("123456789"); err == nil ||
		!strings.Contains(err.Error(), "No intercommunal body has code 123456789.") {
		t.Errorf("an unknown body: %v", err)
	}
	for text, want := range map[string]string{
		"grand paris": "200054781", "Métropole du Grand-Paris": "200054781", "Communauté de communes du Grand Val": "200000001",
		"Val et Seine": "200000002", "est ensemble": "200057875",
		"Grand": "", "Communauté de communes": "", "Atlantis": "", "": "",
	} {
		if got, _ := snap.BodyNamed(text); got != want {
			t.Errorf("%q is read as body %q, want %q", text, got, want)
		}
	}
	if got := snap.PointToBody("Métropole du grand Paris"); !strings.Contains(got, "/communes?epci=200054781") || snap.PointToBody("Grand") != "" {
		t.Errorf("the name of a body is described by %q", got)
	}
	if got, want := snap.DescribeBodyName("Grand"), "3 intercommunal bodies have it in their name: CC du Grand Val (200000001), CA Le Grand Val et Seine (200000002), Métropole du Grand Paris (200054781)."; got != want {
		t.Errorf("several bodies are described by %q, want %q", got, want)
	}
}

// A caller that looks for a commune of the past in the list of its département reads what became of it,
// rather than that there is none.
func TestListsPointToFormerCommunes(t *testing.T) {
	t.Parallel()
	_, pool := loadFixture(t)
	snap := loadAfter(t, pool, `INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after) VALUES
	(32, '2016-01-01', 'COM', '93011', 'Saint-Martin-du-Val', 'COM', '93010', 'Bondy'),
	(32, '2016-01-01', 'COM', '93010', 'Bondy', 'COM', '93010', 'Bondy')`)
	for name, want := range map[string]string{
		"st martin":   "Former communes are not in this list: Saint-Martin-du-Val (93011) is part of Bondy (93010) since 2016-01-01.",
		"Bondy":       "", // it has the name of the one that it was
		"Sans-Contou": "",
	} {
		list, err := snap.CommunesOf("93", name)
		if err != nil {
			t.Fatal(err)
		}
		if got := gjson.GetBytes(list.Body, "note").Str; got != want {
			t.Errorf("the list of %q has the note %q, want %q", name, got, want)
		}
	}
	if list, err := snap.CommunesOf("75", "st martin"); err != nil ||
		strings.Contains(string(list.Body), "93011") {
		t.Errorf("another département names the former commune: %v %s", err, list.Body)
	}
}

// The answer names the communes that touch one, at a corner too and around an enclave, and has no empty list
// where outlines are not loaded.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	snap, pool := loadFixture(t)
	const missing = `"reason":"Communes of départements whose outlines are not loaded on this server are missing."`
	check := func(snap *territory.Snapshot, code, want string) {
		t.Helper()
		answer, err := snap.Commune(code, territory.Include{Neighbours: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := gjson.GetBytes(answer.Body, "neighbours").Raw; got != want {
			t.Errorf("the neighbours of %s are %s, want %s", code, got, want)
		}
	}
	check(snap, "93010", `{"count":3,"communes":[{"name":"Bobigny","codeInsee":"93008"},{"name":"L'Enclave","codeInsee":"93001"},{"name":"Paris","codeInsee":"75056"}],"state":"value",`+missing+`}`)
	check(snap, "93001", `{"count":1,"communes":[{"name":"Bondy","codeInsee":"93010"}],"state":"value",`+missing+`}`)
	check(snap, "93099", `{"count":null,"communes":null,"state":"not_loaded","reason":"No outline of it is loaded on this server."}`)
	snap = loadAfter(t, pool, `INSERT INTO geo.departement_contour (code, geom, area_km2) SELECT '2A', geom, 1 FROM geo.commune_contour WHERE code = '2A004';
INSERT INTO geo.arrondissement_contour (code, geom, area_km2) VALUES
	('75101', 'SRID=4326;MULTIPOLYGON(((0 4,4 4,4 6,0 6,0 4)))', 50), ('75118', 'SRID=4326;MULTIPOLYGON(((0 6,4 6,4 8,0 8,0 6)))', 50)`)
	check(snap, "2A004", `{"count":0,"communes":[],"state":"none","reason":"No outline touches that of the commune."}`)
	check(snap, "75118", `{"count":1,"communes":[{"name":"Paris 1er Arrondissement","codeInsee":"75101"}],"state":"value"}`)
	check(snap, "75101", `{"count":3,"communes":[{"name":"Bobigny","codeInsee":"93008"},{"name":"Bondy","codeInsee":"93010"},{"name":"Paris 18e Arrondissement","codeInsee":"75118"}],"state":"value"}`)
	if plain, err := snap.Commune("93010", territory.Include{}); err != nil ||
		strings.Contains(string(plain.Body), "neighbours") {
		t.Errorf("neighbours that were not asked for: %v %s", err, plain.Body)
	}
}
