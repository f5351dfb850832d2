package auth

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/fault"
	"arpent/app/base/ident"
	"arpent/app/base/mail"
	"arpent/app/base/pgdb"
)

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
	if err := execute(ctx, tx, "remove the recovery codes", deleteRecoveryCodes, id); err != nil {
		return nil, err
	}
	codes := make([]string, recoveryCodes)
	hashes := make([][]byte, recoveryCodes)
	for i := range codes {
		code := newRecoveryCode()
		codes[i] = code[:4] + "-" + code[4:8] + "-" + code[8:]
		hashes[i] = recoveryHash(id, code)
	}
	return codes, execute(ctx, tx, "keep the recovery codes", insertRecoveryCodes, id, hashes)
}

func newRecoveryCode() string {
	b := random(recoveryLength)
	for i := range b {
		b[i] = recoveryAlphabet[int(b[i])%len(recoveryAlphabet)] // 32 letters: every one as likely
	}
	return string(b)
}

// recoveryHash does not need the server's secret: should that be lost, these codes are the way in that is left.
func recoveryHash(id ident.AccountID, code string) []byte {
	return hash(strconv.FormatInt(int64(id), 10) + " " + code)
}

const useRecoveryCode = `
UPDATE account.recovery_code SET used_at = $3 WHERE account_id = $1 AND code_hash = $2 AND used_at IS NULL`

func (s *Service) useRecoveryCode(ctx context.Context, tx pgx.Tx, h *holder, code string, o Origin) error {
	err := executeOr(ctx, tx, problem("code", CodeCodeWrong), "use a recovery code", useRecoveryCode, h.id, recoveryHash(h.id, code), s.clock.Now())
	if err != nil {
		return err
	}
	left, err := codesLeft(ctx, tx, h.id)
	if err != nil {
		return err
	}
	return s.recordAndWarn(ctx, tx, h, event{audit.ActionRecoveryCodeUsed, map[string]any{"left": left},
		mail.RecoveryCodeUsed, map[string]string{"left": strconv.Itoa(left)}}, o)
}

const countCodesLeft = `SELECT count(*) FROM account.recovery_code WHERE account_id = $1 AND used_at IS NULL`

func codesLeft(ctx context.Context, q pgdb.DB, id ident.AccountID) (n int, err error) {
	err = q.QueryRow(ctx, countCodesLeft, id).Scan(&n)
	return n, fault.Wrap("count recovery codes", err)
}

// RecoveryCodesLeft reports how many codes are still good.
func (s *Service) RecoveryCodesLeft(ctx context.Context, sess Session) (int, error) {
	return codesLeft(ctx, s.db, sess.Account)
}

// NewRecoveryCodes replaces the codes, the used and the others.
func (s *Service) NewRecoveryCodes(ctx context.Context, sess Session, o Origin) (codes []string, err error) {
	err = s.lockedFresh(ctx, sess, Freshness, func(ctx context.Context, tx pgx.Tx, h *holder) error {
		if h.totpSealed == nil {
			return problem("", CodeTOTPOff)
		}
		if codes, err = s.makeRecoveryCodes(ctx, tx, h.id); err != nil {
			return err
		}
		return s.recordAndWarn(ctx, tx, h, event{action: audit.ActionRecoveryCodesMade, mail: mail.RecoveryCodesNew}, o)
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}
