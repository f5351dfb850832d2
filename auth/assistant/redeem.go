package assistant

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/url"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/audit"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// tokens are what a client gets, and what is known of the access token.
type tokens struct {
	access, refresh string

	accessHash [32]byte
	key        grantedKey
	expires    time.Time
}

// runExchange runs the exchange of a code or a refresh token. Where a row is gone that it
// needs, the client gets invalid; so it does when what it brought was replayed, which ends
// the connection of that account nevertheless.
func (s *Server) runExchange(ctx context.Context, what string, invalid *oauthError,
	act func(ctx context.Context, tx pgx.Tx) (t tokens, replayed ident.AccountID, err error)) (tokens, error) {
	var (
		t        tokens
		replayed ident.AccountID
		rejected *oauthError
	)
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		t, replayed, err = act(ctx, tx)
		return err
	})
	switch {
	case errors.As(err, &rejected):
		return tokens{}, rejected
	case errors.Is(err, errConnectionGone):
		return tokens{}, invalid
	case err != nil:
		return tokens{}, wrapUnavailable(what, err)
	case replayed != 0:
		s.refreshIndex(ctx, replayed)
		return tokens{}, invalid
	}
	return t, nil
}

// redeemCode exchanges a code for the first tokens of a connection, and makes its key. A code that comes
// again after it was exchanged was stolen from one side or the other: the connection ends.
func (s *Server) redeemCode(ctx context.Context, client Client, form url.Values) (tokens, error) {
	for _, name := range []string{"code", "redirect_uri", "code_verifier"} {
		if form.Get(name) == "" {
			return tokens{}, badRequest("invalid_request", name+" is missing")
		}
	}
	hash, ok := apikey.Check(codeMark, form.Get("code"))
	switch { // without a look-up
	case !ok:
		return tokens{}, badRequest("invalid_grant", badCode)
	case !verifierForm.MatchString(form.Get("code_verifier")):
		return tokens{}, badRequest("invalid_grant", "code_verifier has 43 to 128 letters, digits or -._~")
	}
	invalid := badRequest("invalid_grant", badCode)
	t, err := s.runExchange(ctx, "exchange a code", invalid, func(ctx context.Context, tx pgx.Tx) (
		t tokens, replayed ident.AccountID, err error) {
		account, err := pgdb.Value[ident.AccountID](ctx, tx, errConnectionGone, "find a code", findCode, hash[:],
			client.ID)
		if err != nil {
			return t, 0, err
		}
		if err := lockAccountShared(ctx, tx, account); err != nil {
			return t, 0, err
		}
		c := consent{account: account}
		err = tx.QueryRow(ctx, claimCode, account, hash[:], s.o.Clock.Now()).Scan(&c.redirectURI, &c.challenge,
			&c.resource, &c.expires, &c.origin.Address, &c.origin.Agent, &c.person, &c.email)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			g := grant{account: account}
			err := tx.QueryRow(ctx, grantOfCode, account, hash[:]).Scan(&g.id, &g.key)
			if errors.Is(err, pgx.ErrNoRows) {
				return t, account, nil // it has ended
			}
			if err != nil {
				return t, 0, fault.Wrap("find the grant of a code", err)
			}
			return t, account, s.endConnection(ctx, tx, g, endCodeReplay)
		case err != nil:
			return t, 0, fault.Wrap("claim a code", err)
		}
		challenge := oauth2.S256ChallengeFromVerifier(form.Get("code_verifier"))
		switch { // nothing is kept: the code is good for who can show what it was made for
		case !s.o.Clock.Now().Before(c.expires) || c.resource != s.resource.canonical:
			return t, 0, invalid
		case c.redirectURI != form.Get("redirect_uri"):
			return t, 0, badRequest("invalid_grant", "redirect_uri is not the one of the authorization request")
		case subtle.ConstantTimeCompare([]byte(challenge), []byte(c.challenge)) != 1:
			return t, 0, badRequest("invalid_grant", "code_verifier is not the one that code_challenge was made from")
		}
		t, err = s.createConnection(ctx, tx, client, c, hash)
		return t, 0, err
	})
	if err == nil && s.refreshIndex(ctx, t.key.account) { // or else the first call reads what it needs
		s.tokens.Add(t.accessHash, cachedToken{t.key, t.expires})
	}
	return t, err
}

const badCode = "the code is unknown, has expired or was used already: authorize again"

const findCode = `SELECT account_id FROM account.assistant_code WHERE code_hash = $1 AND client_id = $2`

// consent is a code as it was kept: what the account's owner agreed to.
type consent struct {
	account     ident.AccountID
	person      ident.AccountID // who agreed
	email       string          // of the person
	redirectURI string
	challenge   string
	resource    string
	expires     time.Time
	origin      auth.Origin
}

