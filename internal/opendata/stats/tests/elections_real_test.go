package stats_test

import (
	"bufio"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
)

// The files at hand are loaded whole: their totals are those of the tables, and
// figures read by hand are those of the answers.
func TestRealElections(t *testing.T) {
	d := realData(t)
	b := &fixture{t: t}
	b.db, _, _ = loadkit.Box(t) // sums are asked of the tables
	for what, c := range map[string]struct {
		sql  string
		want int
	}{
		// Without the 45 rows of sectors, which repeat a part of Paris, Lyon and Marseille.
		"municipal 2026, registered": {`SELECT sum(registered) FROM geo.election_turnout WHERE level = 'commune' AND election = '2026_muni_t1'`, 48474213},
		"municipal 2026, voters":     {`SELECT sum(voters) FROM geo.election_turnout WHERE level = 'commune' AND election = '2026_muni_t1'`, 27678488},
		"municipal 2026, communes":   {`SELECT count(*) FROM geo.election_turnout WHERE level = 'commune' AND election = '2026_muni_t1'`, 34836},
		"municipal 2026, the three cities once": {`SELECT sum(registered) FROM geo.election_turnout WHERE level = 'commune' AND election = '2026_muni_t1'
			AND code ~ '^(75|132|6938|13055|69123)'`, 1405332 + 555399 + 321176},
		"presidential 2017, expressed": {`SELECT expressed FROM geo.election_turnout WHERE level = 'nation' AND election = '2017_pres_t1'`, 36054394},
		"presidential 2017, votes":     {`SELECT sum(votes) FROM geo.election_result WHERE level = 'nation' AND election = '2017_pres_t1'`, 36054394},
		// The column Exprimés of the workbook, added up.
		"presidential 2022, expressed": {`SELECT expressed FROM geo.election_turnout WHERE level = 'nation' AND part = 'election-presidentielle-2022-departements'`, 35132947},
		"legislative 2024, expressed":  {`SELECT expressed FROM geo.election_turnout WHERE level = 'nation' AND election = '2024_legi_t1'`, 32060277},
		// 34 921 mayors, less those of communes that were merged since.
		"no mayor twice": {`SELECT count(*) - count(DISTINCT commune) FROM geo.mayor`, 0},
	} {
		var got int
		if err := b.db.QueryRow(t.Context(), c.sql).Scan(&got); err != nil || got != c.want {
			t.Errorf("%s: %d, expected %d (%v)", what, got, c.want, err)
		}
	}
	t.Run("2017 accounted for", func(t *testing.T) { accounted(t, b) })
	t.Run("municipal 2026", func(t *testing.T) { municipalShares(t, d) })
	figures(t, d)
}

// accounted explains each vote expressed in 2017 that no commune of today has: those of the French abroad, of
// Wallis-et- Futuna, and of communes that gave territory away or of whose parts not all are in the file.
func accounted(t *testing.T, b *fixture) {
	codes, expressed := column2017(t, "elections/presidentielle-2017-t1-communes.csv.gz")
	var stored, outside, changed, total int64
	err := b.db.QueryRow(t.Context(), `
		WITH file AS (SELECT * FROM unnest($1::text[], $2::int[]) f(code, expressed)),
		placed AS (SELECT f.*, t.today, e.code IS NOT NULL AS stored
			FROM (SELECT * FROM file OFFSET 0) f
			CROSS JOIN LATERAL (SELECT geo.commune_today(CASE left(f.code, 3) WHEN 'ZA1' THEN '971' WHEN 'ZB2' THEN '972' WHEN 'ZC3' THEN '973' WHEN 'ZD4' THEN '974'
				WHEN 'ZM5' THEN '976' WHEN 'ZS5' THEN '975' WHEN 'ZX7' THEN '977' WHEN 'ZX8' THEN '978' WHEN 'ZN8' THEN '988' WHEN 'ZP0' THEN '987'
				ELSE left(f.code, 3) END || substr(f.code, 4)) AS today) t
			LEFT JOIN geo.election_turnout e ON e.part = 'election-presidentielle-2017-communes' AND e.level = 'commune' AND e.code = t.today)
		SELECT (SELECT sum(expressed) FROM geo.election_turnout WHERE part = 'election-presidentielle-2017-communes' AND level = 'commune'),
			coalesce(sum(expressed) FILTER (WHERE code ~ '^Z[WZ]'), 0), coalesce(sum(expressed) FILTER (WHERE NOT stored AND today IN
				(SELECT c.code FROM geo.commune_changes('2017-01-01') c WHERE c.split OR c.pieces > 1)), 0), sum(expressed) FROM placed`,
		codes, expressed).Scan(&stored, &outside, &changed, &total)
	testkit.NoError(t, err)
	t.Logf("communes %d, abroad and Wallis-et-Futuna %d, changed communes %d, file %d", stored, outside, changed, total)
	if outside != 554119+5348 || stored+outside+changed != total || total != 36054394 {
		t.Errorf("%d + %d + %d is not %d", stored, outside, changed, total)
	}
}

