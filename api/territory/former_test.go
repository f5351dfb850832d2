package territory_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/tidwall/gjson"

	"arpent/api/territory"
	"arpent/app/dev/loadkit"
)

// formerOf is the member formerCommunes of a commune.
func formerOf(t *testing.T, snap *territory.Snapshot, code string) gjson.Result {
	t.Helper()
	answer, err := snap.Commune(code, territory.Include{})
	if err != nil {
		t.Fatal(err)
	}
	return gjson.GetBytes(answer.Body, "formerCommunes")
}

// A caller with the code or the name of a commune of the past finds what it is a part of today, and reads for
// a commune of today which ones it is made of: by whatever way, but not those that are communes again.
func TestFormerCommunes(t *testing.T) {
	t.Parallel()
	snap, pool := loadFixture(t)
	if got := formerOf(t, snap, "93010").Raw; got != "null" {
		t.Errorf("without movements: %s", got)
	}
	if _, err := pool.Exec(t.Context(), `
INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after) VALUES
	-- Bondy is a commune nouvelle that took the code of its largest part, and had another commune in it before.
	(33, '1972-01-01', 'COM', '93012', 'Le Val', 'COM', '93011', 'Vieux-Bondy'),
	(32, '2017-01-01', 'COM', '93010', 'Bondy-Ville', 'COM', '93010', 'Bondy'),
	(32, '2017-01-01', 'COM', '93010', 'Bondy-Ville', 'COMD', '93010', 'Bondy-Ville'),
	(32, '2017-01-01', 'COM', '93011', 'Vieux-Bondy', 'COM', '93010', 'Bondy'),
	-- A later extension does not make another former commune of it.
	(32, '2019-01-01', 'COM', '93010', 'Bondy', 'COM', '93010', 'Bondy'),
	(32, '2019-01-01', 'COM', '93013', 'La Plaine', 'COM', '93010', 'Bondy'),
	-- L'Enclave was in Bondy, and is a commune again; 93014 was restored and merged again.
	(31, '1960-01-01', 'COM', '93001', 'L''Enclave', 'COM', '93010', 'Bondy-Ville'),
	(21, '1980-01-01', 'COM', '93010', 'Bondy-Ville', 'COM', '93001', 'L''Enclave'),
	(21, '1980-01-01', 'COM', '93010', 'Bondy-Ville', 'COM', '93010', 'Bondy-Ville'),
	(31, '1950-01-01', 'COM', '93014', 'Les Prés', 'COM', '93010', 'Bondy-Ville'),
	(21, '1955-01-01', 'COM', '93010', 'Bondy-Ville', 'COM', '93014', 'Les Prés'),
	(31, '1965-01-01', 'COM', '93014', 'Les Prés', 'COM', '93001', 'L''Enclave'),
	(10, '1998-01-04', 'COM', '93008', 'Bobigny-lès-Bondy', 'COM', '93008', 'Bobigny'),
	-- Bobigny had another code, and then the same again.
	(31, '1961-01-01', 'COM', '75998', 'Le Fort', 'COM', '75008', 'Bobigny'),
	(41, '1968-01-01', 'COM', '75008', 'Bobigny', 'COM', '93008', 'Bobigny'),
	(50, '2021-01-01', 'COM', '93008', 'Bobigny', 'COM', '93009', 'Bobigny'),
	(30, '2022-01-01', 'COM', '93097', 'Le Reste', 'COM', '93009', 'Bobigny'),
	(30, '2022-01-01', 'COM', '93097', 'Le Reste', 'COM', '93099', 'Sans-Contour'),
	(50, '2023-01-01', 'COM', '93009', 'Bobigny', 'COM', '93008', 'Bobigny'),
	-- La Saline was divided.
	(21, '1995-01-01', 'COM', '93008', 'La Saline', 'COM', '93001', 'L''Enclave'),
	-- On one day another commune changed its code and merged.
	(31, '1990-01-01', 'COM', '92001', 'Le Pont', 'COM', '92002', 'La Rive'),
	-- Before, it merged with another one into a commune of its code and another name, which is renamed.
	(31, '1992-01-01', 'COM', '92002', 'La Rive', 'COM', '92002', 'La Rive-le-Gué'),
	(31, '1992-01-01', 'COM', '92003', 'Le Gué', 'COM', '92002', 'La Rive-le-Gué'),
	(10, '1994-01-01', 'COM', '92002', 'La Rive-le-Gué', 'COM', '92002', 'La Rive'),
	-- What L'Enclave merged with is a commune again.
	(33, '1985-01-01', 'COM', '93001', 'L''Enclave', 'COM', '93001', 'L''Enclave-le-Haut'),
	(33, '1985-01-01', 'COM', '93020', 'Le Haut', 'COM', '93001', 'L''Enclave-le-Haut'),
	(21, '1988-01-01', 'COM', '93001', 'L''Enclave-le-Haut', 'COM', '93020', 'Le Haut'),
	(21, '1988-01-01', 'COM', '93001', 'L''Enclave-le-Haut', 'COM', '93001', 'L''Enclave'),
	(41, '1999-01-01', 'COM', '92002', 'La Rive', 'COM', '93096', 'La Rive'),
	(32, '1999-01-01', 'COM', '93096', 'La Rive', 'COM', '97411', 'Saint-Denis'),
	(10, '2020-01-01', 'COM', '93099', 'Avec-Contour', 'COM', '93099', 'Sans-Contour');
UPDATE geo.commune SET former_codes = '{93013}' WHERE code = '93010'`); err != nil {
		t.Fatal(err)
	}
	snap, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"93010": "2019-01-01 93013 La Plaine newCommune null, 2017-01-01 93010 Bondy-Ville newCommune null, 2017-01-01 93011 Vieux-Bondy newCommune null, " +
			`1972-01-01 93012 Le Val association "93011"`,
		"93001": "1965-01-01 93014 Les Prés merger null",
		"93008": `2022-01-01 93097 Le Reste division "93009", 1961-01-01 75998 Le Fort merger "75008"`,
		"93099": "2022-01-01 93097 Le Reste division null",
		"97411": `1999-01-01 93096 La Rive newCommune null, 1992-01-01 92002 La Rive merger "92002", 1992-01-01 92003 Le Gué merger "92002", ` +
			`1990-01-01 92001 Le Pont merger "92002"`,
		"2A004": "",
	} {
		list := formerOf(t, snap, code)
		var all []string
		for _, one := range list.Array() {
			all = append(all, strings.Join([]string{one.Get("date").Str, one.Get("code").Str, one.Get("name").Str, one.Get("kind").Str, one.Get("into").Raw}, " "))
		}
		if got := strings.Join(all, ", "); got != want || !list.IsArray() {
			t.Errorf("%s: %s\nwant %s", code, got, want)
		}
	}
	const part = "This was a commune that is part of "
	for name, want := range map[string][2]string{
		"Vieux-Bondy":       {"93010", part + "Bondy (93010) now: the answer is on all of that commune."},
		"VIEUX BONDY 93":    {"93010", part + "Bondy (93010) now: the answer is on all of that commune."},
		"La Plaine":         {"93010", part + "Bondy (93010) now: the answer is on all of that commune."},
		"Le Val":            {"93010", part + "Bondy (93010) now: the answer is on all of that commune."},
		"Vieux-Bondy 75":    {"", ""},
		"Bobigny-les-Bondy": {"93008", "This name is a former one of Bobigny (93008)."},
		"Le Reste": {"", "Communes of this name are parts of Bobigny (93008), Sans-Contour (93099) now; add the code of the " +
			"département to the name."},
		"L'Enclave": {"93001", ""},
		"saline":    {"", "A commune of this name was divided: its territory is in Bobigny (93008), L'Enclave (93001) now."},
	} {
		code, ok := snap.CommuneNamed(name)
		if said := snap.DescribeNamesakes(name); code != want[0] || ok != (want[0] != "") || said != want[1] {
			t.Errorf("%s: %q, %q", name, code, said)
		}
	}
	const recoded = "93009 is no code of a commune any more: it was that of Bobigny (93008) until 2023-01-01."
	if _, err := snap.Commune("93009", territory.Include{}); err == nil || !strings.Contains(err.Error(), recoded) {
		t.Errorf("a code that a commune had: %v", err)
	}
	const plain = "93013 (La Plaine) is no commune of its own any more; it is part of commune 93010 (Bondy)."
	if _, err := snap.Commune("93013", territory.Include{}); err == nil || !strings.Contains(err.Error(), plain) {
		t.Errorf("the code of a former commune: %v", err)
	}
}

