package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
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
		return s.sendLink(ctx, tx, PurposeReset, linkBinding{}, h.mailAskedFor(mail.Reset, nil, o), o)
	})
}

// ResetPassword sets a new password by a link that was mailed. Following it proves that the caller reads the
// account's mail: it confirms the address, and ends what others may have set up while it was not confirmed.
func (s *Service) ResetPassword(ctx context.Context, token, password string, o Origin) error {
	l, err := s.findLink(ctx, s.db, 0, PurposeReset, token)
	if err != nil {
		return err
	}
	// Before the costly part: a link that is not one hashes nothing.
	if !l.stateAt(s.clock.Now()).Valid {
		return NewProblem("", CodeLinkInvalid)
	}
	hashed, err := newHash(ctx, s.passwords, password, l.email)
	if err != nil {
		return err
	}
	return s.redeemLink(ctx, PurposeReset, token,
		func(ctx context.Context, tx pgx.Tx, h *holder, _ *link) error {
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
			return s.recordAndNotify(ctx, tx, h, event{action: audit.ActionPasswordReset,
				mail: mail.PasswordChanged}, o)
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
func (s *Service) ChangePassword(ctx context.Context, sess Session, current, password string,
	o Origin) error {
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
			return NewProblem("current", CodePasswordWrong)
		}
		if err := s.setPassword(ctx, tx, h, hashed, sess.ID); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{action: audit.ActionPasswordChanged,
			mail: mail.PasswordChanged}, o)
	})
}

func derefString(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// FactorRecoveryDelay is how long a second factor stays on after its owner has proved by mail that it is
// lost, so that an owner who still has it can keep it.
const FactorRecoveryDelay = 3 * 24 * time.Hour

// StartFactorRecovery mails a link to the owner of an account who has lost the second factor and its
// recovery codes, as the operator's act. Following the link turns the factor off after FactorRecoveryDelay,
// unless a code is used before. reason is kept in the record, which the owner reads. An account without a
// second factor or a confirmed address is a fault.InvalidParameter.
func (s *Accounts) StartFactorRecovery(ctx context.Context, id ident.AccountID, reason string) error {
	reason, err := CheckReason(reason)
	if err != nil {
		return err
	}
	return s.withLockedAccount(ctx, id, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		switch {
		case h.totpSealed == nil:
			return fault.Invalid("no second factor to remove; send a password reset link")
		case h.confirmedAt == nil:
			return fault.Invalid("the address of the account is not confirmed")
		}
		if err := s.endLinks(ctx, tx, h.id, PurposeRecover); err != nil {
			return err
		}
		job := h.mailJob(mail.FactorRecovery, nil)
		if err := s.sendLink(ctx, tx, PurposeRecover, linkBinding{}, job, Origin{}); err != nil {
			return err
		}
		return s.recordAction(ctx, tx, h.id, audit.ActionTOTPRecoveryStarted, map[string]any{detailReason: reason})
	})
}

const setRecoveryDue = `UPDATE account.account SET factor_recovery_due_at = $2, updated_at = $3 WHERE id = $1`

// ConfirmFactorRecovery follows the link of StartFactorRecovery: the second factor is turned off at the time
// that is returned, and the owner gets a mail that says so.
func (s *Service) ConfirmFactorRecovery(
	ctx context.Context, token string, o Origin) (due time.Time, err error) {
	now := s.clock.Now()
	due = now.Add(FactorRecoveryDelay)
	err = s.redeemLink(ctx, PurposeRecover, token,
		func(ctx context.Context, tx pgx.Tx, h *holder, _ *link) error {
			if h.totpSealed == nil {
				return NewProblem("", CodeTOTPOff)
			}
			err := execStatement(ctx, tx, "set the end of a second factor", setRecoveryDue, h.id, due, now)
			if err != nil {
				return err
			}
			until := due.UTC().Format(time.RFC3339)
			return s.recordAndNotify(ctx, tx, h, event{audit.ActionTOTPRecoveryProved, nil,
				mail.FactorRecoveryDue, map[string]string{"until": until}}, o)
		})
	return due, err
}

