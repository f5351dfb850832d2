package auth

import (
	"context"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
	"arpent/app/base/pgdb"
)

// RequestEmailChange writes to the new address, which becomes the account's once the link in it is followed. When the
// address has another account that is confirmed its owner is told instead, and the answer is the same.
func (s *Service) RequestEmailChange(ctx context.Context, sess Session, address string, o Origin) error {
	if err := s.fresh(sess, Freshness); err != nil {
		return err
	}
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if email == sess.Email {
		return problem("email", CodeEmailSame)
	}
	if err := s.ask(ctx, o); err != nil {
		return err
	}
	return s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if err := s.record(ctx, tx, h.id, audit.ActionEmailChangeAsked, map[string]any{"email": email}, o); err != nil {
			return err
		}
		ok, err := s.mayWrite(ctx, tx, "email", email)
		if err != nil || !ok {
			return err
		}
		other, err := findHolder(ctx, tx, holderByEmail, email)
		if err != nil {
			return err
		}
		if other != nil && other.confirmedAt != nil {
			return s.write(ctx, tx, mail.Job{Template: mail.EmailTaken, To: email, Language: other.language, Account: int64(other.id)}, o)
		}
		if err := s.void(ctx, tx, h.id, PurposeEmail); err != nil { // the last address asked for is the one that is meant
			return err
		}
		return s.sendLink(ctx, tx, PurposeEmail, nil,
			mail.Job{Template: mail.EmailChange, To: email, Language: h.language, Account: int64(h.id)}, o)
	})
}

const changeEmail = `
UPDATE account.account SET email = $2, email_confirmed_at = $3, updated_at = $3 WHERE id = $1`

// LookEmailChange is Look at a link to a new address, in a browser that is signed in.
func (s *Service) LookEmailChange(ctx context.Context, sess Session, token string) (LinkState, error) {
	l, err := s.find(ctx, s.db, PurposeEmail, token)
	st := l.state(s.clock.Now())
	st.Elsewhere = st.Valid && l.account != sess.Account
	return st, err
}

// ConfirmEmailChange moves the account to the address that the link was sent to, and tells the old one. Links that were
// sent to the old one end. It takes both proofs: the mail that the link came in, and a session of the account that asked.
// With the mail alone, its reader would give an address to a stranger's account.
func (s *Service) ConfirmEmailChange(ctx context.Context, sess Session, token string, o Origin) error {
	err := s.follow(ctx, PurposeEmail, token, func(ctx context.Context, tx pgx.Tx, h *holder, l *link) error {
		if h.id != sess.Account {
			return problem("", CodeOtherAccount)
		}
		// Whoever follows the link proves the address: a sign-up with it that nobody confirmed is in nobody's way.
		if err := execute(ctx, tx, "remove an unconfirmed account", removeUnconfirmed+` AND lower(a.email) = $2`+blankRemoved, s.clock.Now(), l.email); err != nil {
			return err
		}
		if err := execute(ctx, tx, "change an address", changeEmail, h.id, l.email, s.clock.Now()); err != nil {
			return err
		}
		if err := s.void(ctx, tx, h.id, PurposeConfirm, PurposeReset, PurposeEmail); err != nil {
			return err
		}
		detail := map[string]any{"from": h.email, "to": l.email}
		if err := s.record(ctx, tx, h.id, audit.ActionEmailChanged, detail, o); err != nil {
			return err
		}
		return s.warn(ctx, tx, h, mail.EmailChanged, map[string]string{"email": l.email}, o)
	})
	if pgdb.IsUnique(err) { // somebody else took the address meanwhile
		return problem("", CodeLinkInvalid)
	}
	return err
}
