package management

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Store keeps the tokens. What is done is recorded as done by the audit.Actor of the context.
type Store struct {
	db    *pgxpool.Pool
	clock clock.Clock
}

// NewStore makes the store.
func NewStore(db *pgxpool.Pool, c clock.Clock) *Store { return &Store{db: db, clock: c} }

const (
	countTokens = `
SELECT count(*), count(*) FILTER (WHERE lower(name) = lower($3))
FROM account.management_token WHERE account_id = $1 AND expires_at > $2`

	insertToken = `
INSERT INTO account.management_token (account_id, created_by, name, scopes, token_hash, last4, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`
)

// Create makes a token of an account for the person of the context and returns its secret, which is kept
// nowhere. The owner of the account gets a mail. For a token that is not allowed it returns an
// error declared in this package or one of apikey.CheckName, for another role member.ErrRole, and without the
// account a fault.NotFound.
func (s *Store) Create(
	ctx context.Context, account ident.AccountID, n NewToken) (t Token, secret string, err error) {
	if n, err = n.checkFields(); err != nil {
		return Token{}, "", err
	}
	now := s.clock.Now()
	secret, hash := apikey.Draw(Mark)
	t = Token{Name: n.Name, Scopes: n.Scopes, Last4: secret[len(secret)-4:], CreatedAt: now,
		ExpiresAt: (clock.Day(now) + clock.Date(n.Days)).End()}
	err = member.Act(ctx, s.db, account, member.ManageTokens, func(
		ctx context.Context, tx pgx.Tx, confirmed bool) error {
		var live, named int
		if err := tx.QueryRow(ctx, countTokens, account, now, n.Name).Scan(&live, &named); err != nil {
			return fmt.Errorf("count the management tokens of account %d: %w", account, err)
		}
		switch {
		case !confirmed:
			return ErrUnconfirmed
		case named > 0:
			return ErrNameTaken
		case live >= MaxTokens:
			return ErrTooMany
		}
		t.CreatedBy = audit.ActorOf(ctx).Person
		if err := tx.QueryRow(ctx, insertToken, account, t.CreatedBy, t.Name, t.Scopes, hash[:], t.Last4, now,
			t.ExpiresAt).Scan(&t.ID); err != nil {
			return fmt.Errorf("make a management token of account %d: %w", account, err)
		}
		if err := recordToken(ctx, tx, account, audit.ActionTokenCreated, t, now); err != nil {
			return err
		}
		values := audit.ActorOf(ctx).MailValues(now)
		values["name"], values["expires"] = t.Name, t.ExpiresAt.UTC().Format(time.RFC3339)
		return apikey.NotifyOwner(ctx, tx, account, mail.TokenCreated, values)
	})
	if err != nil {
		return Token{}, "", err
	}
	return t, secret, nil
}

func recordToken(ctx context.Context, tx pgx.Tx, account ident.AccountID, action string, t Token,
	now time.Time) error {
	return audit.RecordAct(ctx, tx, now, account, action, map[string]any{"token": t.ID, "name": t.Name,
		"scopes": t.Scopes})
}

// A person may manage the tokens of their own account, and those of an organisation in some roles. The
// membership must be older than the token: who comes back to an organisation makes new ones.
const listTokens = `
SELECT t.id, t.name, t.scopes, t.last4, t.created_by, p.email, t.created_at, t.expires_at, t.last_used_at,
    CASE WHEN t.created_by = t.account_id THEN 'owner' ELSE coalesce(m.role, '') END
FROM account.management_token t JOIN account.account p ON p.id = t.created_by
LEFT JOIN account.member m
    ON m.account_id = t.account_id AND m.person_id = t.created_by AND m.created_at <= t.created_at
WHERE t.account_id = $1 ORDER BY t.id DESC`

// List lists the tokens of an account, expired ones included, the newest first.
func (s *Store) List(ctx context.Context, account ident.AccountID) ([]Token, error) {
	list, err := pgdb.Collect(pgdb.ForService(ctx), s.db, func(row pgx.CollectableRow) (t Token, err error) {
		var role member.Role
		err = row.Scan(&t.ID, &t.Name, &t.Scopes, &t.Last4, &t.CreatedBy, &t.Maker, &t.CreatedAt, &t.ExpiresAt,
			&t.LastUsedAt, &role)
		t.Void = !role.May(member.ManageTokens)
		return t, err
	}, listTokens, account)
	return list, fault.Wrap("list management tokens", err)
}

