// Package accountapi serves /account/v1, where a program reads the usage, the keys and the members of an
// account with a management token. It promises that a token reads its own account and what its scopes name,
// that an API key is refused here, and that nothing here counts against the quota of the account.
package accountapi

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/pgdb"
)

// Root is the path below which the operations live.
const Root = "/account/v1"

// Options are the parameters of New.
type Options struct {
	API      *api.Server // answers errors, and limits the requests without a valid token
	Tokens   *management.Store
	Keys     *apikey.Store
	Accounts *auth.Accounts
	Meter    *meter.Meter
	DB       *pgxpool.Pool
	Clock    clock.Clock

	BaseURL, ServiceName string
}

// Server serves the operations.
type Server struct{ o Options }

// New makes a server.
func New(o Options) *Server { return &Server{o} }

// requestTimeout bounds all calls of one request to the database and to Redis.
const requestTimeout = 15 * time.Second

// Register adds the operations to an application.
func (s *Server) Register(app *fiber.App) {
	document := Document(s.o.ServiceName, s.o.BaseURL)
	app.Get(Root+"/openapi.json", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
		c.Set(fiber.HeaderCacheControl, "public, max-age=300")
		return c.Send(document)
	})
	for _, op := range operations {
		app.Get(Root+op.path, func(c *fiber.Ctx) error {
			if err := s.serveOperation(c, op); err != nil {
				switch fault.From(err).Code {
				case fault.MissingToken, fault.InvalidToken: // counts against the address that the request came from
					return s.o.API.Fault(c, err)
				}
				return s.o.API.RespondError(c, err)
			}
			return nil
		})
	}
	app.Use(Root, func(c *fiber.Ctx) error {
		if slices.ContainsFunc(operations, func(op operation) bool { return c.Path() == Root+op.path }) {
			return s.o.API.RespondError(c, fault.New(fault.MethodNotAllowed, "Every operation is a GET (or HEAD).", nil))
		}
		return s.o.API.RespondError(c, fault.Missing(
			"There is no endpoint at this path. %s/openapi.json lists them all.", Root))
	})
}

var errNoToken = fault.New(fault.MissingToken,
	"This endpoint needs a management token, as Authorization: Bearer. Tokens are made in the account.", nil)

// serveOperation answers with the result of an operation for the account of the token.
func (s *Server) serveOperation(c *fiber.Ctx, op operation) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTimeout)
	defer cancel()
	c.Set(fiber.HeaderCacheControl, "no-store")
	// An API key is presented in its place where one is sent, so that the error says what it is.
	presented := cmp.Or(string(api.BearerToken(c)), c.Get("X-API-Key"))
	if presented == "" {
		return errNoToken
	}
	grant, err := s.o.Tokens.Authenticate(ctx, presented)
	if err != nil {
		return err
	}
	api.SetTokenLimitHeaders(c, grant.Rate)
	if wait := grant.Rate.RetryAfter; wait > 0 {
		return &fault.Error{Code: fault.RateLimited, RetryAfter: wait,
			Message: "A management token has " + strconv.Itoa(management.PerMinute) +
				" requests a minute, of which " +
				strconv.Itoa(management.Burst) + " may come at once. Wait as long as Retry-After says."}
	}
	if !slices.Contains(grant.Scopes, op.scope) {
		return fault.New(fault.MissingScope,
			"This management token does not have the scope "+string(op.scope)+". Make another one in the "+
				"account.", nil)
	}
	result, err := op.run(s, pgdb.ForAccount(ctx, grant.Account), grant, c)
	if err != nil {
		return err
	}
	return c.JSON(result)
}
