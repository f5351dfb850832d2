package settings

import (
	"bytes"
	"log/slog"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/internal/fault"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/web"
)

// AddRecipient sends a link to a further address for notices: none is sent there before its reader agrees.
func (p *Pages) AddRecipient(c *fiber.Ctx, v *pages.Visitor) error {
	email := pages.Text(c, "email")
	if err := p.Auth.AddNoticeAddress(v.Ctx, v.Session, auth.PurposeNotices, email, v.Origin); err != nil {
		return v.Again(c, err, p.showChoice)
	}
	p.SetSentTo(c, auth.PurposeNotices, email)
	return pages.Redirect(c, choicePath(v)+"?done=recipient")
}

// RemoveRecipient ends the notices to a further address.
func (p *Pages) RemoveRecipient(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	err := p.Auth.RemoveNoticeAddress(v.Ctx, v.Session, auth.PurposeNotices, id, v.Origin)
	return pages.RedirectAfter(c, err, choicePath(v)+"?done=recipient-removed")
}

// noticesToken is the secret in the address of a mailed link. The page does not disclose it to other sites.
func noticesToken(c *fiber.Ctx) string {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	return strings.Clone(c.Params("token"))
}

// NoticesPage returns the page of the links of a list of further addresses: what a link is for. It changes
// nothing: mail scanners follow links too.
func (p *Pages) NoticesPage(list auth.Purpose) pages.Handler {
	return func(c *fiber.Ctx, v *pages.Visitor) error {
		token := noticesToken(c)
		request, err := p.Auth.LookNotices(v.Ctx, list, token)
		if err != nil {
			return err
		}
		if request.Email == "" && c.Method() == fiber.MethodGet {
			c.Status(fiber.StatusGone)
		}
		return web.Send(c, NoticesPage(Notices{Frame: v.Frame, Billing: list == auth.PurposeBillingMails, Path: pages.ListPath(list) + token,
			Agreed: c.Query("done") == "agreed", Email: pages.MaskEmail(request.Email),
			Account: pages.MaskEmail(request.Account), Confirmed: request.Confirmed, Expired: request.Expired,
			Alert: v.Errors()[""]}))
	}
}

// AnswerNotices returns the handler of its forms, which agrees to the mails of the list of an account at the
// address of the link, or ends them.
func (p *Pages) AnswerNotices(list auth.Purpose) pages.Handler {
	return func(c *fiber.Ctx, v *pages.Visitor) error {
		token := noticesToken(c)
		if pages.Field(c, "answer") != "agree" {
			found, err := p.Auth.StopNotices(v.Ctx, list, token)
			if err != nil {
				return err
			}
			if !found {
				c.Status(fiber.StatusGone)
			}
			return web.Send(c, NoticesPage(Notices{Frame: v.Frame, Billing: list == auth.PurposeBillingMails, Stopped: found}))
		}
		if err := p.Auth.ConfirmNotices(v.Ctx, list, token); err != nil {
			return v.Again(c, err, p.NoticesPage(list))
		}
		return v.Redirect(c, pages.ListPath(list)+token+"?done=agreed")
	}
}

// StopByMail returns a handler that ends the mails of a list for the program of a mail provider, which
// follows the header List-Unsubscribe with a form of one field (RFC 8058). It has no page and no cookie: the
// token of the link is the proof, as it is for a reader who presses the button. A link that is void, as after
// a first request, is gone. Any other form is left to the page.
func (p *Pages) StopByMail(list auth.Purpose) fiber.Handler {
	return func(c *fiber.Ctx) error {
		body := httpbody.Raw(c)
		if !bytes.Contains(body, []byte("List-Unsubscribe")) || !bytes.Contains(body, []byte("One-Click")) {
			return c.Next()
		}
		web.Guard(c)
		found, err := p.Auth.StopNotices(c.UserContext(), list, noticesToken(c))
		switch {
		case err != nil:
			slog.ErrorContext(c.UserContext(), "notices not stopped", "error", err)
			return p.Fault(c, fault.From(err).Code.Status())
		case !found:
			return c.SendStatus(fiber.StatusGone)
		}
		return c.SendStatus(fiber.StatusOK)
	}
}
