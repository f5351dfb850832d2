package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clientip"
	"arpent/internal/event"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
)

// The headers of a request.
const (
	SignatureHeader = "Arpent-Signature"
	EventIDHeader   = "Arpent-Event-Id"
)

// Sign is the value of SignatureHeader: the time in Unix seconds, and the HMAC-SHA256 of that time, a dot and
// the body, in base 16.
func Sign(secret string, at time.Time, body string) string {
	unix := strconv.FormatInt(at.Unix(), 10)
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write([]byte(unix + "." + body))
	return "t=" + unix + ",v1=" + hex.EncodeToString(sum.Sum(nil))
}

// maxAnswer is how much of an answer is read. None of it is kept.
const maxAnswer = 4 << 10

// maxConcurrent is how many requests of an account one instance makes at a time, of its eight slow jobs: the
// servers of one account that do not answer leave the others to other accounts.
const maxConcurrent = 2

// busyWait is how long an event waits whose account has that many requests under way.
const busyWait = 5 * time.Second

// Worker sends events.
type Worker struct {
	river.WorkerDefaults[event.Delivery]
	store  *Store
	client *http.Client

	mu      sync.Mutex
	running map[ident.AccountID]int // requests under way
}

// NewWorker makes the worker of the endpoints of a store.
func NewWorker(s *Store) *Worker {
	return &Worker{store: s, client: clientip.NewClient(clientip.ClientOptions{Timeout: Timeout}),
		running: map[ident.AccountID]int{}}
}

// acquireSlot reports whether an account may have one more request under way. If so, releaseSlot ends it.
func (w *Worker) acquireSlot(account ident.AccountID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[account] >= maxConcurrent {
		return false
	}
	w.running[account]++
	return true
}

func (w *Worker) releaseSlot(account ident.AccountID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running[account]--; w.running[account] == 0 {
		delete(w.running, account)
	}
}

const sourcesEvery = 5 * time.Minute

// Jobs is the sending of events, and the search for updated sources, which are events.
func (w *Worker) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Of(w), jobs.Every(sourcesEvery, "source_events", func(ctx context.Context) error {
		return event.RecordSourceUpdates(ctx, w.store.db, w.store.clock.Now())
	})}
}

// Timeout leaves the request time to end, and what came of it time to be written.
func (w *Worker) Timeout(*river.Job[event.Delivery]) time.Duration {
	return Timeout + member.StoreTimeout
}

// due is a delivery that is about to be sent.
type due struct {
	account  ident.AccountID
	webhook  ID
	eventID  string
	body     string
	state    State
	url      string
	secret   string
	unsigned bool // the secret cannot be opened
	isOff    bool
	attempts int // before this one, those by hand left out
}

const readDue = `
SELECT d.webhook_id, d.event_id, d.body, d.state, w.url, w.secret_sealed, w.off_at IS NOT NULL,
    (SELECT count(*) FROM account.webhook_attempt t WHERE t.delivery_id = d.id AND NOT t.by_hand)
FROM account.webhook_delivery d JOIN account.webhook w ON w.id = d.webhook_id
WHERE d.account_id = $1 AND d.id = $2`

// Work makes one attempt to send an event, and decides when the next one follows. Without the row, whose
// endpoint or account was deleted, it does nothing. While the account has maxConcurrent requests under way,
// it makes no attempt and has the job come again.
func (w *Worker) Work(ctx context.Context, job *river.Job[event.Delivery]) error {
	if !w.acquireSlot(job.Args.Account) {
		return river.JobSnooze(busyWait)
	}
	defer w.releaseSlot(job.Args.Account)
	d, err := w.readDue(ctx, job.Args.Account, job.Args.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read delivery %d: %w", job.Args.ID, err)
	}
	byHand := job.Args.ByHand
	switch {
	case byHand:
	case d.state != Waiting: // it was sent by hand meanwhile, or its worker died after it had written so
		return nil
	case d.isOff:
		_, err := w.store.db.Exec(ctx, endDelivery, d.account, job.Args.ID, Failed, w.store.clock.Now())
		return fault.Wrap("give up a delivery", err)
	}
	begun := time.Now()
	a := Attempt{At: w.store.clock.Now(), ByHand: byHand}
	if d.unsigned {
		a.Reason = new(Unsigned)
	} else {
		status, err := w.postEvent(ctx, d, a.At)
		if a.Took = time.Since(begun); err != nil {
			a.Reason = new(classifyFailure(err))
		} else {
			a.Status = &status
		}
	}
	if ctx.Err() != nil { // the service stops: the job is taken up again
		return ctx.Err()
	}
	wait, err := w.recordAttempt(ctx, d, job.Args.ID, a)
	if err != nil {
		return fmt.Errorf("record an attempt of delivery %d: %w", job.Args.ID, err)
	}
	if wait > 0 {
		return river.JobSnooze(wait)
	}
	return nil
}

