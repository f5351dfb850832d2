package webhook

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/auth/seal"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/event"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Store keeps the endpoints. What is done is recorded as done by the audit.Actor of the context.
type Store struct {
	db     *pgxpool.Pool
	clock  clock.Clock
	sealer seal.Sealer
}

// NewStore makes the store. secret is that of the server; former are those before it, with which stored
// secrets may be sealed.
func NewStore(db *pgxpool.Pool, c clock.Clock, secret []byte, former [][]byte) *Store {
	keys := make([][]byte, 0, 1+len(former))
	for _, one := range append([][]byte{secret}, former...) {
		keys = append(keys, seal.DeriveKey(one, "webhook secrets"))
	}
	return &Store{db: db, clock: c, sealer: seal.NewSealer(keys...)}
}

// sealContext binds a sealed secret to its account: copied to a row of another one it does not open.
func sealContext(account ident.AccountID) string {
	return "webhook " + strconv.FormatInt(int64(account), 10)
}

const (
	countEndpoints = `
SELECT count(*), count(*) FILTER (WHERE url = $2 AND id <> $3) FROM account.webhook WHERE account_id = $1`

	insertEndpoint = `
INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
VALUES ($1, $2, $3, $4, $5, $5) RETURNING id`
)

// Add makes an endpoint of an account and returns its secret, which is not shown again. Those who manage the
// endpoints get a mail. ErrUnconfirmed,
// ErrURL, ErrHost, ErrEvents, ErrTaken, ErrTooMany; member.ErrRole, or a fault.NotFound without the account.
func (s *Store) Add(ctx context.Context, account ident.AccountID, url string, events []event.Type) (
	e Endpoint, secret string, err error) {
	if e, err = checkFields(url, events); err != nil {
		return Endpoint{}, "", err
	}
	secret, _ = apikey.Draw(Mark)
	e.CreatedAt = s.clock.Now()
	e.SecretAt = e.CreatedAt
	err = member.Act(ctx, s.db, account, member.ManageWebhooks, func(
		ctx context.Context, tx pgx.Tx, confirmed bool) error {
		var all, same int
		if err := tx.QueryRow(ctx, countEndpoints, account, e.URL, 0).Scan(&all, &same); err != nil {
			return fmt.Errorf("count the endpoints of account %d: %w", account, err)
		}
		switch {
		case !confirmed:
			return ErrUnconfirmed
		case same > 0:
			return ErrTaken
		case all >= MaxEndpoints:
			return ErrTooMany
		}
		sealed := s.sealer.SealBytes([]byte(secret), sealContext(account))
		if err := tx.QueryRow(ctx, insertEndpoint, account, e.URL, e.Events, sealed, e.CreatedAt).Scan(&e.ID); err != nil {
			return fmt.Errorf("add an endpoint to account %d: %w", account, err)
		}
		if err := recordAct(ctx, tx, account, audit.ActionWebhookAdded, e, e.CreatedAt); err != nil {
			return err
		}
		return notifyManagers(ctx, tx, account, mail.WebhookAdded, e, e.CreatedAt)
	})
	if err != nil {
		return Endpoint{}, "", err
	}
	return e, secret, nil
}

func checkFields(url string, events []event.Type) (e Endpoint, err error) {
	url, wrongURL := checkURL(url)
	events, wrongEvents := checkEvents(events)
	return Endpoint{URL: url, Events: events}, errors.Join(wrongURL, wrongEvents)
}

// recordAct adds an act on an endpoint to the audit record. The path and the query of its address are left
// out: some services take them for a password.
func recordAct(ctx context.Context, tx pgx.Tx, account ident.AccountID, action string, e Endpoint,
	now time.Time) error {
	return audit.RecordAct(ctx, tx, now, account, action, map[string]any{"webhook": e.ID, "name": e.Host()})
}

// notifyManagers leaves a mail about an endpoint to each person who manages it.
func notifyManagers(ctx context.Context, tx pgx.Tx, account ident.AccountID, template mail.Template, e Endpoint,
	now time.Time) error {
	values := audit.ActorOf(ctx).MailValues(now)
	values["name"] = e.Host()
	return member.Notify(ctx, tx, account, member.ManageWebhooks, template, values)
}

