package pages

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/member"
	"arpent/internal/fault"
	"arpent/portal/view"
	"arpent/web"
)

// ErrNothing is the error for an address that names nothing of this account.
var ErrNothing = fault.New(fault.NotFound, "there is no page at this path", nil)

// errCSRF is the error for a form that was not sent from a page of ours, or from one that is out of date.
var errCSRF = errors.New("the form was not sent from a page of this server")

// errStaleForm is the error for a form that was sent from this server, according to the
// browser, with a token of another session or none.
var errStaleForm = fmt.Errorf("%w, or is out of date", errCSRF)

// respondFault answers with a page that says what happened and what to do.
func (s *Server) respondFault(c *fiber.Ctx, v *Visitor, err error) error {
	if errors.Is(err, auth.ErrNoSession) { // it was ended elsewhere during this request
		return AskToSignIn(c)
	}
	if v.SignedIn() && v.Frame.Organisation == nil {
		_ = s.showOrganisations(v) // without them the tabs are those of a person in no organisation
	}
	page := view.Fault{Frame: v.Frame, Path: strings.Clone(c.Path())}
	f := fault.From(err)
	var problem *auth.Problem
	switch {
	case errors.Is(err, errCSRF):
		page.Kind, page.Status = view.Forged, fiber.StatusForbidden
		if errors.Is(err, errStaleForm) && !v.SignedIn() && strings.HasPrefix(c.Path(), "/account") {
			page.SignIn = pathWithReturn("/signin", returnPath(c))
		}
	case errors.Is(err, errOtherOrganisation):
		page.Kind, page.Status = view.OtherOrganisation, fiber.StatusConflict
	case errors.Is(err, errFormerMember):
		page.Kind, page.Status = view.FormerMember, fiber.StatusConflict
	case errors.Is(err, errFactorNeeded):
		return v.Redirect(c, view.FactorNeededPath)
	case errors.Is(err, member.ErrRole):
		page.Kind, page.Status = view.Forbidden, fiber.StatusForbidden
	case errors.As(err, &problem) && problem.Code == auth.CodeVerifyFirst:
		return redirectToVerify(c)
	case errors.As(err, &problem) && problem.Code == auth.CodeBusy:
		page.Kind, page.Status = view.Busy, SetStatus(c, problem)
	case errors.As(err, &problem):
		page.Kind, page.Status, page.Text = view.Refused, SetStatus(c, problem), ProblemText(v.Frame.Lang, problem)
	case f.Code == fault.NotFound:
		page.Kind, page.Status = view.Missing, fiber.StatusNotFound
	case f.Code == fault.InvalidParameter:
		page.Kind, page.Status = view.Invalid, fiber.StatusBadRequest
	case f.Code == fault.Unavailable || errors.Is(err, v.Ctx.Err()) && v.Ctx.Err() != nil:
		page.Kind, page.Status = view.Busy, fiber.StatusServiceUnavailable
	default:
		page.Kind, page.Status = view.Broken, fiber.StatusInternalServerError
	}
	if page.Status >= fiber.StatusInternalServerError {
		slog.ErrorContext(v.Ctx, "page not served", "route", c.Route().Path, "request_id", requestID(c),
			"error", err)
	}
	return sendFault(c, page)
}

// Fault answers a request that reached no handler, or whose handler panicked. It looks up no session.
func (s *Server) Fault(c *fiber.Ctx, status int) error {
	page := view.Fault{Frame: s.Site.Frame(c), Kind: view.Invalid, Status: status}
	switch {
	case status == fiber.StatusServiceUnavailable:
		page.Kind = view.Busy
	case status >= fiber.StatusInternalServerError:
		page.Kind = view.Broken
	}
	return sendFault(c, page)
}

func sendFault(c *fiber.Ctx, page view.Fault) error {
	page.RequestID = requestID(c)
	c.Status(page.Status)
	c.Set(fiber.HeaderCacheControl, "no-store")
	return web.Send(c, view.FaultPage(page))
}

func requestID(c *fiber.Ctx) string { return string(c.Response().Header.Peek(fiber.HeaderXRequestID)) }
