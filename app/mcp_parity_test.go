package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// pair is a call of a tool and the REST request that it stands for.
type pair struct {
	tool, arguments, path string
}

// maker makes calls of one tool: most of its values are good, some are wrong, missing or too many.
type maker struct {
	tool   string
	path   func(values map[string]string) string // REST path without the query
	query  []string                              // parameters that go into the query
	always string                                // include value that every call of the tool has
	values map[string][]string                   // for each parameter, as texts
}

var (
	communes     = []string{"93010", "93008", "2A004", "75056", "97411", "75101", "99999", "9301", "2a004", "", "../x", "é", "93010 ", "930100", "%39", "9'3\"010"}
	departements = []string{"93", "2A", "75", "974", "971", "00", "9", "2a", "", "ABAB", "9 3"}
	regions      = []string{"11", "94", "04", "99", "1", "1111", "x", "-1", ""}
	parcels      = []string{"930100000A0001", "930100000A0002", "75118000AB0003", "930100000A0009", "930100000A0008", "93010", "930100000a0001", "", "99999000AA0001"}
	latitudes    = []string{"48.95", "48.9105", "48.8105", "0", "91", "-91", "NaN", "1e1", "4.89105e1", "x", "", "48,9", "+48.95"}
	longitudes   = []string{"2.55", "2.5105", "2.3105", "55.45", "181", "Inf", "25e-1", "2.45", "", "0x2"}
	queries      = []string{"Bondy", "paris", "Saint-Denis", "93010", "x", "", "   ", strings.Repeat("a", 201), "Île-de-France & co", "a\u0000b", "rue de la \"Paix\" \\"}
	limits       = []string{"1", "5", "20", "0", "21", "-1", "1.5", "x", "+3"}
	anyInclude   = []string{"geometry", "stats", "departements", "communes", "", "nope", "geometry,stats", "geometry, geometry", "Geometry"}
)

func fixed(path string) func(map[string]string) string {
	return func(map[string]string) string { return path }
}

func coded(before, name, after string) func(map[string]string) string {
	return func(v map[string]string) string { return before + url.PathEscape(v[name]) + after }
}

var makers = []maker{
	{"search_address", fixed("/adresses"), []string{"q", "limit", "lat", "lon"}, "", map[string][]string{"q": queries, "limit": limits, "lat": latitudes, "lon": longitudes}},
	{"get_commune", coded("/communes/", "code", ""), nil, "stats", map[string][]string{"code": communes}},
	{"get_departement", coded("/departements/", "code", ""), nil, "stats", map[string][]string{"code": departements}},
	{"get_region", coded("/regions/", "code", ""), nil, "stats", map[string][]string{"code": regions}},
	{"find_commune", fixed("/communes"), []string{"lat", "lon"}, "", map[string][]string{"lat": latitudes, "lon": longitudes}},
	{"list_communes", fixed("/communes"), []string{"departement"}, "", map[string][]string{"departement": departements}},
	{"list_departements", fixed("/departements"), []string{"region"}, "", map[string][]string{"region": regions}},
	{"list_regions", fixed("/regions"), nil, "", nil},
	{"get_parcel_at_point", fixed("/parcelles"), []string{"lat", "lon"}, "", map[string][]string{"lat": latitudes, "lon": longitudes}},
	{"get_parcel", coded("/parcelles/", "idu", ""), nil, "", map[string][]string{"idu": parcels}},
	{"get_parcel_enrichments", coded("/parcelles/", "idu", "/enrichments"), nil, "", map[string][]string{"idu": parcels}},
}

// pick gives a value: one of the first few, which are good, twice as often as any.
func pick(dice *rand.Rand, from []string) string {
	if dice.IntN(3) > 0 {
		return from[dice.IntN(min(3, len(from)))]
	}
	return from[dice.IntN(len(from))]
}

