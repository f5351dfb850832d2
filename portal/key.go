package portal

import (
	"context"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/clock"
	"arpent/app/base/fault"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

// chartDays is how far back the pages look, today included.
const chartDays = 30

// showKey shows one key, with the forms that change it.
func (p *Portal) showKey(c *fiber.Ctx, v *visitor) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	return p.keyPage(c, v, id, nil)
}

// keyPage draws the page of a key. typed is a form that was refused; nil: none.
func (p *Portal) keyPage(c *fiber.Ctx, v *visitor, id ident.KeyID, typed *view.KeyForm) error {
	key, err := p.shown(v, id)
	if err != nil {
		return err
	}
	to := clock.Day(p.now())
	history, err := usage.ReadHistory(v.ctx, p.o.DB, v.session.Account, to-chartDays+1, to)
	if err != nil {
		return err
	}
	page := view.KeyPage{Frame: v.frame, Key: key, Done: c.Query("done"), Today: today(p.now()),
		Chart: view.Chart{Lang: v.frame.Lang, Days: midnights(history), Small: true}, Form: formOf(key)}
	for _, k := range history.ByKey {
		if k.ID == id {
			page.Chart.Series = []view.Series{{Name: k.Name, Days: k.Requests}}
			page.Key.Counted = k.Days[len(k.Days)-1]
		}
	}
	if key.Assistant {
		used, err := usage.ReadOperations(v.ctx, p.o.DB, v.session.Account, string(apikey.Assistant), to)
		if err != nil {
			return err
		}
		page.Tools = toolsOf(used[id])
	}
	if typed != nil {
		page.Form = mergeForms(page.Form, *typed)
	}
	return web.Send(c, view.DetailPage(page))
}

// shown gives a key of the account with its use and its place among the others.
func (p *Portal) shown(v *visitor, id ident.KeyID) (view.Key, error) {
	key, err := p.o.Keys.Get(v.ctx, v.session.Account, id)
	if err != nil {
		return view.Key{}, err
	}
	keys, err := p.o.Keys.List(v.ctx, v.session.Account)
	if err != nil {
		return view.Key{}, err
	}
	counts, err := usage.ReadKeyCounts(v.ctx, p.o.DB, v.session.Account, clock.Day(p.now()))
	if err != nil {
		return view.Key{}, err
	}
	shown := p.shownKey(key, counts[id], successorsOf(keys)[id])
	if key.Replaces != nil {
		for _, k := range keys {
			if k.ID == *key.Replaces {
				shown.Replaces = &view.KeyRef{ID: int64(k.ID), Name: k.Name}
			}
		}
	}
	return shown, nil
}

// formOf fills the forms with what holds for a key.
func formOf(k view.Key) view.KeyForm {
	f := view.KeyForm{Name: k.Name, Expires: "never", RefuseInQuery: k.RefuseInQuery, Networks: apikey.FormatNetworks(k.Networks)}
	if k.PerDay > 0 {
		f.PerDay = strconv.Itoa(k.PerDay)
	}
	if k.ExpiresAt != nil {
		f.Expires, f.ExpiresOn = "date", clock.Day(k.ExpiresAt.Add(-time.Second)).String()
	}
	return f
}

// mergeForms puts what was typed in one of the forms of a page over what the others show.
func mergeForms(shown, typed view.KeyForm) view.KeyForm {
	shown.Problem = typed.Problem
	switch typed.Problem.Field {
	case "name":
		shown.Name = typed.Name
	case "expires":
		shown.Expires, shown.ExpiresOn = typed.Expires, typed.ExpiresOn
	case "per_day", "networks":
		shown.PerDay, shown.Networks, shown.RefuseInQuery = typed.PerDay, typed.Networks, typed.RefuseInQuery
	}
	return shown
}

// changed answers a form on the page of a key.
func (p *Portal) changed(c *fiber.Ctx, v *visitor, id ident.KeyID, form view.KeyForm, done string, err error) error {
	if err == nil {
		return redirect(c, keyPath(id, "?done="+done))
	}
	problem, ok := keyProblem(v.frame.Lang, err, form)
	if !ok {
		return p.ended(c, v, id, err)
	}
	form.Problem = problem
	c.Status(fiber.StatusUnprocessableEntity)
	return p.keyPage(c, v, id, &form)
}

// ended answers an act on a key that the store does not find among the live ones: what has ended still has its page,
// which says that nothing was changed.
func (p *Portal) ended(c *fiber.Ctx, v *visitor, id ident.KeyID, cause error) error {
	if fault.From(cause).Code != fault.NotFound {
		return cause
	}
	if _, err := p.o.Keys.Get(v.ctx, v.session.Account, id); err != nil {
		return err
	}
	text := v.frame.Lang.Pick("Cette clé n’est plus valable\u00a0: rien n’a été changé.", "This key has ended: nothing was changed.")
	c.Status(fiber.StatusUnprocessableEntity)
	return p.keyPage(c, v, id, &view.KeyForm{Problem: view.Problem{Text: text}})
}

func (p *Portal) renameKey(c *fiber.Ctx, v *visitor) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	form := typedKey(c)
	_, err = p.o.Keys.Rename(v.ctx, v.session.Account, id, form.Name)
	return p.changed(c, v, id, form, "renamed", err)
}

func (p *Portal) restrictKey(c *fiber.Ctx, v *visitor) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	form := typedKey(c)
	r, err := restrictionOf(form)
	if err == nil {
		r, err = p.keepUnasked(v, id, r)
	}
	if err == nil {
		_, err = p.o.Keys.Restrict(v.ctx, v.session.Account, id, r)
	}
	return p.changed(c, v, id, form, "restricted", err)
}

// keepUnasked leaves as it is what the form of an assistant's key does not ask.
func (p *Portal) keepUnasked(v *visitor, id ident.KeyID, r apikey.Restriction) (apikey.Restriction, error) {
	key, err := p.o.Keys.Get(v.ctx, v.session.Account, id)
	if err == nil && key.Kind == apikey.Assistant {
		r.Networks, r.RefuseInQuery = key.Networks, key.RefuseInQuery
	}
	return r, err
}

func (p *Portal) expireKey(c *fiber.Ctx, v *visitor) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	form := typedKey(c)
	at, err := expiryOf(form, p.now())
	if err == nil {
		_, err = p.o.Keys.SetExpiry(v.ctx, v.session.Account, id, at)
	}
	return p.changed(c, v, id, form, "expiry", err)
}

func (p *Portal) pauseKey(c *fiber.Ctx, v *visitor) error {
	return p.switchKey(c, v, p.o.Keys.Pause, "paused")
}

func (p *Portal) resumeKey(c *fiber.Ctx, v *visitor) error {
	return p.switchKey(c, v, p.o.Keys.Resume, "resumed")
}

// keySwitch is Pause or Resume of the store.
type keySwitch func(context.Context, ident.AccountID, ident.KeyID) (apikey.Key, error)

func (p *Portal) switchKey(c *fiber.Ctx, v *visitor, turn keySwitch, done string) error {
	id, err := keyID(c)
	if err != nil {
		return err
	}
	_, err = turn(v.ctx, v.session.Account, id)
	return p.changed(c, v, id, view.KeyForm{}, done, err)
}
