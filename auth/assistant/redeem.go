package assistant

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/audit"
	"arpent/app/base/ident"
	"arpent/auth"
	"arpent/auth/apikey"
)

// consent is a code as it was kept: what the account's owner agreed to.
type consent struct {
	account     ident.AccountID
	redirectURI string
	challenge   string
	resource    string
	expires     time.Time
	origin      auth.Origin
}

// redeem exchanges a code for the first tokens of a connection, and makes its key. A code that comes again after it was
// exchanged was stolen from one side or the other: the connection ends.
func (s *Server) redeem(ctx context.Context, client Client, form parameters) (tokens, error) {
	hash, err := readCode(form)
	if err != nil {
		return tokens{}, err
	}
	var (
		invalid  = refuse("invalid_grant", badCode)
		t        tokens
		replayed ident.AccountID // 0: it was not
	)
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		account, err := codeAccount(ctx, tx, hash, client.ID)
		if err != nil {
			return missing(err, invalid)
		}
		if err := hold(ctx, tx, account); err != nil {
			return missing(err, invalid)
		}
		c, err := s.claim(ctx, tx, account, hash)
		if errors.Is(err, pgx.ErrNoRows) {
			replayed = account
			return s.endReplayed(ctx, tx, account, hash)
		}
		if err != nil {
			return errorOf("claim a code", err)
		}
		if err := s.checkConsent(c, form, invalid); err != nil {
			return err // nothing is kept: the code is good for who can show what it was made for
		}
		t, err = s.connect(ctx, tx, client, c, hash)
		return err
	})
	switch {
	case err != nil:
		return tokens{}, orOAuth("exchange a code", err)
	case replayed != 0:
		s.reread(ctx, replayed)
		return tokens{}, invalid
	}
	s.warm(ctx, t)
	return t, nil
}

const badCode = "the code is unknown, has expired or was used already: authorize again"

// readCode refuses without a look-up what cannot be exchanged.
func readCode(form parameters) (hash [32]byte, err error) {
	for _, name := range []string{"code", "redirect_uri", "code_verifier"} {
		if form.get(name) == "" {
			return hash, refuse("invalid_request", name+" is missing")
		}
	}
	hash, ok := apikey.Check(codeMark, form.get("code"))
	switch {
	case !ok:
		return hash, refuse("invalid_grant", badCode)
	case !isVerifier(form.get("code_verifier")):
		return hash, refuse("invalid_grant", "code_verifier has 43 to 128 letters, digits or -._~")
	}
	return hash, nil
}

const findCode = `SELECT account_id FROM account.assistant_code WHERE code_hash = $1 AND client_id = $2`

func codeAccount(ctx context.Context, tx pgx.Tx, hash [32]byte, client string) (account ident.AccountID, err error) {
	err = tx.QueryRow(ctx, findCode, hash[:], client).Scan(&account)
	return account, err
}

// Of any number of exchanges at once, one gets a row.
const claimCode = `
UPDATE account.assistant_code SET used_at = $3 WHERE code_hash = $2 AND account_id = $1 AND used_at IS NULL
RETURNING redirect_uri, challenge, resource, expires_at, address, coalesce(agent, '')`

func (s *Server) claim(ctx context.Context, tx pgx.Tx, account ident.AccountID, hash [32]byte) (consent, error) {
	c := consent{account: account}
	var address *netip.Addr
	err := tx.QueryRow(ctx, claimCode, account, hash[:], s.o.Clock.Now()).Scan(
		&c.redirectURI, &c.challenge, &c.resource, &c.expires, &address, &c.origin.Agent)
	if address != nil {
		c.origin.Address = *address
	}
	return c, err
}

// checkConsent reports whether the one who brings the code is the one it was made for.
func (s *Server) checkConsent(c consent, form parameters, invalid *oauthError) error {
	switch {
	case !s.o.Clock.Now().Before(c.expires) || c.resource != s.resource.canonical:
		return invalid
	case c.redirectURI != form.get("redirect_uri"):
		return refuse("invalid_grant", "redirect_uri is not the one of the authorization request")
	case subtle.ConstantTimeCompare([]byte(challengeOf(form.get("code_verifier"))), []byte(c.challenge)) != 1:
		return refuse("invalid_grant", "code_verifier is not the one that code_challenge was made from")
	}
	return nil
}

func isVerifier(s string) bool {
	return len(s) >= 43 && len(s) <= 128 && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~", r)
	}) < 0
}

const (
	insertGrant = `
INSERT INTO account.assistant_grant (account_id, client_id, key_id, redirect_uri, scope, resource, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`

	setCodeGrant = `UPDATE account.assistant_code SET grant_id = $3 WHERE code_hash = $2 AND account_id = $1`

	rememberClient = `UPDATE account.assistant_client SET granted_at = $2, network = NULL WHERE id = $1 AND granted_at IS NULL`
)

// connect makes the key, the grant and its first tokens. The key is recorded as made in the browser in which the account's
// owner agreed: the exchange itself comes from the assistant's own servers.
func (s *Server) connect(ctx context.Context, tx pgx.Tx, client Client, c consent, code [32]byte) (tokens, error) {
	now := s.o.Clock.Now()
	owner := audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Address: c.origin.Address, Agent: c.origin.Agent})
	key, keyHash, err := apikey.CreateAssistant(owner, tx, c.account, apikey.Client{ID: client.ID, Name: client.Name}, now)
	if errors.Is(err, apikey.ErrUnconfirmed) || errors.Is(err, apikey.ErrTooManyAssistants) {
		return tokens{}, refuse("invalid_grant", "the account cannot have one more assistant")
	}
	if err != nil {
		return tokens{}, errorOf("make the key of an assistant", err)
	}
	var grant int64
	err = tx.QueryRow(ctx, insertGrant, c.account, client.ID, key.ID, c.redirectURI, Scope, c.resource, now).Scan(&grant)
	if err != nil {
		return tokens{}, errorOf("keep a grant", err)
	}
	if _, err := tx.Exec(ctx, setCodeGrant, c.account, code[:], grant); err != nil {
		return tokens{}, errorOf("set the grant of a code", err)
	}
	if _, err := tx.Exec(ctx, rememberClient, client.ID, now); err != nil {
		return tokens{}, errorOf("remember a client", err)
	}
	return s.issue(ctx, tx, c.account, grant, keyHash, now)
}
