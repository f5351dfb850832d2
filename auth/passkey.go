package auth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/passkey"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// MethodPasskey is the method of a sign-in by passkey.
const MethodPasskey = "passkey"

// MaxPasskeys is how many passkeys an account has at most.
const MaxPasskeys = 10

// PasskeyRequest is what a page asks the browser for, and gives back with the answer.
type PasskeyRequest struct {
	Options json.RawMessage `json:"options"` // for navigator.credentials
	Sealed  string          `json:"sealed"`
}

// passkeyChallenge is a challenge on its way through the browser.
type passkeyChallenge struct {
	Challenge string    `json:"c"`
	Handle    []byte    `json:"h,omitempty"` // of the account, for a new passkey
	Until     time.Time `json:"u"`
}

// What a challenge is for, and what it is bound to: it is worth nothing for another act, session or browser.
func signInContext(browser string) string { return "sign in " + browser }
func factorContext(pending string) string { return "second factor " + string(hashSHA256(pending)) }
func proofContext(sess Session) string    { return "proof " + strconv.FormatInt(int64(sess.ID), 10) }
func addContext(sess Session) string      { return "add " + strconv.FormatInt(int64(sess.ID), 10) }

// OffersPasskeys reports whether browsers have passkeys for the address of this server.
func (s *Service) OffersPasskeys() bool { return s.passkeys != nil }

// NewPasskeyBrowser makes the cookie that the challenge of a sign-in is bound to.
func NewPasskeyBrowser() string { return newToken() }

func (s *Service) sealChallenge(r passkey.Request, handle []byte, about string) (PasskeyRequest, error) {
	sealed, err := s.keys.passkey.Seal(
		passkeyChallenge{r.Challenge, handle, s.clock.Now().Add(passkey.Life)}, about)
	return PasskeyRequest{r.Options, sealed}, fault.Wrap("seal the challenge of a passkey", err)
}

func (s *Service) openChallenge(sealed, about string) (c passkeyChallenge, err error) {
	if s.passkeys == nil {
		return c, NewProblem("", CodePasskeysOff)
	}
	if err := s.keys.passkey.Open(sealed, about, &c); err != nil || !s.clock.Now().Before(c.Until) {
		return c, NewProblem("", CodePasskeyOver)
	}
	return c, nil
}

// spendChallenge accepts a challenge that was signed, once.
func (s *Service) spendChallenge(ctx context.Context, tx pgx.Tx, id ident.AccountID, challenge string) error {
	isFirst, err := passkey.SpendChallenge(ctx, tx, id, challenge, s.clock.Now())
	if err == nil && !isFirst {
		return NewProblem("", CodePasskeyOver)
	}
	return err
}

// convertRejection makes a Problem of an answer that was refused. The cause, which its sender need not know,
// is logged.
func convertRejection(ctx context.Context, id ident.AccountID, err error) error {
	if !errors.Is(err, passkey.ErrRefused) {
		return err
	}
	slog.InfoContext(ctx, "passkey refused", "account", int64(id), "error", err)
	return NewProblem("", CodePasskeyWrong)
}

// BeginPasskey asks for a new passkey of the account that is signed in.
func (s *Service) BeginPasskey(ctx context.Context, sess Session) (PasskeyRequest, error) {
	if err := s.requireFreshProof(sess, Freshness); err != nil {
		return PasskeyRequest{}, err
	}
	switch {
	case s.passkeys == nil:
		return PasskeyRequest{}, NewProblem("", CodePasskeysOff)
	case !sess.Confirmed: // the address may be another person's
		return PasskeyRequest{}, NewProblem("", CodeConfirmFirst)
	}
	o, err := passkey.ReadOwner(ctx, s.db, sess.Account, sess.Email)
	if err != nil {
		return PasskeyRequest{}, err
	}
	if len(o.Credentials) >= MaxPasskeys {
		return PasskeyRequest{}, NewProblem("", CodePasskeysFull)
	}
	if o.Handle == nil {
		o.Handle = randomBytes(passkey.HandleSize)
	}
	r, err := s.passkeys.BeginAdding(o)
	if err != nil {
		return PasskeyRequest{}, err
	}
	return s.sealChallenge(r, o.Handle, addContext(sess))
}

