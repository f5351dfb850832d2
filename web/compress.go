package web

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/internal/httpbody"
)

// compressFrom is the size in bytes from which a body is worth compressing: a
// smaller one fits into one packet as it is.
const compressFrom = 1 << 10

// Levels of Brotli: pages are compressed for each request or after each load, while a reader waits; what
// never changes once.
const (
	pageLevel  = 6
	assetLevel = fasthttp.CompressBrotliBestCompression
	// Of an asset that would take seconds otherwise, while the first reader waits; a twentieth larger.
	largeLevel = 9
	largeFrom  = 256 << 10 // bytes
)

// compressible are the types of what is text. Fonts and pictures are compressed already.
var compressible = []string{"text/html", "text/css", "text/javascript", "text/plain", "text/markdown",
	"image/svg+xml", "application/json",
	"application/xml", "application/atom+xml"}

// Compress gives what follows in the best encoding that the reader accepts, Brotli before gzip.
// Answers that are encoded already stay as they are, and so do those with a strong entity tag, which
// is that of the bytes that their handler sent.
//
// What holds a secret is not compressed, because the length of the answer would give it away letter
// by letter to an attacker who can have a text of theirs put next to it (BREACH): no answer to a browser with
// a session, whose pages carry the CSRF token of that session, and nothing that may not be stored,
// which every form and every page of the portal is. The token on the public pages of anonymous
// visitors belongs to no session: every visitor gets one.
func Compress(c *fiber.Ctx) error {
	if err := c.Next(); err != nil {
		return err
	}
	if !isCompressible(c.Response()) || hasSecret(c) {
		return nil
	}
	body := c.Response().Body()
	c.Vary(fiber.HeaderAcceptEncoding)
	switch acceptedEncoding(c) {
	case brotli:
		c.Response().SetBodyRaw(fasthttp.AppendBrotliBytesLevel(nil, body, pageLevel))
		c.Set(fiber.HeaderContentEncoding, brotli)
	case gzip:
		c.Response().SetBodyRaw(fasthttp.AppendGzipBytes(nil, body))
		c.Set(fiber.HeaderContentEncoding, gzip)
	}
	return nil
}

func isCompressible(res *fiber.Response) bool {
	if res.StatusCode() != fiber.StatusOK || res.IsBodyStream() || len(res.Body()) < compressFrom {
		return false
	}
	kind, _, _ := strings.Cut(string(res.Header.ContentType()), ";")
	tag := res.Header.Peek(fiber.HeaderETag)
	return slices.Contains(compressible, kind) && len(res.Header.ContentEncoding()) == 0 && (len(tag) == 0 ||
		bytes.HasPrefix(tag, []byte("W/")))
}

func hasSecret(c *fiber.Ctx) bool {
	return c.Cookies(SessionCookie) != "" || c.Cookies(secureCookie) != "" ||
		bytes.Contains(c.Response().Header.Peek(fiber.HeaderCacheControl), []byte("no-store"))
}

// The encodings, by the names that Accept-Encoding has for them.
const (
	brotli = "br"
	gzip   = "gzip"
)

// acceptedEncoding returns the best encoding that the reader accepts; empty: none of ours.
func acceptedEncoding(c *fiber.Ctx) string {
	for _, how := range []string{brotli, gzip} {
		if httpbody.Accepts(c, how) {
			return how
		}
	}
	return ""
}

// encodings are those of a body that never changes, made when they are first asked for.
type encodings struct{ brotli, gzip func() []byte }

// sendBody sets the body of an answer in the best encoding that the reader accepts.
func (e *encodings) sendBody(c *fiber.Ctx, body []byte) {
	c.Vary(fiber.HeaderAcceptEncoding)
	switch how := acceptedEncoding(c); how {
	case brotli:
		c.Set(fiber.HeaderContentEncoding, how)
		body = e.brotli()
	case gzip:
		c.Set(fiber.HeaderContentEncoding, how)
		body = e.gzip()
	}
	c.Response().SetBodyRaw(body)
}

func newEncodings(body []byte, level int) *encodings {
	return &encodings{
		brotli: sync.OnceValue(func() []byte { return fasthttp.AppendBrotliBytesLevel(nil, body, level) }),
		gzip: sync.OnceValue(func() []byte {
			return fasthttp.AppendGzipBytesLevel(nil, body, fasthttp.CompressBestCompression)
		}),
	}
}
