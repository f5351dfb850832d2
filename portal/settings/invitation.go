package settings

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/mail"
	"arpent/portal/pages"
	"arpent/web"
)

// InvitationPath precedes the token of an invitation.
const InvitationPath = "/" + mail.PurposeInvitation + "/"

// InvitationPage shows who invites, to what and as what, before anything is accepted. It changes nothing:
// mail scanners follow links too. A visitor who is not signed in signs in or up first, and comes back.
func (p *OrganisationPages) InvitationPage(c *fiber.Ctx, v *pages.Visitor) error {
	token := strings.Clone(c.Params("token"))
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer") // the token is secret
	v.Frame.Next = InvitationPath + token
	request, err := p.Auth.LookInvitation(v.Ctx, token)
	if err != nil {
		return err
	}
	page := Invited{Frame: v.Frame, Token: token, Organisation: request.Organisation, InvitedBy: request.InvitedBy,
		Role: string(request.Role), Expired: request.Expired, SignedIn: v.SignedIn(), Email: v.Session.Email,
		Confirmed: v.Session.Confirmed, Alert: v.Errors()[""]}
	if request.Bound {
		page.SentTo = pages.MaskEmail(request.Email)
		page.OtherAddress = v.SignedIn() && !strings.EqualFold(request.Email, v.Session.Email)
	}
	if !page.valid() && c.Method() == fiber.MethodGet {
		c.Status(fiber.StatusGone)
	}
	return web.Send(c, InvitedPage(page))
}

// Accept makes the visitor a member, and shows the organisation.
func (p *OrganisationPages) Accept(c *fiber.Ctx, v *pages.Visitor) error {
	token := strings.Clone(c.Params("token"))
	if !v.SignedIn() {
		return pages.Redirect(c, InvitationPath+token)
	}
	err := p.Auth.AcceptInvitation(v.Ctx, v.Session, token, v.Origin)
	return v.Answer(c, err, p.InvitationPage, "/account?done=joined")
}
