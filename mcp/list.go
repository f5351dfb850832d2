package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// readLists asks the protocol for the list of the tools, once in each era. It does not change while the program runs:
// writing its 40 kB anew for each request would cost more than any tool does.
func readLists(protocol *mcpserver.StreamableHTTPServer) frames {
	request := func(params string, header http.Header) *frame {
		header.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		w := &writer{header: http.Header{}}
		protocol.Handle(w, &mcpserver.HTTPRequest{Method: http.MethodPost, Header: header, Context: context.Background(),
			Body: []byte(`{"jsonrpc":"2.0","id":` + frameID + `,"method":"` + string(mcpgo.MethodToolsList) + `"` + params + `}`)})
		start, end, ok := bytes.Cut(w.body.Bytes(), []byte(frameID))
		if !ok || !bytes.Contains(end, []byte(`"tools":[`)) {
			panic("the protocol answers a request for the list of tools with " + w.body.String())
		}
		return &frame{start: start, end: end}
	}
	return frames{
		legacy: request("", http.Header{}),
		modern: request(`,"params":{`+frameMeta[1:]+`}`, http.Header{mcpgo.HeaderProtocolVersion: {modernVersion},
			mcpgo.HeaderMethod: {string(mcpgo.MethodToolsList)}}),
	}
}

// plainList finds the answer to a request for the list of tools in plain form: without a cursor, or anything else that is
// not looked into here.
func (s *Server) plainList(c *fiber.Ctx, m *message) *frame {
	if m.method != string(mcpgo.MethodToolsList) || m.id == nil {
		return nil
	}
	var said *meta
	plain := true
	if m.params != nil {
		isObject := members(m.params, func(name string, value json.RawMessage) {
			if name == "_meta" && value[0] == '{' {
				said = readMeta(value)
				return
			}
			plain = false
		})
		plain = plain && isObject
	}
	if !plain {
		return nil
	}
	return s.lists.of(c, m, said, "")
}

func answerList(c *fiber.Ctx, f *frame, m *message) error {
	c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	body := make([]byte, 0, len(f.start)+len(m.id)+len(f.end))
	c.Response().SetBodyRaw(append(append(append(body, f.start...), m.id...), f.end...))
	return nil
}
