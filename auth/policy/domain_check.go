package policy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	checkEvery  = time.Hour
	recheckFrom = 23 * time.Hour // after the last look-up: each proven domain is checked once a day
	checkBatch  = 200            // what one run reads; the rest waits for the next

	checkParallel = 20 // look-ups at the same time
)

// newToken is 130 random bits as text of lower-case letters and digits.
func newToken() string { return strings.ToLower(rand.Text()) }

// lookUpRecord reports whether the record of a domain is there. A *auth.Problem with CodeDomainUnknown says
// that the name could not be looked up.
func (s *Domains) lookUpRecord(ctx context.Context, name, token string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	records, err := s.resolver.LookupTXT(ctx, recordLabel+name+".") // the dot keeps search domains out
	if failed, ok := errors.AsType[*net.DNSError](err); ok && failed.IsNotFound {
		return false, nil
	}
	if err != nil {
		slog.InfoContext(ctx, "domain not looked up", "domain", name, "error", err)
		return false, auth.NewProblem("", auth.CodeDomainUnknown)
	}
	isProof := func(r string) bool { return strings.TrimSpace(r) == recordPrefix+token }
	return slices.ContainsFunc(records, isProof), nil
}

// claimCheck takes a domain for a check, at most one each checkPause.
const claimCheck = `
UPDATE account.domain SET checked_at = $3
WHERE account_id = $1 AND id = $2 AND (checked_at IS NULL OR checked_at <= $4)`

// Check looks the record of a domain up and applies what was found. A *auth.Problem with CodeDomainUnproven
// when the record is not there, CodeDomainTaken when another organisation has proven the domain,
// CodeDomainUnknown when it could not be looked up, and CodeWait right after another check.
func (s *Domains) Check(ctx context.Context, account ident.AccountID, id int64) error {
	var d Domain
	err := s.inTx(ctx, account, member.ManageDomains, func(ctx context.Context, tx pgx.Tx) (err error) {
		if d, err = findDomain(ctx, tx, account, id); err != nil {
			return err
		}
		now := s.clock.Now()
		tag, err := tx.Exec(ctx, claimCheck, account, id, now, now.Add(-checkPause))
		if err == nil && tag.RowsAffected() == 0 {
			return auth.NewWaitProblem(d.CheckedAt.Add(checkPause).Sub(now))
		}
		return fault.Wrap("take a domain for a check", err)
	})
	if err != nil {
		return err
	}
	found, err := s.lookUpRecord(ctx, d.Name, d.Token)
	if err != nil {
		return err
	}
	if err := s.applyCheck(ctx, account, d, found); err != nil {
		return err
	}
	if !found {
		return auth.NewProblem("", auth.CodeDomainUnproven)
	}
	return nil
}

const (
	// The token is that of the record that was looked up: a domain that was removed and added meanwhile has
	// another.
	proveDomain = `
UPDATE account.domain d SET proven_at = coalesce(d.proven_at, $3), seen_at = $3, checked_at = $3
FROM account.domain former WHERE d.account_id = $1 AND d.token = $2 AND former.id = d.id AND former.account_id = $1
RETURNING former.proven_at IS NULL`

	loseDomain = `
UPDATE account.domain SET proven_at = NULL
WHERE account_id = $1 AND token = $2 AND proven_at IS NOT NULL AND seen_at <= $3`

	noteCheck = `UPDATE account.domain SET checked_at = $3 WHERE account_id = $1 AND token = $2`
)

// applyCheck records whether the record of a domain was there. A domain whose record was not there for Grace
// is no longer proven, and its organisation gets a mail.
func (s *Domains) applyCheck(ctx context.Context, account ident.AccountID, d Domain, found bool) error {
	ctx, cancel := context.WithTimeout(pgdb.ForService(ctx), member.StoreTimeout)
	defer cancel()
	now := s.clock.Now()
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if found {
			var isNew bool
			err := tx.QueryRow(ctx, proveDomain, account, d.Token, now).Scan(&isNew)
			if err != nil || !isNew { // without a row it was removed meanwhile
				return pgdb.RowError(err, errNoDomain, "prove a domain")
			}
			return s.recordEvent(ctx, tx, account, audit.ActionDomainProven, map[string]any{"domain": d.Name})
		}
		if _, err := tx.Exec(ctx, noteCheck, account, d.Token, now); err != nil {
			return fmt.Errorf("note the check of a domain: %w", err)
		}
		tag, err := tx.Exec(ctx, loseDomain, account, d.Token, now.Add(-Grace))
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap("end the proof of a domain", err)
		}
		err = s.recordEvent(ctx, tx, account, audit.ActionDomainLost, map[string]any{"domain": d.Name})
		if err != nil {
			return err
		}
		return apikey.NotifyOwner(ctx, tx, account, mail.DomainLost, map[string]string{"domain": d.Name})
	})
	if pgdb.IsUnique(err) {
		return auth.NewProblem("", auth.CodeDomainTaken)
	}
	return err
}

// Jobs returns the periodic job that looks proven domains up again.
func (s *Domains) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Every(checkEvery, "domain_check", s.CheckDue)}
}

const listDue = `
SELECT account_id, id, name, token FROM account.domain
WHERE proven_at IS NOT NULL AND (checked_at <= $1 OR seen_at < checked_at) ORDER BY checked_at LIMIT $2`

// CheckDue looks up the proven domains that were not for a day, and those whose record was not there. What is
// not looked up before ctx ends waits for the next run. A name that cannot be looked up counts as a record
// that is not there: name servers that do not answer must not keep a domain proven.
func (s *Domains) CheckDue(ctx context.Context) error {
	ctx = audit.With(pgdb.ForService(ctx), audit.Actor{Kind: audit.ActorSystem})
	type due struct {
		Account ident.AccountID
		ID      int64
		Name    string
		Token   string
	}
	list, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[due], listDue, s.clock.Now().Add(-recheckFrom),
		checkBatch)
	if err != nil {
		return fmt.Errorf("list domains to check: %w", err)
	}
	var lookups errgroup.Group
	lookups.SetLimit(checkParallel)
	var applying sync.Mutex // one transaction at a time: requests need the connections too
	for _, d := range list {
		if end, ok := ctx.Deadline(); ok && time.Until(end) < lookupTimeout+time.Second {
			break
		}
		lookups.Go(func() error {
			found, err := s.lookUpRecord(ctx, d.Name, d.Token)
			if err != nil && !errors.As(err, new(*auth.Problem)) {
				return err
			}
			applying.Lock()
			defer applying.Unlock()
			err = s.applyCheck(ctx, d.Account, Domain{ID: d.ID, Name: d.Name, Token: d.Token}, found)
			// Removed meanwhile, or lost and proven by another organisation.
			if errors.As(err, new(*auth.Problem)) || err != nil && fault.From(err).Code == fault.NotFound {
				return nil
			}
			return err
		})
	}
	return lookups.Wait()
}
