package assistant

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/ident"
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
	// EndedAt is when the last of its tokens expired, and nothing of it works since; nil: it is live. Its key is revoked at
	// the next cleaning.
	EndedAt *time.Time
}

const listConnections = `
SELECT g.key_id, g.client_id, c.name, coalesce(c.uri, ''), g.redirect_uri, g.created_at, g.refreshed_at,
    CASE WHEN NOT EXISTS (SELECT FROM account.assistant_token t WHERE t.grant_id = g.id AND t.account_id = g.account_id AND t.expires_at > $2)
        THEN coalesce(g.refreshed_at, g.created_at) + $3 END
FROM account.assistant_grant g
JOIN account.assistant_client c ON c.id = g.client_id
JOIN account.api_key k ON k.id = g.key_id AND k.account_id = g.account_id
WHERE g.account_id = $1 AND g.ended_at IS NULL AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
ORDER BY g.created_at, g.id`

// Connections gives the assistants that are connected to the account, the first one first, and those that let all their
// tokens expire since the last cleaning.
func (s *Server) Connections(ctx context.Context, account ident.AccountID) ([]Connection, error) {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	rows, err := s.o.DB.Query(ctx, listConnections, account, s.o.Clock.Now(), refreshLife)
	if err != nil {
		return nil, down("list connections", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Connection, error) {
		var (
			c        Connection
			client   string
			redirect string
		)
		err := row.Scan(&c.Key, &client, &c.Client, &c.ClientURI, &redirect, &c.ConnectedAt, &c.RefreshedAt, &c.EndedAt)
		c.RedirectHost = redirectHost(redirect)
		if isDocument(client) {
			c.ClientHost = documentHost(client)
		}
		return c, err
	})
	if err != nil {
		return nil, down("list connections", err)
	}
	return list, nil
}
