//go:build soak

package attack_test

import (
	"net/http"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// What a free account reads again without being counted is nothing that it has not read before: an answer 304
// is for those who show the tag of an answer that they have.
func TestSoakNothingIsReadUncounted(t *testing.T) {
	a := attackedServer(t)
	key := a.Account("reader@example.org", "free")
	used := func(r fixture.Response) string { return r.Header.Get("X-Quota-Used") }
	const path = "/api/v1/communes/93010"
	begin := used(a.Get("/api/v1", "X-API-Key", key))
	for _, tag := range []string{`*`, `"x", *`, `*, "x"`, ` * `, `W/*`} {
		r := a.Get(path, "X-API-Key", key, "If-None-Match", tag)
		t.Logf("If-None-Match: %s: %d, ETag %s, X-Quota-Used %s", tag, r.Status, r.Header.Get("ETag"), used(r))
		if r.Status == http.StatusNotModified && used(r) == begin {
			t.Errorf("If-None-Match: %s gives the tag %s away, and is not counted", tag, r.Header.Get("ETag"))
		}
		begin = used(r)
	}
	first := a.Get(path, "X-API-Key", key)
	if again := a.Get(path, "X-API-Key", key, "If-None-Match", first.Header.Get("ETag")); again.Status != http.StatusNotModified || used(again) != used(first) {
		t.Errorf("an answer that is shown to be known: %d, X-Quota-Used %s after %s", again.Status, used(again), used(first))
	}
}

// Who signs up with the address of somebody else gets nothing of the account that its owner makes of it
// later: by signing up too, or by following the link that the first sign-up sent.
func TestSoakTakeoverBeforeSigningUp(t *testing.T) {
	a := attackedServer(t)
	const theirs = "huit canards verts se baignent"
	for name, owner := range map[string]string{"signs up": "owner@example.org", "follows the link": "other@example.org"} {
		t.Run("the owner "+name, func(t *testing.T) {
			signUp := func(c *testkit.Browser, password string) {
				if p := c.Submit(c.Get("/signup"), "/signup", "email", owner, "password", password); p.Status != http.StatusSeeOther {
					t.Fatalf("sign-up: %d", p.Status)
				}
			}
			signUp(a.Browser(), theirs)
			link := a.Link(owner, "confirm")
			victim := a.Browser()
			if name == "signs up" {
				signUp(victim, fixture.Password) // within a minute of the first: the owner has but the link of that mail
			}
			p := victim.Submit(victim.Get(link), link, "password", fixture.Password)
			t.Logf("the owner follows %s: %d %s", link, p.Status, p.Location())
			_, p = a.SignIn(owner, theirs)
			t.Logf("the attacker's password: %d %s", p.Status, p.Location())
			if p.Status == http.StatusSeeOther {
				t.Error("the attacker's password opens the account of the owner")
			}
		})
	}
}