// FoundToken is a token with its account.
type FoundToken struct {
	Token
	Account ident.AccountID
	Email   string // of the person, or where the mails of the organisation go
}

// It is over all accounts, as the account is what is looked for, and relies on the unique index of
// token_hash.
const findAccountOfToken = `
SELECT t.id, t.name, t.scopes, t.last4, t.created_by, t.created_at, t.expires_at, t.last_used_at,
    CASE WHEN t.created_by = t.account_id THEN 'owner' ELSE coalesce(m.role, '') END,
    o.id, coalesce(o.contact_email, o.email)
FROM account.management_token t JOIN account.account o ON o.id = t.account_id
LEFT JOIN account.member m
    ON m.account_id = t.account_id AND m.person_id = t.created_by AND m.created_at <= t.created_at
WHERE t.token_hash = $1`

// Find returns the token, expired or not, that a text is the whole or the SHA-256 hash of; nil when there is
// none, as after it was revoked. It is for the operator who was sent a leaked token.
func (s *Store) Find(ctx context.Context, text string) (*FoundToken, error) {
	text = strings.TrimSpace(text)
	hash, err := hex.DecodeString(text)
	if sum, ok := apikey.Check(Mark, text); ok {
		hash, err = sum[:], nil
	}
	if err != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	var (
		t    FoundToken
		role member.Role
	)
	err = s.db.QueryRow(ctx, findAccountOfToken, hash).Scan(&t.ID, &t.Name, &t.Scopes, &t.Last4, &t.CreatedBy,
		&t.CreatedAt, &t.ExpiresAt, &t.LastUsedAt, &role, &t.Account, &t.Email)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	t.Void = !role.May(member.ManageTokens)
	return &t, fault.Wrap("find a management token", err)
}

// MadeToken is a token that has not expired, with the name of its organisation.
type MadeToken struct {
	Name         string
	Organisation string // empty: the person's own account
	CreatedAt    time.Time
	LastUsedAt   *time.Time
}

const listMadeBy = `
SELECT t.name, coalesce(o.name, ''), t.created_at, t.last_used_at
FROM account.management_token t JOIN account.account o ON o.id = t.account_id
WHERE t.created_by = $1 AND t.expires_at > $2 ORDER BY lower(coalesce(o.name, '')), t.id DESC`

// ListMadeBy lists the tokens that a person has made, in their own account first and then in organisations.
func (s *Store) ListMadeBy(ctx context.Context, person ident.AccountID) ([]MadeToken, error) {
	list, err := pgdb.Collect(pgdb.ForService(ctx), s.db, pgx.RowToStructByPos[MadeToken], listMadeBy, person,
		s.clock.Now())
	return list, fault.Wrap("list the management tokens of a person", err)
}

const deleteToken = `
DELETE FROM account.management_token WHERE id = $2 AND account_id = $1 RETURNING id, name, scopes`

// Revoke ends a token for ever. One that is not the account's, or was revoked, is a fault.NotFound.
func (s *Store) Revoke(ctx context.Context, account ident.AccountID, id TokenID) error {
	return member.Act(ctx, s.db, account, member.ManageTokens, func(
		ctx context.Context, tx pgx.Tx, _ bool) error {
		var t Token
		err := tx.QueryRow(ctx, deleteToken, account, id).Scan(&t.ID, &t.Name, &t.Scopes)
		if err != nil {
			return pgdb.RowError(err, fault.Missing("The account has no such management token."),
				fmt.Sprintf("revoke a management token of account %d", account))
		}
		return recordToken(ctx, tx, account, audit.ActionTokenRevoked, t, s.clock.Now())
	})
}

const deleteTokensOf = `
DELETE FROM account.management_token WHERE account_id = $1 AND created_by = $2 RETURNING id, name, scopes`

