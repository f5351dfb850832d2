package portal

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/fault"
	"arpent/app/base/httpbody"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
	"arpent/portal/view"
	"arpent/web"
)

// defaultOverlap gives people a day to put a new key in place.
const defaultOverlap = "24"

// askRevoke says what a key is used for before it goes.
func (p *Portal) askRevoke(c *fiber.Ctx, v *visitor) error {
	return p.askEnd(c, v, func(k view.Key) error {
		if k.Assistant {
			return web.Send(c, view.DisconnectPage(view.KeyEnd{Frame: v.frame, Key: k}))
		}
		return web.Send(c, view.RevokePage(view.KeyEnd{Frame: v.frame, Key: k}))
	})
}

// askRotate asks for how long the old key is kept.
func (p *Portal) askRotate(c *fiber.Ctx, v *visitor) error {
	return p.askEnd(c, v, func(k view.Key) error {
		if k.Assistant || k.ReplacedBy != nil {
			return redirect(c, "/account/keys/"+strconv.FormatInt(k.ID, 10))
		}
		return web.Send(c, view.RotatePage(view.KeyEnd{Frame: v.frame, Key: k, Overlap: defaultOverlap}))
	})
}

// askEnd shows a page about the end of a key. What has ended has no such page.
func (p *Portal) askEnd(c *fiber.Ctx, v *visitor, show func(view.Key) error) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	key, err := p.shown(v, id)
	if err != nil {
		return err
	}
	if key.Ended() {
		return fault.Missing("the key has ended")
	}
	return show(key)
}

func (p *Portal) revokeKey(c *fiber.Ctx, v *visitor) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	key, err := p.o.Keys.Revoke(v.ctx, v.session.Account, id)
	if fault.From(err).Code == fault.NotFound { // sent twice, it has done what it was to do
		if key, err = p.o.Keys.Get(v.ctx, v.session.Account, id); err == nil && key.RevokedAt == nil {
			return p.ended(c, v, id, fault.Missing("the key has expired"))
		}
	}
	if err != nil {
		return err
	}
	if key.Kind == apikey.Assistant {
		return redirect(c, "/account/assistants?done=revoked")
	}
	return redirect(c, "/account/keys?done=revoked")
}

// rotateKey makes the key that takes the place of another, and shows its secret. Sent again, the form is refused, as
// the old key has been replaced.
func (p *Portal) rotateKey(c *fiber.Ctx, v *visitor) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	hours, err := strconv.Atoi(httpbody.Field(c, "overlap"))
	if err != nil || hours < 0 || hours > 1000 {
		hours = -1 // refused as none of the choices
	}
	overlap := time.Duration(hours) * time.Hour
	key, secret, err := p.o.Keys.Rotate(v.ctx, v.session.Account, id, overlap)
	if err != nil {
		return p.refuseRotation(c, v, id, err)
	}
	p.learn(v)
	page := view.KeyMade{Frame: v.frame, ID: int64(key.ID), Name: key.Name, Secret: secret, Rotated: true, Old: &view.KeyRef{ID: int64(id)}}
	if old, err := p.o.Keys.Get(v.ctx, v.session.Account, id); err == nil { // else the new secret would be lost
		page.Old.Name = old.Name
		if old.Live(p.now()) {
			page.OldUntil = old.ExpiresAt
		}
	}
	c.Status(fiber.StatusCreated)
	return web.Send(c, view.KeyMadePage(page))
}

// refuseRotation shows the form again with the reason, or the page of a key that was replaced meanwhile.
func (p *Portal) refuseRotation(c *fiber.Ctx, v *visitor, id ident.KeyID, cause error) error {
	key, err := p.shown(v, id)
	if err != nil {
		return err
	}
	if key.ReplacedBy != nil {
		return p.changed(c, v, id, view.KeyForm{}, "", apikey.ErrReplaced)
	}
	problem, ok := keyProblem(v.frame.Lang, cause, view.KeyForm{})
	if !ok {
		return p.ended(c, v, id, cause)
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return web.Send(c, view.RotatePage(view.KeyEnd{Frame: v.frame, Key: key, Overlap: defaultOverlap, Problem: problem.Text}))
}
