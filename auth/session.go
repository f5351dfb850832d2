package auth

import (
	"context"
	"encoding/binary"
	"net/netip"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/auth/seal"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// SessionLife is how long a session lives without use; the others are how often its row is written at most.
const (
	SessionLife = 30 * 24 * time.Hour
	// SessionMaxLife is how long it lives from the sign-in, however much it is used: a copied cookie
	// expires after 90 days.
	SessionMaxLife = 90 * 24 * time.Hour
	extendAfter    = time.Hour
	touchAfter     = time.Minute
	tokenLength    = 43 // 32 bytes in base64
)

// How long a proof of who one is lasts.
const (
	Freshness         = 10 * time.Minute // for what changes how one signs in, and the export
	DeletionFreshness = 5 * time.Minute
)

// SessionID names a row of account.session.
type SessionID int64

// Session is the state of a person who is signed in, with what every page needs to know of the person and of
// the organisation whose pages are shown. Plan, limits, notices and CreatedAccount are those of the
// organisation.
type Session struct {
	ID                   SessionID
	Account              ident.AccountID // of the person
	Organisation         ident.AccountID // the chosen one; Account: the person's own account
	OrganisationName     string          // empty: the person's own account
	Role                 member.Role     // of the person there
	IsMember             bool            // of some organisation, chosen or not
	Email                string
	Confirmed            bool
	Language             string
	Plan                 string
	Own                  OwnLimits
	HasPassword, HasTOTP bool
	HasPasskey           bool       // that this server accepts
	UsedPasskey          bool       // one was added or used in this session
	FactorFrom           *time.Time // when members need a second factor; nil: they need none
	NeedsFactor          bool       // by now, and the session LacksFactor: no Role
	ProvedTOTP           bool       // AuthenticatedAt is of a proof with the second factor
	MustEnrol            bool       // the operator requires a second factor, and there is none
	// when a second factor that was said to be lost is turned off; nil: it stays
	FactorEndsAt *time.Time
	// of a day's quota, at which the owner wants a mail; none: no mails
	QuotaPercents                    []int
	CreatedAccount                   time.Time
	AuthenticatedAt                  time.Time // when the person last proved who they are
	Extended                         bool      // its end was just moved on: the cookie has to be sent again
	CreatedAt, LastUsedAt, ExpiresAt time.Time
	Method                           string // password, or the provider
	Address                          netip.Addr
	Agent                            string
}

// ActsForOrganisation reports whether the session has chosen an organisation other than the person's own
// account.
func (s Session) ActsForOrganisation() bool { return s.Organisation != s.Account }

// LacksFactor reports whether the session has no second factor that an organisation can require: an
// authenticator application, which each sign-in then asks for, or a passkey that was used in it. The sign-in
// by a third party alone is none, whatever that party asks for.
func (s Session) LacksFactor() bool { return !s.HasTOTP && !(s.HasPasskey && s.UsedPasskey) }

// IsKeptOut reports whether a rule of an organisation, which requires a second factor from a time on, keeps
// the session out now.
func (s Session) IsKeptOut(factorFrom *time.Time, now time.Time) bool {
	return factorFrom != nil && !now.Before(*factorFrom) && s.LacksFactor()
}

// Recent reports whether the person has proved who they are within that time.
func (s Session) Recent(now time.Time, within time.Duration) bool {
	return now.Sub(s.AuthenticatedAt) < within
}

// requireFreshProof returns a Problem unless the person has just proved who they are.
func (s *Service) requireFreshProof(sess Session, within time.Duration) error {
	if !sess.Recent(s.clock.Now(), within) {
		return NewProblem("", CodeVerifyFirst)
	}
	return nil
}

// insertSession has the organisation that the person chose last. Without a session that has noted it, it is
// the only organisation of a person whose own account has no key.
const insertSession = `
INSERT INTO account.session (account_id, token_hash, method, authenticated_at, created_at, last_used_at, expires_at, address, agent, organisation_id)
VALUES ($1, $2, $3, $4, $4, $4, $5, $6, $7,
    (SELECT organisation_id FROM (
        SELECT organisation_id, last_used_at, id FROM account.session WHERE account_id = $1
        UNION ALL SELECT min(account_id), '-infinity', 0 FROM account.member WHERE person_id = $1
        HAVING count(*) = 1 AND NOT EXISTS (SELECT FROM account.api_key
            WHERE account_id = $1 AND revoked_at IS NULL AND kind <> 'console')) s
    ORDER BY last_used_at DESC, id DESC LIMIT 1))`

func (s *Service) insertSession(ctx context.Context, tx pgx.Tx, id ident.AccountID, token, method string,
	o Origin) error {
	now := s.clock.Now()
	return execStatement(ctx, tx, "make a session", insertSession,
		id, hashSHA256(token), method, now, now.Add(SessionLife), o.Address.Unmap().WithZone(""),
		audit.CleanAgent(o.Agent))
}

// The organisation that was chosen counts while the person is a member of it; else the session shows the
// person's own account. The version before may have signed in an account that was becoming an organisation.
const findSession = `
SELECT s.id, s.account_id, o.id, coalesce(o.name, ''), coalesce(m.role, 'owner'),
    EXISTS (SELECT FROM account.member x WHERE x.person_id = a.id),
    a.email, a.email_confirmed_at IS NOT NULL, a.language, o.plan,
    o.per_minute, o.enrichments_per_minute, o.per_day, o.limits_note,
    a.password_hash IS NOT NULL, a.totp_enabled_at IS NOT NULL,
    EXISTS (SELECT FROM account.passkey k WHERE k.account_id = a.id),
    s.passkey_at IS NOT NULL OR s.method = 'passkey', o.member_factor_from,
    coalesce(s.authenticated_at > a.totp_enabled_at, false),
    a.second_factor_required_at IS NOT NULL AND a.totp_enabled_at IS NULL AND a.email_confirmed_at IS NOT NULL,
    a.factor_recovery_due_at, CASE WHEN o.quota_mails THEN o.quota_percents ELSE '{}' END, o.created_at,
    s.authenticated_at, s.created_at, s.last_used_at, s.expires_at, s.method, s.address, coalesce(s.agent, '')
FROM account.session s JOIN account.account a ON a.id = s.account_id
LEFT JOIN account.member m ON m.account_id = s.organisation_id AND m.person_id = s.account_id
JOIN account.account o ON o.id = coalesce(m.account_id, a.id)
WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.created_at > $3 AND a.kind = 'person'`

// Session finds who holds the cookie, or ErrNoSession.
func (s *Service) Session(ctx context.Context, token string) (Session, error) {
	if len(token) != tokenLength {
		return Session{}, ErrNoSession
	}
	var sess Session
	now := s.clock.Now()
	err := s.db.QueryRow(ctx, findSession, hashSHA256(token), now, now.Add(-SessionMaxLife)).Scan(&sess.ID,
		&sess.Account, &sess.Organisation, &sess.OrganisationName, &sess.Role, &sess.IsMember,
		&sess.Email, &sess.Confirmed,
		&sess.Language, &sess.Plan, &sess.Own.PerMinute, &sess.Own.EnrichmentsPerMinute, &sess.Own.PerDay,
		&sess.Own.Note,
		&sess.HasPassword, &sess.HasTOTP, &sess.HasPasskey, &sess.UsedPasskey, &sess.FactorFrom,
		&sess.ProvedTOTP, &sess.MustEnrol, &sess.FactorEndsAt,
		&sess.QuotaPercents, &sess.CreatedAccount,
		&sess.AuthenticatedAt, &sess.CreatedAt, &sess.LastUsedAt, &sess.ExpiresAt, &sess.Method, &sess.Address,
		&sess.Agent)
	if err != nil {
		return Session{}, pgdb.RowError(err, ErrNoSession, "read a session")
	}
	sess.HasPasskey = sess.HasPasskey && s.OffersPasskeys()
	if sess.NeedsFactor = sess.IsKeptOut(sess.FactorFrom, now); sess.NeedsFactor {
		sess.Role = "" // which may do nothing
	}
	return sess, s.extendSession(ctx, &sess, now)
}

const findAddress = `
SELECT a.email FROM account.session s JOIN account.account a ON a.id = s.account_id
WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.created_at > $3
    AND a.email_confirmed_at IS NOT NULL AND a.kind = 'person'`

// Address is the confirmed address of the account that holds the cookie, or ErrNoSession. It is no
// use of the session: looking changes nothing.
func (s *Service) Address(ctx context.Context, token string) (email string, err error) {
	if len(token) != tokenLength {
		return "", ErrNoSession
	}
	now := s.clock.Now()
	return pgdb.Value[string](ctx, s.db, ErrNoSession, "read the address of a session", findAddress,
		hashSHA256(token), now, now.Add(-SessionMaxLife))
}

const touchSession = `
UPDATE account.session SET last_used_at = $3, expires_at = $4 WHERE id = $2 AND account_id = $1`

// extendSession notes the use of a session and moves its end on, rarely enough to
// cost nothing, and never beyond its last day.
func (s *Service) extendSession(ctx context.Context, sess *Session, now time.Time) error {
	expires := sess.ExpiresAt
	end, last := now.Add(SessionLife), sess.CreatedAt.Add(SessionMaxLife)
	if end.After(last) {
		end = last
	}
	if end.Sub(expires) >= extendAfter {
		expires = end
	}
	if now.Sub(sess.LastUsedAt) < touchAfter && expires.Equal(sess.ExpiresAt) {
		return nil
	}
	if err := execStatement(ctx, s.db, "note the use of a session", touchSession, sess.Account, sess.ID, now,
		expires); err != nil {
		return err
	}
	sess.Extended = !expires.Equal(sess.ExpiresAt)
	sess.LastUsedAt, sess.ExpiresAt = now, expires
	return nil
}

// SessionInfo is a session as its owner sees it in a list.
type SessionInfo struct {
	ID                    SessionID
	Current               bool
	Device                string // such as "Firefox, Linux"; empty: unknown
	Address               string
	CreatedAt, LastUsedAt time.Time
	Method                string
}

const listSessions = `
SELECT id, id = $2, coalesce(agent, ''), coalesce(host(address), ''), created_at, last_used_at, method
FROM account.session WHERE account_id = $1 AND expires_at > $3 AND created_at > $4 ORDER BY id = $2 DESC, last_used_at DESC, id DESC`

// Sessions lists where the account is signed in: here first, then the last used.
func (s *Service) Sessions(ctx context.Context, sess Session) ([]SessionInfo, error) {
	now := s.clock.Now()
	all, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[SessionInfo], listSessions,
		sess.Account, sess.ID, now, now.Add(-SessionMaxLife))
	for i := range all {
		all[i].Device = audit.Device(all[i].Device)
	}
	return all, fault.Wrap("list sessions", err)
}

