package apikey_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// The key of an assistant has the assistant's name, even when other keys have it
// too, and is found by its hash alone.
func TestCreateAssistant(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clock.At(noon)
	x, s, ctx := apikey.NewIndex(pool, c), apikey.NewStore(pool, c), t.Context()
	a := newAccount(t, pool, "a", true)
	create := func(account ident.AccountID, client string) (key apikey.Key, hash [32]byte, err error) {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			key, hash, err = apikey.CreateAssistant(ctx, tx, account, apikey.Client{ID: "c", Name: client}, noon)
			return err
		})
		return key, hash, err
	}
	for _, tc := range [][2]string{
		{"Claude", "MCP · Claude"}, {"Claude", "MCP · Claude (2)"}, {"CLAUDE", "MCP · CLAUDE (3)"}, {" a\nb\x00\u202ec\xff ", "MCP · abc"},
		{strings.Repeat("é", 80), "MCP · " + strings.Repeat("é", 54)}, {strings.Repeat("é", 80), "MCP · " + strings.Repeat("é", 50) + " (2)"},
	} {
		key, hash, err := create(a, tc[0])
		if err != nil || key.Name != tc[1] || key.Kind != apikey.Assistant || !key.Live(noon) {
			t.Errorf("%q: %+v, %v", tc[0], key, err)
		}
		if _, err := x.ByHash(hash); err == nil {
			t.Error("found before it was read")
		}
		testkit.NoError(t, x.Refresh(ctx, a))
		if e, err := x.ByHash(hash); err != nil || e.ID != key.ID || e.Account != a {
			t.Errorf("by its hash: %+v, %v", e, err)
		}
	}
	// The name of one that was revoked is free again.
	keys := testkit.Must(s.List(ctx, a))(t)
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		testkit.WantCode(t, testkit.ErrorOf(apikey.RevokeAssistant(ctx, tx, a+1, keys[0].ID, "test", "", noon)), fault.NotFound, "somebody else's")
		k, err := apikey.RevokeAssistant(ctx, tx, a, keys[0].ID, "test", "", noon)
		if err != nil || k.RevokedAt == nil {
			t.Errorf("revoke: %+v, %v", k, err)
		}
		return nil
	})
	testkit.NoError(t, err)
	if key, _, err := create(a, "Claude"); err != nil || key.Name != "MCP · Claude" {
		t.Errorf("%+v, %v", key, err)
	}
	if _, _, err := create(newAccount(t, pool, "b", false), "x"); !errors.Is(err, apikey.ErrUnconfirmed) {
		t.Errorf("address not confirmed: %v", err)
	}
	if _, _, err := create(1<<40, "x"); fault.From(err).Code != fault.NotFound {
		t.Errorf("no account: %v", err)
	}
}

// There is an end to the assistants of an account, and it is reported
// before anything is promised to one more.
func TestTooManyAssistants(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	a, ctx := newAccount(t, pool, "a", true), t.Context()
	testkit.Exec(t, pool, `
		INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, created_at)
		SELECT $1, 'MCP · x ' || n, 'assistant', sha256(n::text::bytea), 'arp_', '0000', $2 FROM generate_series(1, $3) n`,
		a, noon, apikey.MaxAssistants-1)
	for want, act := range []func(tx pgx.Tx) error{
		func(tx pgx.Tx) error { return apikey.MayConnect(ctx, tx, a, noon) },
		func(tx pgx.Tx) error {
			_, _, err := apikey.CreateAssistant(ctx, tx, a, apikey.Client{ID: "c", Name: "x"}, noon)
			return err
		},
		func(tx pgx.Tx) error { return apikey.MayConnect(ctx, tx, a, noon) },
		func(tx pgx.Tx) error {
			_, _, err := apikey.CreateAssistant(ctx, tx, a, apikey.Client{ID: "c", Name: "x"}, noon)
			return err
		},
	} {
		err := pgx.BeginFunc(context.Background(), pool, act)
		if (err != nil) != (want > 1) || err != nil && !errors.Is(err, apikey.ErrTooManyAssistants) {
			t.Errorf("step %d: %v", want, err)
		}
	}
}

// Secrets with another beginning are not taken for keys, nor for one another.
func TestMarks(t *testing.T) {
	t.Parallel()
	token, hash := apikey.Draw("arpa_")
	if got, ok := apikey.Check("arpa_", token); !ok || got != hash || len(token) != 43 {
		t.Errorf("%q is not read", token)
	}
	for _, mark := range []string{"arpr_", "arp_", "arpa", ""} {
		if _, ok := apikey.Check(mark, token); ok {
			t.Errorf("taken for one that begins with %q", mark)
		}
	}
	if _, ok := apikey.Parse(token); ok {
		t.Error("taken for a key")
	}
	if secret, _ := apikey.New(); len(secret) != 42 {
		t.Errorf("a key has %d characters", len(secret))
	}
}
