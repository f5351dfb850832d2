package legal_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/web"
	"arpent/web/legal"
)

const day = 24 * time.Hour

var retention = legal.Retention{Session: 31 * day, SessionMax: 91 * day, ConnectionMax: 366 * day, Device: 360 * day, Language: 361 * day, Unconfirmed: 8 * day, Links: 6 * day, Tries: 26 * time.Hour,
	Rejections: 29 * day, Hours: 3 * day, Requests: 28 * time.Hour, Personal: 362 * day, MailDone: day, MailFailed: 13 * day, Connection: 61 * day, PaymentEvents: 401 * day, Grace: 9 * day}

var publisher = legal.Publisher{Name: "Cadastre & Fils SARL", Address: "1 rue de la Parcelle, 35000 Rennes", Phone: "+33 2 00 00 00 00",
	Director: "Jeanne Bornage", Host: "Hébergeur SA, Paris", Registration: "RCS Rennes 000", VAT: "FR00", LogDays: 44}

func readPage(t *testing.T, o legal.Options, contact, path string) *goquery.Document {
	t.Helper()
	app := fiber.New()
	o.Site = web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Contact: contact})
	o.Plans, o.Retention = billing.Plans(), retention
	legal.New(o).Register(app)
	res, err := app.Test(httptest.NewRequest(http.MethodGet, path, nil), -1)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", path, err)
	}
	doc, err := goquery.NewDocumentFromReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

var paths = []string{"/terms", "/privacy", "/legal", "/contact"}

// The page of an operator who has not given a name states that, with the setting
// that is missing, and gives no other name.
func TestMissingIsSaid(t *testing.T) {
	t.Parallel()
	missing := map[string][]string{
		"/terms": {"ARPENT_PUBLISHER_NAME"}, "/contact": {"ARPENT_PUBLISHER_NAME", "ARPENT_PUBLISHER_ADDRESS", "ARPENT_CONTACT_EMAIL"},
		"/privacy": {"ARPENT_PUBLISHER_NAME", "ARPENT_PUBLISHER_HOST", "ARPENT_PUBLISHER_LOG_DAYS", "ARPENT_CONTACT_EMAIL"},
		"/legal": {"ARPENT_PUBLISHER_NAME", "ARPENT_PUBLISHER_ADDRESS", "ARPENT_PUBLISHER_PHONE", "ARPENT_PUBLISHER_DIRECTOR",
			"ARPENT_PUBLISHER_HOST", "ARPENT_CONTACT_EMAIL"},
	}
	for _, path := range paths {
		for language, word := range map[string]string{"fr": "incomplet", "en": "incomplete"} {
			main := readPage(t, legal.Options{}, "", path+"?lang="+language).Find("main")
			for _, setting := range missing[path] {
				if !strings.Contains(main.Text(), setting) {
					t.Errorf("%s in %s does not say that %s is missing", path, language, setting)
				}
			}
			if got := strings.TrimSpace(main.Find(".chip").First().Text()); got != word {
				t.Errorf("%s in %s says %q", path, language, got)
			}
			if full := readPage(t, legal.Options{Publisher: publisher}, "who@example.org", path+"?lang="+language).Find("main"); strings.Contains(full.Text(), "ARPENT_") {
				t.Errorf("%s in %s is incomplete though all is set", path, language)
			}
		}
	}
}

// Who publishes the server is named as the operator wrote it, and can be written to.
func TestPublisherIsNamed(t *testing.T) {
	t.Parallel()
	doc := readPage(t, legal.Options{Publisher: publisher}, "who@example.org", "/legal?lang=fr")
	text := doc.Find("main").Text()
	for _, want := range []string{publisher.Name, publisher.Address, publisher.Phone, publisher.Director, publisher.Host, publisher.Registration, publisher.VAT} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not named", want)
		}
	}
	if to := doc.Find("main a[href^='mailto:']").AttrOr("href", ""); !strings.HasPrefix(to, "mailto:who@example.org?subject=Arpent") {
		t.Errorf("mails go to %q", to)
	}
	unsold := readPage(t, legal.Options{}, "", "/legal?lang=fr").Find("main").Text()
	sold := readPage(t, legal.Options{PaidPlans: true}, "", "/legal?lang=fr").Find("main").Text()
	if strings.Contains(unsold, "ARPENT_PUBLISHER_VAT") || !strings.Contains(sold, "ARPENT_PUBLISHER_VAT") {
		t.Error("a VAT number is asked of those who sell, and of no other operator")
	}
}

// Who looks for an address on the first page reads what becomes of it.
func TestSearchesWithoutAccountAreExplained(t *testing.T) {
	t.Parallel()
	for language, wants := range map[string][]string{"fr": {"n’est enregistrée nulle part", "une heure au plus", "jamais sur disque"}, "en": {"is recorded nowhere", "an hour at most", "never on disk"}} {
		text := readPage(t, legal.Options{Publisher: publisher}, "who@example.org", "/privacy?lang="+language).Find("#visitors").Text()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not said", want)
			}
		}
	}
}

// The times on the page are those of the code that removes things.
func TestRetentionIsThatOfTheCode(t *testing.T) {
	t.Parallel()
	o := legal.Options{Publisher: publisher, PaidPlans: true, Providers: []string{"GitHub"}}
	text := strings.ReplaceAll(readPage(t, o, "who@example.org", "/privacy?lang=fr").Find("main").Text(), "\u00a0", " ")
	for _, want := range []string{"31 jours après", "91 jours après la connexion", "366 jours après l’autorisation", "360 jours", "361 jours", "8 jours si", "6 jours après", "26 heures", "29 jours", "3 jours", "28 heures", "362 jours", "24 heures après l’envoi",
		"13 jours après un échec", "61 jours sans utilisation", "401 jours au plus", "44 jours", "GitHub", "Stripe"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said", want)
		}
	}
	bare := readPage(t, legal.Options{Publisher: publisher}, "who@example.org", "/privacy?lang=fr").Find("main").Text()
	if strings.Contains(bare, "Stripe") || strings.Contains(bare, "GitHub") {
		t.Error("third parties are named that nothing is given to")
	}
	terms := strings.ReplaceAll(readPage(t, o, "who@example.org", "/terms?lang=en").Find("main").Text(), "\u00a0", " ")
	for _, want := range []string{"Free: 100 requests a day and 10 a minute", "Pro: €79 per month, excl. VAT, 25,000 requests a day", "in force for 9 days"} {
		if !strings.Contains(terms, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if free := readPage(t, legal.Options{}, "", "/terms?lang=en").Find("#payment").Text(); strings.Contains(free, "Stripe") || !strings.Contains(free, "not on sale") {
		t.Errorf("where nothing is sold the terms say %q", free)
	}
}