const endSession = `DELETE FROM account.session WHERE id = $2 AND account_id = $1`

func (s *Service) deleteSession(ctx context.Context, sess Session, id SessionID, action string,
	o Origin) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		err := execExpectingRow(ctx, tx, fault.Missing("There is no such session."), "end a session", endSession,
			sess.Account, id)
		if err != nil {
			return err
		}
		return s.recordEvent(ctx, tx, sess.Account, action, nil, o)
	})
}

// SignOut ends the session. One that has ended already is no error.
func (s *Service) SignOut(ctx context.Context, sess Session, o Origin) error {
	err := s.deleteSession(ctx, sess, sess.ID, audit.ActionSignedOut, o)
	if err != nil && fault.From(err).Code == fault.NotFound {
		return nil
	}
	return err
}

// EndSession ends one session of the account. One that is not there is a fault.NotFound.
func (s *Service) EndSession(ctx context.Context, sess Session, id SessionID, o Origin) error {
	return s.deleteSession(ctx, sess, id, audit.ActionSessionEnded, o)
}

const endOtherSessions = `DELETE FROM account.session WHERE account_id = $1 AND id <> $2`

// deleteOtherSessions ends the sessions of the account but one, and counts them; 0 keeps none.
func deleteOtherSessions(ctx context.Context, tx pgx.Tx, id ident.AccountID, but SessionID) (int, error) {
	tag, err := tx.Exec(ctx, endOtherSessions, id, but)
	return int(tag.RowsAffected()), fault.Wrap("end sessions", err)
}

