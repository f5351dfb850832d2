package auth

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/password"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

const (
	methodPassword = "password"
	pendingLife    = 10 * time.Minute // to find the phone with the second factor
)

// SignedIn is the outcome of a sign-in: either the two cookies, or Pending when a second factor is asked.
type SignedIn struct {
	Token   string // session cookie; empty when Pending is not
	Device  string // device cookie
	Account ident.AccountID
	Pending string // to be given back to FinishSignIn
	Browser string // with ErrMailSent: to be given back to ConfirmEmail
}

// SignIn checks address and password. Whether the address, the password or both are wrong is not said, and
// takes the same work; nor whether the address has still to be confirmed, which would show to a visitor who
// signs up with an address that it has an account. Its owner gets the link again.
func (s *Service) SignIn(ctx context.Context, address, password string, o Origin) (SignedIn, error) {
	email, err := normalEmail(address)
	if err != nil {
		return SignedIn{}, err
	}
	done, err := s.passwords.Admit(ctx)
	if err != nil {
		return SignedIn{}, mapBusyError(err)
	}
	defer done()
	h, err := findHolder(ctx, s.db, holderByEmail, email)
	if err != nil {
		return SignedIn{}, err
	}
	try := s.newAttempt("account", email, h, o)
	right, err := s.checkPassword(ctx, try, h, password)
	switch {
	case err != nil:
		return SignedIn{}, err
	case right && h.confirmedAt == nil:
		return SignedIn{}, s.rejectUnconfirmed(ctx, try, h, o)
	case !right && h != nil:
		err = s.recordEvent(ctx, s.db, h.id, audit.ActionSignInFailed, map[string]any{"method": methodPassword}, o)
	}
	if err != nil {
		return SignedIn{}, err
	}
	if !right {
		return SignedIn{}, NewProblem("", CodeSignIn)
	}
	renewed, err := s.rehashIfOutdated(ctx, h, password)
	if err != nil {
		return SignedIn{}, err
	}
	return s.completePasswordSignIn(ctx, try, h, renewed, o)
}

// completePasswordSignIn signs in whose password was found right, and
// stores its renewed hash; nil: there is none.
func (s *Service) completePasswordSignIn(ctx context.Context, try attempt, h *holder, renewed *string,
	o Origin) (in SignedIn, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		now, err := findHolder(ctx, tx, lockHolder, h.id)
		if err != nil {
			return err
		}
		if now == nil || now.hash == nil || *now.hash != *h.hash { // changed while we looked
			return NewProblem("", CodeSignIn)
		}
		if err := try.clearFailures(ctx, tx); err != nil {
			return err
		}
		if renewed != nil {
			now.hash = renewed
			if err := execStatement(ctx, tx, "renew a hash", renewHash, now.id, *renewed); err != nil {
				return err
			}
		}
		in, err = s.signInOrChallenge(ctx, tx, now, signInDetails{method: methodPassword}, o)
		return err
	})
	return in, err
}

// renewHash changes nothing that the owner would see: it is the same password.
const renewHash = `UPDATE account.account SET password_hash = $2 WHERE id = $1`

// rehashIfOutdated hashes a password that was found right once more, where it is kept with other parameters
// than those of today; nil where the hash is current, or where the queue for hashes is full.
func (s *Service) rehashIfOutdated(ctx context.Context, h *holder, text string) (*string, error) {
	if !password.Outdated(*h.hash) {
		return nil, nil
	}
	hashed, err := s.passwords.Hash(ctx, text)
	if errors.Is(err, password.ErrBusy) {
		return nil, nil
	}
	return &hashed, err
}

// rejectUnconfirmed counts the try as any wrong one, and writes to the address.
func (s *Service) rejectUnconfirmed(ctx context.Context, try attempt, h *holder, o Origin) error {
	if err := try.recordFailure(ctx); err != nil {
		return err
	}
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		detail := map[string]any{"method": methodPassword, "unconfirmed": true}
		if err := s.recordEvent(ctx, tx, h.id, audit.ActionSignInFailed, detail, o); err != nil {
			return err
		}
		now, err := findHolder(ctx, tx, lockHolder, h.id)
		// a concurrent sign-up changed the row
		if err != nil || now == nil || derefString(now.hash) != derefString(h.hash) {
			return err
		}
		return s.resendConfirmLink(ctx, tx, now.email, now, o)
	})
	if err != nil {
		return err
	}
	return NewProblem("", CodeSignIn)
}

// checkPassword decides on one try; h is nil when no account has the address.
func (s *Service) checkPassword(ctx context.Context, try attempt, h *holder, password string) (bool, error) {
	if err := try.startAttempt(ctx); err != nil {
		return false, err
	}
	var hashed *string
	if h != nil {
		hashed = h.hash
	}
	right, err := s.passwords.Matches(ctx, password, hashed)
	if err != nil {
		if back := try.refundAttempt(ctx); back != nil {
			return false, back
		}
		return false, mapBusyError(err)
	}
	if !right {
		return false, try.recordFailure(ctx)
	}
	return true, nil
}

// signInDetails is the method of a sign-in.
type signInDetails struct {
	method string // password, or the provider
	link   *Claim // an identity to link once the second factor is passed
}

