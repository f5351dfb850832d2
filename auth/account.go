// Package auth keeps the accounts: who they are and how they prove it. It promises that an address is held in
// one form, that passwords are kept as argon2id hashes, and that nothing here ever prints one.
package auth

import (
	"cmp"
	"context"
	"fmt"
	netmail "net/mail"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/net/idna"

	"arpent/auth/passkey"
	"arpent/auth/password"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Account is a customer's account: it has, or may have, API keys. It is that of a person or an organisation.
type Account struct {
	ID          ident.AccountID
	Name        string     // of an organisation; empty: the account of a person
	Email       string     // of an organisation: where its mails go
	ConfirmedAt *time.Time // nil until the address is confirmed
	Plan        string
	Own         OwnLimits
	CreatedAt   time.Time
}

// Title names an account: the one of a person by its address, an organisation by its name and where its mails
// go.
func (a Account) Title() string {
	if a.Name == "" {
		return a.Email
	}
	return a.Name + " · " + a.Email
}

// Confirmed reports whether the e-mail address is known to be the account's.
func (a Account) Confirmed() bool { return a.ConfirmedAt != nil }

// OwnLimits is what the operator grants to one account in addition to its plan. Nil leaves the plan's limit.
type OwnLimits struct {
	PerMinute            *int
	EnrichmentsPerMinute *int
	PerDay               *int
	Note                 *string // why, for the operator
}

// ErrEmailTaken is returned when another account has the address. It is for the
// operator: a sign-up form never repeats it.
var ErrEmailTaken = fault.New(fault.InvalidParameter,
	"An account with this e-mail address exists already.", nil)

// Accounts keeps the accounts.
type Accounts struct{ accountRows }

// NewAccounts makes the store.
func NewAccounts(db *pgxpool.Pool, c clock.Clock) *Accounts {
	return &Accounts{accountRows{db, c}}
}

// NewAccount describes an account to create.
type NewAccount struct {
	Email     string
	Password  string // empty: none, the account signs in otherwise
	Plan      string // granted by the operator
	Language  string // of its pages and mails, fr or en; empty: fr
	Confirmed bool
}

const accountColumns = `id, coalesce(name, ''), coalesce(contact_email, email), email_confirmed_at, plan,
    per_minute, enrichments_per_minute, per_day, limits_note, created_at`

func scanAccount(row pgx.Row) (a Account, err error) {
	err = row.Scan(&a.ID, &a.Name, &a.Email, &a.ConfirmedAt, &a.Plan,
		&a.Own.PerMinute, &a.Own.EnrichmentsPerMinute, &a.Own.PerDay, &a.Own.Note, &a.CreatedAt)
	return a, err
}

const createAccount = `
INSERT INTO account.account
    (email, email_confirmed_at, password_hash, plan, granted_plan, language, created_at, updated_at)
VALUES ($1, $2, $3, $4, $4, $6, $5, $5)
RETURNING ` + accountColumns

// Create makes an account, or returns ErrEmailTaken or a *Problem with the password or the language. The plan
// must be one that the caller knows to exist: the database rejects any other.
func (s *Accounts) Create(ctx context.Context, n NewAccount) (Account, error) {
	email, err := NormalEmail(n.Email)
	if err != nil {
		return Account{}, err
	}
	n.Language = cmp.Or(n.Language, "fr")
	if err := checkLanguage(n.Language); err != nil {
		return Account{}, err
	}
	var hash *string
	if n.Password != "" {
		h, err := newHash(ctx, password.Shared, n.Password, email)
		if err != nil {
			return Account{}, err
		}
		hash = &h
	}
	now := s.clock.Now()
	var confirmed *time.Time
	if n.Confirmed {
		confirmed = &now
	}
	a, err := scanAccount(s.db.QueryRow(ctx, createAccount, email, confirmed, hash, n.Plan, now, n.Language))
	if pgdb.IsUnique(err) {
		return Account{}, ErrEmailTaken
	}
	return a, fault.Wrap("create account", err)
}

const accountByEmail = `SELECT ` + accountColumns + ` FROM account.account
WHERE lower(email) = $1 AND kind = 'person'`

// ByEmail finds the person with that address; a fault.NotFound when there is none.
func (s *Accounts) ByEmail(ctx context.Context, address string) (Account, error) {
	email, err := NormalEmail(address)
	if err != nil {
		return Account{}, err
	}
	return queryAccountRow(ctx, s.db, "read account by e-mail address", accountByEmail, email)
}

// Find finds an account by its number or its e-mail address. An organisation has a number only: its address
// is that of a member.
func (s *Accounts) Find(ctx context.Context, which string) (Account, error) {
	if id, err := strconv.ParseInt(which, 10, 64); err == nil {
		return s.ByID(ctx, ident.AccountID(id))
	}
	return s.ByEmail(ctx, which)
}

const accountByID = `SELECT ` + accountColumns + ` FROM account.account WHERE id = $1`

// ByID finds the account with that number; a fault.NotFound when there is none.
func (s *Accounts) ByID(ctx context.Context, id ident.AccountID) (Account, error) {
	return queryAccountRow(ctx, s.db, fmt.Sprintf("read account %d", id), accountByID, id)
}

const listAccounts = `SELECT ` + accountColumns + ` FROM account.account ORDER BY email`

// List gives every account, sorted by address. It is for the operator's command line.
func (s *Accounts) List(ctx context.Context) ([]Account, error) {
	return s.queryAccounts(ctx, "list accounts", listAccounts)
}

const searchAccounts = `SELECT ` + accountColumns + ` FROM account.account
WHERE ($1 = '' OR strpos(lower(coalesce(contact_email, email)), $1) > 0 OR strpos(lower(name), $1) > 0 OR id::text = $1)
    AND ($2 = 0 OR id < $2) ORDER BY id DESC LIMIT $3`

// Search gives the accounts whose address or name contains a text or whose number it is, the newest first; an
// empty text finds all. before is the number of the last one already seen, or 0. It is for the operator: like
// List it is not limited to one account.
func (s *Accounts) Search(
	ctx context.Context, text string, before ident.AccountID, limit int) ([]Account, error) {
	return s.queryAccounts(ctx, "search accounts", searchAccounts, strings.ToLower(strings.TrimSpace(text)),
		before, limit)
}

const confirmAccount = `
UPDATE account.account SET email_confirmed_at = coalesce(email_confirmed_at, $2), updated_at = $2
WHERE id = $1 RETURNING ` + accountColumns

// Confirm records that the address belongs to the account, as the operator's act. Confirming again changes
// nothing. A fault.NotFound when there is no such account.
func (s *Accounts) Confirm(ctx context.Context, id ident.AccountID) (Account, error) {
	now := s.clock.Now().Truncate(time.Microsecond) // as the database keeps it
	before := func(a Account) bool { return !a.ConfirmedAt.Equal(now) }
	return s.changeAccount(ctx, id, audit.ActionConfirmed, nil, before, "confirm", confirmAccount, now)
}

const requireSecondFactor = `
UPDATE account.account SET second_factor_required_at = CASE WHEN $2 THEN coalesce(second_factor_required_at, $3) END, updated_at = $3
WHERE id = $1 RETURNING ` + accountColumns

// RequireSecondFactor has the pages of the account lead to turning on a second factor until there is one, or
// takes that back, as the operator's act. Its keys go on, and a second factor that is on stays on. A
// fault.NotFound when there is no such account.
func (s *Accounts) RequireSecondFactor(
	ctx context.Context, id ident.AccountID, required bool) (Account, error) {
	action := audit.ActionTOTPRequired
	if !required {
		action = audit.ActionTOTPNotRequired
	}
	return s.changeAccount(ctx, id, action, nil, nil, "require a second factor of", requireSecondFactor,
		required,
		s.clock.Now())
}

const setLimits = `
UPDATE account.account
SET per_minute = $2, enrichments_per_minute = $3, per_day = $4, limits_note = $5, updated_at = $6
WHERE id = $1 RETURNING ` + accountColumns

// SetLimits replaces what the operator grants to the account, and records it as the operator's act, without
// the note. The plan stays what it is. A fault.NotFound when there is no such account.
func (s *Accounts) SetLimits(ctx context.Context, id ident.AccountID, own OwnLimits) (Account, error) {
	for _, n := range []*int{own.PerMinute, own.EnrichmentsPerMinute, own.PerDay} {
		if n != nil && (*n < 1 || *n > maxLimit) {
			return Account{}, fault.Invalid("a limit must be between 1 and %d", maxLimit)
		}
	}
	return s.changeAccount(ctx, id, audit.ActionLimitsChanged, map[string]any{ // null: that of the plan
		"per_minute": own.PerMinute, "enrichments_per_minute": own.EnrichmentsPerMinute, "per_day": own.PerDay},
		nil, "set the limits of", setLimits, own.PerMinute, own.EnrichmentsPerMinute, own.PerDay, own.Note,
		s.clock.Now())
}

// changeAccount is an act of the operator on one account, which is the first argument of the statement, with
// its record. before, when not nil, reports that nothing changed: then nothing is recorded.
func (s *Accounts) changeAccount(ctx context.Context, id ident.AccountID, action string,
	detail map[string]any,
	before func(Account) bool, doing, sql string, args ...any) (a Account, err error) {
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) (err error) {
		a, err = queryAccountRow(ctx, tx, fmt.Sprintf("%s account %d", doing, id), sql,
			append([]any{id}, args...)...)
		if err != nil || before != nil && before(a) {
			return err
		}
		return s.recordAction(ctx, tx, id, action, detail)
	})
	return a, err
}

