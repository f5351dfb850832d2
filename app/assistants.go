package app

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/internal/clock"
	"arpent/mcp"
)

func (a *App) newTools(server *api.Server, access *assistant.Server) *mcp.Server {
	c := a.in.Config
	return mcp.New(mcp.Options{Server: server, Document: server.Document(), BaseURL: c.BaseURL,
		ServiceName: c.ServiceName, Clock: clock.Real{}, Keys: a.probed,
		Tokens: tokens{access}, Loaded: func() string {
			return loadingSentence(a.describeLoading(context.Background())) +
				describeLoaded(a.status.currentStatus(), a.coverage.Current(), a.communeName)
		}})
}

// communeName is the name of the commune that a code is of, or lies in; empty: it is not known.
func (a *App) communeName(code string) string {
	snap := a.territory.Snapshot()
	if snap == nil {
		return ""
	}
	place, _ := snap.Place(code)
	if place.CodeArr != "" { // one of several parts
		return "of " + place.CommuneName + " only"
	}
	return place.CommuneName
}

// programHeaders sets the headers of answers that are for programs: a browser that is led to one shows
// nothing of it as a page.
func programHeaders(c *fiber.Ctx) { setSecurityHeaders(&c.Response().Header) }

// tokens finds the key that an access token stands for.
type tokens struct{ access *assistant.Server }

// Find implements mcp.TokenFinder.
func (t tokens) Find(ctx context.Context, token string) (*apikey.Entry, error) {
	return t.access.Authenticate(ctx, token)
}
