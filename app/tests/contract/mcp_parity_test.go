package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// pair is a call of a tool and the REST request that it stands for.
type pair struct {
	tool, arguments, path string
}

var (
	// Codes of arrondissements, such as 75101, are read by tools alone.
	communes     = []string{"93010", "93008", "2A004", "75056", "97411", "99999", "9301", "2a004", "", "../x", "é", "93010 ", "930100", "%39", "9'3\"010"}
	departements = []string{"93", "2A", "75", "974", "971", "00", "9", "2a", "", "ABAB", "9 3"}
	regions      = []string{"11", "94", "04", "99", "1", "1111", "x", "-1", ""}
	parcels      = []string{"930100000A0001", "930100000A0002", "75118000AB0003", "930100000A0009", "930100000A0008", "93010", "930100000a0001", "", "99999000AA0001", "93010 a 1"}
	latitudes    = []string{"48.9105", "48.95", "48.8105", "0", "91", "-91", "NaN", "1e1", "4.89105e1", "x", "", "48,9", "+48.95"}
	longitudes   = []string{"2.5105", "2.55", "2.3105", "55.45", "181", "Inf", "25e-1", "2.45", "", "0x2"}
	queries      = []string{"Bondy", "paris", "Saint-Denis", "93010", "x", "", "   ", strings.Repeat("a", 201), "Île-de-France & co", "a\u0000b", "rue de la \"Paix\" \\"}
	limits       = []string{"1", "5", "20", "0", "21", "-1", "1.5", "x", "+3"}
	anyInclude   = []string{"geometry", "stats", "departements", "communes", "", "nope", "geometry,stats", "centre,bbox", "geometry, geometry", "Geometry"}
)

// toolValues are texts for the parameters of tools, by name; those of a code, by the path that it is in. The
// first ones are good in the territory of the tests, others are wrong. A parameter that is not here has the
// example of its declaration, and wrong ones.
var toolValues = map[string][]string{
	"/communes/{code}": communes, "/departements/{code}": departements, "/regions/{code}": regions, "idu": parcels,
	"departement": departements, "region": regions, "lat": latitudes, "lon": longitudes, "q": queries, "address": queries, "limit": limits, "name": {"bo", "SAINT", "é", "", "-", strings.Repeat("a", 101)},
	"maxDistance":   {"0", "10", "50", "", "x", "51", "-1"},
	"minPopulation": {"1", "54000", "0", "x"},
	"codes":         {"93010", "93008,93010", "99999,93010", "x", "93010,"},
	"fields":        {"population", "povertyRate,rankings", "radon", "finances, population", "", "nope", "population,population", "population.total", "election.nope"},
	"theme":         {"population", "risks", "population,services", "weather", ""}, "top": {"2", "1", "1000", "0", "x"},
	"sort": {"population", "rankings.population.value:asc", "povertyRate:desc", "-population", "", "radon", "population:up"},
}

func valuesOf(op *api.Operation, p *api.Param) []string {
	if values := toolValues[op.Path]; p.Name == "code" && values != nil {
		return values
	}
	if values := toolValues[p.Name]; values != nil {
		return values
	}
	return []string{fmt.Sprint(p.Example), "", "x", "é", strings.Repeat("a", 301)}
}

// goodCalls are the arguments of one call of each tool that the territory of the tests answers.
func goodCalls(t *testing.T) map[string]map[string]any {
	t.Helper()
	calls := map[string]map[string]any{}
	for _, tool := range api.Tools() {
		var arguments map[string]any
		testkit.NoError(t, json.Unmarshal([]byte(fixture.OfTerritory.Replace(tool.Example)), &arguments))
		calls[tool.Name] = arguments
	}
	return calls
}