// recordAction adds an act of the operator to the audit record.
func (s *Accounts) recordAction(ctx context.Context, tx pgx.Tx, id ident.AccountID, action string,
	detail map[string]any) error {
	return audit.Record(ctx, tx, s.clock.Now(), audit.Event{Account: id, Actor: audit.ActorOperator,
		Action: action, Detail: detail})
}

// maxLimit keeps the memory of one account's minute, eight bytes an admission, within reason.
const maxLimit = 10_000_000

func (s *Accounts) queryAccounts(ctx context.Context, doing, sql string, args ...any) ([]Account, error) {
	scan := func(row pgx.CollectableRow) (Account, error) { return scanAccount(row) }
	all, err := pgdb.Collect(ctx, s.db, scan, sql, args...)
	return all, fault.Wrap(doing, err)
}

var errNoAccount = fault.Missing("There is no such account.")

// queryAccountRow runs a statement on one account, which must exist. doing begins the text of other errors.
func queryAccountRow(ctx context.Context, db pgdb.DB, doing, sql string, args ...any) (Account, error) {
	a, err := scanAccount(db.QueryRow(ctx, sql, args...))
	return a, pgdb.RowError(err, errNoAccount, doing)
}

// Access is how the owner of an account signs in, as an operator sees it.
type Access struct {
	Language          string
	HasPassword       bool
	PasswordChangedAt *time.Time // nil: it is that of the sign-up, or there is none
	FactorSince       *time.Time // nil: there is no second factor
	FactorRequired    bool       // by the operator
	FactorEndsAt      *time.Time // when a lost factor is turned off; nil: it stays
	RecoveryCodesLeft int
	Sessions          int
	LastSignInAt      *time.Time // of the sessions that are open
	Identities        []IdentityInfo
	Passkeys          []passkey.Info
}

