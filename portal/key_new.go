package portal

import (
	"github.com/gofiber/fiber/v2"
	"log/slog"

	"arpent/auth/apikey"
	"arpent/portal/view"
	"arpent/web"
)

// newKey shows the form of a key that does not exist yet.
func (p *Portal) newKey(c *fiber.Ctx, v *visitor) error {
	return p.showNewKey(c, v, view.KeyForm{Expires: "never"})
}

func (p *Portal) showNewKey(c *fiber.Ctx, v *visitor, form view.KeyForm) error {
	return web.Send(c, view.NewKeyPage(view.NewKey{Frame: v.frame, Form: form, Confirmed: v.session.Confirmed,
		Email: v.session.Email, MailDown: p.o.MailDown, Today: today(p.now())}))
}

// createKey makes a key and shows its secret. There is no redirect, as nobody could show the secret after it; sent
// again, the same form is refused for its name.
func (p *Portal) createKey(c *fiber.Ctx, v *visitor) error {
	form := typedKey(c)
	n, err := p.newKeyOf(form)
	if err == nil {
		var (
			key    apikey.Key
			secret string
		)
		key, secret, err = p.o.Keys.Create(v.ctx, v.session.Account, n)
		if err == nil {
			p.learn(v)
			c.Status(fiber.StatusCreated)
			return web.Send(c, view.KeyMadePage(view.KeyMade{Frame: v.frame, ID: int64(key.ID), Name: key.Name, Secret: secret}))
		}
	}
	problem, ok := keyProblem(v.frame.Lang, err, form)
	if !ok {
		return err
	}
	form.Problem = problem
	c.Status(fiber.StatusUnprocessableEntity)
	return p.showNewKey(c, v, form)
}

// learn lets this process accept a key before it is shown. Without it the key works a moment later.
func (p *Portal) learn(v *visitor) {
	if p.o.Learn == nil {
		return
	}
	if err := p.o.Learn(v.ctx, v.session.Account); err != nil {
		slog.WarnContext(v.ctx, "a new key works a moment later", "error", err)
	}
}

func (p *Portal) newKeyOf(form view.KeyForm) (n apikey.NewKey, err error) {
	n.Name = form.Name
	if n.ExpiresAt, err = expiryOf(form, p.now()); err != nil {
		return n, err
	}
	r, err := restrictionOf(form)
	n.RefuseInQuery, n.PerDay, n.Networks = r.RefuseInQuery, r.PerDay, r.Networks
	return n, err
}
