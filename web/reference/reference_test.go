package reference_test

import (
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/api/recorded"
	"arpent/app/dev/testkit"
	"arpent/web"
	"arpent/web/reference"
)

const base = "https://arpent.example"

func newTestApp() *fiber.App {
	app := fiber.New()
	reference.New(reference.Options{Site: web.New(web.Options{ServiceName: "Arpent", BaseURL: base}), BaseURL: base,
		Document: api.Describe("Arpent", base),
		Sources:  reference.Sources{"get_commune stats.population": {"INSEE, Populations <légales>"}}}).Register(app)
	return app
}

// A field that the document promises is on the page of the operation, by its name and with what the document
// says of it; so is every parameter and every status.
func TestEverythingOfTheDocumentIsOnThePages(t *testing.T) {
	t.Parallel()
	app, doc := newTestApp(), api.Describe("Arpent", base)
	for _, op := range api.Operations() {
		described := doc.Paths[api.Root+op.Path].Get
		shown := testkit.Document(t, app, reference.Path+"/"+op.Name+"?lang=en")
		text := strings.Join(strings.Fields(shown.Find("article").Text()), " ")
		names := map[string]bool{}
		add := func(d *goquery.Document) {
			d.Find(".fields dt code").Each(func(_ int, c *goquery.Selection) { names[c.Text()] = true })
		}
		add(shown)
		shown.Find(`a[href^="` + reference.Path + `"][href$="#answer"]`).Each(func(_ int, a *goquery.Selection) {
			other := testkit.Document(t, app, strings.TrimSuffix(a.AttrOr("href", ""), "#answer")+"?lang=en")
			add(other)
			text += strings.Join(strings.Fields(other.Find("article").Text()), " ")
		})
		for _, p := range described.Parameters {
			if !names[p.Name] || !strings.Contains(text, plainText(p.Description)) {
				t.Errorf("%s: the parameter %s is not on the page", op.Name, p.Name)
			}
		}
		for status, r := range described.Responses {
			if shown.Find("#status-"+status).Length() != 1 || !strings.Contains(text, plainText(r.Description)) {
				t.Errorf("%s: the status %s is not on the page", op.Name, status)
			}
		}
		schema := described.Responses["200"].Content["application/json"].Schema
		walkFields(doc.Components.Schemas, schema, map[string]bool{}, func(name string, s *huma.Schema) {
			if !names[name] || !strings.Contains(text, plainText(s.Description)) {
				t.Errorf("%s: the field %s (%s) is not on the page", op.Name, name, s.Description)
			}
			if s.Description == "" && s.Ref == "" && !selfEvident[name] {
				t.Errorf("%s: nothing says what %s is", op.Name, name)
			}
		})
	}
}

// selfEvident are members that need no sentence: of GeoJSON, or of a figure or a name among others.
var selfEvident = map[string]bool{"type": true, "coordinates": true, "year": true, "name": true, "key": true}

// plainText is a text of the document as a page shows it: blanks are one, and code has no marks.
func plainText(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
}

// walkFields calls found for every member of a schema and of those inside.
func walkFields(schemas huma.Registry, s *huma.Schema, seen map[string]bool, found func(name string, s *huma.Schema)) {
	if s == nil || s.Ref != "" && seen[s.Ref] {
		return
	}
	if s.Ref != "" {
		seen[s.Ref] = true
		walkFields(schemas, schemas.SchemaFromRef(s.Ref), seen, found)
	}
	for name, member := range s.Properties {
		found(name, member)
		walkFields(schemas, member, seen, found)
	}
	for _, alternative := range append(append([]*huma.Schema{}, s.AnyOf...), s.OneOf...) {
		walkFields(schemas, alternative, seen, found)
	}
	walkFields(schemas, s.Items, seen, found)
	if additional, ok := s.AdditionalProperties.(*huma.Schema); ok {
		walkFields(schemas, additional, seen, found)
	}
}

