package audit_test

import (
	"context"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/internal/audit"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// What was done can be read again as it was recorded, by whose account
// it was, the newest first and page by page.
func TestRecordAndList(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	ctx := t.Context()
	for i, e := range []audit.Event{
		{Account: 1, Action: audit.ActionSignedUp, Address: netip.MustParseAddr("::ffff:192.0.2.1"), Agent: "Firefox"},
		{Account: 2, Action: audit.ActionSignedUp},
		{Account: 1, Action: audit.ActionKeyCreated, Detail: map[string]any{"name": "carte", "id": 7}, Actor: audit.ActorOperator},
		{Account: 1, Action: audit.ActionSignedIn, Address: netip.MustParseAddr("fe80::1%eth0"), Agent: "a\x00b\xff" + strings.Repeat("é", 300)},
	} {
		testkit.NoError(t, audit.Record(ctx, pool, at.Add(time.Duration(i)*time.Second), e))
	}
	all, err := audit.List(ctx, pool, 1, 0, 100)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	if e := all[0]; e.Action != audit.ActionSignedIn || e.Address.String() != "fe80::1" || !strings.HasPrefix(e.Agent, "abéé") || len(e.Agent) > 300 {
		t.Errorf("newest %+v", e)
	}
	if e := all[1]; e.Actor != audit.ActorOperator || !reflect.DeepEqual(e.Detail, map[string]any{"name": "carte", "id": 7.0}) || e.Address.IsValid() {
		t.Errorf("middle %+v", e)
	}
	if e := all[2]; e.Actor != audit.ActorAccount || e.Address.String() != "192.0.2.1" || !e.At.Equal(at) || e.Account != 1 || len(e.Detail) != 0 {
		t.Errorf("oldest %+v", e)
	}
	page, err := audit.List(ctx, pool, 1, all[1].ID, 100)
	if err != nil || len(page) != 1 || page[0].ID != all[2].ID {
		t.Errorf("next page %+v, %v", page, err)
	}
	if every, err := audit.ListAll(ctx, pool, 0, 3); err != nil || len(every) != 3 || every[1].Account != 1 || every[2].Account != 2 {
		t.Errorf("all %+v, %v", every, err)
	}
}

// No statement rewrites the record: the database itself refuses, except blanking.
func TestRecordIsAppendOnly(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	ctx := t.Context()
	err := audit.Record(ctx, pool, at, audit.Event{Account: 1, Action: audit.ActionSignedIn, Agent: "Firefox",
		Detail: map[string]any{"method": "password"}, Address: netip.MustParseAddr("192.0.2.1")})
	testkit.NoError(t, err)
	for _, statement := range []string{
		`UPDATE account.audit SET action = 'signed_out'`,
		`UPDATE account.audit SET account_id = 2`,
		`UPDATE account.audit SET at = at + interval '1 hour'`,
		`UPDATE account.audit SET actor = 'operator'`,
		`UPDATE account.audit SET detail = '{"method": "google"}'`,
		`UPDATE account.audit SET address = '198.51.100.1'`,
		`UPDATE account.audit SET agent = NULL`,
		`UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL, action = 'x'`,
		`DELETE FROM account.audit`,
		`TRUNCATE account.audit`,
	} {
		if _, err := pool.Exec(ctx, statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if _, err := pool.Exec(ctx, `UPDATE account.audit SET detail = '{}', address = NULL, agent = NULL`); err != nil {
		t.Errorf("blanking: %v", err)
	}
	if all, err := audit.List(ctx, pool, 1, 0, 10); err != nil || len(all) != 1 || all[0].Agent != "" || all[0].Action != audit.ActionSignedIn {
		t.Errorf("after all that: %+v, %v", all, err)
	}
}

// The record of a change that was taken back is taken back with it.
func TestRecordJoinsTheTransaction(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	undone := errors.New("undone")
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if err := audit.Record(context.Background(), tx, at, audit.Event{Account: 1, Action: audit.ActionSignedUp}); err != nil {
			return err
		}
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	if all, err := audit.ListAll(t.Context(), pool, 0, 10); err != nil || len(all) != 0 {
		t.Errorf("left %+v, %v", all, err)
	}
}

// Browsers are named as people know them.
func TestDevice(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"": "", "something": "", "curl/8.5.0": "curl",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0": "Edge, Windows",
		"Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":              "Chrome, Android",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15":     "Safari, macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile/15E148 Safari/604.1":        "Chrome, iPhone",
	} {
		testkit.Want(t, audit.Device(agent), want, agent)
	}
}
