package assistant_test

import (
	"net/http"
	"testing"
	"time"

	"arpent/auth/apikey"
)

// An assistant that let its tokens expire takes no place any more: the account can connect as many again, and one that is
// in use stays.
func TestUnusedConnectionsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, client := w.account("a"), w.public("x")
	for range apikey.MaxAssistants - 1 {
		w.connect(a, client)
	}
	_, token := w.connect(a, client)
	connected := func() int {
		list, err := w.Connections(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
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
	r, err := w.Read(t.Context(), asking(client))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Approve(t.Context(), a, r); !isError(err, apikey.ErrTooManyAssistants) {
		t.Errorf("%v", err)
	}
	if err := w.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := w.count(`SELECT count(*) FROM account.assistant_grant WHERE ended_by = 'unused'`); n != apikey.MaxAssistants-1 {
		t.Errorf("%d grants ended", n)
	}
	if n := w.count(`SELECT count(*) FROM account.api_key WHERE revoked_at IS NULL`); n != 1 {
		t.Errorf("%d keys live", n)
	}
	if n := w.count(`SELECT count(*) FROM account.audit WHERE action = 'key_revoked' AND detail->>'reason' = 'unused'`); n != apikey.MaxAssistants-1 {
		t.Errorf("recorded %d times", n)
	}
	if len(w.mails()) != mails {
		t.Errorf("%d mails", len(w.mails())-mails)
	}
	w.connect(a, client)
	w.want(w.refresh(client, renewed.member("refresh_token")), http.StatusOK, "")
	if n := connected(); n != 2 {
		t.Errorf("%d connections", n)
	}
}
