package stripesim

import (
	"slices"
	"strconv"
	"time"
)

// The types of this file are Stripe's objects: their exported fields are what its
// JSON shows, the others what it knows besides.

// stamp is a time as Stripe writes it: seconds, or null when there is none.
type stamp struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (t stamp) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, t.Unix(), 10), nil
}

// base is what every object has.
type base struct {
	ID       string `json:"id,omitempty"`
	Object   string `json:"object"`
	Created  stamp  `json:"created"`
	Livemode bool   `json:"livemode"`
}

func (b *base) ident() string { return b.ID }

func (s *Simulator) now() stamp { return stamp{s.at} }

func (s *Simulator) newBase(prefix, kind string) base {
	return base{ID: s.newID(prefix), Object: kind, Created: s.now()}
}

// addObject keeps a new object.
func addObject[T any](s *Simulator, id string, v T) T {
	s.byID[id], s.order = v, append(s.order, v)
	return v
}

// findObject gets an object by its id. param is the parameter that names it; empty: the address does. With a
// customer who was deleted, Stripe lets nothing be done.
func findObject[T any](s *Simulator, id, param string) (T, error) {
	v, ok := s.byID[id].(T)
	if c, is := any(v).(*customer); !ok || is && c.deleted {
		return v, resourceMissing(param, id)
	}
	return v, nil
}

// listNewest are the objects of a kind that fit, the newest first, as Stripe lists things.
func listNewest[T any](s *Simulator, fits func(T) bool) (found []T) {
	for _, o := range slices.Backward(s.order) {
		if v, ok := o.(T); ok && (fits == nil || fits(v)) {
			found = append(found, v)
		}
	}
	return found
}

// list is a list inside an object, or an answer.
type list[T any] struct {
	Object  string `json:"object"`
	Data    []T    `json:"data"`
	HasMore bool   `json:"has_more"`
	URL     string `json:"url"`
}

func listOf[T any](url string, data ...T) list[T] {
	return list[T]{Object: "list", Data: data, URL: url}
}

// The statuses of a subscription, of a schedule and of a page of payment.
const (
	incomplete        = "incomplete"
	incompleteExpired = "incomplete_expired"
	active            = "active"
	pastDue           = "past_due"
	unpaid            = "unpaid"
	canceled          = "canceled"
)

type subscription struct {
	base
	Customer    string            `json:"customer"`
	Status      string            `json:"status"`
	Metadata    map[string]string `json:"metadata"`
	Currency    string            `json:"currency"`
	Anchor      stamp             `json:"billing_cycle_anchor"`
	Start       stamp             `json:"current_period_start"`
	End         stamp             `json:"current_period_end"`
	CancelAtEnd bool              `json:"cancel_at_period_end"`
	// under a schedule the end of its phase, whatever comes after it
	CancelAt   stamp          `json:"cancel_at"`
	CanceledAt stamp          `json:"canceled_at"`
	EndedAt    stamp          `json:"ended_at"`
	Invoice    string         `json:"latest_invoice,omitempty"`
	Schedule   string         `json:"schedule,omitempty"`
	Items      list[*item]    `json:"items"`
	Pending    *pendingUpdate `json:"pending_update"`
	Method     string         `json:"default_payment_method,omitempty"`
	Discount   *discount      `json:"discount"`
	Tax        automaticTax   `json:"automatic_tax"`
}

// discount is a coupon that was applied.
type discount struct {
	ID     string `json:"id"`
	Object string `json:"object"`
	Coupon struct {
		Percent int64 `json:"percent_off"`
	} `json:"coupon"`
}

// automaticTax is whether Stripe Tax computes a tax, and for an invoice what became of it.
type automaticTax struct {
	Enabled bool   `json:"enabled"`
	Status  string `json:"status,omitempty"`
}

// card is a payment method.
type card struct {
	base
	Type      string `json:"type"`
	Customer  string `json:"customer,omitempty"`
	behaviour Card
	used      bool // a payment succeeded
}

type item struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Price    *Price `json:"price"`
	Quantity int    `json:"quantity"`
}

// pendingUpdate is a change that waits for its payment.
type pendingUpdate struct {
	Expires stamp   `json:"expires_at"`
	Items   []*item `json:"subscription_items"`
	invoice string
}

