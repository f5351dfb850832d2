package portal

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/clock"
	"arpent/app/base/fault"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

// listKeys shows every key of the account's own programs.
func (p *Portal) listKeys(c *fiber.Ctx, v *visitor) error {
	keys, err := p.o.Keys.List(v.ctx, v.session.Account)
	if err != nil {
		return err
	}
	counts, err := usage.ReadKeyCounts(v.ctx, p.o.DB, v.session.Account, clock.Day(p.now()))
	if err != nil {
		return err
	}
	page := view.Keys{Frame: v.frame, Done: c.Query("done"), Confirmed: v.session.Confirmed, Email: v.session.Email,
		MailDown: p.o.MailDown, Max: apikey.MaxIntegrations, Now: p.now()}
	successors := successorsOf(keys)
	for i := len(keys) - 1; i >= 0; i-- { // the newest first
		if keys[i].Kind == apikey.Assistant { // they have a page of their own
			page.Assistants = page.Assistants || keys[i].Live(p.now())
			continue
		}
		shown := p.shownKey(keys[i], counts[keys[i].ID], successors[keys[i].ID])
		if shown.Ended() {
			page.Ended = append(page.Ended, shown)
			continue
		}
		page.Live = append(page.Live, shown)
	}
	return web.Send(c, view.KeysPage(page))
}

// successorsOf finds of each key that was rotated the one that took its place.
func successorsOf(keys []apikey.Key) map[ident.KeyID]*view.KeyRef {
	found := map[ident.KeyID]*view.KeyRef{}
	for _, k := range keys {
		if k.Replaces != nil {
			found[*k.Replaces] = &view.KeyRef{ID: int64(k.ID), Name: k.Name}
		}
	}
	return found
}

// shownKey gives what a page shows of a key.
func (p *Portal) shownKey(k apikey.Key, n usage.KeyCount, successor *view.KeyRef) view.Key {
	shown := view.Key{ID: int64(k.ID), Name: k.Name, Prefix: k.Prefix, Last4: k.Last4, Assistant: k.Kind == apikey.Assistant,
		CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt, Today: n.Today,
		Month: n.Last30, Total: k.RequestCount, RefuseInQuery: k.RefuseInQuery, Networks: k.Networks, ReplacedBy: successor}
	if k.PerDay != nil {
		shown.PerDay = *k.PerDay
	}
	if k.ExpiresAt != nil {
		shown.EndOfDay = k.ExpiresAt.Equal(clock.Day(*k.ExpiresAt).Start())
	}
	switch {
	case k.RevokedAt != nil:
		shown.State = view.KeyRevoked
	case !k.Live(p.now()):
		shown.State = view.KeyExpired
	case k.PausedAt != nil:
		shown.State = view.KeyPaused
	case successor != nil:
		shown.State = view.KeyRotating
	}
	return shown
}

// keyID reads which key an address is about. One that is no number names none.
func keyID(c *fiber.Ctx) (ident.KeyID, error) {
	n, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil || n < 1 {
		return 0, fault.Missing("there is no such key")
	}
	return ident.KeyID(n), nil
}

func keyPath(id ident.KeyID, then string) string {
	return "/account/keys/" + strconv.FormatInt(int64(id), 10) + then
}