const (
	endpointColumns = `id, url, events, created_at, secret_at, failing_since, off_at`

	lastAttempt = `
SELECT delivery_id, at, status, reason, milliseconds, by_hand FROM account.webhook_attempt
WHERE account_id = $1 AND webhook_id = $2 ORDER BY id DESC LIMIT 1`

	listEndpoints = `SELECT ` + endpointColumns + ` FROM account.webhook WHERE account_id = $1 ORDER BY id`
	findEndpoint  = `SELECT ` + endpointColumns + ` FROM account.webhook WHERE account_id = $1 AND id = $2`
)

func scanEndpoint(row pgx.CollectableRow) (e Endpoint, err error) {
	return e, row.Scan(&e.ID, &e.URL, &e.Events, &e.CreatedAt, &e.SecretAt, &e.FailingSince, &e.OffAt)
}

// scanAttempt reads an attempt, which is preceded by its delivery.
func scanAttempt(row pgx.CollectableRow, delivery *DeliveryID) (a Attempt, err error) {
	var milliseconds int64
	err = row.Scan(delivery, &a.At, &a.Status, &a.Reason, &milliseconds, &a.ByHand)
	a.Took = time.Duration(milliseconds) * time.Millisecond
	return a, err
}

var errNoEndpoint = fault.Missing("The account has no such endpoint.")

// List lists the endpoints of an account, the oldest first, each with its last attempt.
func (s *Store) List(ctx context.Context, account ident.AccountID) ([]Endpoint, error) {
	list, err := pgdb.Collect(ctx, s.db, scanEndpoint, listEndpoints, account)
	for i := range list {
		if err == nil {
			list[i].Last, err = s.lastAttempt(ctx, account, list[i].ID)
		}
	}
	return list, fault.Wrap("list endpoints", err)
}

