package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/app/base/fault"
	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// errNothing answers an address that names nothing of this account.
var errNothing = fault.New(fault.NotFound, "there is nothing at this address", nil)

// identityRows lists the identities that open the account, and the providers that could be added.
func (p *Portal) identityRows(v *visitor) ([]view.Identity, []view.Provider, error) {
	identities, err := p.o.Auth.Identities(v.ctx, v.session)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]view.Identity, 0, len(identities))
	for _, i := range identities {
		rows = append(rows, view.Identity{ID: i.ID, Provider: p.providerLabel(i.Provider), Email: i.Email,
			CreatedAt: i.CreatedAt, LastUsedAt: i.LastUsedAt})
	}
	return rows, p.providers(), nil
}

var providerLabels = map[string]string{"google": "Google", "github": "GitHub", "microsoft": "Microsoft", "gitlab": "GitLab", "oidc": "OpenID Connect"}

// providerLabel names a provider, also one that is no longer configured.
func (p *Portal) providerLabel(name string) string {
	for _, o := range p.o.Social.Offered() {
		if o.Name == name {
			return o.Label
		}
	}
	if label, ok := providerLabels[name]; ok {
		return label
	}
	return name
}

// unlinkForm says what unlinking an identity changes, and asks once.
func (p *Portal) unlinkForm(c *fiber.Ctx, v *visitor) error {
	return p.unlinkPage(c, v, nil)
}

func (p *Portal) unlinkPage(c *fiber.Ctx, v *visitor, problem *auth.Problem) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	rows, _, err := p.identityRows(v)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.ID == id {
			return web.Send(c, view.UnlinkPage(view.Unlink{Frame: v.frame, Identity: row,
				OnlyWayIn: len(rows) == 1 && !v.session.HasPassword, Alert: problemText(v.frame.Lang, problem)}))
		}
	}
	return errNothing
}

func (p *Portal) unlink(c *fiber.Ctx, v *visitor) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	err = p.o.Auth.Unlink(v.ctx, v.session, id, v.origin)
	if problem := asProblem(err); problem != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return p.unlinkPage(c, v, problem)
	}
	if err != nil {
		return err
	}
	return redirect(c, "/account/security?done=unlinked")
}
