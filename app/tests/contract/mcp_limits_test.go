package contract_test

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/billing/meter"
	"arpent/internal/clock"
)

// A client that has used up what a plan allows stays connected: the tool returns when it goes on, and where
// there is more. For a key that its owner has paused or bound to other networks it returns that reason; a
// revoked key belongs to no account any more.
func TestToolLimits(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("limits@example.org", "free")
	store, account, id := onlyKey(s, "limits@example.org")
	refused := func(code, reason string, wants ...string) string {
		t.Helper()
		var a rpc
		s.UntilNoticed(func() bool {
			a = call(s, key, "list_regions", `{}`)
			return a.Result.IsError && strings.HasPrefix(a.text(), code+": ") && strings.Contains(a.text(), reason)
		})
		if a.Status != 200 || a.Result.StructuredContent != nil || a.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: %d %s", code, a.Status, a.Body)
		}
		for _, want := range wants {
			if !strings.Contains(a.text(), want) {
				t.Errorf("%s: %q does not say %q", code, a.text(), want)
			}
		}
		return a.text()
	}
	s.Until(func() bool { return call(s, key, "list_regions", `{}`).Result.IsError })
	text := refused("rate_limited", "(Europe/Paris)", "http://127.0.0.1:8080/account/plan")
	if wait := number(t, text, `in (\d+) seconds`); wait < 1 || wait > 60 || strings.Contains(text, "Retry-After") {
		t.Errorf("wait %d seconds: %s", wait, text)
	}
	s.Exec(`UPDATE account.account SET per_minute = 100000, per_day = 1`)
	text = refused("quota_exceeded", "00:00:00 on ", "(Europe/Paris)", "http://127.0.0.1:8080/account/plan")
	left := int(time.Until(clock.Day(time.Now()).End()).Seconds())
	if wait := number(t, text, `in (\d+) seconds`); wait < left-60 || wait > left+60 {
		t.Errorf("wait %d seconds of %d: %s", wait, left, text)
	}
	s.Exec(`UPDATE account.account SET per_day = 100000`)
	s.Until(func() bool { return !call(s, key, "list_regions", `{}`).Result.IsError })
	ctx := t.Context()
	_, err := store.Pause(ctx, account, id)
	testkit.NoError(t, err)
	refused("invalid_api_key", "paused", "until then", "http://127.0.0.1:8080/account/keys")
	for range meter.AnonymousPerMinute { // many people may be behind the address: it is not counted against it
		refused("invalid_api_key", "paused")
	}
	_, err = store.Resume(ctx, account, id)
	testkit.NoError(t, err)
	_, err = store.Restrict(ctx, account, id, apikey.Restriction{Networks: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	testkit.NoError(t, err)
	if text := refused("invalid_api_key", "networks at http://127.0.0.1:8080/account/keys"); strings.Contains(text, "until then") {
		t.Errorf("for an address that is not allowed: %s", text)
	}
	_, err = store.Restrict(ctx, account, id, apikey.Restriction{PerDay: new(1)})
	testkit.NoError(t, err)
	if text := refused("quota_exceeded", "(Europe/Paris)", "at http://127.0.0.1:8080/account/keys"); strings.Contains(text, "/account/plan") {
		t.Errorf("for a cap that its owner has set: %s", text)
	}
	_, err = store.Revoke(ctx, account, id)
	testkit.NoError(t, err)
	s.UntilNoticed(func() bool {
		return strings.Contains(call(s, key, "list_regions", `{}`).Header.Get("WWW-Authenticate"), `error="invalid_token"`)
	})
}

func number(t *testing.T, text, pattern string) int {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no %s in %q", pattern, text)
	}
	return testkit.Must(strconv.Atoi(found[1]))(t)
}

// When the database is away, tools that need it, such as for a report, say so, cost nothing, and the others
// go on.
func TestToolsInAnOutage(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("away@example.org", "pro")
	restore := s.CutDatabase()
	defer restore()
	if a := call(s, key, "get_commune", `{"code":"93010"}`); a.Result.IsError {
		t.Errorf("commune: %s", a.Body)
	}
	if a := call(s, key, "get_parcel", `{"idu":"930100000A0001"}`); a.Result.IsError {
		t.Errorf("parcel: %s", a.Body)
	}
	before := s.Get("/api/v1/regions", "X-API-Key", key).Used(t)
	if a := call(s, key, "get_parcel_enrichments", `{"idu":"930100000A0001"}`); !strings.HasPrefix(a.text(), "unavailable: ") || !strings.Contains(a.text(), "does not count") {
		t.Errorf("report: %s", a.Body)
	}
	if after := s.Get("/api/v1/regions", "X-API-Key", key).Used(t); after != before+1 {
		t.Errorf("a call that failed was counted: %d after %d", after, before)
	}
}
