package api

import (
	"encoding/json"
	"strconv"
	"time"
	"unsafe"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/auth/management"
	"arpent/internal/fault"
	"arpent/internal/httpbody"
)

// Error is the body of every answer that is not a success.
type Error struct {
	Error ErrorDetail `json:"error"`
}

// ErrorDetail says what went wrong in three strings.
type ErrorDetail struct {
	Code          string `json:"code" doc:"What went wrong, for programs." example:"invalid_parameter"`
	Message       string `json:"message" doc:"What went wrong and what was expected, for people."`
	Documentation string `json:"documentation" doc:"Address of the section that explains this code."`
}

// compressFrom is the size in bytes from which an answer is worth compressing.
const compressFrom = 1 << 10

var (
	headerRequestID = []byte("X-Request-Id")
	headerETag      = []byte("ETag")
	headerCache     = []byte("Cache-Control")
	headerVary      = []byte("Vary")
	headerChallenge = []byte("WWW-Authenticate")

	headerRateLimit       = []byte("X-RateLimit-Limit")
	headerQuotaLimit      = []byte("X-Quota-Limit")
	headerQuotaUsed       = []byte("X-Quota-Used")
	headerQuotaRemaining  = []byte("X-Quota-Remaining")
	headerQuotaReset      = []byte("X-Quota-Reset")
	headerReserve         = []byte("X-Quota-Reserve-Remaining")
	headerRateLimitPolicy = []byte("RateLimit-Policy")
	headerPlan            = []byte("X-Plan")
	headerRateLimitState  = []byte("RateLimit")

	typeJSON     = []byte("application/json; charset=utf-8")
	cachePrivate = []byte("private, max-age=3600")
	cacheNone    = []byte("no-store")
	varyEncoding = []byte("Accept-Encoding")
	challenge    = []byte(`Bearer realm="api"`)
	planNone     = []byte("none")
)

// eachLimitHeader calls set with every header that an answer under /api/v1 has about limits, and that of the
// reserve where there is one. The values are made in the memory after b, and are valid until set returns.
func (a *admission) eachLimitHeader(b []byte, now time.Time, set func(name, value []byte)) {
	v := &a.decision
	set(headerRateLimit, strconv.AppendInt(b, int64(v.Limit), 10))
	set(headerQuotaLimit, strconv.AppendInt(b, int64(v.QuotaLimit), 10))
	set(headerQuotaUsed, strconv.AppendInt(b, int64(v.QuotaUsed), 10))
	set(headerQuotaRemaining, strconv.AppendInt(b, int64(a.quotaRemaining()), 10))
	set(headerQuotaReset, strconv.AppendInt(b, v.QuotaReset, 10))
	if v.HasReserve {
		set(headerReserve, strconv.AppendInt(b, int64(a.reserveRemaining()), 10))
	}
	if a.key == nil {
		set(headerRateLimitPolicy, appendPolicy(b, "address", v.Limit, 60))
		set(headerPlan, planNone)
		set(headerRateLimitState, appendRemaining(b, "address", v.Remaining, roundUpSeconds(v.ResetAfter)))
		return
	}
	policy := append(appendPolicy(b, "minute", v.Limit, 60), ", "...)
	set(headerRateLimitPolicy, appendPolicy(policy, "day", v.QuotaLimit, 86400))
	set(headerPlan, append(b, a.key.Plan...))
	left := append(appendRemaining(b, "minute", v.Remaining, roundUpSeconds(v.ResetAfter)), ", "...)
	set(headerRateLimitState, appendRemaining(left, "day", a.quotaRemaining(), max(0, v.QuotaReset-now.Unix())))
}

// SetTokenLimitHeaders sets the headers about the limit of a management token. It has none for a day.
func SetTokenLimitHeaders(c *fiber.Ctx, r management.Rate) {
	h := &c.Response().Header
	h.SetCanonical(headerRateLimit, strconv.AppendInt(nil, management.PerMinute, 10))
	h.SetCanonical(headerRateLimitPolicy, appendPolicy(nil, "token", management.Burst, 60))
	h.SetCanonical(headerRateLimitState, appendRemaining(nil, "token", r.Remaining, roundUpSeconds(r.Reset)))
}

