package assistant_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
)

// An assistant that let its tokens expire takes no place any more: the account can connect
// as many again, and one that is in use stays.
func TestUnusedConnectionsEnd(t *testing.T) {
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	for range apikey.MaxAssistants - 1 {
		w.connect(a, client)
	}
	_, token := w.connect(a, client)
	connected := func() int {
		list := testkit.Must(w.Connections(t.Context(), a))(t)
		n := 0
		for _, c := range list {
			if c.EndedAt == nil {
				n++
			} else if !c.EndedAt.Equal(noon.Add(60 * 24 * time.Hour)) {
				t.Errorf("one ended on %v", c.EndedAt)
			}
		}
		return n
	}
	mails := len(w.mails())
	w.clock.Advance(59 * 24 * time.Hour)
	if err := w.Clean(t.Context()); err != nil || connected() != apikey.MaxAssistants {
		t.Fatalf("%d connections before their time is over, %v", connected(), err)
	}
	renewed := w.refresh(client, token)
	w.want(renewed, http.StatusOK, "")
	w.clock.Advance(2 * 24 * time.Hour)
	if n := connected(); n != 1 { // before anybody cleans
		t.Errorf("%d connections are shown", n)
	}
	r := testkit.Must(w.Read(t.Context(), authorizeQuery(client)))(t)
	if _, err := w.Approve(t.Context(), a, r); !errors.Is(err, apikey.ErrTooManyAssistants) {
		t.Errorf("%v", err)
	}
	testkit.NoError(t, w.Clean(t.Context()))
	testkit.WantCount(t, w.pool, apikey.MaxAssistants-1, "grants ended", `SELECT count(*) FROM account.assistant_grant WHERE ended_by = 'unused'`)
	testkit.WantCount(t, w.pool, 1, "keys live",
		`SELECT count(*) FROM account.api_key WHERE revoked_at IS NULL`)
	testkit.WantCount(t, w.pool, apikey.MaxAssistants-1, "records", `SELECT count(*) FROM account.audit WHERE action = 'key_revoked' AND detail->>'reason' = 'unused'`)
	if len(w.mails()) != mails {
		t.Errorf("%d mails", len(w.mails())-mails)
	}
	w.connect(a, client)
	w.want(w.refresh(client, renewed.member("refresh_token")), http.StatusOK, "")
	testkit.Want(t, connected(), 2, "connections")
}

// A connection that is renewed after it was found to be unused stays.
func TestConcurrentRenewalAndCleaningOfAConnection(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	a, client := w.account("a"), w.public("x")
	w.connect(a, client)
	w.clock.Advance(61 * 24 * time.Hour)
	renewing := testkit.Must(w.pool.Begin(ctx))(t)
	defer renewing.Rollback(context.WithoutCancel(ctx))
	testkit.Must(renewing.Exec(ctx, `SELECT FROM account.account FOR UPDATE`))(t)
	cleaned := make(chan error, 1)
	go func() { cleaned <- w.Clean(ctx) }()
	testkit.Eventually(t, testkit.Timeout, "the account is waited for", func() bool {
		return w.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	})
	testkit.Must(renewing.Exec(ctx, `UPDATE account.assistant_token SET expires_at = $1 WHERE kind = 'refresh'`, w.clock.Now().Add(time.Hour)))(t)
	testkit.NoError(t, renewing.Commit(ctx))
	testkit.NoError(t, <-cleaned)
	testkit.WantCount(t, w.pool, 1, "keys live",
		`SELECT count(*) FROM account.api_key WHERE revoked_at IS NULL`)
}

// What is over is removed; what somebody still needs is not, however old.
func TestClean(t *testing.T) {
	w := newWorld(t)
	a, b := w.account("a"), w.account("b")
	connected, gone, idle := w.public("connected"), w.public("gone"), w.public("idle")
	code := w.agree(a, authorizeQuery(connected))
	first := w.exchange(connected, code)
	w.connect(b, gone)
	testkit.Exec(t, w.pool, `UPDATE account.api_key SET revoked_at = $1 WHERE account_id = $2`, noon, b)
	w.agree(a, authorizeQuery(connected)) // never exchanged
	clean := func(after time.Duration, want string) {
		t.Helper()
		w.clock.Set(noon.Add(after))
		testkit.NoError(t, w.Clean(t.Context()))
		got := fmt.Sprintf("%d clients, %d grants, %d live, %d codes, %d tokens", w.count(`SELECT count(*) FROM account.assistant_client`),
			w.count(`SELECT count(*) FROM account.assistant_grant`), w.count(`SELECT count(*) FROM account.assistant_grant WHERE ended_at IS NULL`),
			w.count(`SELECT count(*) FROM account.assistant_code`), w.count(`SELECT count(*) FROM account.assistant_token`))
		if got != want {
			t.Errorf("after %v: %s, want %s", after, got, want)
		}
	}
	clean(time.Minute, "3 clients, 2 grants, 1 live, 3 codes, 2 tokens")
	w.want(w.refresh(idle, "x"), http.StatusBadRequest, "invalid_grant") // known still
	clean(2*time.Hour, "3 clients, 2 grants, 1 live, 3 codes, 1 tokens")
	clean(25*time.Hour, "3 clients, 2 grants, 1 live, 0 codes, 1 tokens")
	clean(4*24*time.Hour, "2 clients, 2 grants, 1 live, 0 codes, 1 tokens")
	w.want(w.refresh(idle, "x"), http.StatusUnauthorized, "invalid_client")
	r := w.refresh(connected, first.member("refresh_token"))
	w.want(r, http.StatusOK, "")
	clean(70*24*time.Hour, "2 clients, 2 grants, 0 live, 0 codes, 0 tokens")
	w.want(w.refresh(connected, r.member("refresh_token")), http.StatusBadRequest, "invalid_grant") // and not invalid_client
}

// A deleted account leaves nothing of its connections, and the client stays for others.
func TestDeletion(t *testing.T) {
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	access, token := w.connect(a, client)
	w.agree(a, authorizeQuery(client))
	testkit.Exec(t, w.pool, `DELETE FROM account.account WHERE id = $1`, a)
	testkit.NoError(t, w.index.Load(t.Context()))
	testkit.WantCount(t, w.pool, 0, "rows are left", `SELECT (SELECT count(*) FROM account.assistant_grant) + (SELECT count(*) FROM account.assistant_code) + (SELECT count(*) FROM account.assistant_token)`)
	if w.accepts(access) {
		t.Error("accepted")
	}
	w.want(w.refresh(client, token), http.StatusBadRequest, "invalid_grant")
}
