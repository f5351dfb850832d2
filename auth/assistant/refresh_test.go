package assistant_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
)

// Tokens are renewed for as long as they are used, and only by the client that they were made for.
func TestRefresh(t *testing.T) {
	w := newWorld(t)
	client, other := w.public("x"), w.public("y")
	_, token := w.connect(w.account("a"), client)
	for range 5 {
		w.clock.Advance(59 * 24 * time.Hour)
		w.want(w.refresh(other, token), http.StatusBadRequest, "invalid_grant")
		r := w.refresh(client, token, "scope", "mcp", "resource", base+"/mcp")
		w.want(r, http.StatusOK, "")
		if next := r.member("refresh_token"); next == token || !w.accepts(r.member("access_token")) {
			t.Fatal("not renewed")
		}
		token = r.member("refresh_token")
	}
	for name, r := range map[string]reply{
		"invalid_scope":   w.refresh(client, token, "scope", "mcp admin"),
		"invalid_target":  w.refresh(client, token, "resource", "https://autre.exemple/mcp"),
		"invalid_request": w.refresh(client, ""),
	} {
		w.want(r, http.StatusBadRequest, name)
	}
	w.clock.Advance(60 * 24 * time.Hour)
	w.want(w.refresh(client, token), http.StatusBadRequest, "invalid_grant") // too late
	testkit.WantCount(t, w.pool, 0, "a token that was merely too late ended the grant",
		`SELECT count(*) FROM account.assistant_grant WHERE ended_at IS NOT NULL`)
}

// Who agreed once is asked again after a year: whatever an assistant renews, nothing
// of it works beyond, and it hears what to do.
func TestConnectionHasALastDay(t *testing.T) {
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	_, token := w.connect(a, client)
	for range 7 {
		w.clock.Advance(52 * 24 * time.Hour)
		r := w.refresh(client, token)
		w.want(r, http.StatusOK, "")
		token = r.member("refresh_token")
	}
	last := noon.Add(365 * 24 * time.Hour)
	w.clock.Set(last.Add(-20 * time.Minute))
	r := w.refresh(client, token)
	w.want(r, http.StatusOK, "")
	if in := r.body["expires_in"]; in != 1200. {
		t.Errorf("expires in %v seconds", in)
	}
	w.clock.Set(last)
	late := w.refresh(client, r.member("refresh_token"))
	w.want(late, http.StatusBadRequest, "invalid_grant")
	if w.accepts(r.member("access_token")) || !strings.Contains(late.text, "a year ago") {
		t.Errorf("after a year: %s", late.text)
	}
	if list, err := w.Connections(t.Context(), a); err != nil || len(list) != 1 || list[0].EndedAt == nil || !list[0].EndedAt.Equal(last) {
		t.Errorf("shown as %+v, %v", list, err)
	}
	testkit.NoError(t, w.Clean(t.Context()))
	testkit.WantCount(t, w.pool, 0, "keys live",
		`SELECT count(*) FROM account.api_key WHERE revoked_at IS NULL`)
	if _, next := w.connect(a, client); w.refresh(client, next).status != http.StatusOK {
		t.Error("cannot be connected again")
	}
}

// A client whose answer was lost asks again with the old token and is not signed out; a client that sends it
// after the grace has stolen it, or was stolen from.
func TestGrace(t *testing.T) {
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	_, token := w.connect(a, client)
	w.want(w.refresh(client, token), http.StatusOK, "")
	w.clock.Advance(45 * time.Second)
	again := w.refresh(client, token)
	w.want(again, http.StatusOK, "")
	w.clock.Advance(time.Second)
	if !w.accepts(again.member("access_token")) {
		t.Error("refused")
	}
	w.want(w.refresh(client, token), http.StatusBadRequest, "invalid_grant")
	w.ended(again, client, a, "refresh_replay")
}

// Two programs that share one token, at the same time and ever after: neither is signed out.
func TestConcurrentRefreshes(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	_, token := w.connect(w.account("a"), client)
	held := []string{token, token}
	for round := range 4 {
		for n, r := range runConcurrently(2, func() reply { return w.refresh(client, held[0]) }) {
			w.want(r, http.StatusOK, "")
			if !w.accepts(r.member("access_token")) {
				t.Errorf("round %d, program %d: signed out", round, n)
			}
			held[n] = r.member("refresh_token")
		}
		w.clock.Advance(5 * time.Minute)
		// The second goes on with its own, long after the first did: they are not in each other's way.
		r := w.refresh(client, held[1])
		w.want(r, http.StatusOK, "")
		w.clock.Advance(5 * time.Minute)
	}
	for _, r := range runConcurrently(20, func() reply { return w.refresh(client, held[0]) }) {
		w.want(r, http.StatusOK, "")
	}
}

