package portal

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/fault"
	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// errForged answers a form that does not come from a page of ours, or from one that is out of date.
var errForged = errors.New("the form was not sent from a page of this server")

// errStale is a form that came from this server, as the browser says, with a token of another session or none.
var errStale = fmt.Errorf("%w, or is out of date", errForged)

// fault answers with a page that says what happened and what to do.
func (p *Portal) fault(c *fiber.Ctx, v *visitor, err error) error {
	if errors.Is(err, auth.ErrNoSession) { // it was ended elsewhere while this page was asked for
		return p.askToSignIn(c, v)
	}
	page := view.Fault{Frame: v.frame, RequestID: string(c.Response().Header.Peek(fiber.HeaderXRequestID))}
	f := fault.From(err)
	var problem *auth.Problem
	switch {
	case errors.Is(err, errForged):
		page.Kind, page.Status = view.Forged, fiber.StatusForbidden
	case errors.As(err, &problem) && problem.Code == auth.CodeBusy:
		page.Kind, page.Status = view.Busy, setStatus(c, problem)
	case errors.As(err, &problem):
		page.Kind, page.Status, page.Text = view.Refused, setStatus(c, problem), problemText(v.frame.Lang, problem)
	case f.Code == fault.NotFound:
		page.Kind, page.Status = view.Missing, fiber.StatusNotFound
	case f.Code == fault.InvalidParameter:
		page.Kind, page.Status = view.Invalid, fiber.StatusBadRequest
	case f.Code == fault.Unavailable || errors.Is(err, v.ctx.Err()) && v.ctx.Err() != nil:
		page.Kind, page.Status = view.Busy, fiber.StatusServiceUnavailable
	default:
		page.Kind, page.Status = view.Broken, fiber.StatusInternalServerError
	}
	if page.Status >= fiber.StatusInternalServerError {
		slog.ErrorContext(v.ctx, "page not served", "route", c.Route().Path, "request_id", page.RequestID, "error", err)
	}
	c.Status(page.Status)
	c.Set(fiber.HeaderCacheControl, "no-store")
	return web.Send(c, view.FaultPage(page))
}
