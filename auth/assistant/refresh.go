package assistant

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/ident"
	"arpent/auth/apikey"
)

// refresh exchanges a refresh token for new ones. Whoever brings the same one again within the grace gets a pair of
// their own, each as good as the other: of two programs that share a token none is signed out. After the grace it is
// taken for stolen, and the connection ends.
func (s *Server) refresh(ctx context.Context, client Client, form parameters) (tokens, error) {
	hash, err := readRefresh(form)
	if err != nil {
		return tokens{}, err
	}
	var (
		invalid  = refuse("invalid_grant", badRefresh)
		t        tokens
		replayed ident.AccountID // 0: it was not
	)
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		held, err := s.heldBy(ctx, tx, hash, client.ID)
		if err != nil {
			return missing(err, invalid)
		}
		firstUse, err := s.use(ctx, tx, held.account, hash)
		if err != nil {
			return missing(err, invalid)
		}
		now := s.o.Clock.Now()
		if now.Sub(firstUse) > grace {
			replayed = held.account
			return s.end(ctx, tx, held, endRefreshReplay, false)
		}
		key, err := s.renew(ctx, tx, held, now)
		if err != nil {
			return missing(err, invalid)
		}
		t, err = s.issue(ctx, tx, held.account, held.grant, key, now)
		return err
	})
	switch {
	case err != nil:
		return tokens{}, orOAuth("refresh tokens", err)
	case replayed != 0:
		s.reread(ctx, replayed)
		return tokens{}, invalid
	}
	if _, err := s.o.Index.ByHash(t.known.key); err == nil { // or else the first call has the index learn of it
		s.tokens.put(t.accessHash, t.known, s.o.Clock.Now())
	}
	return t, nil
}

const badRefresh = "the refresh token is unknown, has expired or was revoked: authorize again"

// readRefresh refuses without a look-up what cannot be exchanged, or asks for more than was granted.
func readRefresh(form parameters) (hash [32]byte, err error) {
	if form.get("refresh_token") == "" {
		return hash, refuse("invalid_request", "refresh_token is missing")
	}
	for _, scope := range strings.Fields(form.get("scope")) {
		if scope != Scope {
			return hash, refuse("invalid_scope", "scope is "+Scope)
		}
	}
	hash, ok := apikey.Check(refreshMark, form.get("refresh_token"))
	if !ok {
		return hash, refuse("invalid_grant", badRefresh)
	}
	return hash, nil
}

// held is a connection that a token or a code leads to.
type held struct {
	account ident.AccountID
	grant   int64
	key     ident.KeyID
}

const findToken = `
SELECT t.account_id, t.grant_id, g.key_id FROM account.assistant_token t
JOIN account.assistant_grant g ON g.id = t.grant_id AND g.account_id = t.account_id
WHERE t.token_hash = $1 AND g.client_id = $2 AND g.ended_at IS NULL`

// heldBy finds the connection of a token that is the client's, and holds its account. That of another client is not found.
func (s *Server) heldBy(ctx context.Context, tx pgx.Tx, hash [32]byte, client string) (held, error) {
	var h held
	if err := tx.QueryRow(ctx, findToken, hash[:], client).Scan(&h.account, &h.grant, &h.key); err != nil {
		return held{}, err
	}
	return h, hold(ctx, tx, h.account)
}

const useToken = `
UPDATE account.assistant_token SET used_at = coalesce(used_at, $3)
WHERE token_hash = $2 AND account_id = $1 AND kind = 'refresh' AND expires_at > $3 RETURNING used_at`

// use marks a refresh token as exchanged, and tells when it was first.
func (s *Server) use(ctx context.Context, tx pgx.Tx, account ident.AccountID, hash [32]byte) (first time.Time, err error) {
	err = tx.QueryRow(ctx, useToken, account, hash[:], s.o.Clock.Now()).Scan(&first)
	return first, err
}

const renewGrant = `
UPDATE account.assistant_grant g SET refreshed_at = $3 FROM account.api_key k
WHERE g.id = $2 AND g.account_id = $1 AND g.ended_at IS NULL AND g.resource = $4 AND k.id = g.key_id AND k.account_id = g.account_id
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $3)
RETURNING k.secret_hash`

// renew notes that a connection goes on, and gives the hash of its key. One whose key is over does not.
func (s *Server) renew(ctx context.Context, tx pgx.Tx, h held, now time.Time) (key [32]byte, err error) {
	var hash []byte
	err = tx.QueryRow(ctx, renewGrant, h.account, h.grant, now, s.resource.canonical).Scan(&hash)
	copy(key[:], hash)
	return key, err
}
