package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"arpent/internal/clock"
	"arpent/internal/jobs"
)

const (
	// How long all messages wait when the server cannot be used, and how long one of them may wait in all.
	defaultPause = 15 * time.Second
	maxWait      = 3 * 24 * time.Hour
	// Without a server the operator has to do something, and start the service again.
	pauseWithoutServer = time.Minute
	// A message that the server wants to see later comes back after 1, 2, 4… minutes, at most this often.
	maxAttempts  = 12
	firstBackoff = time.Minute
	maxBackoff   = 6 * time.Hour
)

// WorkerOptions of a Worker.
type WorkerOptions struct {
	Sender      Sender
	BaseURL     string
	ServiceName string
	Contact     string // where people write to the operator; may be empty
	OIDCName    string // of the OpenID Connect issuer, as its button says it; empty: the name of the protocol
	// Token of a single-use link; ErrNoLink: there is no such link any more.
	Token   func(ctx context.Context, purpose string, id int64) (string, error)
	Clock   clock.Clock
	Pause   time.Duration // while the server cannot be used; 0: 15 s
	Backoff time.Duration // the first wait before a message is tried again; 0: a minute
}

// Worker sends the messages of the queue. A server that is down is asked once in a while, not by every
// message that waits; a message is lost only by a rejection or after three days.
type Worker struct {
	river.WorkerDefaults[Job]
	o WorkerOptions

	mu     sync.Mutex
	until  time.Time // the server is left alone until then
	broken bool      // the last message met a server that cannot be used; said once in the log
}

// NewWorker makes the worker of the queue.
func NewWorker(o WorkerOptions) *Worker {
	o.Pause = cmp.Or(o.Pause, defaultPause)
	o.Backoff = cmp.Or(o.Backoff, firstBackoff)
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	return &Worker{o: o}
}

// Jobs is the sending of mails.
func (w *Worker) Jobs() []jobs.Job { return []jobs.Job{jobs.Of(w)} }

// InsertOpts limits how often a message is tried again.
func (Job) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: maxAttempts} }

// NextRetry doubles the wait with each attempt.
func (w *Worker) NextRetry(job *river.Job[Job]) time.Time {
	wait := maxBackoff
	if n := max(job.Attempt-1, 0); n < 16 {
		wait = min(w.o.Backoff<<n, maxBackoff)
	}
	return time.Now().Add(wait) // River compares it with its own clock
}

// Timeout leaves the sender time to give up by itself.
func (w *Worker) Timeout(*river.Job[Job]) time.Duration {
	return connectTimeout + messageTimeout + 5*time.Second
}

// Work sends one message.
func (w *Worker) Work(ctx context.Context, job *river.Job[Job]) error {
	now := w.o.Clock.Now()
	if job.Args.Link != nil && now.Sub(job.CreatedAt) > linkLife(job.Args.Link.Purpose) {
		return river.JobCancel(ErrNoLink) // the person asks for another
	}
	m, err := w.composeMessage(ctx, job.JobRow, job.Args, now)
	if errors.Is(err, ErrNoLink) {
		return river.JobCancel(ErrNoLink)
	}
	if err != nil {
		return fmt.Errorf("write mail: %w", err) // may be of a newer version: another instance takes it
	}
	if wait := w.remainingPause(now); wait > 0 {
		return river.JobSnooze(wait + rand.N(w.o.Pause)) // many may wait: not all in the same second
	}
	err = w.o.Sender.Send(ctx, m)
	if err != nil && ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err() // asked to stop: it comes back at once
	}
	return w.finishAttempt(ctx, job.JobRow, now, err)
}

// finishAttempt decides what becomes of a message after an attempt.
func (w *Worker) finishAttempt(ctx context.Context, row *rivertype.JobRow, now time.Time, err error) error {
	switch {
	case errors.Is(err, ErrNone):
		w.pauseSending(ctx, now, pauseWithoutServer, err)
	case errors.Is(err, ErrServer):
		w.pauseSending(ctx, now, w.o.Pause, err)
	case errors.Is(err, ErrRefused):
		w.resumeSending(ctx)
		return giveUp(ctx, row, err)
	default:
		w.resumeSending(ctx)
		return err // nil, or tried again with growing waits
	}
	since := row.CreatedAt // or when an operator last had it sent again
	if n := len(row.Errors); n > 0 && row.Errors[n-1].At.After(since) {
		since = row.Errors[n-1].At
	}
	if now.Sub(since) > maxWait {
		return giveUp(ctx, row, fmt.Errorf("given up after three days: %w", err))
	}
	return river.JobSnooze(w.remainingPause(now))
}

// giveUp makes a dead letter. The log does not say why: what a server says often names the recipient.
func giveUp(ctx context.Context, row *rivertype.JobRow, err error) error {
	slog.WarnContext(ctx, "mail given up", "mail", row.ID, "way_out",
		"arpent mail failed lists the reason, arpent mail retry sends it again")
	return river.JobCancel(err)
}

// remainingPause is how long the server is still left alone.
func (w *Worker) remainingPause(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(w.until.Sub(now), 0)
}

func (w *Worker) pauseSending(ctx context.Context, now time.Time, pause time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = now.Add(pause)
	if !w.broken {
		slog.WarnContext(ctx, "mails wait", "error", err)
	}
	w.broken = true
}

func (w *Worker) resumeSending(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		slog.InfoContext(ctx, "mails leave again")
	}
	w.broken, w.until = false, time.Time{}
}

// linkLife is how long a link may be followed after it was asked for.
func linkLife(purpose string) time.Duration {
	switch purpose {
	case "reset":
		return time.Hour
	case "verify":
		return 15 * time.Minute
	}
	return 24 * time.Hour
}

func (w *Worker) composeMessage(
	ctx context.Context, row *rivertype.JobRow, j Job, now time.Time) (Message, error) {
	link := ""
	if j.Link != nil {
		token, err := w.o.Token(ctx, j.Link.Purpose, j.Link.ID)
		if err != nil {
			return Message{}, err
		}
		link = "/" + j.Link.Purpose + "/" + token
	}
	m, err := renderMessage(ctx, serviceInfo{baseURL: w.o.BaseURL, service: oneLine(w.o.ServiceName),
		contact: oneLine(w.o.Contact), oidcName: oneLine(w.o.OIDCName)}, j, link, row.CreatedAt)
	if err != nil {
		return Message{}, err
	}
	// The same for each attempt, and another in each database.
	m.ID = "mail." + strconv.FormatInt(row.ID, 10) + "." + strconv.FormatInt(row.CreatedAt.UnixMicro(), 36)
	m.To, m.At = j.To, now
	if j.Link != nil && (j.Link.Purpose == PurposeNotices || j.Link.Purpose == PurposeBillingMails) {
		m.Unsubscribe = w.o.BaseURL + link
	}
	return m, nil
}
