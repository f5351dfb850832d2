package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"strings"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/auth/apikey"
)

// message is a JSON-RPC message, as far as this package looks into it.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  params          `json:"params"`
}

// params are those of a tool call.
type params struct {
	Name      *string                    `json:"name"`
	Arguments map[string]json.RawMessage `json:"arguments"`
	Meta      *meta                      `json:"_meta"`
	Task      json.RawMessage            `json:"task"`
}

// meta is what a client says of itself with each request, from revision 2026-07-28 on.
type meta struct {
	Version      string                     `json:"io.modelcontextprotocol/protocolVersion"`
	Capabilities map[string]json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
}

// post answers one message.
func (s *Server) post(c *fiber.Ctx, key *apikey.Entry) error {
	if !sentJSON(c.Get(fiber.HeaderContentType)) {
		return refuse(c, fiber.StatusUnsupportedMediaType, mcpgo.INVALID_REQUEST, "A message is sent as Content-Type: application/json.")
	}
	if !acceptsJSON(c.Get(fiber.HeaderAccept)) {
		return refuse(c, fiber.StatusNotAcceptable, mcpgo.INVALID_REQUEST, "Answers are application/json or text/event-stream; Accept allows neither.")
	}
	m, code, text := readMessage(c.Body())
	if text != "" {
		return refuseMessage(c, &m, code, text)
	}
	// The strings of a Fiber request live as long as it does, and so does all that is made of them here.
	k := &call{key: key, from: c}
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
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) > 0 && body[0] == '[' {
		return m, mcpgo.INVALID_REQUEST, "This server takes no batches: send one JSON-RPC message in a request."
	}
	err := json.Unmarshal(body, &m)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		inside := strings.HasPrefix(wrong.Field, "params")
		if inside && m.Method == string(mcpgo.MethodToolsCall) || inside && methodOf(body) == string(mcpgo.MethodToolsCall) {
			return m, mcpgo.INVALID_PARAMS, toolCallForm
		}
		if !inside {
			return m, mcpgo.INVALID_REQUEST, messageForm
		}
		m.Params, err = params{}, nil // of a method that has other ones
	}
	switch {
	case err != nil:
		return m, mcpgo.PARSE_ERROR, "The body is not valid JSON."
	case m.Version != mcpgo.JSONRPC_VERSION || !isID(m.ID) || m.Method == "" && m.ID == nil:
		return m, mcpgo.INVALID_REQUEST, messageForm
	case m.Method == string(mcpgo.MethodToolsCall) && m.Params.Name == nil:
		return m, mcpgo.INVALID_PARAMS, toolCallForm
	}
	return m, 0, ""
}

const (
	messageForm  = `This is not a JSON-RPC 2.0 message: expected an object with "jsonrpc": "2.0", a method and, in a request, an id that is a text or a number.`
	toolCallForm = `The params of tools/call are an object with the name of a tool and, where it takes any, its arguments as an object.`
)

// methodOf reads a message again for its method: a wrong type ends the reading of what comes after it.
func methodOf(body []byte) string {
	var m struct {
		Method string `json:"method"`
	}
	if json.Unmarshal(body, &m) != nil {
		return ""
	}
	return m.Method
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
	if len(m.ID) > 0 && isID(m.ID) {
		id = mcpgo.NewRequestId(m.ID)
		if !mcpgo.IsModernProtocol(c.Get(mcpgo.HeaderProtocolVersion)) {
			status = fiber.StatusOK
		}
	}
	return sendError(c, status, mcpgo.NewJSONRPCError(id, code, text, nil))
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
