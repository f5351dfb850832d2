package app

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/app/base/httpbody"
	"arpent/mcp"
)

var errPanic = errors.New("a handler panicked")

// answerError answers what no handler answered, in the form that callers of the path read: a request that could not be
// read, a body that is refused, a handler that failed.
func (a *App) answerError(server *api.Server) fiber.ErrorHandler {
	return func(c *fiber.Ctx, err error) error {
		status, text := fiber.StatusInternalServerError, "Something went wrong on our side. Try again."
		var refused *httpbody.Rejection
		var unread *fiber.Error
		switch {
		case errors.As(err, &refused):
			status, text = refused.Status, refused.Message
		case errors.As(err, &unread): // its path may not be known
			return server.Fault(c, err)
		}
		if status == fiber.StatusServiceUnavailable {
			c.Set(fiber.HeaderRetryAfter, "2")
		}
		switch path := c.Path(); {
		case path == mcp.Path:
			programHeaders(c)
			return a.accounts.tools.Fault(c, status, text)
		case strings.HasPrefix(path, "/oauth/") && path != "/oauth/authorize", strings.HasPrefix(path, "/.well-known/"):
			programHeaders(c)
			return a.accounts.assistants.Fault(c, status, text)
		case strings.HasPrefix(path, "/api"), strings.HasPrefix(path, "/openapi."), path == "/healthz", path == "/readyz":
			return server.Fault(c, err)
		default:
			return a.accounts.portal.Fault(c, status)
		}
	}
}
