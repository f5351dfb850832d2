package settings

import (
	"bytes"
	"log/slog"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/fault"
	"arpent/internal/httpbody"
	"arpent/internal/mail"
	"arpent/portal/pages"
	"arpent/web"
)

// AddRecipient sends a link to a further address for notices: none is sent there before its reader agrees.
func (p *Pages) AddRecipient(c *fiber.Ctx, v *pages.Visitor) error {
	email := pages.Text(c, "email")
	if err := p.Auth.AddNoticeAddress(v.Ctx, v.Session, email, v.Origin); err != nil {
		return v.Again(c, err, p.showChoice)
	}
	p.SetSentTo(c, mail.PurposeNotices, email)
	return pages.Redirect(c, choicePath(v)+"?done=recipient")
}

// RemoveRecipient ends the notices to a further address.
func (p *Pages) RemoveRecipient(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	if err := p.Auth.RemoveNoticeAddress(v.Ctx, v.Session, id, v.Origin); err != nil {
		return err
	}
	return pages.Redirect(c, choicePath(v)+"?done=recipient-removed")
}

// noticesToken is the secret in the address of a mailed link. The page does not disclose it to other sites.
func noticesToken(c *fiber.Ctx) string {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	return strings.Clone(c.Params("token"))
}

// NoticesPage shows what a link about notices is for. It changes nothing: mail scanners follow links too.
func (p *Pages) NoticesPage(c *fiber.Ctx, v *pages.Visitor) error {
	token := noticesToken(c)
	request, err := p.Auth.LookNotices(v.Ctx, token)
	if err != nil {
		return err
	}
	if request.Email == "" && c.Method() == fiber.MethodGet {
		c.Status(fiber.StatusGone)
	}
	return web.Send(c, NoticesPage(Notices{Frame: v.Frame, Token: token, Agreed: c.Query("done") == "agreed",
		Email: pages.MaskEmail(request.Email), Account: pages.MaskEmail(request.Account),
		Confirmed: request.Confirmed, Expired: request.Expired, Alert: v.Errors()[""]}))
}

// AnswerNotices agrees to the notices of an account at the address of the link, or ends them.
func (p *Pages) AnswerNotices(c *fiber.Ctx, v *pages.Visitor) error {
	token := noticesToken(c)
	if pages.Field(c, "answer") != "agree" {
		found, err := p.Auth.StopNotices(v.Ctx, token)
		if err != nil {
			return err
		}
		if !found {
			c.Status(fiber.StatusGone)
		}
		return web.Send(c, NoticesPage(Notices{Frame: v.Frame, Stopped: found}))
	}
	if err := p.Auth.ConfirmNotices(v.Ctx, token); err != nil {
		return v.Again(c, err, p.NoticesPage)
	}
	return v.Redirect(c, pages.NoticesPath+token+"?done=agreed")
}

// StopByMail ends notices for the program of a mail provider, which follows the header List-Unsubscribe with a
// form of one field (RFC 8058). It has no page and no cookie: the token of the link is the proof, as it is for
// a reader who presses the button. A link that is void, as after a first request, is gone. Any other form is
// left to the page.
func (p *Pages) StopByMail(c *fiber.Ctx) error {
	body := httpbody.Raw(c)
	if !bytes.Contains(body, []byte("List-Unsubscribe")) || !bytes.Contains(body, []byte("One-Click")) {
		return c.Next()
	}
	web.Guard(c)
	found, err := p.Auth.StopNotices(c.UserContext(), noticesToken(c))
	switch {
	case err != nil:
		slog.ErrorContext(c.UserContext(), "notices not stopped", "error", err)
		return p.Fault(c, fault.From(err).Code.Status())
	case !found:
		return c.SendStatus(fiber.StatusGone)
	}
	return c.SendStatus(fiber.StatusOK)
}