func (s *Store) lastAttempt(ctx context.Context, account ident.AccountID, id ID) (*Attempt, error) {
	found, err := pgdb.Collect(ctx, s.db, func(row pgx.CollectableRow) (Attempt, error) {
		return scanAttempt(row, new(DeliveryID))
	}, lastAttempt, account, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Find returns an endpoint of an account with its last attempt. One that is not the account's is a
// fault.NotFound.
func (s *Store) Find(ctx context.Context, account ident.AccountID, id ID) (Endpoint, error) {
	e, err := pgdb.One(ctx, s.db, scanEndpoint, errNoEndpoint, "find an endpoint", findEndpoint, account, id)
	if err != nil {
		return Endpoint{}, err
	}
	e.Last, err = s.lastAttempt(ctx, account, id)
	return e, fault.Wrap("find an endpoint", err)
}

// changeEndpoint runs an act on one endpoint of an account, and records it.
func (s *Store) changeEndpoint(ctx context.Context, account ident.AccountID, id ID, action string,
	do func(ctx context.Context, tx pgx.Tx, e *Endpoint) error) error {
	return member.Act(ctx, s.db, account, member.ManageWebhooks, func(
		ctx context.Context, tx pgx.Tx, _ bool) error {
		e, err := pgdb.One(ctx, tx, scanEndpoint, errNoEndpoint,
			fmt.Sprintf("read an endpoint of account %d", account),
			findEndpoint+` FOR UPDATE`, account, id)
		if err != nil {
			return err
		}
		if err := do(ctx, tx, &e); err != nil {
			return err
		}
		return recordAct(ctx, tx, account, action, e, s.clock.Now())
	})
}

// The failures of the former address are not those of the new one.
const updateEndpoint = `
UPDATE account.webhook SET url = $3, events = $4, failing_since = CASE WHEN url = $3 THEN failing_since END
WHERE account_id = $1 AND id = $2`

// Change gives an endpoint another address and other events. Those who manage it get a mail about another
// address. The errors of Add, or a fault.NotFound.
func (s *Store) Change(ctx context.Context, account ident.AccountID, id ID, url string, events []event.Type) error {
	n, err := checkFields(url, events)
	if err != nil {
		return err
	}
	return s.changeEndpoint(ctx, account, id, audit.ActionWebhookChanged, func(ctx context.Context, tx pgx.Tx, e *Endpoint) error {
		var all, same int
		if err := tx.QueryRow(ctx, countEndpoints, account, n.URL, id).Scan(&all, &same); err != nil {
			return fmt.Errorf("count the endpoints of account %d: %w", account, err)
		}
		if same > 0 {
			return ErrTaken
		}
		isMoved := e.URL != n.URL
		e.URL = n.URL
		if _, err := tx.Exec(ctx, updateEndpoint, account, id, n.URL, n.Events); err != nil || !isMoved {
			return fault.Wrap("change an endpoint", err)
		}
		return notifyManagers(ctx, tx, account, mail.WebhookChanged, *e, s.clock.Now())
	})
}

const setSecret = `
UPDATE account.webhook SET secret_sealed = $3, secret_at = $4 WHERE account_id = $1 AND id = $2`

// ReplaceSecret gives an endpoint another secret, which is not shown again. Those who manage it get a mail.
// Everything sent from then on is signed with it, including retries of earlier events. A fault.NotFound for
// an endpoint that is not the account's.
func (s *Store) ReplaceSecret(ctx context.Context, account ident.AccountID, id ID) (secret string, err error) {
	secret, _ = apikey.Draw(Mark)
	err = s.changeEndpoint(ctx, account, id, audit.ActionWebhookSecret, func(ctx context.Context, tx pgx.Tx, e *Endpoint) error {
		now := s.clock.Now()
		if _, err := tx.Exec(ctx, setSecret, account, id, s.sealer.SealBytes([]byte(secret), sealContext(account)),
			now); err != nil {
			return fmt.Errorf("replace the secret of an endpoint: %w", err)
		}
		return notifyManagers(ctx, tx, account, mail.WebhookSecret, *e, now)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

const switchOn = `
UPDATE account.webhook SET off_at = NULL, failing_since = NULL WHERE account_id = $1 AND id = $2`

// SwitchOn has an endpoint that was switched off receive events again. Those of the meantime are not sent.
// ErrOn, or a fault.NotFound.
func (s *Store) SwitchOn(ctx context.Context, account ident.AccountID, id ID) error {
	return s.changeEndpoint(ctx, account, id, audit.ActionWebhookOn, func(ctx context.Context, tx pgx.Tx, e *Endpoint) error {
		if e.OffAt == nil {
			return ErrOn
		}
		_, err := tx.Exec(ctx, switchOn, account, id)
		return fault.Wrap("switch on an endpoint", err)
	})
}

const deleteEndpoint = `DELETE FROM account.webhook WHERE account_id = $1 AND id = $2`

// Delete removes an endpoint with what was sent to it. A fault.NotFound for one that is not the account's.
func (s *Store) Delete(ctx context.Context, account ident.AccountID, id ID) error {
	return s.changeEndpoint(ctx, account, id, audit.ActionWebhookDeleted, func(ctx context.Context, tx pgx.Tx, _ *Endpoint) error {
		_, err := tx.Exec(ctx, deleteEndpoint, account, id)
		return fault.Wrap("delete an endpoint", err)
	})
}

const insertTest = `
INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
SELECT id, account_id, $3, $4, $5, $6 FROM account.webhook WHERE account_id = $1 AND id = $2 RETURNING id`

// SendTest sends an event to an endpoint, to see whether it arrives, once, whether it is on or not. ErrBusy,
// or a fault.NotFound.
func (s *Store) SendTest(ctx context.Context, account ident.AccountID, id ID) error {
	now := s.clock.Now()
	e := event.New(event.Test, now, map[string]string{"message": "It works."})
	body, err := e.Encode()
	if err != nil {
		return err
	}
	return s.byHand(ctx, account, id, insertTest, account, id, e.ID, e.Type, body, e.CreatedAt)
}

const (
	findDelivery = `
SELECT id FROM account.webhook_delivery WHERE account_id = $1 AND webhook_id = $2 AND id = $3`

	findOfDelivery = `SELECT webhook_id FROM account.webhook_delivery WHERE account_id = $1 AND id = $2`
)

var errNoDelivery = fault.Missing("The account has no such delivery.")

// OfDelivery returns the endpoint that a delivery of the account was for, or a fault.NotFound.
func (s *Store) OfDelivery(ctx context.Context, account ident.AccountID, delivery DeliveryID) (ID, error) {
	return pgdb.Value[ID](ctx, s.db, errNoDelivery, "find a delivery", findOfDelivery, account, delivery)
}

// SendAgain sends an event again to the endpoint that it was for, once, whether that is on or not: with the
// same id and body. ErrBusy, or a fault.NotFound.
func (s *Store) SendAgain(ctx context.Context, account ident.AccountID, id ID, delivery DeliveryID) error {
	return s.byHand(ctx, account, id, findDelivery, account, id, delivery)
}

// ErrBusy is the error for more requests by hand than an account may cause in a minute: the server would
// call another one as often as a visitor likes.
var ErrBusy = fault.New(fault.InvalidParameter, "Ten events a minute can be sent by hand: wait a minute.", nil)

// maxByHand bounds the requests by hand of an account in a minute.
const maxByHand = 10

const countByHand = `
SELECT count(*) FROM account.audit WHERE account_id = $1 AND action = $2 AND at > $3`

// byHand queues one attempt of the delivery that a statement returns.
func (s *Store) byHand(ctx context.Context, account ident.AccountID, id ID, find string, args ...any) error {
	return s.changeEndpoint(ctx, account, id, audit.ActionWebhookSent, func(ctx context.Context, tx pgx.Tx, _ *Endpoint) error {
		sent, err := pgdb.Value[int](ctx, tx, nil, fmt.Sprintf("count what account %d sent by hand", account),
			countByHand, account, audit.ActionWebhookSent, s.clock.Now().Add(-time.Minute))
		if err == nil && sent >= maxByHand {
			err = ErrBusy
		}
		if err != nil {
			return err
		}
		delivery, err := pgdb.Value[int64](ctx, tx, errNoDelivery,
			fmt.Sprintf("find a delivery of account %d", account), find, args...)
		if err != nil {
			return err
		}
		return jobs.Insert(ctx, tx, event.Delivery{ID: delivery, Account: account, ByHand: true}, nil)
	})
}

const (
	listDeliveries = `
SELECT id, event_id, type, body, created_at, state FROM account.webhook_delivery
WHERE account_id = $1 AND webhook_id = $2 AND ($3 = 0 OR id < $3) ORDER BY id DESC LIMIT $4`

	listAttempts = `
SELECT delivery_id, at, status, reason, milliseconds, by_hand FROM account.webhook_attempt
WHERE account_id = $1 AND delivery_id = ANY ($2) ORDER BY id`
)

// Deliveries lists what was sent to an endpoint of an account in the last 30 days, the newest first. before
// is the last one that was seen; 0: none.
func (s *Store) Deliveries(ctx context.Context, account ident.AccountID, id ID, before DeliveryID, limit int) (
	[]Sent, error) {
	list, err := pgdb.Collect(ctx, s.db, func(row pgx.CollectableRow) (d Sent, err error) {
		return d, row.Scan(&d.ID, &d.EventID, &d.Type, &d.Body, &d.CreatedAt, &d.State)
	}, listDeliveries, account, id, before, limit)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	at, ids := map[DeliveryID]int{}, make([]DeliveryID, len(list))
	for i, d := range list {
		at[d.ID], ids[i] = i, d.ID
	}
	_, err = pgdb.Collect(ctx, s.db, func(row pgx.CollectableRow) (struct{}, error) {
		var delivery DeliveryID
		a, err := scanAttempt(row, &delivery)
		list[at[delivery]].Attempts = append(list[at[delivery]].Attempts, a)
		return struct{}{}, err
	}, listAttempts, account, ids)
	return list, fault.Wrap("list attempts", err)
}
