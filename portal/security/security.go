// Package security holds the pages of the ways into an account: its password, second factor, identities and
// sessions, what happened lately, and what has access.
package security

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/internal/audit"
	"arpent/portal/keys"
	"arpent/portal/pages"
	"arpent/portal/signin"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct {
	*pages.Server
	SignIn   *signin.Pages
	KeyPages *keys.Pages
}

// recentEvents is the maximum number of events on the page.
const recentEvents = 8

// Show shows every way into the account, its sessions, and what happened lately.
func (p *Pages) Show(c *fiber.Ctx, v *pages.Visitor) error {
	page := Security{Frame: v.Frame, Done: c.Query("done"), HasPassword: v.Session.HasPassword,
		HasTOTP:        v.Session.HasTOTP,
		OffersPasskeys: p.Auth.OffersPasskeys(),
		Offered:        p.SignIn.Providers(""), Trouble: linkErrorText(v.Frame.Lang, c.Query("trouble"))}
	var err error
	if v.Session.HasTOTP {
		if page.CodesLeft, err = p.Auth.RecoveryCodesLeft(v.Ctx, v.Session); err != nil {
			return err
		}
	}
	if page.Sessions, err = p.listSessions(v); err != nil {
		return err
	}
	if page.Identities, err = p.listIdentities(v); err != nil {
		return err
	}
	if page.Passkeys, err = p.listPasskeys(v); err != nil {
		return err
	}
	page.PasskeysFull = len(page.Passkeys) >= auth.MaxPasskeys
	events, err := audit.List(v.Ctx, p.DB, v.Account, 0, recentEvents)
	if err != nil {
		return err
	}
	page.Events = p.viewEvents(v, events)
	return web.Send(c, SecurityPage(page), p.SignIn.Targets...)
}

// linkErrorTexts are why an identity was not linked, by the code in the address.
var linkErrorTexts = web.Texts{
	signin.TroubleFlow: {"Cette demande a été commencée dans un autre navigateur, ou il y a trop longtemps. Rien n’a été relié\u00a0: recommencez.", "This was started in another browser, or too long ago. Nothing was linked: start again."},
	signin.TroubleDenied: {"Vous avez refusé de vous identifier chez ce fournisseur. Rien n’a été relié.",
		"You declined to identify yourself at that provider. Nothing was linked."},
	signin.TroubleProvider: {"Ce fournisseur ne répond pas comme il le devrait. Rien n’a été relié\u00a0: réessayez plus tard.", "That provider does not answer as it should. Nothing was linked: try again later."},
}

func linkErrorText(l web.Lang, code string) string {
	switch code {
	case auth.CodeIdentityTaken, auth.CodeConfirmFirst, auth.CodeVerifyFirst:
		return pages.ProblemText(l, &auth.Problem{Code: code})
	}
	return linkErrorTexts.Of(l, code)
}

// PasswordPage asks for a new password.
func (p *Pages) PasswordPage(c *fiber.Ctx, v *pages.Visitor) error {
	errors := v.Errors()
	return web.Send(c, PasswordPage(Password{Frame: v.Frame, Email: v.Session.Email,
		HasPassword: v.Session.HasPassword,
		Alert:       errors[""], CurrentError: errors["current"], Error: errors["password"]}))
}

// ChangePassword sets the password, or the first one of an account that had none. All other sessions end.
func (p *Pages) ChangePassword(c *fiber.Ctx, v *pages.Visitor) error {
	err := p.Auth.ChangePassword(v.Ctx, v.Session, pages.Field(c, "current"), pages.Field(c, "password"),
		v.Origin)
	return v.Answer(c, err, p.PasswordPage, "/account/security?done=password")
}