// makePair makes a call of a tool: most of its values are good, some are wrong, missing or too many.
func makePair(t *api.OperationTool, dice *rand.Rand) pair {
	arguments, query, path := map[string]any{}, url.Values{}, t.Operation.Path
	for i := range t.Params {
		p := &t.Params[i]
		value := pick(dice, valuesOf(t.Operation, p))
		// One list of communes excludes the others.
		isOneOf := slices.Contains([]string{"codes", "epci", "region"}, p.Name)
		if p.In == "query" && dice.IntN(5) == 0 || isOneOf && dice.IntN(3) > 0 || p.Values != nil && dice.IntN(2) == 0 {
			if value, ok := t.Defaults[p.Name]; ok { // which the tool gives in its place
				query.Set(p.Name, value)
			}
			continue // missing
		}
		for p.In == "path" && value == "" { // that is another path
			value = pick(dice, valuesOf(t.Operation, p))
		}
		arguments[p.Name] = asArgument(dice, value)
		if p.Read != nil && !p.Valid(value) { // a tool takes what the message of REST proposes
			if means, ok := p.Read(value); ok {
				value = means
			}
		}
		if p.In == "query" {
			query.Set(p.Name, value)
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
	}
	names := someInclude(dice)
	if names != nil {
		arguments["include"] = names
		if len(names) == 1 && dice.IntN(2) == 0 {
			arguments["include"] = names[0]
		}
	}
	if !choosesKeys(arguments) {
		names = append(names, t.Always...)
	}
	if len(names) > 0 {
		query.Set("include", strings.Join(names, ","))
	}
	if dice.IntN(6) == 0 { // of no consequence
		query.Set("unknown", "5")
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return pair{t.Name, string(text), api.Root + path}
}

// choosesKeys reports whether a call names the keys that it wants.
func choosesKeys(arguments map[string]any) bool {
	return arguments["fields"] != nil || arguments["theme"] != nil || arguments["sort"] != nil
}

// pick gives a value: one of the first few, which are good, twice as often as any.
func pick(dice *rand.Rand, from []string) string {
	if dice.IntN(3) > 0 {
		return from[dice.IntN(min(3, len(from)))]
	}
	return from[dice.IntN(len(from))]
}

func someInclude(dice *rand.Rand) (names []string) {
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

// A tool is its REST operation: whatever it is asked, it gives the same body, or of the keys that it was not
// asked for by name the same values, or the same error, and counts as much.
func TestToolsAnswerAsREST(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("parity@example.org", "pro")
	s.Limit(key, 1_000_000)
	s.UntilIndexed(key)
	const seed, inputs = 8, 100 // of each tool
	codes := map[string]int{}
	before := s.Get("/api/v1/regions", "X-API-Key", key).Used(t)
	tools := api.Tools()
	for i := range tools {
		name := fnv.New64a()
		name.Write([]byte(tools[i].Name))
		dice := rand.New(rand.NewPCG(seed, name.Sum64())) // its own: what a tool is asked does not depend on the others
		found := codes["200"]
		for input := range inputs {
			p := makePair(&tools[i], dice)
			answer := call(s, key, p.tool, p.arguments)
			rest := s.Get(p.path, "X-API-Key", key)
			now := rest.Used(t)
			if now != before+2 {
				t.Errorf("input %d: %+v and its REST request count %d, want 2", input, p, now-before)
			}
			before = now
			codes[same(t, input, p, answer, rest)]++
		}
		if codes["200"] == found {
			t.Errorf("the territory of the tests answers none of the inputs of %s: toolValues needs values that it does", tools[i].Name)
		}
	}
	t.Logf("seed %d: %v", seed, codes)
	if codes["200"] < 250 || codes["400"] < 100 || codes["404"] < 50 {
		t.Errorf("the inputs are one-sided: %v", codes)
	}
}

// withAbsences is the body as a tool gives it: in place of the states, the keys without a value by why they
// have none. What is said of all keys in the instructions is not said again.
func withAbsences(body []byte, withSources bool) []byte {
	states := gjson.GetBytes(body, "states")
	if !states.Exists() {
		return body
	}
	var reasons []string
	keys, sources := map[string][]string{}, map[string][]string{}
	states.ForEach(func(key, one gjson.Result) bool {
		reason := strings.TrimSuffix(one.Raw, "}")
		switch of := one.Get("state").Str; of {
		case "value":
			return true
		case "none", "not_loaded":
			reason = `{"state":"` + of + `"`
		}
		if keys[reason] == nil {
			reasons = append(reasons, reason)
		}
		keys[reason] = append(keys[reason], key.Raw)
		if source := one.Get("source"); withSources && source.Exists() && one.Get("state").Str == "not_loaded" {
			sources[reason] = append(sources[reason], key.Raw+":"+source.Raw)
		}
		return true
	})
	for i, reason := range reasons {
		reasons[i] = reason + `,"keys":[` + strings.Join(keys[reason], ",") + "]"
		if len(sources[reason]) > 0 {
			slices.Sort(sources[reason])
			reasons[i] += `,"sources":{` + strings.Join(sources[reason], ",") + "}"
		}
		reasons[i] += "}"
	}
	return bytes.Replace(body, []byte(`"states":`+states.Raw), []byte(`"states":[`+strings.Join(reasons, ",")+"]"), 1)
}

// same compares the answer of a tool with that of REST, and gives the status.
func same(t *testing.T, i int, p pair, answer rpc, rest fixture.Response) string {
	t.Helper()
	status := fmt.Sprint(rest.Status)
	if answer.Status != http.StatusOK || answer.Error != nil || len(answer.Result.Content) == 0 {
		t.Errorf("input %d: %+v: %d %s", i, p, answer.Status, answer.Body)
		return status
	}
	text := answer.Result.Content[0].Text
	if rest.Status == http.StatusOK {
		if answer.Result.IsError || text != string(answer.Result.StructuredContent) || !isAnswerOf(p, answer.Result.StructuredContent, rest.Body) {
			t.Errorf("input %d: %+v:\n%s\nREST: %s", i, p, answer.Body, rest.Body)
		}
		return status
	}
	var e struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(rest.Body, &e); err != nil {
		t.Fatalf("%s: %v", rest.Body, err)
	}
	said, _, advised := strings.Cut(text, "\n")
	path, begins := strings.CutPrefix(e.Error.Code+": "+e.Error.Message, said)
	if own := strings.Contains(said, " is missing; expected ") || strings.Contains(said, "include names ") || strings.Contains(said, "takes no include"); own {
		path, begins = "", strings.HasPrefix(said, e.Error.Code+": ") // in the words of the tool, which takes less than its operation
	}
	if !answer.Result.IsError || answer.Result.StructuredContent != nil || !advised || !begins || path != "" && !strings.Contains(path, "/") || strings.Contains(text, "/communes?") {
		t.Errorf("input %d: %+v:\n%s\nREST: %s", i, p, answer.Body, rest.Body)
	}
	return status
}

// isAnswerOf reports whether the answer of a tool is that of its REST request: of a list that is a table the
// same items, of values that were not chosen the same that there are, of all others the same bytes.
func isAnswerOf(p pair, answer, rest []byte) bool {
	var got, want map[string]any
	if json.Unmarshal(answer, &got) != nil || json.Unmarshal(rest, &want) != nil {
		return false
	}
	var arguments map[string]any
	_ = json.Unmarshal([]byte(p.arguments), &arguments)
	// How an argument was read is said by tools alone: REST refuses what is not exact.
	if readings, ok := got["readings"]; ok {
		member, _ := json.Marshal(readings)
		answer = bytes.Replace(answer, slices.Concat([]byte(`"readings":`), member, []byte(",")), nil, 1)
		delete(got, "readings")
	}
	for _, member := range []string{"stats", "enrichments"} {
		values, ok := want[member].(map[string]any)
		if !ok || choosesKeys(arguments) {
			continue
		}
		for key, value := range values {
			list, isList := value.([]any)
			if _, has := got[member].(map[string]any)[key]; key != "sources" && has != (value != nil && (!isList || len(list) > 0)) {
				return false
			}
		}
		for _, own := range []string{"states", "sources", "lists"} {
			delete(got, own)
		}
		return isPartOf(got, want)
	}
	if columns, ok := got["columns"].([]any); ok {
		return isTableOf(columns, got["data"].([]any), want["data"].([]any)) && got["count"] == want["count"]
	}
	return bytes.Equal(answer, withAbsences(rest, choosesKeys(arguments)))
}

// isPartOf reports whether all that a value holds is in another one.
func isPartOf(part, whole any) bool {
	switch part := part.(type) {
	case map[string]any:
		whole, ok := whole.(map[string]any)
		for name, value := range part {
			ok = ok && isPartOf(value, whole[name])
		}
		return ok
	case []any:
		whole, ok := whole.([]any)
		for _, item := range part {
			ok = ok && slices.ContainsFunc(whole, func(other any) bool { return isPartOf(item, other) })
		}
		return ok
	default:
		return part == whole
	}
}

// isTableOf reports whether the rows of a table are the items of a list.
func isTableOf(columns, rows, items []any) bool {
	if len(rows) != len(items) {
		return false
	}
	for i, row := range rows {
		item := items[i].(map[string]any)
		for n, column := range columns {
			value := item[column.(string)]
			if field, ok := strings.CutPrefix(column.(string), "stats."); ok {
				value = item["stats"].(map[string]any)[field]
			}
			if !reflect.DeepEqual(row.([]any)[n], value) {
				return false
			}
		}
	}
	return true
}
