package billing

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Row is an account and its subscription.
type Row struct {
	Account         ident.AccountID
	Email, Language string
	Granted         string // what the operator gave
	Plan            string // in force, as it was written last
	Reference       string // random, in the metadata of what is made for the account at Stripe
	State                  // CustomerID is empty for an account that has never begun to pay
}

// AtStripe names the customer that the account is at Stripe.
func (r Row) AtStripe() Customer { return Customer{ID: r.CustomerID, Reference: r.Reference} }

// InForce is the plan whose limits hold at now.
func (r Row) InForce(now time.Time) (plan string, until *time.Time) {
	return InForce(r.State, r.Granted, now)
}

// Without is the plan that the account has without the subscription, and whether that is one that the
// operator granted and no lower: then whatever becomes of the subscription, the limits stay.
func (r Row) Without() (plan string, kept bool) {
	plan, _ = InForce(State{}, r.Granted, time.Time{})
	return plan, plan != Free && !Above(r.Snapshot.Plan, plan)
}

// The outcomes that a caller distinguishes.
var (
	// ErrNoAccount: no account has that customer at Stripe.
	ErrNoAccount = errors.New("no account has this Stripe customer")
	// ErrOtherCustomer: the account has another customer already, or another account has this one.
	ErrOtherCustomer = errors.New("the account has another Stripe customer")
)

//go:embed subscription_find.sql
var findSubscription string

// Which account: the conditions that are added to findSubscription.
const (
	whereAccount  = ` WHERE a.id = $1`
	whereCustomer = ` WHERE s.customer_id = $1`
)

// Customer reads an account and what is known of its subscription. An
// account that never paid has no CustomerID.
func (s *Service) Customer(ctx context.Context, account ident.AccountID) (Row, error) {
	return readRow(ctx, s.db, fault.Missing("There is no such account."), whereAccount, account)
}

// ByCustomer finds the account that is that customer at Stripe; ErrNoAccount when there is none.
func (s *Service) ByCustomer(ctx context.Context, customerID string) (Row, error) {
	return readRow(ctx, s.db, ErrNoAccount, whereCustomer, customerID)
}

const saveCustomer = `
INSERT INTO account.subscription (account_id, customer_id, updated_at) VALUES ($1, $2, $3)
ON CONFLICT (account_id) DO UPDATE SET customer_id = account.subscription.customer_id RETURNING customer_id`

// SaveCustomer stores the account's customer id at Stripe. Repeating it changes nothing.
func (s *Service) SaveCustomer(ctx context.Context, account ident.AccountID, customerID string) error {
	var kept string
	err := s.db.QueryRow(ctx, saveCustomer, account, customerID, s.clock.Now()).Scan(&kept)
	if pgdb.IsUnique(err) || err == nil && kept != customerID {
		return ErrOtherCustomer
	}
	return fault.Wrap("save the customer of an account", err)
}

const forgetCustomer = `DELETE FROM account.subscription WHERE account_id = $1 AND customer_id = $2`

// forgetCustomer removes a customer that was deleted at Stripe, and has the next one made by another request:
// the same one would be answered with the deleted customer.
func (s *Service) forgetCustomer(ctx context.Context, tx pgx.Tx, r Row) error {
	if _, err := tx.Exec(ctx, forgetCustomer, r.Account, r.CustomerID); err != nil {
		return fmt.Errorf("forget the customer of account %d: %w", r.Account, err)
	}
	const next = `INSERT INTO account.billing_attempt (account_id, request, number) VALUES ($1, $2, 1)
ON CONFLICT (account_id, request) DO UPDATE SET number = billing_attempt.number + 1`
	_, err := tx.Exec(ctx, next, r.Account, requestCustomer)
	return fault.Wrap(fmt.Sprintf("create another Stripe customer for account %d", r.Account), err)
}

// Now is the time by the clock that orders readings. It is the database's: those of two instances may differ.
func (s *Service) Now(ctx context.Context) (time.Time, error) {
	return pgdb.Value[time.Time](ctx, s.db, nil, "ask the database for the time", `SELECT clock_timestamp()`)
}

// Seen reports whether an event was handled already: its customer need not be read again.
func (s *Service) Seen(ctx context.Context, id string) (bool, error) {
	return pgdb.Value[bool](ctx, s.db, nil, "look for an event",
		`SELECT EXISTS (SELECT 1 FROM account.stripe_event WHERE id = $1)`, id)
}

// Ignore stores an event that changes nothing. account may be 0, or one that was deleted meanwhile: the event
// then belongs to no account, and its particulars are not kept.
func (s *Service) Ignore(ctx context.Context, ev Event, account ident.AccountID) error {
	_, err := storeEvent(ctx, s.db, ev, account, outcomeIgnored, s.clock.Now())
	return err
}

// What became of an event.
const (
	outcomeApplied = "applied"
	outcomeOlder   = "older"
	outcomeIgnored = "ignored"
)

const claimEvent = `
INSERT INTO account.stripe_event (id, type, account_id, created_at, received_at, outcome, payload)
SELECT $1, $2, a.id, $4, $5, $6, CASE WHEN a.id IS NULL THEN '{}' ELSE $7::jsonb END
FROM (VALUES ($3::bigint)) v (account) LEFT JOIN account.account a ON a.id = v.account ON CONFLICT (id) DO NOTHING`

// storeEvent stores the event, and its particulars while the account
// is there; false when it is stored already.
func storeEvent(ctx context.Context, db pgdb.DB, ev Event, account ident.AccountID, outcome string,
	now time.Time) (bool, error) {
	payload := json.RawMessage(ev.Payload)
	if len(payload) == 0 {
		payload = json.RawMessage("{}")
	}
	tag, err := db.Exec(ctx, claimEvent, ev.ID, ev.Type, account, ev.Created, now, outcome, payload)
	return tag.RowsAffected() == 1, fault.Wrap("store event "+ev.ID, err)
}

// EventsKept is how long events are kept for inquiries about a bill; they repeat what Stripe keeps.
const EventsKept = 400 * 24 * time.Hour

// Clean removes events that have had their time. One that Stripe
// would still repeat is three days old at most.
func (s *Service) Clean(ctx context.Context) error {
	_, err := s.db.Exec(ctx, `DELETE FROM account.stripe_event WHERE received_at < $1`,
		s.clock.Now().Add(-EventsKept))
	return fault.Wrap("remove old events", err)
}