const unsetRecoveryDue = `
UPDATE account.account SET factor_recovery_due_at = NULL, updated_at = $2
WHERE id = $1 AND factor_recovery_due_at IS NOT NULL`

// cancelFactorRecovery keeps the second factor of an account, a code of which was just used.
func (s *Service) cancelFactorRecovery(ctx context.Context, tx pgx.Tx, h *holder, o Origin) error {
	wasDue, err := s.endFactorRecovery(ctx, tx, h)
	if err != nil || !wasDue {
		return err
	}
	return s.recordEvent(ctx, tx, h.id, audit.ActionTOTPRecoveryCancelled, nil, o)
}

// endFactorRecovery ends the links of a recovery, and the delay where one was followed.
func (s accountRows) endFactorRecovery(ctx context.Context, tx pgx.Tx, h *holder) (wasDue bool, err error) {
	if err := s.endLinks(ctx, tx, h.id, PurposeRecover); err != nil {
		return false, err
	}
	tag, err := tx.Exec(ctx, unsetRecoveryDue, h.id, s.clock.Now())
	return tag.RowsAffected() > 0, fault.Wrap(fmt.Sprintf("keep the second factor of account %d", h.id), err)
}

// CancelFactorRecovery undoes StartFactorRecovery, as the operator's act: the second factor stays on. reason
// is kept in the record, which the owner reads.
func (s *Accounts) CancelFactorRecovery(ctx context.Context, id ident.AccountID, reason string) error {
	reason, err := CheckReason(reason)
	if err != nil {
		return err
	}
	return s.withLockedAccount(ctx, id, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if _, err := s.endFactorRecovery(ctx, tx, h); err != nil {
			return err
		}
		return s.recordAction(ctx, tx, h.id, audit.ActionTOTPRecoveryCancelled,
			map[string]any{detailReason: reason})
	})
}

const (
	// It is over all accounts, as it looks at the time alone.
	dueRecoveries = `SELECT id FROM account.account WHERE factor_recovery_due_at <= $1 ORDER BY id LIMIT 1000`
	isRecoveryDue = `SELECT coalesce(factor_recovery_due_at <= $2, false) FROM account.account WHERE id = $1`
)

// finishFactorRecoveries turns off the second factors whose delay is over, and ends the sessions of their
// accounts. One that cannot be turned off keeps no other one on.
func (s *Service) finishFactorRecoveries(ctx context.Context) error {
	now := s.clock.Now()
	due, err := pgdb.Collect(ctx, s.db, pgx.RowTo[ident.AccountID], dueRecoveries, now)
	if err != nil {
		return fmt.Errorf("list the second factors to turn off: %w", err)
	}
	var failed []error
	for _, id := range due {
		err := s.withLockedAccount(ctx, id, func(ctx context.Context, tx pgx.Tx, h *holder) error {
			var stillDue bool // a code may have been used meanwhile
			if err := tx.QueryRow(ctx, isRecoveryDue, h.id, now).Scan(&stillDue); err != nil || !stillDue {
				return fault.Wrap("read the end of a second factor", err)
			}
			if err := s.removeTOTP(ctx, tx, h); err != nil {
				return err
			}
			if _, err := deleteOtherSessions(ctx, tx, h.id, 0); err != nil {
				return err
			}
			e := audit.Event{Account: h.id, Actor: audit.ActorSystem, Action: audit.ActionTOTPDisabled}
			if err := audit.Record(ctx, tx, now, e); err != nil {
				return err
			}
			return s.notifyOwner(ctx, tx, h, mail.TwoFactorOff, nil, Origin{})
		})
		if err != nil && fault.From(err).Code != fault.NotFound { // deleted meanwhile
			failed = append(failed, fmt.Errorf("turn off the second factor of account %d: %w", id, err))
		}
	}
	return errors.Join(failed...)
}
