package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/app/base/fault"
	"arpent/app/base/httpbody"
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
	headerRateLimit = []byte("X-RateLimit-Limit")
	headerETag      = []byte("ETag")
	headerCache     = []byte("Cache-Control")
	headerVary      = []byte("Vary")
	headerChallenge = []byte("WWW-Authenticate")

	typeJSON     = []byte("application/json; charset=utf-8")
	cachePrivate = []byte("private, max-age=3600")
	cacheNone    = []byte("no-store")
	varyEncoding = []byte("Accept-Encoding")
	challenge    = []byte(`Bearer realm="api"`)
)

// limitHeaders writes the headers that every response under /api/v1 carries. They are one value of the library, which writes a value
// as it is: setting them one by one took a fifth of the time in the handler.
func (s *Server) limitHeaders(h *fasthttp.ResponseHeader, a *admission, b []byte, now time.Time) {
	h.SetCanonical(headerRateLimit, s.appendLimits(b, a, now))
}

// appendLimits appends the value of X-RateLimit-Limit, and after it the lines of the other headers about limits.
func (s *Server) appendLimits(b []byte, a *admission, now time.Time) []byte {
	v := &a.decision
	fixed := s.limits.of(limitKey{v.Limit, v.QuotaLimit, v.QuotaReset, a.key != nil})
	b = strconv.AppendInt(append(append(b, fixed.limits...), "\r\nX-Quota-Used: "...), int64(v.QuotaUsed), 10)
	b = strconv.AppendInt(append(b, "\r\nX-Quota-Remaining: "...), int64(a.quotaRemaining()), 10)
	b = append(append(b, fixed.policy...), "\r\nX-Plan: "...)
	if a.key == nil {
		return appendLeft(append(b, "none\r\nRateLimit: "...), "address", v.Remaining, seconds(v.ResetAfter))
	}
	b = append(append(b, a.key.Plan...), "\r\nRateLimit: "...)
	b = append(appendLeft(b, "minute", v.Remaining, seconds(v.ResetAfter)), ", "...)
	return appendLeft(b, "day", a.quotaRemaining(), max(0, v.QuotaReset-now.Unix()))
}

// limitTexts keeps the lines of headers that follow from the limits and the day alone. There are as many as there are
// plans, and accounts with limits of their own.
type limitTexts struct {
	known atomic.Pointer[map[limitKey]*limitText]
}

type limitKey struct {
	perMinute, perDay int
	reset             int64
	account           bool
}

type limitText struct{ limits, policy []byte }

// maxLimitTexts bounds the memory; whoever comes after has the values made anew.
const maxLimitTexts = 1000

func (t *limitTexts) of(key limitKey) *limitText {
	known := t.known.Load()
	if known != nil {
		if text := (*known)[key]; text != nil {
			return text
		}
	}
	text := &limitText{limits: fmt.Appendf(nil, "%d\r\nX-Quota-Limit: %d", key.perMinute, key.perDay),
		policy: fmt.Appendf(nil, "\r\nX-Quota-Reset: %d\r\nRateLimit-Policy: ", key.reset)}
	if key.account {
		text.policy = append(appendPolicy(text.policy, "minute", key.perMinute, 60), ", "...)
		text.policy = appendPolicy(text.policy, "day", key.perDay, 86400)
	} else {
		text.policy = appendPolicy(text.policy, "address", key.perMinute, 60)
	}
	next := map[limitKey]*limitText{key: text}
	if known != nil && len(*known) < maxLimitTexts {
		maps.Copy(next, *known)
	}
	t.known.CompareAndSwap(known, &next) // whoever was faster wins; ours is found out again next time
	return text
}

// appendPolicy and appendLeft write the fields of draft-ietf-httpapi-ratelimit-headers-10.
func appendPolicy(b []byte, name string, quota, window int) []byte {
	b = append(append(append(b, '"'), name...), `";q=`...)
	b = append(strconv.AppendInt(b, int64(quota), 10), ";w="...)
	return strconv.AppendInt(b, int64(window), 10)
}

func appendLeft(b []byte, name string, left int, reset int64) []byte {
	b = append(append(append(b, '"'), name...), `";r=`...)
	b = append(strconv.AppendInt(b, int64(left), 10), ";t="...)
	return strconv.AppendInt(b, reset, 10)
}

// seconds rounds up, so that whoever waits that long has waited long enough.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// write sends a success: 304 when the caller has it already. An answer without a tag is not to be kept.
func write(c *fiber.Ctx, out *Result) {
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
		sent = compress(c, body, encode)
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

func encode(body []byte, how encoding) []byte {
	if how == brotli {
		return fasthttp.AppendBrotliBytesLevel(nil, body, 4)
	}
	return fasthttp.AppendGzipBytesLevel(nil, body, fasthttp.CompressDefaultCompression)
}

// compress gives body in the best encoding the caller accepts, Brotli before gzip, and says so in the headers.
func compress(c *fiber.Ctx, body []byte, encoded func([]byte, encoding) []byte) []byte {
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
	body, err := json.Marshal(Error{ErrorDetail{string(f.Code), message, s.documentation(f.Code)}})
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
		res.Header.Set(fiber.HeaderRetryAfter, strconv.FormatInt(max(1, seconds(f.RetryAfter)), 10))
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

func (s *Server) documentation(code fault.Code) string {
	return s.baseURL + "/docs/errors#" + string(code)
}

func itoa(n int) string { return strconv.Itoa(n) }

// unsafeString reads bytes of the request as a string that lives as long as the request.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
