package mcp

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"arpent/api"
	"arpent/api/fieldset"
	"arpent/app/dev/testkit"
)

const testBase = "https://data.example.org"

// The description of the API, and the tools that are made by it. Tests only read them.
var (
	testDocument = sync.OnceValue(func() []byte { return api.Document("Arpent", testBase) })
	testTools    = sync.OnceValue(func() []*tool { return makeTools(testDocument()) })
)

// contract are the names of the contract, which a client may have read, each with the arguments that must
// be given, and then the choices of include.
var contract = map[string]string{
	"search_address": "q|", "get_commune": "code|geometry,centre,bbox", "get_departement": "code|geometry,centre,bbox,communes",
	"get_region": "code|geometry,centre,bbox,departements", "find_commune": "lat,lon|geometry,centre,bbox,stats", "list_communes": "|",
	"list_departements": "|", "list_regions": "|", "get_parcel_at_point": "lat,lon|geometry,centre,bbox", "get_parcel": "idu|geometry,centre,bbox", "get_parcel_enrichments": "idu|",
}

// A model finds what it needs in the list, and the list does not eat
// up the context that it has for the question.
func TestToolsAreDescribed(t *testing.T) {
	t.Parallel()
	size, names := 0, map[string]bool{}
	for _, tool := range testTools() {
		d := tool.declareTool()
		text := testkit.Must(json.Marshal(d))(t)
		size += len(text) + 1
		t.Logf("%s: %d bytes, input %d, output %d, description %d", d.Name, len(text), len(tool.input), len(tool.output), len(d.Description))
		names[d.Name] = true
		if n := utf8.RuneCountInString(d.Description); n < 60 || n > 1200 {
			t.Errorf("%s: the description has %d characters, want 60 to 1200", d.Name, n)
		}
		if d.Title == "" || d.Title != d.Annotations.Title {
			t.Errorf("%s: titles %q and %q", d.Name, d.Title, d.Annotations.Title)
		}
		if a := d.Annotations; !*a.ReadOnlyHint || *a.DestructiveHint || !*a.IdempotentHint || *a.OpenWorldHint {
			t.Errorf("%s: annotations %+v", d.Name, a)
		}
		if !strings.Contains(d.Description, "Example: "+tool.Example) || !json.Valid([]byte(tool.Example)) {
			t.Errorf("%s: no example in %q", d.Name, d.Description)
		}
		if strings.Contains(string(text), "$ref") || strings.Contains(string(tool.output), `["`+"string") && strings.Contains(string(tool.output), `"null"]`) {
			t.Errorf("%s: a reference or a list of types in %s", d.Name, text)
		}
	}
	t.Logf("the list is %d bytes long", size)
	if size >= 30_000 { // with room for two more tools
		t.Errorf("the list is %d bytes long, want under 30 000", size)
	}
	for name := range contract {
		if !names[name] {
			t.Errorf("there is no tool %s", name)
		}
		delete(names, name)
	}
	if len(names) > 0 {
		t.Errorf("tools beyond the contract: %v", names)
	}
	text := serverInstructions("Arpent", testBase, "")
	if len(text) >= 1600 || !strings.Contains(text, testBase) || !strings.Contains(text, "Licence Ouverte") || !strings.Contains(text, "null means") ||
		!strings.Contains(text, "Distances are straight lines.") {
		t.Errorf("instructions of %d bytes: %s", len(text), text)
	}
	const loaded = "Loaded here: parcels of 13 communes."
	if with := serverInstructions("Arpent", testBase, loaded); len(with) != len(text)+len(loaded)+2 || strings.Index(with, loaded) > 300 {
		t.Errorf("what is loaded does not come early: %s", with)
	}
}

// Every argument is described with its form, or the values that it is chosen from, and an example; what must
// be given is said, and include is a choice.
func TestArgumentsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, tool := range testTools() {
		var in struct {
			Type       string
			Properties map[string]struct {
				Type, Description  string
				MaxLength, Maximum float64
				Items              struct {
					Enum    []string
					Pattern string
				}
			}
			Required []string
		}
		if err := json.Unmarshal(tool.input, &in); err != nil || in.Type != "object" {
			t.Fatalf("%s: %s: %v", tool.Name, tool.input, err)
		}
		got := strings.Join(in.Required, ",") + "|" + strings.Join(in.Properties["include"].Items.Enum, ",")
		testkit.Want(t, got, contract[tool.Name], tool.Name, ": required and include")
		for name, p := range in.Properties {
			isPlain, isChoice := p.Type != "array" && p.Type != "boolean" && p.MaxLength+p.Maximum == 0, len(p.Items.Enum) > 0 || p.Items.Pattern != ""
			if isPlain && !strings.Contains(p.Description, "Format: ") || p.Type == "array" && !isChoice || !strings.Contains(p.Description, "Example: ") || p.Type == "" {
				t.Errorf("%s: %s is described as %+v", tool.Name, name, p)
			}
		}
	}
}

