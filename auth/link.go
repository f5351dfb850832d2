package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/seal"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Purpose is what a link in a mail is for. It is the first part of the link's path too.
type Purpose string

// The purposes.
const (
	PurposeConfirm Purpose = "confirm" // the address of a new account
	PurposeReset   Purpose = "reset"   // a new password
	PurposeEmail   Purpose = "email"   // the new address of an account
	PurposeVerify  Purpose = "verify"  // a fresh proof of identity, in the session that asked for it
	PurposeRecover Purpose = "recover" // the end of a second factor that is lost
)

// linkPurposes are those of the rows of account.link.
var linkPurposes = []Purpose{PurposeConfirm, PurposeReset, PurposeEmail, PurposeVerify, PurposeRecover}

// VerifyLinkLife is how long a link of PurposeVerify works.
const VerifyLinkLife = 15 * time.Minute

// linkLives are how long links work; those of other purposes: a day.
var linkLives = map[Purpose]time.Duration{PurposeReset: time.Hour, PurposeVerify: VerifyLinkLife}

// nonce is random and of one row: after a restore from a backup another row may have the same number.
type nonce [16]byte

const (
	readNonce           = `SELECT nonce FROM account.link WHERE id = $1 AND purpose = $2`
	readInvitationNonce = `SELECT nonce FROM account.invitation WHERE id = $1`
)

// LinkToken is the secret part of the link in that row, or mail.ErrNoLink when there is no such row any more.
// It is computed when a mail leaves, so that none waits in the queue. A purpose that this version does not
// know is another error: the mail stays in the queue for an instance of the newer version that left it.
func (s *Service) LinkToken(ctx context.Context, purpose string, id int64) (string, error) {
	sql, args := readNonce, []any{id, purpose}
	switch {
	case addressLists[Purpose(purpose)] != nil:
		sql, args = addressLists[Purpose(purpose)].readNonce, []any{id}
	case purpose == mail.PurposeInvitation:
		sql, args = readInvitationNonce, []any{id}
	case !slices.Contains(linkPurposes, Purpose(purpose)):
		return "", fmt.Errorf("read a link: unknown purpose %q", purpose)
	}
	n, err := pgdb.Value[nonce](ctx, s.db, mail.ErrNoLink, "read a link", sql, args...)
	if err != nil {
		return "", err
	}
	row := binary.BigEndian.AppendUint64(nil, uint64(id))
	return seal.Encode(append(row, s.keys.link.Sign(purpose, string(row), string(n[:]))...)), nil
}

// LinkState is what a page may say of a link before anybody acts on it.
type LinkState struct {
	Valid         bool
	Email         string // the address it was sent to; to be shown in part
	Account       string // the address that the account has now; to be shown in part
	Used, Expired bool   // why it is not valid; neither: it was never ours, or something made it void
	Next          string // path that its requester was on the way to; empty: none
	Elsewhere     bool   // another account (of ConfirmEmailChange) or session (of LookVerifyLink) asked for it
	NewPassword   bool   // of ConfirmEmail: a password has to be chosen, that of the sign-up will be forgotten
}

// link is a row of account.link whose token was presented.
type link struct {
	id               int64
	account          ident.AccountID
	email            string
	browser          []byte
	session          *SessionID // the only one in which it works; nil: it works in any
	next             string
	expires          time.Time
	usedAt           *time.Time
	addressCurrent   bool   // the account still has the address that the link is about
	addressConfirmed bool   // the account's address was confirmed already
	ownerEmail       string // the account's address
}

// isFromBrowser reports whether it was asked for in that browser.
func (l *link) isFromBrowser(browser string) bool {
	return browser != "" && l.browser != nil && subtle.ConstantTimeCompare(hashSHA256(browser), l.browser) == 1
}

const findLink = `
SELECT l.id, l.account_id, l.email, l.browser_hash, l.session_id, coalesce(l.next, ''), l.expires_at, l.used_at,
    l.purpose = 'email' OR lower(a.email) = lower(l.email), a.email_confirmed_at IS NOT NULL, a.email, l.nonce
FROM account.link l JOIN account.account a ON a.id = l.account_id
WHERE l.id = $1 AND l.purpose = $2 AND ($3 = 0 OR l.account_id = $3)`

