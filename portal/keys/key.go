package keys

import (
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// Detail shows one key, with the forms that change it.
func (p *Pages) Detail(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	if form, ok := parseKept(p.TakeTyped(c)); ok {
		return p.showDetail(c, v, id, &form)
	}
	return p.showDetail(c, v, id, nil)
}

// PageOf redirects a request for the address of a form of the page to the page.
func (p *Pages) PageOf(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	if _, err := p.Keys.Get(v.Ctx, v.Account, id); err != nil {
		return err
	}
	return v.Redirect(c, string(Path(id, "")))
}

// showDetail shows the page of a key. typed is a form that was rejected; nil: none.
func (p *Pages) showDetail(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID, typed *KeyForm) error {
	key, err := p.findKey(v, id)
	if err != nil {
		return err
	}
	to := clock.Day(p.Now())
	history, err := usage.ReadHistory(v.Ctx, p.DB, v.Account, to-view.ChartDays+1, to,
		usage.Filter{Key: &id})
	if err != nil {
		return err
	}
	page := KeyPage{Frame: v.Frame, Key: key, Done: c.Query("done"), Today: to.Time(),
		Chart: view.Chart{Lang: v.Frame.Lang, Days: view.LastDays(to), Small: true}, Form: currentForm(key)}
	for _, k := range history.ByKey {
		if k.ID == id {
			page.Chart.Series = []view.Series{{Name: k.Name, Days: k.Requests}}
			page.Key.Counted = k.Days[len(k.Days)-1]
		}
	}
	if key.Assistant {
		used, err := usage.ReadOperations(v.Ctx, p.DB, v.Account, string(apikey.Assistant), to)
		if err != nil {
			return err
		}
		page.Tools, page.Key.Total = toolsOf(used[id]), 0 // the total is that of the tools, as in the list
		for _, n := range used[id] {
			page.Key.Total += n.Total
		}
		reasons, err := p.endReasons(v)
		if err != nil {
			return err
		}
		page.Key.EndedBy = reasons[id]
		known, err := p.ConnectionsOf(v)
		if err != nil {
			return err
		}
		if c := known[id]; c != nil {
			page.Key.CreatedAt, page.LastDay = c.ConnectedAt, new(c.ConnectedAt.Add(assistant.ConnectionMaxLife))
		}
	}
	if typed != nil {
		page.Frame.Typed = typed.encodeTyped()
		page.Form = mergeForms(page.Form, *typed)
	}
	return web.Send(c, DetailPage(page))
}

// findKey returns a key of the account with its requests, the key
// that it replaced and the one that replaced it.
func (p *Pages) findKey(v *pages.Visitor, id ident.KeyID) (Key, error) {
	keys, counts, err := p.readKeys(v)
	if err != nil {
		return Key{}, err
	}
	at := slices.IndexFunc(keys, func(k apikey.Key) bool { return k.ID == id })
	if at < 0 {
		return Key{}, pages.ErrNothing
	}
	shown := p.View(keys[at], counts[id], Successors(keys)[id])
	makers, err := p.readMakers(v)
	if err != nil {
		return Key{}, err
	}
	makers.nameMaker(keys[at], &shown)
	for _, k := range keys {
		if before := keys[at].Replaces; before != nil && k.ID == *before {
			shown.Replaces = &KeyRef{ID: k.ID, Name: k.Name}
		}
	}
	return shown, nil
}

// currentForm returns the forms with the present values of a key.
func currentForm(k Key) KeyForm {
	f := KeyForm{Name: k.Name, Expires: "never", RefuseInQuery: k.RefuseInQuery,
		Networks: apikey.FormatNetworks(k.Networks)}
	if k.PerDay > 0 {
		f.PerDay = strconv.Itoa(k.PerDay)
	}
	if k.ExpiresAt != nil {
		f.Expires, f.ExpiresOn = "date", clock.Day(k.ExpiresAt.Add(-time.Second)).String()
	}
	return f
}

// mergeForms puts the input of one form of a page over the present values of the others.
func mergeForms(shown, typed KeyForm) KeyForm {
	shown.Problems = typed.Problems
	wrong := func(field string) bool { return typed.Problems[field] != "" || typed.Kept == field }
	switch {
	case wrong("name"):
		shown.Name = typed.Name
	case wrong("expires"):
		shown.Expires, shown.ExpiresOn = typed.Expires, typed.ExpiresOn
	case wrong("per_day") || wrong("networks"):
		shown.PerDay, shown.Networks, shown.RefuseInQuery = typed.PerDay, typed.Networks, typed.RefuseInQuery
	}
	return shown
}

// answerForm redirects after a form on the page of a key was applied,
// or shows the page again with what was wrong.
func (p *Pages) answerForm(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID, form KeyForm, done string,
	err error) error {
	if err == nil {
		return pages.Redirect(c, string(Path(id, "?done="+done)))
	}
	if form.Problems = keyProblems(v.Frame.Lang, err, form); form.Problems == nil {
		return p.answerEnded(c, v, id, err)
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.showDetail(c, v, id, &form)
}

// answerEnded answers a change of a key that the store does not find among the live ones: an ended key still
// has its page, which says that nothing was changed.
func (p *Pages) answerEnded(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID, cause error) error {
	if fault.From(cause).Code != fault.NotFound {
		return cause
	}
	text := v.Frame.Lang.Pick("Cette clé n’est plus valable\u00a0: rien n’a été changé.",
		"This key has ended: nothing was changed.")
	c.Status(fiber.StatusUnprocessableEntity)
	return p.showDetail(c, v, id, &KeyForm{Problems: Problems{"": text}})
}

// Rename changes the name of a key.
func (p *Pages) Rename(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	form := readForm(c)
	_, err := p.Keys.Rename(v.Ctx, v.Account, id, form.Name)
	return p.answerForm(c, v, id, form, "renamed", err)
}

// Restrict changes the restrictions of a key. The form of an assistant's key has
// the cap alone: the others stay as they are.
func (p *Pages) Restrict(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	form := readForm(c)
	r, err := parseRestriction(form)
	if err == nil {
		var key apikey.Key
		if key, err = p.Keys.Get(v.Ctx, v.Account, id); err == nil && key.Kind == apikey.Assistant {
			r.Networks, r.RefuseInQuery = key.Networks, key.RefuseInQuery
		}
	}
	if err == nil {
		_, err = p.Keys.Restrict(v.Ctx, v.Account, id, r)
	}
	return p.answerForm(c, v, id, form, "restricted", err)
}

// SetExpiry changes the expiry of a key.
func (p *Pages) SetExpiry(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	form := readForm(c)
	at, err := parseExpiry(form, p.Now())
	if err == nil {
		_, err = p.Keys.SetExpiry(v.Ctx, v.Account, id, at)
	}
	return p.answerForm(c, v, id, form, "expiry", err)
}

// Pause suspends a key.
func (p *Pages) Pause(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	_, err := p.Keys.Pause(v.Ctx, v.Account, id)
	return p.answerForm(c, v, id, KeyForm{}, "paused", err)
}

// Resume ends the suspension of a key.
func (p *Pages) Resume(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	_, err := p.Keys.Resume(v.Ctx, v.Account, id)
	return p.answerForm(c, v, id, KeyForm{}, "resumed", err)
}
