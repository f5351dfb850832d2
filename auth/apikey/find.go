package apikey

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/auth/member"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// FoundKey is a key with its account.
type FoundKey struct {
	Key
	Account ident.AccountID
	Email   string
}

// ErrSearch is returned for a text that no key can be found by.
var ErrSearch = fault.New(fault.InvalidParameter,
	"Keys are found by the whole key or token, by its first 8 characters, as in arp_AbCd, "+
		"or by its SHA-256 hash of 64 hexadecimal digits.", nil)

// search is what a key is looked for by: one of a hash and a prefix.
type search struct {
	hash          []byte
	prefix, last4 string
	isWhole       bool // the text was a whole key or token
}

// parseSearch reads what an operator was given of a key: all of it, as much as a page shows of it
// ("arp_AbCd" or "arp_AbCd…wXyZ"), or its hash. A key that was copied in part is looked for by its beginning.
func parseSearch(text string) (search, error) {
	text = strings.TrimSpace(text)
	if hash, err := hex.DecodeString(text); err == nil && len(hash) == sha256.Size {
		return search{hash: hash}, nil
	}
	if mark, _, ok := strings.Cut(text, "_"); ok {
		if hash, ok := Check(mark+"_", text); ok {
			return search{hash: hash[:], isWhole: true}, nil
		}
	}
	first, last, _ := strings.Cut(text, "…")
	if !strings.HasPrefix(first, Mark) || len(first) < prefixLength || len(last) > 4 {
		return search{}, ErrSearch
	}
	return search{prefix: first[:prefixLength], last4: last}, nil
}

// IsWholeKey reports whether a text is a whole key or token, which must not be an argument or in an address.
func IsWholeKey(text string) bool {
	s, err := parseSearch(text)
	return err == nil && s.isWhole
}

// maxFound bounds the keys with one beginning: it has four random characters.
const maxFound = 20

// It relies on the indexes of secret_hash, token_hash and prefix and answers with a row as a rule. It is
// over all accounts, as the account is what is looked for.
const findKeys = `
SELECT ` + keyColumns + `, account_id, (SELECT coalesce(a.contact_email, a.email) FROM account.account a WHERE a.id = account_id)
FROM account.api_key WHERE kind <> 'console' AND id IN (SELECT id FROM account.api_key WHERE secret_hash = $1
    UNION SELECT g.key_id FROM account.assistant_token t JOIN account.assistant_grant g
        ON g.id = t.grant_id AND g.account_id = t.account_id WHERE t.token_hash = $1
    UNION SELECT id FROM account.api_key WHERE prefix = $2 AND ($3 = '' OR last4 = $3))
ORDER BY id DESC LIMIT $4`

// Find returns the keys, revoked and expired ones included, that a text is the whole, the beginning or the
// hash of, and the key of an assistant whose token it is. The text of a whole key is kept nowhere. ErrSearch
// for any other text. It is for the operator who was sent a leaked key.
func (s *Store) Find(ctx context.Context, text string) ([]FoundKey, error) {
	by, err := parseSearch(text)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	found, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[FoundKey], findKeys, by.hash, by.prefix, by.last4,
		maxFound)
	return found, fault.Wrap("find keys", err)
}
