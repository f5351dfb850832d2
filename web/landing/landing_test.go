package landing_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/internal/fault"
	topicreport "arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
	"arpent/web"
	"arpent/web/landing"
)

// Without scripts the address box is a plain form that leads to the explorer, and a parcel of the plan shows
// what is public about it, in the language of the reader.
func TestPageIsPlainForms(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.makeExample(t)
	for language, want := range map[string][3]string{
		"fr": {"Parcelle AB 42, Bondy", "catégorie 2 sur 3", "Non chargé sur ce serveur"},
		"en": {"Parcel AB 42, Bondy", "category 2 of 3", "Not loaded on this server"},
	} {
		_, page := s.getPage(t, "/?lang="+language)
		form := page.Find("form.box")
		if form.AttrOr("method", "") != "get" || form.AttrOr("action", "") != "/explore" || form.Find("#adresse").AttrOr("name", "") != "q" ||
			form.Find("[name=lang]").AttrOr("value", "") != language || form.Find(`label[for=adresse]`).Length() != 1 || form.Find("button").Length() != 1 {
			t.Fatalf("%s: the box is no plain form", language)
		}
		res, shown := s.getPage(t, "/?lang="+language+"&parcelle="+parcelIDU(42))
		text := shown.Find("#demo").Text()
		for _, part := range append(want[:], "ASNR, 2019", parcelIDU(42)+"/enrichments") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not shown", language, part)
			}
		}
		if res.StatusCode != http.StatusOK || res.Header.Get("X-Robots-Tag") != "noindex" {
			t.Errorf("%s: %d, robots %q", language, res.StatusCode, res.Header.Get("X-Robots-Tag"))
		}
	}
}

// The prices are given in full at one place, and each producer is named once.
func TestPricesAndProducersAreGivenOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, page := s.getPage(t, "/?lang=fr")
	text := page.Find("main").Text()
	for _, once := range []string{"19\u00a0€ par mois", "Producteurs\u00a0: Cerema, DHUP, IGN, Ministère de l’Intérieur (SSMSI)."} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q is there %d times", once, n)
		}
	}
	if n := strings.Count(text, "Gratuit jusqu’à 100\u00a0requêtes par jour"); n != 2 {
		t.Errorf("the free quota is given %d times", n)
	}
}

// A link with an address that was kept or shared before the explorer showed addresses still leads to them.
func TestFormerLinksLeadToTheExplorer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, want := range map[string]string{
		"/?adresse=12+rue+Blanqui,+Bondy":         "/explore?q=12+rue+Blanqui%2C+Bondy",
		"/?adresse=%C3%A9cole+%26+mairie&lang=en": "/explore?q=%C3%A9cole+%26+mairie&lang=en",
		"/?adresse=": "",
		"/?adresse=Bondy&parcelle=" + parcelIDU(42): "",
	} {
		res, _ := s.getPage(t, path)
		if got := res.Header.Get("Location"); got != want || (res.StatusCode == http.StatusFound) != (want != "") {
			t.Errorf("%s: %d to %q, want %q", path, res.StatusCode, got, want)
		}
	}
}

// An address that is only near is not taken for that of the parcel, nor proposed to be typed.
func TestNearestAddressIsNotTheParcels(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.makeExample(t)
	for language, want := range map[string]string{
		"fr": "2 Rue Basse (une adresse voisine, à 14\u00a0m)", "en": "2 Rue Basse (an address nearby, 14\u00a0m away)",
	} {
		_, page := s.getPage(t, "/?lang="+language+"&parcelle="+parcelIDU(5))
		if text := page.Find("#demo").Text(); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not shown: %s", language, want, text)
		}
		if link := page.Find(`form.box a[href*="Basse"]`); link.Length() != 0 {
			t.Errorf("%s: it is proposed", language)
		}
	}
}