// EndOtherSessions signs the account out everywhere but here, and reports how many sessions that ended.
func (s *Service) EndOtherSessions(ctx context.Context, sess Session, o Origin) (int, error) {
	return s.endSessionsExcept(ctx, sess, sess.ID, o)
}

// EndAllSessions signs the account out everywhere.
func (s *Service) EndAllSessions(ctx context.Context, sess Session, o Origin) error {
	_, err := s.endSessionsExcept(ctx, sess, 0, o)
	return err
}

// EndSessions signs an account out everywhere, for the operator, and counts what that ended. Keys and
// assistants go on. It is recorded as the operator's act.
func (s *Accounts) EndSessions(ctx context.Context, id ident.AccountID) (ended int, err error) {
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) (err error) {
		if ended, err = deleteOtherSessions(ctx, tx, id, 0); err != nil || ended == 0 {
			return err
		}
		return s.recordAction(ctx, tx, id, audit.ActionSessionsEnded, map[string]any{"count": ended})
	})
	return ended, err
}

func (s *Service) endSessionsExcept(
	ctx context.Context, sess Session, but SessionID, o Origin) (ended int, err error) {
	err = s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) (err error) {
		if ended, err = deleteOtherSessions(ctx, tx, h.id, but); err != nil || ended == 0 {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{audit.ActionSessionsEnded, map[string]any{"count": ended},
			mail.SessionsEnded, map[string]string{"count": strconv.Itoa(ended)}}, o)
	})
	return ended, err
}

