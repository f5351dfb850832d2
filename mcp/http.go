package mcp

import (
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
	mcpgo "github.com/mark3labs/mcp-go/mcp"

	"arpent/api"
	"arpent/auth/management"
	"arpent/internal/fault"
)

const (
	corsMethods = "GET, POST, DELETE, OPTIONS"
	corsHeaders = "Authorization, Content-Type, Accept, X-API-Key, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"
	corsExposed = "WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After"
	// Parameters of tools may travel in headers whose names are not known in advance.
	paramHeaders   = "mcp-param-"
	allowedMethods = "POST, OPTIONS"
)

// serveRequest handles every request to /mcp: where it comes from, who sends it, what it says. The Host
// header is not looked at: a page that gets itself another name for this server has no token for it.
func (s *Server) serveRequest(c *fiber.Ctx) error {
	allowPages(c)
	if !isOriginAllowed(c.Get(fiber.HeaderOrigin), s.baseURL) {
		return rejectRequest(c, fiber.StatusForbidden, mcpgo.INVALID_REQUEST,
			"Pages of this origin may not call this server.")
	}
	if c.Method() == fiber.MethodOptions {
		return answerPreflight(c)
	}
	k, err := s.authenticateRequest(c)
	if err != nil {
		return s.rejectCaller(c, err)
	}
	if c.Method() != fiber.MethodPost {
		c.Set(fiber.HeaderAllow, allowedMethods)
		return rejectRequest(c, fiber.StatusMethodNotAllowed, mcpgo.INVALID_REQUEST,
			"This server keeps no sessions and sends nothing of itself: messages are sent with POST.")
	}
	return s.handleMessage(c, k)
}

// allowPages lets any page read the answer, and no cache keep it.
func allowPages(c *fiber.Ctx) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
	c.Set(fiber.HeaderAccessControlExposeHeaders, corsExposed)
}

// Fault answers a request that reached no handler, or whose handler broke off.
func (s *Server) Fault(c *fiber.Ctx, status int, text string) error {
	allowPages(c)
	code := mcpgo.INVALID_REQUEST
	if status >= fiber.StatusInternalServerError {
		code = mcpgo.INTERNAL_ERROR
	}
	return rejectRequest(c, status, code, text)
}

func answerPreflight(c *fiber.Ctx) error {
	headers := corsHeaders
	for name := range strings.SplitSeq(c.Get(fiber.HeaderAccessControlRequestHeaders), ",") {
		if name = strings.TrimSpace(name); isParamHeader(name) {
			headers += ", " + name
		}
	}
	c.Set(fiber.HeaderAccessControlAllowMethods, corsMethods)
	c.Set(fiber.HeaderAccessControlAllowHeaders, headers)
	c.Set(fiber.HeaderAccessControlMaxAge, "7200")
	return c.SendStatus(fiber.StatusNoContent)
}

func isParamHeader(name string) bool {
	if len(name) <= len(paramHeaders) || len(name) > 100 || !strings.EqualFold(name[:len(paramHeaders)],
		paramHeaders) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// isOriginAllowed lets through who is no page at all, our own pages, pages on the caller's machine and any
// https page: the web versions of assistants are such, and what they may do the token decides.
func isOriginAllowed(origin, baseURL string) bool {
	if origin == "" || origin == baseURL {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	if u.Scheme == "https" {
		return true
	}
	host := u.Hostname()
	address, err := netip.ParseAddr(host)
	return u.Scheme == "http" && (host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil &&
		address.Unmap().IsLoopback())
}

// challenge is the WWW-Authenticate header, which says where to get a token.
type challenge struct{ none, wrong string }

var errNoToken = fault.New(fault.MissingAPIKey,
	"This server needs an access token as Authorization: Bearer, or an API key in the X-API-Key header.", nil)

var errManagementToken = fault.New(fault.InvalidAPIKey,
	"This is a management token, which reads the account below /account/v1. Tools are called with an API key.", nil)

// authenticateRequest finds out whose key a request is for: that of X-API-Key, or what Authorization: Bearer
// holds, an API key or an access token. The address is not looked at: a key in it would be kept by others.
func (s *Server) authenticateRequest(c *fiber.Ctx) (*call, error) {
	presented := c.Get("X-API-Key")
	asToken := presented == ""
	if asToken {
		presented = string(api.BearerToken(c))
	}
	switch {
	case presented == "":
		return nil, errNoToken
	case strings.HasPrefix(presented, management.Mark):
		return nil, errManagementToken
	}
	k := &call{httpContext: c, settingsPage: "/account/keys"}
	var err error
	k.key, err = s.keys.Find(presented) // what has not the form of a key costs no look-up
	if err != nil && asToken && s.tokens != nil {
		k.settingsPage = "/account/assistants"
		k.key, err = s.tokens.Find(c.UserContext(), strings.Clone(presented))
	}
	return k, err
}

// rejectCaller answers 401 to an unknown caller: nothing else makes a client ask its user to sign in. When
// the token cannot be looked up, the client has to come back with what it has.
func (s *Server) rejectCaller(c *fiber.Ctx, err error) error {
	text, name := "", "invalid_token"
	switch fault.From(err).Code {
	case fault.MissingAPIKey:
		c.Set(fiber.HeaderWWWAuthenticate, s.challenge.none)
		text, name = errNoToken.Message, "unauthorized"
	case fault.InvalidAPIKey:
		c.Set(fiber.HeaderWWWAuthenticate, s.challenge.wrong)
		text = "This access token or API key is unknown, revoked or expired."
		if errors.Is(err, errManagementToken) {
			text = errManagementToken.Message
		}
	default:
		slog.Warn("assistant not authenticated", "error", err)
		c.Set(fiber.HeaderRetryAfter, "2")
		return rejectRequest(c, fiber.StatusServiceUnavailable, mcpgo.INTERNAL_ERROR,
			"It cannot be found out who is calling at the moment. Try again in a few seconds.")
	}
	return c.Status(fiber.StatusUnauthorized).JSON(fiber.Map{"error": name, "error_description": text})
}
