package auth

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/mail"
	"arpent/app/base/pgdb"
)

const setLanguage = `UPDATE account.account SET language = $2, updated_at = $3 WHERE id = $1`

// SetLanguage chooses the language of the pages and mails: fr or en.
func (s *Service) SetLanguage(ctx context.Context, sess Session, language string, o Origin) error {
	if language != "fr" && language != "en" {
		return problem("language", CodeLanguageUnknown)
	}
	return s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.language == language {
			return nil
		}
		if err := execute(ctx, tx, "set the language", setLanguage, h.id, language, s.clock.Now()); err != nil {
			return err
		}
		return s.record(ctx, tx, h.id, audit.ActionLanguageChanged, map[string]any{"language": language}, o)
	})
}

const setQuotaMails = `
UPDATE account.account SET quota_mails = $2, updated_at = $3 WHERE id = $1 AND quota_mails <> $2`

// SetQuotaMails chooses whether mails are sent at 80 % and 100 % of a day's quota.
func (s *Service) SetQuotaMails(ctx context.Context, sess Session, on bool, o Origin) error {
	return s.lockedBy(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		tag, err := tx.Exec(ctx, setQuotaMails, h.id, on, s.clock.Now())
		if err != nil {
			return fmt.Errorf("set the mails about quota: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return nil
		}
		return s.record(ctx, tx, h.id, audit.ActionNotificationsChanged, map[string]any{"quota_mails": on}, o)
	})
}

// RequestEmailChange writes to the new address, which becomes the account's once the link in it is followed. When the
// address has another account that is confirmed its owner gets a mail instead, and the answer is the same.
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
	if err := s.limitNetwork(ctx, o); err != nil {
		return err
	}
	ctx = pgdb.ForService(ctx) // the address may have another account
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
			return s.write(ctx, tx, other.mail(mail.EmailTaken, nil), o)
		}
		if err := s.void(ctx, tx, h.id, PurposeEmail); err != nil { // the last address asked for is the one that is meant
			return err
		}
		job := h.mail(mail.EmailChange, nil)
		job.To = email
		return s.sendLink(ctx, tx, PurposeEmail, askedIn{}, job, o)
	})
}

const changeEmail = `
UPDATE account.account SET email = $2, email_confirmed_at = $3, updated_at = $3 WHERE id = $1`

// LookEmailChange is Look at a link to a new address, in a browser that is signed in.
func (s *Service) LookEmailChange(ctx context.Context, sess Session, token string) (LinkState, error) {
	l, err := s.find(pgdb.ForService(ctx), s.db, PurposeEmail, token) // of whichever account asked for it
	st := l.state(s.clock.Now())
	st.Elsewhere = st.Valid && l.account != sess.Account
	return st, err
}

// ConfirmEmailChange moves the account to the address that the link was sent to, and writes to the old one. Links that were
// sent to the old one end. It takes both proofs: the mail that the link came in, and a session of the account that asked.
// With the mail alone, its reader would give an address to the account of somebody else.
func (s *Service) ConfirmEmailChange(ctx context.Context, sess Session, token string, o Origin) error {
	err := s.follow(pgdb.ForService(ctx), PurposeEmail, token, func(ctx context.Context, tx pgx.Tx, h *holder, l *link) error {
		if h.id != sess.Account {
			return problem("", CodeOtherAccount)
		}
		// Whoever follows the link proves the address: a sign-up with it that nobody confirmed is in nobody's way.
		const remove = removeUnconfirmed + ` AND lower(a.email) = $2` + blankRemoved
		if err := execute(ctx, tx, "remove an unconfirmed account", remove, s.clock.Now(), l.email); err != nil {
			return err
		}
		if err := execute(ctx, tx, "change an address", changeEmail, h.id, l.email, s.clock.Now()); err != nil {
			return err
		}
		if err := s.void(ctx, tx, h.id, PurposeConfirm, PurposeReset, PurposeEmail); err != nil {
			return err
		}
		if s.afterEmailChange != nil {
			if err := s.afterEmailChange(ctx, tx, h.id, h.email); err != nil {
				return err
			}
		}
		return s.recordAndWarn(ctx, tx, h, event{audit.ActionEmailChanged, map[string]any{"from": h.email, "to": l.email},
			mail.EmailChanged, map[string]string{"email": l.email}}, o)
	})
	if pgdb.IsUnique(err) { // somebody else took the address meanwhile
		return problem("", CodeLinkInvalid)
	}
	return err
}
