package auth

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// normalEmail is NormalEmail for a form.
func normalEmail(address string) (string, error) {
	email, err := NormalEmail(address)
	if err != nil {
		return "", NewProblem("email", CodeEmailInvalid)
	}
	return email, nil
}

// SignUp makes an account and writes to its address. The browser's cookie lets the link sign it in at
// once. When the address has a confirmed account its owner gets a mail; an account that is not
// confirmed begins anew, and the links of the sign-up before end. The client sees no difference. Where
// both are wrong the error holds a Problem of each.
func (s *Service) SignUp(
	ctx context.Context, address, password string, o Origin) (browser string, err error) {
	// before the estimate, which costs a processor and anybody can ask for
	if err := s.limitNetwork(ctx, o); err != nil {
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
		return s.sendMail(ctx, tx, h.mailAskedFor(mail.SignUpExists, nil, o), o)
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
	return l, pgdb.RowError(err, nil, "read the browser of a sign-up")
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
	return s.sendLink(ctx, tx, PurposeConfirm, linkBinding{browser: before.browser},
		h.mailAskedFor(mail.Confirm, nil, o), o)
}

// A sign-up proves nothing: the account has no owner until a visitor proves to read the mail
// of its address, by a link or by a provider that vouches for it. What was set up before by
// a visitor who did not prove it is forgotten then.

const confirmHolder = `
UPDATE account.account SET email_confirmed_at = coalesce(email_confirmed_at, $2), updated_at = $2 WHERE id = $1`

// ConfirmEmail records that the address is the account's, and signs in. In the browser that signed up that is
// all. In any other, following the link proves access to the mailbox, perhaps by another person than the one
// who signed up: what the sign-up set up is forgotten, and password takes its place (CodeChoosePassword: it
// is missing). The result is nil when the address was confirmed already by other means.
func (s *Service) ConfirmEmail(
	ctx context.Context, token, browser, password string, o Origin) (*SignedIn, error) {
	hashed, err := s.hashChosenPassword(ctx, token, browser, password)
	if err != nil {
		return nil, err
	}
	var in *SignedIn
	err = s.redeemLink(ctx, PurposeConfirm, token,
		func(ctx context.Context, tx pgx.Tx, h *holder, l *link) error {
			if !l.isFromBrowser(browser) {
				if h.confirmedAt != nil {
					return s.confirmAddress(ctx, tx, h, o)
				}
				if hashed == "" { // a later sign-in at a provider has taken the link to another browser
					return NewProblem("password", CodeChoosePassword)
				}
				// in place of all that the sign-up set up
				if err := s.discardSignUp(ctx, tx, h); err != nil {
					return err
				}
				if err := s.setPassword(ctx, tx, h, hashed, 0); err != nil {
					return err
				}
				h.hash = &hashed
				if err := s.clearAccountTries(ctx, tx, h); err != nil {
					return err
				}
				if err := s.recordEvent(ctx, tx, h.id, audit.ActionPasswordChanged, nil, o); err != nil {
					return err
				}
			}
			if err := s.confirmAddress(ctx, tx, h, o); err != nil {
				return err
			}
			o.Device = s.newDeviceCookie(h) // this is where the account was made: nothing to warn of
			method, err := s.signUpMethod(ctx, tx, h)
			if err != nil {
				return err
			}
			signedIn, err := s.signInOrChallenge(ctx, tx, h, signInDetails{method: method}, o)
			in = &signedIn
			return err
		})
	return in, err
}

// hashChosenPassword hashes the password that a link needs in that browser; empty: it needs none.
func (s *Service) hashChosenPassword(
	ctx context.Context, token, browser, password string) (hashed string, err error) {
	l, err := s.findLink(ctx, s.db, 0, PurposeConfirm, token)
	switch {
	case err != nil:
		return "", err
	case !l.stateAt(s.clock.Now()).Valid:
		return "", NewProblem("", CodeLinkInvalid)
	case l.addressConfirmed || l.isFromBrowser(browser):
		return "", nil
	case password == "":
		return "", NewProblem("password", CodeChoosePassword)
	}
	return newHash(ctx, s.passwords, password, l.email)
}

const forgetPassword = `
UPDATE account.account SET password_hash = NULL, password_changed_at = NULL, updated_at = $2 WHERE id = $1`

// discardSignUp takes away every way in that was prepared before anybody proved the address.
func (s *Service) discardSignUp(ctx context.Context, tx pgx.Tx, h *holder) error {
	h.hash = nil
	if err := execStatement(ctx, tx, "forget a password", forgetPassword, h.id, s.clock.Now()); err != nil {
		return err
	}
	if err := s.removeTOTP(ctx, tx, h); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "remove identities", deleteIdentities, h.id); err != nil {
		return err
	}
	_, err := deleteOtherSessions(ctx, tx, h.id, 0)
	return err
}

