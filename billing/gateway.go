package billing

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"arpent/internal/ident"
)

// Gateway is the way to Stripe: the stripegate.Gate, whose methods say what they do. A call ends within
// seconds, with ErrUnavailable where Stripe does not answer; repeating one buys nothing twice.
type Gateway interface {
	CheckPrices(ctx context.Context) error
	CheckSetup(ctx context.Context) []SetupCheck

	Verify(ctx context.Context, body []byte, signature string) (Event, error)
	Read(ctx context.Context, c Customer) (Snapshot, []Finding, error)
	LiveSubscriptions(ctx context.Context, after string) (page []LiveSubscription, next string, err error)

	CreateCustomer(ctx context.Context, r CustomerRequest) (customer string, err error)
	Checkout(ctx context.Context, r CheckoutRequest) (url string, err error)
	SessionCustomer(ctx context.Context, session string) (customer string, err error)
	PortalURL(ctx context.Context, customer, lang string) (string, error)

	YearlyPrices(ctx context.Context) (map[string]int64, error)
	Preview(ctx context.Context, subscription string, to Offer) (Preview, error)
	Upgrade(ctx context.Context, subscription string, to Offer, previewed time.Time, key string) error
	Downgrade(ctx context.Context, subscription string, to Offer) error
	CancelAtPeriodEnd(ctx context.Context, subscription string, on bool) error
	CancelNow(ctx context.Context, subscription string) error
	FinalizeInvoice(ctx context.Context, subscription string) error
	EndDuplicate(ctx context.Context, subscription string) error
	CloseCustomer(ctx context.Context, c ClosedCustomer) (found bool, err error)

	Invoices(ctx context.Context, customer string, n int) ([]Invoice, error)
	Upcoming(ctx context.Context, subscription string) (*Invoice, error)
	Billing(ctx context.Context, customer string) (Billing, error)
	SetBilling(ctx context.Context, customer string, b Billing, lang string) error
	MoveEmail(ctx context.Context, customer, former, email string) error

	SellsReserve() bool
	ReservePrice(ctx context.Context) (cents int64, err error)
	DraftReserve(ctx context.Context, r ReserveInvoice) (invoice string, err error)
	ChargeReserve(ctx context.Context, invoice string, r ReserveInvoice) error
	IsInvoiceClosed(ctx context.Context, invoice string) (bool, error)
}

// SetupCheck is what was found of one part of the settings at Stripe.
type SetupCheck struct {
	Subject, Seen string
	WayOut        string // empty: nothing has to be done
}

// The outcomes of a Gateway that a caller distinguishes. Others are
// faults of this program or of the configuration.
var (
	ErrUnavailable  = errors.New("stripe does not answer")
	ErrDeclined     = errors.New("the card was declined")
	ErrNoCustomer   = errors.New("no such Stripe customer")
	ErrUnknownPrice = errors.New("a subscription has a price that is not configured")
	ErrVAT          = errors.New("stripe refuses the VAT number")
	ErrBillText     = fmt.Errorf("a text on bills has %d characters at most, without control characters", MaxBillText)
	// ErrBillFieldsFull: the operator has set as many custom fields of a customer as Stripe takes.
	ErrBillFieldsFull = errors.New("the customer has no custom field left for a purchase order")
	// ErrAnswered comes with each error that Stripe answered with, and may repeat for the same idempotency
	// key.
	ErrAnswered = errors.New("stripe answered with an error")
	// ErrKeyRefused comes with ErrUnavailable: the key was revoked, or may not do what was asked for.
	ErrKeyRefused = errors.New("stripe refuses the key")
	// ErrDelayed: the payment method is decided days later, so that a change cannot be paid at once.
	ErrDelayed = errors.New("the payment method is no card and no wallet")
	// ErrChanged: Stripe has another offer or another period than the change was computed for.
	ErrChanged = errors.New("the subscription has changed at Stripe meanwhile")
	// ErrOtherItems: Stripe gives all items of a subscription one interval, and another item stands in the way.
	ErrOtherItems = errors.New("another item of the subscription has another interval")
	// ErrProcessing: the payment is under way; the change takes effect when it arrives.
	ErrProcessing = errors.New("the payment is under way")
)

