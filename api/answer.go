package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"net"
	"strconv"
	"time"
	"unsafe"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api/reply"
	"arpent/app/fault"
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
	headerRequestID   = []byte("X-Request-Id")
	headerRateLimit   = []byte("X-Ratelimit-Limit")
	headerQuotaLimit  = []byte("X-Quota-Limit")
	headerQuotaUsed   = []byte("X-Quota-Used")
	headerQuotaRemain = []byte("X-Quota-Remaining")
	headerQuotaReset  = []byte("X-Quota-Reset")
	headerPlan        = []byte("X-Plan")
	headerPolicy      = []byte("Ratelimit-Policy")
	headerRemaining   = []byte("Ratelimit")
	headerETag        = []byte("Etag")
	headerCache       = []byte("Cache-Control")
	headerVary        = []byte("Vary")

	typeJSON     = []byte("application/json; charset=utf-8")
	cachePrivate = []byte("private, max-age=3600")
	cacheNone    = []byte("no-store")
	varyEncoding = []byte("Accept-Encoding")
	planNone     = []byte("none")
)

// limitHeaders writes the headers that every response under /api/v1 carries.
func limitHeaders(h *fasthttp.ResponseHeader, p *pass, now time.Time) {
	v := &p.verdict
	var b [128]byte
	h.SetCanonical(headerRateLimit, strconv.AppendInt(b[:0], int64(v.Limit), 10))
	h.SetCanonical(headerQuotaLimit, strconv.AppendInt(b[:0], int64(v.QuotaLimit), 10))
	h.SetCanonical(headerQuotaUsed, strconv.AppendInt(b[:0], int64(v.QuotaUsed), 10))
	h.SetCanonical(headerQuotaRemain, strconv.AppendInt(b[:0], int64(quotaLeft(p)), 10))
	reset := v.QuotaReset
	h.SetCanonical(headerQuotaReset, strconv.AppendInt(b[:0], reset, 10))
	if p.key == nil {
		h.SetCanonical(headerPlan, planNone)
		h.SetCanonical(headerPolicy, appendPolicy(b[:0], "address", v.Limit, 60))
		h.SetCanonical(headerRemaining, appendLeft(b[:0], "address", v.Remaining, seconds(v.ResetAfter)))
		return
	}
	h.SetCanonical(headerPlan, unsafeBytes(p.key.Plan))
	policy := append(appendPolicy(b[:0], "minute", v.Limit, 60), ", "...)
	h.SetCanonical(headerPolicy, appendPolicy(policy, "day", v.QuotaLimit, 86400))
	left := append(appendLeft(b[:0], "minute", v.Remaining, seconds(v.ResetAfter)), ", "...)
	h.SetCanonical(headerRemaining, appendLeft(left, "day", quotaLeft(p), max(0, reset-now.Unix())))
}

func quotaLeft(p *pass) int { return max(0, p.verdict.QuotaLimit-p.verdict.QuotaUsed) }

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
func seconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }

// notModified tells whether the caller already holds the body behind etag (weak comparison, RFC 9110 13.1.2).
func notModified(c *fiber.Ctx, etag []byte) bool {
	match := c.Request().Header.Peek(fiber.HeaderIfNoneMatch)
	if len(match) == 0 || len(etag) == 0 {
		return false
	}
	strong := bytes.TrimPrefix(etag, []byte("W/"))
	for candidate := range bytes.SplitSeq(match, []byte(",")) {
		candidate = bytes.TrimSpace(candidate)
		if bytes.Equal(bytes.TrimPrefix(candidate, []byte("W/")), strong) || string(candidate) == "*" {
			return true
		}
	}
	return false
}

// write sends a success: 304 when the caller has it already.
func write(c *fiber.Ctx, op *Operation, r reply.Reply, status int) {
	res := c.Response()
	res.Header.SetContentTypeBytes(typeJSON)
	if op.NotCached {
		res.Header.SetCanonical(headerCache, cacheNone)
	} else {
		res.Header.SetCanonical(headerCache, cachePrivate)
		res.Header.SetCanonical(headerETag, r.ETag)
	}
	if status == fiber.StatusNotModified {
		res.SetStatusCode(status)
		return
	}
	if len(r.Body) >= compressFrom {
		res.Header.SetCanonical(headerVary, varyEncoding)
		compress(c, r.Body)
		return
	}
	res.SetBodyRaw(r.Body)
}

// compress sends body in the best encoding the caller accepts: Brotli, gzip or none.
func compress(c *fiber.Ctx, body []byte) {
	res := c.Response()
	switch {
	case len(c.Request().Header.Peek(fiber.HeaderAcceptEncoding)) == 0: // Fiber would take this for "anything"
		res.SetBodyRaw(body)
	case c.AcceptsEncodings("br") == "br":
		res.Header.Set(fiber.HeaderContentEncoding, "br")
		res.SetBodyRaw(fasthttp.AppendBrotliBytesLevel(nil, body, 4))
	case c.AcceptsEncodings("gzip") == "gzip":
		res.Header.Set(fiber.HeaderContentEncoding, "gzip")
		res.SetBodyRaw(fasthttp.AppendGzipBytesLevel(nil, body, fasthttp.CompressDefaultCompression))
	default:
		res.SetBodyRaw(body)
	}
}

// writeFault sends the one error form. It is the only place where an error becomes a status and a body.
func (s *Server) writeFault(c *fiber.Ctx, err error) int {
	f := fault.From(err)
	status := f.Code.Status()
	if f.Code == fault.Internal {
		id := string(c.Response().Header.PeekBytes(headerRequestID))
		slog.Error("request failed", "request_id", id, "error", f.Cause)
		f.Message += " Quote request id " + id + " when you write to us."
	} else if f.Code == fault.Unavailable {
		id := string(c.Response().Header.PeekBytes(headerRequestID))
		slog.Warn("request not served", "request_id", id, "error", f.Cause)
	}
	body, err := json.Marshal(Error{ErrorDetail{string(f.Code), f.Message, s.documentation(f.Code)}})
	if err != nil {
		panic(err) // three strings always encode
	}
	res := c.Response()
	if f.RetryAfter > 0 {
		res.Header.Set(fiber.HeaderRetryAfter, strconv.FormatInt(max(1, seconds(f.RetryAfter)), 10))
	}
	if status == fiber.StatusUnauthorized {
		res.Header.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="api"`)
	}
	res.Header.SetCanonical(headerCache, cacheNone)
	res.Header.SetContentTypeBytes(typeJSON)
	res.SetStatusCode(status)
	res.SetBodyRaw(body)
	return status
}

func (s *Server) documentation(code fault.Code) string {
	return s.baseURL + "/docs/errors#" + string(code)
}

func itoa(n int) string { return strconv.Itoa(n) }

// unsafeString reads bytes of the request as a string that lives as long as the request.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func unsafeBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func remoteIP(c *fiber.Ctx) net.IP { return c.Context().RemoteIP() }
