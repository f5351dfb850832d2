package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Store keeps the keys. Every statement names the account: another account's key does not exist. What is done
// is recorded as done by the audit.Actor of the context, and the owner gets a mail of what they did and of a key
// that an operator revoked, in the transaction of the act: there is none without the others.
type Store struct {
	db    *pgxpool.Pool
	clock clock.Clock
}

// NewStore makes the store.
func NewStore(db *pgxpool.Pool, c clock.Clock) *Store { return &Store{db: db, clock: c} }

// storeTimeout bounds one act on the keys.
const storeTimeout = 10 * time.Second

// applyAction does one act on the keys of an account in a transaction, and records it unless nothing changed.
func (s *Store) applyAction(ctx context.Context, account ident.AccountID, a keyAction,
	do func(ctx context.Context, tx pgx.Tx) (k Key, changed bool, err error)) (Key, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var key Key
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		k, changed, err := do(ctx, tx)
		key = k
		if err != nil || !changed {
			return err
		}
		return a.recordAction(ctx, tx, account, k, s.clock.Now())
	})
	return key, fault.Wrap(a.name+" key", err)
}

// Create makes a key and returns its secret, which is kept nowhere. ErrUnconfirmed, ErrTooMany, and one of
// the errors declared next to it for a key that is not allowed; a fault.NotFound without the account.
func (s *Store) Create(
	ctx context.Context, account ident.AccountID, n NewKey) (key Key, secret string, err error) {
	name, err := CheckName(n.Name)
	if err != nil {
		return Key{}, "", err
	}
	now := s.clock.Now()
	if err := checkExpiry(n.ExpiresAt, now); err != nil {
		return Key{}, "", err
	}
	may, err := Restriction{n.RefuseInQuery, n.PerDay, n.Networks}.Check()
	if err != nil {
		return Key{}, "", err
	}
	secret, hash := New()
	create := func(ctx context.Context, tx pgx.Tx) (Key, bool, error) {
		if err := checkCreation(ctx, tx, account, name, now); err != nil {
			return Key{}, false, err
		}
		k, err := insertNewKey(ctx, tx, account, Key{Name: name, ExpiresAt: n.ExpiresAt, CreatedAt: now,
			RefuseInQuery: may.RefuseInQuery, PerDay: may.PerDay, Networks: may.Networks}, secret, hash)
		return k, true, err
	}
	if key, err = s.applyAction(ctx, account, createAction, create); err != nil {
		return Key{}, "", err
	}
	return key, secret, nil
}

// The lock makes those who make or name keys of one account take turns, so that together they keep the rules.
// It is of the kind that leaves the meter alone, which refers to the account when it writes its counts.
const lockAccount = `SELECT email_confirmed_at IS NOT NULL FROM account.account WHERE id = $1 FOR NO KEY UPDATE`

func lockAccountRow(ctx context.Context, tx pgx.Tx, account ident.AccountID) (confirmed bool, err error) {
	err = tx.QueryRow(ctx, lockAccount, account).Scan(&confirmed)
	return confirmed, mapMissingAccount(err)
}

const isMember = `SELECT EXISTS (SELECT FROM account.member WHERE account_id = $1 AND person_id = $2)`

// lockForMember is lockAccountRow for an act that shows a secret to the person of the context. Who was removed
// from the organisation since the request came in gets none: a removal takes the same lock.
func lockForMember(ctx context.Context, tx pgx.Tx, account ident.AccountID) (confirmed bool, err error) {
	if confirmed, err = lockAccountRow(ctx, tx, account); err != nil {
		return false, err
	}
	person, member := audit.ActorOf(ctx).Person, false
	if person == 0 || person == account {
		return confirmed, nil
	}
	if err := tx.QueryRow(ctx, isMember, account, person).Scan(&member); err != nil {
		return false, fmt.Errorf("read a member of account %d: %w", account, err)
	}
	if !member {
		return false, fault.Missing("There is no such account.")
	}
	return confirmed, nil
}

func mapMissingAccount(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no such account.", err)
	}
	return err
}

const countLive = `
SELECT count(*) FILTER (WHERE kind = 'integration'), count(*) FILTER (WHERE lower(name) = lower($2) AND id <> $4)
FROM account.api_key
WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`

// countKeys counts the live integration keys of an account, and its live keys with
// that name other than except.
func countKeys(ctx context.Context, tx pgx.Tx, account ident.AccountID, name string, except ident.KeyID,
	now time.Time) (
	live, named int, err error) {
	err = tx.QueryRow(ctx, countLive, account, name, now, except).Scan(&live, &named)
	return live, named, err
}

func checkCreation(ctx context.Context, tx pgx.Tx, account ident.AccountID, name string,
	now time.Time) error {
	confirmed, err := lockForMember(ctx, tx, account)
	if err != nil {
		return err
	}
	if !confirmed {
		return ErrUnconfirmed
	}
	live, named, err := countKeys(ctx, tx, account, name, 0, now)
	switch {
	case err != nil:
		return err
	case named > 0:
		return ErrNameTaken
	case live >= MaxIntegrations:
		return ErrTooMany
	}
	return nil
}

// The fields of Key, in their order.
const keyColumns = `id, name, kind, prefix, last4, refuse_in_query, per_day, networks, created_at, expires_at, paused_at,
	revoked_at, replaces, last_used_at, request_count, created_by, personal`

var scanKey = pgx.RowToStructByPos[Key]

const insertKey = `
INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, refuse_in_query, per_day, networks,
    created_at, expires_at, replaces, created_by, personal)
VALUES ($1, $2, 'integration', $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12::bigint, 0),
    EXISTS (SELECT FROM account.member m WHERE m.account_id = $1 AND m.person_id = $12 AND m.role = 'developer'))
RETURNING ` + keyColumns

// insertNewKey makes a key of the person who acts in the context, who sees its secret. That of a developer is
// personal.
func insertNewKey(ctx context.Context, tx pgx.Tx, account ident.AccountID, k Key, secret string,
	hash [32]byte) (Key, error) {
	return queryKey(ctx, tx, insertKey, account, k.Name, hash[:], secret[:prefixLength], secret[len(secret)-4:],
		k.RefuseInQuery, k.PerDay, k.Networks, k.CreatedAt, k.ExpiresAt, k.Replaces, audit.ActorOf(ctx).Person)
}

// queryKey runs a statement that returns one key, or a fault.NotFound.
func queryKey(ctx context.Context, db pgdb.DB, sql string, args ...any) (Key, error) {
	rows, _ := db.Query(ctx, sql, args...) // CollectExactlyOneRow returns its error
	key, err := pgx.CollectExactlyOneRow(rows, scanKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, fault.New(fault.NotFound, "The account has no such live key.", err)
	}
	return key, err
}

const listKeys = `SELECT ` + keyColumns + ` FROM account.api_key WHERE account_id = $1 AND kind <> 'console' ORDER BY created_at, id`

// List returns every key the account ever had, the oldest first.
func (s *Store) List(ctx context.Context, account ident.AccountID) ([]Key, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	keys, err := pgdb.Collect(ctx, s.db, scanKey, listKeys, account)
	return keys, fault.Wrap("list keys", err)
}

const getKey = `SELECT ` + keyColumns + ` FROM account.api_key WHERE id = $2 AND account_id = $1 AND kind <> 'console'`

// Get returns a key of the account, revoked and expired ones included. One
// that is not the account's is a fault.NotFound.
func (s *Store) Get(ctx context.Context, account ident.AccountID, id ident.KeyID) (Key, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	key, err := queryKey(ctx, s.db, getKey, account, id)
	return key, fault.Wrap("read key", err)
}
