package auth

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	totpPeriod    = 30 // seconds
	totpSkew      = 1  // steps that a phone's clock may be off, either way
	totpSize      = 20 // bytes of the shared secret
	enrolmentLife = 15 * time.Minute
)

// Enrolment is a second factor that is offered and not yet on.
type Enrolment struct {
	Secret string // base32, to be typed
	URI    string // otpauth://…, for the picture
	Sealed string // carried by the form
}

type sealedEnrolment struct {
	Account ident.AccountID `json:"a"`
	Session SessionID       `json:"s"`
	Secret  string          `json:"k"`
	Until   time.Time       `json:"u"`
}

var base32Secret = base32.StdEncoding.WithPadding(base32.NoPadding)

// BeginTOTP makes the secret of a second factor. Nothing changes
// until EnableTOTP is given a code made with it.
func (s *Service) BeginTOTP(_ context.Context, sess Session) (Enrolment, error) {
	if err := s.requireFreshProof(sess, Freshness); err != nil {
		return Enrolment{}, err
	}
	switch {
	case sess.HasTOTP:
		return Enrolment{}, NewProblem("", CodeTOTPOn)
	case !sess.Confirmed: // the address may be another person's, whom this would keep out
		return Enrolment{}, NewProblem("", CodeConfirmFirst)
	}
	secret := base32Secret.EncodeToString(randomBytes(totpSize))
	sealed, err := s.keys.enrol.Seal(sealedEnrolment{
		Account: sess.Account, Session: sess.ID, Secret: secret, Until: s.clock.Now().Add(enrolmentLife)}, "enrol")
	return s.newEnrolment(sess, secret, sealed), fault.Wrap("offer a second factor", err)
}

func (s *Service) newEnrolment(sess Session, secret, sealed string) Enrolment {
	uri := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + s.name + ":" + sess.Email,
		// Authenticators take + for itself, not for a space.
		RawQuery: strings.ReplaceAll(url.Values{"secret": {secret}, "issuer": {s.name}}.Encode(), "+", "%20")}
	return Enrolment{Secret: secret, URI: uri.String(), Sealed: sealed}
}

// ResumeTOTP shows again the second factor that a form carries, after a wrong
// code: who has scanned it need not do so twice.
func (s *Service) ResumeTOTP(_ context.Context, sess Session, sealed string) (Enrolment, error) {
	e, err := s.openEnrolment(sess, sealed)
	if err != nil {
		return Enrolment{}, err
	}
	return s.newEnrolment(sess, e.Secret, sealed), nil
}

func (s *Service) openEnrolment(sess Session, sealed string) (e sealedEnrolment, err error) {
	if err := s.keys.enrol.Open(sealed, "enrol", &e); err != nil ||
		e.Account != sess.Account || e.Session != sess.ID || !s.clock.Now().Before(e.Until) {
		return sealedEnrolment{}, NewProblem("", CodeEnrolmentOver)
	}
	return e, nil
}

const enableTOTP = `
UPDATE account.account SET totp_sealed = $2, totp_enabled_at = $3, totp_last_step = $4, updated_at = $3 WHERE id = $1`

// EnableTOTP turns the second factor on once the authenticator has shown that it works, and ends the other
// sessions, which proved no second factor. The recovery codes are shown once. The person proved who they are
// when the enrolment was offered.
func (s *Service) EnableTOTP(ctx context.Context, sess Session, sealed, code string,
	o Origin) (recovery []string, err error) {
	e, err := s.openEnrolment(sess, sealed)
	if err != nil {
		return nil, err
	}
	step, ok := findTOTPStep(e.Secret, code, s.clock.Now(), nil)
	if !ok {
		return nil, NewProblem("code", CodeCodeWrong)
	}
	err = s.withLockedSession(ctx, sess, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.totpSealed != nil {
			return NewProblem("", CodeTOTPOn)
		}
		stored := s.keys.totp.SealBytes([]byte(e.Secret), totpSealContext(h.id))
		if err := execStatement(ctx, tx, "turn the second factor on", enableTOTP, h.id, stored, s.clock.Now(),
			step); err != nil {
			return err
		}
		if _, err := deleteOtherSessions(ctx, tx, h.id, sess.ID); err != nil {
			return err
		}
		if recovery, err = s.makeRecoveryCodes(ctx, tx, h.id); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{action: audit.ActionTOTPEnabled, mail: mail.TwoFactorOn}, o)
	})
	if err != nil {
		return nil, err
	}
	return recovery, nil
}