// The schema of a result names the members of the object. Statistics and reports are objects, and nothing is
// said of what is inside: their keys are the values of fields.
func TestSchemasEndAtBlocks(t *testing.T) {
	t.Parallel()
	for _, tool := range testTools() {
		var out struct {
			Type       string
			Properties map[string]json.RawMessage
		}
		if err := json.Unmarshal(tool.output, &out); err != nil || out.Type != "object" || len(out.Properties) < 2 {
			t.Errorf("%s: %s: %v", tool.Name, tool.output, err)
		}
		member, key := "stats", "rankings"
		if tool.Name == "get_parcel_enrichments" {
			member, key = "enrichments", "radon"
		}
		if of, has := out.Properties[member]; has && string(of) != `{"type":"object"}` {
			t.Errorf("%s: %s is %s", tool.Name, member, of)
		}
		takes := strings.Contains(string(tool.input), key)
		if want := slices.Contains(tool.Always, "stats") || member == "enrichments"; takes != want {
			t.Errorf("%s takes %s by name: %t, want %t", tool.Name, key, takes, want)
		}
	}
}

// A client that checks arguments before it sends them refuses none that the tool takes, and its bounds are
// those of the tool.
func TestPatternsAcceptWhatToolsTake(t *testing.T) {
	t.Parallel()
	accepted := map[string][]string{
		"get_region code": {"11", "01", "Bretagne", "île-de-france"}, "get_departement code": {"93", "1", "2a", "Essonne", "L'Ain"},
		"get_commune code":         {"93010", "1001", "2a004", " 93010 ", "Bondy", "L'Haÿ-les-Roses", "93140 Bondy"},
		"list_departements region": {"11", "Occitanie"}, "list_communes departement": {"974", "Réunion"},
		"get_parcel idu": {"930100000J0236", "93010 J 236", "section AY 71 Bondy"}, "get_parcel_enrichments idu": {"930100000J0236"},
		"get_commune fields":           {"population", "securite.burglary", "election.presidential.round1"},
		"get_parcel_enrichments theme": {"risks", "prices", "planning", "services"},
	}
	rejected := map[string][]string{
		"get_region code": {"", "1234"}, "get_departement code": {"", "1234"}, "get_commune code": {"", "123", "930100"},
		"get_commune fields": {"sources", "population.", "cadastre"}, "get_parcel_enrichments theme": {"weather"}, "get_parcel idu": {""},
	}
	for _, tool := range testTools() {
		var in struct {
			Properties map[string]struct {
				Pattern          string
				Minimum, Maximum *float64
				MaxLength        *int
				Items            struct {
					Pattern string
					Enum    []string
				}
			}
		}
		testkit.NoError(t, json.Unmarshal(tool.input, &in))
		for name, p := range in.Properties {
			if bounded := p.Minimum != nil && p.Maximum != nil; bounded != slices.Contains([]string{"lat", "lon", "limit", "top", "maxDistance", "minPopulation"}, name) {
				t.Errorf("%s %s: bounds %v", tool.Name, name, bounded)
			}
			if limited := p.MaxLength != nil; limited != slices.Contains([]string{"q", "name", "address"}, name) {
				t.Errorf("%s %s: length limited %v", tool.Name, name, limited)
			}
			fits := func(value string) bool {
				if p.Items.Enum != nil {
					return slices.Contains(p.Items.Enum, value)
				}
				return regexp.MustCompile(cmp.Or(p.Pattern, p.Items.Pattern)).MatchString(value)
			}
			for _, value := range accepted[tool.Name+" "+name] {
				if !fits(value) {
					t.Errorf("%s %s: %q is taken, and the schema refuses it", tool.Name, name, value)
				}
			}
			for _, value := range rejected[tool.Name+" "+name] {
				if fits(value) {
					t.Errorf("%s %s: the schema takes %q", tool.Name, name, value)
				}
			}
		}
	}
}

// Each of the keys of the report is explained in a line of the schema, and each member that a result always
// has is required.
func TestSchemasSayKeysAndRequiredMembers(t *testing.T) {
	t.Parallel()
	for _, tool := range testTools() {
		var out struct{ Required []string }
		if err := json.Unmarshal(tool.output, &out); err != nil || len(out.Required) < 2 {
			t.Errorf("%s: required %v, %v", tool.Name, out.Required, err)
		}
		if tool.Name != reportTool {
			continue
		}
		for _, p := range tool.Params {
			if p.Name != fieldset.ParamName {
				continue
			}
			for _, key := range p.Values() {
				line := "\\n" + key + ": "
				_, text, found := strings.Cut(string(tool.input), line)
				text, _, _ = strings.Cut(text, " Example: ")
				if text, _, _ = strings.Cut(text, "\\n"); !found || len(text) < 5 || len(text) > 100 {
					t.Errorf("%s: %q", key, text)
				}
			}
		}
	}
}
