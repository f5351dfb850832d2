package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/web"
)

// A time on a page is that of the reader's clock in France, in the reader's
// language, also on the nights that change it.
func TestTimesAreInParis(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 10, 31, 23, 42, 7, 0, time.UTC)
	for _, c := range []struct{ got, want string }{
		{web.French.Day(at), "1er\u00a0novembre\u00a02026"},
		{web.English.Day(at), "1\u00a0November\u00a02026"},
		{web.French.Time(at), "00:42:07"},
		{web.French.DateTime(at), "1er\u00a0novembre\u00a02026 à\u00a000:42"},
		{web.English.DateTime(at), "1\u00a0November\u00a02026 at\u00a000:42"},
		{web.French.DateTime(time.Date(2026, 7, 1, 10, 0, 0, 0, time.UTC)), "1er\u00a0juillet\u00a02026 à\u00a012:00"},
		{web.French.Ago(at, at.Add(-30*time.Second)), "à l’instant"},
		{web.French.Ago(at, at.Add(time.Minute)), "à l’instant"}, // another machine's clock
		{web.French.Ago(at, at.Add(-time.Minute)), "il y a 1\u00a0minute"},
		{web.English.Ago(at, at.Add(-2*time.Hour)), "2 hours ago"},
		{web.English.Ago(at, at.Add(-72*time.Hour)), "3 days ago"},
		{web.French.Ago(at, at.Add(-60*24*time.Hour)), "le 2\u00a0septembre\u00a02026"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Counts agree in number with their noun: never "1 clés" or "0 requests s".
func TestNumbersAgreeWithTheirNouns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{web.French.Count(0, "clé", "key"), "0\u00a0clé"},
		{web.English.Count(0, "clé", "key"), "0 keys"},
		{web.French.Count(1, "clé", "key"), "1\u00a0clé"},
		{web.French.Count(25_000, "requête", "request"), "25\u202f000\u00a0requêtes"},
		{web.English.Count(25_000, "requête", "request"), "25,000 requests"},
		{web.French.Count(2, "jeu", "data set"), "2\u00a0jeux"},
		{web.De("Arpent"), "d’Arpent"},
		{web.De("Foncier"), "de Foncier"},
		{web.PlanName(web.French, "free"), "Gratuite"},
		{web.English.Plan("free"), "the free plan"},
		{web.French.Plan("pro"), "Pro"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

var loose = regexp.MustCompile(`"[^"\n]*(?:[\p{L}\d»)%’] (?:[:;?»]|![ "])|« )[^"\n]*"?`)

// French puts a space before these signs, which must not become a new line.
// English has none: any that is found is French.
func TestFrenchSpacesDoNotBreak(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"*.templ", "*/*.templ", "../portal/*.go", "../portal/*/*.go", "../portal/*.templ",
		"../portal/*/*.templ"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "_templ.go") {
				continue
			}
			text := testkit.Must(os.ReadFile(file))(t)
			for _, found := range loose.FindAllString(string(text), -1) {
				t.Errorf("%s: %s", file, found)
			}
		}
	}
}

// All pages write the speed of an operation in the same words, and none where it was not measured: a
// customer who compares two pages finds one figure.
func TestSpeed(t *testing.T) {
	t.Parallel()
	site := web.New(web.Options{ServiceName: "Arpent", Speed: func(operation string) (time.Duration, time.Duration) {
		if operation != "get_parcel" {
			return 0, 0
		}
		return 12_589 * time.Microsecond, 1_258_925 * time.Microsecond
	}})
	app := fiber.New()
	app.Get("/:operation", func(c *fiber.Ctx) error {
		f := site.Frame(c)
		if s := f.Speed(c.Params("operation")); s != nil {
			return c.SendString(s.Text(f.Lang))
		}
		return c.SendString("not measured")
	})
	for path, want := range map[string]string{
		"/get_parcel?lang=fr": "médiane 13\u00a0ms, 95\u00a0% sous 1\u202f259\u00a0ms", "/get_parcel?lang=en": "median 13 ms, 95% within 1,259 ms",
		"/get_commune?lang=en": "not measured",
	} {
		if _, body := testkit.Get(t, app, path); body != want {
			t.Errorf("%s: %q", path, body)
		}
	}
}

// The style sheet shows the example in each language of the examples, and in no other.
func TestExamplesAreShownByTheStyleSheet(t *testing.T) {
	t.Parallel()
	sheet := testkit.Must(os.ReadFile(filepath.Join("style", "reference.css")))(t)
	snippets := web.RequestSnippets("https://api.example.org")
	for _, s := range snippets {
		rule := `[value="` + s.ID + `"]:checked) [data-language="` + s.ID + `"]`
		if !strings.Contains(string(sheet), rule) {
			t.Errorf("the style sheet has no rule for %s", s.ID)
		}
	}
	if n := strings.Count(string(sheet), "[data-language="); n != len(snippets) {
		t.Errorf("%d rules for %d languages", n, len(snippets))
	}
}
