package security

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/billing/meter/usage"
	"arpent/portal/pages"
	"arpent/web"
)

// PersonalKey is a key that a person made for themselves in an organisation.
type PersonalKey = auth.PersonalKey

// MadeToken is a management token that the person has made.
type MadeToken = management.MadeToken

// Access shows every key, assistant, management token and identity, which a new password leaves as they are,
// and those that the person made for themselves in organisations.
func (p *Pages) Access(c *fiber.Ctx, v *pages.Visitor) error {
	all, err := p.Keys.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	known, err := p.KeyPages.ConnectionsOf(v)
	if err != nil {
		return err
	}
	page := Access{Frame: v.Frame, Done: c.Query("done"), Next: pages.Next(c), Now: p.Now()}
	for _, k := range slices.Backward(all) { // the newest first
		switch {
		case !k.Live(p.Now()):
		case k.Kind == apikey.Assistant:
			page.Assistants = append(page.Assistants, p.KeyPages.ViewAssistant(k, nil, known[k.ID]))
		default:
			page.Keys = append(page.Keys, p.KeyPages.View(k, usage.KeyCount{}, nil))
		}
	}
	if page.Personal, err = p.Auth.PersonalKeys(v.Ctx, v.Session); err != nil {
		return err
	}
	if page.Tokens, err = p.Tokens.ListMadeBy(v.Ctx, v.Session.Account); err != nil {
		return err
	}
	if page.Identities, err = p.listIdentities(v); err != nil {
		return err
	}
	if page.Passkeys, err = p.listPasskeys(v); err != nil {
		return err
	}
	return web.Send(c, AccessPage(page))
}

// RevokeAccess revokes all of these keys, assistants and tokens at once.
func (p *Pages) RevokeAccess(c *fiber.Ctx, v *pages.Visitor) error {
	if _, err := p.Keys.RevokeAll(v.Ctx, v.Account); err != nil {
		return err
	}
	err := p.Auth.EndPersonalKeys(v.Ctx, v.Session)
	return pages.RedirectAfter(c, err, pages.WithNext("/account/security/access?done=revoked", pages.Next(c)))
}
