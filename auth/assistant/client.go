package assistant

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"arpent/auth/apikey"
	"arpent/internal/fault"
)

// errUnknownClient is returned for an identifier that is not registered.
var errUnknownClient = errors.New("the client is unknown")

const findClient = `
SELECT id, name, coalesce(uri, ''), auth_method, secret_hash, redirect_uris FROM account.assistant_client WHERE id = $1`

// findStoredClient finds a client that registered itself, or whose
// document somebody agreed to; errUnknownClient.
func (s *Server) findStoredClient(ctx context.Context, id string) (Client, error) {
	if _, drawn := apikey.Check(clientMark, id); !drawn && checkDocumentURL(id) != "" {
		return Client{}, errUnknownClient // and not a text that the database does not take
	}
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	var c Client
	err := s.o.DB.QueryRow(ctx, findClient, id).Scan(&c.ID, &c.Name, &c.URI, &c.method, &c.secretHash,
		&c.redirects)
	if errors.Is(err, pgx.ErrNoRows) {
		return Client{}, errUnknownClient
	}
	if err != nil {
		return Client{}, wrapUnavailable("read a client", err)
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
const upsertClient = insertClient + `
ON CONFLICT (id) DO UPDATE SET name = excluded.name, uri = excluded.uri, redirect_uris = excluded.redirect_uris
WHERE (assistant_client.name, assistant_client.uri, assistant_client.redirect_uris)
    IS DISTINCT FROM (excluded.name, excluded.uri, excluded.redirect_uris)`

func saveClient(ctx context.Context, tx pgx.Tx, sql string, c Client, now time.Time) error {
	_, err := tx.Exec(ctx, sql, c.ID, c.Name, c.URI, c.method, c.secretHash, c.redirects, now, c.network)
	return fault.Wrap("keep a client", err)
}

// maxName leaves space for what the key's name begins with.
const maxName = 60 - len("MCP * ")

// maxMarks is how many accents one letter may bear; more climb over the lines around.
const maxMarks = 2

// cleanName makes what a client calls itself fit to be shown: one line, nothing that is unseen or turns the
// text around it, not too long. It may be empty.
func cleanName(name string) string {
	name = norm.NFC.String(strings.ToValidUTF8(name, ""))
	var b strings.Builder
	length, marks, blank := 0, 0, false
	for _, r := range name {
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Z, r):
			blank = length > 0
			continue
		case !unicode.IsGraphic(r) || isInvisible(r):
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks || length == 0 || blank {
				continue
			}
		default:
			marks = 0
		}
		if blank {
			b.WriteByte(' ')
			length, blank = length+1, false
		}
		b.WriteRune(r)
		length++
	}
	clean := b.String()
	for { // a name that claims to be a key's own
		rest, ok := strings.CutPrefix(clean, strings.TrimSpace(apikey.AssistantPrefix))
		if !ok {
			break
		}
		clean = strings.TrimSpace(rest)
	}
	if runes := []rune(clean); len(runes) > maxName {
		return strings.TrimSpace(string(runes[:maxName-1])) + "…"
	}
	return clean
}

// isInvisible reports whether a character is a letter to Unicode and nothing to the eye.
func isInvisible(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800, 0x034F, 0x17B4, 0x17B5:
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

// displayName is what a client is called, after the host that its answers go to when it does not say.
func displayName(said string, redirects []string) string {
	if name := cleanName(said); name != "" {
		return name
	}
	for _, uri := range redirects {
		if name := cleanName(redirectHost(uri)); name != "" {
			return name
		}
	}
	return "Assistant"
}