// findLink finds the link of a token, used or not, among those of an account, 0: of any; nil when there is
// none. The token names its row, which has the nonce that it was signed with.
func (s *Service) findLink(
	ctx context.Context, q pgdb.DB, account ident.AccountID, p Purpose, token string) (*link, error) {
	var l link
	found, err := s.readTokenRow(ctx, q, p, token, findLink, []any{p, account}, &l.id, &l.account, &l.email,
		&l.browser, &l.session, &l.next, &l.expires, &l.usedAt,
		&l.addressCurrent, &l.addressConfirmed, &l.ownerEmail)
	if err != nil || !found {
		return nil, err
	}
	return &l, nil
}

// readTokenRow reads into the row that the token of a link names, which is $1 of the statement, and whose
// nonce is its last column. It reports whether there is such a row, and the token was made here for it.
func (s *Service) readTokenRow(ctx context.Context, q pgdb.DB, p Purpose, token, sql string, args []any,
	into ...any) (bool, error) {
	b, err := seal.Decode(token)
	if err != nil || len(b) != 8+seal.MACSize {
		return false, nil
	}
	var n nonce
	err = q.QueryRow(ctx, sql, slices.Concat([]any{int64(binary.BigEndian.Uint64(b))}, args)...).Scan(
		append(into, &n)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return s.keys.link.Verify(b[8:], string(p), string(b[:8]), string(n[:])), fault.Wrap("read a link", err)
}

func (l *link) stateAt(now time.Time) LinkState {
	if l == nil {
		return LinkState{}
	}
	st := LinkState{Email: l.email, Account: l.ownerEmail, Next: l.next, Used: l.usedAt != nil,
		Expired: !l.expires.After(now)}
	st.Valid = l.addressCurrent && !st.Used && !st.Expired
	return st
}

// Look returns what a link would do. It spends nothing: mail scanners follow links too.
func (s *Service) Look(ctx context.Context, p Purpose, token string) (LinkState, error) {
	l, err := s.findLink(ctx, s.db, 0, p, token)
	return l.stateAt(s.clock.Now()), err
}

// LookConfirm is Look for a confirmation link, in some browser. It returns the page that the sign-up was on
// the way to in the browser of the sign-up alone: in another one an attacker may have chosen that page.
func (s *Service) LookConfirm(ctx context.Context, token, browser string) (LinkState, error) {
	l, err := s.findLink(ctx, s.db, 0, PurposeConfirm, token)
	st := l.stateAt(s.clock.Now())
	if err == nil && l != nil && !l.isFromBrowser(browser) {
		st.NewPassword, st.Next = st.Valid && !l.addressConfirmed, ""
	}
	return st, err
}

const spendLink = `
UPDATE account.link SET used_at = $3 WHERE id = $2 AND account_id = $1 AND used_at IS NULL AND expires_at > $3`

// redeemLink spends a link and runs what it is for, on the locked account: of two concurrent calls, only one
// succeeds.
func (s *Service) redeemLink(ctx context.Context, p Purpose, token string,
	act func(ctx context.Context, tx pgx.Tx, h *holder, l *link) error) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		l, err := s.findLink(ctx, tx, 0, p, token)
		if err != nil {
			return err
		}
		if !l.stateAt(s.clock.Now()).Valid {
			return NewProblem("", CodeLinkInvalid)
		}
		h, err := findHolder(ctx, tx, lockHolder, l.account)
		if err != nil {
			return err
		}
		// Read again under the lock: the address may have changed since.
		if h == nil || p != PurposeEmail && h.email != l.email {
			return NewProblem("", CodeLinkInvalid)
		}
		if err := s.spendLink(ctx, tx, h, l); err != nil {
			return err
		}
		return act(ctx, tx, h, l)
	})
}

// spendLink uses a link up, on the locked account. One that was used or is too old is a *Problem with
// CodeLinkInvalid.
func (s *Service) spendLink(ctx context.Context, tx pgx.Tx, h *holder, l *link) error {
	spent := NewProblem("", CodeLinkInvalid)
	return execExpectingRow(ctx, tx, spent, "spend a link", spendLink, h.id, l.id, s.clock.Now())
}

const insertLink = `
INSERT INTO account.link (account_id, purpose, email, browser_hash, created_at, expires_at, next, session_id)
VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''), nullif($8::bigint, 0)) RETURNING id`

