package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api"
	"arpent/auth/apikey"
)

// call is one call of a tool.
type call struct {
	key       *apikey.Entry
	page      string // of the portal, where the owner of the key sets its limits
	from      *fiber.Ctx
	requestID string // of the operation that was run
	out       []byte // what the tool says is written here, as members of the result, after what is there already
	said      bool   // whether it was
}

// run runs a tool. What goes wrong is a part of the result, for the model to read.
func (s *Server) run(t *tool, k *call, arguments json.RawMessage) {
	waiting, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	ask := &api.Ask{Context: waiting, Operation: t.operation.Name, Key: k.key, From: k.from}
	t.read(arguments, ask)
	s.api.Run(ask, func(r *fasthttp.Response) {
		k.requestID, k.said = string(r.Header.Peek("X-Request-Id")), true
		if r.StatusCode() == fasthttp.StatusOK {
			k.out = t.appendContent(k.out, r.Body(), func() string { return s.baseURL + addressOf(t, ask) })
			return
		}
		k.out = append(appendText(append(k.out, `"content":[`...), []byte(s.advise(t, k, ask, r))), `],"isError":true`...)
	})
}

// geometryMost is how many bytes a geometry has at least that is left out of a result.
const geometryMost = 100_000

// appendContent writes a body twice: as text, for clients that know nothing else, and as the object it is. A geometry that
// is too long is left out, and a second text says where it is.
func (t *tool) appendContent(out, body []byte, address func() string) []byte {
	if len(body) < geometryMost {
		return appendBody(out, body, "")
	}
	without, size := withoutGeometry(body)
	if size < geometryMost {
		return appendBody(out, body, "")
	}
	return appendBody(out, without, "The geometry is left out: it is "+strconv.Itoa(size)+" bytes long, and only one under "+
		strconv.Itoa(geometryMost)+" bytes is given. All other members are complete. A program gets the geometry with the same account from "+address())
}

func appendBody(out, body []byte, note string) []byte {
	out = slices.Grow(out, 2*len(body)+len(body)/2+len(note)+512)
	out = appendText(append(out, `"content":[`...), body)
	if note != "" {
		out = appendText(append(out, ','), []byte(note))
	}
	return append(append(out, `],"structuredContent":`...), body...)
}

func appendText(out, text []byte) []byte {
	out = append(out, `{"type":"text","text":"`...)
	return append(appendEscaped(out, text), `"}`...)
}

// withoutGeometry cuts the geometry out of an object, and tells its length; 0: there is none.
func withoutGeometry(body []byte) (without []byte, size int) {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return nil, 0
	}
	for d.More() {
		from := int(d.InputOffset()) // behind the value before
		name, err := d.Token()
		if err != nil {
			return nil, 0
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, 0
		}
		if name == "geometry" {
			without = append(append(without, body[:from]...), body[d.InputOffset():]...)
			return without, len(value)
		}
	}
	return nil, 0
}
