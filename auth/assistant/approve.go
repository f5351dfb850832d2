package assistant

import (
	"context"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
)

const insertCode = `
INSERT INTO account.assistant_code (code_hash, account_id, client_id, redirect_uri, challenge, scope, resource, address, agent,
    created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), $10, $11)`

// Approve records that the account's owner agrees, and gives where to send the browser: to the client, with a code
// that is good once and for a minute. Nothing is granted before the client exchanges it. An account that cannot have
// one more assistant gets one of apikey's errors, to be shown.
func (s *Server) Approve(ctx context.Context, account ident.AccountID, r Request) (location string, err error) {
	code, hash := apikey.Draw(codeMark)
	now := s.o.Clock.Now()
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := apikey.MayConnect(ctx, tx, account, now); err != nil {
			return err
		}
		if r.Client.document {
			if err := keepClient(ctx, tx, keepDocument, r.Client, now); err != nil {
				return err
			}
		}
		return insertRequest(ctx, tx, account, r, hash, now)
	})
	if err != nil {
		return "", down("issue a code", err)
	}
	return answerTo(r.RedirectURI, s.andState(r, "code", code)...), nil
}

func insertRequest(ctx context.Context, tx pgx.Tx, account ident.AccountID, r Request, hash [32]byte, now time.Time) error {
	var address *netip.Addr
	if a := r.Origin.Address; a.IsValid() {
		address = new(a.Unmap().WithZone(""))
	}
	_, err := tx.Exec(ctx, insertCode, hash[:], account, r.Client.ID, r.RedirectURI, r.Challenge, r.Scope, r.Resource,
		address, audit.CleanAgent(r.Origin.Agent), now, now.Add(codeLife))
	return errorOf("keep a code", err)
}

// Deny gives where to send the browser when the account's owner does not agree.
func (s *Server) Deny(r Request) (location string) {
	return s.refusal(r, "access_denied", "the account's owner did not agree")
}
