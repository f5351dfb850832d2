package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"

	"arpent/api"
	"arpent/api/fieldset"
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
	caller := api.Caller{Key: k.key, SharedAddress: true, Conn: k.httpContext.Context().Conn(),
		Address: s.api.ClientAddress(k.httpContext)}
	arguments := t.Read(given)
	s.api.ReadNames(t.Operation, &arguments)
	r := s.api.Execute(ctx, caller, t.Operation, arguments)
	k.requestID = r.RequestID()
	if r.Fault != nil { // what else a code may mean is in the error
		return mcpgo.NewToolResultError(strings.Join(append([]string{s.writeAdvice(t, k, r)},
			arguments.Replacements()...), "\n"))
	}
	result := makeContent(r.Body, contentOptions{chosen: arguments.ChoosesKeys(t.Operation), table: t.Table,
		objects:  k.httpContext.Get(mcpgo.HeaderProtocolVersion) >= mcpgo.ProtocolVersion20250618,
		narrow:   t.listNarrowing(),
		readings: arguments.Readings(),
		address:  func() string { return s.baseURL + arguments.Address(t.Operation) }})
	if arguments.Explains() {
		if text := t.glossary.explainKeys(explainedKeys(r.Body, arguments.ChoosesKeys(t.Operation))); text != "" {
			result.Content = append(result.Content, mcpgo.NewTextContent(text))
		}
	}
	for _, note := range arguments.Readings() {
		result.Content = append(result.Content, mcpgo.NewTextContent(note))
	}
	return result
}

// explainedKeys lists the keys of an answer that have a value, or of which a state has what is known; where the
// call chose the keys, those without a value too.
func explainedKeys(body []byte, chosen bool) (keys []string) {
	for _, member := range []string{"stats", "enrichments"} {
		gjson.GetBytes(body, member).ForEach(func(key, value gjson.Result) bool {
			if key.Str != "sources" && (chosen || value.Type != gjson.Null && value.Raw != "[]") {
				keys = append(keys, key.Str)
			}
			return true
		})
	}
	for _, name := range []string{fieldset.ParcelsName, fieldset.NeighboursName} { // they are next to stats
		if chosen && gjson.GetBytes(body, name).Exists() {
			keys = append(keys, name)
		}
	}
	gjson.GetBytes(body, "states").ForEach(func(key, one gjson.Result) bool {
		if one.Get("known").Exists() {
			keys = append(keys, key.Str)
		}
		return true
	})
	return keys
}