// linkBinding is what a link is bound to; the zero value: nothing.
type linkBinding struct {
	browser []byte    // hash of the cookie of the browser that asked for it
	session SessionID // the only one in which it works
}

// sendLink makes a link and the mail that carries it. Where it leads to
// afterwards stays here: the mail knows nothing of it.
func (s accountRows) sendLink(ctx context.Context, tx pgx.Tx, p Purpose, in linkBinding, m mail.Job,
	o Origin) error {
	now := s.clock.Now()
	m.Link = &mail.Link{Purpose: string(p)}
	expires := now.Add(cmp.Or(linkLives[p], 24*time.Hour))
	err := tx.QueryRow(ctx, insertLink, m.Account, p, m.To, in.browser, now, expires, o.Next,
		in.session).Scan(&m.Link.ID)
	if err != nil {
		return fmt.Errorf("make a link: %w", err)
	}
	return s.sendMail(ctx, tx, m, o)
}

const voidLinks = `
UPDATE account.link SET used_at = $3 WHERE account_id = $1 AND purpose = ANY($2) AND used_at IS NULL`

// endLinks ends the links of those purposes that wait to be used.
func (s accountRows) endLinks(ctx context.Context, tx pgx.Tx, id ident.AccountID, purposes ...Purpose) error {
	return execStatement(ctx, tx, "end links", voidLinks, id, purposes, s.clock.Now())
}

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
		if h.confirmedAt == nil { // the address may be another person's
			return NewProblem("", CodeConfirmFirst)
		}
		if err := s.requireMailSlot(ctx, tx, "verify", h.email); err != nil {
			return err
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

// requireMailSlot is claimMailSlot for an owner who is signed in: a Problem reports when it allows the next
// mail.
func (s *Service) requireMailSlot(ctx context.Context, tx pgx.Tx, kind, email string) error {
	ok, err := s.claimMailSlot(ctx, tx, kind, email)
	if err == nil && !ok {
		err = s.slotWaitProblem(ctx, tx, s.throttleSubject("mail "+kind, email), maxMailsInWindow)
	}
	return err
}

// slotWaitProblem is a Problem that reports when claimMail counts the next mail of a subject, which may have
// so many in a mailWindow.
func (s *Service) slotWaitProblem(ctx context.Context, tx pgx.Tx, subject []byte, limit int) error {
	now := s.clock.Now()
	next, err := pgdb.Value[time.Time](ctx, tx, pgx.ErrNoRows, "read when a mail may be sent", mailPause,
		subject, limit, now.Add(-mailWindow), mailWindow.Seconds())
	if err != nil {
		return err
	}
	return NewWaitProblem(max(next.Sub(now), time.Second))
}

// isForSession reports whether the link was asked for in that session.
func (l *link) isForSession(sess Session) bool { return l.session != nil && *l.session == sess.ID }

// LookVerifyLink is Look at a link of RequestVerifyLink. Links of other accounts do not exist.
func (s *Service) LookVerifyLink(ctx context.Context, sess Session, token string) (LinkState, error) {
	l, err := s.findLink(ctx, s.db, sess.Account, PurposeVerify, token)
	st := l.stateAt(s.clock.Now())
	st.Elsewhere = st.Valid && !l.isForSession(sess)
	return st, err
}

// ReauthenticateByLink proves again who is signed in by a link of RequestVerifyLink, which it uses up, and by
// a code when the account has a second factor. A wrong code leaves the link as it was.
func (s *Service) ReauthenticateByLink(ctx context.Context, sess Session, token, code string,
	o Origin) error {
	h, err := requireHolder(ctx, s.db, holderByID, sess.Account, ErrNoSession)
	if err != nil {
		return err
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
		if h.totpSealed != nil { // turned on since
			return NewProblem("code", CodeCodeWrong)
		}
		return prove(ctx, tx, h)
	})
}

// usableVerifyLink finds the link of a token that works in that session, for the locked account.
func (s *Service) usableVerifyLink(
	ctx context.Context, q pgdb.DB, sess Session, h *holder, token string) (*link, error) {
	l, err := s.findLink(ctx, q, h.id, PurposeVerify, token)
	switch {
	case err != nil:
		return nil, err
	case !l.stateAt(s.clock.Now()).Valid:
		return nil, NewProblem("", CodeLinkInvalid)
	case !l.isForSession(sess):
		return nil, NewProblem("", CodeOtherSession)
	}
	return l, nil
}
