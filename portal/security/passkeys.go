package security

import (
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/passkey"
	"arpent/portal/pages"
	"arpent/web"
)

// newPasskeyPath is the page on which a passkey is added.
const newPasskeyPath = "/account/security/passkeys/new"

func passkeyPath(id int64) string { return "/account/security/passkeys/" + strconv.FormatInt(id, 10) }

// listPasskeys lists the passkeys that can sign in to the account.
func (p *Pages) listPasskeys(v *pages.Visitor) ([]Passkey, error) {
	all, err := p.Auth.Passkeys(v.Ctx, v.Session)
	if err != nil {
		return nil, err
	}
	rows := make([]Passkey, 0, len(all))
	for _, k := range all {
		rows = append(rows, Passkey{ID: k.ID, Name: k.Name, Model: passkey.ModelName(k.Model), Synced: k.Synced,
			CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt})
	}
	return rows, nil
}

// findPasskey finds a passkey among those of the account.
func (p *Pages) findPasskey(v *pages.Visitor, id int64) (k Passkey, all []Passkey, err error) {
	if all, err = p.listPasskeys(v); err != nil {
		return k, nil, err
	}
	at := slices.IndexFunc(all, func(k Passkey) bool { return k.ID == id })
	if at < 0 {
		return k, nil, pages.ErrNothing
	}
	return all[at], all, nil
}

// NewPasskeyPage explains passkeys, and adds one.
func (p *Pages) NewPasskeyPage(c *fiber.Ctx, v *pages.Visitor) error {
	if !p.Auth.OffersPasskeys() {
		return pages.ErrNothing
	}
	all, err := p.listPasskeys(v)
	if err != nil {
		return err
	}
	return web.Send(c, NewPasskeyPage(NewPasskey{Frame: v.Frame, IsFull: len(all) >= auth.MaxPasskeys,
		IsUnconfirmed: !v.Session.Confirmed, Alert: v.Errors()[""]}))
}

// NewPasskeyChallenge brings the challenge of a new passkey.
func (p *Pages) NewPasskeyChallenge(c *fiber.Ctx, v *pages.Visitor) error {
	request, err := p.Auth.BeginPasskey(v.Ctx, v.Session)
	return pages.SendPasskeyRequest(c, v, request, err)
}

// AddPasskey adds the passkey that the browser has made, and asks for its name.
func (p *Pages) AddPasskey(c *fiber.Ctx, v *pages.Visitor) error {
	id, err := p.Auth.AddPasskey(v.Ctx, v.Session, pages.Field(c, "sealed"), pages.Field(c, "answer"), v.Origin)
	return v.Answer(c, err, p.NewPasskeyPage, passkeyPath(id)+"?done=added")
}

// PasskeyPage asks for the name of a passkey.
func (p *Pages) PasskeyPage(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	k, _, err := p.findPasskey(v, id)
	if err != nil {
		return err
	}
	page := RenamePasskey{Frame: v.Frame, Passkey: k, Name: k.Name, IsNew: c.Query("done") == "added",
		Error: v.Errors()["name"]}
	if page.Error != "" {
		page.Name = pages.Field(c, "name")
	}
	return web.Send(c, RenamePasskeyPage(page))
}

// RenamePasskey gives a passkey another name.
func (p *Pages) RenamePasskey(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	err := p.Auth.RenamePasskey(v.Ctx, v.Session, id, pages.Field(c, "name"), v.Origin)
	return v.Answer(c, err, pages.ByID(p.PasskeyPage), "/account/security?done=passkey-named#passkeys")
}

// RemovePasskeyPage explains what removing a passkey changes, and asks for confirmation.
func (p *Pages) RemovePasskeyPage(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	k, all, err := p.findPasskey(v, id)
	if err != nil {
		return err
	}
	identities, err := p.Auth.Identities(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	return web.Send(c, RemovePasskeyPage(RemovePasskey{Frame: v.Frame, Passkey: k, Alert: v.Errors()[""],
		OnlyWayIn: len(all)+len(identities) == 1 && !v.Session.HasPassword}))
}

// RemovePasskey removes a passkey.
func (p *Pages) RemovePasskey(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	err := p.Auth.RemovePasskey(v.Ctx, v.Session, id, v.Origin)
	return v.Answer(c, err, pages.ByID(p.RemovePasskeyPage),
		"/account/security?done=passkey-removed#passkeys")
}
