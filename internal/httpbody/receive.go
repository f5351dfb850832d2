package httpbody

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

const (
	// What of a body arrives before it is looked at. fasthttp reads that much,
	// never more, for a server that streams.
	prefetchBytes = 8 << 10
	// A list of parameters, headers or cookies costs some hundred bytes an element, which its connection
	// keeps: without a limit 8 KiB of ampersands keep 300 kB.
	maxParameters = 100
	maxHeaders    = 100
	maxPairs      = 200
	// What all bodies together may hold beyond their first 8 KiB. A client has to send bytes to use it up.
	maxInFlight = 64 << 20
)

// Limits are how long bodies may be, by path. A GET, HEAD or OPTIONS has none.
type Limits struct {
	Default int
	Paths   map[string]int
	// inFlight is what bodies beyond their first part hold, from their first byte until Release.
	inFlight atomic.Int64
}

func (l *Limits) limitFor(h *fasthttp.RequestHeader) int {
	if h.IsGet() || h.IsHead() || h.IsOptions() {
		return 0
	}
	path, _, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	if n, ok := l.Paths[string(path)]; ok {
		return n
	}
	return l.Default
}

// oversizeMark marks the header of a request whose body is not read. No name of a header that
// arrives over the network holds a zero byte.
var oversizeMark = []byte("\x00announced")

// HeaderReceived keeps fasthttp from reading a body that is announced as too long: the request goes on
// without it, to be refused by Receive, and its connection ends with the answer.
func (l *Limits) HeaderReceived(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if n := h.ContentLength(); n > max(l.limitFor(h), prefetchBytes) {
		h.SetContentLength(0)
		h.Del(fiber.HeaderExpect)
		h.SetConnectionClose()
		h.SetCanonical(oversizeMark, oversizeMark)
	}
	return fasthttp.RequestConfig{}
}

// Receive reads the body of a request into memory, or gives the reason why the request is refused. After a
// rejection the connection either stands at the next request or ends with the answer. What is held goes
// back to Release when the request is answered.
func (l *Limits) Receive(ctx *fasthttp.RequestCtx) (held int64, reason *Rejection) {
	h := &ctx.Request.Header
	limit := l.limitFor(h)
	if len(h.PeekBytes(oversizeMark)) > 0 {
		return 0, tooLong(limit)
	}
	chunked := h.ContentLength() == -1
	if reason := wellFormed(h, chunked); reason != nil {
		ctx.SetConnectionClose()
		return 0, reason
	}
	if stream := ctx.RequestBodyStream(); stream != nil {
		body, held, reason := l.readBody(ctx, stream, limit)
		if reason != nil {
			return held, reason
		}
		ctx.Request.SetBodyRaw(body)
		return held, checkBody(h, body, limit)
	}
	return 0, checkBody(h, ctx.Request.Body(), limit)
}

// Release gives back what Receive counted.
func (l *Limits) Release(held int64) {
	if held > 0 { // most hold nothing, and all would write to one place of memory
		l.inFlight.Add(-held)
	}
}

// checkBody refuses a body that was read, and is none that a handler may see.
func checkBody(h *fasthttp.RequestHeader, body []byte, limit int) *Rejection {
	switch {
	case len(body) == 0:
		return nil
	case len(body) > limit:
		return tooLong(limit)
	case isEncoded(h):
		return errEncoded
	case bytes.HasPrefix(h.ContentType(), []byte(fiber.MIMEApplicationForm)) && bytes.Count(body,
		[]byte("&")) >= maxParameters:
		return errFields
	}
	return nil
}

// wellFormed refuses what two readers of one connection could read differently, and what would make lists
// without end. fasthttp has refused a request without a Host header, or with two.
func wellFormed(h *fasthttp.RequestHeader, chunked bool) *Rejection {
	raw := h.RawHeaders()
	lines, lengths, codings := 0, 0, 0
	for line := range bytes.Lines(raw) {
		lines++
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch {
		case line[0] == ' ' || line[0] == '\t':
			return errFolded
		case bytes.IndexByte(name, ' ') >= 0: // "Transfer-Encoding : chunked" is a header to some, and none to fasthttp
			return errFraming
		case isName(name, "content-length"):
			lengths++
		case isName(name, "transfer-encoding"):
			codings++
		}
	}
	switch {
	case codings > 1, codings == 1 && (!chunked || !h.IsHTTP11() || lengths > 0):
		return errFraming
	case lines > maxHeaders, bytes.Count(raw, []byte(";")) > maxPairs:
		return errHeaders
	case bytes.Count(h.RequestURI(), []byte("&")) >= maxParameters:
		return errFields
	}
	return nil
}

// isName reports whether a header has a name, which is given in lower case.
func isName(name []byte, want string) bool {
	return len(name) == len(want) && strings.EqualFold(string(name), want)
}

func isEncoded(h *fasthttp.RequestHeader) bool {
	return slices.ContainsFunc(h.PeekAll(fiber.HeaderContentEncoding), func(value []byte) bool {
		value = bytes.TrimSpace(value)
		return len(value) > 0 && !strings.EqualFold(string(value), "identity")
	})
}

// Watched is a connection that asks before each read whether to go on.
type Watched interface {
	// Watch has every read of the connection fail with what stop gives, until it is called with nil.
	Watch(stop func() error)
}

// readBody takes a body as it arrives. One that is too long and was announced as short is read to its end; of
// others the rest is left, and the connection ends.
func (l *Limits) readBody(
	ctx *fasthttp.RequestCtx, stream io.Reader, limit int) (body []byte, held int64, reason *Rejection) {
	h := &ctx.Request.Header
	length := h.ContentLength()
	if length == -1 {
		// fasthttp reads trailers into the headers, anew with each byte of them that arrives.
		before := h.Len()
		stop := func() error {
			if h.Len() > before {
				return errTrailer
			}
			return nil
		}
		if conn, ok := ctx.Conn().(Watched); ok {
			conn.Watch(stop)
			defer conn.Watch(nil)
		}
		stream = checkedReader{stream, stop}
	}
	body, held, err := l.readAll(stream, max(limit, length), length)
	if err == nil {
		return body, held, nil
	}
	ctx.SetConnectionClose()
	var late net.Error
	switch {
	case errors.As(err, &reason) && reason == errLong:
		return nil, held, tooLong(limit)
	case errors.As(err, &reason):
		return nil, held, reason
	case errors.As(err, &late) && late.Timeout(), errors.Is(err, fasthttp.ErrTimeout):
		return nil, held, errSlow
	}
	return nil, held, errBroken
}

// checkedReader has the last look at what came with the end of a body.
type checkedReader struct {
	io.Reader
	stop func() error
}

func (r checkedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		if stopped := r.stop(); stopped != nil {
			err = stopped
		}
	}
	return n, err
}

var errLong = &Rejection{Status: fiber.StatusRequestEntityTooLarge}

// readAll reads r to its end, or returns errLong for a body over limit. held is what it added to inFlight,
// also on error; the caller releases it.
func (l *Limits) readAll(r io.Reader, limit, length int) (body []byte, held int64, err error) {
	if length < 0 {
		length = 512
	}
	body = make([]byte, 0, min(length, prefetchBytes)+1)
	for {
		if len(body) == cap(body) {
			grown := min(2*cap(body), limit+1)
			more := int64(grown) - held
			held = int64(grown)
			if l.inFlight.Add(more) > maxInFlight {
				return nil, held, errBusy
			}
			body = append(make([]byte, 0, grown), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > limit:
			return nil, held, errLong
		case err == io.EOF:
			return body, held, nil
		case err != nil:
			return nil, held, err
		}
	}
}
