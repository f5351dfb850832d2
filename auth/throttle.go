package auth

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/seal"
	"arpent/internal/audit"
	"arpent/internal/clientip"
	"arpent/internal/fault"
	"arpent/internal/pgdb"
)

// How failures slow down what follows: some are free, then each doubles the pause, up to the longest. Tuned
// so that an account takes four guesses an hour (TestGuessingIsSlowedDown), and an owner on an
// unknown browser is locked out for at most a quarter of an hour by other people's guesses.
const (
	freeTries        = 5  // on one account
	freeNetworkTries = 20 // from one network, over all accounts
	firstPause       = time.Second
	maxPause         = 15 * time.Minute
	forgetAfter      = 15 * time.Minute // quiet after the pause: the count starts anew
)

// What a person does that is counted under the number of their account: see BecomeOrganisation.
const (
	triesCode          = "code"
	triesInvitations   = "invitations of a person"
	triesOrganisations = "organisations"
)

// Mails that an anonymous client can cause: how many to one address, and from one network.
const (
	mailEvery            = time.Minute
	mailWindow           = 24 * time.Hour
	maxMailsInWindow     = 5
	requestWindow        = time.Hour
	maxRequestsOfNetwork = 20  // in a requestWindow, of one client; wider networks have more: clientip.Buckets
	maxRequestsOfAll     = 600 // in a requestWindow, over the whole service
)

// throttleSubject returns the hash under which failures are counted. The address or network itself is not
// stored.
func (s *Service) throttleSubject(kind, what string) []byte {
	return seal.ComputeMAC(s.keys.throttle, kind, what)
}

// attempt is a try at something secret, counted as a failure until it succeeds: tries made at
// the same time cannot slip through together.
type attempt struct {
	service    *Service
	ownSubject []byte   // counted before; cleared by success
	networks   []bucket // counted after a failure; nil: not
}

// bucket is a network that is counted, and how many times the limit of one client it has.
type bucket struct {
	subject     []byte
	limitFactor int
}

func (s *Service) networkBuckets(kind string, o Origin) []bucket {
	var out []bucket
	for _, b := range clientip.Buckets(o.Address) {
		out = append(out, bucket{s.throttleSubject(kind, b.Network.String()), b.Times})
	}
	return out
}

// newAttempt returns the attempt on the password of an address (kind: account) or at a passkey. A browser
// that signed in to the account before is counted apart, so that the owner is never kept out by what others
// do; h is nil when no account has it.
func (s *Service) newAttempt(kind, what string, h *holder, o Origin) attempt {
	if h != nil && s.isKnownDevice(o.Device, h) {
		return attempt{service: s, ownSubject: s.throttleSubject("device", o.Device)}
	}
	return attempt{service: s, ownSubject: s.throttleSubject(kind, what),
		networks: s.networkBuckets("network", o)}
}

const claimTry = `
INSERT INTO account.throttle AS t (subject, failures, last_at) VALUES ($1, 1, $2)
ON CONFLICT (subject) DO UPDATE SET last_at = $2,
    failures = CASE WHEN greatest(t.last_at, t.blocked_until) <= $3 THEN 1 ELSE t.failures + 1 END,
    blocked_until = CASE WHEN greatest(t.last_at, t.blocked_until) <= $3 OR t.failures + 1 < $4 THEN NULL
        ELSE $2 + least($5 * power(2, least(t.failures + 1 - $4, 30)), $6) * interval '1 second' END
WHERE t.blocked_until IS NULL OR t.blocked_until <= $2`

const readPause = `SELECT blocked_until FROM account.throttle WHERE subject = $1 AND blocked_until > $2`

// startAttempt counts the try, or is a Problem that reports how long to
// wait. A try made while waiting is not counted.
func (a attempt) startAttempt(ctx context.Context) error {
	now := a.service.clock.Now()
	for _, b := range a.networks {
		if err := a.service.checkPause(ctx, a.service.db, b.subject, now); err != nil {
			return err
		}
	}
	counted, err := a.countFailure(ctx, a.ownSubject, freeTries, now)
	if err != nil || counted {
		return err
	}
	if err := a.service.checkPause(ctx, a.service.db, a.ownSubject, now); err != nil {
		return err
	}
	return NewWaitProblem(firstPause) // the pause ended between the two statements
}

func (a attempt) countFailure(ctx context.Context, subject []byte, free int, now time.Time) (bool, error) {
	tag, err := a.service.db.Exec(ctx, claimTry, subject, now, now.Add(-forgetAfter), free, firstPause.Seconds(),
		maxPause.Seconds())
	return tag.RowsAffected() > 0, fault.Wrap("count a try", err)
}

