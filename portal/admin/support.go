package admin

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/portal/pages"
	"arpent/portal/plan"
	"arpent/portal/view"
	"arpent/web"
)

// readSubscription reads what an account has bought: as it is stored, and as Stripe says within the time
// that a page waits for it. Nothing is changed.
func (p *Pages) readSubscription(ctx context.Context, a auth.Account) (Subscription, error) {
	row, err := p.Billing.Customer(ctx, a.ID)
	if err != nil {
		return Subscription{}, err
	}
	s := Subscription{Customer: row.CustomerID, IsSold: p.Billing.Sells()}
	if row.Granted != billing.Free {
		s.Granted = row.Granted
	}
	if s.Customer == "" || !s.IsSold {
		return s, nil
	}
	ctx, cancel := context.WithTimeout(ctx, plan.StripeTimeout)
	defer cancel()
	bought, _, err := p.Billing.Read(ctx, billing.Customer{ID: row.CustomerID, Reference: row.Reference})
	if duplicate, ok := errors.AsType[*billing.DuplicateError](err); ok {
		s.Extra, err = duplicate.Extra, nil
	}
	var invoices []billing.Invoice
	if err == nil {
		invoices, err = p.Billing.Invoices(ctx, row.CustomerID, plan.MaxInvoices)
	}
	if err != nil {
		s.IsStripeDown = true
		slog.WarnContext(ctx, "stripe unavailable for a page", "error", err)
		return s, nil
	}
	s.Bought, s.Invoices = &bought, plan.Invoices(invoices)
	return s, nil
}

// maxRejections bounds the lines of a day of rejections.
const maxRejections = 500

// AccountRejections shows when an account met which limit on a day, by minute, key and limit.
func (p *Pages) AccountRejections(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
	today := clock.Day(p.Now())
	day, ok := clock.ParseDay(c.Query("day"), today)
	if !ok {
		return pages.ErrNothing
	}
	r := Rejections{Frame: v.Frame, Account: viewAccount(a), Day: day.String(), Last: today.String(),
		First: (today - clock.Date(auth.KeepRejections/(24*time.Hour)) + 1).String()}
	var err error
	r.Lines, err = usage.ReadRejections(v.Ctx, p.DB, a.ID, day, day, usage.Filter{}, maxRejections)
	if err != nil {
		return err
	}
	return web.Send(c, RejectionsPage(r))
}

// KeyForm asks for a key to look for.
func (p *Pages) KeyForm(c *fiber.Ctx, v *pages.Visitor) error {
	return web.Send(c, KeySearchPage(KeySearch{Frame: v.Frame}))
}

// FindKey shows the accounts of the keys that a text finds. A form sends the text, which may be a whole key:
// no page and no address repeats it.
func (p *Pages) FindKey(c *fiber.Ctx, v *pages.Visitor) error {
	s := KeySearch{Frame: v.Frame, IsAsked: true}
	found, err := p.Keys.Find(v.Ctx, pages.Text(c, "key"))
	switch {
	case errors.Is(err, apikey.ErrSearch):
		s.IsWrong = true
		c.Status(fiber.StatusUnprocessableEntity)
	case err != nil:
		return err
	}
	for _, k := range found {
		s.Found = append(s.Found, FoundKey{viewKey(v.Frame.Lang, k.Key, p.Now()), k.Account, k.Email})
	}
	return web.Send(c, KeySearchPage(s))
}

// supportAct is something that an operator does for the owner of an account, with a reason.
type supportAct struct {
	name  string
	words actWords
	// the address of the account, or the name of the organisation, is typed, so that it is not done by accident
	asksAddress bool
	impossible  both // message where do returns a fault.InvalidParameter
	do          func(p *Pages, c *fiber.Ctx, v *pages.Visitor, a auth.Account, reason string) error
}

var supportActs = []supportAct{
	{name: "export", words: exportWords,
		do: func(p *Pages, c *fiber.Ctx, v *pages.Visitor, a auth.Account, reason string) error {
			data, err := p.Accounts.Export(v.Ctx, a.ID, reason)
			if err != nil {
				return err
			}
			return pages.SendExport(c, data, p.Now())
		}},
	{name: "recover", words: recoverWords, impossible: noFactorText,
		do: func(p *Pages, c *fiber.Ctx, v *pages.Visitor, a auth.Account, reason string) error {
			err := p.Accounts.StartFactorRecovery(v.Ctx, a.ID, reason)
			return pages.RedirectAfter(c, err, accountPath(a.ID, "?done=recover"))
		}},
	{name: "delete", words: deleteWords, asksAddress: true, impossible: noStripeText,
		do: func(p *Pages, c *fiber.Ctx, v *pages.Visitor, a auth.Account, reason string) error {
			err := p.Accounts.Delete(v.Ctx, a.ID, reason, p.Billing.BeforeOperatorDelete, p.Billing.AfterEmailChange)
			return pages.RedirectAfter(c, err, "/admin/accounts?done=delete")
		}},
}

func (s supportAct) makeActPage(f web.Frame, a auth.Account) Act {
	return Act{Frame: f, Tab: view.AdminAccounts, Back: accountPath(a.ID, ""),
		BackName: a.Title(), Words: s.words,
		Subject: a.Title(), Organisation: a.Name,
		Action: accountPath(a.ID, "/"+s.name), AsksReason: true, AsksAddress: s.asksAddress}
}

// supportForm asks for the reason of an act.
func (p *Pages) supportForm(act supportAct) pages.Handler {
	return p.withAccount(func(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
		return web.Send(c, ActPage(act.makeActPage(v.Frame, a)))
	})
}

// runSupportAct runs an act whose reason was given, or shows what its form lacks.
func (p *Pages) runSupportAct(act supportAct) pages.Handler {
	return p.withAccount(func(c *fiber.Ctx, v *pages.Visitor, a auth.Account) error {
		page := act.makeActPage(v.Frame, a)
		page.Reason, page.Typed, page.Unconfirmed = pages.Text(c, "reason"), pages.Text(c, "email"), !isConfirmed(c)
		_, wrong := auth.CheckReason(page.Reason)
		page.IsReasonWrong = wrong != nil
		page.IsAddressWrong = act.asksAddress && !strings.EqualFold(page.Typed, cmp.Or(a.Name, a.Email))
		if !page.Unconfirmed && !page.IsReasonWrong && !page.IsAddressWrong {
			err := act.do(p, c, v, a, page.Reason)
			if err == nil || fault.From(err).Code != fault.InvalidParameter {
				return err
			}
			page.Problem = act.impossible.in(v.Frame.Lang)
		}
		c.Status(fiber.StatusUnprocessableEntity)
		return web.Send(c, ActPage(page))
	})
}
