package contract_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/internal/clock"
)

// A message that calls no tool is free of the day, and within the account's minute: a client that sends more
// gets the time to go on, and it shows nowhere as a request.
func TestMessagesPassTheMinute(t *testing.T) {
	t.Parallel()
	shared := fixture.Start(t)
	for name, message := range map[string]string{
		"list": `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`, "ping": `{"jsonrpc":"2.0","id":"a","method":"ping"}`,
		"notification": `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "unknown method": `{"jsonrpc":"2.0","id":"a","method":"x/y"}`,
		"no message": `{`, "unknown tool": `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}`,
		"refused call": `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"list_regions"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, email := shared.For(t), strings.ReplaceAll(name, " ", "-")+"@example.org"
			key := s.Account(email, "free") // 10 a minute
			before := s.Get("/api/v1/regions", "X-API-Key", key).Used(t)
			headers := []string{"X-API-Key", key}
			if name == "refused call" {
				headers = append(headers, "Mcp-Protocol-Version", "1999-01-01")
			}
			var r rpc
			for range 12 {
				if r = post(s, message, headers...); r.Status == http.StatusTooManyRequests {
					break
				}
			}
			if name == "refused call" { // the protocol refuses it first: what comes after it is held back
				r = post(s, `{"jsonrpc":"2.0","id":"a","method":"ping"}`, "X-API-Key", key)
			}
			if r.Status != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" || r.Error == nil || r.Error.Code != -32029 ||
				!strings.HasPrefix(r.Error.Message, "rate_limited: ") || strings.Contains(message, `"id"`) && string(r.ID) != `"a"` {
				t.Fatalf("%d %v %s", r.Status, r.Header, r.Body)
			}
			if a := call(s, key, "list_regions", `{}`); !a.Result.IsError || !strings.HasPrefix(a.text(), "rate_limited") {
				t.Errorf("a tool is not held to the same minute: %s", a.Body)
			}
			s.Exec(`UPDATE account.account SET per_minute = 1000 WHERE email = $1`, email)
			var after int
			s.Until(func() bool {
				last := s.Get("/api/v1/regions", "X-API-Key", key)
				if last.Status != http.StatusOK {
					return false
				}
				after = last.Used(t)
				return true
			})
			if after != before+1 {
				t.Errorf("%d requests of the day are counted, one was made", after-before)
			}
			var other int
			s.Until(func() bool {
				var regions int
				err := s.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(counted), 0), count(*) FILTER (WHERE operation NOT IN ('list_regions', 'get_index'))
					FROM account.usage WHERE day = $1 AND account_id = (SELECT id FROM account.account WHERE email = $2)`,
					clock.Day(time.Now()).Time(), email).Scan(&regions, &other)
				return err == nil && regions >= after
			})
			if other != 0 {
				t.Errorf("%d rows of usage for what is no operation", other)
			}
		})
	}
}

// The list of tools is made once for each form of the request. It is the same, byte for byte, the second time
// and in every form; and it goes to the request that asked for it.
func testListIsMadeOnce(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("list@example.org", "pro")
	for _, version := range []string{"", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", modernVersion} {
		headers, params := []string{"X-API-Key", key}, []string{``, `,"params":{}`, `,"params":{"cursor":null}`, `,"params":{"_meta":{"progressToken":1}}`}
		if version != "" {
			headers = append(headers, "Mcp-Protocol-Version", version)
		}
		if version == modernVersion {
			headers = append(headers, "Mcp-Method", "tools/list")
			params = []string{`,"params":{` + modernMeta + `}`, `,"params":{"cursor":null,` + modernMeta + `}`}
		}
		var first rpc
		for i, p := range append(params, params...) {
			id := fmt.Sprintf(`"x %d"`, i)
			a := post(s, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"`+p+`}`, headers...)
			if a.Status != 200 || string(a.ID) != id || !strings.Contains(string(a.Body), `"list_regions"`) {
				t.Fatalf("%s %s: %d %.200s", version, p, a.Status, a.Body)
			}
			a.Body = bytes.Replace(a.Body, []byte(id), []byte("0"), 1)
			if i == 0 {
				first = a
			}
			if string(a.Body) != string(first.Body) || a.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
				t.Errorf("%s %s: %.300s\n%.300s", version, p, a.Body, first.Body)
			}
		}
	}
	if a := post(s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "X-API-Key", key, "Mcp-Protocol-Version", "1999-01-01"); a.Status != 400 {
		t.Errorf("an unknown version, after the list was made: %d %.200s", a.Status, a.Body)
	}
	if a := post(s, `{"jsonrpc":"2.0","method":"tools/list"}`, "X-API-Key", key); a.Status != 202 || len(a.Body) > 0 {
		t.Errorf("a notification: %d %.200s", a.Status, a.Body)
	}
}
