//go:build soak

package app_test

import (
	"net/http"
	"strings"
	"testing"
)

// What a free account reads again without being counted is nothing that it has not read before: an answer 304 is for
// those who show the tag of an answer that they have.
func TestSoakNothingIsReadUncounted(t *testing.T) {
	a := attackedServer(t)
	key := a.account("reader@example.org", "free")
	used := func(r response) string { return r.header.Get("X-Quota-Used") }
	const path = "/api/v1/communes/93010"
	begin := used(a.get("/api/v1", "X-API-Key", key))
	for _, tag := range []string{`*`, `"x", *`, `*, "x"`, ` * `, `W/*`} {
		r := a.get(path, "X-API-Key", key, "If-None-Match", tag)
		t.Logf("If-None-Match: %s: %d, ETag %s, X-Quota-Used %s", tag, r.status, r.header.Get("ETag"), used(r))
		if r.status == http.StatusNotModified && used(r) == begin {
			t.Errorf("If-None-Match: %s gives the tag %s away, and is not counted", tag, r.header.Get("ETag"))
		}
		begin = used(r)
	}
	first := a.get(path, "X-API-Key", key)
	if again := a.get(path, "X-API-Key", key, "If-None-Match", first.header.Get("ETag")); again.status != http.StatusNotModified || used(again) != used(first) {
		t.Errorf("an answer that is shown to be known: %d, X-Quota-Used %s after %s", again.status, used(again), used(first))
	}
}

// Who signs up with the address of somebody else gets nothing of the account that its owner makes of it later: by signing
// up too, or by following the link that the first sign-up sent.
func TestSoakTakeoverBeforeSigningUp(t *testing.T) {
	a := attackedServer(t)
	const theirs = "huit canards verts se baignent"
	for name, owner := range map[string]string{"signs up": "owner@example.org", "follows the link": "other@example.org"} {
		t.Run("the owner "+name, func(t *testing.T) {
			signUp := func(c *client, password string) {
				if p := c.submit("/signup", "/signup", "email", owner, "password", password); p.status != http.StatusSeeOther {
					t.Fatalf("sign-up: %d", p.status)
				}
			}
			signUp(a.client(), theirs)
			link := a.link(owner, "confirm")
			victim := a.client()
			if name == "signs up" {
				signUp(victim, goodPassword) // within a minute of the first: the owner has but the link of that mail
			}
			path := strings.TrimPrefix(link, a.base)
			p := victim.submit(path, path, "password", goodPassword)
			t.Logf("the owner follows %s: %d %s", path, p.status, p.location())
			_, p = a.signIn(owner, theirs)
			t.Logf("the attacker's password: %d %s", p.status, p.location())
			if p.status == http.StatusSeeOther {
				t.Error("the attacker's password opens the account of the owner")
			}
		})
	}
}
