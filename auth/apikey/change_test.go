package apikey_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// Whatever is done with a key of another account, it does not exist; nor does one that has ended.
func TestEveryActNamesTheAccount(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	c := clock.At(noon)
	s, ctx := apikey.NewStore(pool, c), t.Context()
	mine, theirs := newAccount(t, pool, "a", true), newAccount(t, pool, "b", true)
	soon, later := noon.Add(time.Hour), noon.Add(48*time.Hour)
	key, _, err := s.Create(ctx, mine, apikey.NewKey{Name: "prod"})
	testkit.NoError(t, err)
	ended, _, err := s.Create(ctx, mine, apikey.NewKey{Name: "ended", ExpiresAt: &soon})
	testkit.NoError(t, err)
	c.Set(soon)
	records := func() (n int) {
		testkit.NoError(t, pool.QueryRow(ctx, `SELECT count(*) FROM account.audit`).Scan(&n))
		return n
	}
	recorded := records()
	for name, act := range map[string]func(a ident.AccountID, id ident.KeyID) error{
		"rename": func(a ident.AccountID, id ident.KeyID) error { _, err := s.Rename(ctx, a, id, "x"); return err },
		"rotate": func(a ident.AccountID, id ident.KeyID) error {
			_, _, err := s.Rotate(ctx, a, id, 0)
			return err
		},
		"pause":  func(a ident.AccountID, id ident.KeyID) error { _, err := s.Pause(ctx, a, id); return err },
		"resume": func(a ident.AccountID, id ident.KeyID) error { _, err := s.Resume(ctx, a, id); return err },
		"expiry": func(a ident.AccountID, id ident.KeyID) error {
			_, err := s.SetExpiry(ctx, a, id, &later)
			return err
		},
		"restrict": func(a ident.AccountID, id ident.KeyID) error {
			_, err := s.Restrict(ctx, a, id, apikey.Restriction{})
			return err
		},
	} {
		for whose, got := range map[string]error{"somebody else's": act(theirs, key.ID), "ended": act(mine, ended.ID), "unknown": act(mine, 1<<40)} {
			if fault.From(got).Code != fault.NotFound {
				t.Errorf("%s, %s: %v", name, whose, got)
			}
		}
	}
	testkit.WantCode(t, testkit.ErrorOf(s.Get(ctx, theirs, key.ID)), fault.NotFound, "get")
	testkit.WantCode(t, testkit.ErrorOf(s.Revoke(ctx, theirs, key.ID)), fault.NotFound, "revoke")
	if k, err := s.Get(ctx, mine, key.ID); err != nil || k.Name != "prod" || k.PausedAt != nil || k.RevokedAt != nil || k.ExpiresAt != nil {
		t.Errorf("the key was changed: %+v, %v", k, err)
	}
	if n := records(); n != recorded {
		t.Errorf("%d records of what did not happen", n-recorded)
	}
}

