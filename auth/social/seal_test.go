package social

import (
	"bytes"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
)

// Who is at a provider while the server's secret is replaced comes back and is signed in; a cookie of another
// server, and one of a secret that is gone, does not open.
func TestCookieOfTheFormerSecret(t *testing.T) {
	t.Parallel()
	make := func(secret byte, former ...byte) *Social {
		o := Options{BaseURL: "https://arpent.example", Secret: bytes.Repeat([]byte{secret}, 32), Clock: clock.Real{}}
		for _, f := range former {
			o.Former = append(o.Former, bytes.Repeat([]byte{f}, 32))
		}
		return testkit.Must(New(o))(t)
	}
	cookie := testkit.Must(make(1).cookies.Seal(newTicket(Flow{Next: "/account"}, time.Now().Add(time.Minute), true), "google"))(t)
	if ticket, ok := make(2, 3, 1).openTicket("google", cookie); !ok || ticket.Flow.Next != "/account" {
		t.Error("the cookie of a former secret does not open")
	}
	if _, ok := make(2, 3).openTicket("google", cookie); ok {
		t.Error("the cookie of an unknown secret opens")
	}
	if _, ok := make(2, 1).openTicket("github", cookie); ok {
		t.Error("the cookie of another provider opens")
	}
}
