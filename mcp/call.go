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
	key          *apikey.Entry
	settingsPage string // of the portal, where the owner of the key sets its limits
	httpContext  *fiber.Ctx
	requestID    string // of the operation that was run; empty: none was
}

// runTool runs a tool. What goes wrong is a part of the result, for the model to read.
func (s *Server) runTool(t *tool, k *call, given json.RawMessage) *mcpgo.CallToolResult {
	ctx, cancel := context.WithTimeout(k.httpContext.UserContext(), callTimeout)
	defer cancel()
	caller := api.Caller{Key: k.key, SharedAddress: true, Conn: k.httpContext.Context().Conn()}
	if caller.NeedsAddress() {
		caller.Address = s.api.ClientAddress(k.httpContext)
	}
	arguments := t.Read(given)
	s.api.ReadNames(t.Operation, &arguments)
	r := s.api.Execute(ctx, caller, t.Operation, arguments)
	k.requestID = r.RequestID()
	if r.Fault != nil {
		return mcpgo.NewToolResultError(strings.Join(append([]string{s.writeAdvice(t, k, &arguments, r)}, arguments.Readings()...), "\n"))
	}
	keys, chosen := arguments.Get(t.Operation, "fields")
	result := makeContent(r.Body, chosen, func() string { return s.baseURL + arguments.Address(t.Operation) })
	if text := t.glossary.explainKeys(strings.Split(keys, ",")); chosen && text != "" {
		result.Content = append(result.Content, mcpgo.NewTextContent(text))
	}
	for _, note := range arguments.Readings() {
		result.Content = append(result.Content, mcpgo.NewTextContent(note))
	}
	return result
}
