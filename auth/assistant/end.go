package assistant

import (
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/fault"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
)

// Why a connection ended.
const (
	endByClient      = "client"         // the assistant was disconnected where it runs
	endCodeReplay    = "code_replay"    // its code came twice
	endRefreshReplay = "refresh_replay" // a refresh token came again, long after it was exchanged
	endByKey         = "key"            // its key was revoked or has expired
	endUnused        = "unused"         // all its tokens expired
)

// The account is held first, by everything that changes what belongs to it: whoever deletes it meanwhile waits.
const holdAccount = `SELECT true FROM account.account WHERE id = $1 FOR KEY SHARE`

// hold gives pgx.ErrNoRows when the account is gone.
func hold(ctx context.Context, tx pgx.Tx, account ident.AccountID) (err error) {
	var there bool
	return tx.QueryRow(ctx, holdAccount, account).Scan(&there)
}

const endGrant = `
UPDATE account.assistant_grant SET ended_at = $3, ended_by = $4 WHERE id = $2 AND account_id = $1 AND ended_at IS NULL`

// end ends a connection for ever: its key is refused everywhere within a second, and all its tokens with it. The owner of
// the account gets a mail unless it is quiet.
func (s *Server) end(ctx context.Context, tx pgx.Tx, h held, reason string, quiet bool) error {
	now := s.o.Clock.Now()
	if _, err := tx.Exec(ctx, endGrant, h.account, h.grant, now, reason); err != nil {
		return errorOf("end a grant", err)
	}
	_, err := apikey.RevokeAssistant(ctx, tx, h.account, h.key, reason, quiet, now)
	var f *fault.Error
	if errors.As(err, &f) && f.Code == fault.NotFound {
		return nil // it was revoked already, and its owner notified
	}
	return errorOf("revoke the key of an assistant", err)
}

const grantOfCode = `
SELECT g.id, g.key_id FROM account.assistant_code c
JOIN account.assistant_grant g ON g.id = c.grant_id AND g.account_id = c.account_id
WHERE c.code_hash = $2 AND c.account_id = $1 AND g.ended_at IS NULL`

// endReplayed ends what came of a code that is brought again.
func (s *Server) endReplayed(ctx context.Context, tx pgx.Tx, account ident.AccountID, code [32]byte) error {
	h := held{account: account}
	err := tx.QueryRow(ctx, grantOfCode, account, code[:]).Scan(&h.grant, &h.key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it has ended
	}
	if err != nil {
		return errorOf("find the grant of a code", err)
	}
	return s.end(ctx, tx, h, endCodeReplay, false)
}

// revoke ends the connection that a token of the client's belongs to. There may be none.
func (s *Server) revoke(ctx context.Context, client Client, token [32]byte) error {
	var ended ident.AccountID
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		h, err := s.heldBy(ctx, tx, token, client.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return errorOf("find a token", err)
		}
		ended = h.account
		return s.end(ctx, tx, h, endByClient, false)
	})
	if err != nil {
		return down("revoke a token", err)
	}
	if ended != 0 {
		s.reread(ctx, ended)
	}
	return nil
}

// reread has this process know of a key that was made or ended at once. Others are notified of it, and so is
// this one if it cannot read now.
func (s *Server) reread(ctx context.Context, account ident.AccountID) (read bool) {
	err := s.o.Index.Refresh(ctx, account)
	if err != nil {
		slog.WarnContext(ctx, "the keys of an account in memory may be out of date for a moment", "error", err)
	}
	return err == nil
}
