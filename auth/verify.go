package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// methodMail is the method of a proof by a mailed link.
const methodMail = "mail"

// RequestVerifyLink mails a link that proves again that the account belongs to the person who is signed in:
// the way of accounts that have no password and whose provider cannot prove it at this moment. The link works
// in this session alone. A *Problem with CodeWait says that too many mails were sent.
func (s *Service) RequestVerifyLink(ctx context.Context, sess Session, o Origin) error {
	if err := s.limitNetwork(ctx, o); err != nil {
		return err
	}
	return s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.confirmedAt == nil { // the address may be of somebody else
			return newProblem("", CodeConfirmFirst)
		}
		ok, err := s.claimMailSlot(ctx, tx, "verify", h.email)
		if err != nil {
			return err
		}
		if !ok {
			return s.mailWaitProblem(ctx, tx, "verify", h.email)
		}
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionVerifyLinkAsked, nil, o); err != nil {
			return err
		}
		return s.sendLink(ctx, tx, PurposeVerify, linkBinding{session: sess.ID}, h.mailJob(mail.Verify, nil), o)
	})
}

const mailPause = `
SELECT CASE WHEN failures >= $2 AND last_at > $3 THEN last_at + $4 * interval '1 second' ELSE blocked_until END
FROM account.throttle WHERE subject = $1`

// mailWaitProblem is a Problem that reports when claimMailSlot allows the next mail.
func (s *Service) mailWaitProblem(ctx context.Context, tx pgx.Tx, kind, email string) error {
	now, next := s.clock.Now(), time.Time{}
	subject := s.throttleSubject("mail "+kind, email)
	err := tx.QueryRow(ctx, mailPause, subject, maxMailsInWindow, now.Add(-mailWindow),
		mailWindow.Seconds()).Scan(&next)
	if err != nil {
		return fmt.Errorf("read when a mail may be sent: %w", err)
	}
	return newWaitProblem(max(next.Sub(now), time.Second))
}

// isForSession reports whether the link was asked for in that session.
func (l *link) isForSession(sess Session) bool { return l.session != nil && *l.session == sess.ID }

// LookVerifyLink is Look at a link of RequestVerifyLink. Links of other accounts do not exist.
func (s *Service) LookVerifyLink(ctx context.Context, sess Session, token string) (LinkState, error) {
	l, err := s.findAccountLink(ctx, s.db, sess.Account, PurposeVerify, token)
	st := l.stateAt(s.clock.Now())
	st.Elsewhere = st.Valid && !l.isForSession(sess)
	return st, err
}

// ReauthenticateByLink proves again who is signed in by a link of RequestVerifyLink, which it uses up, and by
// a code when the account has a second factor. A wrong code leaves the link as it was.
func (s *Service) ReauthenticateByLink(ctx context.Context, sess Session, token, code string,
	o Origin) error {
	h, err := findHolder(ctx, s.db, holderByID, sess.Account)
	if err != nil {
		return err
	}
	if h == nil {
		return ErrNoSession
	}
	check := func(ctx context.Context, tx pgx.Tx, h *holder) error {
		_, err := s.usableVerifyLink(ctx, tx, sess, h, token)
		return err
	}
	prove := func(ctx context.Context, tx pgx.Tx, h *holder) error {
		l, err := s.usableVerifyLink(ctx, tx, sess, h, token)
		if err != nil {
			return err
		}
		if err := s.spendLink(ctx, tx, h, l); err != nil {
			return err
		}
		return s.recordProof(ctx, tx, h.id, sess.ID, methodMail, o)
	}
	if h.totpSealed != nil {
		return s.verifyCode(ctx, h, code, o, check, prove)
	}
	return s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.totpSealed != nil { // turned on meanwhile
			return newProblem("code", CodeCodeWrong)
		}
		return prove(ctx, tx, h)
	})
}

// usableVerifyLink finds the link of a token that works in that session, for the locked account.
func (s *Service) usableVerifyLink(
	ctx context.Context, q pgdb.DB, sess Session, h *holder, token string) (*link, error) {
	l, err := s.findAccountLink(ctx, q, h.id, PurposeVerify, token)
	switch {
	case err != nil:
		return nil, err
	case !l.stateAt(s.clock.Now()).Valid:
		return nil, newProblem("", CodeLinkInvalid)
	case !l.isForSession(sess):
		return nil, newProblem("", CodeOtherSession)
	}
	return l, nil
}
