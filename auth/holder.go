package auth

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/fault"
	"arpent/app/base/ident"
	"arpent/app/base/mail"
)

// workTimeout bounds one act on the database, waiting for its turn included.
const workTimeout = 10 * time.Second

// holder is an account with what its owner proves who they are by. It never leaves this package.
type holder struct {
	id          ident.AccountID
	email       string
	confirmedAt *time.Time
	hash        *string // nil: no password
	language    string
	totpSealed  []byte // nil: no second factor
	totpStep    *int64 // last one that was accepted
	createdAt   time.Time
}

const holderColumns = `id, email, email_confirmed_at, password_hash, language,
	CASE WHEN totp_enabled_at IS NOT NULL THEN totp_sealed END, totp_last_step, created_at`

func scanHolder(row pgx.CollectableRow) (holder, error) {
	var h holder
	err := row.Scan(&h.id, &h.email, &h.confirmedAt, &h.hash, &h.language, &h.totpSealed, &h.totpStep, &h.createdAt)
	return h, err
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

const (
	holderByEmail = `SELECT ` + holderColumns + ` FROM account.account WHERE lower(email) = $1`
	holderByID    = `SELECT ` + holderColumns + ` FROM account.account WHERE id = $1`
	// Those who change how one signs in take turns. Rows that refer to the account may still be added meanwhile.
	lockHolder        = holderByID + ` FOR NO KEY UPDATE`
	lockHolderByEmail = holderByEmail + ` FOR NO KEY UPDATE`
)

// holder finds an account; nil when there is none.
func findHolder(ctx context.Context, q querier, sql string, which any) (*holder, error) {
	rows, err := q.Query(ctx, sql, which)
	if err != nil {
		return nil, fmt.Errorf("read account: %w", err)
	}
	h, err := pgx.CollectExactlyOneRow(rows, scanHolder)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read account: %w", err)
	}
	return &h, nil
}

// inTx runs one act as a whole or not at all.
func (s *Service) inTx(ctx context.Context, act func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error { return act(ctx, tx) })
}

// locked runs one act on an account that holds still meanwhile. An account that is gone is not found.
func (s *Service) locked(ctx context.Context, id ident.AccountID, act func(ctx context.Context, tx pgx.Tx, h *holder) error) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		h, err := findHolder(ctx, tx, lockHolder, id)
		if err != nil {
			return err
		}
		if h == nil {
			return fault.Missing("There is no such account.")
		}
		return act(ctx, tx, h)
	})
}

// The session cannot be ended before the act is.
const holdSession = `SELECT true FROM account.session WHERE id = $2 AND account_id = $1 FOR KEY SHARE`

// lockedBy is locked for whoever is signed in. The session was read when the request came in, which may have waited for
// a provider or for a hash: who was signed out meanwhile changes nothing any more.
func (s *Service) lockedBy(ctx context.Context, sess Session, act func(ctx context.Context, tx pgx.Tx, h *holder) error) error {
	return s.locked(ctx, sess.Account, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		var held bool
		err := tx.QueryRow(ctx, holdSession, h.id, sess.ID).Scan(&held)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNoSession
		}
		if err != nil {
			return fmt.Errorf("hold a session: %w", err)
		}
		return act(ctx, tx, h)
	})
}

// record adds to the audit record.
func (s *Service) record(ctx context.Context, db audit.DB, id ident.AccountID, action string, detail map[string]any, o Origin) error {
	return audit.Record(ctx, db, s.clock.Now(), audit.Event{
		Account: id, Action: action, Detail: detail, Address: o.Address, Agent: o.Agent})
}

// warn tells the account's owner by mail what was done, when and from where. An address that nobody has confirmed
// may be a stranger's, and is told nothing.
func (s *Service) warn(ctx context.Context, tx pgx.Tx, h *holder, t mail.Template, values map[string]string, o Origin) error {
	if h.confirmedAt == nil {
		return nil
	}
	return s.write(ctx, tx, mail.Job{Template: t, To: h.email, Language: h.language, Account: int64(h.id), Values: values}, o)
}

// write sends a mail that names the origin of what it tells.
func (s *Service) write(ctx context.Context, tx pgx.Tx, j mail.Job, o Origin) error {
	values := audit.Actor{Address: o.Address, Agent: o.Agent}.MailValues(s.clock.Now())
	maps.Copy(values, j.Values)
	j.Values = values
	return mail.Send(ctx, tx, j)
}

// execute runs a statement whose count of rows does not matter.
func execute(ctx context.Context, db audit.DB, what, sql string, args ...any) error {
	if _, err := db.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// languageOf is the language of a page, French when it says nothing we know.
func languageOf(o Origin) string {
	if o.Language == "en" {
		return "en"
	}
	return "fr"
}
