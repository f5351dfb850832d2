package apikey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/clock"
	"arpent/app/fault"
	"arpent/app/ident"
)

// Store keeps the keys. Every statement names the account: somebody else's key does not exist.
type Store struct {
	db    *pgxpool.Pool
	clock clock.Clock
}

// NewStore makes the store.
func NewStore(db *pgxpool.Pool, c clock.Clock) *Store { return &Store{db: db, clock: c} }

// NewKey describes a customer's key to create.
type NewKey struct {
	Name          string
	ExpiresAt     *time.Time // nil: never
	RefuseInQuery bool
}

// Create makes a key and returns its secret, which is kept nowhere.
func (s *Store) Create(ctx context.Context, account ident.AccountID, n NewKey) (key Key, secret string, err error) {
	name, err := CheckName(n.Name)
	if err != nil {
		return Key{}, "", err
	}
	now := s.clock.Now()
	if n.ExpiresAt != nil && !n.ExpiresAt.After(now) {
		return Key{}, "", fault.Invalid("a key must expire in the future")
	}
	secret, hash := New()
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if err := mayCreate(ctx, tx, account, name, now); err != nil {
			return err
		}
		key, err = insert(ctx, tx, account, name, n, secret, hash, now)
		return err
	})
	if err != nil {
		return Key{}, "", fmt.Errorf("create key: %w", err)
	}
	return key, secret, nil
}

// The lock makes those who create keys for one account take turns, so that together they keep the rules.
const lockAccount = `SELECT email_confirmed_at IS NOT NULL FROM account.account WHERE id = $1 FOR UPDATE`

const countLive = `
SELECT count(*) FILTER (WHERE kind = 'integration'), count(*) FILTER (WHERE lower(name) = lower($2))
FROM account.api_key
WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`

func mayCreate(ctx context.Context, tx pgx.Tx, account ident.AccountID, name string, now time.Time) error {
	var confirmed bool
	err := tx.QueryRow(ctx, lockAccount, account).Scan(&confirmed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.New(fault.NotFound, "There is no such account.", err)
	case err != nil:
		return err
	case !confirmed:
		return ErrUnconfirmed
	}
	var live, named int
	if err := tx.QueryRow(ctx, countLive, account, name, now).Scan(&live, &named); err != nil {
		return err
	}
	if named > 0 {
		return ErrNameTaken
	}
	if live >= MaxIntegrations {
		return ErrTooMany
	}
	return nil
}

const keyColumns = `id, name, kind, prefix, last4, refuse_in_query, created_at, expires_at, revoked_at, last_used_at, request_count`

func scanKey(row pgx.CollectableRow) (Key, error) {
	var k Key
	err := row.Scan(&k.ID, &k.Name, &k.Kind, &k.Prefix, &k.Last4, &k.RefuseInQuery,
		&k.CreatedAt, &k.ExpiresAt, &k.RevokedAt, &k.LastUsedAt, &k.RequestCount)
	return k, err
}

const insertKey = `
INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, refuse_in_query, created_at, expires_at)
VALUES ($1, $2, 'integration', $3, $4, $5, $6, $7, $8)
RETURNING ` + keyColumns

func insert(ctx context.Context, tx pgx.Tx, account ident.AccountID, name string, n NewKey, secret string, hash [32]byte, now time.Time) (Key, error) {
	rows, err := tx.Query(ctx, insertKey,
		account, name, hash[:], secret[:8], secret[len(secret)-4:], n.RefuseInQuery, now, n.ExpiresAt)
	if err != nil {
		return Key{}, err
	}
	return pgx.CollectExactlyOneRow(rows, scanKey)
}

const listKeys = `SELECT ` + keyColumns + ` FROM account.api_key WHERE account_id = $1 ORDER BY created_at, id`

// List gives every key the account ever had, the oldest first.
func (s *Store) List(ctx context.Context, account ident.AccountID) ([]Key, error) {
	rows, err := s.db.Query(ctx, listKeys, account)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	keys, err := pgx.CollectRows(rows, scanKey)
	if err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	return keys, nil
}

const revokeByID = `
UPDATE account.api_key SET revoked_at = $3 WHERE id = $2 AND account_id = $1 AND revoked_at IS NULL
RETURNING ` + keyColumns

// Revoke ends a key of the account for ever. A key that is not the account's, or is revoked already, is not found.
func (s *Store) Revoke(ctx context.Context, account ident.AccountID, id ident.KeyID) (Key, error) {
	return s.revoke(ctx, revokeByID, account, id)
}

const revokeByName = `
UPDATE account.api_key SET revoked_at = $3 WHERE lower(name) = lower($2) AND account_id = $1 AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > $3)
RETURNING ` + keyColumns

// RevokeNamed ends the live key of that name.
func (s *Store) RevokeNamed(ctx context.Context, account ident.AccountID, name string) (Key, error) {
	return s.revoke(ctx, revokeByName, account, name)
}

func (s *Store) revoke(ctx context.Context, sql string, account ident.AccountID, which any) (Key, error) {
	rows, err := s.db.Query(ctx, sql, account, which, s.clock.Now())
	if err != nil {
		return Key{}, fmt.Errorf("revoke key: %w", err)
	}
	key, err := pgx.CollectExactlyOneRow(rows, scanKey)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, fault.New(fault.NotFound, "The account has no such live key.", err)
	}
	if err != nil {
		return Key{}, fmt.Errorf("revoke key: %w", err)
	}
	return key, nil
}