const setPasskeyAt = `UPDATE account.session SET passkey_at = $3 WHERE id = $2 AND account_id = $1`

// AddPasskey adds the passkey that the browser has made. It is named after its authenticator, or the browser.
func (s *Service) AddPasskey(
	ctx context.Context, sess Session, sealed, answer string, o Origin) (id int64, err error) {
	c, err := s.openChallenge(sealed, addContext(sess))
	if err != nil {
		return 0, err
	}
	made, err := s.passkeys.FinishAdding(passkey.Owner{Handle: c.Handle}, c.Challenge, []byte(answer))
	if err != nil {
		return 0, convertRejection(ctx, sess.Account, err)
	}
	name := cmp.Or(passkey.ModelName(made.Model), audit.Device(o.Agent), "Passkey")
	err = s.withFreshSession(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.confirmedAt == nil {
			return NewProblem("", CodeConfirmFirst)
		}
		if err := s.spendChallenge(ctx, tx, h.id, c.Challenge); err != nil {
			return err
		}
		known, err := passkey.ReadOwner(ctx, tx, h.id, "")
		if err != nil {
			return err
		}
		if len(known.Credentials) >= MaxPasskeys {
			return NewProblem("", CodePasskeysFull)
		}
		// another was added first, with its own handle
		if known.Handle != nil && !bytes.Equal(known.Handle, c.Handle) {
			return NewProblem("", CodePasskeyOver)
		}
		if id, err = passkey.Insert(ctx, tx, h.id, c.Handle, made, name, s.clock.Now()); err != nil {
			return convertRejection(ctx, h.id, err)
		}
		if err := execExpectingRow(ctx, tx, ErrNoSession, "note a passkey", setPasskeyAt, h.id, sess.ID,
			s.clock.Now()); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{audit.ActionPasskeyAdded, map[string]any{"name": name},
			mail.PasskeyAdded, map[string]string{"name": name}}, o)
	})
	return id, err
}

// Passkeys lists the passkeys of the account.
func (s *Service) Passkeys(ctx context.Context, sess Session) ([]passkey.Info, error) {
	return passkey.List(ctx, s.db, sess.Account)
}

// RenamePasskey gives a passkey another name.
func (s *Service) RenamePasskey(ctx context.Context, sess Session, id int64, name string, o Origin) error {
	name, err := checkShownName(name)
	if err != nil {
		return err
	}
	return s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		former, err := passkey.Rename(ctx, tx, h.id, id, name)
		if err != nil || former == name {
			return err
		}
		return s.recordEvent(ctx, tx, h.id, audit.ActionPasskeyRenamed,
			map[string]any{"name": name, "old_name": former}, o)
	})
}

// RemovePasskey removes a passkey, unless nothing would be left to sign in with.
func (s *Service) RemovePasskey(ctx context.Context, sess Session, id int64, o Origin) error {
	return s.withFreshSession(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		name, err := passkey.Delete(ctx, tx, h.id, id)
		if err != nil {
			return err
		}
		if err := s.requireWayIn(ctx, tx, h); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{audit.ActionPasskeyRemoved, map[string]any{"name": name},
			mail.PasskeyRemoved, map[string]string{"name": name}}, o)
	})
}

// A server whose address has no passkeys does not accept those that were added before.
const countWaysIn = `
SELECT (SELECT count(*) FROM account.identity WHERE account_id = $1) +
    (SELECT count(*) FROM account.passkey WHERE account_id = $1 AND $2)`

// requireWayIn is a Problem where nothing is left to sign in to the account with.
func (s *Service) requireWayIn(ctx context.Context, tx pgx.Tx, h *holder) error {
	if h.hash != nil {
		return nil
	}
	others, err := pgdb.Value[int](ctx, tx, nil, "count the ways to sign in", countWaysIn, h.id,
		s.passkeys != nil)
	if err == nil && others == 0 {
		err = NewProblem("", CodeLastWayIn)
	}
	return err
}

// BeginPasskeySignIn asks for any passkey of this server. The browser keeps what the challenge is bound to.
func (s *Service) BeginPasskeySignIn(_ context.Context, browser string) (PasskeyRequest, error) {
	return s.beginPasskeyUse(passkey.Owner{}, true, signInContext(browser))
}

