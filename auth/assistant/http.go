package assistant

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/fault"
	"arpent/internal/httpbody"
)

// maxBody is more than any registration or token request has.
const maxBody = 16 << 10

// What programs in a browser may send and read, from any site: there are no
// cookies here, a caller brings all it needs.
const (
	allowedHeaders = "Authorization, Content-Type, Accept, X-API-Key, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"
	exposedHeaders = "WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After"
	preflightKept  = "86400"
	metadataKept   = "public, max-age=3600"
)

// AuthorizePath is the page to which a client sends its user to authorize it. The portal serves it.
const AuthorizePath = "/oauth/authorize"

// The paths that Register serves.
const (
	tokenPath    = "/oauth/token"
	registerPath = "/oauth/register"
	revokePath   = "/oauth/revoke"
)

// Register adds the routes of the OAuth server, without AuthorizePath.
func (s *Server) Register(app *fiber.App) {
	for _, path := range []string{"/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource" + mcpPath} {
		addRoute(app, path, fiber.MethodGet, s.serveMetadata(s.metadata[0]))
	}
	for _, path := range []string{
		"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server" + mcpPath,
		"/.well-known/openid-configuration", "/.well-known/openid-configuration" + mcpPath,
		mcpPath + "/.well-known/openid-configuration", mcpPath + "/.well-known/oauth-authorization-server",
	} {
		addRoute(app, path, fiber.MethodGet, s.serveMetadata(s.metadata[1]))
	}
	addRoute(app, registerPath, fiber.MethodPost, s.wrapHandler(s.postRegister))
	addRoute(app, tokenPath, fiber.MethodPost, s.wrapHandler(s.postToken))
	addRoute(app, revokePath, fiber.MethodPost, s.wrapHandler(s.postRevoke))
}

// addRoute adds one address with the one method that it takes, open to every site.
func addRoute(app *fiber.App, path, method string, h fiber.Handler) {
	app.Options(path, func(c *fiber.Ctx) error {
		setCORSHeaders(c)
		c.Set(fiber.HeaderAccessControlAllowMethods, method+", OPTIONS")
		allowed := allowedHeaders // and those that were asked for and carry a parameter of a tool
		for name := range strings.SplitSeq(c.Get(fiber.HeaderAccessControlRequestHeaders), ",") {
			if name = strings.TrimSpace(name); paramHeader.MatchString(name) {
				allowed += ", " + name
			}
		}
		c.Set(fiber.HeaderAccessControlAllowHeaders, allowed)
		c.Set(fiber.HeaderAccessControlMaxAge, preflightKept)
		c.Set(fiber.HeaderVary, fiber.HeaderAccessControlRequestHeaders)
		return c.SendStatus(fiber.StatusNoContent)
	})
	app.Add(method, path, func(c *fiber.Ctx) error { setCORSHeaders(c); return h(c) })
	if method == fiber.MethodGet {
		app.Head(path, func(c *fiber.Ctx) error { setCORSHeaders(c); return h(c) })
	}
	app.All(path, func(c *fiber.Ctx) error {
		setCORSHeaders(c)
		c.Set(fiber.HeaderAllow, method+", OPTIONS")
		return sendJSON(c, fiber.StatusMethodNotAllowed, map[string]any{"error": "invalid_request",
			"error_description": "send " + method})
	})
}

func setCORSHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
	c.Set(fiber.HeaderAccessControlExposeHeaders, exposedHeaders)
}

var paramHeader = regexp.MustCompile(`^(?i:mcp-param-)[A-Za-z0-9_-]{0,90}$`)

// oauthError is an error as RFC 6749 and 7591 write it.
type oauthError struct {
	status int
	code   string
	detail string
	basic  bool          // the client used HTTP Basic, and the answer names it
	wait   time.Duration // before it is worth trying again; 0: there is nothing to wait for
}

func (e *oauthError) Error() string { return e.code + ": " + e.detail }

