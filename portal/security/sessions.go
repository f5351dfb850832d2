package security

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/pages"
)

// listSessions lists the sessions of the account: this one first,
// then the others in the order of the service.
func (p *Pages) listSessions(v *pages.Visitor) ([]Session, error) {
	sessions, err := p.Auth.Sessions(v.Ctx, v.Session)
	if err != nil {
		return nil, err
	}
	rows := make([]Session, 0, len(sessions))
	for _, s := range sessions {
		method := v.Frame.Lang.Pick("mot de passe", "password")
		switch s.Method {
		case "password":
		case auth.MethodPasskey:
			method = "passkey"
		default:
			method = p.SignIn.ProviderLabel(s.Method)
		}
		row := Session{ID: int64(s.ID), Current: s.Current, Device: s.Device, Address: s.Address,
			CreatedAt: s.CreatedAt, LastUsedAt: s.LastUsedAt, Method: method}
		if s.Current {
			rows = append([]Session{row}, rows...)
		} else {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// EndSession ends one session.
func (p *Pages) EndSession(c *fiber.Ctx, v *pages.Visitor, id auth.SessionID) error {
	if err := p.Auth.EndSession(v.Ctx, v.Session, id, v.Origin); err != nil {
		return err
	}
	if id == v.Session.ID {
		return p.redirectSignedOut(c)
	}
	return pages.Redirect(c, "/account/security?done=session")
}

// EndOtherSessions ends all sessions but this one.
func (p *Pages) EndOtherSessions(c *fiber.Ctx, v *pages.Visitor) error {
	if _, err := p.Auth.EndOtherSessions(v.Ctx, v.Session, v.Origin); err != nil {
		return err
	}
	return pages.Redirect(c, "/account/security?done=sessions")
}

// EndAllSessions signs out everywhere, including here.
func (p *Pages) EndAllSessions(c *fiber.Ctx, v *pages.Visitor) error {
	if err := p.Auth.EndAllSessions(v.Ctx, v.Session, v.Origin); err != nil {
		return err
	}
	return p.redirectSignedOut(c)
}

func (p *Pages) redirectSignedOut(c *fiber.Ctx) error {
	p.SignedOut(c)
	return pages.Redirect(c, "/signin?done=everywhere")
}
