package assistant_test

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/ident"
	"arpent/internal/mail"
)

// A stolen code is worth nothing without the verifier, the client and the address it was made for; and a
// thief who tries takes nothing from the client.
func TestCodeIsBound(t *testing.T) {
	w := newWorld(t)
	a, client, other := w.account("a"), w.public("x"), w.public("y")
	code := w.agree(a, authorizeQuery(client))
	for name, tc := range map[string]struct {
		client string
		change []string
		error  string
	}{
		"another client":    {other, nil, "invalid_grant"},
		"another verifier":  {client, []string{"code_verifier", strings.Repeat("v", 43)}, "invalid_grant"},
		"the challenge":     {client, []string{"code_verifier", pkceChallenge(verifier)}, "invalid_grant"},
		"short verifier":    {client, []string{"code_verifier", "short"}, "invalid_grant"},
		"no verifier":       {client, []string{"code_verifier", ""}, "invalid_request"},
		"another address":   {client, []string{"redirect_uri", callback + "/"}, "invalid_grant"},
		"no address":        {client, []string{"redirect_uri", ""}, "invalid_request"},
		"no code":           {client, []string{"code", ""}, "invalid_request"},
		"garbage":           {client, []string{"code", "x"}, "invalid_grant"},
		"another resource":  {client, []string{"resource", "https://autre.exemple/mcp"}, "invalid_target"},
		"another grant":     {client, []string{"grant_type", "client_credentials"}, "unsupported_grant_type"},
		"no grant":          {client, []string{"grant_type", ""}, "invalid_request"},
		"a code never made": {client, []string{"code", drawSecret("arpc_")}, "invalid_grant"},
	} {
		r := w.exchange(tc.client, code, tc.change...)
		if r.status != http.StatusBadRequest || r.code() != tc.error || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", name, r.status, r.text)
		}
	}
	w.want(w.exchange(client, code), http.StatusOK, "")
}

// An assistant of an organisation belongs to the person who agreed too: its key names the person, and a code
// is worth nothing once they may not connect assistants there any more.
func TestAssistantBelongsToPersonAndOrganisation(t *testing.T) {
	w := newWorld(t)
	person, client := w.account("a"), w.public("x")
	accounts := testkit.Accounts{T: t, Pool: w.pool, Clock: w.clock}
	org := accounts.Organisation("Alpha")
	appoint := func(role string) { accounts.Appoint(org, person, role) }
	appoint("developer")
	r := w.exchange(client, w.agreeAs(person, org, authorizeQuery(client)))
	w.want(r, http.StatusOK, "")
	if e, err := w.Authenticate(t.Context(), r.member("access_token")); err != nil || e.Account != org {
		t.Errorf("%+v, %v", e, err)
	}
	testkit.WantCount(t, w.pool, 1, "keys of the person", `SELECT count(*) FROM account.api_key WHERE account_id = $1 AND created_by = $2 AND personal`, org, person)
	testkit.WantCount(t, w.pool, 1, "events name the person", `SELECT count(*) FROM account.audit WHERE account_id = $1 AND detail->>'by' = 'a@exemple.fr'`, org)
	if m := w.mails(); len(m) != 1 || m[0].To != "jeanne@exemple.fr" {
		t.Errorf("mails %+v", m)
	}
	code := w.agreeAs(person, org, authorizeQuery(client))
	appoint("reader")
	w.want(w.exchange(client, code), http.StatusBadRequest, "invalid_grant")
	testkit.Exec(t, w.pool, `DELETE FROM account.member`)
	w.want(w.exchange(client, w.agreeAs(person, org, authorizeQuery(client))), http.StatusBadRequest, "invalid_grant")
	testkit.WantCount(t, w.pool, 1, "keys", `SELECT count(*) FROM account.api_key`)
}

func drawSecret(mark string) string {
	secret, _ := apikey.Draw(mark)
	return secret
}

// A code is good for a minute.
func TestCodeExpires(t *testing.T) {
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	code, late := w.agree(a, authorizeQuery(client)), w.agree(a, authorizeQuery(client))
	w.clock.Advance(time.Minute - time.Second)
	w.want(w.exchange(client, code), http.StatusOK, "")
	w.clock.Advance(time.Second)
	w.want(w.exchange(client, late), http.StatusBadRequest, "invalid_grant")
	testkit.WantCount(t, w.pool, 1, "keys", `SELECT count(*) FROM account.api_key`)
}

// A code that is brought twice was stolen: the tokens issued for it end, on every instance.
func TestCodeReplay(t *testing.T) {
	w := newWorld(t)
	a, client, other := w.account("a"), w.public("x"), w.public("y")
	code := w.agree(a, authorizeQuery(client))
	first := w.exchange(client, code)
	w.want(first, http.StatusOK, "")
	w.want(w.exchange(other, code), http.StatusBadRequest, "invalid_grant") // it is not the other's: that ends nothing
	if !w.accepts(first.member("access_token")) {
		t.Fatal("another client ended the connection")
	}
	w.clock.Advance(time.Hour / 2)
	w.want(w.exchange(client, code), http.StatusBadRequest, "invalid_grant")
	w.ended(first, client, a, "code_replay")
}