func badRequest(code, detail string) *oauthError {
	return &oauthError{status: fiber.StatusBadRequest, code: code, detail: detail}
}

// wrapHandler answers a request whose body is within bounds, and turns errors into what clients
// understand. What is secret is never kept by a cache.
func (s *Server) wrapHandler(h func(ctx context.Context, c *fiber.Ctx) (status int, body map[string]any,
	err error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "no-store")
		c.Set(fiber.HeaderPragma, "no-cache")
		if len(httpbody.Raw(c)) > maxBody {
			return sendError(c, &oauthError{status: fiber.StatusRequestEntityTooLarge, code: "invalid_request",
				detail: "the body is longer than 16 kB"})
		}
		ctx, cancel := context.WithTimeout(c.UserContext(), workTimeout)
		defer cancel()
		status, body, err := h(ctx, c)
		if err != nil {
			return sendError(c, err)
		}
		return sendJSON(c, status, body)
	}
}

// sendError answers with an error. After a failure of this server it asks the client to try again: a client
// that read any other error would discard its tokens.
func sendError(c *fiber.Ctx, err error) error {
	var e *oauthError
	if !errors.As(err, &e) {
		f := fault.From(err)
		slog.ErrorContext(c.UserContext(), "assistant request failed", "path", c.Path(), "error", err)
		e = &oauthError{status: fiber.StatusServiceUnavailable, code: "temporarily_unavailable",
			detail: "try again shortly",
			wait:   max(f.RetryAfter, time.Second)}
	}
	if e.wait > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(e.wait.Seconds())))
	}
	if e.basic {
		c.Set(fiber.HeaderWWWAuthenticate, `Basic realm="`+tokenPath+`", charset="UTF-8"`)
	}
	return sendJSON(c, e.status, map[string]any{"error": e.code,
		"error_description": sanitizeDescription(e.detail)})
}

// Fault answers a request that reached no handler, or whose handler broke off.
func (s *Server) Fault(c *fiber.Ctx, status int, text string) error {
	setCORSHeaders(c)
	c.Set(fiber.HeaderCacheControl, "no-store")
	e := &oauthError{status: status, code: "invalid_request", detail: text}
	if status >= fiber.StatusInternalServerError {
		e.code = "temporarily_unavailable"
	}
	return sendError(c, e)
}

// sendJSON sends JSON; a nil body is no body.
func sendJSON(c *fiber.Ctx, status int, body map[string]any) error {
	c.Status(status)
	if body == nil {
		return nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "application/json")
	return c.Send(text)
}

func (s *Server) serveMetadata(document []byte) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, "application/json")
		c.Set(fiber.HeaderCacheControl, metadataKept)
		return c.Status(http.StatusOK).Send(document)
	}
}

// buildMetadata writes the two documents in which clients find everything else.
func (s *Server) buildMetadata() [2][]byte {
	name := cmp.Or(s.o.ServiceName, "arpent")
	documentation := s.issuer + "/connect"
	resource := map[string]any{
		"resource": s.resource.canonical, "authorization_servers": []string{s.issuer},
		"scopes_supported":         []string{Scope},
		"bearer_methods_supported": []string{"header"}, "resource_name": name,
		"resource_documentation": documentation,
	}
	server := map[string]any{
		"issuer":                 s.issuer,
		"authorization_endpoint": s.issuer + AuthorizePath,
		"token_endpoint":         s.issuer + tokenPath,
		"registration_endpoint":  s.issuer + registerPath,
		"revocation_endpoint":    s.issuer + revokePath,
		"scopes_supported":       []string{Scope},

		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          grantTypes,
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          authMethods,
		"revocation_endpoint_auth_methods_supported":     authMethods,
		"authorization_response_iss_parameter_supported": true,
		"service_documentation":                          documentation,
	}
	if s.documents != nil {
		server["client_id_metadata_document_supported"] = true
	}
	return [2][]byte{mustMarshal(resource), mustMarshal(server)}
}

func mustMarshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and lists of texts
	}
	return text
}
