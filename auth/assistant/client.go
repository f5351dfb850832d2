package assistant

import (
	"context"
	"errors"
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
	if _, drawn := apikey.Check(clientMark, id); !drawn && checkDocumentURL(id) != "" {
		return Client{}, errUnknownClient // and not a text that the database does not take
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
INSERT INTO account.assistant_client (id, name, uri, auth_method, secret_hash, redirect_uris, created_at, network)
VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8)`

// What a document said last is what the account's pages show.
const keepDocument = insertClient + `
ON CONFLICT (id) DO UPDATE SET name = excluded.name, uri = excluded.uri, redirect_uris = excluded.redirect_uris
WHERE (assistant_client.name, assistant_client.uri, assistant_client.redirect_uris)
    IS DISTINCT FROM (excluded.name, excluded.uri, excluded.redirect_uris)`

func keepClient(ctx context.Context, tx pgx.Tx, sql string, c Client, now time.Time) error {
	_, err := tx.Exec(ctx, sql, c.ID, c.Name, c.URI, c.method, c.secretHash, c.redirects, now, c.network)
	return errorOf("keep a client", err)
}