// ended checks that nothing of a connection works any more, and that its owner got a mail.
func (w *world) ended(r reply, client string, account ident.AccountID, why string) {
	w.t.Helper()
	for _, i := range []*instance{w.instance, w.start(w.t)} {
		testkit.NoError(w.t, i.index.Refresh(w.t.Context(), account))
		if i.accepts(r.member("access_token")) {
			w.t.Error("the access token is still good")
		}
		i.want(i.refresh(client, r.member("refresh_token")), http.StatusBadRequest, "invalid_grant")
	}
	testkit.WantCount(w.t, w.pool, 1, "keys are revoked", `SELECT count(*) FROM account.api_key WHERE revoked_at IS NOT NULL AND account_id = $1`, account)
	if n := w.count(`SELECT count(*) FROM account.assistant_grant WHERE ended_by = $1`, why); n != 1 {
		w.t.Errorf("%d grants were ended by %s", n, why)
	}
	testkit.WantCount(w.t, w.pool, 1, "records", `SELECT count(*) FROM account.audit WHERE action = 'key_revoked' AND actor = 'system' AND detail->>'reason' = $1`, why)
	letter := map[string]mail.Template{"client": mail.AssistantLeft}[why]
	if m := w.mails(); m[len(m)-1].Template != cmp.Or(letter, mail.AssistantReused) {
		w.t.Errorf("the last mail is %s", m[len(m)-1].Template)
	}
}

// Fifty exchanges of one code at once, on two instances: one gets tokens,
// and as the code came again they are ended.
func TestConcurrentReplaysOfACode(t *testing.T) {
	w := newWorld(t)
	second := w.start(t)
	a, client := w.account("a"), w.public("x")
	code := w.agree(a, authorizeQuery(client))
	var mu sync.Mutex
	n := 0
	good, all := reply{}, runConcurrently(50, func() reply {
		mu.Lock()
		i := w.instance
		if n++; n%2 == 0 {
			i = second
		}
		mu.Unlock()
		return i.exchange(client, code)
	})
	won := 0
	for _, r := range all {
		if r.status == http.StatusOK {
			won, good = won+1, r
			continue
		}
		w.want(r, http.StatusBadRequest, "invalid_grant")
	}
	if won != 1 {
		t.Fatalf("%d exchanges succeeded", won)
	}
	testkit.WantCount(t, w.pool, 1, "keys were made", `SELECT count(*) FROM account.api_key`)
	w.ended(good, client, a, "code_replay")
}

// Assistants do not take the place of a customer's own keys, nor the
// other way round, and there is an end to them.
func TestCountedApart(t *testing.T) {
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	store := apikey.NewStore(w.pool, w.clock)
	for i := range apikey.MaxIntegrations {
		if _, _, err := store.Create(t.Context(), a, apikey.NewKey{Name: strings.Repeat("k", i+1)}); err != nil {
			t.Fatal(err)
		}
	}
	w.connect(a, client)
	late := w.agree(a, authorizeQuery(client))
	testkit.Exec(t, w.pool, `
		INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, created_at)
		SELECT $1, 'MCP · y ' || n, 'assistant', sha256(n::text::bytea), 'arp_', '0000', $2 FROM generate_series(2, $3) n`, a, noon, apikey.MaxAssistants)
	w.want(w.exchange(client, late), http.StatusBadRequest, "invalid_grant")
	r := testkit.Must(w.Read(t.Context(), authorizeQuery(client)))(t)
	if _, err := w.Approve(t.Context(), a, r); !errors.Is(err, apikey.ErrTooManyAssistants) {
		t.Errorf("one more: %v", err)
	}
	testkit.Exec(t, w.pool, `UPDATE account.account SET email_confirmed_at = NULL`)
	if _, err := w.Approve(t.Context(), a, r); !errors.Is(err, apikey.ErrUnconfirmed) {
		t.Errorf("not confirmed: %v", err)
	}
}

// A member is removed while an assistant exchanges the code that the member agreed to: neither waits for the
// other without end, and no key of the member is left.
func TestConcurrentRemovalAndExchange(t *testing.T) {
	w := newWorld(t)
	owner, person, client := w.account("owner"), w.account("a"), w.public("x")
	org := testkit.Accounts{T: t, Pool: w.pool, Clock: w.clock}.Organisation("Alpha")
	s := auth.Session{Account: owner, AuthenticatedAt: noon}
	err := w.pool.QueryRow(t.Context(), `INSERT INTO account.session (account_id, token_hash, method, authenticated_at, created_at, last_used_at, expires_at)
		VALUES ($2, sha256('s'), 'password', $1, $1, $1, $1::timestamptz + interval '1 day') RETURNING id`, noon, owner).Scan(&s.ID)
	testkit.NoError(t, err)
	s.Organisation, s.Role = org, member.Owner
	service := auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: make([]byte, 32)})
	for range 15 {
		testkit.Exec(t, w.pool, `INSERT INTO account.member (account_id, person_id, role, created_at)
			VALUES ($1, $2, 'developer', $4), ($1, $3, 'owner', $4) ON CONFLICT DO NOTHING`, org, person, owner, noon)
		code := w.agreeAs(person, org, authorizeQuery(client))
		var wait sync.WaitGroup
		wait.Go(func() {
			if err := service.RemoveMember(t.Context(), s, person, auth.Origin{}); err != nil {
				t.Error(err)
			}
		})
		var r reply
		wait.Go(func() { r = w.exchange(client, code) })
		wait.Wait()
		if r.status != http.StatusOK && r.code() != "invalid_grant" {
			t.Errorf("%d %s", r.status, r.text)
		}
		if n := w.count(`SELECT count(*) FROM account.api_key WHERE revoked_at IS NULL`); n != 0 {
			t.Fatalf("%d keys of the former member are good", n)
		}
	}
}
