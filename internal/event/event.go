// Package event records what happened to an account for the endpoints that its owner chose, in the
// transaction in which it happens: an event is sent if and only if that transaction commits. Package webhook
// sends it.
package event

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/pgdb"
)

// Type is a kind of event.
type Type string

// The types.
const (
	QuotaThreshold Type = "quota.threshold"
	KeyCreated     Type = "key.created"
	KeyExpiring    Type = "key.expiring"
	KeyRevoked     Type = "key.revoked"
	PaymentFailed  Type = "payment.failed"
	SourceUpdated  Type = "source.updated"
	Test           Type = "test" // sent by hand, to any endpoint
)

// Types are those that an endpoint can choose, in the order in which forms offer them.
var Types = []Type{QuotaThreshold, KeyCreated, KeyExpiring, KeyRevoked, PaymentFailed, SourceUpdated}

// Event is what an endpoint receives. It holds no secret and no mail address.
type Event struct {
	ID        string    `json:"id"`
	Type      Type      `json:"type"`
	CreatedAt time.Time `json:"createdAt"`
	Data      any       `json:"data"`
}

// New makes an event of a type. data is a struct whose JSON is the data of that type.
func New(t Type, at time.Time, data any) Event {
	return Event{ID: "evt_" + rand.Text(), Type: t, CreatedAt: at.UTC().Truncate(time.Second), Data: data}
}

// Encode writes the body that is sent and signed.
func (e Event) Encode() (string, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("write event %s: %w", e.Type, err)
	}
	return string(body), nil
}

// Key is a key in the data of an event. The key itself is not in it.
type Key struct {
	ID        ident.KeyID  `json:"id"`
	Name      string       `json:"name"`
	Kind      string       `json:"kind"`
	Last4     string       `json:"last4"`
	ExpiresAt *time.Time   `json:"expiresAt"`
	Replaces  *ident.KeyID `json:"replaces"` // the key that it takes the place of; null: none
}

// KeyData is the data of the events about keys.
type KeyData struct {
	Key Key `json:"key"`
}

// QuotaData is the data of QuotaThreshold.
type QuotaData struct {
	Day     string `json:"day"` // of Paris
	Percent int    `json:"percent"`
	Used    int64  `json:"used"`
	Limit   int64  `json:"limit"`
	Plan    string `json:"plan"`
}

// PaymentData is the data of PaymentFailed.
type PaymentData struct {
	Plan  string     `json:"plan"`
	Until *time.Time `json:"until"` // the plan stays that long; null: it has ended
}

// Delivery is the job that sends an event to an endpoint.
type Delivery struct {
	ID      int64           `json:"id"` // of account.webhook_delivery
	Account ident.AccountID `json:"account"`
	ByHand  bool            `json:"by_hand"` // one attempt, whatever came before
}

// Kind is the name of the job in the queue.
func (Delivery) Kind() string { return "webhook" }

// InsertOpts keeps deliveries out of the way of other jobs: an endpoint may take ten seconds to answer.
func (Delivery) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: jobs.SlowQueue} }

// MaxWaiting is how many events may wait for one endpoint. It does not get those that happen meanwhile.
const MaxWaiting = 1000

const (
	insertDelivery = `
INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
SELECT w.id, w.account_id, $2, $3, $4, $5 FROM account.webhook w`

	// $6 is MaxWaiting.
	isOpen = ` AND $3 = ANY (w.events) AND w.off_at IS NULL AND NOT EXISTS (
    SELECT FROM account.webhook_delivery d WHERE d.webhook_id = w.id AND d.state = 'waiting' OFFSET $6 - 1)
RETURNING id, account_id`

	insertDeliveries = insertDelivery + ` WHERE w.account_id = $1` + isOpen
)

// Record leaves an event of an account for each of its endpoints that chose the type and has fewer than
// MaxWaiting events waiting. They get it once tx has committed.
func Record(ctx context.Context, tx pgx.Tx, account ident.AccountID, t Type, at time.Time, data any) error {
	return insertEvent(ctx, tx, insertDeliveries, account, New(t, at, data))
}

// insertEvent inserts the deliveries of an event, whose statement has the account as $1, and their jobs.
func insertEvent(ctx context.Context, tx pgx.Tx, insert string, account ident.AccountID, e Event) error {
	body, err := e.Encode()
	if err != nil {
		return err
	}
	deliveries, err := pgdb.Collect(ctx, tx, func(row pgx.CollectableRow) (d Delivery, err error) {
		return d, row.Scan(&d.ID, &d.Account)
	}, insert, account, e.ID, e.Type, body, e.CreatedAt, MaxWaiting)
	if err == nil {
		err = jobs.InsertMany(ctx, tx, deliveries)
	}
	return fault.Wrap("record event "+string(e.Type), err)
}
