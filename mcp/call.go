package mcp

import (
	"context"
	"encoding/json"
	"strings"

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
	ctx, cancel := context.WithTimeout(k.from.UserContext(), callTimeout)
	defer cancel()
	caller := api.Caller{Key: k.key, SharedAddress: true, Conn: k.from.Context().Conn()}
	if caller.NeedsAddress() {
		caller.Address = s.api.ClientAddress(k.from)
	}
	arguments := t.Read(given)
	s.api.ReadNames(t.Operation, &arguments)
	r := s.api.Execute(ctx, caller, t.Operation, arguments)
	k.requestID = r.RequestID()
	if r.Fault != nil {
		return mcpgo.NewToolResultError(strings.Join(append([]string{s.advise(t, k, &arguments, r)}, arguments.Readings()...), "\n"))
	}
	keys, chosen := arguments.Get(t.Operation, "fields")
	result := content(r.Body, chosen, func() string { return s.baseURL + arguments.Address(t.Operation) })
	if text := t.glossary.about(strings.Split(keys, ",")); chosen && text != "" {
		result.Content = append(result.Content, mcpgo.NewTextContent(text))
	}
	for _, note := range arguments.Readings() {
		result.Content = append(result.Content, mcpgo.NewTextContent(note))
	}
	return result
}
