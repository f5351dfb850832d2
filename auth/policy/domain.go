package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/auth"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

const (
	// MaxDomains is how many domains an organisation may have.
	MaxDomains = 10
	// Grace is how long a domain stays proven without its record.
	Grace = 7 * 24 * time.Hour

	recordLabel  = "_arpent."
	recordPrefix = "arpent-domain="

	lookupTimeout = 5 * time.Second
	checkPause    = 10 * time.Second // between two checks of a domain that members ask for
)

// Resolver looks TXT records up. A name without any is a *net.DNSError with IsNotFound.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Domains keeps the domains. What is done is recorded as done by the audit.Actor of the context.
type Domains struct {
	db       *pgxpool.Pool
	clock    clock.Clock
	resolver Resolver
}

// NewDomains makes the store of domains.
func NewDomains(db *pgxpool.Pool, c clock.Clock, r Resolver) *Domains { return &Domains{db, c, r} }

// Domain is a domain of an organisation.
type Domain struct {
	ID        int64
	Name      string // in ASCII
	Token     string
	ProvenAt  *time.Time  // since when its record proves it; nil: it does not
	SeenAt    *time.Time  // when the record was last there; nil: never
	CheckedAt *time.Time  // when it was last looked up; nil: never
	JoinRole  member.Role // of people who join by an address of it; empty: none can
	Approval  bool        // a member has to approve them
}

// RecordName and RecordValue are the TXT record that proves the domain.
func (d Domain) RecordName() string  { return recordLabel + d.Name }
func (d Domain) RecordValue() string { return recordPrefix + d.Token }

// LosesAt is when the domain is no longer proven, unless the record comes back; nil: the record was there
// when it was last looked up, or the domain is not proven.
func (d Domain) LosesAt() *time.Time {
	if d.ProvenAt == nil || d.SeenAt == nil || d.CheckedAt == nil || !d.CheckedAt.After(*d.SeenAt) {
		return nil
	}
	return new(d.SeenAt.Add(Grace))
}

// inTx runs an act on an organisation for the person of the context, whose role must allow it.
func (s *Domains) inTx(ctx context.Context, account ident.AccountID, needs member.Action,
	do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx = pgdb.ForService(ctx) // domains are unique over all accounts
	return member.Act(ctx, s.db, account, needs, func(ctx context.Context, tx pgx.Tx, _ bool) error {
		return do(ctx, tx)
	})
}

// recordEvent adds what was done to the audit record, as done by the actor of the context.
func (s *Domains) recordEvent(ctx context.Context, tx pgx.Tx, account ident.AccountID, action string,
	detail map[string]any) error {
	return audit.RecordAct(ctx, tx, s.clock.Now(), account, action, detail)
}

const selectDomain = `
SELECT id, name, token, proven_at, seen_at, checked_at, coalesce(join_role, ''), join_approval
FROM account.domain WHERE account_id = $1 `

// List lists the domains of an organisation, the first one first.
func (s *Domains) List(ctx context.Context, account ident.AccountID) ([]Domain, error) {
	list, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[Domain], selectDomain+`ORDER BY id`, account)
	return list, fault.Wrap("list domains", err)
}

const (
	countDomains = `
SELECT count(*), count(*) FILTER (WHERE name = $2) FROM account.domain WHERE account_id = $1`

	insertDomain = `INSERT INTO account.domain (account_id, name, token, created_at) VALUES ($1, $2, $3, $4)`
)

// Add adds a domain, which is not proven yet. Another organisation may add it too: the record decides.
func (s *Domains) Add(ctx context.Context, account ident.AccountID, text string) error {
	name, err := Normalize(text)
	if err != nil {
		return err
	}
	return s.inTx(ctx, account, member.ManageDomains, func(ctx context.Context, tx pgx.Tx) error {
		var all, known int
		if err := tx.QueryRow(ctx, countDomains, account, name).Scan(&all, &known); err != nil {
			return fmt.Errorf("count domains: %w", err)
		}
		switch {
		case known > 0:
			return auth.NewProblem("domain", auth.CodeDomainKnown)
		case all >= MaxDomains:
			return auth.NewProblem("domain", auth.CodeDomainsFull)
		}
		token := newToken()
		if _, err := tx.Exec(ctx, insertDomain, account, name, token, s.clock.Now()); err != nil {
			return fmt.Errorf("add a domain: %w", err)
		}
		return s.recordEvent(ctx, tx, account, audit.ActionDomainAdded, map[string]any{"domain": name})
	})
}

var errNoDomain = fault.Missing("There is no such domain.")

const deleteDomain = `DELETE FROM account.domain WHERE account_id = $1 AND id = $2 RETURNING name`

// Remove removes a domain: people can no longer join by an address of it. Members stay.
func (s *Domains) Remove(ctx context.Context, account ident.AccountID, id int64) error {
	return s.inTx(ctx, account, member.ManageDomains, func(ctx context.Context, tx pgx.Tx) error {
		name, err := pgdb.Value[string](ctx, tx, errNoDomain, "remove a domain", deleteDomain, account, id)
		if err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, account, audit.ActionDomainRemoved, map[string]any{"domain": name})
	})
}

// findDomain reads a domain of the locked organisation.
func findDomain(ctx context.Context, tx pgx.Tx, account ident.AccountID, id int64) (Domain, error) {
	return pgdb.One(ctx, tx, pgx.RowToStructByPos[Domain], errNoDomain, "read a domain",
		selectDomain+`AND id = $2`,
		account, id)
}

const setJoining = `
UPDATE account.domain SET join_role = nullif($3, ''), join_approval = $4
WHERE account_id = $1 AND id = $2 AND (join_role, join_approval) IS DISTINCT FROM (nullif($3, ''), $4::boolean)`

// SetJoining chooses whether people whose confirmed address is of the domain can join, with which role, and
// whether a member has to approve them. The role is Reader, Developer or empty: they cannot. A choice that
// changes nothing is not recorded.
func (s *Domains) SetJoining(ctx context.Context, account ident.AccountID, id int64, role member.Role,
	approval bool) error {
	if role != "" && role != member.Reader && role != member.Developer {
		return auth.NewProblem("role", auth.CodeRoleUnknown)
	}
	return s.inTx(ctx, account, member.ChooseJoining, func(ctx context.Context, tx pgx.Tx) error {
		d, err := findDomain(ctx, tx, account, id)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, setJoining, account, id, role, approval || role == "")
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap("choose who can join", err)
		}
		detail := map[string]any{"domain": d.Name, "joining": "off"}
		if role != "" {
			detail["role"], detail["joining"] = role, "open"
			if approval {
				detail["joining"] = "approval"
			}
		}
		return s.recordEvent(ctx, tx, account, audit.ActionJoiningChanged, detail)
	})
}
