//go:build !race

// Nine packages would be compiled once more under the race detector for the plan
// that this adds, and nothing here runs at once.

package billing_test

import (
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/config"
	"arpent/web"
	"arpent/web/public"
)

// A plan that is added to the table is sold: it has a setting for its price, which is checked at Stripe, and
// the pages offer it. Nothing else has to be changed but what the database accepts.
func TestNewPlan(t *testing.T) { // not parallel: it changes the table
	fourth := billing.Plan{Name: "max", Title: "Max", PriceEuros: 249, PerDay: 123_456, PerMinute: 999,
		EnrichmentsPerMinute: 333, Commercial: true}
	t.Cleanup(billing.AddPlan(fourth))
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	environ := []string{"ARPENT_MODE=development", "ARPENT_STRIPE_URL=" + sim.URL(), "ARPENT_STRIPE_KEY=" + stripesim.DefaultKey,
		"ARPENT_STRIPE_WEBHOOK_SECRET=" + stripesim.DefaultWebhookSecret}
	for plan, price := range stripesim.Prices() {
		environ = append(environ, config.PriceSetting(plan)+"="+price)
	}
	c := testkit.Must(config.Read(environ, billing.PaidNames()...))(t)
	if !maps.EqualFunc(c.StripePrices, stripesim.PriceLists(), slices.Equal) || len(c.StripePrices["max"]) == 0 {
		t.Errorf("prices %v, of the simulator %v", c.StripePrices, stripesim.PriceLists())
	}
	if !slices.Contains(config.Names(billing.PaidNames()...), "ARPENT_STRIPE_PRICE_MAX") {
		t.Error("the price of the new plan has no setting")
	}
	environ = slices.DeleteFunc(environ, func(s string) bool { return strings.HasPrefix(s, "ARPENT_STRIPE_PRICE_MAX") })
	if _, err := config.Read(environ, billing.PaidNames()...); err == nil || !strings.Contains(err.Error(), "PRICE_MAX") {
		t.Errorf("without its price: %v", err)
	}
	gate := stripegate.New(stripegate.Options{Key: c.StripeKey.Reveal(), Backend: c.StripeURL, Prices: c.StripePrices})
	if err := gate.CheckPrices(t.Context()); err != nil {
		t.Error(err)
	}
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Status: func() web.Status { return web.Status{} }})
	public.New(public.Options{Site: site, Plans: billing.Plans(), PaidPlans: true}).Register(app)
	for path, want := range map[string]string{"/?lang=en": "€249 a month for 123,456", "/pricing?lang=en": ">Max<"} {
		res := testkit.Must(app.Test(httptest.NewRequest("GET", path, nil), -1))(t)
		body, _ := io.ReadAll(res.Body)
		if !strings.Contains(string(body), want) {
			t.Errorf("%s does not have %q", path, want)
		}
	}
}

// Nothing but the table knows which plans are paid for: a name of one in the code is a
// place that the next plan would have to change.
func TestPlansAreNamedInTheTableAlone(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`billing\.(Standard|Pro)\b|[^:]"(standard|pro)"`)
	for _, folder := range []string{"api", "app", "auth", "billing", "internal", "mcp", "portal", "web"} {
		files := 0
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d os.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			extension := filepath.Ext(name)
			if err != nil || d.IsDir() || extension != ".go" && extension != ".templ" || strings.HasSuffix(name, "_test.go") ||
				name == "billing/plan.go" || strings.HasPrefix(name, "app/dev/") {
				return err
			}
			files++
			text, err := os.ReadFile(path)
			for _, found := range named.FindAllString(string(text), -1) {
				t.Errorf("%s names the plan %s", name, found)
			}
			return err
		})
		if err != nil || files == 0 {
			t.Errorf("%s: %d files, %v", folder, files, err)
		}
	}
}
