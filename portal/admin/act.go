package admin

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/portal/pages"
	"arpent/web"
)

// isConfirmed reports whether the operator has ticked that this is meant. Without it nothing is done.
func isConfirmed(c *fiber.Ctx) bool { return pages.Text(c, "confirm") == "1" }

// maxNote is how long a note on limits may be, in characters.
const maxNote = 500

// LimitsForm asks which limits the account gets, and why.
func (p *Pages) LimitsForm(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
	l := Limits{Frame: v.Frame, Account: viewAccount(a), PerMinute: formatLimit(a.Own.PerMinute),
		Enrichments: formatLimit(a.Own.EnrichmentsPerMinute), PerDay: formatLimit(a.Own.PerDay)}
	l.Note = l.Account.Note
	return web.Send(c, LimitsPage(l))
}

func formatLimit(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// SetLimits replaces what is granted to the account in addition to its plan.
func (p *Pages) SetLimits(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
	l := Limits{Frame: v.Frame, Account: viewAccount(a), PerMinute: pages.Text(c, "per_minute"),
		Enrichments: pages.Text(c, "enrichments"), PerDay: pages.Text(c, "per_day"), Note: pages.Text(c, "note"),
		Confirmed: isConfirmed(c)}
	own, field := l.parseLimits()
	if field == "" {
		_, err := p.Accounts.SetLimits(v.Ctx, a.ID, own)
		if err == nil {
			return pages.Redirect(c, accountPath(a.ID, "?done=limits"))
		}
		if fault.From(err).Code != fault.InvalidParameter {
			return err
		}
		field = "range"
	}
	l.Problem = field
	c.Status(fiber.StatusUnprocessableEntity)
	return web.Send(c, LimitsPage(l))
}

// parseLimits gives the limits of the form, or the field that is wrong.
func (l Limits) parseLimits() (own auth.OwnLimits, wrong string) {
	for _, f := range []struct {
		name, text string
		to         **int
	}{{"per_minute", l.PerMinute, &own.PerMinute}, {"enrichments", l.Enrichments, &own.EnrichmentsPerMinute},
		{"per_day", l.PerDay, &own.PerDay}} {
		if f.text == "" { // that of the plan
			continue
		}
		n, err := strconv.Atoi(f.text)
		if err != nil || n < 1 {
			return own, f.name
		}
		*f.to = &n
	}
	switch {
	case l.Note == "" || utf8.RuneCountInString(l.Note) > maxNote || strings.ContainsRune(l.Note, 0):
		return own, "note"
	case !l.Confirmed:
		return own, "confirm"
	}
	own.Note = &l.Note
	return own, ""
}

// SignOutForm asks for confirmation before all sessions of an account are ended.
func (p *Pages) SignOutForm(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
	return web.Send(c, ActPage(signOutAct(v.Frame, a)))
}

// SignOut ends all sessions of an account. Its keys go on.
func (p *Pages) SignOut(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
	if !isConfirmed(c) {
		return showUnconfirmed(c, signOutAct(v.Frame, a))
	}
	if _, err := p.Accounts.EndSessions(v.Ctx, a.ID); err != nil {
		return err
	}
	return pages.Redirect(c, accountPath(a.ID, "?done=sign-out"))
}

// showUnconfirmed shows the page of an act again, which has not been done.
func showUnconfirmed(c *fiber.Ctx, a Act) error {
	a.Unconfirmed = true
	c.Status(fiber.StatusUnprocessableEntity)
	return web.Send(c, ActPage(a))
}

// keyAct is something that an operator does with a key.
type keyAct struct {
	name      string
	do        func(*apikey.Store, context.Context, ident.AccountID, ident.KeyID) (apikey.Key, error)
	isOffered func(apikey.State) bool // of a key in that state
}

var (
	revokeAct = keyAct{"revoke", (*apikey.Store).Revoke,
		func(s apikey.State) bool { return s == apikey.StateLive || s == apikey.StatePaused }}
	pauseAct = keyAct{"pause", (*apikey.Store).Pause,
		func(s apikey.State) bool { return s == apikey.StateLive }}
	resumeAct = keyAct{"resume", (*apikey.Store).Resume,
		func(s apikey.State) bool { return s == apikey.StatePaused }}
)

// withKey returns a handler that passes on the account and the key that the address names.
func (p *Pages) withKey(h func(c *fiber.Ctx, v *pages.Visitor, a auth.Account, k apikey.Key) error) pages.Handler {
	return p.withAccount(func(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
		number, err := strconv.ParseInt(c.Params("key"), 10, 64)
		if err != nil || number < 1 {
			return pages.ErrNothing
		}
		k, err := p.Keys.Get(v.Ctx, a.ID, ident.KeyID(number))
		if err != nil {
			return err
		}
		return h(c, v, a, k)
	})
}

// keyActForm asks for confirmation before something is done with a key.
func (p *Pages) keyActForm(act keyAct) pages.Handler {
	return p.withKey(func(c *fiber.Ctx, v *pages.Visitor, a auth.Account, k apikey.Key) error {
		if !act.isOffered(k.State(p.Now())) {
			return pages.Redirect(c, accountPath(a.ID, ""))
		}
		return web.Send(c, ActPage(keyPage(v.Frame, a, k, act.name)))
	})
}

// changeKey does it.
func (p *Pages) changeKey(act keyAct) pages.Handler {
	return p.withKey(func(c *fiber.Ctx, v *pages.Visitor, a auth.Account, k apikey.Key) error {
		if !isConfirmed(c) {
			return showUnconfirmed(c, keyPage(v.Frame, a, k, act.name))
		}
		if _, err := act.do(p.Keys, v.Ctx, a.ID, k.ID); err != nil { // not found: it has ended
			return err
		}
		return pages.Redirect(c, accountPath(a.ID, "?done="+act.name))
	})
}

// RetryForm asks for confirmation before a mail that failed is sent again.
func (p *Pages) RetryForm(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	m, err := p.Mails.Find(v.Ctx, id)
	if err != nil {
		return err
	}
	if m.State != mail.Failed {
		return pages.Redirect(c, "/admin/mails")
	}
	return web.Send(c, ActPage(retryAct(v.Frame, m)))
}

// Retry has a mail that failed sent again.
func (p *Pages) Retry(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	m, err := p.Mails.Find(v.Ctx, id)
	if err != nil {
		return err
	}
	if !isConfirmed(c) {
		return showUnconfirmed(c, retryAct(v.Frame, m))
	}
	_, err = p.Mails.Retry(v.Ctx, m.ID, p.Now())
	if fault.From(err).Code == fault.InvalidParameter { // it has not failed, or its link is over
		a := retryAct(v.Frame, m)
		a.Problem = retryProblem.in(v.Frame.Lang)
		c.Status(fiber.StatusUnprocessableEntity)
		return web.Send(c, ActPage(a))
	}
	return pages.RedirectAfter(c, err, "/admin/mails?done=retry")
}