// A reader of either language finds an introduction, the recorded answer of this server's own address, and
// calls that take the key from the environment.
func TestPagesShowCallsAndAnswers(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	for _, op := range api.Operations() {
		shown := testkit.Document(t, app, reference.Path+"/"+op.Name+"?lang=fr")
		if lead := shown.Find(".lead").Text(); len(lead) < 50 {
			t.Errorf("%s has no introduction in French: %q", op.Name, lead)
		}
		code := shown.Find(".langs code").Map(func(_ int, c *goquery.Selection) string { return c.Text() })
		calls := 0
		for _, text := range code {
			if strings.Contains(text, base+api.Root+op.Example) && strings.Contains(text, "ARPENT_KEY") {
				calls++
			}
		}
		if calls != 6 {
			t.Errorf("%s: %d calls, want one in each of 6 languages", op.Name, calls)
		}
		if recorded.Answer(op.Name, base) == nil || !strings.HasPrefix(shown.Find("#recorded").Text(), "{\n") {
			t.Errorf("%s shows no recorded answer: %.80s", op.Name, shown.Find("#recorded").Text())
		}
		if strings.Contains(shown.Text(), recorded.Base) {
			t.Errorf("%s names the address of another server", op.Name)
		}
	}
	if got := testkit.Document(t, app, reference.Path+"/get_commune").Find("[id='stats.population'] .sources li").Text(); got != "INSEE, Populations <légales>" {
		t.Errorf("the source of the population is %q", got)
	}
}

// The many keys of a report and of statistics are folded by theme: each is under its theme, which the list of
// headings names. A French page says once that the descriptions are in English, and marks them.
func TestKeysAreFoldedByTheme(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	page := testkit.Document(t, app, reference.Path+"/get_parcel_enrichments?lang=fr")
	if n := page.Find("details.theme:not([open])").Length(); n < 8 || page.Find(".toc .sub").Length() != n {
		t.Errorf("%d themes, of which %d are in the list", n, page.Find(".toc .sub").Length())
	}
	for id, theme := range map[string]string{"enrichments.radon": "Risques", "enrichments.dvf": "Prix"} {
		key := page.Find("[id='" + id + "']")
		if got := key.Closest("details.theme").Find("h3").First().Text(); got != theme {
			t.Errorf("%s is under %q, want %s", id, got, theme)
		}
	}
	if n := page.Find(".notice").Length(); n != 1 || page.Find("[id='enrichments.radon'] p").First().AttrOr("lang", "") != "en" {
		t.Errorf("%d notices that the descriptions are in English", n)
	}
	if n := testkit.Document(t, app, reference.Path+"/get_commune?lang=en").Find("details.theme").Length(); n < 8 {
		t.Errorf("the statistics have %d themes", n)
	}
}

// The headings of a French page, from which the entries of the search are made, are French: only names of
// code, statuses and words that both languages share are those of the English page.
func TestFrenchHeadingsAreFrench(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	readHeadings := func(path string) map[string]bool {
		texts := map[string]bool{}
		page := testkit.Document(t, app, path)
		page.Find("article [lang=en], article code").Remove()
		page.Find("article").Find("h1, h2, h3, dt, summary, .code-label").Each(func(_ int, h *goquery.Selection) {
			texts[strings.Join(strings.Fields(h.Text()), " ")] = true
		})
		return texts
	}
	shared := regexp.MustCompile(`^(|Cadastre|Population|Administration|Finances|Nature|Services|Assistants|curl|JavaScript|TypeScript|Python|PHP|R)$`)
	for _, op := range api.Operations() {
		path := reference.Path + "/" + op.Name
		english := readHeadings(path + "?lang=en")
		for heading := range readHeadings(path + "?lang=fr") {
			if english[heading] && !shared.MatchString(heading) {
				t.Errorf("the French page of %s has the heading %q", op.Name, heading)
			}
		}
		if !english["Parameters"] || !english["Statuses"] {
			t.Errorf("the English page of %s has the headings %v", op.Name, english)
		}
	}
}

// What introduces an operation is short, three lines of a phone, and the rest of its description follows.
func TestLeadIsShort(t *testing.T) {
	t.Parallel()
	for language, rest := range map[string]string{"en": "lat and lon, given together", "fr": "Les meilleures réponses"} {
		lead := testkit.Document(t, newTestApp(), reference.Path+"/search_address?lang="+language).Find(".lead")
		if text := lead.Text(); utf8.RuneCountInString(text) > 120 || !strings.HasSuffix(text, ".") {
			t.Errorf("the introduction is %q", text)
		}
		if text := lead.Next().Text(); !strings.HasPrefix(text, rest) {
			t.Errorf("it is followed by %q", text)
		}
	}
}

