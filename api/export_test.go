package api

import (
	"time"

	"github.com/valyala/fasthttp"

	"arpent/auth/apikey"
	"arpent/billing/meter"
)

// CheckSortField is checkSortField.
var CheckSortField = checkSortField

// Explain is toClientFault.
var Explain = toClientFault

// LimitHeaders sets the headers about limits as an answer to a call with a key has them.
func LimitHeaders(h *fasthttp.ResponseHeader, key *apikey.Entry, d meter.Decision, b []byte, now time.Time) {
	a := admission{key, d}
	a.eachLimitHeader(b, now, h.SetCanonical)
}