// isLive reports whether anything may still happen to it.
func (b *subscription) isLive() bool { return b.Status != canceled && b.Status != incompleteExpired }

func (b *subscription) firstItem() *item { return b.Items.Data[0] }

// isPendingOn reports whether the subscription has a change that the invoice is for.
func (b *subscription) isPendingOn(i *invoice) bool {
	return b.Pending != nil && b.Pending.invoice == i.ID
}

type schedule struct {
	base
	Customer     string  `json:"customer"`
	Subscription string  `json:"subscription,omitempty"`
	Released     string  `json:"released_subscription,omitempty"`
	Status       string  `json:"status"`
	EndBehavior  string  `json:"end_behavior"`
	Phases       []phase `json:"phases"`
	due          time.Time
}

type phase struct {
	Start    stamp        `json:"start_date"`
	End      stamp        `json:"end_date"`
	Items    []phaseItem  `json:"items"`
	Method   string       `json:"default_payment_method,omitempty"`
	Tax      automaticTax `json:"automatic_tax"`
	discount *discount
	metadata map[string]string
}

type phaseItem struct {
	Price string `json:"price"`
}

// The statuses of an invoice.
const (
	draft = "draft"
	open  = "open"
	paid  = "paid"
	void  = "void"
)

type invoice struct {
	base
	Number       string `json:"number,omitempty"`
	Customer     string `json:"customer"`
	Subscription string `json:"subscription,omitempty"` // empty: an invoice of no subscription
	Status       string `json:"status"`
	Currency     string `json:"currency"`
	Reason       string `json:"billing_reason"`
	Subtotal     int64  `json:"subtotal"`
	Tax          int64  `json:"tax"`
	Total        int64  `json:"total"`
	Due          int64  `json:"amount_due"` // never negative
	Attempts     int    `json:"attempt_count"`
	NextAttempt  stamp  `json:"next_payment_attempt"`
	Start        stamp  `json:"period_start"`
	End          stamp  `json:"period_end"`
	Intent       string `json:"payment_intent,omitempty"`
	Charge       string `json:"charge,omitempty"`
	Transitions  struct {
		Finalized stamp `json:"finalized_at"`
		Paid      stamp `json:"paid_at"`
	} `json:"status_transitions"`
	Page         string        `json:"hosted_invoice_url,omitempty"`
	PDF          string        `json:"invoice_pdf,omitempty"`
	Lines        list[*line]   `json:"lines"`
	TaxState     automaticTax  `json:"automatic_tax"`
	LastError    *apiError     `json:"last_finalization_error"`
	CustomerName string        `json:"customer_name,omitempty"`
	Fields       []customField `json:"custom_fields"`

	Method   string            `json:"default_payment_method,omitempty"`
	Metadata map[string]string `json:"metadata"`
}

type line struct {
	ID              string   `json:"id"`
	Object          string   `json:"object"`
	Amount          int64    `json:"amount"` // before discounts
	Currency        string   `json:"currency"`
	Text            string   `json:"description"`
	Proration       bool     `json:"proration"`
	Price           *Price   `json:"price"`
	DiscountAmounts []object `json:"discount_amounts"`
	TaxAmounts      []object `json:"tax_amounts"`
	Quantity        int64    `json:"quantity,omitempty"`
}

type intent struct {
	base
	Status   string `json:"status"`
	Amount   int64  `json:"amount"`
	Customer string `json:"customer"`
	Invoice  string `json:"invoice"`
}

// The statuses of a charge.
const (
	succeeded = "succeeded"
	failed    = "failed"
	pending   = "pending"
)

type charge struct {
	base
	Amount         int64  `json:"amount"`
	AmountRefunded int64  `json:"amount_refunded"`
	Currency       string `json:"currency"`
	Customer       string `json:"customer"`
	Invoice        string `json:"invoice"`
	Intent         string `json:"payment_intent"`
	Paid           bool   `json:"paid"`
	Refunded       bool   `json:"refunded"`
	Disputed       bool   `json:"disputed"`
	Status         string `json:"status"`
	Details        object `json:"payment_method_details"`
}

type dispute struct {
	base
	Charge string `json:"charge"`
	Amount int64  `json:"amount"`
	Status string `json:"status"`
}
