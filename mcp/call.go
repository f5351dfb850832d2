package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/api"
	"arpent/auth/apikey"
)

// call is one message, and the call of a tool that it may be.
type call struct {
	key       *apikey.Entry
	page      string // of the portal, where the owner of the key sets its limits
	from      *fiber.Ctx
	requestID string // of the operation that was run; empty: none was
}

// run runs a tool. What goes wrong is a part of the result, for the model to read.
func (s *Server) run(t *tool, k *call, given json.RawMessage) *mcpgo.CallToolResult {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	caller := api.Caller{Key: k.key, SharedAddress: true, Conn: k.from.Context().Conn()}
	if caller.NeedsAddress() {
		caller.Address = s.api.ClientAddress(k.from)
	}
	arguments := t.Read(given)
	r := s.api.Execute(ctx, caller, t.Operation, arguments)
	k.requestID = r.RequestID()
	if r.Fault != nil {
		return mcpgo.NewToolResultError(s.advise(t, k, &arguments, r))
	}
	return content(r.Body, func() string { return s.baseURL + arguments.Address(t.Operation) })
}

// maxGeometry is how many bytes a geometry has at least that is left out of a result.
const maxGeometry = 100_000

// content gives a body twice: as text, for clients that know nothing else, and as the object it is. A geometry that is too
// long is left out, and a second text says where it is.
func content(body []byte, address func() string) *mcpgo.CallToolResult {
	var note string
	if len(body) >= maxGeometry {
		if without, size := withoutGeometry(body); size >= maxGeometry {
			body = without
			note = "The geometry is left out: it is " + strconv.Itoa(size) + " bytes long, and only one under " +
				strconv.Itoa(maxGeometry) + " bytes is given. All other members are complete. A program gets the geometry with the same account from " + address()
		}
	}
	result := &mcpgo.CallToolResult{Content: []mcpgo.Content{mcpgo.NewTextContent(string(body))}, RawStructuredContent: body}
	if note != "" {
		result.Content = append(result.Content, mcpgo.NewTextContent(note))
	}
	return result
}

// withoutGeometry cuts the geometry out of an object, and gives its length; 0: there is none.
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