func (m maker) make(dice *rand.Rand) pair {
	arguments, query, values := map[string]any{}, url.Values{}, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(m.values)) {
		value := pick(dice, m.values[name])
		inQuery := slices.Contains(m.query, name)
		if inQuery && dice.IntN(5) == 0 {
			continue // missing
		}
		for !inQuery && value == "" { // that is another path
			value = pick(dice, m.values[name])
		}
		values[name] = value
		arguments[name] = asArgument(dice, value)
		if inQuery {
			query.Set(name, value)
		}
	}
	names := m.include(dice)
	if names != nil {
		arguments["include"] = names
		if len(names) == 1 && dice.IntN(2) == 0 {
			arguments["include"] = names[0]
		}
	}
	if m.always != "" {
		names = append(names, m.always)
	}
	if len(names) > 0 {
		query.Set("include", strings.Join(names, ","))
	}
	if dice.IntN(6) == 0 { // of no consequence, here and there
		arguments["unknown"] = 5
		query.Set("unknown", "5")
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	path := m.path(values)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return pair{m.tool, string(text), "/api/v1" + path}
}

func (m maker) include(dice *rand.Rand) (names []string) {
	if dice.IntN(2) == 0 {
		return nil
	}
	for range 1 + dice.IntN(2) {
		names = append(names, pick(dice, anyInclude))
	}
	return names
}

// asArgument sends what looks like a number as one, half of the time.
func asArgument(dice *rand.Rand, value string) any {
	if dice.IntN(2) == 0 && json.Valid([]byte(value)) && strings.Trim(value, "-0123456789.e") == "" {
		return json.RawMessage(value)
	}
	return value
}

// A tool is its REST operation: whatever it is asked, it gives the same body, or the same error, and counts as much.
func TestToolsAnswerAsREST(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("parity@example.org", "pro")
	if _, err := s.pool.Exec(t.Context(), `UPDATE account.account SET per_minute = 1000000, enrichments_per_minute = 1000000, per_day = 1000000`); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return s.get("/api/v1", "X-API-Key", key).header.Get("X-Quota-Limit") == "1000000" })
	s.untilIndexed(key)
	const seed, inputs = 8, 1000
	dice := rand.New(rand.NewPCG(seed, 0))
	codes := map[string]int{}
	before := used(t, s.get("/api/v1/regions", "X-API-Key", key))
	for i := range inputs {
		p := makers[i%len(makers)].make(dice)
		answer := s.call(key, p.tool, p.arguments)
		rest := s.get(p.path, "X-API-Key", key)
		now := used(t, rest)
		if now != before+2 {
			t.Errorf("input %d: %+v and its REST request count %d, want 2", i, p, now-before)
		}
		before = now
		codes[same(t, i, p, answer, rest)]++
	}
	t.Logf("seed %d: %v", seed, codes)
	if codes["200"] < inputs/4 || codes["400"] < inputs/10 || codes["404"] < inputs/20 {
		t.Errorf("the inputs are one-sided: %v", codes)
	}
}

// same compares the answer of a tool with that of REST, and gives the status.
func same(t *testing.T, i int, p pair, answer rpc, rest response) string {
	t.Helper()
	status := fmt.Sprint(rest.status)
	if answer.status != http.StatusOK || answer.Error != nil || len(answer.Result.Content) == 0 {
		t.Errorf("input %d: %+v: %d %s", i, p, answer.status, answer.body)
		return status
	}
	text := answer.Result.Content[0].Text
	if rest.status == http.StatusOK {
		if answer.Result.IsError || text != string(rest.body) || !bytes.Equal(answer.Result.StructuredContent, rest.body) {
			t.Errorf("input %d: %+v:\n%s\nREST: %s", i, p, answer.body, rest.body)
		}
		return status
	}
	var e struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(rest.body, &e); err != nil {
		t.Fatalf("%s: %v", rest.body, err)
	}
	if !answer.Result.IsError || answer.Result.StructuredContent != nil || !strings.HasPrefix(text, e.Error.Code+": "+e.Error.Message+"\n") {
		t.Errorf("input %d: %+v:\n%s\nREST: %s", i, p, answer.body, rest.body)
	}
	return status
}