// totpSealContext binds a sealed secret to its account: copied to another row it does not open.
func totpSealContext(id ident.AccountID) string { return "totp " + strconv.FormatInt(int64(id), 10) }

// DisableTOTP turns the second factor off.
func (s *Service) DisableTOTP(ctx context.Context, sess Session, o Origin) error {
	return s.withFreshSession(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.totpSealed == nil {
			return NewProblem("", CodeTOTPOff)
		}
		if err := s.removeTOTP(ctx, tx, h); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{action: audit.ActionTOTPDisabled, mail: mail.TwoFactorOff}, o)
	})
}

const disableTOTP = `
UPDATE account.account SET totp_sealed = NULL, totp_enabled_at = NULL, totp_last_step = NULL,
    factor_recovery_due_at = NULL, updated_at = $2 WHERE id = $1`

func (s *Service) removeTOTP(ctx context.Context, tx pgx.Tx, h *holder) error {
	h.totpSealed, h.totpStep = nil, nil
	if err := execStatement(ctx, tx, "turn the second factor off", disableTOTP, h.id,
		s.clock.Now()); err != nil {
		return err
	}
	return execStatement(ctx, tx, "remove the recovery codes", deleteRecoveryCodes, h.id)
}

// findTOTPStep finds the step of time that a code belongs to. Steps up to the
// last one used are over: a code is good once.
func findTOTPStep(secret, code string, now time.Time, last *int64) (int64, bool) {
	current := now.Unix() / totpPeriod
	found, at := 0, int64(0)
	for step := current - totpSkew; step <= current+totpSkew; step++ {
		if last != nil && step <= *last {
			continue
		}
		want, err := hotp.GenerateCodeCustom(secret, uint64(step), hotp.ValidateOpts{Digits: otp.DigitsSix,
			Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return 0, false
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 && found == 0 {
			found, at = 1, step
		}
	}
	return at, found == 1
}

const useStep = `
UPDATE account.account SET totp_last_step = $2 WHERE id = $1 AND (totp_last_step IS NULL OR totp_last_step < $2)`

// useCode spends a code of the authenticator or a recovery code, on the locked account.
func (s *Service) useCode(ctx context.Context, tx pgx.Tx, h *holder, code string, o Origin) error {
	code = cleanCode(code)
	if len(code) != otp.DigitsSix.Length() {
		return s.useRecoveryCode(ctx, tx, h, code, o)
	}
	secret, err := s.openTOTP(ctx, tx, h)
	if err != nil {
		return err
	}
	step, ok := findTOTPStep(string(secret), code, s.clock.Now(), h.totpStep)
	if !ok {
		return NewProblem("code", CodeCodeWrong)
	}
	return execExpectingRow(ctx, tx, NewProblem("code", CodeCodeWrong), "use a code", useStep, h.id, step)
}

const resealTOTP = `
UPDATE account.account SET totp_sealed = $2 WHERE id = $1`

// openTOTP opens the secret of a second factor, and seals it anew where a
// former secret of the server had sealed it.
func (s *Service) openTOTP(ctx context.Context, tx pgx.Tx, h *holder) ([]byte, error) {
	about := totpSealContext(h.id)
	secret, present, err := s.keys.totp.OpenBytes(h.totpSealed, about)
	if err != nil {
		return nil, fmt.Errorf("open the second factor of account %d (was ARPENT_SECRET changed?): %w", h.id, err)
	}
	if present {
		return secret, nil
	}
	h.totpSealed = s.keys.totp.SealBytes(secret, about)
	return secret, execStatement(ctx, tx, "seal the second factor anew", resealTOTP, h.id, h.totpSealed)
}

// cleanCode drops what people put between the parts of a code.
func cleanCode(code string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return r
	}, code))
}