// Of any number of exchanges at once, one gets a row.
const claimCode = `
UPDATE account.assistant_code SET used_at = $3 WHERE code_hash = $2 AND account_id = $1 AND used_at IS NULL
RETURNING redirect_uri, challenge, resource, expires_at, address, coalesce(agent, ''), coalesce(person_id, account_id),
    (SELECT email FROM account.account WHERE id = coalesce(person_id, account_id))`

var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

const (
	insertGrant = `
INSERT INTO account.assistant_grant (account_id, client_id, key_id, redirect_uri, scope, resource, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`

	setCodeGrant = `UPDATE account.assistant_code SET grant_id = $3 WHERE code_hash = $2 AND account_id = $1`

	markClientGranted = `UPDATE account.assistant_client SET granted_at = $2, network = NULL WHERE id = $1 AND granted_at IS NULL`
)

// createConnection makes the key, the grant and its first tokens. The key is recorded as made in the browser
// in which the account's owner agreed: the exchange itself comes from the assistant's own servers.
func (s *Server) createConnection(ctx context.Context, tx pgx.Tx, client Client, c consent,
	code [32]byte) (tokens, error) {
	now := s.o.Clock.Now()
	person := audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Address: c.origin.Address,
		Agent: c.origin.Agent, Person: c.person, By: c.email})
	key, keyHash, err := apikey.CreateAssistant(person, tx, c.account, apikey.Client{ID: client.ID,
		Name: client.Name}, now)
	if errors.Is(err, apikey.ErrUnconfirmed) || errors.Is(err, apikey.ErrTooManyAssistants) {
		return tokens{}, badRequest("invalid_grant", "the account cannot have one more assistant")
	}
	if err != nil {
		return tokens{}, fault.Wrap("make the key of an assistant", err)
	}
	// The account is locked: the person who agreed may still connect assistants to it, or may not.
	role, err := member.ReadRole(ctx, tx, c.account, c.person)
	if err == nil && !role.May(member.ConnectAssistant) {
		err = badRequest("invalid_grant", "the person who agreed cannot connect assistants to the account any more")
	}
	if err != nil {
		return tokens{}, err
	}
	g := grant{account: c.account, key: key.ID, created: now}
	err = tx.QueryRow(ctx, insertGrant, c.account, client.ID, key.ID, c.redirectURI, Scope, c.resource,
		now).Scan(&g.id)
	if err != nil {
		return tokens{}, fault.Wrap("keep a grant", err)
	}
	if _, err := tx.Exec(ctx, setCodeGrant, c.account, code[:], g.id); err != nil {
		return tokens{}, fault.Wrap("set the grant of a code", err)
	}
	if _, err := tx.Exec(ctx, markClientGranted, client.ID, now); err != nil {
		return tokens{}, fault.Wrap("remember a client", err)
	}
	return issueTokens(ctx, tx, grantedKey{keyHash, c.account}, g, now)
}

const insertTokens = `
INSERT INTO account.assistant_token (token_hash, account_id, grant_id, kind, created_at, expires_at)
VALUES ($3, $1, $2, 'access', $5, $6), ($4, $1, $2, 'refresh', $5, $7)`

// maxTokens is how many tokens one connection may have, used ones included: those of two months at work, hour
// by hour. Beyond it the oldest are forgotten, so that a client that renews without end fills nothing.
const maxTokens = 3000

const forgetTokens = `
DELETE FROM account.assistant_token WHERE account_id = $1 AND grant_id = $2 AND created_at < (
    SELECT created_at FROM account.assistant_token WHERE account_id = $1 AND grant_id = $2 ORDER BY created_at DESC OFFSET $3 LIMIT 1)`

// issueTokens makes a pair of tokens, neither of which outlives the connection.
func issueTokens(ctx context.Context, tx pgx.Tx, key grantedKey, g grant, now time.Time) (tokens, error) {
	t := tokens{key: key, expires: earlierTime(now.Add(accessLife), g.lastDay())}
	var refresh [32]byte
	t.access, t.accessHash = apikey.Draw(accessMark)
	t.refresh, refresh = apikey.Draw(refreshMark)
	_, err := tx.Exec(ctx, insertTokens, key.account, g.id, t.accessHash[:], refresh[:], now, t.expires,
		earlierTime(now.Add(RefreshLife), g.lastDay()))
	if err != nil {
		return tokens{}, fault.Wrap("keep tokens", err)
	}
	_, err = tx.Exec(ctx, forgetTokens, key.account, g.id, maxTokens)
	return t, fault.Wrap("forget tokens", err)
}

func earlierTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
