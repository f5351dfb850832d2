package portal_test

import (
	"bytes"
	"net/http"
	"net/url"
	"testing"

	"arpent/auth/social"
	"arpent/portal"
	"arpent/portal/pages"
)

// A form that was drawn before the server's secret was replaced is taken after
// it, and not by a server with other secrets.
func TestFormOfTheFormerSecret(t *testing.T) {
	t.Parallel()
	before := bytes.Repeat([]byte{7}, 32)
	for name, c := range map[string]struct {
		former [][]byte
		want   int
	}{"former": {[][]byte{before}, http.StatusSeeOther}, "unknown": {nil, http.StatusForbidden}} {
		s := newSite(t, func(o *portal.Options, _ *social.Options) { o.Former = c.former })
		token := pages.CSRFToken(pages.CSRFKey(before), "", s.clock.Now())
		if got := s.browser().stay().Post("/language", url.Values{"token": {token}, "language": {"en"}}).Status; got != c.want {
			t.Errorf("%s secret: %d, want %d", name, got, c.want)
		}
	}
}
