package assistant

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/auth/apikey"
)

// errUnknownClient tells that nobody of that identifier is registered.
var errUnknownClient = errors.New("the client is unknown")

const findClient = `
SELECT id, name, coalesce(uri, ''), auth_method, secret_hash, redirect_uris FROM account.assistant_client WHERE id = $1`

// stored finds a client that registered itself, or whose document somebody agreed to.
func (s *Server) stored(ctx context.Context, id string) (Client, error) {
	if _, drawn := apikey.Check(clientMark, id); !drawn && !isDocument(id) {
		return Client{}, errUnknownClient
	}
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	var c Client
	err := s.o.DB.QueryRow(ctx, findClient, id).Scan(&c.ID, &c.Name, &c.URI, &c.method, &c.secretHash, &c.redirects)
	if errors.Is(err, pgx.ErrNoRows) {
		return Client{}, errUnknownClient
	}
	if err != nil {
		return Client{}, down("read a client", err)
	}
	if isDocument(c.ID) {
		c.document, c.Host = true, documentHost(c.ID)
	}
	return c, nil
}

const insertClient = `
INSERT INTO account.assistant_client (id, name, uri, auth_method, secret_hash, redirect_uris, created_at)
VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7)`

// What a document said last is what the account's pages show.
const keepDocument = insertClient + `
ON CONFLICT (id) DO UPDATE SET name = excluded.name, uri = excluded.uri, redirect_uris = excluded.redirect_uris
WHERE (assistant_client.name, assistant_client.uri, assistant_client.redirect_uris)
    IS DISTINCT FROM (excluded.name, excluded.uri, excluded.redirect_uris)`

func keepClient(ctx context.Context, tx pgx.Tx, sql string, c Client, now time.Time) error {
	_, err := tx.Exec(ctx, sql, c.ID, c.Name, c.URI, c.method, c.secretHash, c.redirects, now)
	return errorOf("keep a client", err)
}

const (
	// maxWaiting is how many clients may be registered whom nobody has let in yet. Anybody can register: beyond it
	// the oldest are forgotten.
	maxWaiting = 10_000
	// What is forgotten at once, at most: a registration stays quick.
	forgetAtOnce = 100
	// waitingKept is how long a client may wait for somebody to let it in.
	waitingKept = 3 * 24 * time.Hour
)

// The newest are passed over in the index of those who wait; $1 is how many.
const forgetOldest = `
DELETE FROM account.assistant_client c WHERE c.id IN (
    SELECT w.id FROM account.assistant_client w WHERE w.granted_at IS NULL
    ORDER BY w.created_at DESC, w.id DESC OFFSET $1 LIMIT $2)
AND c.granted_at IS NULL AND NOT EXISTS (SELECT FROM account.assistant_code k WHERE k.client_id = c.id)`

// register keeps a new client, and the number of those who only registered within bounds.
func (s *Server) register(ctx context.Context, c Client) error {
	err := s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return keepClient(ctx, tx, insertClient, c, s.o.Clock.Now())
	})
	if err != nil {
		return down("register a client", err)
	}
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	if _, err := s.o.DB.Exec(ctx, forgetOldest, s.maxWaiting, forgetAtOnce); err != nil {
		slog.WarnContext(ctx, "clients that nobody let in were not forgotten; the next registration does", "error", err)
	}
	return nil
}
