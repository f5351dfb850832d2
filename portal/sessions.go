package portal

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// sessionRows lists who is in the account now: this session first, then the others as the service gives them.
func (p *Portal) sessionRows(v *visitor) ([]view.Session, error) {
	sessions, err := p.o.Auth.Sessions(v.ctx, v.session)
	if err != nil {
		return nil, err
	}
	rows := make([]view.Session, 0, len(sessions))
	for _, s := range sessions {
		row := view.Session{ID: int64(s.ID), Current: s.Current, Device: s.Device, Address: s.Address,
			CreatedAt: s.CreatedAt, LastUsedAt: s.LastUsedAt, Method: p.methodLabel(v, s.Method)}
		if s.Current {
			rows = append([]view.Session{row}, rows...)
		} else {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// methodLabel names how somebody signed in: their password, or a provider.
func (p *Portal) methodLabel(v *visitor, method string) string {
	if method == "password" {
		return v.frame.Lang.Pick("mot de passe", "password")
	}
	return p.providerLabel(method)
}

func (p *Portal) endSession(c *fiber.Ctx, v *visitor) error {
	id, err := pathID(c)
	if err != nil {
		return err
	}
	if err := p.o.Auth.EndSession(v.ctx, v.session, auth.SessionID(id), v.origin); err != nil {
		return err
	}
	if auth.SessionID(id) == v.session.ID {
		p.forget(c, web.SessionCookie)
		return redirect(c, "/signin?done=everywhere")
	}
	return redirect(c, "/account/security?done=session")
}

func (p *Portal) endOtherSessions(c *fiber.Ctx, v *visitor) error {
	if _, err := p.o.Auth.EndOtherSessions(v.ctx, v.session, v.origin); err != nil {
		return err
	}
	return redirect(c, "/account/security?done=sessions")
}

// endAllSessions signs out everywhere, here too.
func (p *Portal) endAllSessions(c *fiber.Ctx, v *visitor) error {
	if err := p.o.Auth.EndAllSessions(v.ctx, v.session, v.origin); err != nil {
		return err
	}
	p.forget(c, web.SessionCookie)
	return redirect(c, "/signin?done=everywhere")
}

// pathID is the number in the address of a page. What is no number names nothing.
func pathID(c *fiber.Ctx) (int64, error) {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, errNothing
	}
	return id, nil
}