func (s *Service) checkPause(ctx context.Context, q pgdb.DB, subject []byte, now time.Time) error {
	until, err := pgdb.Value[time.Time](ctx, q, nil, "read a pause", readPause, subject, now)
	if err != nil || until.IsZero() {
		return err
	}
	return NewWaitProblem(until.Sub(now))
}

// recordFailure counts against the networks too.
func (a attempt) recordFailure(ctx context.Context) error {
	for _, b := range a.networks {
		if _, err := a.countFailure(ctx, b.subject, freeNetworkTries*b.limitFactor,
			a.service.clock.Now()); err != nil {
			return err
		}
	}
	return nil
}

// No pause was in force when the try was let through: one that is there now is its own.
const refundTry = `
UPDATE account.throttle SET failures = greatest(failures - 1, 0), blocked_until = NULL WHERE subject = $1`

// refundTimeout is how long a request that has failed, and may have had its time, goes on for that.
const refundTimeout = time.Second

// refundAttempt takes the try back: nothing was decided on it, such as when too many were waiting.
func (a attempt) refundAttempt(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refundTimeout)
	defer cancel()
	return execStatement(ctx, a.service.db, "take a try back", refundTry, a.ownSubject)
}

const clearTries = `DELETE FROM account.throttle WHERE subject = ANY($1)`

// clearFailures deletes the earlier failures of the account. Those of the network stay: it may be trying
// other accounts.
func (a attempt) clearFailures(ctx context.Context, db audit.DB) error {
	return execStatement(ctx, db, "clear the tries", clearTries, [][]byte{a.ownSubject})
}

// For mails, failures is the number sent since last_at, the start of the window.
const claimMail = `
INSERT INTO account.throttle AS t (subject, failures, last_at, blocked_until) VALUES ($1, 1, $2, $3)
ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN t.last_at <= $4 THEN 1 ELSE t.failures + 1 END,
    last_at = CASE WHEN t.last_at <= $4 THEN $2 ELSE t.last_at END,
    blocked_until = $3
WHERE (t.blocked_until IS NULL OR t.blocked_until <= $2) AND (t.failures < $5 OR t.last_at <= $4)`

// claimMailSlot reports whether one more mail of that kind may go to the address, whichever accounts asked
// for the ones before. Answers to anonymous clients do not show it. requireMailSlot does, to an owner who is
// signed in: one who adds an address for notices can see that another account has just asked it.
func (s *Service) claimMailSlot(ctx context.Context, tx pgx.Tx, kind, email string) (bool, error) {
	now, subject := s.clock.Now(), s.throttleSubject("mail "+kind, email)
	tag, err := tx.Exec(ctx, claimMail, subject, now, now.Add(mailEvery), now.Add(-mailWindow), maxMailsInWindow)
	return tag.RowsAffected() > 0, fault.Wrap("count a mail", err)
}

// MaxOwnerMails is how many changes of an organisation that its other owners get mails of can be made in a
// day. Changes that take a right away are not counted: they are made when an owner is not trusted any more.
const MaxOwnerMails = 20

// claimOwnerMail counts a change of the organisation in the transaction that makes it. A *Problem with
// CodeWait says that there were too many.
func (s *Service) claimOwnerMail(ctx context.Context, tx pgx.Tx, org *holder) error {
	now, subject := s.clock.Now(), s.accountSubject("mails to owners", org.id)
	tag, err := tx.Exec(ctx, claimMail, subject, now, now, now.Add(-mailWindow), MaxOwnerMails)
	if err == nil && tag.RowsAffected() == 0 {
		err = s.slotWaitProblem(ctx, tx, subject, MaxOwnerMails)
	}
	return err
}

// claimEachSQL counts one in each of the buckets $1, of which $2 are the limits, where none of them has
// reached its limit in the window that began after $4. Of a bucket that another request has filled in the
// meantime no row is returned: the caller rolls back. Rows are locked in the order of the buckets, from the
// narrowest network to the widest.
const claimEachSQL = `
WITH asked AS MATERIALIZED (
    SELECT subject, ceiling, position FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS b (subject, ceiling, position)
)
INSERT INTO account.throttle AS t (subject, failures, last_at)
SELECT subject, 1, $3::timestamptz FROM asked
WHERE NOT EXISTS (SELECT FROM account.throttle f JOIN asked b ON b.subject = f.subject WHERE f.last_at > $4 AND f.failures >= b.ceiling)
ORDER BY position
ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN t.last_at <= $4 THEN 1 ELSE t.failures + 1 END,
    last_at = CASE WHEN t.last_at <= $4 THEN $3 ELSE t.last_at END
WHERE t.last_at <= $4 OR t.failures < (SELECT b.ceiling FROM asked b WHERE b.subject = t.subject)
RETURNING t.subject, t.failures`

