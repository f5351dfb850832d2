package legal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/web"
	"arpent/web/legal"
)

const day = 24 * time.Hour

var retention = legal.Retention{Session: 31 * day, SessionMax: 91 * day, ConnectionMax: 366 * day, Device: 360 * day, Language: 361 * day, Unconfirmed: 8 * day, Links: 6 * day, Tries: 26 * time.Hour,
	Rejections: 29 * day, Hours: 3 * day, Requests: 28 * time.Hour, Personal: 362 * day, Tokens: 33 * day, Deliveries: 34 * day, Joining: 35 * day,
	MailDone: day, MailFailed: 13 * day, Connection: 61 * day, PaymentEvents: 401 * day, Grace: 9 * day}

var publisher = legal.Publisher{Name: "Cadastre & Fils SARL", Address: "1 rue de la Parcelle, 35000 Rennes", Phone: "+33 2 00 00 00 00",
	Director: "Jeanne Bornage", Host: "Hébergeur SA, Paris", Registration: "RCS Rennes 000", VAT: "FR00", LogDays: 44}

func readPage(t *testing.T, o legal.Options, contact, path string) *goquery.Document {
	t.Helper()
	app := fiber.New()
	o.Site = web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Contact: contact})
	o.Plans, o.Retention = billing.Plans(), retention
	legal.New(o).Register(app)
	return testkit.Document(t, app, path)
}

var paths = []string{"/terms", "/privacy", "/legal", "/contact"}

// A page leaves out what the operator has not set: it has no empty entry, names no setting to a visitor, and
// gives no other name in its place.
func TestWhatIsNotSetIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, path := range paths {
		for language, operator := range map[string]string{"fr": "l’exploitant de ce serveur", "en": "the operator of this server"} {
			bare := readPage(t, legal.Options{PaidPlans: true}, "", path+"?lang="+language).Find("main")
			if text := bare.Text(); strings.Contains(text, "ARPENT_") || bare.Find(".chip").Length() != 0 || !strings.Contains(text, operator) {
				t.Errorf("%s in %s shows what is missing, or does not say who answers for the server:\n%s", path, language, text)
			}
			bare.Find("dd, dt, address, section.part > div").Each(func(_ int, s *goquery.Selection) {
				if strings.TrimSpace(s.Text()) == "" {
					t.Errorf("%s in %s has an empty part", path, language)
				}
			})
		}
	}
	for path, part := range map[string]string{"/legal": "#host", "/contact": "#post"} {
		bare, full := readPage(t, legal.Options{}, "", path), readPage(t, legal.Options{Publisher: publisher}, "who@example.org", path)
		if bare.Find(part).Length() != 0 || full.Find(part).Length() != 1 {
			t.Errorf("%s: %s is not there exactly where it is set", path, part)
		}
	}
}

// Who publishes the server is named as the operator wrote it, and can be written to.
func TestPublisherIsNamed(t *testing.T) {
	t.Parallel()
	doc := readPage(t, legal.Options{Publisher: publisher}, "who@example.org", "/legal?lang=fr")
	text := doc.Find("main").Text()
	testkit.Contains(t, text, publisher.Name, publisher.Address, publisher.Phone, publisher.Director, publisher.Host, publisher.Registration, publisher.VAT)
	if to := doc.Find("main a[href^='mailto:']").AttrOr("href", ""); !strings.HasPrefix(to, "mailto:who@example.org?subject=Arpent") {
		t.Errorf("mails go to %q", to)
	}
}

// Who looks for an address on the first page reads what becomes of it.
func TestSearchesWithoutAccountAreExplained(t *testing.T) {
	t.Parallel()
	for language, wants := range map[string][]string{"fr": {"n’est enregistrée nulle part", "une heure au plus", "jamais sur disque"}, "en": {"is recorded nowhere", "an hour at most", "never on disk"}} {
		text := readPage(t, legal.Options{Publisher: publisher}, "who@example.org", "/privacy?lang="+language).Find("#visitors").Text()
		testkit.Contains(t, text, wants...)
	}
}

// The times on the page are those of the code that removes things.
func TestRetentionIsThatOfTheCode(t *testing.T) {
	t.Parallel()
	o := legal.Options{Publisher: publisher, PaidPlans: true, Providers: []string{"GitHub"}}
	text := readPage(t, o, "who@example.org", "/privacy?lang=fr").Find("main").Text()
	testkit.Contains(t, text, "31\u00a0jours après", "91\u00a0jours après la connexion", "366\u00a0jours après l’autorisation", "360\u00a0jours", "361\u00a0jours", "8\u00a0jours si", "6\u00a0jours après", "26\u00a0heures", "29\u00a0jours", "3\u00a0jours", "28\u00a0heures", "362\u00a0jours", "24\u00a0heures après l’envoi",
		"13\u00a0jours après un échec", "61\u00a0jours sans utilisation", "401\u00a0jours au plus",
		"jusqu’à la réponse, 35\u00a0jours au plus", "44\u00a0jours", "GitHub", "Stripe")
	bare := readPage(t, legal.Options{Publisher: publisher}, "who@example.org", "/privacy?lang=fr").Find("main").Text()
	if strings.Contains(bare, "Stripe") || strings.Contains(bare, "GitHub") {
		t.Error("third parties are named that nothing is given to")
	}
	terms := strings.ReplaceAll(readPage(t, o, "who@example.org", "/terms?lang=en").Find("main").Text(), "\u00a0", " ")
	testkit.Contains(t, terms, "Free: 100 requests per day and 10 per minute", "Pro: €79 per month, excl. VAT, 25,000 requests per day", "in force for 9 days")
	if free := readPage(t, legal.Options{}, "", "/terms?lang=en").Find("#payment").Text(); strings.Contains(free, "Stripe") || !strings.Contains(free, "not on sale") {
		t.Errorf("where nothing is sold the terms say %q", free)
	}
}

// The terms say of each plan whether it is also sold by the year, and that what is paid is not refunded but
// under rights that the law gives.
func TestTermsSayWhatIsSoldByTheYear(t *testing.T) {
	t.Parallel()
	text := readPage(t, legal.Options{PaidPlans: true, YearlyPrices: map[string][]string{billing.Pro: {"price_1"}}}, "", "/terms?lang=en").Find("main").Text()
	testkit.Contains(t, text, "€19 per month, excl. VAT, 2,000", "€79 per month, excl. VAT, or paid by the year, 25,000",
		"there is no pro-rata refund for a year that has begun", "the period already paid is not refunded, unless the law entitles you to a refund")
}
