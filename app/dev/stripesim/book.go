package stripesim

import (
	"slices"
	"time"

	"arpent/billing"
)

// book is everything that Stripe would know.
type book struct {
	products      table[*product]
	prices        table[*Price]
	customers     table[*customer]
	cards         table[*card]
	sessions      table[*session]
	portals       table[*portal]
	subscriptions table[*subscription]
	schedules     table[*schedule]
	invoices      table[*invoice]
	charges       table[*charge]
	refunds       table[*refund]
	disputes      table[*dispute]
	events        table[*Event]
}

func newBook() book { return book{} }

// table keeps things in the order in which they were made.
type table[T any] struct {
	ids  []string
	byID map[string]T
}

func (t *table[T]) add(id string, v T) T {
	if t.byID == nil {
		t.byID = map[string]T{}
	}
	t.ids = append(t.ids, id)
	t.byID[id] = v
	return v
}

func (t *table[T]) get(id string) (T, bool) {
	v, ok := t.byID[id]
	return v, ok
}

// all gives them in the order in which they were made.
func (t *table[T]) all() []T {
	found := make([]T, 0, len(t.ids))
	for _, id := range t.ids {
		found = append(found, t.byID[id])
	}
	return found
}

// newest gives those that fit, the newest first, as Stripe lists things.
func (t *table[T]) newest(fits func(T) bool) []T {
	var found []T
	for _, id := range slices.Backward(t.ids) {
		if v := t.byID[id]; fits == nil || fits(v) {
			found = append(found, v)
		}
	}
	return found
}

type product struct {
	id, name string
	active   bool
}

// Price is one of the catalogue. SetPrice changes it, so that a test shows what a wrong one does.
type Price struct {
	ID          string
	Name        string // of its product
	Cents       int64  // without tax
	Currency    string
	Interval    string
	TaxBehavior string
	Active      bool
	product     string
}

// addCatalogue makes the products that the service sells.
func (s *Simulator) addCatalogue() {
	for _, p := range billing.Plans() {
		if p.PriceEuros > 0 {
			s.setPrice(Price{ID: "price_" + p.Name, Name: "Arpent " + p.Title, Cents: int64(p.PriceEuros) * 100,
				Currency: "eur", Interval: "month", TaxBehavior: "exclusive", Active: true})
		}
	}
}

// SetPrice adds or replaces a price. What is subscribed to already keeps its id.
func (s *Simulator) SetPrice(p Price) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setPrice(p)
}

func (s *Simulator) setPrice(p Price) {
	if known, ok := s.prices.get(p.ID); ok {
		p.product = known.product
		*known = p
		return
	}
	made := s.products.add("prod_"+p.ID, &product{id: "prod_" + p.ID, name: p.Name, active: true})
	p.product = made.id
	s.prices.add(p.ID, &p)
}

type address struct{ Line1, PostalCode, City, Country string }

type customer struct {
	id, email, name string
	locales         []string
	address         *address
	metadata        map[string]string
	taxIDs          []taxID
	card            string // default for invoices
	balance         int64  // cents; negative: credit that the next invoices use up
	created         time.Time
	invoices        int // numbered so far
	deleted         bool
}

type taxID struct {
	id, kind, value string
	created         time.Time
}

// Card is how a payment method behaves.
type Card string

// The cards that the pages offer.
const (
	CardOK        Card = "ok"          // every payment succeeds
	CardDeclined  Card = "declined"    // every payment fails
	CardFailsNext Card = "fails_later" // the first payment succeeds, every later one fails
	CardAsks      Card = "asks"        // payments without the customer wait until it is confirmed on the invoice's page
	Debit         Card = "debit"       // SEPA Direct Debit: each payment is under way until ClearDebit decides it
)

type card struct {
	id, customer string
	behaviour    Card
	used         bool // a payment succeeded
	created      time.Time
}

// wouldWork tells whether the next payment succeeds.
func (c *card) wouldWork() bool {
	return c.behaviour == CardOK || c.behaviour == CardAsks || c.behaviour == Debit || (c.behaviour == CardFailsNext && !c.used)
}

// works does one payment.
func (c *card) works() bool {
	ok := c.wouldWork()
	c.used = c.used || ok
	return ok
}

type session struct {
	id, customer, price, status, locale, reference, successURL, cancelURL, subscription string
	metadata, subscriptionMetadata                                                      map[string]string
	paid, tax, taxIDs, address                                                          bool
	created, expires                                                                    time.Time
}

type portal struct {
	id, customer, locale, returnURL string
	created                         time.Time
}

type subscription struct {
	id, customer, item, price, status, card, invoice, schedule string
	metadata                                                   map[string]string
	created, start, end, anchor                                time.Time // start and end: the current period
	cancelAtEnd                                                bool
	canceledAt, endedAt                                        time.Time
	reason                                                     string // why it was canceled
	automaticTax                                               bool
	pending                                                    *pendingUpdate
	carry                                                      []line // prorations that the next invoice takes
}

// pendingUpdate is a change that waits for its payment.
type pendingUpdate struct {
	price, invoice string
	expires        time.Time
}

// live tells whether anything may still happen to it.
func (s *subscription) live() bool { return s.status != canceled && s.status != incompleteExpired }

// The statuses of a subscription.
const (
	incomplete        = "incomplete"
	incompleteExpired = "incomplete_expired"
	active            = "active"
	pastDue           = "past_due"
	unpaid            = "unpaid"
	canceled          = "canceled"
)

type schedule struct {
	id, customer, subscription, released, status, endBehavior string
	phases                                                    []phase
	created, done                                             time.Time // done: what is due up to then was done
}

type phase struct {
	price      string
	start, end time.Time
}

type line struct {
	id, price, text string
	cents, tax      int64
	proration       bool
	start, end      time.Time
}

type invoice struct {
	id, number, customer, subscription, status, reason, intent, charge string
	lines                                                              []line
	taxCents, fromBalance, paidCents                                   int64
	created, finalized, paidAt, start, end                             time.Time
	draftUntil, nextAttempt                                            time.Time // zero: nothing is due
	attempts                                                           int
	confirm                                                            bool // the bank asks the customer to confirm
}

// The statuses of an invoice.
const (
	draft         = "draft"
	open          = "open"
	paid          = "paid"
	uncollectible = "uncollectible"
	void          = "void"
)

func (i *invoice) subtotal() (cents int64) {
	for _, l := range i.lines {
		cents += l.cents
	}
	return cents
}

func (i *invoice) total() int64 { return i.subtotal() + i.taxCents }

// due is what has to be paid by card: a negative total becomes credit.
func (i *invoice) due() int64 { return max(0, i.total()-i.fromBalance) }

type charge struct {
	id, customer, invoice, intent, card string
	cents, refunded                     int64
	ok, pending, disputed               bool
	created                             time.Time
}

type dispute struct {
	id, charge, intent, status string
	cents                      int64
	created                    time.Time
}

type refund struct {
	id, charge, reason string
	cents              int64
	created            time.Time
}
