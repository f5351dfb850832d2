package keys

import (
	"errors"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// NewForm shows the form of a new key.
func (p *Pages) NewForm(c *fiber.Ctx, v *pages.Visitor) error {
	if form, ok := parseKept(p.TakeTyped(c)); ok {
		return p.newForm(c, v, form)
	}
	return p.newForm(c, v, KeyForm{Expires: "never"})
}

func (p *Pages) newForm(c *fiber.Ctx, v *pages.Visitor, form KeyForm) error {
	if form.Problems != nil || form.Kept != "" {
		v.Frame.Typed = form.encodeTyped()
	}
	return web.Send(c, NewKeyPage(NewKey{Frame: v.Frame, Form: form, Confirmed: v.Session.Confirmed,
		Email: v.Session.Email, MailDown: p.MailDown, Today: clock.Day(p.Now()).Time()}))
}

// Create creates a key and shows its secret. It does not redirect: the secret could not be shown after that.
// Sent again, the same form is rejected for its name.
func (p *Pages) Create(c *fiber.Ctx, v *pages.Visitor) error {
	form := readForm(c)
	key, secret, err := p.createKey(v, form)
	if err == nil {
		return p.showNewKey(c, v, KeyMade{ID: key.ID, Name: key.Name, Secret: secret})
	}
	if form.Problems = keyProblems(v.Frame.Lang, err, form); form.Problems == nil {
		return err
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.newForm(c, v, form)
}

// createKey joins the errors of all that was typed.
func (p *Pages) createKey(v *pages.Visitor, form KeyForm) (key apikey.Key, secret string, err error) {
	_, nameErr := apikey.CheckName(form.Name)
	expires, expiryErr := parseExpiry(form, p.Now())
	r, err := parseRestriction(form)
	if err = errors.Join(nameErr, expiryErr, err); err != nil {
		return key, "", err
	}
	return p.Keys.Create(v.Ctx, v.Account, apikey.NewKey{Name: form.Name, ExpiresAt: expires,
		RefuseInQuery: r.RefuseInQuery, PerDay: r.PerDay, Networks: r.Networks})
}

// showNewKey has this process accept a new key before its secret is shown.
// If that fails, the key works a moment later.
func (p *Pages) showNewKey(c *fiber.Ctx, v *pages.Visitor, page KeyMade) error {
	if p.Refresh != nil {
		if err := p.Refresh(v.Ctx, v.Account); err != nil {
			slog.WarnContext(v.Ctx, "new key not accepted yet", "error", err)
		}
	}
	page.Frame, page.Runs = v.Frame, p.LiveKey != nil
	page.Sample = view.FirstCallOf(p.Site.Status()).Path
	c.Status(fiber.StatusCreated)
	return web.Send(c, KeyMadePage(page))
}