// beginner is a pool or a transaction.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// errBucketFull rolls back the claims in the other buckets.
var errBucketFull = errors.New("a bucket has reached its limit")

// claimEach counts one in each bucket, or in none of them where one has reached its limit in the window: then
// counts is nil. Otherwise it holds the claims in each bucket, this one included.
func (s *Service) claimEach(ctx context.Context, db beginner, buckets []bucket, limit int,
	window time.Duration) (counts []int, err error) {
	subjects, limits := splitBuckets(buckets, limit)
	now := s.clock.Now()
	err = pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, claimEachSQL, subjects, limits, now, now.Add(-window))
		if err != nil {
			return err
		}
		claimed := map[string]int{}
		var subject []byte
		var count int
		if _, err := pgx.ForEachRow(rows, []any{&subject, &count}, func() error {
			claimed[string(subject)] = count
			return nil
		}); err != nil {
			return err
		}
		if len(claimed) < len(buckets) {
			return errBucketFull
		}
		for _, b := range buckets {
			counts = append(counts, claimed[string(b.subject)])
		}
		return nil
	})
	if errors.Is(err, errBucketFull) {
		return nil, nil
	}
	return counts, fault.Wrap("count a request in its networks", err)
}

func splitBuckets(buckets []bucket, limit int) (subjects [][]byte, limits []int) {
	for _, b := range buckets {
		subjects, limits = append(subjects, b.subject), append(limits, limit*b.limitFactor)
	}
	return subjects, limits
}

// limitNetwork slows down a network that causes mails to many addresses, and all anonymous clients together
// when there are far more than people send: a *Problem with CodeWait, and then nothing is counted.
func (s *Service) limitNetwork(ctx context.Context, o Origin) error {
	all := bucket{s.throttleSubject("asks", "all networks"), maxRequestsOfAll / maxRequestsOfNetwork}
	buckets := append(s.networkBuckets("asks", o), all)
	counts, err := s.claimEach(ctx, s.db, buckets, maxRequestsOfNetwork, requestWindow)
	if err != nil {
		return err
	}
	if counts == nil {
		return s.requestWaitProblem(ctx, buckets, maxRequestsOfNetwork, requestWindow)
	}
	s.mailRequests.Add(1)
	// Operators are alerted before people have to wait.
	if n := counts[len(counts)-1]; n == maxRequestsOfAll/2 || n == maxRequestsOfAll {
		slog.Error("anonymous clients cause many mails", "requests", n, "ceiling", maxRequestsOfAll, "within",
			requestWindow.String())
	}
	return nil
}

const lastFullWindow = `
SELECT max(t.last_at) FROM unnest($1::bytea[], $2::integer[]) AS b (subject, ceiling)
JOIN account.throttle t ON t.subject = b.subject WHERE t.failures >= b.ceiling AND t.last_at > $3`

// requestWaitProblem is a *Problem with the time until none of the buckets is full any more.
func (s *Service) requestWaitProblem(
	ctx context.Context, buckets []bucket, limit int, window time.Duration) error {
	subjects, limits := splitBuckets(buckets, limit)
	now := s.clock.Now()
	began, err := pgdb.Value[*time.Time](ctx, s.db, nil, "read a window", lastFullWindow, subjects, limits,
		now.Add(-window))
	if err != nil {
		return err
	}
	if began == nil { // the window ended between the two statements
		return NewWaitProblem(firstPause)
	}
	return NewWaitProblem(began.Add(window).Sub(now))
}

// MailRequests counts the requests of anonymous clients that may cause a mail, since this process began.
func (s *Service) MailRequests() int64 { return s.mailRequests.Load() }

// A client without an account may try the console of the documentation a few times in a day.
const (
	ConsoleTries  = 3
	consoleWindow = 24 * time.Hour
)

// ClaimConsoleTry counts a try against the networks that it comes from, and returns how
// many the client has left. False: there was none left, and nothing is counted.
func (s *Service) ClaimConsoleTry(ctx context.Context, o Origin) (left int, ok bool, err error) {
	counts, err := s.claimEach(ctx, s.db, s.networkBuckets("console", o), ConsoleTries, consoleWindow)
	if err != nil || counts == nil {
		return 0, false, err
	}
	return ConsoleTries - counts[0], true, nil
}
