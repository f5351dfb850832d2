package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/app/audit"
	"arpent/app/ident"
	"arpent/app/mail"
)

// normalEmail is NormalEmail for a form.
func normalEmail(address string) (string, error) {
	email, err := NormalEmail(address)
	if err != nil {
		return "", problem("email", CodeEmailInvalid)
	}
	return email, nil
}

// SignUp makes an account and writes to its address. The browser's cookie lets the link sign it in at once. When the
// address has an account already its owner is told by mail, and whoever asked sees no difference.
func (s *Service) SignUp(ctx context.Context, address, password string, o Origin) (browser string, err error) {
	email, err := normalEmail(address)
	if err != nil {
		return "", err
	}
	if err := s.ask(ctx, o); err != nil { // before the estimate, which costs a processor and anybody can ask for
		return "", err
	}
	if err := CheckPassword(password, email); err != nil {
		return "", err
	}
	hashed, err := s.passwords.make(ctx, password)
	if err != nil {
		return "", err
	}
	browser = token()
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		id, made, err := s.makeAccount(ctx, tx, email, &hashed, false, o)
		if err != nil {
			return err
		}
		if !made {
			return s.tellOfSignUp(ctx, tx, email, o)
		}
		if err := s.record(ctx, tx, id, audit.ActionSignedUp, nil, o); err != nil {
			return err
		}
		return s.sendLink(ctx, tx, PurposeConfirm, hash(browser),
			mail.Job{Template: mail.Confirm, To: email, Language: languageOf(o), Account: int64(id)}, o)
	})
	if err != nil {
		return "", err
	}
	return browser, nil
}

const signUp = `
INSERT INTO account.account (email, password_hash, email_confirmed_at, language, created_at, updated_at)
VALUES ($1, $2, CASE WHEN $3 THEN $5::timestamptz END, $4, $5, $5)
ON CONFLICT (lower(email)) DO NOTHING RETURNING id`

// makeAccount tells whether the address had none.
func (s *Service) makeAccount(ctx context.Context, tx pgx.Tx, email string, hashed *string, confirmed bool, o Origin) (id ident.AccountID, made bool, err error) {
	err = tx.QueryRow(ctx, signUp, email, hashed, confirmed, languageOf(o), s.clock.Now()).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("make an account: %w", err)
	}
	return id, true, nil
}

func (s *Service) tellOfSignUp(ctx context.Context, tx pgx.Tx, email string, o Origin) error {
	h, err := findHolder(ctx, tx, holderByEmail, email)
	if err != nil || h == nil {
		return err
	}
	ok, err := s.mayWrite(ctx, tx, "sign-up", email)
	if err != nil || !ok {
		return err
	}
	return s.write(ctx, tx, mail.Job{Template: mail.SignUpExists, To: email, Language: h.language, Account: int64(h.id)}, o)
}

// ResendConfirmation sends the confirmation link again, when there is something to confirm and not too often. The
// caller is not told.
func (s *Service) ResendConfirmation(ctx context.Context, address string, o Origin) error {
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if err := s.ask(ctx, o); err != nil {
		return err
	}
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		h, err := findHolder(ctx, tx, holderByEmail, email)
		if err != nil {
			return err
		}
		return s.resend(ctx, tx, email, h, o)
	})
}

// The browser that signed up is still the one to be signed in, and to go where it was on the way to.
const signUpBrowser = `
SELECT browser_hash, coalesce(next, '') FROM account.link WHERE account_id = $1 AND purpose = 'confirm' ORDER BY id DESC LIMIT 1`

// resend counts for unknown addresses too, so that it does the same for all.
func (s *Service) resend(ctx context.Context, tx pgx.Tx, email string, h *holder, o Origin) error {
	ok, err := s.mayWrite(ctx, tx, "confirm", email)
	if err != nil || !ok || h == nil || h.confirmedAt != nil {
		return err
	}
	var (
		browser []byte
		next    string
	)
	if err := tx.QueryRow(ctx, signUpBrowser, h.id).Scan(&browser, &next); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the browser of a sign-up: %w", err)
	}
	if o.Next == "" {
		o.Next = next
	}
	return s.sendLink(ctx, tx, PurposeConfirm, browser,
		mail.Job{Template: mail.Confirm, To: email, Language: h.language, Account: int64(h.id)}, o)
}

const confirmHolder = `
UPDATE account.account SET email_confirmed_at = coalesce(email_confirmed_at, $2), updated_at = $2 WHERE id = $1`

// ConfirmEmail records that the address is the account's. It signs in the browser that signed up; the result is nil in
// any other, where whoever follows the link has proved to read the mail and nothing else: an identity that asked for the
// account may then be a stranger's, and is forgotten.
func (s *Service) ConfirmEmail(ctx context.Context, token, browser string, o Origin) (*SignedIn, error) {
	var in *SignedIn
	err := s.follow(ctx, PurposeConfirm, token, func(ctx context.Context, tx pgx.Tx, h *holder, l *link) error {
		first := h.confirmedAt == nil
		if err := s.confirm(ctx, tx, h, o); err != nil {
			return err
		}
		if browser == "" || l.browser == nil || subtle.ConstantTimeCompare(hash(browser), l.browser) != 1 {
			if !first {
				return nil
			}
			return execute(ctx, tx, "remove identities", deleteIdentities, h.id)
		}
		o.Device = s.newDevice(h.id) // this is where the account was made: nothing to warn of
		method, err := s.methodOf(ctx, tx, h)
		if err != nil {
			return err
		}
		signedIn, err := s.enter(ctx, tx, h, entry{method: method}, o)
		in = &signedIn
		return err
	})
	if err != nil {
		return nil, err
	}
	return in, nil
}

const followed = `
SELECT EXISTS (SELECT FROM account.link l JOIN account.account a ON a.id = l.account_id
               WHERE l.browser_hash = $1 AND l.purpose = 'confirm' AND a.email_confirmed_at IS NOT NULL)`

// Followed tells the browser that signed up whether the address was confirmed since, wherever that was done. It tells
// nothing of an address that had an account before: no link waits for that browser.
func (s *Service) Followed(ctx context.Context, browser string) (bool, error) {
	if len(browser) != tokenLength {
		return false, nil
	}
	var yes bool
	if err := s.db.QueryRow(ctx, followed, hash(browser)).Scan(&yes); err != nil {
		return false, fmt.Errorf("read whether a link was followed: %w", err)
	}
	return yes, nil
}

// methodOf is how somebody signs in who has just made the account.
func (s *Service) methodOf(ctx context.Context, tx pgx.Tx, h *holder) (method string, err error) {
	if h.hash != nil {
		return methodPassword, nil
	}
	const first = `SELECT coalesce((SELECT provider FROM account.identity WHERE account_id = $1 ORDER BY id LIMIT 1), $2)`
	if err := tx.QueryRow(ctx, first, h.id, methodPassword).Scan(&method); err != nil {
		return "", fmt.Errorf("read how an account was made: %w", err)
	}
	return method, nil
}

// confirm takes the address as the account's, and ends the other links that would.
func (s *Service) confirm(ctx context.Context, tx pgx.Tx, h *holder, o Origin) error {
	now := s.clock.Now()
	if err := execute(ctx, tx, "confirm an address", confirmHolder, h.id, now); err != nil {
		return err
	}
	if err := s.void(ctx, tx, h.id, PurposeConfirm); err != nil {
		return err
	}
	if h.confirmedAt != nil {
		return nil
	}
	h.confirmedAt = &now
	return s.record(ctx, tx, h.id, audit.ActionConfirmed, nil, o)
}
