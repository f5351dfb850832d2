package security

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"arpent/portal/pages"
	"arpent/web"
)

// listIdentities lists the identities that can sign in to the account.
func (p *Pages) listIdentities(v *pages.Visitor) ([]Identity, error) {
	identities, err := p.Auth.Identities(v.Ctx, v.Session)
	if err != nil {
		return nil, err
	}
	rows := make([]Identity, 0, len(identities))
	for _, i := range identities {
		rows = append(rows, Identity{ID: i.ID, Provider: p.SignIn.ProviderLabel(i.Provider), Email: i.Email,
			CreatedAt: i.CreatedAt, LastUsedAt: i.LastUsedAt})
	}
	return rows, nil
}

// UnlinkPage explains what unlinking an identity changes, and asks for confirmation.
func (p *Pages) UnlinkPage(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	rows, err := p.listIdentities(v)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(i Identity) bool { return i.ID == id })
	if at < 0 {
		return pages.ErrNothing
	}
	passkeys, err := p.Auth.Passkeys(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	hasPasskey := len(passkeys) > 0 && p.Auth.OffersPasskeys()
	return web.Send(c, UnlinkPage(Unlink{Frame: v.Frame, Identity: rows[at],
		OnlyWayIn: len(rows) == 1 && !v.Session.HasPassword && !hasPasskey, Alert: v.Errors()[""]}))
}

// Unlink unlinks an identity.
func (p *Pages) Unlink(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	err := p.Auth.Unlink(v.Ctx, v.Session, id, v.Origin)
	return v.Answer(c, err, pages.ByID(p.UnlinkPage), "/account/security?done=unlinked")
}
