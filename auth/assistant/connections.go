package assistant

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Connection is an assistant that an account lets in.
type Connection struct {
	Key          ident.KeyID
	Client       string // its name, as it may be shown
	ClientHost   string // of the document that describes it; empty: it has none
	ClientURI    string // its home page, as it says; empty: it says none
	RedirectHost string // where it was sent back to
	ConnectedAt  time.Time
	RefreshedAt  *time.Time // when it last renewed its tokens; nil: never yet
	// EndedAt is when the last of its tokens expired, and nothing of it works since; nil: it is live.
	// Its key is revoked at the next cleaning.
	EndedAt *time.Time
}

const listConnections = `
SELECT g.key_id, g.client_id, c.name, coalesce(c.uri, ''), g.redirect_uri, g.created_at, g.refreshed_at,
    CASE WHEN NOT EXISTS (SELECT FROM account.assistant_token t WHERE t.grant_id = g.id AND t.account_id = g.account_id AND t.expires_at > $2)
        THEN least(coalesce(g.refreshed_at, g.created_at) + $3, g.created_at + $4) END
FROM account.assistant_grant g
JOIN account.assistant_client c ON c.id = g.client_id
JOIN account.api_key k ON k.id = g.key_id AND k.account_id = g.account_id
WHERE g.account_id = $1 AND g.ended_at IS NULL AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
ORDER BY g.created_at, g.id`

// Connections lists the assistants that are connected to the account, the first one first, and those that let
// all their tokens expire since the last cleaning.
func (s *Server) Connections(ctx context.Context, account ident.AccountID) ([]Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	list, err := pgdb.Collect(ctx, s.o.DB, func(row pgx.CollectableRow) (c Connection, err error) {
		var client, redirect string
		err = row.Scan(&c.Key, &client, &c.Client, &c.ClientURI, &redirect, &c.ConnectedAt, &c.RefreshedAt,
			&c.EndedAt)
		c.RedirectHost = redirectHost(redirect)
		if isDocument(client) {
			c.ClientHost = documentHost(client)
		}
		return c, err
	}, listConnections, account, s.o.Clock.Now(), RefreshLife, ConnectionMaxLife)
	if err != nil {
		return nil, wrapUnavailable("list connections", err)
	}
	return list, nil
}

// Why a connection ended.
const (
	endByClient      = "client"         // the assistant was disconnected where it runs
	endCodeReplay    = "code_replay"    // its code came twice
	endRefreshReplay = "refresh_replay" // a refresh token came again, long after it was exchanged
	endByKey         = "key"            // its key was revoked or has expired
	endUnused        = "unused"         // all its tokens expired: they were not used, or its last day came
)

const listEndReasons = `
SELECT key_id, ended_by FROM account.assistant_grant WHERE account_id = $1 AND ended_by <> 'key'`

// EndReasons are why assistants of the account were disconnected otherwise
// than by the end of their keys, by these keys.
func (s *Server) EndReasons(ctx context.Context, account ident.AccountID) (map[ident.KeyID]string, error) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	var (
		key    ident.KeyID
		reason string
	)
	reasons := map[ident.KeyID]string{}
	rows, _ := s.o.DB.Query(ctx, listEndReasons, account) // ForEachRow returns its error
	if _, err := pgx.ForEachRow(rows, []any{&key, &reason},
		func() error { reasons[key] = reason; return nil }); err != nil {
		return nil, wrapUnavailable("list why connections ended", err)
	}
	return reasons, nil
}

// endMailTemplates are what the owner of the account gets. Of an access that was not
// used nothing is written: nothing has stopped.
var endMailTemplates = map[string]mail.Template{
	endByClient: mail.AssistantLeft, endCodeReplay: mail.AssistantReused, endRefreshReplay: mail.AssistantReused,
}

// The account is held first, by everything that changes what belongs
// to it: a deletion that runs at the same time waits.
const shareAccount = `SELECT true FROM account.account WHERE id = $1 FOR KEY SHARE`

// errConnectionGone means that what a token or a code stands for is not there any more.
var errConnectionGone = errors.New("the connection or its account is gone")

// lockAccountShared returns errConnectionGone when the account is.
func lockAccountShared(ctx context.Context, tx pgx.Tx, account ident.AccountID) error {
	_, err := pgdb.Value[bool](ctx, tx, errConnectionGone, "hold an account", shareAccount, account)
	return err
}

// grant is a row of account.assistant_grant: what connects an assistant.
type grant struct {
	account ident.AccountID
	id      int64
	key     ident.KeyID
	created time.Time
}

// lastDay is when the person has to be asked again.
func (g grant) lastDay() time.Time { return g.created.Add(ConnectionMaxLife) }

const findToken = `
SELECT t.account_id, t.grant_id, g.key_id, g.created_at FROM account.assistant_token t
JOIN account.assistant_grant g ON g.id = t.grant_id AND g.account_id = t.account_id
WHERE t.token_hash = $1 AND g.client_id = $2 AND g.ended_at IS NULL`

// findTokenGrant finds the grant of a token that is the client's, and holds its
// account. That of another client is errConnectionGone.
func (s *Server) findTokenGrant(
	ctx context.Context, tx pgx.Tx, token [32]byte, client string) (g grant, err error) {
	err = tx.QueryRow(ctx, findToken, token[:], client).Scan(&g.account, &g.id, &g.key, &g.created)
	if err != nil {
		return g, pgdb.RowError(err, errConnectionGone, "find the grant of a token")
	}
	return g, lockAccountShared(ctx, tx, g.account)
}

const endGrant = `
UPDATE account.assistant_grant SET ended_at = $3, ended_by = $4 WHERE id = $2 AND account_id = $1 AND ended_at IS NULL`

// endConnection ends a connection for ever: its key is rejected everywhere within a second, and all its
// tokens with it. The owner of the account gets the letter of the reason.
func (s *Server) endConnection(ctx context.Context, tx pgx.Tx, g grant, reason string) error {
	now := s.o.Clock.Now()
	if _, err := tx.Exec(ctx, endGrant, g.account, g.id, now, reason); err != nil {
		return fault.Wrap("end a grant", err)
	}
	_, err := apikey.RevokeAssistant(ctx, tx, g.account, g.key, reason, endMailTemplates[reason], now)
	if err != nil && fault.From(err).Code == fault.NotFound {
		return nil // it was revoked already, and its owner notified
	}
	return fault.Wrap("revoke the key of an assistant", err)
}

const grantOfCode = `
SELECT g.id, g.key_id FROM account.assistant_code c
JOIN account.assistant_grant g ON g.id = c.grant_id AND g.account_id = c.account_id
WHERE c.code_hash = $2 AND c.account_id = $1 AND g.ended_at IS NULL`

// revokeToken ends the connection that a token of the client's belongs to. There may be none.
func (s *Server) revokeToken(ctx context.Context, client Client, token [32]byte) error {
	var ended ident.AccountID
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		g, err := s.findTokenGrant(ctx, tx, token, client.ID)
		if err != nil {
			return err
		}
		ended = g.account
		return s.endConnection(ctx, tx, g, endByClient)
	})
	switch {
	case errors.Is(err, errConnectionGone):
		return nil
	case err != nil:
		return wrapUnavailable("revoke a token", err)
	}
	s.refreshIndex(ctx, ended)
	return nil
}