func (w *Worker) readDue(ctx context.Context, account ident.AccountID, id int64) (d due, err error) {
	var sealed []byte
	d.account = account
	err = w.store.db.QueryRow(ctx, readDue, account, id).Scan(&d.webhook, &d.eventID, &d.body, &d.state, &d.url,
		&sealed, &d.isOff, &d.attempts)
	if err != nil {
		return due{}, err
	}
	about := sealContext(d.account)
	secret, present, err := w.store.sealer.OpenBytes(sealed, about)
	d.secret, d.unsigned = string(secret), err != nil
	if err != nil || present {
		return d, nil
	}
	_, err = w.store.db.Exec(ctx, resealSecret, d.account, d.webhook, w.store.sealer.SealBytes(secret, about), sealed)
	return d, err
}

// A secret that a former secret of the server has sealed is sealed anew when it is used.
const resealSecret = `
UPDATE account.webhook SET secret_sealed = $3 WHERE account_id = $1 AND id = $2 AND secret_sealed = $4`

// postEvent sends the request, and returns the status of the answer. The body of the answer changes nothing.
func (w *Worker) postEvent(ctx context.Context, d due, at time.Time) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, strings.NewReader(d.body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "arpent")
	req.Header.Set(EventIDHeader, d.eventID)
	req.Header.Set(SignatureHeader, Sign(d.secret, at, d.body))
	res, err := w.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // so that a server that writes a short answer sees it taken
	return res.StatusCode, nil
}

// classifyFailure says why there was no answer, without what the other server says.
func classifyFailure(err error) Reason {
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
	)
	switch {
	case errors.Is(err, clientip.ErrPrivate):
		return Private
	case errors.Is(err, context.DeadlineExceeded), os.IsTimeout(err):
		return Late
	case errors.As(err, &dns):
		return NoName
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return Insecure
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	}
	return Broken
}

const (
	insertAttempt = `
INSERT INTO account.webhook_attempt (delivery_id, webhook_id, account_id, at, status, reason, milliseconds, by_hand)
SELECT id, webhook_id, account_id, $3, $4, $5, $6, $7 FROM account.webhook_delivery WHERE account_id = $1 AND id = $2`

	endDelivery = `
UPDATE account.webhook_delivery SET state = $3, ended_at = $4
WHERE account_id = $1 AND id = $2 AND (state = 'waiting' OR $3 = 'delivered')`

	markHealthy = `
UPDATE account.webhook SET failing_since = NULL
WHERE account_id = $1 AND id = $2 AND failing_since IS NOT NULL AND off_at IS NULL`

	markFailing = `
UPDATE account.webhook SET failing_since = coalesce(failing_since, $3)
WHERE account_id = $1 AND id = $2 AND off_at IS NULL RETURNING failing_since`

	// A test is sent by hand alone.
	endTest = `
UPDATE account.webhook_delivery SET state = 'failed', ended_at = $3
WHERE account_id = $1 AND id = $2 AND type = 'test' AND state = 'waiting'`
)

// recordAttempt writes what an attempt came to, and returns when the next one follows; 0: none does. A
// request by hand changes nothing about those to come, unless it succeeded.
func (w *Worker) recordAttempt(ctx context.Context, d due, id int64, a Attempt) (wait time.Duration, err error) {
	err = pgx.BeginFunc(ctx, w.store.db, func(tx pgx.Tx) error {
		// Every writer locks the account first: a deletion waits for this, or this finds nothing.
		if _, err := member.LockAccount(ctx, tx, d.account); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertAttempt, d.account, id, a.At, a.Status, a.Reason, a.Took.Milliseconds(),
			a.ByHand); err != nil {
			return err
		}
		switch {
		case a.Succeeded():
			if _, err := tx.Exec(ctx, endDelivery, d.account, id, Delivered, a.At); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, markHealthy, d.account, d.webhook)
			return err
		case a.ByHand:
			_, err := tx.Exec(ctx, endTest, d.account, id, a.At)
			return err
		}
		return w.recordFailure(ctx, tx, d, id, a, &wait)
	})
	if err != nil && fault.From(err).Code == fault.NotFound { // the account was deleted
		return 0, nil
	}
	return wait, err
}

// recordFailure decides whether an event is sent once more. An endpoint at which no attempt succeeded for
// three days is switched off, of which those who manage it are notified, and the event given up with it.
func (w *Worker) recordFailure(ctx context.Context, tx pgx.Tx, d due, id int64, a Attempt, wait *time.Duration) error {
	var since time.Time
	err := tx.QueryRow(ctx, markFailing, d.account, d.webhook, a.At).Scan(&since)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) { // it was switched off or deleted meanwhile
		return err
	}
	isOver := !since.IsZero() && a.At.Sub(since) >= OffAfter
	if !isOver && d.attempts < len(waits) {
		*wait = waits[d.attempts]
		return nil
	}
	if _, err := tx.Exec(ctx, endDelivery, d.account, id, Failed, a.At); err != nil || !isOver {
		return err
	}
	if _, err := tx.Exec(ctx, switchOff, d.account, d.webhook, a.At); err != nil {
		return err
	}
	e := Endpoint{ID: d.webhook, URL: d.url}
	if err := recordAct(ctx, tx, d.account, audit.ActionWebhookOff, e, a.At); err != nil {
		return err
	}
	return notifyManagers(ctx, tx, d.account, mail.WebhookOff, e, a.At)
}

const switchOff = `
UPDATE account.webhook SET off_at = $3 WHERE account_id = $1 AND id = $2 AND off_at IS NULL`