// An act on a key is recorded once, with the actor who did it, and mailed to the owner if the owner did it:
// exactly when it is done. A mail that cannot be queued takes the act back.
func TestActsAreRecorded(t *testing.T) {
	pool, _, s, a := newStore(t)
	owner := audit.With(t.Context(), audit.Actor{Kind: audit.ActorAccount, Address: netip.MustParseAddr("192.0.2.7"),
		Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"})
	accept := testkit.RefuseMails(t, pool)
	if _, secret, err := s.Create(owner, a, apikey.NewKey{Name: "lost"}); err == nil || secret != "" {
		t.Errorf("created without its mail: %v", err)
	}
	if keys, err := s.List(owner, a); err != nil || len(keys) != 0 {
		t.Errorf("an act without its mail stays: %v, %v", keys, err)
	}
	accept()
	key, _, err := s.Create(owner, a, apikey.NewKey{Name: "x"})
	testkit.NoError(t, err)
	for range 2 { // the second time nothing changes
		if _, err := s.Pause(audit.With(t.Context(), audit.Actor{Kind: audit.ActorOperator}), a, key.ID); err != nil {
			t.Error(err)
		}
		if _, err := s.Rename(owner, a, key.ID, " y "); err != nil {
			t.Error(err)
		}
	}
	fresh, _, err := s.Rotate(owner, a, key.ID, time.Hour)
	testkit.NoError(t, err)
	if _, err := s.SetExpiry(owner, a, fresh.ID, nil); err != nil {
		t.Error(err)
	}
	if _, err := s.Revoke(t.Context(), a, key.ID); err != nil { // no actor is named
		t.Error(err)
	}
	if n, err := s.RevokeAll(owner, a); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	entries := testkit.Must(audit.List(t.Context(), pool, a, 0, 100))(t)
	var acts []string
	for _, e := range slices.Backward(entries) {
		acts = append(acts, fmt.Sprintf("%s %s %v from %v", e.Actor, e.Action, e.Detail["name"], e.Address.IsValid()))
	}
	if want := []string{"account key_created x from true", "operator key_paused x from false", "account key_renamed y from true",
		"account key_rotated y from true", "account key_restricted y from true", "system key_revoked y (old) from false",
		"account key_revoked y from true"}; !slices.Equal(acts, want) {
		t.Errorf("recorded %q", acts)
	}
	var mails []string
	for _, m := range testkit.Mails(t, pool) {
		mails = append(mails, fmt.Sprint(m.Template, m.Values))
	}
	from := "address:192.0.2.7 at:" + noon.UTC().Format(time.RFC3339)
	if want := []string{"key_createdmap[" + from + " device:Firefox, Linux name:x]",
		"key_rotatedmap[" + from + " device:Firefox, Linux name:y until:" + noon.Add(time.Hour).UTC().Format(time.RFC3339) + "]",
		"keys_revokedmap[" + from + " count:1 device:Firefox, Linux]"}; !slices.Equal(mails, want) {
		t.Errorf("mails %q", mails)
	}
}

// An assistant's key has no secret that anybody knows: it can be paused and revoked, not rotated or renamed.
func TestAssistantsKey(t *testing.T) {
	pool, _, s, a := newStore(t)
	ctx := t.Context()
	var id ident.KeyID
	err := pool.QueryRow(ctx, `
		INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, created_at)
		VALUES ($1, 'MCP · x', 'assistant', sha256('x'), 'arp_', '0000', now()) RETURNING id`, a).Scan(&id)
	testkit.NoError(t, err)
	testkit.WantError(t, testkit.ErrorOf(s.Rename(ctx, a, id, "y")), apikey.ErrAssistant, "rename")
	if _, _, err := s.Rotate(ctx, a, id, 0); !errors.Is(err, apikey.ErrAssistant) {
		t.Errorf("rotate: %v", err)
	}
	if k, err := s.Pause(ctx, a, id); err != nil || k.PausedAt == nil {
		t.Errorf("pause: %v", err)
	}
}

// What an owner restricts a key to is kept as it is meant, and what cannot be meant is refused by name.
func TestRestrict(t *testing.T) {
	_, _, s, a := newStore(t)
	ctx := t.Context()
	key, _, err := s.Create(ctx, a, apikey.NewKey{Name: "x"})
	testkit.NoError(t, err)
	n := func(v int) *int { return &v }
	for want, r := range map[error]apikey.Restriction{
		apikey.ErrPerDay:   {PerDay: n(0)},
		apikey.ErrNetworks: {Networks: slices.Repeat([]netip.Prefix{{}}, 2)},
	} {
		if _, err := s.Restrict(ctx, a, key.ID, r); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		if _, _, err := s.Create(ctx, a, apikey.NewKey{Name: "y", PerDay: r.PerDay, Networks: r.Networks}); !errors.Is(err, want) {
			t.Errorf("create: got %v, want %v", err, want)
		}
	}
	k, err := s.Restrict(ctx, a, key.ID, apikey.Restriction{RefuseInQuery: true, PerDay: n(7),
		Networks: []netip.Prefix{netip.MustParsePrefix("10.1.2.3/8"), netip.MustParsePrefix("::ffff:10.0.0.0/104")}})
	if err != nil || !k.RefuseInQuery || *k.PerDay != 7 || !slices.Equal(k.Networks, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}) {
		t.Errorf("restricted: %+v, %v", k, err)
	}
	if k, err = s.Restrict(ctx, a, key.ID, apikey.Restriction{}); err != nil || k.RefuseInQuery || k.PerDay != nil || k.Networks != nil {
		t.Errorf("opened again: %+v, %v", k, err)
	}
}

// Every instance knows within a second that a key was paused, resumed
// or restricted, and finds it without a query.
func TestChangesOfKeysArrive(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	s, ctx := apikey.NewStore(pool, clock.Real{}), t.Context()
	x := startIndex(t, pool, url, clock.Real{})
	waitForNotifications(t, s, pool, x)
	a := newAccount(t, pool, "a", true)
	key, secret, err := s.Create(ctx, a, apikey.NewKey{Name: "x"})
	testkit.NoError(t, err)
	becomes := func(what string, holds func(*apikey.Entry) bool) {
		t.Helper()
		testkit.Eventually(t, testkit.Timeout, what, func() bool { e, err := x.Find(secret); return err == nil && holds(e) })
	}
	inside, outside := netip.MustParseAddr("10.2.3.4"), netip.MustParseAddr("11.2.3.4")
	becomes("created", func(e *apikey.Entry) bool { return !e.Paused && e.KeyPerDay == 0 && e.AllowedFrom(outside) })
	testkit.Must(s.Pause(ctx, a, key.ID))(t)
	becomes("paused", func(e *apikey.Entry) bool { return e.Paused })
	testkit.Must(s.Resume(ctx, a, key.ID))(t)
	seven := 7
	testkit.Must(s.Restrict(ctx, a, key.ID, apikey.Restriction{PerDay: &seven, Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}))(t)
	becomes("restricted", func(e *apikey.Entry) bool {
		return !e.Paused && e.KeyPerDay == 7 && e.AllowedFrom(inside) && !e.AllowedFrom(outside) && !e.AllowedFrom(netip.Addr{})
	})
	fresh, replacement, err := s.Rotate(ctx, a, key.ID, 0)
	testkit.NoError(t, err)
	testkit.Eventually(t, testkit.Timeout, "rotated", func() bool {
		e, err := x.Find(replacement)
		return err == nil && e.ID == fresh.ID && e.KeyPerDay == 7 && !isAccepted(x, secret)
	})
}
