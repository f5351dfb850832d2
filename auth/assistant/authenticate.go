package assistant

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/ident"
	"arpent/auth/apikey"
)

// maxTokensKept bounds the memory for tokens, some 150 bytes each.
const maxTokensKept = 50_000

// known is what an access token stands for.
type known struct {
	key     [32]byte // hash of its key
	account ident.AccountID
	expires time.Time
}

// tokenCache remembers tokens by their hash. That a token is here says only that it was made and when it expires; that
// it is still good is for the index of keys to tell.
type tokenCache struct {
	most int
	mu   sync.RWMutex
	m    map[[32]byte]known
}

func newTokenCache(most int) *tokenCache { return &tokenCache{most: most, m: map[[32]byte]known{}} }

func (c *tokenCache) get(hash [32]byte) (known, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	k, ok := c.m[hash]
	return k, ok
}

func (c *tokenCache) drop(hash [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, hash)
}

// put makes room by letting go of what has expired and then of a tenth, whichever: the database has them all.
func (c *tokenCache) put(hash [32]byte, k known, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.m) >= c.most {
		for h, old := range c.m {
			if !now.Before(old.expires) {
				delete(c.m, h)
			}
		}
	}
	room := c.most - c.most/10
	if len(c.m) >= c.most {
		for h := range c.m {
			if delete(c.m, h); len(c.m) <= room {
				break
			}
		}
	}
	c.m[hash] = k
}

// Authenticate gives the key behind an access token. One that is in memory costs no query. A token that is not
// accepted gives ErrInvalidToken; any other error says that it could not be found out, within workTimeout.
func (s *Server) Authenticate(ctx context.Context, token string) (*apikey.Entry, error) {
	hash, ok := apikey.Check(accessMark, token)
	if !ok {
		return nil, ErrInvalidToken
	}
	k, cached := s.tokens.get(hash)
	if !cached {
		return s.meet(ctx, hash)
	}
	e, err := s.o.Index.ByHash(k.key)
	if err != nil || !s.o.Clock.Now().Before(k.expires) { // the index knew the key when the token was put there
		s.tokens.drop(hash)
		return nil, ErrInvalidToken
	}
	return e, nil
}

// meet takes a token that this process has not seen yet. It is remembered once its key is in memory, and not before:
// somebody else who brings it meanwhile would find no key and take it for revoked.
func (s *Server) meet(ctx context.Context, hash [32]byte) (*apikey.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	k, err := s.lookUp(ctx, hash)
	if err != nil {
		return nil, err
	}
	e, err := s.o.Index.ByHash(k.key)
	if err != nil {
		if e, err = s.learn(ctx, k); err != nil {
			return nil, err
		}
	}
	s.tokens.put(hash, k, s.o.Clock.Now())
	return e, nil
}

// learn has the index read the keys of an account: one was made elsewhere a moment ago. All who bring a token of that
// key wait for one reading, which began when the key was there already. The index takes its time when the database does,
// and nobody waits longer than for themselves.
func (s *Server) learn(ctx context.Context, k known) (*apikey.Entry, error) {
	reading := s.learning.DoChan(string(k.key[:]), func() (any, error) {
		return nil, s.o.Index.Refresh(context.WithoutCancel(ctx), k.account)
	})
	select {
	case r := <-reading:
		if r.Err != nil {
			return nil, down("read the keys", r.Err)
		}
	case <-ctx.Done():
		return nil, down("read the keys", ctx.Err())
	}
	e, err := s.o.Index.ByHash(k.key)
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

// lookUp asks the database for a token, in turn.
func (s *Server) lookUp(ctx context.Context, hash [32]byte) (known, error) {
	select {
	case s.lookups <- struct{}{}:
		defer func() { <-s.lookups }()
	case <-ctx.Done():
		return known{}, down("read an access token", ctx.Err())
	}
	var (
		k   known
		key []byte
		now = s.o.Clock.Now()
	)
	err := s.o.DB.QueryRow(ctx, findAccess, hash[:], now, s.resource.canonical).Scan(&k.expires, &key, &k.account)
	if errors.Is(err, pgx.ErrNoRows) {
		return known{}, ErrInvalidToken
	}
	if err != nil {
		return known{}, down("read an access token", err)
	}
	copy(k.key[:], key)
	return k, nil
}