// A link to a field leads to it, and a page for programs has what the page for people has.
func TestAnchorsAndMarkdown(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	field := regexp.MustCompile("`([A-Za-z0-9]+)` \\(")
	for _, op := range api.Operations() {
		shown := testkit.Document(t, app, reference.Path+"/"+op.Name)
		seen := map[string]bool{}
		shown.Find("[id]").Each(func(_ int, e *goquery.Selection) {
			if id := e.AttrOr("id", ""); seen[id] {
				t.Errorf("%s: two parts are called %s", op.Name, id)
			} else {
				seen[id] = true
			}
		})
		shown.Find(`a[href^="#"]`).Each(func(_ int, a *goquery.Selection) {
			if to := strings.TrimPrefix(a.AttrOr("href", ""), "#"); !seen[to] {
				t.Errorf("%s: nothing is called %s", op.Name, to)
			}
		})
		at := shown.Find(`link[rel="alternate"][type="text/markdown"]`).AttrOr("href", "")
		_, text := testkit.Get(t, app, at)
		fields, rows := len(field.FindAllString(text, -1)), shown.Find(".fields dt code").Length()-shown.Find("[id^='status-'] dt").Length()
		byKey := strings.Count(text, "`{key}` (")
		if !strings.HasPrefix(text, "# ") || fields+byKey != rows {
			t.Errorf("%s has %d fields, the page %d", at, fields+byKey, rows)
		}
	}
}

// A visitor without an account tries requests of the table alone, the first of which is the example; each is
// the call that it is written as.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, op := range api.Operations() {
		if len(op.Places) == 0 || op.Places[0].Call != op.Example {
			t.Errorf("%s: the first place is not the example: %v", op.Name, op.Places)
		}
		for _, p := range op.Places {
			arguments := op.Read(op.Values(p.Call))
			want := testkit.Must(url.Parse(api.Root + p.Call))(t)
			got, err := url.Parse(arguments.Address(&op))
			if err != nil || arguments.Rejected() || got.Path != want.Path || !reflect.DeepEqual(got.Query(), want.Query()) || p.French == "" || p.English == "" {
				t.Errorf("%s: %v means %v (%v)", op.Name, p, got, err)
			}
		}
	}
}

// A large answer is shown as far as a page should be long, cut between lines, and its true size is said.
func TestLargeAnswersAreCut(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"a":[` + strings.Repeat(`[1,2],`, 100_000) + `[1,2]]}`, `{"a":"` + strings.Repeat("é", 100_000) + `"}`} {
		a := reference.NewAnswer("/", api.Shown{Status: 200, Body: []byte(body)})
		if a.Whole || len(a.Text) > 64<<10 || !strings.HasPrefix(a.Text, "{") || a.Bytes != len(body) || !utf8.ValidString(a.Text) {
			t.Errorf("%d bytes of %d, whole %v", len(a.Text), a.Bytes, a.Whole)
		}
	}
	if a := reference.NewAnswer("/", api.Shown{Body: []byte(`{"a":[[1,2],[]],"b":{}}`)}); !a.Whole || a.Text != "{\n  \"a\": [\n    [1, 2],\n    []\n  ],\n  \"b\": {}\n}" {
		t.Errorf("%q", a.Text)
	}
}

// A French reader who calls an operation from its page reads in French what each parameter is.
func TestParametersAreDescribedInFrench(t *testing.T) {
	t.Parallel()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: base, Accounts: true})
	pages := reference.New(reference.Options{Site: site, BaseURL: base, Document: api.Describe("Arpent", base)})
	app := fiber.New()
	app.Get("/:operation", func(c *fiber.Ctx) error {
		return web.Send(c, pages.Called(site.Frame(c), c.Params("operation"), reference.Console{Member: true}, true))
	})
	for _, op := range api.Operations() {
		doc := testkit.Document(t, app, "/"+op.Name+"?lang=fr")
		for _, p := range op.Params {
			hint := strings.TrimSpace(doc.Find("#console-" + p.Name + "-hint").Text())
			if hint == "" || strings.HasPrefix(hint, "Liste séparée") || strings.Contains(hint, plainText(p.Description)) {
				t.Errorf("%s: %s is described by %q", op.Name, p.Name, hint)
			}
		}
	}
}
