package keys

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/internal/fault"
	"arpent/internal/httpbody"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// defaultOverlap gives people a day to deploy a new key.
const defaultOverlap = "24"

// findLive returns a key that has not ended.
func (p *Pages) findLive(v *pages.Visitor, id ident.KeyID) (Key, error) {
	key, err := p.findKey(v, id)
	if err == nil && key.Ended() {
		err = pages.ErrNothing
	}
	return key, err
}

// RevokeForm shows what uses a key, and asks for confirmation.
func (p *Pages) RevokeForm(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	key, err := p.findLive(v, id)
	if err != nil {
		return err
	}
	if key.Assistant {
		return web.Send(c, DisconnectPage(KeyEnd{Frame: v.Frame, Key: key}))
	}
	return web.Send(c, RevokePage(KeyEnd{Frame: v.Frame, Key: key}))
}

// RotateForm asks how long the old key stays valid.
func (p *Pages) RotateForm(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	key, err := p.findLive(v, id)
	if err != nil {
		return err
	}
	if key.Assistant || key.ReplacedBy != nil {
		return pages.Redirect(c, string(Path(id, "")))
	}
	return web.Send(c, RotatePage(KeyEnd{Frame: v.Frame, Key: key, Overlap: defaultOverlap}))
}

// Revoke revokes a key. Sent twice, the form gets the same answer.
func (p *Pages) Revoke(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	key, err := p.Keys.Revoke(v.Ctx, v.Account, id)
	if fault.From(err).Code == fault.NotFound {
		if key, err = p.Keys.Get(v.Ctx, v.Account, id); err == nil && key.RevokedAt == nil {
			return p.answerEnded(c, v, id, fault.Missing("the key has expired"))
		}
	}
	if err != nil {
		return err
	}
	if key.Kind == apikey.Assistant {
		return pages.Redirect(c, "/account/assistants?done=revoked")
	}
	return pages.Redirect(c, "/account/keys?done=revoked")
}

// Rotate creates the key that replaces another, and shows its secret. Sent again, the form
// is rejected: the old key has been replaced.
func (p *Pages) Rotate(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	hours, err := strconv.Atoi(httpbody.Field(c, "overlap"))
	if err != nil || hours < 0 || hours > 1000 {
		hours = -1 // rejected as none of the choices
	}
	key, secret, err := p.Keys.Rotate(v.Ctx, v.Account, id, time.Duration(hours)*time.Hour)
	if err != nil {
		return p.rejectRotation(c, v, id, err)
	}
	page := KeyMade{ID: key.ID, Name: key.Name, Secret: secret, Rotated: true, Old: &KeyRef{ID: id}}
	if old, err := p.Keys.Get(v.Ctx, v.Account, id); err == nil { // else the new secret would be lost
		page.Old.Name = old.Name
		if old.Live(p.Now()) {
			page.OldUntil = old.ExpiresAt
		}
	}
	return p.showNewKey(c, v, page)
}

// rejectRotation shows the form again with the reason, or the page of a key that was replaced meanwhile.
func (p *Pages) rejectRotation(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID, cause error) error {
	key, err := p.findKey(v, id)
	if err != nil {
		return err
	}
	if key.ReplacedBy != nil {
		return p.answerForm(c, v, id, KeyForm{}, "", apikey.ErrReplaced)
	}
	problems := keyProblems(v.Frame.Lang, cause, KeyForm{})
	if problems == nil {
		return p.answerEnded(c, v, id, cause)
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return web.Send(c, RotatePage(KeyEnd{Frame: v.Frame, Key: key, Overlap: defaultOverlap,
		Problem: problems[""]}))
}
