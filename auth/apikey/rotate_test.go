package apikey_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// A rotation also works at the limits: the longest name, a nineteenth and twentieth
// key, an old key that was set aside before.
func TestRotateEdges(t *testing.T) {
	_, c, s, a := newStore(t)
	ctx := t.Context()
	var keys []apikey.Key
	for i := range apikey.MaxIntegrations {
		k, _, err := s.Create(ctx, a, apikey.NewKey{Name: fmt.Sprint(strings.Repeat("é", 57), " ", i+10)})
		testkit.NoError(t, err)
		keys = append(keys, k)
	}
	key, secret, err := s.Rotate(ctx, a, keys[0].ID, 24*time.Hour)
	if err != nil || key.Name != keys[0].Name || *key.Replaces != keys[0].ID || key.Prefix != secret[:8] {
		t.Fatalf("at the limit: %+v, %v", key, err)
	}
	old, err := s.Get(ctx, a, keys[0].ID)
	if err != nil || old.Name != strings.Repeat("é", 54)+" (old)" || !old.ExpiresAt.Equal(noon.Add(24*time.Hour)) {
		t.Errorf("the old one: %+v, %v", old, err)
	}
	if _, _, err := s.Rotate(ctx, a, keys[1].ID, 24*time.Hour); err != nil {
		t.Errorf("a second key whose shortened name is the same: %v", err)
	}
	if _, _, err := s.Rotate(ctx, a, keys[0].ID, 0); !errors.Is(err, apikey.ErrReplaced) {
		t.Errorf("the old one again: %v", err)
	}
	for _, overlap := range []time.Duration{-time.Hour, time.Second, 8 * 24 * time.Hour} {
		if _, _, err := s.Rotate(ctx, a, key.ID, overlap); !errors.Is(err, apikey.ErrOverlap) {
			t.Errorf("overlap %v: %v", overlap, err)
		}
	}
	for _, k := range keys[2:] {
		if _, _, err := s.Rotate(ctx, a, k.ID, time.Hour); err != nil {
			t.Errorf("each of twenty keys: %v", err)
		}
	}
	if _, _, err := s.Rotate(ctx, a, key.ID, time.Hour); !errors.Is(err, apikey.ErrTooMany) {
		t.Errorf("with forty live keys: %v", err)
	}
	if _, _, err := s.Rotate(ctx, a, key.ID, 0); err != nil {
		t.Errorf("with forty live keys, without overlap: %v", err)
	}
	c.Set(noon.Add(24 * time.Hour))
	if old.Live(c.Now()) {
		t.Error("the old key lives on")
	}
	if _, _, err := s.Rotate(ctx, a, old.ID, 0); fault.From(err).Code != fault.NotFound {
		t.Errorf("a key that has ended: %v", err)
	}
}

// The owner of a key that is about to end knows of it: rotating one gives no warning about the old key, and
// moving the expiry gives a new one unless it was moved to a day that is near.
func TestExpiryWarning(t *testing.T) {
	pool, _, s, a := newStore(t)
	ctx := t.Context()
	key, _, err := s.Create(ctx, a, apikey.NewKey{Name: "x"})
	testkit.NoError(t, err)
	warned := func(id ident.KeyID) (yes bool) {
		testkit.NoError(t, pool.QueryRow(ctx, `SELECT expiry_warned_at IS NOT NULL FROM account.api_key WHERE id = $1`, id).Scan(&yes))
		return yes
	}
	for days, want := range map[int]bool{3: true, 8: false} {
		at := noon.AddDate(0, 0, days)
		if _, err := s.SetExpiry(ctx, a, key.ID, &at); err != nil || warned(key.ID) != want {
			t.Errorf("in %d days: warned %v, %v", days, warned(key.ID), err)
		}
	}
	fresh, _, err := s.Rotate(ctx, a, key.ID, time.Hour)
	if err != nil || !warned(key.ID) || warned(fresh.ID) {
		t.Errorf("rotated: old warned %v, new warned %v, %v", warned(key.ID), warned(fresh.ID), err)
	}
}

// Every key that begins and ends is an event of its account, whatever ended it; none has the key itself.
func TestEventsOfKeys(t *testing.T) {
	pool, c, s, a := newStore(t)
	ctx := t.Context()
	testkit.Exec(t, pool, `INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
		VALUES ($1, 'https://exemple.fr/', '{key.created,key.expiring,key.revoked}', 'x', now(), now())`, a)
	seen := 0
	want := func(step string, events ...string) {
		t.Helper()
		rows, _ := pool.Query(ctx, `SELECT type || ' ' || (body::jsonb#>>'{data,key,name}') || ' ' || coalesce(body::jsonb#>>'{data,key,replaces}', '-')
			FROM account.webhook_delivery ORDER BY id`)
		all := testkit.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		if got := all[seen:]; !slices.Equal(got, events) {
			t.Errorf("%s: %v, want %v", step, got, events)
		}
		seen = len(all)
	}
	must := func(err error) {
		t.Helper()
		testkit.NoError(t, err)
	}
	in30 := noon.Add(30 * 24 * time.Hour)
	key, secret, err := s.Create(ctx, a, apikey.NewKey{Name: "x", ExpiresAt: &in30})
	must(err)
	want("created", "key.created x -")
	_, err = s.Rename(ctx, a, key.ID, "y")
	must(err)
	want("renamed")
	next, _, err := s.Rotate(ctx, a, key.ID, time.Hour)
	must(err)
	want("rotated with an overlap", fmt.Sprint("key.created y ", key.ID))
	last, _, err := s.Rotate(ctx, a, next.ID, 0)
	must(err)
	want("rotated at once", fmt.Sprint("key.revoked y ", key.ID), fmt.Sprint("key.created y ", next.ID))
	c.Set(noon.Add(25 * 24 * time.Hour))
	must(s.NotifyExpiring(ctx))
	must(s.NotifyExpiring(ctx))
	want("about to expire", fmt.Sprint("key.expiring y ", next.ID))
	_, err = s.Revoke(ctx, a, last.ID)
	must(err)
	want("revoked", fmt.Sprint("key.revoked y ", next.ID))
	_, _, err = s.Create(ctx, a, apikey.NewKey{Name: "z"})
	must(err)
	_, err = s.RevokeAll(ctx, a)
	must(err)
	want("all revoked", "key.created z -", "key.revoked z -")
	testkit.WantCount(t, pool, 0, "events have a key or an address", `SELECT count(*) FROM account.webhook_delivery WHERE body LIKE '%`+secret+`%' OR body LIKE '%@%'`)
}
