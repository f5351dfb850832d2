package apikey_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// A rotation also works at the limits: the longest name, a nineteenth and twentieth
// key, an old key that was set aside before.
func TestRotateEdges(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clock.At(noon)
	s, ctx := apikey.NewStore(pool, c), t.Context()
	a := newAccount(t, pool, "a", true)
	var keys []apikey.Key
	for i := range apikey.MaxIntegrations {
		k, _, err := s.Create(ctx, a, apikey.NewKey{Name: fmt.Sprint(strings.Repeat("é", 57), " ", i+10)})
		if err != nil {
			t.Fatal(err)
		}
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
	t.Parallel()
	pool, _ := testkit.DB(t)
	s, ctx := apikey.NewStore(pool, clock.At(noon)), t.Context()
	a := newAccount(t, pool, "a", true)
	key, _, err := s.Create(ctx, a, apikey.NewKey{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	warned := func(id ident.KeyID) (yes bool) {
		if err := pool.QueryRow(ctx, `SELECT expiry_warned_at IS NOT NULL FROM account.api_key WHERE id = $1`, id).Scan(&yes); err != nil {
			t.Fatal(err)
		}
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