// appendPolicy and appendRemaining write the fields of draft-ietf-httpapi-ratelimit-headers-10.
func appendPolicy(b []byte, name string, quota, window int) []byte {
	b = append(append(append(b, '"'), name...), `";q=`...)
	b = append(strconv.AppendInt(b, int64(quota), 10), ";w="...)
	return strconv.AppendInt(b, int64(window), 10)
}

func appendRemaining(b []byte, name string, left int, reset int64) []byte {
	b = append(append(append(b, '"'), name...), `";r=`...)
	b = append(strconv.AppendInt(b, int64(left), 10), ";t="...)
	return strconv.AppendInt(b, reset, 10)
}

// roundUpSeconds rounds up, so that a client that waits that long has waited long enough.
func roundUpSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// writeResult sends a success: 304 when the caller has it already. An answer without a tag is not to be kept.
func writeResult(c *fiber.Ctx, out *Result) {
	res, body := c.Response(), out.Body
	res.Header.SetContentTypeBytes(typeJSON)
	if len(out.Tag) == 0 {
		res.Header.SetCanonical(headerCache, cacheNone)
	} else {
		res.Header.SetCanonical(headerCache, cachePrivate)
		res.Header.SetCanonical(headerETag, out.Tag)
	}
	if len(body) >= compressFrom {
		res.Header.SetCanonical(headerVary, varyEncoding) // on a 304 too: it goes with what is kept
	}
	if out.Status == fiber.StatusNotModified {
		res.SetStatusCode(out.Status)
		return
	}
	sent := body
	if len(body) >= compressFrom {
		sent = compressResponse(c, body, compressBody)
	}
	if out.own && len(sent) > 0 && &sent[0] == &body[0] {
		res.SwapBody(sent) // the response has the memory until it was sent, and gives it back then
		return
	}
	res.SetBodyRaw(sent)
}

// encoding is a way to make a body shorter, by the name that Accept-Encoding has for it.
type encoding string

const (
	brotli encoding = "br"
	gzip   encoding = "gzip"
)

func compressBody(body []byte, how encoding) []byte {
	if how == brotli {
		return fasthttp.AppendBrotliBytesLevel(nil, body, 4)
	}
	return fasthttp.AppendGzipBytesLevel(nil, body, fasthttp.CompressDefaultCompression)
}

// compressResponse gives body in the best encoding the caller accepts,
// Brotli before gzip, and names it in the headers.
func compressResponse(c *fiber.Ctx, body []byte, encoded func([]byte, encoding) []byte) []byte {
	h := &c.Response().Header
	h.SetCanonical(headerVary, varyEncoding)
	for _, how := range []encoding{brotli, gzip} {
		if httpbody.Accepts(c, string(how)) {
			h.Set(fiber.HeaderContentEncoding, string(how))
			return encoded(body, how)
		}
	}
	return body
}

// faultBody is the one error form. It is the only place where an error becomes a body.
func (s *Server) faultBody(f *fault.Error) []byte {
	message := f.Message
	if f.Path != "" {
		message += " " + f.Path
	}
	body, err := json.Marshal(Error{ErrorDetail{string(f.Code), message, s.documentationURL(f.Code)}})
	if err != nil {
		panic(err) // three strings always encode
	}
	return body
}

// writeFault sends an error, and returns its status.
func (s *Server) writeFault(res *fasthttp.Response, f *fault.Error) int {
	status := f.Code.Status()
	if f.Code == fault.MethodNotAllowed && len(res.Header.Peek(fiber.HeaderAllow)) == 0 {
		res.Header.Set(fiber.HeaderAllow, "GET, HEAD")
	}
	if f.RetryAfter > 0 {
		res.Header.Set(fiber.HeaderRetryAfter, strconv.FormatInt(max(1, roundUpSeconds(f.RetryAfter)), 10))
	}
	if status == fiber.StatusUnauthorized {
		res.Header.SetCanonical(headerChallenge, challenge)
	}
	res.Header.SetCanonical(headerCache, cacheNone)
	res.Header.SetContentTypeBytes(typeJSON)
	res.SetStatusCode(status)
	res.SetBodyRaw(s.faultBody(f))
	return status
}

func (s *Server) documentationURL(code fault.Code) string {
	return s.baseURL + "/docs/errors#" + string(code)
}

func itoa(n int) string { return strconv.Itoa(n) }

// unsafeString reads bytes of the request as a string that lives as long as the request.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
