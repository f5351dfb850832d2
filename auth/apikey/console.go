package apikey

import (
	"context"

	"arpent/auth/member"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// consoleName names a placeholder key row of kind console under which the usage of an account's console is
// counted. It is never listed and never accepted: it is revoked from the beginning, and its secret is thrown
// away as it is drawn.
const consoleName = "Console"

const findConsole = `SELECT id FROM account.api_key WHERE account_id = $1 AND kind = 'console'`

const insertConsole = `
INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, created_at, revoked_at)
VALUES ($1, $2, 'console', $3, '', '', $4, $4)
ON CONFLICT (account_id) WHERE kind = 'console' DO NOTHING`

// Console returns what the requests of the account's console are counted
// under. It is made when it is first asked for.
func (s *Store) Console(ctx context.Context, account ident.AccountID) (id ident.KeyID, err error) {
	ctx, cancel := context.WithTimeout(ctx, member.StoreTimeout)
	defer cancel()
	find := func() (ident.KeyID, error) {
		return pgdb.Value[ident.KeyID](ctx, s.db, nil, "find the console of an account", findConsole, account)
	}
	if id, err = find(); err != nil || id != 0 {
		return id, err
	}
	_, hash := New()
	if _, err := s.db.Exec(ctx, insertConsole, account, consoleName, hash[:], s.clock.Now()); err != nil {
		return 0, fault.Wrap("make the console of an account", err)
	}
	return find() // another request may have made it
}