const setAuthenticatedAt = `
UPDATE account.session SET authenticated_at = $3, passkey_at = CASE WHEN $4 THEN $3 ELSE passkey_at END
WHERE id = $2 AND account_id = $1`

// recordProof records that the person has just proved who they are.
func (s *Service) recordProof(ctx context.Context, tx pgx.Tx, id ident.AccountID, session SessionID,
	method string, o Origin) error {
	if err := execExpectingRow(ctx, tx, ErrNoSession, "note a proof", setAuthenticatedAt, id, session,
		s.clock.Now(), method == MethodPasskey); err != nil {
		return err
	}
	return s.recordEvent(ctx, tx, id, audit.ActionReauthenticated, map[string]any{"method": method}, o)
}

// Reauthenticate proves again who is signed in: the password, and a
// code when the account has a second factor.
func (s *Service) Reauthenticate(ctx context.Context, sess Session, password, code string, o Origin) error {
	h, err := s.provePassword(ctx, sess, "password", password, o)
	if err != nil {
		return err
	}
	prove := func(ctx context.Context, tx pgx.Tx, h *holder) error {
		return s.recordProof(ctx, tx, h.id, sess.ID, methodPassword, o)
	}
	if h.totpSealed != nil {
		return s.verifyCode(ctx, h, code, o, nil, prove)
	}
	return s.withLockedAccount(ctx, h.id, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.totpSealed != nil { // turned on while the password was checked
			return NewProblem("code", CodeCodeWrong)
		}
		return prove(ctx, tx, h)
	})
}

// provePassword checks the password of the account that is signed in; a wrong one is a Problem of that field.
func (s *Service) provePassword(
	ctx context.Context, sess Session, field, password string, o Origin) (*holder, error) {
	h, err := requireHolder(ctx, s.db, holderByID, sess.Account, ErrNoSession)
	if err != nil {
		return nil, err
	}
	try := s.newAttempt("account", h.email, h, o)
	right, err := s.checkPassword(ctx, try, h, password)
	if err != nil {
		return nil, err
	}
	if !right {
		err := s.recordEvent(ctx, s.db, h.id, audit.ActionSignInFailed, map[string]any{"method": methodPassword,
			"again": true}, o)
		if err != nil {
			return nil, err
		}
		return nil, NewProblem(field, CodePasswordWrong)
	}
	return h, try.clearFailures(ctx, s.db)
}

const useLinkedIdentity = `
UPDATE account.identity SET last_used_at = $4 WHERE account_id = $1 AND provider = $2 AND subject = $3`

// ReauthenticateWithIdentity proves it by an identity that is linked to the account. Where
// the account has a second factor that is half of the proof: what is pending goes to
// FinishSignIn with a code, for a session that is fresh.
func (s *Service) ReauthenticateWithIdentity(ctx context.Context, sess Session, c Claim,
	o Origin) (pending string, err error) {
	err = s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		err := execExpectingRow(ctx, tx, NewProblem("", CodeNotYours), "read an identity", useLinkedIdentity, h.id,
			c.Provider, c.Subject, s.clock.Now())
		if err != nil {
			return err
		}
		if h.totpSealed == nil {
			return s.recordProof(ctx, tx, h.id, sess.ID, c.Provider, o)
		}
		in, err := s.signInOrChallenge(ctx, tx, h, signInDetails{method: c.Provider}, o)
		pending = in.Pending
		return err
	})
	return pending, err
}

const deviceRandom = 16

// newDeviceCookie makes the cookie by which a browser is known in
// which somebody has signed in to that account.
func (s *Service) newDeviceCookie(h *holder) string {
	b := append(binary.BigEndian.AppendUint64(nil, uint64(h.id)), randomBytes(deviceRandom)...)
	return seal.Encode(append(b, s.keys.device.Sign(string(b), accountFingerprint(h))...))
}

// accountFingerprint distinguishes an account from another that gets
// its number after a restore from a backup.
func accountFingerprint(h *holder) string { return strconv.FormatInt(h.createdAt.UnixMicro(), 10) }

// isKnownDevice reports whether the cookie was made here for that account.
func (s *Service) isKnownDevice(cookie string, h *holder) bool {
	b, err := seal.Decode(cookie)
	if err != nil || len(b) != 8+deviceRandom+seal.MACSize {
		return false
	}
	body := b[:8+deviceRandom]
	return s.keys.device.Verify(b[len(body):], string(body), accountFingerprint(h)) &&
		binary.BigEndian.Uint64(body) == uint64(h.id)
}
