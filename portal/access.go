package portal

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

const (
	accessPath = "/account/security/access"
	// reviewCookie has whoever chose a new password by a link in a mail see, once signed in, what still has access: the
	// link is what one asks for when somebody else was in the account.
	reviewCookie = "arpent-review"
	reviewLife   = time.Hour
)

// access shows every key, assistant and identity that a new password leaves as it is.
func (p *Portal) access(c *fiber.Ctx, v *visitor) error {
	keys, err := p.o.Keys.List(v.ctx, v.session.Account)
	if err != nil {
		return err
	}
	known, err := p.connectionsOf(v)
	if err != nil {
		return err
	}
	page := view.Access{Frame: v.frame, Done: c.Query("done"), Next: nextOf(c), Now: p.now()}
	for _, k := range slices.Backward(keys) { // the newest first
		switch {
		case !k.Live(p.now()):
		case k.Kind == apikey.Assistant:
			page.Assistants = append(page.Assistants, p.shownAssistant(k, nil, known[k.ID]))
		default:
			page.Keys = append(page.Keys, p.shownKey(k, usage.KeyCount{}, nil))
		}
	}
	if page.Identities, _, err = p.identityRows(v); err != nil {
		return err
	}
	return web.Send(c, view.AccessPage(page))
}

// revokeAccess ends every key and every assistant at once.
func (p *Portal) revokeAccess(c *fiber.Ctx, v *visitor) error {
	if _, err := p.o.Keys.RevokeAll(v.ctx, v.session.Account); err != nil {
		return err
	}
	return redirect(c, withNext(accessPath+"?done=revoked", nextOf(c)))
}
