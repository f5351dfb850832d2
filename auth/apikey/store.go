package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Store keeps the keys. Every statement names the account: another account's key does not exist. What is done
// is recorded as done by the audit.Actor of the context, and the owner gets a mail of what they did and of a
// key that an operator revoked: act, audit record and mail commit together.
type Store struct {
	db    *pgxpool.Pool
	clock clock.Clock
}

// NewStore makes the store.
func NewStore(db *pgxpool.Pool, c clock.Clock) *Store { return &Store{db: db, clock: c} }

// applyAction does one act on the keys of an account in a transaction, if the person of the context may do
// it, and records it unless nothing changed. id is the key that the act is on; 0: a new one.
func (s *Store) applyAction(ctx context.Context, account ident.AccountID, id ident.KeyID, a keyAction,
	do func(ctx context.Context, tx pgx.Tx, o owner) (k Key, changed bool, err error)) (Key, error) {
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	var key Key
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		o, err := lockForAction(ctx, tx, account, id, a.needs)
		if err != nil {
			return err
		}
		k, changed, err := do(ctx, tx, o)
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
	create := func(ctx context.Context, tx pgx.Tx, o owner) (Key, bool, error) {
		if err := checkCreation(ctx, tx, account, o, name, now); err != nil {
			return Key{}, false, err
		}
		k, err := insertNewKey(ctx, tx, account, Key{Name: name, ExpiresAt: n.ExpiresAt, CreatedAt: now,
			RefuseInQuery: may.RefuseInQuery, PerDay: may.PerDay, Networks: may.Networks, Personal: o.isPersonal},
			secret, hash)
		return k, true, err
	}
	if key, err = s.applyAction(ctx, account, 0, createAction, create); err != nil {
		return Key{}, "", err
	}
	return key, secret, nil
}

// owner is the account of an act on its keys, whose row is locked.
type owner struct {
	isConfirmed bool
	isPersonal  bool // a new key ends with the membership of the person who acts
}

const isMaker = `SELECT EXISTS (SELECT FROM account.api_key WHERE id = $2 AND account_id = $1 AND created_by = $3)`

// lockForAction locks the account for an act of the person of the context on a key, which the role that the
// person has now must allow: a member without the right gets member.ErrRole; a person who is not a member any
// more, and a developer whose key it is not, a fault.NotFound. An operator is no member and may act.
func lockForAction(ctx context.Context, tx pgx.Tx, account ident.AccountID, id ident.KeyID,
	needs member.Action) (o owner, err error) {
	if o.isConfirmed, err = member.LockAccount(ctx, tx, account); err != nil {
		return o, err
	}
	person := audit.ActorOf(ctx).Person
	if person == 0 {
		return o, nil
	}
	role, err := member.RequireRole(ctx, tx, account, person, needs)
	if err != nil {
		return o, err
	}
	o.isPersonal = role.SeesOwnKeysOnly()
	if id == 0 || !o.isPersonal {
		return o, nil
	}
	made, err := pgdb.Value[bool](ctx, tx, nil, fmt.Sprintf("read the maker of a key of account %d", account),
		isMaker, account, id, person)
	if err == nil && !made {
		err = errNoKey
	}
	return o, err
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

func checkCreation(ctx context.Context, tx pgx.Tx, account ident.AccountID, o owner, name string,
	now time.Time) error {
	if !o.isConfirmed {
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
VALUES ($1, $2, 'integration', $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12::bigint, 0), $13)
RETURNING ` + keyColumns

// insertNewKey makes a key of the person who acts in the context, who sees its secret.
func insertNewKey(ctx context.Context, tx pgx.Tx, account ident.AccountID, k Key, secret string,
	hash [32]byte) (Key, error) {
	return queryKey(ctx, tx, insertKey, account, k.Name, hash[:], secret[:prefixLength], secret[len(secret)-4:],
		k.RefuseInQuery, k.PerDay, k.Networks, k.CreatedAt, k.ExpiresAt, k.Replaces, audit.ActorOf(ctx).Person,
		k.Personal)
}

var errNoKey = fault.Missing("The account has no such live key.")

// queryKey runs a statement that returns one key, or a fault.NotFound.
func queryKey(ctx context.Context, db pgdb.DB, sql string, args ...any) (Key, error) {
	return pgdb.One(ctx, db, scanKey, errNoKey, "read a key", sql, args...)
}

const listKeys = `SELECT ` + keyColumns + ` FROM account.api_key WHERE account_id = $1 AND kind <> 'console' ORDER BY created_at, id`

// List returns every key the account ever had, the oldest first.
func (s *Store) List(ctx context.Context, account ident.AccountID) ([]Key, error) {
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	keys, err := pgdb.Collect(ctx, s.db, scanKey, listKeys, account)
	return keys, fault.Wrap("list keys", err)
}

const getKey = `SELECT ` + keyColumns + ` FROM account.api_key WHERE id = $2 AND account_id = $1 AND kind <> 'console'`

// Get returns a key of the account, revoked and expired ones included. One
// that is not the account's is a fault.NotFound.
func (s *Store) Get(ctx context.Context, account ident.AccountID, id ident.KeyID) (Key, error) {
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	key, err := queryKey(ctx, s.db, getKey, account, id)
	return key, fault.Wrap("read key", err)
}
