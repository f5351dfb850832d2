package app_test

import (
	"net/netip"
	"strings"
	"testing"

	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/app/base/ident"
	"arpent/auth"
	"arpent/auth/apikey"
)

// onlyKey gives an account's one key.
func (s *service) onlyKey(email string) (*apikey.Store, ident.AccountID, ident.KeyID) {
	s.t.Helper()
	account, err := auth.NewAccounts(s.pool, clock.Real{}).ByEmail(s.t.Context(), email)
	if err != nil {
		s.t.Fatal(err)
	}
	store := apikey.NewStore(s.pool, clock.Real{})
	keys, err := store.List(s.t.Context(), account.ID)
	if err != nil || len(keys) != 1 {
		s.t.Fatalf("%d keys, %v", len(keys), err)
	}
	return store, account.ID, keys[0].ID
}

// What an owner does to a key holds within a second, and whoever holds the key is told what it is: paused, or not
// allowed from there. Both are failures of the address, like any other 401.
func TestOwnersRestrictions(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("owner@example.org", "pro")
	store, account, id := s.onlyKey("owner@example.org")
	ctx := t.Context()
	refused := func(word string) {
		t.Helper()
		var r response
		s.within(noticed, func() bool {
			r = s.get("/api/v1/regions", "X-API-Key", key)
			return r.status == 401 && strings.Contains(string(r.body), word)
		})
		if r.code(t) != "invalid_api_key" || r.header.Get("X-Plan") != "none" || r.header.Get("X-RateLimit-Limit") != "30" || r.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %v %s", word, r.header, r.body)
		}
	}
	accepted := func() {
		t.Helper()
		s.within(noticed, func() bool { return s.get("/api/v1/regions", "X-API-Key", key).status == 200 })
	}
	do := func(_ apikey.Key, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(store.Pause(ctx, account, id))
	refused("paused")
	do(store.Resume(ctx, account, id))
	accepted()
	do(store.Restrict(ctx, account, id, apikey.Restriction{Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}))
	refused("networks")
	do(store.Restrict(ctx, account, id, apikey.Restriction{Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("127.0.0.0/8")}}))
	accepted()
}

// Behind a proxy that is trusted, a key's networks are matched against whoever the proxy says it is, and not against
// an address that the caller claims to have.
func TestNetworksBehindProxy(t *testing.T) {
	t.Parallel()
	s := start(t)
	direct := s.base
	s.run(func(c *config.Config) { c.TrustedProxies = []string{"127.0.0.1"} })
	key := s.account("proxy@example.org", "pro")
	store, account, id := s.onlyKey("proxy@example.org")
	if _, err := store.Restrict(t.Context(), account, id, apikey.Restriction{Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}); err != nil {
		t.Fatal(err)
	}
	ask := func(forwarded string) int {
		return s.get("/api/v1/regions", "X-API-Key", key, "X-Forwarded-For", forwarded).status
	}
	s.within(noticed, func() bool { return ask("198.51.100.1") == 401 })
	for forwarded, want := range map[string]int{"192.0.2.9": 200, "198.51.100.1, 192.0.2.9": 200, "::ffff:192.0.2.9": 200,
		"192.0.2.9, 198.51.100.1": 401, "192.0.2.9, nonsense": 401, "2001:db8::1": 401} {
		if got := ask(forwarded); got != want {
			t.Errorf("X-Forwarded-For: %s: status %d, want %d", forwarded, got, want)
		}
	}
	s.base = direct
	s.within(noticed, func() bool { return ask("192.0.2.9") == 401 })
}

// A key's own cap is met before the account's quota is, the answer says whose it is, and the headers go on speaking of
// the account. The other keys of the account are served, and the refusals can be read afterwards.
func TestKeysOwnCap(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("cap@example.org", "pro")
	store, account, id := s.onlyKey("cap@example.org")
	_, other, err := store.Create(t.Context(), account, apikey.NewKey{Name: "other"})
	if err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return s.get("/api/v1", "X-API-Key", other).status == 200 })
	three := 3
	if _, err := store.Restrict(t.Context(), account, id, apikey.Restriction{PerDay: &three}); err != nil {
		t.Fatal(err)
	}
	var r response
	s.within(noticed, func() bool { r = s.get("/api/v1/regions", "X-API-Key", key); return r.status == 429 })
	used := r.header.Get("X-Quota-Used")
	if r.code(t) != "quota_exceeded" || !strings.Contains(string(r.body), "the 3 requests a day that its owner allows it") ||
		r.header.Get("X-Quota-Limit") != "25000" || r.header.Get("Retry-After") == "" {
		t.Errorf("%v %s", r.header, r.body)
	}
	if r = s.get("/api/v1/regions", "X-API-Key", key); r.status != 429 || r.header.Get("X-Quota-Used") != used {
		t.Errorf("a refusal counts: %s used, then %s", used, r.header.Get("X-Quota-Used"))
	}
	if r = s.get("/api/v1/regions", "X-API-Key", other); r.status != 200 {
		t.Errorf("the other key: status %d", r.status)
	}
	s.until(func() bool {
		var n int
		err := s.pool.QueryRow(t.Context(), `SELECT coalesce(sum(requests), 0) FROM account.refusal
			WHERE account_id = $1 AND key_id = $2 AND met = 'key' AND "limit" = 3`, account, id).Scan(&n)
		return err == nil && n >= 2
	})
}
