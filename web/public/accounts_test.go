package public_test

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/web"
	"arpent/web/public"
)

func withAccounts(base string) *fiber.App {
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: base, Accounts: true, CSRFToken: func(session string) string { return "for-" + session }})
	public.New(public.Options{Site: site, Plans: billing.Plans()}).Register(app)
	return app
}

// A signed-in visitor sees links to the account and to sign out, others to sign in; the forms of a page
// belong to the session that it is shown to.
func TestNavigationKnowsWhoIsThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, base, cookie string
		in                 bool
	}{
		{"no session", "https://api.example.org", "", false},
		{"somebody", "https://api.example.org", "__Host-arpent-session=abc", true},
		{"a cookie that another host could set", "https://api.example.org", "arpent-session=abc", false},
		{"somebody on this machine", "http://127.0.0.1:8080", "arpent-session=abc", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, body := testkit.Get(t, withAccounts(c.base), "/pricing", "Cookie", c.cookie)
			if in := strings.Contains(body, `action="/signout"`) && strings.Contains(body, `href="/account"`); in != c.in {
				t.Errorf("shows an account: %t", in)
			}
			if out := strings.Contains(body, `href="/signin"`) && strings.Contains(body, `href="/signup"`); out == c.in {
				t.Errorf("shows the way in: %t", out)
			}
			if token := strings.Contains(body, `value="for-abc"`); token != c.in {
				t.Errorf("the forms belong to the session: %t", token)
			}
		})
	}
}

// A visitor sees the price without VAT, the rule of the free plan, and that nothing can be bought yet.
func TestPricingIsHonest(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string][]string{
		"fr": {"19\u00a0€", "79\u00a0€", "HT par mois", "25\u202f000", "non commercial seulement", "Pas encore en vente"},
		"en": {"€19", "€79", "excl. VAT", "25,000", "non-commercial only", "Not on sale on this server yet"},
	} {
		_, body := getPage(t, withAccounts("http://127.0.0.1:1"), "/pricing", accept)
		testkit.Contains(t, body, want...)
	}
}

// The size of a page determines its loading time on a phone: with the font of code, of 22 kB, which is not
// counted here, none weighs 100 kB.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	app.Use(web.Compress)
	app.Mount("/", newTestApp(testStatus()))
	for _, page := range readSitemap(t, app).Pages {
		path := strings.TrimPrefix(page.Address, base)
		_, body := getPage(t, app, path, "")
		total := compressedSize(t, app, path)
		for _, l := range links.FindAllStringSubmatch(body, -1) {
			if strings.HasPrefix(l[1], "/assets/") {
				total += compressedSize(t, app, l[1])
			}
		}
		t.Logf("%s: %d bytes", path, total)
		if total > 60_000 {
			t.Errorf("%s weighs %d bytes", path, total)
		}
	}
}

// compressedSize is the size of what a browser gets.
func compressedSize(t *testing.T, app *fiber.App, path string) int {
	t.Helper()
	_, body := testkit.Get(t, app, path, "Accept-Encoding", "gzip, deflate, br")
	return len(body)
}

// Where plans are sold the page of prices leads to them, over an
// account; elsewhere it says that they are not.
func TestPricingLeadsToWhatIsSold(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "http://127.0.0.1:1", Accounts: true, CSRFToken: func(string) string { return "t" }})
	public.New(public.Options{Site: site, Plans: billing.Plans(), PaidPlans: true}).Register(app)
	_, body := getPage(t, app, "/pricing", "fr")
	testkit.Contains(t, body, "Choisir Standard", "Choisir Pro", `href="/signup?next=/account/plan"`)
	if strings.Contains(body, "Pas encore en vente") {
		t.Error("what is sold is said not to be")
	}
}
