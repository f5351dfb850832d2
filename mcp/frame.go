package mcp

import (
	"bytes"
	"context"
	"net/http"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// The protocol reads a message seven times and writes a result four times, which takes several times as long as the
// operation. A call of a tool in plain form therefore goes past it, into a frame: the answer that the protocol itself gives
// around a result, learned from it at the start. What is not plain goes through the protocol, which knows all the rules.

// placeholder stands for the content of a result while the protocol writes what is around it.
const placeholder = "arpent:content"

var placeholderContent = []byte(`"content":[{"type":"text","text":"` + placeholder + `"}]`)

// frame is the answer to a call of a tool, around the id of the request and around the content.
type frame struct{ start, middle, end []byte }

// frames are those of the two eras of the protocol: before and since requests say of themselves what they are.
type frames struct{ legacy, modern *frame }

const (
	frameID       = `"arpent:id"`
	modernVersion = mcpgo.ProtocolVersion20260728
	frameMeta     = `,"_meta":{"` + mcpgo.MetaKeyProtocolVersion + `":"` + modernVersion + `","` + mcpgo.MetaKeyClientCapabilities + `":{}}`
)

// learnFrames asks the protocol for the frames, with a call of a tool. Without a caller the tool does nothing.
func learnFrames(protocol *mcpserver.StreamableHTTPServer, tool string) frames {
	ask := func(meta string, header http.Header) *frame {
		header.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		w := &writer{header: http.Header{}}
		protocol.Handle(w, &mcpserver.HTTPRequest{Method: http.MethodPost, Header: header, Context: context.Background(),
			Body: []byte(`{"jsonrpc":"2.0","id":` + frameID + `,"method":"tools/call","params":{"name":"` + tool + `"` + meta + `}}`)})
		start, rest, ok := bytes.Cut(w.body.Bytes(), []byte(frameID))
		middle, end, found := bytes.Cut(rest, placeholderContent)
		if !ok || !found {
			panic("the protocol answers a call of a tool with " + w.body.String())
		}
		return &frame{start, middle, bytes.TrimSpace(end)}
	}
	return frames{
		legacy: ask("", http.Header{}),
		modern: ask(frameMeta, http.Header{mcpgo.HeaderProtocolVersion: {modernVersion},
			mcpgo.HeaderMethod: {string(mcpgo.MethodToolsCall)}, mcpgo.HeaderName: {tool}}),
	}
}

// plainCall finds the tool and the frame of a call that is in plain form; nil: it is not.
func (s *Server) plainCall(c *fiber.Ctx, m *message) (*tool, *frame) {
	if m.method != string(mcpgo.MethodToolsCall) || m.id == nil || m.call.more {
		return nil, nil
	}
	t := s.tools[m.call.name]
	if t == nil {
		return nil, nil
	}
	if f := s.frames.of(c, m, m.call.meta, t.Name); f != nil {
		return t, f
	}
	return nil, nil
}

// of finds the frame of the era that a request in plain form belongs to; nil: it is not in plain form.
func (f *frames) of(c *fiber.Ctx, m *message, said *meta, name string) *frame {
	version := c.Get(mcpgo.HeaderProtocolVersion)
	switch stated := said != nil && said.version != ""; {
	case version == modernVersion:
		if !stated || said.version != version || !said.capabilities || !headersAgree(c, m.method, name) {
			return nil
		}
		return f.modern
	case !stated && (version == "" || mcpgo.IsValidProtocolVersion(version)):
		return f.legacy
	default:
		return nil
	}
}

// headersAgree tells whether the headers of a modern request say what its body says, and nothing more.
func headersAgree(c *fiber.Ctx, method, name string) bool {
	return c.Get(mcpgo.HeaderMethod) == method && c.Get(mcpgo.HeaderName) == name &&
		len(c.Request().Header.Peek(mcpgo.HeaderLastEventID)) == 0
}

// keptMost is how much memory for answers a connection keeps.
const keptMost = 128 << 10

// answerPlain runs a tool and puts what it says into a frame.
func (s *Server) answerPlain(c *fiber.Ctx, t *tool, f *frame, m *message, k *call) error {
	res := c.Response()
	body := res.SwapBody(nil)[:0] // memory of the connection, used again
	k.out = append(append(append(body, f.start...), m.id...), f.middle...)
	s.run(t, k, m.call.arguments)
	if out := append(k.out, f.end...); cap(out) <= keptMost {
		res.SwapBody(out)
	} else {
		res.SetBodyRaw(out)
	}
	res.Header.SetContentType(fiber.MIMEApplicationJSON)
	res.Header.Set("X-Request-Id", k.requestID)
	return nil
}

// splice puts the content where the placeholder is. An id that looks like one comes before it.
func (k *call) splice(body []byte) []byte {
	at := bytes.LastIndex(body, placeholderContent)
	if at < 0 {
		return body
	}
	out := make([]byte, 0, len(body)+len(k.out))
	out = append(append(out, body[:at]...), k.out...)
	return append(out, body[at+len(placeholderContent):]...)
}
