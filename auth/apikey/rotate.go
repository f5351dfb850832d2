package apikey

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"arpent/internal/event"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// maxRotating is how many live keys of its own an account may have while
// it rotates: each of 20 keys and its old one.
const maxRotating = 2 * MaxIntegrations

// overlaps are the times for which an old key can stay valid next to the new one.
var overlaps = []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// Rotate makes a key that takes the place of a live one: it has its name, its expiry and its restrictions.
// The old key goes on under another name until overlap has passed or it expires, whichever comes first;
// without overlap it is revoked now. A key that is over the limit of 20 only because another one is on its
// way out is no reason to reject. Of the key returned, Replaces is the old one. ErrOverlap, ErrAssistant,
// ErrReplaced, ErrTooMany, or a fault.NotFound.
func (s *Store) Rotate(ctx context.Context, account ident.AccountID, id ident.KeyID, overlap time.Duration) (
	key Key, secret string, err error) {
	if !slices.Contains(overlaps, overlap) {
		return Key{}, "", ErrOverlap
	}
	now := s.clock.Now()
	secret, hash := New()
	a := rotateAction
	a.details = func(k Key) map[string]string { // the new key has the expiry of the old one
		if overlap == 0 {
			return nil
		}
		return map[string]string{"until": oldKeyEnd(k.ExpiresAt, now, overlap).UTC().Format(time.RFC3339)}
	}
	key, err = s.applyAction(ctx, account, id, a, func(ctx context.Context, tx pgx.Tx, o owner) (Key, bool, error) {
		old, err := checkRotation(ctx, tx, account, id, overlap, now)
		if err != nil {
			return Key{}, false, err
		}
		if err := retireOldKey(ctx, tx, account, old, overlap, now); err != nil {
			return Key{}, false, err
		}
		k, err := insertNewKey(ctx, tx, account, Key{Name: old.Name, ExpiresAt: old.ExpiresAt, CreatedAt: now,
			RefuseInQuery: old.RefuseInQuery, PerDay: old.PerDay, Networks: old.Networks, Replaces: &old.ID,
			Personal: o.isPersonal}, secret, hash)
		return k, true, err
	})
	if err != nil {
		return Key{}, "", err
	}
	return key, secret, nil
}

const countSuccessors = `SELECT count(*) FROM account.api_key WHERE replaces = $2 AND account_id = $1` +
	liveCondition

func checkRotation(ctx context.Context, tx pgx.Tx, account ident.AccountID, id ident.KeyID,
	overlap time.Duration, now time.Time) (Key, error) {
	old, err := queryKey(ctx, tx, lockLive, account, id, now)
	if err != nil {
		return Key{}, err
	}
	if old.Kind == Assistant {
		return Key{}, ErrAssistant
	}
	successors, err := pgdb.Value[int](ctx, tx, nil, "count successors", countSuccessors, account, id, now)
	if err == nil && successors > 0 {
		err = ErrReplaced // a form that is sent twice makes one key
	}
	if err != nil {
		return Key{}, err
	}
	count, _, err := countKeys(ctx, tx, account, "", id, now)
	if err == nil && overlap > 0 && count >= maxRotating {
		err = ErrTooMany
	}
	return old, err
}

// The owner knows that the old key ends: no warning is sent.
const retireKey = `
UPDATE account.api_key SET name = $4, expires_at = $5, expiry_warned_at = $3
WHERE id = $2 AND account_id = $1 AND revoked_at IS NULL`

// retireOldKey makes way for the key that takes the place of old.
func retireOldKey(ctx context.Context, tx pgx.Tx, account ident.AccountID, old Key, overlap time.Duration,
	now time.Time) error {
	if overlap == 0 {
		k, err := queryKey(ctx, tx, revokeByID, account, old.ID, now)
		if err != nil {
			return err
		}
		return recordEvent(ctx, tx, account, event.KeyRevoked, k, now)
	}
	// One name more than an account can have live keys, so that one is free.
	names := numberedNames(oldNameSuffix.ReplaceAllString(old.Name, ""), maxRotating+1, " (old)", " (old %d)")
	name, err := findFreeName(ctx, tx, account, names, now)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, retireKey, account, old.ID, now, name, oldKeyEnd(old.ExpiresAt, now, overlap))
	return err
}

// oldKeyEnd is the earlier of the old key's expiry and the end of the overlap.
func oldKeyEnd(expires *time.Time, now time.Time, overlap time.Duration) time.Time {
	end := now.Add(overlap)
	if expires != nil && expires.Before(end) {
		return *expires
	}
	return end
}

// oldNameSuffix is the end of the name of the old one of a rotated key.
var oldNameSuffix = regexp.MustCompile(` \(old(?: [0-9]+)?\)$`)

// numberedNames are n names that begin alike and fit: the first one
// ends with first, the others with their number.
func numberedNames(base string, n int, first, other string) []string {
	names := make([]string, n)
	for i := range names {
		suffix := first
		if i > 0 {
			suffix = fmt.Sprintf(other, i+1)
		}
		stem := []rune(base)
		stem = stem[:min(len(stem), maxName-utf8.RuneCountInString(suffix))]
		names[i] = strings.TrimSpace(string(stem)) + suffix
	}
	return names
}

const firstFreeName = `
SELECT c.name FROM unnest($2::text[]) WITH ORDINALITY AS c (name, place)
WHERE NOT EXISTS (SELECT FROM account.api_key k WHERE k.account_id = $1 AND lower(k.name) = lower(c.name)
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $3))
ORDER BY c.place LIMIT 1`

func findFreeName(ctx context.Context, tx pgx.Tx, account ident.AccountID, names []string,
	now time.Time) (name string, err error) {
	return pgdb.Value[string](ctx, tx, fault.New(fault.InvalidParameter, ErrTooMany.Message, ErrTooMany),
		"find a free name", firstFreeName, account, names, now)
}
