package portal

import (
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/portal/view"
	"arpent/web"
)

// previewLife is how long the sum that was shown may be paid.
const previewLife = 30 * time.Minute

// changeForm shows what a change of plan costs, or from when it takes something away.
func (p *Portal) changeForm(c *fiber.Ctx, v *visitor) error {
	return p.changePage(c, v, "")
}

func (p *Portal) changePage(c *fiber.Ctx, v *visitor, alert string) error {
	change, err := p.changeAsked(c, v)
	if err != nil || change == nil {
		return err
	}
	change.Alert = alert
	if change.Up {
		ctx, cancel := v.stripeContext()
		defer cancel()
		preview, err := p.o.Billing.Preview(ctx, v.bought.SubscriptionID, change.To)
		if err != nil {
			return p.stripeTrouble(c, v, err)
		}
		change.DueCents, change.Currency, change.NextCents = preview.DueNowCents, preview.Currency, preview.NextCents
		change.NextAt, change.Proration = preview.NextAt, preview.At
	}
	return web.Send(c, view.PlanChangePage(*change), p.payTargets...)
}

// changeAsked reads which change is meant. Nil: there is none to be made, and the answer is given.
func (p *Portal) changeAsked(c *fiber.Ctx, v *visitor) (*view.PlanChange, error) {
	to := strings.Clone(typed(c, "plan"))
	state, until := planState(v.bought, p.now())
	from := v.bought.Snapshot.Plan
	if !forSale(to) || state != view.PlanActive || from == to {
		return nil, redirect(c, "/account/plan")
	}
	demand, err := p.demand(v)
	if err != nil {
		return nil, err
	}
	return &view.PlanChange{Frame: v.frame, From: from, To: to, Up: billing.Above(to, from), When: until,
		Limits: planLine(to, v), Fit: fitOf(demand, v, from, to)}, nil
}

// change changes the plan: upwards at once, for the sum that was shown; downwards at the end of what is paid.
func (p *Portal) change(c *fiber.Ctx, v *visitor) error {
	change, err := p.changeAsked(c, v)
	if err != nil || change == nil {
		return err
	}
	ctx, cancel := v.stripeContext()
	defer cancel()
	if !change.Up {
		row, err := p.o.Billing.ChangePlan(ctx, v.bought, change.To, time.Time{})
		return p.planChanged(c, v, err, "downgraded", p.stateOf(row) == view.PlanChanging)
	}
	seconds, err := strconv.ParseInt(typed(c, "at"), 10, 64)
	at := time.Unix(seconds, 0)
	if age := p.now().Sub(at); err != nil || age < -time.Minute || age > previewLife {
		c.Status(fiber.StatusUnprocessableEntity)
		return p.changePage(c, v, v.frame.Lang.Pick("Le montant a été recalculé\u00a0: le précédent n’était plus valable. Rien n’a été débité.",
			"The sum was worked out again: the one before was out of date. Nothing was charged."))
	}
	row, err := p.o.Billing.ChangePlan(ctx, v.bought, change.To, at)
	var confirm *billing.ActionError
	if errors.As(err, &confirm) {
		return p.goTo(c, v, confirm.URL)
	}
	return p.planChanged(c, v, err, "upgraded", row.Snapshot.Plan == change.To)
}

// How a cancellation takes effect.
const (
	cancelEnd = "end" // at the end of what is paid
	cancelNow = "now" // at once: nothing is paid
)

// cancelAsked says what a cancellation would do now. Nil: there is nothing to cancel, and the answer is given.
func (p *Portal) cancelAsked(c *fiber.Ctx, v *visitor) (*view.PlanChange, error) {
	state, until := planState(v.bought, p.now())
	if state == view.PlanNone || state == view.PlanEnding {
		return nil, redirect(c, "/account/plan")
	}
	demand, err := p.demand(v)
	if err != nil {
		return nil, err
	}
	from := v.bought.Snapshot.Plan
	return &view.PlanChange{Frame: v.frame, From: from, To: billing.Free, When: until, AtOnce: state != view.PlanActive && state != view.PlanChanging,
		Incomplete: state == view.PlanIncomplete, Limits: planLine(billing.Free, v), Fit: fitOf(demand, v, from, billing.Free)}, nil
}

func (p *Portal) cancelForm(c *fiber.Ctx, v *visitor) error {
	ask, err := p.cancelAsked(c, v)
	if err != nil || ask == nil {
		return err
	}
	return web.Send(c, view.PlanCancelPage(*ask))
}

// cancel ends the subscription in the way that the page said.
func (p *Portal) cancel(c *fiber.Ctx, v *visitor) error {
	ask, err := p.cancelAsked(c, v)
	if err != nil || ask == nil {
		return err
	}
	if (typed(c, "when") == cancelNow) != ask.AtOnce { // the state has changed since the page was shown
		c.Status(fiber.StatusUnprocessableEntity)
		ask.Alert = v.frame.Lang.Pick("L’état de l’abonnement a changé entre-temps. Relisez avant de confirmer.", "The state of the subscription has changed meanwhile. Read again before you confirm.")
		return web.Send(c, view.PlanCancelPage(*ask))
	}
	ctx, stop := v.stripeContext()
	defer stop()
	row, err := p.o.Billing.Cancel(ctx, v.bought, ask.AtOnce)
	state := p.stateOf(row)
	return p.planChanged(c, v, err, "cancelled", state == view.PlanEnding || state == view.PlanNone)
}

// waitMost is how often the page after a payment asks again, every two seconds.
const waitMost = 15

// planDone is where Stripe's page leads back to. What its address says is believed of nobody: the plan is in force
// once Stripe itself, read again here or told by its event, says so.
func (p *Portal) planDone(c *fiber.Ctx, v *visitor) error {
	session, n := strings.Clone(c.Query("session")), min(max(c.QueryInt("n"), 0), waitMost)
	if v.bought.CustomerID == "" || !isSession(session) {
		return redirect(c, "/account/plan")
	}
	if p.paid(v) {
		return redirect(c, "/account/plan?done=started")
	}
	ctx, cancel := v.stripeContext()
	defer cancel()
	page := view.PlanWait{Frame: v.frame, Late: n >= waitMost}
	whose, err := p.o.Billing.SessionCustomer(ctx, session)
	if err == nil && whose != v.bought.CustomerID {
		return redirect(c, "/account/plan")
	}
	if err == nil {
		err = p.refresh(ctx, v)
	}
	if err != nil {
		slog.WarnContext(v.ctx, "stripe cannot be read after a payment", "account", v.session.Account, "error", err)
		page.Away = true
	} else if p.paid(v) {
		return redirect(c, "/account/plan?done=started")
	}
	if !page.Late {
		c.Set("Refresh", "2; url=/account/plan/done?session="+escape(session)+"&n="+strconv.Itoa(n+1))
	}
	return web.Send(c, view.PlanWaitPage(page))
}

// paid tells whether a subscription is in force.
func (p *Portal) paid(v *visitor) bool {
	state := p.stateOf(v.bought)
	return state == view.PlanActive || state == view.PlanEnding || state == view.PlanChanging
}

// isSession tells what can be the id of a page of Stripe's from what can only be an attempt at something else.
func isSession(id string) bool {
	return strings.HasPrefix(id, "cs_") && len(id) <= 200 && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
