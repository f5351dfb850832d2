package assistant

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// refreshTokens exchanges a refresh token for new ones. A client that sends the same one again within the
// grace gets a pair of its own, each as good as the other: of two programs that share a token none is signed
// out. After the grace it is taken for stolen, and the connection ends.
func (s *Server) refreshTokens(ctx context.Context, client Client, form url.Values) (tokens, error) {
	if form.Get("refresh_token") == "" {
		return tokens{}, badRequest("invalid_request", "refresh_token is missing")
	}
	for scope := range strings.FieldsSeq(form.Get("scope")) {
		if scope != Scope { // more than was granted
			return tokens{}, badRequest("invalid_scope", "scope is "+Scope)
		}
	}
	hash, ok := apikey.Check(refreshMark, form.Get("refresh_token"))
	if !ok {
		return tokens{}, badRequest("invalid_grant", badRefresh)
	}
	t, err := s.runExchange(ctx, "refresh tokens", badRequest("invalid_grant", badRefresh),
		func(ctx context.Context, tx pgx.Tx) (t tokens, replayed ident.AccountID, err error) {
			g, err := s.findTokenGrant(ctx, tx, hash, client.ID)
			if err != nil {
				return t, 0, err
			}
			now := s.o.Clock.Now()
			if !now.Before(g.lastDay()) {
				return t, 0, badRequest("invalid_grant", badLastDay)
			}
			firstUse, err := pgdb.Value[time.Time](ctx, tx, errConnectionGone, "use a refresh token",
				useToken, g.account, hash[:], now)
			if err != nil {
				return t, 0, err
			}
			if now.Sub(firstUse) > refreshGrace {
				return t, g.account, s.endConnection(ctx, tx, g, endRefreshReplay)
			}
			// gone: the key is over, or was made for another resource
			key, err := pgdb.Value[[]byte](ctx, tx, errConnectionGone, "renew a grant",
				renewGrant, g.account, g.id, now, s.resource.canonical)
			if err != nil {
				return t, 0, err
			}
			granted := grantedKey{account: g.account}
			copy(granted.hash[:], key)
			t, err = issueTokens(ctx, tx, granted, g, now)
			return t, 0, err
		})
	if err != nil {
		return tokens{}, err
	}
	if _, err := s.o.Index.ByHash(t.key.hash); err == nil { // or else the first call has the index read it
		s.tokens.Add(t.accessHash, cachedToken{t.key, t.expires})
	}
	return t, nil
}

const badRefresh = "the refresh token is unknown, has expired or was revoked: authorize again"

const badLastDay = "the connection was authorized a year ago and has ended: authorize again"

// useToken marks a refresh token as exchanged, and returns when it was first.
const useToken = `
UPDATE account.assistant_token SET used_at = coalesce(used_at, $3)
WHERE token_hash = $2 AND account_id = $1 AND kind = 'refresh' AND expires_at > $3 RETURNING used_at`

// renewGrant records that a connection goes on, and returns the hash
// of its key. One whose key is over does not.
const renewGrant = `
UPDATE account.assistant_grant g SET refreshed_at = $3 FROM account.api_key k
WHERE g.id = $2 AND g.account_id = $1 AND g.ended_at IS NULL AND g.resource = $4 AND k.id = g.key_id AND k.account_id = g.account_id
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $3)
RETURNING k.secret_hash`
