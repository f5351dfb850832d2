// Package mcp is the adapter by which assistants call operations: /mcp speaks the Model Context Protocol, and
// its tools are rows of the operations table of package api. A call of a tool is one request like any other:
// api.Execute runs the same operation, with the same admission, and counts and logs it as any call; the
// message that brings it has a line in the log of its own, with the same id. The protocol itself is mcp-go's.
package mcp

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"arpent/api"
	"arpent/auth/apikey"
	"arpent/internal/clock"
)

// Path is where the server is mounted.
const Path = "/mcp"

// callTimeout ends what a tool waits for. Operations have shorter limits of
// their own; this one holds when those fail.
const callTimeout = 25 * time.Second

// KeyFinder finds the live key that a secret belongs to.
type KeyFinder interface {
	Find(presented string) (*apikey.Entry, error)
}

// TokenFinder finds the live key that an access token stands for. For a token that is not known, not for this
// server, expired or revoked its error is an invalid_api_key, such as apikey.ErrInvalid; any other error
// means that the look-up failed, and must not make the client sign in again.
type TokenFinder interface {
	Find(ctx context.Context, token string) (*apikey.Entry, error)
}

// Options are what a Server is made of.
type Options struct {
	Server      *api.Server // runs the operations
	Document    []byte      // describes them, as OpenAPI
	BaseURL     string      // public address, no trailing slash
	ServiceName string
	Clock       clock.Clock
	Keys        KeyFinder
	Tokens      TokenFinder   // nil: API keys only
	Loaded      func() string // what this server holds now, in words; nil: nothing is said of it
}

// Server is /mcp.
type Server struct {
	api       *api.Server
	baseURL   string
	clock     clock.Clock
	keys      KeyFinder
	tokens    TokenFinder
	challenge challenge
	tools     map[string]*tool
	protocol  *mcpserver.StreamableHTTPServer
	toolLists listCache
}

// New makes a Server. It panics on a tool that does not fit the
// operations table, which a test would have shown.
func New(o Options) *Server {
	where := `resource_metadata="` + o.BaseURL + `/.well-known/oauth-protected-resource` + Path +
		`", scope="mcp"`
	s := &Server{api: o.Server, baseURL: o.BaseURL, clock: o.Clock, keys: o.Keys, tokens: o.Tokens,
		tools: map[string]*tool{}, challenge: challenge{none: "Bearer " + where,
			wrong: `Bearer error="invalid_token", ` + where}}
	server := mcpserver.NewMCPServer(serverName, serverVersion,
		mcpserver.WithTitle(o.ServiceName),
		mcpserver.WithDescription(serverAbout),
		mcpserver.WithWebsiteURL(o.BaseURL),
		mcpserver.WithHooks(instructionHooks(o)),
		mcpserver.WithToolCapabilities(false),
		mcpserver.WithCacheHints(listFresh.Milliseconds(), mcpgo.CacheScopePrivate))
	for _, t := range makeTools(o.Document) {
		s.tools[t.Name] = t
		server.AddTool(t.declareTool(), s.toolHandler(t))
	}
	// Without sessions and streams nothing that is sent to one client can reach another.
	s.protocol = mcpserver.NewStreamableHTTPServer(server, mcpserver.WithStateLess(true),
		mcpserver.WithDisableStreaming(true))
	return s
}

// instructionHooks gives each client that begins the words on the server, with what is loaded by then.
func instructionHooks(o Options) *mcpserver.Hooks {
	hooks := &mcpserver.Hooks{}
	words := func() string {
		loaded := ""
		if o.Loaded != nil {
			loaded = o.Loaded()
		}
		return serverInstructions(o.ServiceName, o.BaseURL, loaded)
	}
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcpgo.InitializeRequest, result *mcpgo.InitializeResult) {
		result.Instructions = words()
	})
	hooks.AddAfterDiscover(func(_ context.Context, _ any, _ *mcpgo.DiscoverRequest, result *mcpgo.DiscoverResult) {
		result.Instructions = words()
	})
	return hooks
}

const (
	serverName    = "arpent"
	serverVersion = "1.0.0"
	serverAbout   = "Read-only open data on the régions, départements, communes and cadastral parcels of France."
	// The tools change with a new version of the program only.
	listFresh = 5 * time.Minute
)

// Register mounts the server on a Fiber application.
func (s *Server) Register(app *fiber.App) { app.All(Path, s.serveRequest) }