// signInOrChallenge signs the account's owner in, or asks for the second factor first.
func (s *Service) signInOrChallenge(ctx context.Context, tx pgx.Tx, h *holder, e signInDetails,
	o Origin) (SignedIn, error) {
	if h.totpSealed == nil {
		return s.openSession(ctx, tx, h, e, o)
	}
	state, err := proofState(ctx, tx, h)
	if err != nil {
		return SignedIn{}, err
	}
	sealed, err := s.keys.pending.Seal(pendingSignIn{
		Account: h.id, Method: e.method, Link: e.link, State: state, Until: s.clock.Now().Add(pendingLife)},
		"pending")
	return SignedIn{Account: h.id, Pending: sealed}, fault.Wrap("seal a pending sign-in", err)
}

// pendingSignIn is a sign-in that has passed its first factor. The browser carries it, sealed.
type pendingSignIn struct {
	Account ident.AccountID `json:"a"`
	Method  string          `json:"m"`
	Link    *Claim          `json:"l,omitempty"`
	State   []byte          `json:"s"`
	Until   time.Time       `json:"u"`
}

const usedFactors = `
SELECT (SELECT count(*) FROM account.recovery_code WHERE account_id = $1 AND used_at IS NOT NULL),
    (SELECT max(last_used_at) FROM account.passkey WHERE account_id = $1)`

// proofState changes whenever a second factor is used or the password is changed: what was sealed before is
// then worth nothing, and so succeeds once at most.
func proofState(ctx context.Context, tx pgx.Tx, h *holder) ([]byte, error) {
	var used int64
	var passkeyUsedAt *time.Time
	if err := tx.QueryRow(ctx, usedFactors, h.id).Scan(&used, &passkeyUsedAt); err != nil {
		return nil, fmt.Errorf("read the uses of second factors: %w", err)
	}
	step := int64(-1)
	if h.totpStep != nil {
		step = *h.totpStep
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(used))
	b = binary.BigEndian.AppendUint64(b, uint64(step))
	if passkeyUsedAt != nil {
		b = binary.BigEndian.AppendUint64(b, uint64(passkeyUsedAt.UnixMicro()))
	}
	b = append(b, h.totpSealed...)
	if h.hash != nil {
		b = append(b, *h.hash...)
	}
	return hashSHA256(string(b)), nil
}

// openPending opens a sign-in that awaits its second factor: CodePendingOver when it is too old.
func (s *Service) openPending(ctx context.Context, pending string) (p pendingSignIn, h *holder, err error) {
	if err := s.keys.pending.Open(pending, "pending", &p); err != nil || !s.clock.Now().Before(p.Until) {
		return p, nil, NewProblem("", CodePendingOver)
	}
	h, err = requireHolder(ctx, s.db, holderByID, p.Account, NewProblem("", CodePendingOver))
	return p, h, err
}

// checkState is CodePendingOver when the sign-in was finished already, or the ways in were changed since.
func (p pendingSignIn) checkState(ctx context.Context, tx pgx.Tx, h *holder) error {
	state, err := proofState(ctx, tx, h)
	if err != nil {
		return err
	}
	if h.totpSealed == nil || string(state) != string(p.State) {
		return NewProblem("", CodePendingOver)
	}
	return nil
}

// completePending opens the session of a sign-in whose second factor was right.
func (s *Service) completePending(p pendingSignIn, in *SignedIn, o Origin) accountAction {
	return func(ctx context.Context, tx pgx.Tx, h *holder) (err error) {
		if p.Link != nil {
			if err := s.attachIdentity(ctx, tx, h, *p.Link, o); err != nil {
				return err
			}
		}
		*in, err = s.openSession(ctx, tx, h, signInDetails{method: p.Method}, o)
		return err
	}
}

// FinishSignIn passes the second factor: a code of the authenticator, or a recovery code.
func (s *Service) FinishSignIn(ctx context.Context, pending, code string, o Origin) (in SignedIn, err error) {
	p, h, err := s.openPending(ctx, pending)
	if err != nil {
		return SignedIn{}, err
	}
	err = s.verifyCode(ctx, h, code, o, p.checkState, s.completePending(p, &in, o))
	return in, err
}

// openSession makes the session, always with a new id, and the cookies.
func (s *Service) openSession(
	ctx context.Context, tx pgx.Tx, h *holder, e signInDetails, o Origin) (SignedIn, error) {
	if h.isOrganisation { // the account of a person became one during the sign-in
		return SignedIn{}, NewProblem("", CodePendingOver)
	}
	in := SignedIn{Token: newToken(), Device: o.Device, Account: h.id}
	if err := s.insertSession(ctx, tx, h.id, in.Token, e.method, o); err != nil {
		return SignedIn{}, err
	}
	if err := s.recordEvent(ctx, tx, h.id, audit.ActionSignedIn, map[string]any{"method": e.method},
		o); err != nil {
		return SignedIn{}, err
	}
	if s.isKnownDevice(o.Device, h) {
		return in, nil
	}
	in.Device = s.newDeviceCookie(h)
	return in, s.notifyOwner(ctx, tx, h, mail.NewSignIn, nil, o)
}