// ActionError: the bank wants the customer to confirm, at URL; the change takes effect then.
type ActionError struct{ URL string }

func (e *ActionError) Error() string { return "the bank asks the customer to confirm the payment" }

// DuplicateError: a customer pays for something in addition to the subscription to keep: a second
// one, or one that had ended before it was paid.
type DuplicateError struct{ Keep, Extra string }

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("paid in addition to subscription %s: %s", e.Keep, e.Extra)
}

// EventError: a webhook call that is not authentic. Reason is one of a short list, fit for a metric.
type EventError struct {
	Reason string // signature, old, malformed, version, account, livemode
	Cause  error
}

func (e *EventError) Error() string { return fmt.Sprintf("event refused: %s: %v", e.Reason, e.Cause) }
func (e *EventError) Unwrap() error { return e.Cause }

// Event is an authentic webhook call.
type Event struct {
	ID, Type string
	Created  time.Time // at Stripe
	Customer string    // whom it is about; empty: no customer
	Relevant bool      // after such an event the customer is read anew
	Payload  []byte
}

// Customer names a customer at Stripe. What carries another reference than that of its account is not judged.
type Customer struct{ ID, Reference string }

// CustomerRequest asks for the customer of an account.
type CustomerRequest struct {
	Account   ident.AccountID
	Reference string
	Email     string
	Language  string // fr or en
	Attempt   string // the same for a form sent twice
}

// CheckoutRequest asks for a page on which to subscribe.
type CheckoutRequest struct {
	Account  ident.AccountID
	Customer Customer
	Offer    Offer
	Language string // fr or en
	Attempt  string // the same for a form sent twice
}

// LiveSubscription is one of those that LiveSubscriptions lists.
type LiveSubscription struct{ ID, Customer, Plan string }

// Preview is what a change of plan costs, tax included.
type Preview struct {
	DueNowCents int64
	Currency    string
	At          time.Time // the instant that was computed for: give it to Upgrade
	NextCents   int64     // the next regular invoice
	NextAt      time.Time
}

// ErrNoOffer: the plan is not sold for that time.
var ErrNoOffer = errors.New("the plan is not sold for that time")

// Invoice is a bill.
type Invoice struct {
	Number        string // empty: not issued yet
	At            time.Time
	TotalCents    int64 // tax included
	DueCents      int64 // of TotalCents, what is charged: the credit of the customer is taken off
	RefundedCents int64 // of what was paid; Invoices alone reads it
	Currency      string
	Status        string // draft, open, paid, void, uncollectible
	PDF, Page     string // addresses at Stripe
	OfPlan        bool   // it is for the subscription
	Upgrade       bool   // it is for a change to a better plan, which takes effect when it is paid
}

// Billing is where bills go and to whom they are made out. A text that is empty is not on them.
type Billing struct {
	Email, VAT             string
	Company, PurchaseOrder string
	// VATStatus is what the register of the country says of the number: pending, verified,
	// unverified or unavailable; empty: not asked.
	VATStatus string
}

// Unverified is the VATStatus of a number that the register does not know.
const Unverified = "unverified"

// MaxBillText is how many characters the name or the purchase order on bills may have: as many as Stripe
// takes in a custom field.
const MaxBillText = 140

// ParseBillText gives a text for bills as one line without needless spaces; ErrBillText when it is too long
// or has bytes that are no text.
func ParseBillText(text string) (string, error) {
	line := strings.Join(strings.Fields(text), " ")
	if !utf8.ValidString(line) || utf8.RuneCountInString(line) > MaxBillText ||
		strings.ContainsFunc(line, unicode.IsControl) {
		return "", ErrBillText
	}
	return line, nil
}

// vatForm is what a VAT number looks like; whether it exists is Stripe's to say.
var vatForm = regexp.MustCompile(`^[A-Z]{2}[0-9A-Z+*.]{2,18}$`)

// ParseVAT gives a VAT number as Stripe takes it; ErrVAT when it cannot be one.
func ParseVAT(text string) (string, error) {
	vat := strings.ToUpper(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .-\u00a0\u202f", r) {
			return -1
		}
		return r
	}, text))
	if vat != "" && !vatForm.MatchString(vat) {
		return "", ErrVAT
	}
	return vat, nil
}
