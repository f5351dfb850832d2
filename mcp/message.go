package mcp

import (
	"bytes"
	"encoding/json"
	"mime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/app/base/fault"
	"arpent/app/base/httpbody"
)

// message is a JSON-RPC message, as far as this package looks into it. It is a part of the body of the request.
type message struct {
	version string
	id      json.RawMessage // nil: a notification
	method  string
	params  json.RawMessage
	call    toolCall // where the method is tools/call
}

// toolCall is what the params of tools/call say.
type toolCall struct {
	name      string
	arguments json.RawMessage // an object, or nil
	meta      *meta           // nil: none
	more      bool            // there is something that this package does not look into
}

// meta is what a client says of itself with each request, from revision 2026-07-28 on.
type meta struct {
	version      string
	capabilities bool // they are told
}

// post answers one message.
func (s *Server) post(c *fiber.Ctx, k *call) error {
	if !sentJSON(c.Get(fiber.HeaderContentType)) {
		return refuse(c, fiber.StatusUnsupportedMediaType, mcpgo.INVALID_REQUEST, "A message is sent as Content-Type: application/json.")
	}
	if !acceptsJSON(c.Get(fiber.HeaderAccept)) {
		return refuse(c, fiber.StatusNotAcceptable, mcpgo.INVALID_REQUEST, "Answers are application/json or text/event-stream; Accept allows neither.")
	}
	m, code, text := readMessage(httpbody.Raw(c))
	if text != "" || s.tools[m.call.name] == nil {
		if err := s.api.AdmitFree(k.key); err != nil {
			return refuseRate(c, &m, err)
		}
	}
	if text != "" {
		return refuseMessage(c, &m, code, text)
	}
	if f := s.plainList(c, &m); f != nil {
		return answerList(c, f, &m)
	}
	// The strings of a Fiber request live as long as it does, and so does all that is made of them here.
	if t, f := s.plainCall(c, &m); f != nil {
		return s.answerPlain(c, t, f, &m, k)
	}
	return s.byProtocol(c, &m, k)
}

func sentJSON(contentType string) bool {
	if contentType == fiber.MIMEApplicationJSON {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == fiber.MIMEApplicationJSON
}

// acceptsJSON is generous: clients that say nothing, or name one of the two forms only, are served.
func acceptsJSON(accept string) bool {
	if accept == "" {
		return true
	}
	for _, kind := range []string{fiber.MIMEApplicationJSON, "text/event-stream", "*/*", "application/*", "text/*"} {
		if strings.Contains(accept, kind) {
			return true
		}
	}
	return false
}

// readMessage tells what is wrong with a message before the protocol looks at it: there the reasons are not for people.
func readMessage(body []byte) (m message, code int, text string) {
	body = bytes.Trim(body, " \t\r\n") // what JSON takes for space, and nothing else
	switch {
	case !utf8.Valid(body) || !json.Valid(body):
		return m, mcpgo.PARSE_ERROR, "The body is not valid JSON in UTF-8."
	case body[0] == '[':
		return m, mcpgo.INVALID_REQUEST, "This server takes no batches: send one JSON-RPC message in a request."
	}
	named := true
	isObject := members(body, func(name string, value json.RawMessage) {
		switch name {
		case "jsonrpc":
			m.version = unquote(value)
		case "id":
			m.id = value
		case "method":
			m.method, named = unquote(value), value[0] == '"'
		case "params":
			m.params = value
		}
	})
	if !isObject || !named || m.version != mcpgo.JSONRPC_VERSION || !isID(m.id) || m.method == "" && m.id == nil {
		return m, mcpgo.INVALID_REQUEST, messageForm
	}
	if m.method == string(mcpgo.MethodToolsCall) && !m.call.read(m.params) {
		return m, mcpgo.INVALID_PARAMS, toolCallForm
	}
	return m, 0, ""
}

const (
	messageForm  = `This is not a JSON-RPC 2.0 message: expected an object with "jsonrpc": "2.0", a method and, in a request, an id that is a text or a number.`
	toolCallForm = `The params of tools/call are an object with the name of a tool and, where it takes any, its arguments as an object.`
)

// read tells whether params are those of a call.
func (t *toolCall) read(params json.RawMessage) bool {
	named, fits := false, true
	isObject := members(params, func(name string, value json.RawMessage) {
		switch name {
		case "name":
			t.name, named = unquote(value), value[0] == '"'
		case "arguments":
			t.arguments, fits = value, value[0] == '{' || string(value) == "null"
		case "_meta":
			t.meta = readMeta(value)
		default:
			t.more = true
		}
	})
	return isObject && named && fits
}

func readMeta(value json.RawMessage) *meta {
	m := new(meta)
	members(value, func(name string, value json.RawMessage) {
		switch name {
		case mcpgo.MetaKeyProtocolVersion:
			m.version = unquote(value)
		case mcpgo.MetaKeyClientCapabilities:
			m.capabilities = value[0] == '{'
		}
	})
	return m
}

// isID: a notification has no id at all. null is none that an answer could be told by.
func isID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// refuse answers with a JSON-RPC error that belongs to no request.
func refuse(c *fiber.Ctx, status, code int, text string) error {
	return sendError(c, status, mcpgo.NewJSONRPCError(mcpgo.RequestId{}, code, text, nil))
}

// refuseMessage answers with a JSON-RPC error to a message. Where it can be told which request it was, the answer is a 200:
// older clients do not read others. Since revision 2026-07-28 the status says it too.
func refuseMessage(c *fiber.Ctx, m *message, code int, text string) error {
	status, id := fiber.StatusBadRequest, mcpgo.RequestId{}
	if len(m.id) > 0 && isID(m.id) {
		id = mcpgo.NewRequestId(m.id)
		if !mcpgo.IsModernProtocol(c.Get(mcpgo.HeaderProtocolVersion)) {
			status = fiber.StatusOK
		}
	}
	return sendError(c, status, mcpgo.NewJSONRPCError(id, code, text, nil))
}

// tooMany is the code of the error that answers whoever sends too much: one of those that are left to servers.
const tooMany = -32029

// refuseRate answers 429 to a message that is over its account's minute. What is sent again after Retry-After is
// taken.
func refuseRate(c *fiber.Ctx, m *message, err error) error {
	f, id := fault.From(err), mcpgo.RequestId{}
	if len(m.id) > 0 && isID(m.id) {
		id = mcpgo.NewRequestId(m.id)
	}
	wait := int((f.RetryAfter + time.Second - 1) / time.Second)
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(max(1, wait)))
	return sendError(c, f.Code.Status(), mcpgo.NewJSONRPCError(id, tooMany, string(f.Code)+": "+f.Message, nil))
}

func sendError(c *fiber.Ctx, status int, e mcpgo.JSONRPCError) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	c.Response().Header.SetContentType(fiber.MIMEApplicationJSON)
	c.Response().SetBodyRaw(body)
	c.Status(status)
	return nil
}