func column2017(t *testing.T, path string) (codes []string, expressed []int) {
	t.Helper()
	lines := bufio.NewScanner(readBox(t, path))
	lines.Scan()
	for lines.Scan() {
		cells := strings.Split(lines.Text(), ";")
		n := testkit.Must(strconv.Atoi(cells[3]))(t)
		codes, expressed = append(codes, cells[0]), append(expressed, n)
	}
	testkit.NoError(t, lines.Err())
	return codes, expressed
}

// figures compares answers with what stands in the files: m26 is municipales-2026-t1-communes.jsonl, p17
// presidentielle-2017-t1-communes.csv, d17 and d22
// presidentielle-2017/2022-t2-departements.csv, l24 legislatives-2024-circonscriptions-candidats.csv, rne
// rne-maires.csv; the number is that of the line, the header being the first where there is one.
func figures(t *testing.T, d *stats.Data) {
	for _, c := range []struct {
		where       string
		level       stats.Level
		code, key   string
		has, hasNot string
	}{
		{"m26:29123 inscrits, votants, exprimes", stats.Commune, "75056", "election", `"municipal":{"year":2026,`, ""},
		{"m26:29123 inscrits, votants", stats.Commune, "75056", "election", `"registered":1405332,"voters":827599,"turnoutPct":58.89,"blank":7027,"spoiled":5124,"expressed":815448`, ""},
		{"m26:26976 voix of numero 1", stats.Commune, "69123", "election", `"nuance":"LUG","bloc":"left","votes":76318,"sharePct":37.36,"seats":null`, ""},
		{"m26:4332 inscrits, votants", stats.Commune, "13055", "election", `"registered":555399,"voters":289781`, ""},
		{"m26:34771 voix, siegesCM of numero 2", stats.Commune, "97411", "election", `"nuance":"LRN","bloc":"farRight","votes":3306,"sharePct":6.76,"seats":2`, ""},
		{"m26:10491 voix of numero 1", stats.Commune, "2A004", "election", `{"list":"AIACCIU VIVU","nuance":"LREG","bloc":null,"votes":6169,"sharePct":26.73`, ""},
		{"m26:4842, commune nouvelle", stats.Commune, "14654", "election", `{"list":"ENSEMBLE","nuance":"LDVC","bloc":"centre","votes":1471,"sharePct":48.84,"seats":null`, ""},
		{"m26:9133 nuls -1", stats.Commune, "26242", "election", `"blank":1,"spoiled":null,"expressed":15`, ""},
		{"p17:29622 nb_voix3", stats.Commune, "75056", "election", `"name":"Emmanuel MACRON","party":"En marche","nuance":null,"bloc":"centre","votes":375006,"sharePct":34.83`, ""},
		{"p17:4384 nb_voix2", stats.Commune, "13055", "election", `"votes":90847,"sharePct":24.82`, ""},
		{"p17:10698 nb_voix1", stats.Commune, "2A004", "election", `"name":"Marine LE PEN","party":"Front national","nuance":null,"bloc":"farRight","votes":7173,"sharePct":30.56`, ""},
		{"p17:35375 ZD411 nb_voix7", stats.Commune, "97411", "election", `"votes":4333,"sharePct":7.36`, ""},
		{"p17:35399 ZM511 nb_inscrits, nb_votants", stats.Commune, "97611", "election", `"registered":14268,"voters":6284,"turnoutPct":44.04,"blank":180,"spoiled":290,"expressed":5814`, ""},
		{"p17: 15141 gave Celles back", stats.Commune, "15141", "election", `"presidential":null`, "2017_pres"},
		{"d22:21 LE PEN", stats.Departement, "2A", "election", `"votes":36595,"sharePct":58.31`, ""},
		{"d22:101 ZD MACRON", stats.Departement, "974", "election", `"votes":147270,"sharePct":40.43`, ""},
		{"l24:785-798 NbVoix of RN: 10377 + 13620", stats.Departement, "2A", "election", `"nuance":"RN","bloc":"farRight","votes":23997,"sharePct":33.3`, ""},
		{"rne:29168", stats.Commune, "75056", "maire", `"firstName":"Anne","lastName":"HIDALGO","gender":"F","birthYear":null,"occupation":"Personnel des services directs aux particuliers","mandateStart":"2020-06-28","functionStart":"2020-07-03","mandate":"2020-2026","mandateOver":true,"list":null,"asOf":"2022-01-27"`, "1959-06"},
		{"rne:10509", stats.Commune, "2A004", "maire", `"lastName":"MARCANGELI"`, "12/1980"},
		{"rne:34755", stats.Commune, "97411", "maire", `"lastName":"BAREIGTS","gender":"F","birthYear":null`, ""},
		// One election a commune, two in départements; 2A in 2024: 67.7 % of the votes have a place.
		{"p17 alone", stats.Commune, "93010", "politicalScore", `"elections":[{"electionId":"2017_pres_t1","score":-0.016,"weight":1,"coverage":0.975,"expressed":17554}],"nationalValue":0.218`, ""},
		{"2022 and 2024", stats.Departement, "2A", "politicalScore", `{"electionId":"2024_legi_t1","score":null,"weight":null,"coverage":0.677,"expressed":72066}`, ""},
		{"2022 and 2024", stats.Region, "11", "politicalScore", `{"electionId":"2024_legi_t1","score":0.056,"weight":0.375`, ""},
		{"no 2012", stats.Commune, "75056", "presidentialWave", `null`, "{"},
		{"2026 alone", stats.Commune, "75056", "municipalWave", `null`, "{"},
	} {
		got := blockOf(t, d, c.level, c.code, c.key)
		if !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) {
			t.Errorf("%s: %s of %s is %.1500s\nwithout %s, or with %s", c.where, c.key, c.code, got, c.has, c.hasNot)
		}
	}
}