// checkFormerCommunes compares the former communes of France with the two other lists of the code officiel
// géographique: the parts that communes have today, and the codes that were theirs.
func checkFormerCommunes(t *testing.T, b *loadkit.Fixture, snap *territory.Snapshot) {
	rows, err := b.DB.Query(t.Context(), `
		SELECT commune_code, code FROM geo.commune WHERE type IN ('commune-deleguee', 'commune-associee') AND code <> commune_code
		UNION SELECT code, f FROM geo.commune, unnest(former_codes) f WHERE type = 'commune-actuelle'
			AND f NOT IN (SELECT code FROM geo.commune WHERE type IN ('commune-deleguee', 'commune-associee'))
			AND f NOT IN (SELECT code_before FROM geo.commune_movement WHERE kind IN (41, 50)) -- the commune itself had it
		ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	var missing []string
	var commune, former string
	if _, err := pgx.ForEachRow(rows, []any{&commune, &former}, func() error {
		if formerOf(t, snap, commune).Get(`#(code="` + former + `")`).Exists() {
			listed++
		} else {
			missing = append(missing, former+" of "+commune)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d are in the other lists too", listed)
	if listed < 3300 || missing != nil {
		t.Errorf("%d are in the other lists too, but not %v", listed, missing)
	}
	checkMergedNames(t, b, snap)
	for name, want := range map[string]string{"Champigné": "49080", "Gennes 49": "49261", "Châteauneuf-sur-Sarthe": "49080"} {
		if code, _ := snap.CommuneNamed(name); code != want {
			t.Errorf("%s is %q", name, code)
		}
	}
}

// checkMergedNames looks up each commune that ended in a merger since 1943, by the name that it had: it is in
// the list of its commune of today once, with its day. A caller who traces a deed or a family by the names of
// communes would else lose one whose code the new commune took: Champigné is in Les Hauts-d'Anjou.
func checkMergedNames(t *testing.T, b *loadkit.Fixture, snap *territory.Snapshot) {
	rows, err := b.DB.Query(t.Context(), `
		WITH merger AS (SELECT m.*, EXISTS (SELECT FROM geo.commune_movement r WHERE r.kind IN (20, 21)
				AND r.code_after = m.code_before AND r.day > m.day
				AND (r.type_before <> 'COM' OR r.code_before <> r.code_after)) AS undone
			FROM geo.commune_movement m WHERE kind IN (31, 32, 33) AND type_before = 'COM' AND type_after = 'COM')
		SELECT code_before, name_before, name_after, day::text, coalesce(geo.commune_today(code_before), '')
		FROM merger m WHERE NOT undone AND (code_before <> code_after OR name_before <> name_after AND EXISTS (
			SELECT FROM merger o WHERE o.code_after = m.code_after AND o.day = m.day
			AND o.code_before <> o.code_after AND NOT o.undone)) ORDER BY 1, 4`)
	if err != nil {
		t.Fatal(err)
	}
	names, kept := 0, 0
	var missing []string
	var code, name, newName, day, today string
	if _, err := pgx.ForEachRow(rows, []any{&code, &name, &newName, &day, &today}, func() error {
		if territory.FoldName(name) == territory.FoldName(newName) && code == today {
			return nil // as Val-de-Moder, which was Val de Moder until it grew
		}
		found := 0
		for _, one := range formerOf(t, snap, today).Array() {
			if one.Get("code").Str == code && territory.FoldName(one.Get("name").Str) == territory.FoldName(name) {
				found++
			}
		}
		if names++; found != 1 {
			missing = append(missing, code+" "+name+" "+day+" of "+today)
		}
		if code == today {
			kept++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d names, %d of codes that were kept", names, kept); names < 4500 || missing != nil {
		t.Errorf("not once in the list: %d of %d: %v", len(missing), names, missing)
	}
}
