package contract_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// limitHeaders are the headers about limits, in the spelling of the contract.
var limitHeaders = []string{"X-RateLimit-Limit", "X-Quota-Limit", "X-Quota-Used", "X-Quota-Remaining", "X-Quota-Reset",
	"RateLimit-Policy", "X-Plan", "RateLimit"}

// A client that compares names of headers letter by letter finds each header about limits once, on a line of
// its own, in every answer: of an account, of an anonymous client, and of a request that cannot be read.
func testLimitHeadersAreLinesOfTheirOwn(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("lines@example.org", "pro")
	for name, request := range map[string]string{
		"200": "GET /api/v1/regions HTTP/1.1\r\nX-API-Key: " + key, "404": "GET /api/v1/regions/99 HTTP/1.1\r\nX-API-Key: " + key,
		"anonymous 200": "GET /api/v1 HTTP/1.1", "401": "GET /api/v1/regions HTTP/1.1",
		"unreadable": "GET /api/v1/regions HTTP/1.1\r\nX-Long: " + strings.Repeat("x", 9<<10),
	} {
		lines := readHeader(t, strings.TrimPrefix(s.Base, "http://"), request)
		for _, want := range limitHeaders {
			found := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.HasPrefix(line, want+": ") })
			if len(found) != 1 || len(found[0]) == len(want)+2 {
				t.Errorf("%s: %q are the lines of %s, want one with a value, in\n%s", name, found, want, strings.Join(lines, "\n"))
			}
		}
	}
}

// readHeader sends a request and returns the lines before the body of the answer as they are sent.
func readHeader(t *testing.T, address, request string) (lines []string) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, testkit.Timeout)
	testkit.NoError(t, err)
	defer conn.Close()
	testkit.NoError(t, conn.SetDeadline(time.Now().Add(testkit.Timeout)))
	_, err = io.WriteString(conn, request+"\r\nHost: localhost\r\n\r\n")
	testkit.NoError(t, err)
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(fmt.Errorf("read the header: %w", err))
		}
		line, ended := strings.CutSuffix(line, "\r\n")
		if !ended {
			t.Fatalf("the line %q does not end as HTTP requires", line)
		}
		if line == "" {
			return lines
		}
		lines = append(lines, line)
	}
}
