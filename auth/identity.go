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

// Claim is what a provider asserts: its permanent id of the subject and the current email address.
type Claim struct {
	Provider, Subject string
	Email             string
	EmailVerified     bool
}

// linkFreshness leaves time for the way to the provider and back.
const linkFreshness = Freshness + 10*time.Minute

const findIdentity = `SELECT account_id FROM account.identity WHERE provider = $1 AND subject = $2`

// findIdentityAccount finds the account of an identity; 0 when no account has it.
func (s *Service) findIdentityAccount(ctx context.Context, tx pgx.Tx, c Claim) (ident.AccountID, error) {
	return pgdb.Value[ident.AccountID](ctx, tx, nil, "read an identity", findIdentity, c.Provider, c.Subject)
}

// SignInWithIdentity signs in by what a provider says, and makes or finds the account when the identity is
// new here. ErrMailSent is an outcome that a page explains; with it comes what the browser keeps until the
// link is followed, whether or not there is anything to confirm.
func (s *Service) SignInWithIdentity(ctx context.Context, c Claim, o Origin) (SignedIn, error) {
	if c.Provider == "" || c.Subject == "" {
		return SignedIn{}, errors.New("sign in with an identity: the claim has no provider or subject")
	}
	const tries = 3 // two browsers of one person may come at once: the second finds what the first made
	for try := 1; ; try++ {
		in, outcome, err := s.trySignInWithIdentity(ctx, c, o)
		if errors.Is(err, errConcurrentLink) && try < tries {
			continue
		}
		if err != nil {
			return SignedIn{}, err
		}
		return in, outcome
	}
}

var (
	errConcurrentLink = errors.New("the identity was linked at the same moment")
	errIdentityGone   = errors.New("sign in with an identity: its account is being deleted")
)

// trySignInWithIdentity commits whatever the outcome is: a mail may belong to it.
func (s *Service) trySignInWithIdentity(
	ctx context.Context, c Claim, o Origin) (in SignedIn, outcome, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		id, err := s.findIdentityAccount(ctx, tx, c)
		if err != nil {
			return err
		}
		if id == 0 {
			in, outcome, err = s.signInNewIdentity(ctx, tx, c, o)
			return err
		}
		h, err := requireHolder(ctx, tx, lockHolder, id, errIdentityGone)
		if err != nil {
			return err
		}
		in, outcome, err = s.signInKnownIdentity(ctx, tx, h, c, o)
		return err
	})
	return in, outcome, err
}

const useIdentity = `
UPDATE account.identity SET last_used_at = $4, email = coalesce(nullif($5, ''), email)
WHERE account_id = $1 AND provider = $2 AND subject = $3`

const rebindLinks = `
UPDATE account.link SET browser_hash = $2, next = coalesce(nullif($3, ''), next)
WHERE account_id = $1 AND purpose = 'confirm' AND used_at IS NULL`

func (s *Service) signInKnownIdentity(ctx context.Context, tx pgx.Tx, h *holder, c Claim, o Origin) (SignedIn,
	error, error) {
	email, _ := NormalEmail(c.Email)
	switch {
	case h.confirmedAt != nil:
	case c.EmailVerified && email == h.email:
		in, err := s.confirmByIdentity(ctx, tx, h, c, o)
		return in, nil, err
	default:
		// As after the first time: otherwise the answer would differ where that made an account.
		browser := newToken()
		if err := execStatement(ctx, tx, "set the browser of a sign-up", rebindLinks, h.id, hashSHA256(browser),
			o.Next); err != nil {
			return SignedIn{}, nil, err
		}
		return SignedIn{Browser: browser}, ErrMailSent, s.resendConfirmLink(ctx, tx, h.email, h, o)
	}
	now := s.clock.Now()
	if err := execStatement(ctx, tx, "record the use of an identity", useIdentity, h.id, c.Provider, c.Subject,
		now, email); err != nil {
		return SignedIn{}, nil, err
	}
	in, err := s.signInOrChallenge(ctx, tx, h, signInDetails{method: c.Provider}, o)
	return in, nil, err
}

