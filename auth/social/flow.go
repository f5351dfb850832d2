package social

import (
	"crypto/subtle"
	"net/url"
	"time"

	"golang.org/x/oauth2"
)

// ticket is what a flow must remember between its start and the return. It travels in a sealed cookie:
// nothing is kept here, so starting flows fills no table, and any instance can finish what another began.
type ticket struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v,omitempty"` // empty: no PKCE
	Flow     Flow   `json:"f"`
	Until    int64  `json:"x"` // Unix seconds
}

func newTicket(f Flow, until time.Time, pkce bool) ticket {
	t := ticket{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Flow: f, Until: until.Unix()}
	if pkce {
		t.Verifier = oauth2.GenerateVerifier()
	}
	return t
}

func (s *Social) openTicket(provider, cookie string) (t ticket, ok bool) {
	if s.cookies.Open(cookie, provider, &t) != nil {
		return ticket{}, false
	}
	return t, s.clock.Now().Unix() < t.Until
}

// matchesState reports whether an answer is that of the flow. A parameter given twice is no answer (RFC 6749,
// section 3.1): two readers may each take another one.
func matchesState(query url.Values, state string) bool {
	for _, name := range []string{"state", "code", "error", "iss"} {
		if len(query[name]) > 1 {
			return false
		}
	}
	return subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) == 1
}
