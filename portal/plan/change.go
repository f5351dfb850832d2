package plan

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// previewLife is how long the amount that was shown may be paid.
const previewLife = 30 * time.Minute

// ChangeForm shows what a change of plan costs, or when it takes something away.
func (p *Pages) ChangeForm(c *fiber.Ctx, v *pages.Visitor) error {
	return p.changePage(c, v, "")
}

func (p *Pages) changePage(c *fiber.Ctx, v *pages.Visitor, alert string) error {
	change, err := p.readChange(c, v)
	if err != nil || change == nil {
		return err
	}
	change.Alert = alert
	if change.Up {
		ctx, cancel := stripeContext(v)
		defer cancel()
		preview, err := p.Billing.Preview(ctx, v.Bought.SubscriptionID, change.To)
		if err != nil {
			return p.showStripeError(c, v, err)
		}
		change.DueCents, change.Currency, change.NextCents = preview.DueNowCents, preview.Currency,
			preview.NextCents
		change.NextAt, change.Proration = preview.NextAt, preview.At
	} else {
		change.Price = p.formatPrice(v, change.To)
	}
	return web.Send(c, PlanChangePage(*change), p.Targets...)
}

// formatPrice says what an offer costs each month or year, taxes excluded; empty where Stripe does not say
// what a year costs.
func (p *Pages) formatPrice(v *pages.Visitor, o billing.Offer) string {
	l := v.Frame.Lang
	plan, _ := billing.Find(o.Plan) // it is for sale
	if !o.Yearly {
		return l.Price(plan) + l.Pick(" HT par mois", " per month, excl. VAT")
	}
	if cents, ok := p.yearlyPrices(v, true)[o.Plan]; ok {
		return l.YearlyPrice(plan.PriceEuros, cents)
	}
	return ""
}

// readChange reads the requested change. Nil: there is none to be made, and the answer is given.
func (p *Pages) readChange(c *fiber.Ctx, v *pages.Visitor) (*PlanChange, error) {
	to := readOffer(c)
	state, until := p.PlanState(v.Bought)
	from := v.Bought.Offer()
	if !isForSale(to.Plan) || state != view.PlanActive || from == to {
		return nil, pages.Redirect(c, "/account/plan")
	}
	demand, err := p.readDemand(v)
	if err != nil {
		return nil, err
	}
	return &PlanChange{Frame: v.Frame, From: from, To: to, Up: from.ChangesAtOnce(to), When: until,
		Limits: Line(to.Plan, v), Fit: computeFit(demand, v, from.Plan, to.Plan)}, nil
}

// Change changes the plan: an upgrade at once, for the amount that was
// shown; a downgrade at the end of what is paid.
func (p *Pages) Change(c *fiber.Ctx, v *pages.Visitor) error {
	change, err := p.readChange(c, v)
	if err != nil || change == nil {
		return err
	}
	if pages.Field(c, "from") != change.From.String() || pages.Field(c, "until") != change.until() {
		return p.showRecalculated(c, v)
	}
	if change.Up { // a page that waits for the bank has more time than others, and shows it
		var cancel context.CancelFunc
		v.Ctx, cancel = context.WithTimeout(context.WithoutCancel(v.Ctx), chargeTimeout+StripeTimeout)
		defer cancel()
	}
	ctx, cancel := context.WithTimeout(v.Ctx, chargeTimeout)
	defer cancel()
	if !change.Up {
		row, err := p.Billing.ChangePlan(ctx, v.Bought, change.To, time.Time{})
		state, _ := p.PlanState(row)
		return p.answerChange(c, v, err, "downgraded", state == view.PlanChanging)
	}
	seconds, err := strconv.ParseInt(pages.Field(c, "at"), 10, 64)
	at := time.Unix(seconds, 0)
	if age := p.Now().Sub(at); err != nil || age < -time.Minute || age > previewLife {
		return p.showRecalculated(c, v)
	}
	row, err := p.Billing.ChangePlan(ctx, v.Bought, change.To, at)
	if confirm, ok := errors.AsType[*billing.ActionError](err); ok {
		return p.redirectToStripe(c, v, confirm.URL)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(errBankTimeout, err)
	}
	return p.answerChange(c, v, err, "upgraded", row.Offer() == change.To)
}

// showRecalculated shows a change as it is now, in place of one that is out of date.
func (p *Pages) showRecalculated(c *fiber.Ctx, v *pages.Visitor) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return p.changePage(c, v, v.Frame.Lang.Pick(
		"Le changement a été recalculé\u00a0: la page précédente n’était plus valable. Rien n’a été débité.",
		"The change was calculated again: the previous page was out of date. Nothing was charged."))
}

