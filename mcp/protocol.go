package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/tidwall/gjson"

	"arpent/internal/httpbody"
)

// callKey names the call in the context that a message takes through the protocol.
type callKey struct{}

// forwardMessage lets the protocol answer a message.
func (s *Server) forwardMessage(c *fiber.Ctx, m *message, k *call) error {
	header, w := protocolHeaders(c), &writer{header: http.Header{}}
	list, isList := s.toolLists.keyOf(m, header)
	if body := s.toolLists.findAnswer(list, m.id); body != nil {
		c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
		c.Response().SetBodyRaw(body)
		return nil
	}
	s.protocol.Handle(w, &mcpserver.HTTPRequest{Method: http.MethodPost, Header: header, Body: httpbody.Raw(c),
		Context: context.WithValue(context.Background(), callKey{}, k)})
	w.restoreID(m.id)
	if isList {
		s.toolLists.storeAnswer(list, m.id, w)
	}
	if s.tools[m.tool] != nil && k.requestID == "" { // a call that the protocol refused ran no operation
		_ = s.api.AdmitFree(k.key)
	}
	return s.sendAnswer(c, m, k, w)
}

// protocolHeaders are the headers that the protocol knows, without the one of sessions: there are none, and
// an id that somebody chose must not stand for anything.
func protocolHeaders(c *fiber.Ctx) http.Header {
	h := http.Header{}
	for name, value := range c.Request().Header.All() {
		switch name := string(name); {
		case strings.HasPrefix(name, "Mcp-") && name != "Mcp-Session-Id", name == fiber.HeaderContentType,
			name == "Last-Event-Id":
			h.Add(name, string(value))
		}
	}
	return h
}

// toolHandler makes the function by which the protocol calls a tool. It takes nothing from
// the context but the call: what ends a context of the protocol may be another client,
// with the same number for a request of its own.
func (s *Server) toolHandler(t *tool) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, request mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		k, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return nil, errors.New("a call of a tool without a caller")
		}
		return s.runTool(t, k, request.Params.RawArguments), nil
	}
}

// writer keeps an answer of the protocol until it is whole. It cannot stream: it is no http.Flusher.
type writer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *writer) Header() http.Header         { return w.header }
func (w *writer) WriteHeader(status int)      { w.status = status }
func (w *writer) Write(p []byte) (int, error) { return w.body.Write(p) }
func (w *writer) Flush()                      {}
func (w *writer) CanStream() bool             { return false }

// restoreID writes the id of a request into its answer as it came. The protocol reads numbers as floating
// point, in which those beyond 2^53 are others.
func (w *writer) restoreID(id json.RawMessage) {
	body := w.body.Bytes()
	written := gjson.GetBytes(body, "id")
	if len(id) == 0 || !written.Exists() || written.Raw == string(id) {
		return
	}
	after := body[written.Index+len(written.Raw):]
	w.body = *bytes.NewBuffer(slices.Concat(body[:written.Index], id, after))
}

// sendAnswer sends what the protocol has written, with what it could not write itself put in.
func (s *Server) sendAnswer(c *fiber.Ctx, m *message, k *call, w *writer) error {
	body, kind := w.body.Bytes(), fiber.MIMEApplicationJSON
	switch {
	case len(body) > 0 && strings.HasPrefix(w.header.Get(fiber.HeaderContentType), fiber.MIMETextPlain):
		return rejectRequest(c, max(w.status, fiber.StatusBadRequest), mcpgo.INVALID_REQUEST,
			string(bytes.TrimSpace(body)))
	case m.method == string(mcpgo.MethodSubscriptionsListen):
		if events := listenEvents(m.id, body); events != nil {
			body, kind = events, "text/event-stream"
		}
	}
	if k.requestID != "" {
		c.Set("X-Request-Id", k.requestID)
	} else if plain := s.plainError(m, body); plain != nil {
		body = plain
	}
	if w.status != 0 {
		c.Status(w.status)
	}
	if len(body) > 0 {
		c.Response().Header.SetContentType(kind)
		c.Response().SetBodyRaw(body)
	}
	return nil
}

// listenEvents frames the end of a subscription as a stream of two events: that nothing can be subscribed to,
// and that this was all. It gives nil for what is no such end.
func listenEvents(id json.RawMessage, body []byte) []byte {
	var end struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(body, &end) != nil || end.Result == nil {
		return nil
	}
	acknowledged := mustMarshal(object{"jsonrpc": mcpgo.JSONRPC_VERSION,
		"method": mcpgo.MethodNotificationSubscriptionsAcknowledged,
		"params": object{"_meta": object{mcpgo.MetaKeySubscriptionID: id}, "notifications": object{}}})
	return fmt.Appendf(nil, "event: message\ndata: %s\n\nevent: message\ndata: %s\n\n", acknowledged,
		bytes.TrimSpace(body))
}

// maxError is longer than any error: what is longer need not be looked at.
const maxError = 4 << 10

// plainError gives an error of the protocol another text where its own shows the insides of
// this program; nil: it may be sent as it is.
func (s *Server) plainError(m *message, body []byte) []byte {
	if len(body) > maxError {
		return nil
	}
	var e mcpgo.JSONRPCError
	if json.Unmarshal(body, &e) != nil || e.Error.Code == 0 {
		return nil
	}
	switch text := e.Error.Message; {
	case e.Error.Code == mcpgo.INTERNAL_ERROR:
		e.Error.Message, e.Error.Data = "Something went wrong on our side. Try again.", nil
	case m.method == string(mcpgo.MethodToolsCall) && strings.Contains(text, "not found"):
		e.Error.Message = "There is no tool of this name. tools/list gives those that there are."
	case m.method == string(mcpgo.MethodToolsList) && strings.Contains(text, "base64"):
		e.Error.Message = "There is no page of this cursor: the list comes whole, without one."
	case strings.Contains(text, "json:") || strings.Contains(text, "unmarshal") || strings.Contains(text,
		"unparsable"):
		e.Error.Code, e.Error.Data = mcpgo.INVALID_PARAMS, nil
		e.Error.Message = "The params of this method are not of the form that the protocol prescribes."
	default:
		return nil
	}
	e.ID = mcpgo.NewRequestId(m.id)
	plain, err := json.Marshal(e)
	if err != nil {
		return nil
	}
	return plain
}
