// Package keys holds the pages of what connects programs to an account: its keys, its assistants, each of
// which has a key too, management tokens and webhooks. It also answers the console of the reference.
package keys

import (
	"context"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct {
	*pages.Server
	// Refresh has this process accept a new key of the account at once; nil: it is notified later.
	Refresh func(context.Context, ident.AccountID) error
	API     *api.Server
	LiveKey func(context.Context, ident.AccountID, ident.KeyID) (*apikey.Entry, error) // see portal.Options
	// Connections lists the connected assistants of an account; nil: only the names of their keys are known.
	Connections Connections
}

// List shows the keys of the account's own programs.
func (p *Pages) List(c *fiber.Ctx, v *pages.Visitor) error {
	keys, counts, err := p.readKeys(v)
	if err != nil {
		return err
	}
	makers, err := p.readMakers(v)
	if err != nil {
		return err
	}
	page := Keys{Frame: v.Frame, Done: c.Query("done"), Confirmed: v.Session.Confirmed, Email: v.Session.Email,
		MailDown: p.MailDown, Max: apikey.MaxIntegrations, Now: p.Now(),
		ManagesTokens: v.Session.Role.May(member.ManageTokens)}
	successors := Successors(keys)
	for _, k := range slices.Backward(keys) { // the newest first
		if k.Kind == apikey.Assistant { // they have a page of their own
			page.Assistants = page.Assistants || k.Live(p.Now())
			continue
		}
		shown := p.View(k, counts[k.ID], successors[k.ID])
		makers.nameMaker(k, &shown)
		if shown.Ended() {
			page.Ended = append(page.Ended, shown)
			continue
		}
		page.Live = append(page.Live, shown)
		if makers.isExposed(k) && shown.ReplacedBy == nil && !v.Frame.ReadsKeys() {
			page.Exposed = append(page.Exposed, KeyRef{ID: k.ID, Name: k.Name})
		}
	}
	return web.Send(c, KeysPage(page))
}

// ByID returns a handler that passes on the id in the address, of a key that the visitor sees: others do not
// exist.
func (p *Pages) ByID(h func(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error) pages.Handler {
	return pages.ByID(func(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
		if v.OwnKeysOnly() {
			key, err := p.Keys.Get(v.Ctx, v.Account, id)
			if err != nil {
				return err
			}
			if !v.Sees(key) {
				return pages.ErrNothing
			}
		}
		return h(c, v, id)
	})
}

// makers are the members of an organisation by their id; nil: the account is a person's.
type makers map[ident.AccountID]auth.Member

func (p *Pages) readMakers(v *pages.Visitor) (makers, error) {
	if v.Account == v.Session.Account {
		return nil, nil
	}
	list, err := p.Auth.Members(v.Ctx, v.Session)
	found := makers{}
	for _, m := range list {
		found[m.Person] = m
	}
	return found, err
}

// nameMaker adds who made a key to its view.
func (m makers) nameMaker(k apikey.Key, shown *Key) {
	if m == nil {
		return
	}
	shown.Shared, shown.Personal = true, k.Personal
	if k.CreatedBy != nil {
		shown.MadeBy = m[*k.CreatedBy].Email
	}
}

// isExposed reports whether a person may still know the key who is not a member any more, or whose role
// allows no keys.
func (m makers) isExposed(k apikey.Key) bool {
	return m != nil && (k.CreatedBy == nil || !m[*k.CreatedBy].Role.May(member.CreateKey))
}

// readKeys returns the keys of the account that the visitor sees, with their numbers of requests.
func (p *Pages) readKeys(v *pages.Visitor) ([]apikey.Key, map[ident.KeyID]usage.KeyCount, error) {
	keys, err := p.ListKeys(v)
	if err != nil {
		return nil, nil, err
	}
	counts, err := usage.ReadKeyCounts(v.Ctx, p.DB, v.Account, clock.Day(p.Now()))
	return keys, counts, err
}

// Successors returns, for each key that was rotated, the key that replaced it.
func Successors(keys []apikey.Key) map[ident.KeyID]*KeyRef {
	found := map[ident.KeyID]*KeyRef{}
	for _, k := range keys {
		if k.Replaces != nil {
			found[*k.Replaces] = &KeyRef{ID: k.ID, Name: k.Name}
		}
	}
	return found
}

// View returns what a page shows of a key.
func (p *Pages) View(k apikey.Key, n usage.KeyCount, successor *KeyRef) Key {
	shown := Key{ID: k.ID, Name: k.Name, Prefix: k.Prefix, Last4: k.Last4, Assistant: k.Kind == apikey.Assistant,
		CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt,
		Today: n.Today,
		Month: n.Last30, Total: k.RequestCount, RefuseInQuery: k.RefuseInQuery, Networks: k.Networks,
		ReplacedBy: successor}
	if k.PerDay != nil {
		shown.PerDay = *k.PerDay
	}
	if k.ExpiresAt != nil {
		shown.EndOfDay = k.ExpiresAt.Equal(clock.Day(*k.ExpiresAt).Start())
	}
	switch {
	case k.RevokedAt != nil:
		shown.State = KeyRevoked
	case !k.Live(p.Now()):
		shown.State = KeyExpired
	case k.PausedAt != nil:
		shown.State = KeyPaused
	case successor != nil:
		shown.State = KeyRotating
	}
	return shown
}

// AnyLive reports whether an account has a live key of its own: one of a program, not of an assistant.
func AnyLive(all []apikey.Key, now time.Time) bool {
	return slices.ContainsFunc(all, func(k apikey.Key) bool {
		return k.Kind == apikey.Integration && k.Live(now)
	})
}