func (s *Service) beginPasskeyUse(o passkey.Owner, verified bool, about string) (PasskeyRequest, error) {
	if s.passkeys == nil {
		return PasskeyRequest{}, NewProblem("", CodePasskeysOff)
	}
	r, err := s.passkeys.BeginUse(o, verified)
	if err != nil {
		return PasskeyRequest{}, err
	}
	return s.sealChallenge(r, nil, about)
}

// beginOwnPasskeyUse asks for one of the passkeys of an account.
func (s *Service) beginOwnPasskeyUse(
	ctx context.Context, id ident.AccountID, verified bool, about string) (PasskeyRequest, error) {
	o, err := passkey.ReadOwner(ctx, s.db, id, "")
	if err != nil {
		return PasskeyRequest{}, err
	}
	if len(o.Credentials) == 0 {
		return PasskeyRequest{}, NewProblem("", CodePasskeyNone)
	}
	return s.beginPasskeyUse(o, verified, about)
}

// passkeyUse is an answer that is not checked yet, to a challenge of ours.
type passkeyUse struct {
	passkey.Use
	challenge string
	verified  bool // the authenticator has to make sure that its owner is there
}

func (s *Service) readPasskeyUse(
	ctx context.Context, sealed, answer, about string, verified bool) (passkeyUse, error) {
	c, err := s.openChallenge(sealed, about)
	if err != nil {
		return passkeyUse{}, err
	}
	u, err := passkey.ReadUse([]byte(answer))
	if err != nil {
		return passkeyUse{}, convertRejection(ctx, 0, err)
	}
	return passkeyUse{u, c.Challenge, verified}, nil
}

// SignInWithPasskey signs in by a passkey alone, which has made sure that its owner is there: it is both
// factors. Whether the passkey is unknown or its signature wrong is not said.
func (s *Service) SignInWithPasskey(
	ctx context.Context, browser, sealed, answer string, o Origin) (in SignedIn, err error) {
	ctx = pgdb.ForService(ctx) // of whichever account the passkey is
	u, err := s.readPasskeyUse(ctx, sealed, answer, signInContext(browser), true)
	if err != nil {
		return SignedIn{}, err
	}
	id, err := passkey.FindAccount(ctx, s.db, u.ID)
	if err != nil {
		return SignedIn{}, err
	}
	h, err := findHolder(ctx, s.db, holderByID, id)
	if err != nil {
		return SignedIn{}, err
	}
	if h == nil {
		try := s.newAttempt("passkey", string(u.ID), nil, o)
		if err := try.startAttempt(ctx); err != nil {
			return SignedIn{}, err
		}
		return SignedIn{}, cmp.Or(try.recordFailure(ctx), error(NewProblem("", CodePasskeyWrong)))
	}
	namesAccount := func(context.Context, pgx.Tx, *holder) error {
		if len(u.Handle) == 0 || h.confirmedAt == nil { // passkeys are of confirmed accounts alone
			return NewProblem("", CodePasskeyWrong)
		}
		return nil
	}
	err = s.verifyPasskey(ctx, h, u, o, namesAccount, func(ctx context.Context, tx pgx.Tx, h *holder) (err error) {
		in, err = s.openSession(ctx, tx, h, signInDetails{method: MethodPasskey}, o)
		return err
	})
	return in, err
}

// BeginPasskeyFactor asks for a passkey as the second factor of a sign-in.
func (s *Service) BeginPasskeyFactor(ctx context.Context, pending string) (PasskeyRequest, error) {
	_, h, err := s.openPending(ctx, pending)
	if err != nil {
		return PasskeyRequest{}, err
	}
	return s.beginOwnPasskeyUse(ctx, h.id, false, factorContext(pending))
}

// AcceptsPasskeyFactor reports whether a pending sign-in can be finished by a passkey.
func (s *Service) AcceptsPasskeyFactor(ctx context.Context, pending string) (bool, error) {
	_, h, err := s.openPending(ctx, pending)
	if _, isOver := errors.AsType[*Problem](err); isOver || s.passkeys == nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	all, err := passkey.List(ctx, s.db, h.id)
	return len(all) > 0, err
}

