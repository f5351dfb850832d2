package assistant

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/ident"
	"arpent/auth/apikey"
)

// tokens are what a client gets, and what is known of the access token.
type tokens struct {
	access, refresh string

	accessHash [32]byte
	known      known
}

const insertTokens = `
INSERT INTO account.assistant_token (token_hash, account_id, grant_id, kind, created_at, expires_at)
VALUES ($3, $1, $2, 'access', $5, $6), ($4, $1, $2, 'refresh', $5, $7)`

// maxTokens is how many tokens one connection may have, used ones included: those of two months at work, hour by hour.
// Beyond it the oldest are forgotten, so that a client that renews without end fills nothing.
const maxTokens = 3000

const forgetTokens = `
DELETE FROM account.assistant_token WHERE account_id = $1 AND grant_id = $2 AND created_at < (
    SELECT created_at FROM account.assistant_token WHERE account_id = $1 AND grant_id = $2 ORDER BY created_at DESC OFFSET $3 LIMIT 1)`

// issue makes a pair of tokens.
func (s *Server) issue(ctx context.Context, tx pgx.Tx, account ident.AccountID, grant int64, key [32]byte, now time.Time) (tokens, error) {
	var (
		t       tokens
		refresh [32]byte
	)
	t.access, t.accessHash = apikey.Draw(accessMark)
	t.refresh, refresh = apikey.Draw(refreshMark)
	t.known = known{key: key, account: account, expires: now.Add(accessLife)}
	_, err := tx.Exec(ctx, insertTokens, account, grant, t.accessHash[:], refresh[:], now, t.known.expires, now.Add(refreshLife))
	if err != nil {
		return tokens{}, errorOf("keep tokens", err)
	}
	if _, err := tx.Exec(ctx, forgetTokens, account, grant, maxTokens); err != nil {
		return tokens{}, errorOf("forget tokens", err)
	}
	return t, nil
}

// warm lets this process accept the tokens of a new key at once.
func (s *Server) warm(ctx context.Context, t tokens) {
	if s.reread(ctx, t.known.account) { // or else the first call reads what it needs
		s.tokens.put(t.accessHash, t.known, s.o.Clock.Now())
	}
}

// orOAuth leaves what a client is to be told as it is, and makes anything else worth trying again.
func orOAuth(what string, err error) error {
	var e *oauthError
	if errors.As(err, &e) {
		return e
	}
	return down(what, err)
}

// missing turns a row that is not there into what to say then.
func missing(err error, instead *oauthError) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return instead
	}
	return err
}
