package apikey_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func newAccount(t testing.TB, pool *pgxpool.Pool, name string, confirmed bool) (id ident.AccountID) {
	t.Helper()
	err := pool.QueryRow(context.Background(), `
		INSERT INTO account.account (email, email_confirmed_at, plan, created_at, updated_at)
		VALUES ($1 || '@exemple.fr', CASE WHEN $2 THEN now() END, 'standard', now(), now()) RETURNING id`, name, confirmed).Scan(&id)
	testkit.NoError(t, err)
	return id
}

// newStore makes a store on a database of its own with an account, for a test that runs in parallel.
func newStore(t *testing.T) (*pgxpool.Pool, *clock.Fixed, *apikey.Store, ident.AccountID) {
	t.Helper()
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clock.At(noon)
	return pool, c, apikey.NewStore(pool, c), newAccount(t, pool, "a", true)
}

// A key is shown once: what is stored does not hold it. Its owner recognises it by what is kept.
func TestCreate(t *testing.T) {
	pool, _, s, a := newStore(t)
	key, secret, err := s.Create(t.Context(), a, apikey.NewKey{Name: "  my integration "})
	testkit.NoError(t, err)
	if key.Name != "my integration" || key.Prefix != secret[:8] || key.Last4 != secret[38:] || !key.Live(noon) {
		t.Errorf("created %+v", key)
	}
	var row string
	if err := pool.QueryRow(t.Context(), `SELECT k::text FROM account.api_key k`).Scan(&row); err != nil || strings.Contains(row, secret[8:38]) {
		t.Errorf("the row shows the key (%v)", err)
	}
	keys, err := s.List(t.Context(), a)
	if err != nil || len(keys) != 1 || !reflect.DeepEqual(keys[0], key) {
		t.Errorf("listed %+v, %v", keys, err)
	}
}

// The rules of names and numbers hold, and each rejection has a reason of its own, to say what to do.
func TestCreateRejections(t *testing.T) {
	pool, _, s, a := newStore(t)
	ctx := t.Context()
	for _, name := range []string{"", "  ", strings.Repeat("é", 61), "a\nb", "a\x00b", "bad\xff", "MCP · Claude", "mcp · x", "MCP ·"} {
		if _, _, err := s.Create(ctx, a, apikey.NewKey{Name: name}); fault.From(err).Code != fault.InvalidParameter {
			t.Errorf("name %q: %v", name, err)
		}
	}
	past := noon.Add(-time.Second)
	if _, _, err := s.Create(ctx, a, apikey.NewKey{Name: "old", ExpiresAt: &past}); fault.From(err).Code != fault.InvalidParameter {
		t.Errorf("expired already: %v", err)
	}
	if _, _, err := s.Create(ctx, newAccount(t, pool, "b", false), apikey.NewKey{Name: "x"}); !errors.Is(err, apikey.ErrUnconfirmed) {
		t.Errorf("address not confirmed: %v", err)
	}
	if _, _, err := s.Create(ctx, 1<<40, apikey.NewKey{Name: "x"}); fault.From(err).Code != fault.NotFound {
		t.Errorf("no account: %v", err)
	}
	if _, _, err := s.Create(ctx, a, apikey.NewKey{Name: strings.Repeat("é", 60)}); err != nil {
		t.Errorf("sixty characters: %v", err)
	}
	first, _, err := s.Create(ctx, a, apikey.NewKey{Name: "Once"})
	testkit.NoError(t, err)
	if _, _, err := s.Create(ctx, a, apikey.NewKey{Name: "once"}); !errors.Is(err, apikey.ErrNameTaken) {
		t.Errorf("the same name: %v", err)
	}
	testkit.Must(s.Revoke(ctx, a, first.ID))(t)
	if _, _, err := s.Create(ctx, a, apikey.NewKey{Name: "once"}); err != nil {
		t.Errorf("the name of a revoked key: %v", err)
	}
}

// Requests that arrive together cannot exceed the number of keys an account may have.
func TestSimultaneousCreate(t *testing.T) {
	_, _, s, a := newStore(t)
	var all sync.WaitGroup
	for i := range apikey.MaxIntegrations + 10 {
		all.Go(func() {
			_, _, err := s.Create(context.Background(), a, apikey.NewKey{Name: fmt.Sprint("key ", i)})
			if err != nil && !errors.Is(err, apikey.ErrTooMany) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if keys, err := s.List(t.Context(), a); err != nil || len(keys) != apikey.MaxIntegrations {
		t.Errorf("%d keys, %v", len(keys), err)
	}
}

// An account can neither end nor see another account's key: for it that key does not exist.
func TestSomebodyElsesKey(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	s, ctx := apikey.NewStore(pool, clock.At(noon)), t.Context()
	mine, theirs := newAccount(t, pool, "a", true), newAccount(t, pool, "b", true)
	key, _, err := s.Create(ctx, mine, apikey.NewKey{Name: "prod"})
	testkit.NoError(t, err)
	testkit.WantCode(t, testkit.ErrorOf(s.Revoke(ctx, theirs, key.ID)), fault.NotFound, "by number")
	if keys, err := s.List(ctx, theirs); err != nil || len(keys) != 0 {
		t.Errorf("listed %v, %v", keys, err)
	}
	if got, err := s.Revoke(ctx, mine, key.ID); err != nil || got.RevokedAt == nil || got.Live(noon) {
		t.Errorf("by its owner: %+v, %v", got, err)
	}
	testkit.WantCode(t, testkit.ErrorOf(s.Revoke(ctx, mine, key.ID)), fault.NotFound, "again")
}