// RevokeOf ends the tokens that a person made in an account, as part of the transaction that ends the right
// to do so.
func RevokeOf(ctx context.Context, tx pgx.Tx, account, person ident.AccountID, now time.Time) error {
	list, err := pgdb.Collect(ctx, tx, func(row pgx.CollectableRow) (t Token, err error) {
		return t, row.Scan(&t.ID, &t.Name, &t.Scopes)
	}, deleteTokensOf, account, person)
	if err != nil {
		return fmt.Errorf("revoke the management tokens of a person in account %d: %w", account, err)
	}
	for _, t := range list {
		if err := recordToken(ctx, tx, account, audit.ActionTokenRevoked, t, now); err != nil {
			return err
		}
	}
	return nil
}

// Grant is an account that a token gives access to, and the state of the limit of the token.
type Grant struct {
	Token TokenID
	Rate  Rate

	Account              ident.AccountID
	Name                 string // of the organisation; empty: the account of a person
	Email                string // of that person; empty: an organisation
	Scopes               []Scope
	Plan                 string
	PerMinute            *int // the account's own limits; nil: those of the plan
	EnrichmentsPerMinute *int
	PerDay               *int
}

// Why a token is refused.
var (
	ErrNotToken = fault.New(fault.InvalidToken,
		"This is no management token. They begin with "+Mark+" and are made in the account, on the page of "+
			"the tokens.", nil)
	ErrIsKey = fault.New(fault.InvalidToken,
		"This is an API key, for /api/v1. The account is read with a management token, which begins "+
			"with "+Mark+".", nil)
	ErrUnknown = fault.New(fault.InvalidToken,
		"This management token is not known: it was revoked, or the person who made it may not manage "+
			"tokens any more.", nil)
	ErrExpired = fault.New(fault.InvalidToken,
		"This management token has expired. Make another one in the account.", nil)
)

const (
	// It finds the account of a token, as a session does. The row is locked, so that requests at the same
	// time, whatever the instance, are counted one after the other.
	findToken = `
SELECT t.id, t.scopes, t.expires_at, t.busy_until, o.id, coalesce(o.name, ''),
    CASE o.kind WHEN 'person' THEN o.email ELSE '' END, o.plan, o.per_minute, o.enrichments_per_minute, o.per_day,
    CASE WHEN t.created_by = t.account_id THEN 'owner' ELSE coalesce(m.role, '') END
FROM account.management_token t JOIN account.account o ON o.id = t.account_id
LEFT JOIN account.member m
    ON m.account_id = t.account_id AND m.person_id = t.created_by AND m.created_at <= t.created_at
WHERE t.token_hash = $1 FOR NO KEY UPDATE OF t`

	useToken = `
UPDATE account.management_token SET last_used_at = $3, busy_until = $4 WHERE id = $2 AND account_id = $1`
)

// Authenticate finds the account of a token and counts the request in the limit of the token: with a
// Rate.RetryAfter it was rejected for it. A token that is not accepted is one of the errors above.
func (s *Store) Authenticate(ctx context.Context, presented string) (g Grant, err error) {
	hash, ok := apikey.Check(Mark, presented)
	if !ok {
		if _, isKey := apikey.Parse(presented); isKey || strings.HasPrefix(presented, apikey.Mark) {
			return Grant{}, ErrIsKey
		}
		return Grant{}, ErrNotToken
	}
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		var (
			role    member.Role
			expires time.Time
			busy    *time.Time
		)
		err := tx.QueryRow(ctx, findToken, hash[:]).Scan(&g.Token, &g.Scopes, &expires, &busy, &g.Account, &g.Name,
			&g.Email, &g.Plan, &g.PerMinute, &g.EnrichmentsPerMinute, &g.PerDay, &role)
		now := s.clock.Now()
		switch {
		case err != nil:
			return pgdb.RowError(err, ErrUnknown, "read a management token")
		case !role.May(member.ManageTokens):
			return ErrUnknown
		case !now.Before(expires):
			return ErrExpired
		}
		if busy == nil {
			busy = new(time.Time)
		}
		next, rate := decideRate(now, *busy)
		if g.Rate = rate; rate.RetryAfter > 0 {
			return nil
		}
		_, err = tx.Exec(ctx, useToken, g.Account, g.Token, now, next)
		return fault.Wrap("count the use of a management token", err)
	})
	if err != nil {
		return Grant{}, err
	}
	return g, nil
}