// signInNewIdentity applies the rules of joining: only an address that the provider has
// verified and the account has confirmed brings the two together. An account that is
// not confirmed has no owner, and begins anew.
func (s *Service) signInNewIdentity(
	ctx context.Context, tx pgx.Tx, c Claim, o Origin) (SignedIn, error, error) {
	email, err := NormalEmail(c.Email)
	if err != nil {
		return SignedIn{}, nil, NewProblem("", CodeIdentityEmail)
	}
	_, made, err := s.makeAccount(ctx, tx, email, nil, o)
	if err != nil {
		return SignedIn{}, nil, err
	}
	h, err := requireHolder(ctx, tx, lockHolderByEmail, email, errIdentityGone)
	if err != nil {
		return SignedIn{}, nil, err
	}
	switch {
	case h.confirmedAt == nil && c.EmailVerified:
		in, err := s.confirmByIdentity(ctx, tx, h, c, o)
		return in, nil, err
	case h.confirmedAt == nil:
		browser := newToken()
		return SignedIn{Browser: browser}, ErrMailSent, s.signUpWithIdentity(ctx, tx, h, c, hashSHA256(browser),
			made, o)
	case !c.EmailVerified: // the owner of the address, if it was them, links the identity themselves
		in := SignedIn{Browser: newToken()}
		ok, err := s.claimMailSlot(ctx, tx, "link first", h.email)
		if err != nil || !ok {
			return in, ErrMailSent, err
		}
		values := map[string]string{"provider": c.Provider}
		return in, ErrMailSent, s.sendMail(ctx, tx, h.mailAskedFor(mail.LinkFirst, values, o), o)
	case h.totpSealed == nil:
		if err := s.attachIdentity(ctx, tx, h, c, o); err != nil {
			return SignedIn{}, nil, err
		}
	}
	in, err := s.signInOrChallenge(ctx, tx, h, signInDetails{method: c.Provider, link: &c}, o)
	return in, nil, err
}

const insertIdentity = `
INSERT INTO account.identity (account_id, provider, subject, email, created_at) VALUES ($1, $2, $3, nullif($4, ''), $5)
ON CONFLICT (provider, subject) DO NOTHING`

// insertIdentity reports whether the identity was free: joined to no account before.
func (s *Service) insertIdentity(ctx context.Context, tx pgx.Tx, id ident.AccountID, c Claim) (bool, error) {
	email, _ := NormalEmail(c.Email)
	tag, err := tx.Exec(ctx, insertIdentity, id, c.Provider, c.Subject, email, s.clock.Now())
	return tag.RowsAffected() > 0, fault.Wrap("link an identity", err)
}

// attachIdentity joins an identity to the account. One that is linked to it already is no change.
func (s *Service) attachIdentity(ctx context.Context, tx pgx.Tx, h *holder, c Claim, o Origin) error {
	fresh, err := s.insertIdentity(ctx, tx, h.id, c)
	if err != nil {
		return err
	}
	if !fresh {
		owner, err := s.findIdentityAccount(ctx, tx, c)
		if err == nil && owner != h.id {
			return NewProblem("", CodeIdentityTaken)
		}
		return err
	}
	email, _ := NormalEmail(c.Email)
	return s.recordAndNotify(ctx, tx, h, event{audit.ActionIdentityLinked,
		map[string]any{"provider": c.Provider},
		mail.IdentityLinked, map[string]string{"provider": c.Provider, "email": email}}, o)
}

// LinkIdentity joins an identity to the account that is signed in, whatever address the provider knows. An
// account whose own address is not confirmed gets CodeConfirmFirst: the address may belong to another person.
func (s *Service) LinkIdentity(ctx context.Context, sess Session, c Claim, o Origin) error {
	ctx = pgdb.ForService(ctx) // the identity may be another account's
	return s.withFreshSession(ctx, sess, linkFreshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.confirmedAt == nil {
			return NewProblem("", CodeConfirmFirst)
		}
		return s.attachIdentity(ctx, tx, h, c, o)
	})
}

const deleteIdentity = `DELETE FROM account.identity WHERE id = $2 AND account_id = $1 RETURNING provider`

// Unlink takes an identity away, unless nothing would be left to sign in with.
func (s *Service) Unlink(ctx context.Context, sess Session, id int64, o Origin) error {
	return s.withFreshSession(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		provider, err := pgdb.Value[string](ctx, tx, fault.Missing("There is no such identity."),
			fmt.Sprintf("unlink identity %d of account %d", id, h.id), deleteIdentity, h.id, id)
		if err != nil {
			return err
		}
		if err := s.requireWayIn(ctx, tx, h); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{audit.ActionIdentityUnlinked,
			map[string]any{"provider": provider},
			mail.IdentityUnlinked, map[string]string{"provider": provider}}, o)
	})
}

// IdentityInfo is a linked identity as its owner sees it.
type IdentityInfo struct {
	ID                       int64
	Provider, Subject, Email string
	CreatedAt                time.Time
	LastUsedAt               *time.Time
}

const listIdentities = `
SELECT id, provider, subject, coalesce(email, ''), created_at, last_used_at
FROM account.identity WHERE account_id = $1 ORDER BY created_at, id`

// Identities lists the identities linked to the account.
func (s *Service) Identities(ctx context.Context, sess Session) ([]IdentityInfo, error) {
	all, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[IdentityInfo], listIdentities, sess.Account)
	return all, fault.Wrap("list identities", err)
}
