package auth

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/ident"
)

const proveAgain = `UPDATE account.session SET authenticated_at = $3 WHERE id = $2 AND account_id = $1`

// proved notes that the person has just proved who they are.
func (s *Service) proved(ctx context.Context, tx pgx.Tx, id ident.AccountID, session SessionID, method string, o Origin) error {
	tag, err := tx.Exec(ctx, proveAgain, id, session, s.clock.Now())
	if err != nil {
		return fmt.Errorf("note a proof: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrNoSession
	}
	return s.record(ctx, tx, id, audit.ActionReauthenticated, map[string]any{"method": method}, o)
}

// Reauthenticate proves again who is signed in: the password, and a code when the account has a second factor.
func (s *Service) Reauthenticate(ctx context.Context, sess Session, password, code string, o Origin) error {
	h, err := s.provePassword(ctx, sess, "password", password, o)
	if err != nil {
		return err
	}
	prove := func(ctx context.Context, tx pgx.Tx, h *holder) error {
		return s.proved(ctx, tx, h.id, sess.ID, methodPassword, o)
	}
	if h.totpSealed != nil {
		return s.passCode(ctx, h, code, o, nil, prove)
	}
	return s.locked(ctx, h.id, prove)
}

// provePassword judges the password of the account that is signed in; a wrong one is a Problem of that field.
func (s *Service) provePassword(ctx context.Context, sess Session, field, password string, o Origin) (*holder, error) {
	h, err := findHolder(ctx, s.db, holderByID, sess.Account)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, ErrNoSession
	}
	try := s.passwordAttempt(h.email, h, o)
	right, err := s.checkPassword(ctx, try, h, password)
	if err != nil {
		return nil, err
	}
	if !right {
		err := s.record(ctx, s.db, h.id, audit.ActionSignInFailed, map[string]any{"method": methodPassword, "again": true}, o)
		if err != nil {
			return nil, err
		}
		return nil, problem(field, CodePasswordWrong)
	}
	return h, try.succeeded(ctx, s.db)
}

const identityOf = `
UPDATE account.identity SET last_used_at = $4 WHERE account_id = $1 AND provider = $2 AND subject = $3`

// ReauthenticateWithIdentity proves it by an identity that is linked to the account. Where the account has a second
// factor that is half of the proof: what is pending goes to FinishSignIn with a code, for a session that is fresh.
func (s *Service) ReauthenticateWithIdentity(ctx context.Context, sess Session, c Claim, o Origin) (pending string, err error) {
	err = s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		tag, err := tx.Exec(ctx, identityOf, h.id, c.Provider, c.Subject, s.clock.Now())
		if err != nil {
			return fmt.Errorf("read an identity: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return problem("", CodeNotYours)
		}
		if h.totpSealed == nil {
			return s.proved(ctx, tx, h.id, sess.ID, c.Provider, o)
		}
		in, err := s.enter(ctx, tx, h, entry{method: c.Provider}, o)
		pending = in.Pending
		return err
	})
	if err != nil {
		return "", err
	}
	return pending, nil
}
