package contract_test

import (
	"net/netip"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/ident"
)

// onlyKey gives an account's one key.
func onlyKey(s *fixture.Service, email string) (*apikey.Store, ident.AccountID, ident.KeyID) {
	s.T.Helper()
	account := testkit.Must(auth.NewAccounts(s.Pool, clock.Real{}).ByEmail(s.T.Context(), email))(s.T)
	store := apikey.NewStore(s.Pool, clock.Real{})
	keys, err := store.List(s.T.Context(), account.ID)
	if err != nil || len(keys) != 1 {
		s.T.Fatalf("%d keys, %v", len(keys), err)
	}
	return store, account.ID, keys[0].ID
}

// What an owner does to a key holds within a second, and the user of the key reads the reason: paused, or
// not allowed from there. Both are failures of the address, like any other 401.
func TestOwnersRestrictions(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("owner@example.org", "pro")
	store, account, id := onlyKey(s, "owner@example.org")
	ctx := t.Context()
	refused := func(word string) {
		t.Helper()
		var r fixture.Response
		s.UntilNoticed(func() bool {
			r = s.Get("/api/v1/regions", "X-API-Key", key)
			return r.Status == 401 && strings.Contains(string(r.Body), word)
		})
		if r.Code(t) != "invalid_api_key" || r.Header.Get("X-Plan") != "none" || r.Header.Get("X-RateLimit-Limit") != "30" || r.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %v %s", word, r.Header, r.Body)
		}
	}
	accepted := func() {
		t.Helper()
		s.UntilNoticed(func() bool { return s.Get("/api/v1/regions", "X-API-Key", key).Status == 200 })
	}
	do := func(_ apikey.Key, err error) {
		t.Helper()
		testkit.NoError(t, err)
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

// Behind a proxy that is trusted, a key's networks are matched against the client address that the proxy
// reports, and not against an address that the caller claims to have.
func TestNetworksBehindProxy(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	direct := s.Base
	s.Run(func(c *config.Config) { c.TrustedProxies = []string{"127.0.0.1"} })
	key := s.Account("proxy@example.org", "pro")
	store, account, id := onlyKey(s, "proxy@example.org")
	_, err := store.Restrict(t.Context(), account, id, apikey.Restriction{Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	testkit.NoError(t, err)
	ask := func(forwarded string) int {
		return s.Get("/api/v1/regions", "X-API-Key", key, "X-Forwarded-For", forwarded).Status
	}
	s.UntilNoticed(func() bool { return ask("198.51.100.1") == 401 })
	for forwarded, want := range map[string]int{"192.0.2.9": 200, "198.51.100.1, 192.0.2.9": 200, "::ffff:192.0.2.9": 200,
		"192.0.2.9, 198.51.100.1": 401, "192.0.2.9, nonsense": 401, "2001:db8::1": 401} {
		if got := ask(forwarded); got != want {
			t.Errorf("X-Forwarded-For: %s: status %d, want %d", forwarded, got, want)
		}
	}
	s.Base = direct
	s.UntilNoticed(func() bool { return ask("192.0.2.9") == 401 })
}

// A key's own cap is met before the account's quota is, the answer says whose it is, and
// the headers go on speaking of the account. The other keys of the account are served,
// and the rejections can be read afterwards.
func testKeysOwnCap(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("cap@example.org", "pro")
	store, account, id := onlyKey(s, "cap@example.org")
	_, other, err := store.Create(t.Context(), account, apikey.NewKey{Name: "other"})
	testkit.NoError(t, err)
	s.Until(func() bool { return s.Get("/api/v1", "X-API-Key", other).Status == 200 })
	three := 3
	_, err = store.Restrict(t.Context(), account, id, apikey.Restriction{PerDay: &three})
	testkit.NoError(t, err)
	var r fixture.Response
	s.UntilNoticed(func() bool { r = s.Get("/api/v1/regions", "X-API-Key", key); return r.Status == 429 })
	used := r.Header.Get("X-Quota-Used")
	if r.Code(t) != "quota_exceeded" || !strings.Contains(string(r.Body), "the 3 requests a day that its owner allows it") ||
		r.Header.Get("X-Quota-Limit") != "25000" || r.Header.Get("Retry-After") == "" {
		t.Errorf("%v %s", r.Header, r.Body)
	}
	if r = s.Get("/api/v1/regions", "X-API-Key", key); r.Status != 429 || r.Header.Get("X-Quota-Used") != used {
		t.Errorf("a refusal counts: %s used, then %s", used, r.Header.Get("X-Quota-Used"))
	}
	if r = s.Get("/api/v1/regions", "X-API-Key", other); r.Status != 200 {
		t.Errorf("the other key: status %d", r.Status)
	}
	s.Until(func() bool {
		return testkit.Count(t, s.Pool, `SELECT coalesce(sum(requests), 0) FROM account.refusal
			WHERE account_id = $1 AND key_id = $2 AND met = 'key' AND "limit" = 3`, account, id) >= 2
	})
}