// A token goes on to be good while the account's owner has paused the key, and ends with the key.
func TestRefreshFollowsTheKey(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	access, token := w.connect(w.account("a"), client)
	set := func(what string) {
		t.Helper()
		testkit.Exec(t, w.pool, `UPDATE account.api_key SET `+what, noon.Add(time.Minute))
		testkit.NoError(t, w.index.Load(t.Context()))
	}
	set(`paused_at = $1`)
	if e, err := w.Authenticate(t.Context(), access); err != nil || !e.Paused {
		t.Errorf("paused: %+v, %v", e, err)
	}
	r := w.refresh(client, token)
	w.want(r, http.StatusOK, "")
	set(`expires_at = $1`)
	w.clock.Advance(2 * time.Minute)
	w.want(w.refresh(client, r.member("refresh_token")), http.StatusBadRequest, "invalid_grant")
	if w.accepts(access) {
		t.Error("accepted after the key expired")
	}
}

// A client that renews without end fills nothing.
func TestTokensAreBounded(t *testing.T) {
	w := newWorld(t)
	client := w.public("x")
	_, token := w.connect(w.account("a"), client)
	testkit.Exec(t, w.pool, `
		INSERT INTO account.assistant_token (token_hash, account_id, grant_id, kind, created_at, expires_at)
		SELECT sha256(n::text::bytea), account_id, id, 'access', $1::timestamptz - n * interval '1 second', $1::timestamptz + interval '1 hour'
		FROM account.assistant_grant, generate_series(1, $2) n`, noon, 2*assistant.MaxTokens)
	w.clock.Advance(time.Second)
	r := w.refresh(client, token)
	w.want(r, http.StatusOK, "")
	if n := w.count(`SELECT count(*) FROM account.assistant_token`); n > assistant.MaxTokens+1 {
		t.Errorf("%d tokens", n)
	}
	w.want(w.refresh(client, r.member("refresh_token")), http.StatusOK, "")
}

// An assistant that is disconnected where it runs loses its key: either of its
// tokens does, and no other client's.
func TestRevoke(t *testing.T) {
	w := newWorld(t)
	client, other := w.public("x"), w.public("y")
	for _, kind := range []string{"access_token", "refresh_token"} {
		a := w.account(kind)
		r := w.exchange(client, w.agree(a, authorizeQuery(client)))
		w.want(r, http.StatusOK, "")
		for what, pairs := range map[string]map[string]string{
			"another client's": {"client_id": other, "token": r.member(kind)},
			"garbage":          {"client_id": client, "token": "x"},
			"never made":       {"client_id": client, "token": drawSecret("arpr_")},
			"an API key":       {"client_id": client, "token": drawSecret("arp_")},
		} {
			if got := w.form("/oauth/revoke", pairs); got.status != http.StatusOK || !w.accepts(r.member("access_token")) {
				t.Errorf("%s: %d %s", what, got.status, got.text)
			}
		}
		w.want(w.form("/oauth/revoke", map[string]string{"client_id": client}), http.StatusOK, "")
		w.want(w.form("/oauth/revoke", map[string]string{"client_id": "x", "token": r.member(kind)}), http.StatusUnauthorized, "invalid_client")
		got := w.form("/oauth/revoke", map[string]string{"client_id": client, "token": r.member(kind), "token_type_hint": "mistaken"})
		w.want(got, http.StatusOK, "")
		if w.accepts(r.member("access_token")) {
			t.Errorf("%s: still accepted where it was revoked", kind)
		}
		if kind == "access_token" {
			w.ended(r, client, a, "client")
		}
		if err := w.index.Refresh(t.Context(), a); err != nil || w.accepts(r.member("access_token")) {
			t.Errorf("%s: still accepted (%v)", kind, err)
		}
		w.want(w.form("/oauth/revoke", map[string]string{"client_id": client, "token": r.member(kind)}), http.StatusOK, "")
	}
}
