package main

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/clock"
)

// An operator who is asked what happened to an account finds out with one command.
func TestAuditCommand(t *testing.T) { // not parallel: commands read the environment
	pool, url := testkit.DB(t)
	t.Setenv("ARPENT_DATABASE_URL", url)
	t.Setenv("ARPENT_MODE", "production")
	a, err := auth.NewAccounts(pool, clock.Real{}).Create(t.Context(), auth.NewAccount{Email: "me@exemple.fr", Plan: "free"})
	testkit.NoError(t, err)
	at := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	for _, e := range []audit.Event{
		{Account: a.ID, Action: audit.ActionKeyCreated, Detail: map[string]any{"name": "carte \x1b[31m"}},
		{Account: a.ID, Action: audit.ActionSignedIn, Address: netip.MustParseAddr("192.0.2.1"), Agent: "curl/8.5.0"},
		{Account: a.ID + 1, Action: audit.ActionAccountDeleted},
	} {
		testkit.NoError(t, audit.Record(t.Context(), pool, at, e))
	}
	var views []map[string]any
	decodeJSON(t, mustRun(t, "audit", "--account", "ME@exemple.fr", "--json"), &views)
	if len(views) != 2 || views[0]["action"] != "signed_in" || views[0]["address"] != "192.0.2.1" || views[0]["at"] != "2026-03-01T12:30:00Z" ||
		views[1]["address"] != nil || views[1]["actor"] != "account" {
		t.Errorf("audit of one account: %v", views)
	}
	decodeJSON(t, mustRun(t, "audit", "--json", "--limit", "1"), &views)
	if len(views) != 1 || views[0]["action"] != "account_deleted" {
		t.Errorf("audit of all, one row: %v", views)
	}
	text := mustRun(t, "audit")
	if !strings.Contains(text, "2026-03-01 12:30:00") || !strings.Contains(text, "key_created") || strings.Contains(text, "\x1b") {
		t.Errorf("audit prints %q", text)
	}
	for _, args := range []string{"audit --account unknown@exemple.fr", "audit --limit 0", "audit --limit 1001"} {
		if _, err := runArpent(t, "", strings.Fields(args)...); err == nil {
			t.Errorf("arpent %s is accepted", args)
		}
	}
}
