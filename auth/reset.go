package auth

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/mail"
)

// RequestReset sends the link to a new password, when the address has an account and not too often. The
// answer does not show whether, and the same is done either way.
func (s *Service) RequestReset(ctx context.Context, address string, o Origin) error {
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if err := s.limitNetwork(ctx, o); err != nil {
		return err
	}
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		h, err := findHolder(ctx, tx, holderByEmail, email)
		if err != nil {
			return err
		}
		ok, err := s.claimMailSlot(ctx, tx, "reset", email)
		if err != nil || !ok || h == nil {
			return err
		}
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionPasswordResetAsked, nil, o); err != nil {
			return err
		}
		return s.sendLink(ctx, tx, PurposeReset, linkBinding{}, h.mailJob(mail.Reset, nil), o)
	})
}

// ResetPassword sets a new password by a link that was mailed. Following it proves that the caller reads the
// account's mail: it confirms the address, and ends what others may have set up while it was not confirmed.
func (s *Service) ResetPassword(ctx context.Context, token, password string, o Origin) error {
	l, err := s.lookUpLink(ctx, s.db, PurposeReset, token)
	if err != nil {
		return err
	}
	// Before the costly part: a link that is not one hashes nothing.
	if !l.stateAt(s.clock.Now()).Valid {
		return newProblem("", CodeLinkInvalid)
	}
	hashed, err := newHash(ctx, s.passwords, password, l.email)
	if err != nil {
		return err
	}
	return s.redeemLink(ctx, PurposeReset, token, func(ctx context.Context, tx pgx.Tx, h *holder, _ *link) error {
		if h.confirmedAt == nil {
			if err := s.discardSignUp(ctx, tx, h); err != nil {
				return err
			}
		}
		if err := s.confirmAddress(ctx, tx, h, o); err != nil {
			return err
		}
		if err := s.setPassword(ctx, tx, h, hashed, 0); err != nil {
			return err
		}
		if err := s.clearAccountTries(ctx, tx, h); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{action: audit.ActionPasswordReset, mail: mail.PasswordChanged}, o)
	})
}

// clearAccountTries resets the failed tries of an account whose owner has proved to read its mail: what
// others tried does not slow the owner down.
func (s *Service) clearAccountTries(ctx context.Context, tx pgx.Tx, h *holder) error {
	return execStatement(ctx, tx, "clear the tries", clearTries, [][]byte{s.throttleSubject("account", h.email)})
}

const setPassword = `
UPDATE account.account SET password_hash = $2, password_changed_at = $3, updated_at = $3 WHERE id = $1`

const endAuthorizations = `DELETE FROM account.assistant_code WHERE account_id = $1 AND used_at IS NULL`

// setPassword ends the sessions but one, and the links and authorizations
// that were asked for under the old password.
func (s *Service) setPassword(ctx context.Context, tx pgx.Tx, h *holder, hashed string, but SessionID) error {
	if err := execStatement(ctx, tx, "set a password", setPassword, h.id, hashed, s.clock.Now()); err != nil {
		return err
	}
	if _, err := deleteOtherSessions(ctx, tx, h.id, but); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "end authorizations", endAuthorizations, h.id); err != nil {
		return err
	}
	return s.endLinks(ctx, tx, h.id, PurposeReset, PurposeEmail)
}

// ChangePassword replaces the password and ends the other sessions. current is empty for an account that has
// none. Where both are wrong the error holds a Problem of each.
func (s *Service) ChangePassword(ctx context.Context, sess Session, current, password string, o Origin) error {
	if err := s.requireFreshProof(sess, Freshness); err != nil {
		return err
	}
	weak := checkNewPassword(password, sess.Email)
	var checked *string
	if sess.HasPassword {
		h, err := s.provePassword(ctx, sess, "current", current, o)
		if _, ok := errors.AsType[*Problem](err); ok {
			return errors.Join(err, weak)
		}
		if err != nil {
			return err
		}
		checked = h.hash
	}
	if weak != nil {
		return weak
	}
	hashed, err := s.passwords.Hash(ctx, password)
	if err != nil {
		return mapBusyError(err)
	}
	return s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if derefString(h.hash) != derefString(checked) { // changed while we looked
			return newProblem("current", CodePasswordWrong)
		}
		if err := s.setPassword(ctx, tx, h, hashed, sess.ID); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{action: audit.ActionPasswordChanged, mail: mail.PasswordChanged}, o)
	})
}

func derefString(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