// lineOf2026 is a commune, or a sector of one, of municipales-2026-t1-communes.jsonl.
type lineOf2026 struct {
	Code      string  `json:"codeCommune"`
	Sector    *string `json:"sectorCode"`
	Expressed int     `json:"exprimes"`
	Lists     []struct {
		Votes int `json:"voix"`
	} `json:"candidats"`
}

// municipalShares works the shares of all lists out again from the file: no commune whose votes are more than
// those expressed has any, as the 14 that the file has, and all others have the share of each list.
func municipalShares(t *testing.T, d *stats.Data) {
	overfull, served := 0, 0
	for _, line := range linesOf2026(t) {
		if d.Place(string(stats.Commune), line.Code) == nil {
			continue // merged since, or not of a département
		}
		var got struct {
			Municipal *stats2026
		}
		if err := json.Unmarshal([]byte(blockOf(t, d, stats.Commune, line.Code, "election")), &got); err != nil || got.Municipal == nil || got.Municipal.Expressed != line.Expressed {
			continue // merged or split since
		}
		votes, known, total := 0, 0, 0.0
		for _, l := range line.Lists {
			votes += l.Votes
		}
		for _, r := range got.Municipal.Results {
			if r.SharePct == nil {
				continue
			}
			known, total = known+1, total+*r.SharePct
			if want := 100 * float64(r.Votes) / float64(line.Expressed); math.Abs(want-*r.SharePct) > 0.00501 {
				t.Errorf("%s: %d votes of %d are %v %%, expected %.3f", line.Code, r.Votes, line.Expressed, *r.SharePct, want)
			}
		}
		switch {
		case votes > line.Expressed:
			if overfull++; known > 0 {
				t.Errorf("%s: %d votes of %d expressed, and %d shares", line.Code, votes, line.Expressed, known)
			}
		case line.Expressed > 0:
			if served++; known != len(got.Municipal.Results) || total > 100.01+0.005*float64(known) {
				t.Errorf("%s: %d shares of %d lists add up to %.2f %%", line.Code, known, len(got.Municipal.Results), total)
			}
		}
	}
	if overfull != 14 || served < 34_000 {
		t.Errorf("%d communes with too many votes, expected 14, and %d others", overfull, served)
	}
}

type stats2026 struct {
	Expressed int
	Results   []struct {
		Votes    int
		SharePct *float64
	}
}

func linesOf2026(t *testing.T) (out []lineOf2026) {
	t.Helper()
	lines := bufio.NewScanner(readBox(t, "elections/municipales-2026-t1-communes.jsonl.gz"))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one lineOf2026
		testkit.NoError(t, json.Unmarshal(lines.Bytes(), &one))
		if one.Sector == nil {
			out = append(out, one)
		}
	}
	testkit.NoError(t, lines.Err())
	return out
}
