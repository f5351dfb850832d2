package keys

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/internal/budget"
	"arpent/internal/fault"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/web"
	"arpent/web/reference"
)

// Console answers the console on the pages of the reference: a form that has this server make a call of the
// API.
//
// There is no key in it. A visitor who is signed in is known by their session, as on every
// page of the portal, and this server runs the operation for their account in its own process,
// the way that REST and assistants take too: the same limits, the same counts, under a row of
// the usage that is called Console and opens nothing. So there is no secret that a page, an
// address, a log, a header or a history could keep, nothing has to be made, stored or revoked
// in time, and access ends with the session in the same instant, because each call looks it
// up. A key of its own for each session would need all of that and give nothing more.
//
// Without an account a client has three calls a day, of requests that are written in the operations table: it
// sends the number of one, nothing else of what it sends is read. Before anything is asked of the database
// the minute of its address has to allow it (as for every call without a key), and that of all anonymous
// clients together; what it is refused costs one look-up.
type Console struct {
	*pages.Server
	api             *api.Server
	reference       *reference.Pages
	anonymousBudget *budget.Pool // the calls of all anonymous clients
}

// anonymousPerMinute is how many calls all anonymous clients have together.
const anonymousPerMinute = 30

// NewConsole returns the pages.
func NewConsole(s *pages.Server, a *api.Server, r *reference.Pages) *Console {
	return &Console{Server: s, api: a, reference: r, anonymousBudget: budget.NewPool(s.Clock,
		anonymousPerMinute/60.0, anonymousPerMinute)}
}

// Call answers the form of an operation.
func (p *Console) Call(c *fiber.Ctx, v *pages.Visitor) error {
	op := p.reference.Find(c.Params("operation"))
	if op == nil {
		return pages.ErrNothing
	}
	if httpbody.Field(c, reference.FieldMember) == "" {
		return p.callAnonymously(c, v, op)
	}
	if n := refuseMember(v); n != "" {
		return p.sendConsole(c, v.Frame, op, fiber.StatusForbidden, reference.Console{Member: true, Notice: n})
	}
	return p.callAsMember(c, v, op)
}

// refuseMember says why a visitor cannot call as a member; empty: they can.
func refuseMember(v *pages.Visitor) reference.Notice {
	switch {
	case !v.SignedIn():
		return reference.Ended
	case !v.Session.Confirmed:
		return reference.Unconfirmed
	case v.Session.NeedsFactor:
		return reference.FactorNeeded
	case !v.Session.Role.May(member.UseConsole):
		return reference.RoleForbids
	}
	return ""
}

// Stale answers a form whose session is no longer that of its page.
func (p *Console) Stale(c *fiber.Ctx) error {
	op := p.reference.Find(c.Params("operation"))
	if op == nil {
		return p.Fault(c, fiber.StatusForbidden)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	f := p.Site.Frame(c)
	notice := reference.Stale
	if httpbody.Field(c, reference.FieldMember) != "" && !f.HasSession {
		notice = reference.Ended
	}
	return p.sendConsole(c, f, op, fiber.StatusForbidden, reference.Console{Member: f.HasSession,
		Notice: notice})
}

func (p *Console) callAsMember(c *fiber.Ctx, v *pages.Visitor, op *api.Operation) error {
	id, err := p.Keys.Console(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	own := v.Session.Own
	caller := api.Caller{Conn: c.Context().Conn(), Key: &apikey.Entry{ID: id, Account: v.Account,
		Plan:      v.Session.Plan,
		PerMinute: own.PerMinute, EnrichmentsPerMinute: own.EnrichmentsPerMinute, PerDay: own.PerDay}}
	values := p.formValues(c, op)
	console := reference.Console{Member: true, Values: values}
	console.Answer = p.runOperation(v.Ctx, caller, op, values)
	return p.sendConsole(c, v.Frame, op, fiber.StatusOK, console)
}

// formValues returns the values of the form for the parameters of the operation.
func (p *Console) formValues(c *fiber.Ctx, op *api.Operation) url.Values {
	values := url.Values{}
	for _, param := range op.Params {
		values.Set(param.Name, pages.Text(c, reference.Argument+param.Name))
	}
	if len(op.Include) > 0 {
		values.Set("include", strings.Join(httpbody.Fields(c, reference.Argument+"include"), ","))
	}
	return values
}

// runOperation has the operation run. The address that is shown is
// that of the REST request which means the same.
func (p *Console) runOperation(ctx context.Context, caller api.Caller, op *api.Operation,
	values url.Values) *reference.Answer {
	arguments := op.Read(values)
	return reference.NewAnswer(arguments.Address(op), p.api.Show(p.api.Execute(ctx, caller, op, arguments)))
}

func (p *Console) callAnonymously(c *fiber.Ctx, v *pages.Visitor, op *api.Operation) error {
	place, err := strconv.Atoi(httpbody.Field(c, reference.FieldPlace))
	if err != nil || place < 0 || place >= len(op.Places) {
		return fault.Invalid("place is not one of the examples")
	}
	// unless the call gets as far as the claim
	console, failed := reference.Console{Place: place, Notice: reference.TooFast}, error(nil)
	caller := api.Caller{Conn: c.Context().Conn(), Address: v.Origin.Address,
		Try: func(ctx context.Context) error {
			console.Left, console.Notice, failed = p.claimTry(ctx, v)
			if console.Notice != "" {
				return errNoTriesLeft
			}
			return failed
		}}
	answer := p.runOperation(v.Ctx, caller, op, op.Values(op.Places[place].Call))
	switch {
	case failed != nil:
		return failed
	case console.Notice != "":
		return p.sendConsole(c, v.Frame, op, fiber.StatusTooManyRequests, console)
	}
	console.Answer = answer
	return p.sendConsole(c, v.Frame, op, fiber.StatusOK, console)
}

var errNoTriesLeft = fault.New(fault.RateLimited, "No calls are left without an account.", nil)

// claimTry counts a try of an anonymous client. A place in the minute of all of them is taken first, so that
// no more of them than that write to the database, and given back by who has no try left.
func (p *Console) claimTry(ctx context.Context, v *pages.Visitor) (left int, n reference.Notice, err error) {
	giveBack, wait, _ := p.anonymousBudget.Take(v.Origin.Address)
	if wait > 0 {
		return 0, reference.Busy, nil
	}
	left, ok, err := p.Auth.ClaimConsoleTry(ctx, v.Origin)
	if err != nil || !ok {
		giveBack()
	}
	if err == nil && !ok {
		n = reference.NoTriesLeft
	}
	return left, n, err
}

// sendConsole answers with the page, or with the part of it that is new when htmx asks.
func (p *Console) sendConsole(c *fiber.Ctx, f web.Frame, op *api.Operation, status int,
	console reference.Console) error {
	c.Status(status)
	whole := c.Get("HX-Request") == ""
	c.Vary("HX-Request")
	return web.Send(c, p.reference.Called(f, op.Name, console, whole))
}