// verifyCode checks a code, counting the try, and then does what the code was asked for. before, when not
// nil, is checked under the same lock and first: what it rejects was no try.
func (s *Service) verifyCode(ctx context.Context, h *holder, code string, o Origin, before,
	then accountAction) error {
	if cleanCode(code) == "" {
		return NewProblem("code", CodeCodeWrong)
	}
	try := attempt{service: s, ownSubject: s.accountSubject(triesCode, h.id)}
	if s.isKnownDevice(o.Device, h) {
		try.ownSubject = s.throttleSubject("code device", o.Device)
	}
	if err := try.startAttempt(ctx); err != nil {
		return err
	}
	err := s.withLockedAccount(ctx, h.id, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if before != nil {
			if err := before(ctx, tx, h); err != nil {
				return err
			}
		}
		if h.totpSealed == nil {
			return NewProblem("", CodeTOTPOff)
		}
		if err := s.useCode(ctx, tx, h, code, o); err != nil {
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
	case err == nil:
		return nil
	case errors.As(err, &p) && p.Code == CodeCodeWrong:
		if failed := s.recordEvent(ctx, s.db, h.id, audit.ActionSignInFailed, map[string]any{"method": "code"},
			o); failed != nil {
			return failed
		}
		return err
	}
	return errors.Join(err, try.refundAttempt(ctx))
}

const (
	recoveryCodes  = 10
	recoveryLength = 12 // 60 bits: five a letter
	// No letter that is read for another, or for a digit.
	recoveryAlphabet = "abcdefghjkmnpqrstuvwxyz023456789"
)

const deleteRecoveryCodes = `DELETE FROM account.recovery_code WHERE account_id = $1`

const insertRecoveryCodes = `
INSERT INTO account.recovery_code (account_id, code_hash) SELECT $1, unnest($2::bytea[])`

// makeRecoveryCodes replaces the codes of the account.
func (s *Service) makeRecoveryCodes(ctx context.Context, tx pgx.Tx, id ident.AccountID) ([]string, error) {
	if err := execStatement(ctx, tx, "remove the recovery codes", deleteRecoveryCodes, id); err != nil {
		return nil, err
	}
	codes := make([]string, recoveryCodes)
	hashes := make([][]byte, recoveryCodes)
	for i := range codes {
		letters := randomBytes(recoveryLength)
		for j := range letters {
			letters[j] = recoveryAlphabet[int(letters[j])%len(recoveryAlphabet)] // 32 letters: every one as likely
		}
		code := string(letters)
		codes[i] = code[:4] + "-" + code[4:8] + "-" + code[8:]
		hashes[i] = recoveryHash(id, code)
	}
	return codes, execStatement(ctx, tx, "keep the recovery codes", insertRecoveryCodes, id, hashes)
}

// recoveryHash does not need the server's secret: should that be lost, these codes are the way in that is
// left.
func recoveryHash(id ident.AccountID, code string) []byte {
	return hashSHA256(strconv.FormatInt(int64(id), 10) + " " + code)
}

const (
	// The codes of an account were made together.
	readHashedFor   = `SELECT coalesce(max(hashed_for), $1) FROM account.recovery_code WHERE account_id = $1`
	useRecoveryCode = `
UPDATE account.recovery_code SET used_at = $3 WHERE account_id = $1 AND code_hash = $2 AND used_at IS NULL`
)

func (s *Service) useRecoveryCode(ctx context.Context, tx pgx.Tx, h *holder, code string, o Origin) error {
	hashedFor, err := pgdb.Value[ident.AccountID](ctx, tx, nil,
		"read which account recovery codes were made for", readHashedFor, h.id)
	if err != nil {
		return err
	}
	err = execExpectingRow(ctx, tx, NewProblem("code", CodeCodeWrong), "use a recovery code", useRecoveryCode,
		h.id, recoveryHash(hashedFor, code), s.clock.Now())
	if err != nil {
		return err
	}
	left, err := countRecoveryCodes(ctx, tx, h.id)
	if err != nil {
		return err
	}
	return s.recordAndNotify(ctx, tx, h, event{audit.ActionRecoveryCodeUsed, map[string]any{"left": left},
		mail.RecoveryCodeUsed, map[string]string{"left": strconv.Itoa(left)}}, o)
}

const countCodesLeft = `SELECT count(*) FROM account.recovery_code WHERE account_id = $1 AND used_at IS NULL`

func countRecoveryCodes(ctx context.Context, q pgdb.DB, id ident.AccountID) (n int, err error) {
	err = q.QueryRow(ctx, countCodesLeft, id).Scan(&n)
	return n, fault.Wrap("count recovery codes", err)
}

// RecoveryCodesLeft reports how many codes are still good.
func (s *Service) RecoveryCodesLeft(ctx context.Context, sess Session) (int, error) {
	return countRecoveryCodes(ctx, s.db, sess.Account)
}

// NewRecoveryCodes replaces the codes, the used and the others.
func (s *Service) NewRecoveryCodes(ctx context.Context, sess Session, o Origin) (codes []string, err error) {
	err = s.withFreshSession(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.totpSealed == nil {
			return NewProblem("", CodeTOTPOff)
		}
		if codes, err = s.makeRecoveryCodes(ctx, tx, h.id); err != nil {
			return err
		}
		return s.recordAndNotify(ctx, tx, h, event{action: audit.ActionRecoveryCodesMade,
			mail: mail.RecoveryCodesNew}, o)
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}
