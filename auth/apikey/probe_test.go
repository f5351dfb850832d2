package apikey_test

import (
	"errors"
	"net/netip"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
)

// The key that a server measures itself with opens nothing to others: another server does not know it,
// another address may not use it, and no key of a customer is taken for it.
func TestProbed(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	here, there := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.1")
	p, secret := apikey.NewProbed(apikey.NewIndex(pool, clock.Real{}), here)
	e, err := p.Find(secret)
	if err != nil || !e.Probe || e.Account != 0 || e.ID != 0 || e.PerMinute == nil || !e.AllowedFrom(here) || e.AllowedFrom(there) || e.AllowedFrom(netip.Addr{}) {
		t.Fatalf("%+v, %v", e, err)
	}
	other, _ := apikey.NewProbed(apikey.NewIndex(pool, clock.Real{}), here)
	wrong, _ := apikey.New()
	for _, presented := range []string{"", wrong, secret[:len(secret)-1], secret + "x"} {
		if _, err := p.Find(presented); !errors.Is(err, apikey.ErrInvalid) {
			t.Errorf("%q: %v", presented, err)
		}
	}
	testkit.WantError(t, testkit.ErrorOf(other.Find(secret)),
		apikey.ErrInvalid, "another server knows the key")
	testkit.WantCount(t, pool, 0, "the key is in the database", `SELECT count(*) FROM account.api_key`)
}
