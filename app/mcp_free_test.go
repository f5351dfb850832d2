package app_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/base/clock"
)

// What calls no tool is free of the day, and within the account's minute: whoever sends more is told when to go on, and it
// shows nowhere as a request.
func TestMessagesPassTheMinute(t *testing.T) {
	t.Parallel()
	for name, message := range map[string]string{
		"list": `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`, "ping": `{"jsonrpc":"2.0","id":"a","method":"ping"}`,
		"notification": `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "unknown method": `{"jsonrpc":"2.0","id":"a","method":"x/y"}`,
		"no message": `{`, "unknown tool": `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}`,
		"refused call": `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"list_regions"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			key := s.account("free@example.org", "free") // 10 a minute
			before := used(t, s.get("/api/v1/regions", "X-API-Key", key))
			headers := []string{"X-API-Key", key}
			if name == "refused call" {
				headers = append(headers, "Mcp-Protocol-Version", "1999-01-01")
			}
			var r rpc
			for range 12 {
				if r = s.post(message, headers...); r.status == http.StatusTooManyRequests {
					break
				}
			}
			if name == "refused call" { // the protocol refuses it first: what comes after it is held back
				r = s.post(`{"jsonrpc":"2.0","id":"a","method":"ping"}`, "X-API-Key", key)
			}
			if r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "" || r.Error == nil || r.Error.Code != -32029 ||
				!strings.HasPrefix(r.Error.Message, "rate_limited: ") || strings.Contains(message, `"id"`) && string(r.ID) != `"a"` {
				t.Fatalf("%d %v %s", r.status, r.header, r.body)
			}
			if a := s.call(key, "list_regions", `{}`); !a.Result.IsError || !strings.HasPrefix(a.text(), "rate_limited") {
				t.Errorf("a tool is not held to the same minute: %s", a.body)
			}
			if _, err := s.pool.Exec(t.Context(), `UPDATE account.account SET per_minute = 1000`); err != nil {
				t.Fatal(err)
			}
			var after int
			s.until(func() bool {
				last := s.get("/api/v1/regions", "X-API-Key", key)
				if last.status != http.StatusOK {
					return false
				}
				after = used(t, last)
				return true
			})
			if after != before+1 {
				t.Errorf("%d requests of the day are counted, one was made", after-before)
			}
			var other int
			s.within(10*time.Second, func() bool {
				var regions int
				err := s.pool.QueryRow(t.Context(), `SELECT coalesce(sum(counted), 0), count(*) FILTER (WHERE operation NOT IN ('list_regions', 'get_index'))
					FROM account.usage WHERE day = $1`, clock.Day(time.Now()).Time()).Scan(&regions, &other)
				return err == nil && regions >= after
			})
			if other != 0 {
				t.Errorf("%d rows of usage for what is no operation", other)
			}
		})
	}
}

// The list of tools is made once for each form of the request. It is the same, byte for byte, the second time and in every
// form; and it goes to the request that asked for it.
func TestListIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("list@example.org", "pro")
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
			a := s.post(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"`+p+`}`, headers...)
			if a.status != 200 || string(a.ID) != id || !strings.Contains(string(a.body), `"list_regions"`) {
				t.Fatalf("%s %s: %d %.200s", version, p, a.status, a.body)
			}
			a.body = bytes.Replace(a.body, []byte(id), []byte("0"), 1)
			if i == 0 {
				first = a
			}
			if string(a.body) != string(first.body) || a.header.Get("Content-Type") != first.header.Get("Content-Type") {
				t.Errorf("%s %s: %.300s\n%.300s", version, p, a.body, first.body)
			}
		}
	}
	if a := s.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "X-API-Key", key, "Mcp-Protocol-Version", "1999-01-01"); a.status != 400 {
		t.Errorf("an unknown version, after the list was made: %d %.200s", a.status, a.body)
	}
	if a := s.post(`{"jsonrpc":"2.0","method":"tools/list"}`, "X-API-Key", key); a.status != 202 || len(a.body) > 0 {
		t.Errorf("a notification: %d %.200s", a.status, a.body)
	}
}
