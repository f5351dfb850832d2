package mail

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// Queue shows an operator what waits and what failed. It sends nothing itself: a running service does.
type Queue struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
}

// NewQueue looks at the queue that is kept in schema.
func NewQueue(pool *pgxpool.Pool, schema string) (*Queue, error) {
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: schema,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("open the mail queue: %w", err)
	}
	return &Queue{pool: pool, client: client}, nil
}

// State of a message, as an operator thinks of it.
type State string

// The states.
const (
	Waiting State = "waiting" // for its first attempt, or for a server that cannot be used
	Again   State = "again"   // the server wants to see it later
	Sending State = "sending"
	Sent    State = "sent" // shown for a day
	// a dead letter, kept for two weeks: nothing more happens unless somebody has it sent again
	Failed State = "failed"
)

var states = map[rivertype.JobState]State{
	rivertype.JobStateAvailable: Waiting, rivertype.JobStateScheduled: Waiting,
	rivertype.JobStatePending:   Waiting,
	rivertype.JobStateRetryable: Again, rivertype.JobStateRunning: Sending, rivertype.JobStateCompleted: Sent,
	rivertype.JobStateCancelled: Failed, rivertype.JobStateDiscarded: Failed,
}

// Entry is a message of the queue. It has no link: a reader of the queue cannot act for the recipient.
type Entry struct {
	ID       int64      `json:"id"`
	State    State      `json:"state"`
	Template Template   `json:"template"`
	To       string     `json:"to"`
	Account  int64      `json:"account,omitempty"`
	LeftAt   time.Time  `json:"left_at"`
	NextAt   *time.Time `json:"next_at,omitempty"` // of the next attempt
	EndedAt  *time.Time `json:"ended_at,omitempty"`
	Attempts int        `json:"attempts"`
	Why      string     `json:"why,omitempty"` // what the last attempt ended with

	link *Link
}

// List gives the last messages, the newest first: all of them, or those that failed.
func (q *Queue) List(ctx context.Context, failed bool, limit int) ([]Entry, error) {
	p := river.NewJobListParams().Kinds(Job{}.Kind()).OrderBy(river.JobListOrderByID,
		river.SortOrderDesc).First(limit)
	if failed {
		p = p.States(rivertype.JobStateCancelled, rivertype.JobStateDiscarded)
	}
	found, err := q.client.JobList(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("list mails: %w", err)
	}
	out := make([]Entry, len(found.Jobs))
	for i, row := range found.Jobs {
		out[i] = newEntry(row)
	}
	return out, nil
}

// Retry has a message that failed sent again, and records it as the operator's act on the account that it is
// about. One about no account is recorded on that of the operator, where there is one.
func (q *Queue) Retry(ctx context.Context, id int64, now time.Time) (e Entry, err error) {
	err = pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		row, err := q.client.JobGetTx(ctx, tx, id)
		if errors.Is(err, river.ErrNotFound) || err == nil && row.Kind != (Job{}).Kind() {
			return fault.Missing("there is no mail %d", id)
		}
		if err != nil {
			return fmt.Errorf("read mail %d: %w", id, err)
		}
		if e = newEntry(row); e.State != Failed {
			return fault.Invalid("mail %d has not failed: it is %s", id, e.State)
		}
		if e.link != nil && now.Sub(e.LeftAt) > linkLife(e.link.Purpose) {
			return fault.Invalid("the link in mail %d is no longer good: its recipient has to ask for another", id)
		}
		if row, err = q.client.JobRetryTx(ctx, tx, id); err != nil {
			return fmt.Errorf("send mail %d again: %w", id, err)
		}
		e = newEntry(row)
		account := cmp.Or(ident.AccountID(e.Account), audit.ActorOf(ctx).Operator)
		if account == 0 {
			return nil
		}
		return audit.Record(ctx, tx, now, audit.Event{Account: account, Actor: audit.ActorOperator,
			Action: audit.ActionMailRetried, Detail: map[string]any{"mail": e.ID, "template": e.Template}})
	})
	return e, err
}

// Find gives one message; a fault.NotFound when there is none of that number.
func (q *Queue) Find(ctx context.Context, id int64) (Entry, error) {
	row, err := q.client.JobGet(ctx, id)
	if errors.Is(err, river.ErrNotFound) || err == nil && row.Kind != (Job{}).Kind() {
		return Entry{}, fault.Missing("there is no mail %d", id)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read mail %d: %w", id, err)
	}
	return newEntry(row), nil
}

func newEntry(row *rivertype.JobRow) Entry {
	var j Job
	_ = json.Unmarshal(row.EncodedArgs, &j) // of another version: what can be read is shown
	e := Entry{ID: row.ID, State: states[row.State], Template: j.Template, To: oneLine(j.To), Account: j.Account,
		LeftAt:   row.CreatedAt,
		Attempts: row.Attempt, EndedAt: row.FinalizedAt, link: j.Link}
	if e.State == Waiting || e.State == Again {
		e.NextAt = &row.ScheduledAt
	}
	if n := len(row.Errors); n > 0 {
		e.Why = oneLine(strings.TrimPrefix(row.Errors[n-1].Error, "JobCancelError: "))
	}
	return e
}