const deleteIdentities = `DELETE FROM account.identity WHERE account_id = $1`

// created_at is when the account was asked for, from which the days until it is removed are counted.
const resetUnconfirmedAccount = `
UPDATE account.account SET password_hash = $2, language = $3, created_at = $4, updated_at = $4 WHERE id = $1`

// A link to a new password stays good: following it proves the address.
const deleteConfirmations = `DELETE FROM account.link WHERE account_id = $1 AND purpose <> 'reset'`

// restartSignUp makes an unconfirmed account the account of a new sign-up. Older
// links are removed rather than marked as used: neither their page nor the browser that waits
// for them may show that the address is confirmed.
func (s *Service) restartSignUp(ctx context.Context, tx pgx.Tx, h *holder, hashed *string, o Origin) error {
	if err := s.discardSignUp(ctx, tx, h); err != nil {
		return err
	}
	if err := execStatement(ctx, tx, "remove the links of a sign-up", deleteConfirmations, h.id); err != nil {
		return err
	}
	return execStatement(ctx, tx, "sign up again", resetUnconfirmedAccount, h.id, hashed, languageOf(o),
		s.clock.Now())
}

// confirmByIdentity confirms an unconfirmed account for a claim whose provider vouches for the address.
func (s *Service) confirmByIdentity(
	ctx context.Context, tx pgx.Tx, h *holder, c Claim, o Origin) (SignedIn, error) {
	if err := s.restartSignUp(ctx, tx, h, nil, o); err != nil {
		return SignedIn{}, err
	}
	if fresh, err := s.insertIdentity(ctx, tx, h.id, c); err != nil || !fresh {
		return SignedIn{}, errors.Join(err, errConcurrentLink)
	}
	if err := s.recordEvent(ctx, tx, h.id, audit.ActionSignedUp, map[string]any{"provider": c.Provider},
		o); err != nil {
		return SignedIn{}, err
	}
	if err := s.confirmAddress(ctx, tx, h, o); err != nil {
		return SignedIn{}, err
	}
	now, err := findHolder(ctx, tx, holderByID, h.id)
	if err != nil {
		return SignedIn{}, err
	}
	o.Device = s.newDeviceCookie(now) // this is where the account was made: nothing to warn of
	return s.openSession(ctx, tx, now, signInDetails{method: c.Provider}, o)
}

// signUpWithIdentity writes to an address that a provider does not vouch for.
func (s *Service) signUpWithIdentity(ctx context.Context, tx pgx.Tx, h *holder, c Claim, browser []byte,
	made bool, o Origin) error {
	write, err := s.claimMailSlot(ctx, tx, newSignUp, h.email)
	if err != nil || !write && !made {
		return err
	}
	if !made {
		if err := s.restartSignUp(ctx, tx, h, nil, o); err != nil {
			return err
		}
	}
	if fresh, err := s.insertIdentity(ctx, tx, h.id, c); err != nil || !fresh {
		return errors.Join(err, errConcurrentLink)
	}
	return s.recordSignUp(ctx, tx, h.id, h.email, browser, map[string]any{"provider": c.Provider}, o)
}

const linkFollowed = `
SELECT EXISTS (SELECT FROM account.link l JOIN account.account a ON a.id = l.account_id
               WHERE l.browser_hash = $1 AND l.purpose = 'confirm' AND a.email_confirmed_at IS NOT NULL)`

// Followed reports to the browser that signed up whether the address was confirmed since, wherever that was
// done. It is false for an address that had an account before: no link waits for that browser.
func (s *Service) Followed(ctx context.Context, browser string) (bool, error) {
	if len(browser) != tokenLength {
		return false, nil
	}
	return pgdb.Value[bool](ctx, s.db, nil, "read whether a link was followed", linkFollowed,
		hashSHA256(browser))
}

// signUpMethod is how somebody signs in who has just made the account.
func (s *Service) signUpMethod(ctx context.Context, tx pgx.Tx, h *holder) (method string, err error) {
	if h.hash != nil {
		return methodPassword, nil
	}
	const first = `SELECT coalesce((SELECT provider FROM account.identity WHERE account_id = $1 ORDER BY id LIMIT 1), $2)`
	return pgdb.Value[string](ctx, tx, nil, "read how an account was made", first, h.id, methodPassword)
}

// confirmAddress takes the address as the account's, and ends the other links that would.
func (s *Service) confirmAddress(ctx context.Context, tx pgx.Tx, h *holder, o Origin) error {
	now := s.clock.Now()
	if err := execStatement(ctx, tx, "confirm an address", confirmHolder, h.id, now); err != nil {
		return err
	}
	if err := s.endLinks(ctx, tx, h.id, PurposeConfirm); err != nil {
		return err
	}
	if h.confirmedAt != nil {
		return nil
	}
	h.confirmedAt = &now
	return s.recordEvent(ctx, tx, h.id, audit.ActionConfirmed, nil, o)
}
