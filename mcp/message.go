package mcp

import (
	"bytes"
	"encoding/json"
	"mime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/internal/fault"
	"arpent/internal/httpbody"
)

// message is a JSON-RPC message, as far as this package looks into
// it. It is a part of the body of the request.
type message struct {
	id     json.RawMessage // nil: a notification
	method string
	params json.RawMessage
	tool   string // name of the tool, where the method is tools/call
	// unusual is set where there are members that no request has, whatever the protocol may take them for.
	unusual bool
}

// handleMessage answers one message.
func (s *Server) handleMessage(c *fiber.Ctx, k *call) error {
	if !isJSONContent(c.Get(fiber.HeaderContentType)) {
		return rejectRequest(c, fiber.StatusUnsupportedMediaType, mcpgo.INVALID_REQUEST,
			"A message is sent as Content-Type: application/json.")
	}
	// Clients that say nothing, or name one of the two forms only, are served.
	if accept := c.Get(fiber.HeaderAccept); accept != "" && !slices.ContainsFunc(
		[]string{fiber.MIMEApplicationJSON, "text/event-stream", "*/*", "application/*", "text/*"},
		func(kind string) bool { return strings.Contains(accept, kind) }) {
		return rejectRequest(c, fiber.StatusNotAcceptable, mcpgo.INVALID_REQUEST,
			"Answers are application/json or text/event-stream; Accept allows neither.")
	}
	m, code, text := readMessage(httpbody.Raw(c))
	version := c.Get(mcpgo.HeaderProtocolVersion)
	unknown := version != "" && !mcpgo.IsValidProtocolVersion(version) && m.method != string(mcpgo.MethodInitialize) // which negotiates it
	// the minute of a call is that of its operation
	if text != "" || unknown || s.tools[m.tool] == nil {
		if err := s.api.AdmitFree(k.key); err != nil {
			return rejectRate(c, &m, err)
		}
	}
	if text != "" {
		return rejectMessage(c, &m, code, text)
	}
	if unknown {
		return rejectVersion(c, &m, version)
	}
	return s.forwardMessage(c, &m, k)
}

func isJSONContent(contentType string) bool {
	if contentType == fiber.MIMEApplicationJSON {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == fiber.MIMEApplicationJSON
}

// readMessage says what is wrong with a message before the protocol looks
// at it, whose own reasons are not for people.
func readMessage(body []byte) (m message, code int, text string) {
	body = bytes.Trim(body, " \t\r\n") // what JSON takes for space, and nothing else
	switch {
	case !utf8.Valid(body) || !json.Valid(body):
		return m, mcpgo.PARSE_ERROR, "The body is not valid JSON in UTF-8."
	case body[0] == '[':
		return m, mcpgo.INVALID_REQUEST, "This server takes no batches: send one JSON-RPC message in a request."
	}
	var members map[string]json.RawMessage
	isObject := json.Unmarshal(body, &members) == nil
	version, _ := textOf(members["jsonrpc"])
	method, named := textOf(members["method"])
	m.id, m.method, m.params = members["id"], method, members["params"]
	m.unusual = len(members) > 4 || len(members) == 4 && m.params == nil
	if !isObject || !named || version != mcpgo.JSONRPC_VERSION || !isID(m.id) || m.method == "" && m.id == nil {
		return m, mcpgo.INVALID_REQUEST, messageForm
	}
	if m.method == string(mcpgo.MethodToolsCall) {
		var ok bool
		if m.tool, ok = readToolCall(m.params); !ok {
			return m, mcpgo.INVALID_PARAMS, toolCallForm
		}
	}
	return m, 0, ""
}

const (
	messageForm  = `This is not a JSON-RPC 2.0 message: expected an object with "jsonrpc": "2.0", a method and, in a request, an id that is a text or a number.`
	toolCallForm = `The params of tools/call are an object with the name of a tool and, where it takes any, its arguments as an object.`
)

// readToolCall gives the name of the tool that the params of tools/call name; false: they are no such params.
func readToolCall(params json.RawMessage) (name string, ok bool) {
	var members, arguments map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || members["name"] == nil {
		return "", false
	}
	if given := members["arguments"]; given != nil && json.Unmarshal(given, &arguments) != nil {
		return "", false
	}
	return textOf(members["name"])
}

// textOf is the text of a JSON text; a member that is absent is an empty one. false: it is another value.
func textOf(value json.RawMessage) (text string, ok bool) {
	if len(value) == 0 {
		return "", true
	}
	ok = value[0] == '"' && json.Unmarshal(value, &text) == nil
	return text, ok
}

// isID: a notification has no id at all. null is none that an answer could be matched by.
func isID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

// rejectRequest answers with a JSON-RPC error that belongs to no request.
func rejectRequest(c *fiber.Ctx, status, code int, text string) error {
	return sendError(c, status, mcpgo.NewJSONRPCError(mcpgo.RequestId{}, code, text, nil))
}

// rejectMessage answers with a JSON-RPC error to a message. Where the request has an id, the answer is a 200:
// older clients do not read others. Since revision 2026-07-28 the status says it too.
func rejectMessage(c *fiber.Ctx, m *message, code int, text string) error {
	status, id := fiber.StatusBadRequest, mcpgo.RequestId{}
	if len(m.id) > 0 && isID(m.id) {
		id = mcpgo.NewRequestId(m.id)
		if !mcpgo.IsModernProtocol(c.Get(mcpgo.HeaderProtocolVersion)) {
			status = fiber.StatusOK
		}
	}
	return sendError(c, status, mcpgo.NewJSONRPCError(id, code, text, nil))
}

// rejectVersion answers a message of a revision of the protocol that is not known with those that are.
func rejectVersion(c *fiber.Ctx, m *message, version string) error {
	e := mcpgo.UnsupportedProtocolVersionError{Version: fault.Excerpt(version),
		Supported: mcpgo.ValidProtocolVersions}.JSONRPCError()
	e.Error.Message = "Unsupported protocol version: " + fault.Excerpt(version) + ". This server speaks " +
		strings.Join(mcpgo.ValidProtocolVersions, ", ") + "."
	if len(m.id) > 0 {
		e.ID = mcpgo.NewRequestId(m.id)
	}
	return sendError(c, fiber.StatusBadRequest, e)
}

// codeRateLimited is the code of the error that answers a client that sends too
// much: one of those that are left to servers.
const codeRateLimited = -32029

// rejectRate answers 429 to a message that is over its account's minute.
// What is sent again after Retry-After is taken.
func rejectRate(c *fiber.Ctx, m *message, err error) error {
	f, id := fault.From(err), mcpgo.RequestId{}
	if len(m.id) > 0 && isID(m.id) {
		id = mcpgo.NewRequestId(m.id)
	}
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(waitSeconds(f)))
	return sendError(c, f.Code.Status(), mcpgo.NewJSONRPCError(id, codeRateLimited, string(f.Code)+": "+
		f.Message, nil))
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
