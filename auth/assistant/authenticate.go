package assistant

import (
	"context"
	"errors"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
	"arpent/internal/ident"
)

const (
	// maxTokensKept bounds the memory for tokens, some 300 bytes each.
	maxTokensKept = 50_000
	// lookupsAtOnce keeps unknown tokens from taking the connections that requests need: a pool has ten or more.
	lookupsAtOnce = 4
)

// grantedKey is the key that an access token stands for. That one is in the cache says only that the token
// was made and when it expires; whether it is still good is for the index of keys to say.
type grantedKey struct {
	hash    [32]byte
	account ident.AccountID
}

// cachedToken is an access token in memory.
type cachedToken struct {
	key     grantedKey
	expires time.Time
}

// newCache returns a cache of so many values, those that were used last.
func newCache[K comparable, V any](size int) *lru.Cache[K, V] {
	c, err := lru.New[K, V](size)
	if err != nil {
		panic(err) // the size is a constant of the caller
	}
	return c
}

// Authenticate finds the key behind an access token. One that is in memory costs no
// query. A token that is not accepted gives ErrInvalidToken; any other error means that
// it could not be found out, within workTimeout.
func (s *Server) Authenticate(ctx context.Context, token string) (*apikey.Entry, error) {
	hash, ok := apikey.Check(accessMark, token)
	if !ok {
		return nil, ErrInvalidToken
	}
	known, ok := s.tokens.Get(hash)
	if !ok {
		return s.authenticateNew(ctx, hash)
	}
	e, err := s.o.Index.ByHash(known.key.hash)
	// the index knew the key when the token was put there
	if err != nil || !s.o.Clock.Now().Before(known.expires) {
		s.tokens.Remove(hash)
		return nil, ErrInvalidToken
	}
	return e, nil
}

// authenticateNew takes a token that is not in memory. It is put there once its key is in memory, and not
// before: another request that brings it meanwhile would find no key and take it for revoked.
func (s *Server) authenticateNew(ctx context.Context, hash [32]byte) (*apikey.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	key, expires, err := s.readToken(ctx, hash)
	if err != nil {
		return nil, err
	}
	e, err := s.o.Index.ByHash(key.hash)
	if err != nil {
		if e, err = s.readKey(ctx, key); err != nil {
			return nil, err
		}
	}
	s.tokens.Add(hash, cachedToken{key, expires})
	return e, nil
}

// readKey has the index read the keys of an account: one was made elsewhere a moment ago. All who bring a
// token of that key wait for one reading, which began when the key was there already. The index takes its
// time when the database does, and a caller waits no longer than its own deadline.
func (s *Server) readKey(ctx context.Context, key grantedKey) (*apikey.Entry, error) {
	reading := s.readings.DoChan(string(key.hash[:]), func() (any, error) {
		return nil, s.o.Index.Refresh(context.WithoutCancel(ctx), key.account)
	})
	select {
	case r := <-reading:
		if r.Err != nil {
			return nil, wrapUnavailable("read the keys", r.Err)
		}
	case <-ctx.Done():
		return nil, wrapUnavailable("read the keys", ctx.Err())
	}
	e, err := s.o.Index.ByHash(key.hash)
	if err != nil {
		return nil, ErrInvalidToken // it was revoked since the token was read
	}
	return e, nil
}

// A token finds its account, as a session does.
const findAccess = `
SELECT t.expires_at, k.secret_hash, k.account_id
FROM account.assistant_token t
JOIN account.assistant_grant g ON g.id = t.grant_id AND g.account_id = t.account_id
JOIN account.api_key k ON k.id = g.key_id AND k.account_id = g.account_id
WHERE t.token_hash = $1 AND t.kind = 'access' AND t.expires_at > $2 AND g.resource = $3 AND g.ended_at IS NULL
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`

// readToken asks the database for a token, as one of lookupsAtOnce.
func (s *Server) readToken(
	ctx context.Context, hash [32]byte) (key grantedKey, expires time.Time, err error) {
	select {
	case s.lookups <- struct{}{}:
		defer func() { <-s.lookups }()
	case <-ctx.Done():
		return key, expires, wrapUnavailable("read an access token", ctx.Err())
	}
	var keyHash []byte
	err = s.o.DB.QueryRow(ctx, findAccess, hash[:], s.o.Clock.Now(), s.resource.canonical).Scan(&expires,
		&keyHash, &key.account)
	if errors.Is(err, pgx.ErrNoRows) {
		return key, expires, ErrInvalidToken
	}
	if err != nil {
		return key, expires, wrapUnavailable("read an access token", err)
	}
	copy(key.hash[:], keyHash)
	return key, expires, nil
}

// refreshIndex lets this process know of a key that was made or ended at once. Others are notified of
// it, and so is this one if it cannot read now.
func (s *Server) refreshIndex(ctx context.Context, account ident.AccountID) (read bool) {
	err := s.o.Index.Refresh(ctx, account)
	if err != nil {
		slog.WarnContext(ctx, "account keys not refreshed", "account", account, "error", err)
	}
	return err == nil
}
