package landing_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/web"
	"arpent/web/landing"
)

// service stands in for the API: it has a hundred parcels in a row.
type service struct {
	mu      sync.Mutex
	clock   *clock.Fixed
	ran     map[string]int // calls by operation
	refused error          // what Admit returns
	failed  error          // what Run returns
	held    chan struct{}  // reports wait for it; nil: they do not
	finder  *landing.Finder
	app     *fiber.App
	client  string
}

const example = "93010000AB0003"

func parcelIDU(n int) string { return fmt.Sprintf("93010000AB%04d", n) }

func squareOutline(n int) web.Outline {
	x := 2.48 + float64(n)*0.0003
	return web.Outline{IDU: parcelIDU(n), Rings: [][][2]float64{{{x, 48.9}, {x + 0.0003, 48.9}, {x + 0.0003, 48.9003}, {x, 48.9003}, {x, 48.9}}},
		Answer: []byte(`{"idu":"` + parcelIDU(n) + `"}`)}
}

func drawSheet(first, last int) *web.Sheet {
	var all []web.Outline
	for n := first; n <= last; n++ {
		all = append(all, squareOutline(n))
	}
	return web.Draw("Bondy", all)
}

func (s *service) runOperation(ctx context.Context, operation string, arguments map[string]string) ([]byte, error) {
	s.mu.Lock()
	s.ran[operation]++
	failed, held := s.failed, s.held
	s.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	switch idu := arguments["idu"]; operation {
	case "get_parcel":
		return []byte(`{"idu":"` + idu + `","commune":"Bondy","section":"AB","numero":"` + idu[10:] + `","contenance":137}`), nil
	default:
		if held != nil {
			select {
			case <-held:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return []byte(`{"idu":"` + idu + `","enrichments":{"radon":{"category":2},` +
			`"address":{"label":"2 Rue Basse","match":"near","distanceM":14}},"states":{"radon":{"state":"value","vintage":"2019"}, "seisme":{"state":"not_loaded"}},` +
			`"lists":{},"sources":[{"producer":"ASNR","keys":["radon"]}]}`), nil
	}
}

// producers are loaded data sets whose producers are declared in several ways.
var producers = []web.Source{{Producer: "Cerema"}, {Producer: "DHUP et Cerema; IGN"},
	{Producer: "Ministère de l'Intérieur"}, {Producer: "Ministère de l'Intérieur (SSMSI)"}}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{clock: clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)), ran: map[string]int{}, client: "192.0.2.1"}
	first := drawSheet(1, 5)
	s.finder = landing.NewFinder(s.clock, landing.Calls{
		Admit:  func(netip.Addr) error { return s.refused },
		Run:    s.runOperation,
		Around: func(string) (*web.Sheet, error) { return drawSheet(1, 100), nil },
		Sheet:  func() *web.Sheet { return first },
	})
	s.app = fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Accounts: true, Status: func() web.Status { return web.Status{Sheet: first, Sources: producers} }})
	landing.New(landing.Options{Site: site, Plans: billing.Plans(), Finder: s.finder, Suggest: "/suggest",
		Client: func(c *fiber.Ctx) netip.Addr { return netip.MustParseAddr(c.Get("Client")) }}).Register(s.app)
	return s
}

// makeExample makes the example.
func (s *service) makeExample(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.finder.Run(ctx); close(ended) }()
	for deadline := time.Now().Add(2 * time.Minute); s.finder.Example() == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("there is no example")
		}
	}
	cancel()
	<-ended
	s.ran = map[string]int{}
}

// awaitReports waits until so many reports were begun.
func (s *service) awaitReports(t *testing.T, n int) {
	t.Helper()
	testkit.Eventually(t, testkit.Timeout, fmt.Sprintf("%d reports are under way", n), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.ran["get_parcel_enrichments"] == n
	})
}

func (s *service) getPage(t *testing.T, path string) (*http.Response, *goquery.Document) {
	t.Helper()
	return s.getPageAs(t, s.client, path)
}

// getPageAs gets a page for a client.
func (s *service) getPageAs(t *testing.T, client, path string) (*http.Response, *goquery.Document) {
	t.Helper()
	res, body := testkit.Get(t, s.app, path, "Client", client)
	page := testkit.Must(goquery.NewDocumentFromReader(strings.NewReader(body)))(t)
	return res, page
}
