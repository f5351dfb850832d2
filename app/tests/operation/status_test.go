package operation_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// serviceState is what programs read of /status.json.
type serviceState struct {
	State, Database string
	Operations      []struct {
		Name, State string
		Days        []struct{ OK, Failed int }
	}
}

func stateOf(s *fixture.Service) (d serviceState) {
	s.T.Helper()
	testkit.NoError(s.T, json.Unmarshal([]byte(s.Get("/status.json").Body), &d))
	return d
}

// The service measures itself by real calls, a tool's among them, that count for no account; with its
// database away, what needs it is shown as failing, and the page still answers.
func TestServiceMeasuresItself(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory)
	s.Log = &fixture.Lines{}
	s.Serve(s.Build(func(in *app.Inputs) { in.ProbeEvery = 15 * time.Second })) // it may call itself 60 times a minute
	var now serviceState
	s.Slowly(func() bool { // each of them well, and the database answers within a second
		now = stateOf(s)
		for _, o := range now.Operations {
			if len(o.Days) == 0 || o.Days[0].OK == 0 { // on a busy machine a call may fail before
				return false
			}
		}
		return now.Database == "up"
	})
	for _, table := range []string{"usage", "quota_day", "account", "api_key", "rejection"} {
		var there bool
		testkit.NoError(t, s.Pool.QueryRow(t.Context(), `SELECT to_regclass('account.' || $1) IS NOT NULL`, table).Scan(&there))
		if there && testkit.Count(t, s.Pool, `SELECT count(*) FROM account.`+table) != 0 {
			t.Errorf("its own calls are in account.%s", table)
		}
	}
	if log := s.Log.String(); strings.Contains(log, "account_id") || strings.Contains(log, "arp_") {
		t.Error("its own calls are logged as an account's, or with their key")
	}
	restore := s.CutDatabase()
	defer restore()
	s.Slowly(func() bool { return stateOf(s).Database == "down" })
	page := s.Get("/status?lang=en")
	if page.Status != http.StatusOK || !strings.Contains(string(page.Body), "The database does not answer") {
		t.Errorf("%d", page.Status)
	}
	restore()
	s.Slowly(func() bool { return stateOf(s).Database == "up" })
}