// FinishSignInWithPasskey passes the second factor by a passkey.
func (s *Service) FinishSignInWithPasskey(
	ctx context.Context, pending, sealed, answer string, o Origin) (in SignedIn, err error) {
	p, h, err := s.openPending(ctx, pending)
	if err != nil {
		return SignedIn{}, err
	}
	u, err := s.readPasskeyUse(ctx, sealed, answer, factorContext(pending), false)
	if err != nil {
		return SignedIn{}, err
	}
	err = s.verifyPasskey(ctx, h, u, o, p.checkState, s.completePending(p, &in, o))
	return in, err
}

// BeginPasskeyProof asks for a passkey of the account that is signed in, to prove again who that is.
func (s *Service) BeginPasskeyProof(ctx context.Context, sess Session) (PasskeyRequest, error) {
	return s.beginOwnPasskeyUse(ctx, sess.Account, true, proofContext(sess))
}

// ReauthenticateWithPasskey proves again who is signed in, by a passkey alone: it is both factors.
func (s *Service) ReauthenticateWithPasskey(
	ctx context.Context, sess Session, sealed, answer string, o Origin) error {
	u, err := s.readPasskeyUse(ctx, sealed, answer, proofContext(sess), true)
	if err != nil {
		return err
	}
	h, err := requireHolder(ctx, s.db, holderByID, sess.Account, ErrNoSession)
	if err != nil {
		return err
	}
	return s.verifyPasskey(ctx, h, u, o, nil, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		return s.recordProof(ctx, tx, h.id, sess.ID, MethodPasskey, o)
	})
}

// verifyPasskey checks what a passkey signed, counting the try, and then does what it was asked for. before,
// when not nil, is checked under the same lock and first.
func (s *Service) verifyPasskey(
	ctx context.Context, h *holder, u passkeyUse, o Origin, before, then accountAction) error {
	try := s.newAttempt("passkey", string(u.ID), h, o)
	if err := try.startAttempt(ctx); err != nil {
		return err
	}
	isCloned := false // refused, though what is recorded of it is kept
	err := s.withLockedAccount(ctx, h.id, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if before != nil {
			if err := before(ctx, tx, h); err != nil {
				return err
			}
		}
		owner, err := passkey.ReadOwner(ctx, tx, h.id, "")
		if err != nil {
			return err
		}
		outcome, err := s.passkeys.CheckUse(owner, u.challenge, u.verified, u.Use)
		if err != nil {
			return convertRejection(ctx, h.id, err)
		}
		if err := s.spendChallenge(ctx, tx, h.id, u.challenge); err != nil {
			return err
		}
		if isCloned = outcome.Cloned; isCloned {
			return s.reportClonedPasskey(ctx, tx, h, u.ID, o)
		}
		if err := passkey.RecordUse(ctx, tx, h.id, u.ID, outcome, s.clock.Now()); err != nil {
			return err
		}
		if err := s.cancelFactorRecovery(ctx, tx, h, o); err != nil {
			return err
		}
		if err := try.clearFailures(ctx, tx); err != nil {
			return err
		}
		return then(ctx, tx, h)
	})
	var p *Problem
	switch {
	case err == nil && isCloned:
		return cmp.Or(try.recordFailure(ctx), error(NewProblem("", CodePasskeyCloned)))
	case err == nil:
		return nil
	case errors.As(err, &p) && p.Code == CodePasskeyWrong:
		recorded := s.recordEvent(ctx, s.db, h.id, audit.ActionSignInFailed, map[string]any{"method": MethodPasskey}, o)
		return cmp.Or(errors.Join(recorded, try.recordFailure(ctx)), err)
	}
	return errors.Join(err, try.refundAttempt(ctx))
}

// reportClonedPasskey records that a passkey has signed with a counter that did not rise, and writes to its
// owner.
func (s *Service) reportClonedPasskey(
	ctx context.Context, tx pgx.Tx, h *holder, credential []byte, o Origin) error {
	name, err := passkey.ReadName(ctx, tx, h.id, credential)
	if err != nil {
		return err
	}
	err = s.recordEvent(ctx, tx, h.id, audit.ActionPasskeyCloned, map[string]any{"name": name}, o)
	if err != nil {
		return err
	}
	ok, err := s.claimMailSlot(ctx, tx, "passkey cloned", h.email)
	if err != nil || !ok {
		return err
	}
	return s.notifyOwner(ctx, tx, h, mail.PasskeyCloned, map[string]string{"name": name}, o)
}