// The plan is one list and its button for the keyboard and for screen readers, not a stop for each of its
// parcels; the list has them all, and the one that is shown is chosen in it.
func TestPlanIsOneList(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.makeExample(t)
	_, page := s.getPage(t, "/?lang=en")
	plan := page.Find("#plan")
	if n := plan.Find(`svg a:not([tabindex="-1"])`).Length(); n != 0 || plan.Find("svg[aria-hidden=true] a").Length() != 5 {
		t.Errorf("%d parcels are stops", n)
	}
	if plan.Find("label[for=parcelle]").Length() != 1 || plan.Find("option").Length() != 5 || plan.Find("option[selected]").AttrOr("value", "") != example {
		t.Errorf("%d parcels in the list, %q is chosen", plan.Find("option").Length(), plan.Find("option[selected]").AttrOr("value", ""))
	}
	_, page = s.getPage(t, "/?lang=en&parcelle="+parcelIDU(5))
	if got := page.Find("#plan option[selected]").AttrOr("value", ""); got != parcelIDU(5) || page.Find("#plan option").Length() != 5 {
		t.Errorf("%q is chosen", got)
	}
}

// Whatever visitors without an account ask for, the page costs the service no more than it is meant to:
// nothing for the example and for what was made before, for a client what the free plan gives, for a network
// a quarter of what all have, and for all of them one report a second.
func TestCostIsBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.makeExample(t)
	for range 50 {
		s.getPage(t, "/")
		s.getPage(t, "/?parcelle="+parcelIDU(2)) // made with the example
	}
	if len(s.ran) != 0 {
		t.Errorf("the example costs %v", s.ran)
	}
	next := 6 // the parcels before it are made with the example
	ask := func(client string) (*http.Response, *goquery.Document) {
		t.Helper()
		s.client = client
		res, page := s.getPage(t, "/?lang=en&parcelle="+parcelIDU(next))
		switch res.StatusCode {
		case http.StatusOK:
			next++
		case http.StatusTooManyRequests:
		default:
			t.Fatalf("parcel %d: %d", next, res.StatusCode)
		}
		return res, page
	}
	const ofNetwork = 5 // at once, of 20 for all
	free, _ := billing.Find(billing.Free)
	for n := range 2 * free.PerMinute {
		if n >= ofNetwork {
			if res, _ := ask("192.0.2.1"); res.StatusCode == http.StatusOK {
				t.Fatalf("parcel %d of one network at the same moment", n)
			}
			s.clock.Advance(4 * time.Second)
		}
		if res, _ := ask("192.0.2.1"); res.StatusCode != http.StatusOK {
			t.Fatalf("parcel %d of a client: %d", n, res.StatusCode)
		}
	}
	s.clock.Advance(time.Minute)
	res, page := ask("192.0.2.1")
	if res.StatusCode == http.StatusOK || res.Header.Get("Retry-After") == "" || page.Find(`#said a[href^="/signup"]`).Length() != 1 {
		t.Fatalf("a client that has had its reports: %d, and is not shown what to do", res.StatusCode)
	}
	count := func() int { return s.ran["get_parcel_enrichments"] }
	made := count()
	for n := range 60 { // as many networks
		ask(fmt.Sprintf("198.51.%d.1", n))
	}
	if more := count() - made; made != 2*free.PerMinute || more != 20 {
		t.Errorf("%d reports for one client, %d for all networks at the same moment", made, more)
	}
	made = count()
	s.clock.Advance(7 * time.Second)
	for n := range 60 {
		ask(fmt.Sprintf("203.0.%d.1", n))
	}
	if more := count() - made; more != 7 {
		t.Errorf("%d reports in 7 seconds", more)
	}
}

// A network that asks from 200 of its /64s at once has one report under way, and another network finds the
// second slot. A third one is refused: the callers of the API have the rest of the database.
func TestTwoConcurrentReportsAtATime(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.makeExample(t)
	s.held = make(chan struct{})
	attack, other, third := make(chan int, 200), make(chan int, 1), make(chan int, 1)
	ask := func(answer chan int, n int, client string) {
		go func() {
			res, _ := s.getPageAs(t, client, "/?parcelle="+parcelIDU(10+n))
			answer <- res.StatusCode
		}()
	}
	for n := range 200 {
		ask(attack, n%80, fmt.Sprintf("2001:db8:1:%x::1", n))
	}
	s.awaitReports(t, 1)
	ask(other, 80, "198.51.100.1")
	s.awaitReports(t, 2)
	ask(third, 81, "203.0.113.1")
	if code := <-third; code != http.StatusTooManyRequests {
		t.Errorf("%d for a third network while two reports are under way", code)
	}
	for range 199 {
		if code := <-attack; code != http.StatusTooManyRequests {
			t.Errorf("%d for one of the network while its first report is under way", code)
		}
	}
	close(s.held)
	for name, code := range map[string]chan int{"the network": attack, "the other network": other} {
		if status := <-code; status != http.StatusOK {
			t.Errorf("%d for the report of %s", status, name)
		}
	}
}