const readAccess = `
SELECT a.language, a.password_hash IS NOT NULL, a.password_changed_at, a.totp_enabled_at,
    a.second_factor_required_at IS NOT NULL, a.factor_recovery_due_at,
    (SELECT count(*) FROM account.recovery_code c WHERE c.account_id = a.id AND c.used_at IS NULL), s.n, s.last
FROM account.account a, LATERAL (SELECT count(*) AS n, max(created_at) AS last FROM account.session
    WHERE account_id = a.id AND expires_at > $2 AND created_at > $3) s
WHERE a.id = $1`

// Access reads how the owner of an account signs in. A fault.NotFound when there is no such account.
func (s *Accounts) Access(ctx context.Context, id ident.AccountID) (a Access, err error) {
	now := s.clock.Now()
	err = s.db.QueryRow(ctx, readAccess, id, now, now.Add(-SessionMaxLife)).Scan(&a.Language, &a.HasPassword,
		&a.PasswordChangedAt, &a.FactorSince, &a.FactorRequired, &a.FactorEndsAt, &a.RecoveryCodesLeft, &a.Sessions,
		&a.LastSignInAt)
	if err != nil {
		return Access{}, pgdb.RowError(err, errNoAccount, "read the sign-in of an account")
	}
	a.Identities, err = pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[IdentityInfo], listIdentities, id)
	if err != nil {
		return Access{}, fault.Wrap("list identities", err)
	}
	a.Passkeys, err = passkey.List(ctx, s.db, id)
	return a, err
}

// NormalEmail checks an e-mail address and gives the form in which it is stored and compared: trimmed, in
// lower case, the domain in ASCII (exämple.fr and xn--exmple-cua.fr are one). Providers that distinguish
// `A@x` from `a@x` exist on paper only; people who type one for the other are many. The part before the @ is
// ASCII, as few servers take another, and the domain has a dot.
func NormalEmail(address string) (string, error) {
	s := strings.ToLower(strings.TrimSpace(address))
	invalid := fault.Invalid("%q is not an e-mail address", fault.Excerpt(s))
	if at := strings.LastIndexByte(s, '@'); at >= 0 && !isASCII(s[at:]) && utf8.ValidString(s) {
		domain, err := idna.Lookup.ToASCII(s[at+1:])
		if err != nil {
			return "", invalid
		}
		s = s[:at+1] + domain
	}
	isForbidden := func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) || r == '<' ||
			r == unicode.ReplacementChar
	}
	if len(s) > 254 || !isASCII(s) || strings.ContainsFunc(s, isForbidden) {
		return "", invalid
	}
	// ParseAddress also takes `Name <a@b>` and comments: whatever it does not return unchanged is rejected.
	parsed, err := netmail.ParseAddress(s)
	if err != nil || parsed.Address != s || parsed.Name != "" {
		return "", invalid
	}
	local, domain, ok := strings.Cut(s, "@")
	if !ok || len(local) > 64 || strings.HasPrefix(local, `"`) || !strings.Contains(domain, ".") ||
		strings.ContainsAny(domain, "[]@") {
		return "", invalid
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return "", invalid
		}
	}
	return s, nil
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