// errBankTimeout: the bank did not answer in the time of a page; the payment may still be made.
var errBankTimeout = errors.New("the bank does not answer")

// How a cancellation takes effect.
const (
	cancelEnd = "end" // at the end of what is paid
	cancelNow = "now" // at once: nothing is paid
)

// readCancellation describes a cancellation at this moment. Nil: there is
// nothing to cancel, and the answer is given.
func (p *Pages) readCancellation(c *fiber.Ctx, v *pages.Visitor) (*PlanChange, error) {
	state, until := p.PlanState(v.Bought)
	if state == view.PlanNone || state == view.PlanEnding {
		return nil, pages.Redirect(c, "/account/plan")
	}
	demand, err := p.readDemand(v)
	if err != nil {
		return nil, err
	}
	from := v.Bought.Offer()
	to, kept := v.Bought.Without()
	return &PlanChange{Frame: v.Frame, From: from, To: billing.Offer{Plan: to}, Kept: kept, When: until,
		AtOnce:     state != view.PlanActive && state != view.PlanChanging,
		Incomplete: state == view.PlanIncomplete, Limits: Line(to, v), Fit: computeFit(demand, v, from.Plan, to)}, nil
}

// CancelForm shows what a cancellation ends and when, and asks for confirmation.
func (p *Pages) CancelForm(c *fiber.Ctx, v *pages.Visitor) error {
	ask, err := p.readCancellation(c, v)
	if err != nil || ask == nil {
		return err
	}
	return web.Send(c, PlanCancelPage(*ask))
}

// Cancel ends the subscription as the page said.
func (p *Pages) Cancel(c *fiber.Ctx, v *pages.Visitor) error {
	ask, err := p.readCancellation(c, v)
	if err != nil || ask == nil {
		return err
	}
	if (pages.Field(c, "when") == cancelNow) != ask.AtOnce { // the state has changed since the page was shown
		c.Status(fiber.StatusUnprocessableEntity)
		ask.Alert = v.Frame.Lang.Pick("L’état de l’abonnement a changé entre-temps. Vérifiez avant de confirmer.",
			"The state of the subscription has changed meanwhile. Check it before you confirm.")
		return web.Send(c, PlanCancelPage(*ask))
	}
	ctx, stop := stripeContext(v)
	defer stop()
	row, err := p.Billing.Cancel(ctx, v.Bought, ask.AtOnce)
	state, _ := p.PlanState(row)
	return p.answerChange(c, v, err, "cancelled", state == view.PlanEnding || state == view.PlanNone)
}

// maxReloads is how often the page after a payment reloads itself, every two seconds.
const maxReloads = 15

// Done is where Stripe's page redirects to. Its address proves nothing: the plan is in force once
// Stripe reports it, read again here or in its event.
func (p *Pages) Done(c *fiber.Ctx, v *pages.Visitor) error {
	session, n := strings.Clone(c.Query("session")), min(max(c.QueryInt("n"), 0), maxReloads)
	if v.Bought.CustomerID == "" || !sessionForm.MatchString(session) {
		return pages.Redirect(c, "/account/plan")
	}
	if p.isPaid(v) {
		return pages.Redirect(c, "/account/plan?done=started")
	}
	ctx, cancel := stripeContext(v)
	defer cancel()
	page := PlanWait{Frame: v.Frame, Late: n >= maxReloads}
	whose, err := p.Billing.SessionCustomer(ctx, session)
	if err == nil && whose != v.Bought.CustomerID {
		return pages.Redirect(c, "/account/plan")
	}
	if err == nil {
		_, err = p.Billing.Refresh(ctx, v.Account)
	}
	if err == nil {
		err = p.ReadPlan(v)
	}
	if err != nil {
		slog.WarnContext(v.Ctx, "stripe unavailable after a payment", "account", v.Account, "error", err)
		page.IsStripeDown = true
	} else if p.isPaid(v) {
		return pages.Redirect(c, "/account/plan?done=started")
	}
	if !page.Late {
		c.Set("Refresh", "2; url=/account/plan/done?session="+session+"&n="+strconv.Itoa(n+1))
	}
	return web.Send(c, PlanWaitPage(page))
}

// isPaid reports whether a subscription is in force.
func (p *Pages) isPaid(v *pages.Visitor) bool {
	state, _ := p.PlanState(v.Bought)
	return state == view.PlanActive || state == view.PlanEnding || state == view.PlanChanging
}

// sessionForm is that of the id of a payment page of Stripe.
var sessionForm = regexp.MustCompile(`^cs_[0-9A-Za-z_]{0,197}$`)
