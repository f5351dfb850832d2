package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// normalEmail is NormalEmail for a form.
func normalEmail(address string) (string, error) {
	email, err := NormalEmail(address)
	if err != nil {
		return "", newProblem("email", CodeEmailInvalid)
	}
	return email, nil
}

// SignUp makes an account and writes to its address. The browser's cookie lets the link sign it in at
// once. When the address has a confirmed account its owner gets a mail; an account that is not
// confirmed begins anew, and the links of the sign-up before end. The client sees no difference. Where
// both are wrong the error holds a Problem of each.
func (s *Service) SignUp(
	ctx context.Context, address, password string, o Origin) (browser string, err error) {
	if err := s.limitNetwork(ctx, o); err != nil { // before the estimate, which costs a processor and anybody can ask for
		return "", err
	}
	email, err := normalEmail(address)
	if err != nil {
		return "", errors.Join(err, checkNewPassword(password, address))
	}
	hashed, err := newHash(ctx, s.passwords, password, email)
	if err != nil {
		return "", err
	}
	browser = newToken()
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		id, made, err := s.makeAccount(ctx, tx, email, &hashed, o)
		if err != nil {
			return err
		}
		if !made {
			return s.signUpAgain(ctx, tx, email, hashed, hashSHA256(browser), o)
		}
		if _, err := s.claimMailSlot(ctx, tx, newSignUp, email); err != nil { // counted; the first one always goes
			return err
		}
		return s.recordSignUp(ctx, tx, id, email, hashSHA256(browser), nil, o)
	})
	if err != nil {
		return "", err
	}
	return browser, nil
}

// newSignUp counts the mails of sign-ups with one address. One that may not be written to keeps the
// sign-up it has: its link is in the mail already.
const newSignUp = "new sign-up"

// signUpAgain handles a sign-up for an address that has an account. An unconfirmed
// one has no owner: it begins anew.
func (s *Service) signUpAgain(ctx context.Context, tx pgx.Tx, email, hashed string, browser []byte,
	o Origin) error {
	h, err := findHolder(ctx, tx, lockHolderByEmail, email)
	if err != nil || h == nil {
		return err
	}
	kind := newSignUp
	if h.confirmedAt != nil {
		kind = "sign-up"
	}
	write, err := s.claimMailSlot(ctx, tx, kind, email)
	if err != nil || !write {
		return err
	}
	if h.confirmedAt != nil {
		return s.sendMail(ctx, tx, h.mailJob(mail.SignUpExists, nil), o)
	}
	if err := s.restartSignUp(ctx, tx, h, &hashed, o); err != nil {
		return err
	}
	return s.recordSignUp(ctx, tx, h.id, email, browser, nil, o)
}

// recordSignUp puts a sign-up on record, and writes to the address.
func (s *Service) recordSignUp(ctx context.Context, tx pgx.Tx, id ident.AccountID, email string,
	browser []byte,
	detail map[string]any, o Origin) error {
	if err := s.recordEvent(ctx, tx, id, audit.ActionSignedUp, detail, o); err != nil {
		return err
	}
	return s.sendLink(ctx, tx, PurposeConfirm, linkBinding{browser: browser},
		mail.Job{Template: mail.Confirm, To: email, Language: languageOf(o), Account: int64(id)}, o)
}

const signUp = `
INSERT INTO account.account (email, password_hash, language, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (lower(email)) DO NOTHING RETURNING id`

// makeAccount reports whether the address had none.
func (s *Service) makeAccount(ctx context.Context, tx pgx.Tx, email string, hashed *string, o Origin) (
	id ident.AccountID, made bool, err error) {
	err = tx.QueryRow(ctx, signUp, email, hashed, languageOf(o), s.clock.Now()).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return id, true, fault.Wrap("make an account", err)
}

// ResendConfirmation sends the confirmation link again, when there is something to confirm and
// not too often. The answer does not show whether. Where the link leads to afterwards is
// decided in the browser that signed up alone.
func (s *Service) ResendConfirmation(ctx context.Context, address, browser string, o Origin) error {
	email, err := normalEmail(address)
	if err != nil {
		return err
	}
	if err := s.limitNetwork(ctx, o); err != nil {
		return err
	}
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		h, err := findHolder(ctx, tx, lockHolderByEmail, email)
		if err != nil {
			return err
		}
		if h != nil {
			l, err := signUpLink(ctx, tx, h.id)
			if err != nil {
				return err
			}
			if !l.isFromBrowser(browser) {
				o.Next = ""
			}
		}
		return s.resendConfirmLink(ctx, tx, email, h, o)
	})
}

const lastConfirmation = `
SELECT browser_hash, coalesce(next, '') FROM account.link WHERE account_id = $1 AND purpose = 'confirm' ORDER BY id DESC LIMIT 1`

// signUpLink holds in which browser an account was asked for, and where that was on the way to:
// all of a link that its successor inherits.
func signUpLink(ctx context.Context, tx pgx.Tx, id ident.AccountID) (l link, err error) {
	err = tx.QueryRow(ctx, lastConfirmation, id).Scan(&l.browser, &l.next)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return link{}, fmt.Errorf("read the browser of a sign-up: %w", err)
	}
	return l, nil
}

// resendConfirmLink counts for unknown addresses too, so that it does the same for all.
func (s *Service) resendConfirmLink(ctx context.Context, tx pgx.Tx, email string, h *holder, o Origin) error {
	ok, err := s.claimMailSlot(ctx, tx, "confirm", email)
	if err != nil || !ok || h == nil || h.confirmedAt != nil {
		return err
	}
	before, err := signUpLink(ctx, tx, h.id)
	if err != nil {
		return err
	}
	o.Next = cmp.Or(o.Next, before.next)
	return s.sendLink(ctx, tx, PurposeConfirm, linkBinding{browser: before.browser}, h.mailJob(mail.Confirm,
		nil), o)
}
