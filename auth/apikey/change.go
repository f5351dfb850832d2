package apikey

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// liveCondition is the condition that every statement below puts on the key it changes: $3 is the time.
const liveCondition = ` AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)`

// The lock is of the kind that leaves alone the meter, which refers to keys.
const lockLive = `SELECT ` + keyColumns + ` FROM account.api_key WHERE id = $2 AND account_id = $1` +
	liveCondition + ` FOR NO KEY UPDATE`

const setName = `UPDATE account.api_key SET name = $4 WHERE id = $2 AND account_id = $1` + liveCondition +
	` RETURNING ` + keyColumns

// Rename gives a live key another name. Only its holder's secret identifies a key: nothing else changes.
// ErrNameText, ErrNameLength, ErrNameReserved, ErrNameTaken, ErrAssistant, or a fault.NotFound.
func (s *Store) Rename(
	ctx context.Context, account ident.AccountID, id ident.KeyID, name string) (Key, error) {
	name, err := CheckName(name)
	if err != nil {
		return Key{}, err
	}
	now := s.clock.Now()
	return s.applyAction(ctx, account, id, renameAction,
		func(ctx context.Context, tx pgx.Tx, _ owner) (Key, bool, error) {
			old, err := queryKey(ctx, tx, lockLive, account, id, now)
			if err != nil {
				return Key{}, false, err
			}
			if old.Kind == Assistant {
				return Key{}, false, ErrAssistant
			}
			if old.Name == name {
				return old, false, nil
			}
			_, named, err := countKeys(ctx, tx, account, name, id, now)
			if err != nil {
				return Key{}, false, err
			}
			if named > 0 {
				return Key{}, false, ErrNameTaken
			}
			k, err := queryKey(ctx, tx, setName, account, id, now, name)
			return k, true, err
		})
}

const setPaused = `UPDATE account.api_key SET paused_at = $3 WHERE id = $2 AND account_id = $1` +
	liveCondition + ` RETURNING ` + keyColumns

// Pause has a live key rejected everywhere within a second, until it is resumed. One that is paused stays so.
func (s *Store) Pause(ctx context.Context, account ident.AccountID, id ident.KeyID) (Key, error) {
	return s.updateKey(ctx, account, id, pauseAction, func(k Key) bool { return k.PausedAt != nil }, setPaused)
}

const unsetPaused = `UPDATE account.api_key SET paused_at = NULL WHERE id = $2 AND account_id = $1` +
	liveCondition + ` RETURNING ` + keyColumns

// Resume has a live key accepted again. One that is not paused stays so.
func (s *Store) Resume(ctx context.Context, account ident.AccountID, id ident.KeyID) (Key, error) {
	return s.updateKey(ctx, account, id, resumeAction, func(k Key) bool { return k.PausedAt == nil },
		unsetPaused)
}

// updateKey changes a live key, unless it is already as it should be; already may be nil. The arguments of
// sql begin with the account, the key and the time.
func (s *Store) updateKey(ctx context.Context, account ident.AccountID, id ident.KeyID, a keyAction,
	already func(Key) bool, sql string, more ...any) (Key, error) {
	now := s.clock.Now()
	return s.applyAction(ctx, account, id, a, func(ctx context.Context, tx pgx.Tx, _ owner) (Key, bool, error) {
		if already != nil {
			if old, err := queryKey(ctx, tx, lockLive, account, id, now); err != nil || already(old) {
				return old, false, err
			}
		}
		k, err := queryKey(ctx, tx, sql, append([]any{account, id, now}, more...)...)
		return k, true, err
	})
}

const setRestriction = `
UPDATE account.api_key SET refuse_in_query = $4, per_day = $5, networks = $6
WHERE id = $2 AND account_id = $1` + liveCondition + ` RETURNING ` + keyColumns

// Restrict sets what a live key may do, in place of what it might before. It holds everywhere within a
// second. ErrPerDay, ErrNetworks, or a fault.NotFound.
func (s *Store) Restrict(
	ctx context.Context, account ident.AccountID, id ident.KeyID, r Restriction) (Key, error) {
	r, err := r.Check()
	if err != nil {
		return Key{}, err
	}
	return s.updateKey(ctx, account, id, restrictAction, nil, setRestriction, r.RefuseInQuery, r.PerDay,
		r.Networks)
}

// The warning before a key expires is sent anew, unless its owner has just chosen a day that is near.
const setExpiry = `
UPDATE account.api_key SET expires_at = $4, expiry_warned_at = CASE WHEN $4 < $3 + interval '7 days' THEN $3 END
WHERE id = $2 AND account_id = $1` + liveCondition + ` RETURNING ` + keyColumns

// SetExpiry decides when a live key ends; nil: when it is revoked. ErrExpiry, or a fault.NotFound.
func (s *Store) SetExpiry(
	ctx context.Context, account ident.AccountID, id ident.KeyID, at *time.Time) (Key, error) {
	if err := checkExpiry(at, s.clock.Now()); err != nil {
		return Key{}, err
	}
	return s.updateKey(ctx, account, id, setExpiryAction, nil, setExpiry, at)
}

const revokeByID = `
UPDATE account.api_key SET revoked_at = $3 WHERE id = $2 AND account_id = $1 AND revoked_at IS NULL
RETURNING ` + keyColumns

const revokeAll = `
UPDATE account.api_key SET revoked_at = $2
WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2) RETURNING ` + keyColumns

// RevokeAll ends every live key of the account for ever, those of assistants too, and reports how many there
// were. The owner gets one mail, unless there was none.
func (s *Store) RevokeAll(ctx context.Context, account ident.AccountID) (ended int, err error) {
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if _, err := member.LockAccount(ctx, tx, account); err != nil { // a key that is being made is there then
			return err
		}
		now, by := s.clock.Now(), audit.ActorOf(ctx)
		keys, err := pgdb.Collect(ctx, tx, scanKey, revokeAll, account, now)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := recordKey(ctx, tx, account, audit.ActionKeyRevoked, k, now, nil); err != nil {
				return err
			}
		}
		if ended = len(keys); ended == 0 || by.Kind != audit.ActorAccount {
			return nil
		}
		values := by.MailValues(now)
		values["count"] = strconv.Itoa(ended)
		return NotifyOwner(ctx, tx, account, mail.KeysRevoked, values)
	})
	return ended, fault.Wrap("revoke all keys", err)
}

// Revoke ends a key of the account for ever. A key that is not the account's, or is revoked already, is a
// fault.NotFound.
func (s *Store) Revoke(ctx context.Context, account ident.AccountID, id ident.KeyID) (Key, error) {
	return s.updateKey(ctx, account, id, revokeAction, nil, revokeByID)
}

const revokePersonal = `
UPDATE account.api_key SET revoked_at = $3
WHERE account_id = $1 AND created_by = $2 AND personal AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
RETURNING ` + keyColumns

// RevokePersonal ends the personal keys that a person made in an organisation, those of assistants included,
// as part of the transaction that ends the membership.
func RevokePersonal(ctx context.Context, tx pgx.Tx, organisation, person ident.AccountID, now time.Time) error {
	keys, err := pgdb.Collect(ctx, tx, scanKey, revokePersonal, organisation, person, now)
	if err != nil {
		return fault.Wrap("revoke personal keys", err)
	}
	for _, k := range keys {
		if err := recordKey(ctx, tx, organisation, audit.ActionKeyRevoked, k, now, nil); err != nil {
			return err
		}
	}
	return nil
}