// An address that has made too many requests without a key makes no more through this page.
func TestAnonymousLimitHolds(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.makeExample(t)
	s.refused = &fault.Error{Code: fault.RateLimited, RetryAfter: 30 * time.Second}
	if res, _ := s.getPage(t, "/?parcelle="+parcelIDU(42)); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") != "30" {
		t.Errorf("%d, %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
	if len(s.ran) != 0 {
		t.Errorf("it costs %v", s.ran)
	}
}

// While the database is away the page states it, and shows what it has in memory;
// it is never an error in place of the page.
func TestFailureIsASentence(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]error{"database away": fault.Down("down", io.EOF), "a defect": io.ErrUnexpectedEOF} {
		s := newService(t)
		s.failed = failed
		for path, want := range map[string]int{"/?lang=en": http.StatusOK, "/?lang=en&parcelle=" + parcelIDU(2): http.StatusServiceUnavailable} {
			res, page := s.getPage(t, path)
			text := page.Find("#said, #demo").Text()
			if res.StatusCode != want || !strings.Contains(text, "The report cannot be read at the moment") || page.Find("h1").Length() != 1 || page.Find("form.box").Length() != 1 {
				t.Errorf("%s, %s: %d\n%s", name, path, res.StatusCode, text)
			}
			if !strings.Contains(text, "/api/v1/parcelles/9301") || page.Find(".report").Length() != 0 {
				t.Errorf("%s, %s: the parcel in memory is not shown", name, path)
			}
		}
		s.failed = nil
		s.makeExample(t)
		s.failed = failed
		if res, page := s.getPage(t, "/?lang=en"); res.StatusCode != http.StatusOK || page.Find(".report").Length() != 1 || page.Find("main .notice").Length() != 0 {
			t.Errorf("%s: the example that was made before is lost", name)
		}
	}
}

var ownScript = regexp.MustCompile(`^/assets/suggest\.[0-9a-f]{10}\.js$`)

// What is no parcel of this server is answered with what to do, and never with another parcel as if it were
// the one.
func TestUnknownParcels(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.makeExample(t)
	res, page := s.getPage(t, "/?lang=en&parcelle=%3Cscript%3E")
	text := page.Find("[role=status] .notice").Text()
	if res.StatusCode != http.StatusNotFound || !strings.Contains(text, "This parcel is not loaded") || !strings.Contains(text, "below is an example") {
		t.Errorf("%d, %q", res.StatusCode, text)
	}
	script := page.Find("main script")
	if script.Length() != 1 || script.Text() != "" || !ownScript.MatchString(script.AttrOr("src", "")) {
		t.Error("the reference became markup")
	}
}

// No example of a trade promises what the server does not hold.
func TestTradesPromiseWhatIsLoaded(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Status: func() web.Status { return web.Status{Layers: []string{"radon"}} }})
	landing.New(landing.Options{Site: site, Plans: billing.Plans(), Layers: map[string][]string{"radon": {"radon"}, "rga": {"rga"}}}).Register(app)
	s := &service{app: app}
	for language, want := range map[string]string{"fr": "Non chargé sur ce serveur", "en": "Not loaded on this server"} {
		_, page := s.getPage(t, "/?lang="+language)
		first := page.Find(".trades dd").First()
		if held, lacking := first.ChildrenFiltered("code").Text(), first.Find("small").Text(); held != "radon" || !strings.Contains(lacking, want) || !strings.Contains(lacking, "rga") {
			t.Errorf("%s: %q is held, %q is not", language, held, lacking)
		}
		page.Find(".trades code").Each(func(_ int, code *goquery.Selection) {
			for name := range strings.SplitSeq(code.Text(), ", ") {
				if !slices.ContainsFunc(topic.Report().Keys(), func(k topicreport.Key) bool { return k.Name == name }) {
					t.Errorf("%s is no key of the report", name)
				}
			}
		})
	}
}
