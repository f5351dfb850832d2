// Package stripesim stands in for Stripe in tests and on a developer's machine. It speaks the API version
// 2023-10-16 for what the service uses, keeps the state that stripe-mock does not keep, shows the pages on
// which a browser pays, has a clock that can be moved on, and sends signed webhooks.
//
// Each request of the API goes to a real stripe-mock first and is refused when the mock
// refuses it, so that a parameter that Stripe does not know fails here too. No money moves;
// every page says that it is a simulation. Tests and the command arpent-dev stripe-simulator
// start it, and the command refuses production mode.
package stripesim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"arpent/billing"
	"arpent/internal/clock"
)

// APIVersion is the only version that is answered, and the one that events are written in.
const APIVersion = "2023-10-16"

// What a simulator is called with. None of it opens anything.
const (
	DefaultKey           = "sk_test_simulator"
	DefaultWebhookSecret = "whsec_simulator"
	StandardPrice        = pricePrefix + billing.Standard
	ProPrice             = pricePrefix + billing.Pro
	pricePrefix          = "price_"

	StandardYearlyPrice = StandardPrice + yearlySuffix
	ProYearlyPrice      = ProPrice + yearlySuffix
	yearlySuffix        = "_yearly"
)

// Prices are the ids of the prices of all plans, by name of the plan.
func Prices() map[string]string {
	prices := map[string]string{}
	for _, plan := range billing.PaidNames() {
		prices[plan] = pricePrefix + plan
	}
	return prices
}

// PriceLists are the prices as a Gate takes them: several a plan.
func PriceLists() map[string][]string { return listPrices("") }

// YearlyPriceLists are those for a year, which cost ten months.
func YearlyPriceLists() map[string][]string { return listPrices(yearlySuffix) }

func listPrices(suffix string) map[string][]string {
	lists := map[string][]string{}
	for plan, price := range Prices() {
		lists[plan] = []string{price + suffix}
	}
	return lists
}

// AfterRetries is what becomes of a subscription whose last payment
// attempt failed, a setting of Stripe's dashboard.
type AfterRetries string

// The three choices that Stripe offers.
const (
	Cancel       AfterRetries = "cancel"
	MarkUnpaid   AfterRetries = "unpaid"
	LeavePastDue AfterRetries = "past_due"
)

// Options configures a simulator. The zero value is useful.
type Options struct {
	Addr         string       // to listen on; default 127.0.0.1 with any free port
	WebhookURL   string       // where events go; empty: they are kept, see SetWebhook
	Clock        clock.Clock  // what the simulator's time follows; default the machine's
	AfterRetries AfterRetries // default Cancel
	NoMock       bool         // do not ask stripe-mock
	// how often what has become due is done by itself; 0: at requests and at Advance only
	Tick time.Duration
}

// Simulator is a running one. It is safe for concurrent use.
type Simulator struct {
	options  Options
	url      string
	server   *http.Server
	mock     *mock
	webhooks *webhookSender
	stop     chan struct{}
	closing  sync.Once

	mu       sync.Mutex // of everything below
	offset   time.Duration
	at       time.Time // the time within the simulation, while something due is being done
	byID     map[string]any
	order    []any // all objects, in the order in which they were made
	events   []Event
	faults   faults
	answers  map[string]*answer // by idempotency key
	lastID   int
	revoked  bool // the key is
	run      string
	requests []Request

	endpoints    []Endpoint // see SetEndpoints
	endpointsSet bool
	taxMissing   []string
	bankDelay    time.Duration
	forbidden    string // beginning of the paths that the key has no permission for
}

// Start starts a simulator. Close it.
func Start(ctx context.Context, o Options) (*Simulator, error) {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:0")
	o.AfterRetries = cmp.Or(o.AfterRetries, Cancel)
	o.Clock = cmp.Or[clock.Clock](o.Clock, clock.Real{})
	if !slices.Contains([]AfterRetries{Cancel, MarkUnpaid, LeavePastDue}, o.AfterRetries) {
		return nil, fmt.Errorf("after the last attempt %q: cancel, unpaid or past_due", o.AfterRetries)
	}
	s := &Simulator{options: o, byID: map[string]any{}, answers: map[string]*answer{}, stop: make(chan struct{})}
	s.at = o.Clock.Now().Truncate(time.Second)
	s.run = strconv.FormatInt(time.Now().UnixMilli(), 36)
	for _, p := range billing.Paid() {
		s.SetPrice(Price{ID: pricePrefix + p.Name, Name: "Arpent " + p.Title, Cents: int64(p.PriceEuros) * 100,
			Currency: "eur", Interval: "month", TaxBehavior: "exclusive", Active: true})
		s.SetPrice(Price{ID: pricePrefix + p.Name + yearlySuffix, Name: "Arpent " + p.Title + ", a year",
			Cents: int64(p.PriceEuros) * 1000, Currency: "eur", Interval: yearly, TaxBehavior: "exclusive", Active: true})
	}
	s.SetPrice(Price{ID: ReservePrice, Name: "Arpent, request of a reserve", Decimal: "0.8", Currency: "eur",
		TaxBehavior: "exclusive", Active: true})
	if !o.NoMock {
		var err error
		if s.mock, err = sharedMock(); err != nil {
			return nil, err
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the simulator of Stripe: %w", err)
	}
	s.url = "http://" + listener.Addr().String()
	s.webhooks = newWebhookSender(o.WebhookURL, o.Clock.Now, s.Now)
	s.server = &http.Server{Handler: s.apiRoutes(), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go func() { _ = s.server.Serve(listener) }() // ends with ErrServerClosed
	go s.webhooks.sendLoop()
	if o.Tick > 0 {
		go s.runTicker()
	}
	return s, nil
}

// ForTest starts a simulator that ends with the test. Where stripe-mock can be neither found nor installed
// the test is skipped, and fails with CI set.
func ForTest(t testing.TB, o Options) *Simulator {
	t.Helper()
	s, err := Start(context.Background(), o)
	if errors.Is(err, ErrNoMock) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// URL is the address of the API and of the pages, without a slash at the end.
func (s *Simulator) URL() string { return s.url }

// Close ends the simulator and waits for nothing: events that were not delivered are lost.
func (s *Simulator) Close() {
	s.closing.Do(func() {
		close(s.stop)
		_ = s.server.Close()
		s.webhooks.cancel()
		<-s.webhooks.ended
	})
}

// SetWebhook says where events go from now on, and what they are signed with. Events that wait go there too.
func (s *Simulator) SetWebhook(url, secret string) {
	s.webhooks.updateState(func() { s.webhooks.url, s.webhooks.secret = url, secret })
}

// Now is the time within the simulation, in whole seconds as Stripe counts them.
func (s *Simulator) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.simulatedTime()
}

func (s *Simulator) runTicker() {
	ticker := time.NewTicker(s.options.Tick)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			s.CatchUp()
		}
	}
}

const idDigits = 6

// newID makes an identifier that looks like Stripe's and sorts in the order in which things
// were made. It names the run too: a database that remembers an earlier one must not take a
// new customer or event for one that it knows.
func (s *Simulator) newID(prefix string) string {
	s.lastID++
	return fmt.Sprintf("%s_sim%s%0*d", prefix, s.run, idDigits, s.lastID)
}
