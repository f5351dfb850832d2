package portal

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/clock"
	"arpent/billing"
	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

const (
	// stripeTimeout is how long a page waits for Stripe in all, before it says that Stripe does not answer.
	stripeTimeout = 4500 * time.Millisecond
	invoicesShown = 12
)

// stripeContext bounds everything that an answer asks of Stripe.
func (v *visitor) stripeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(v.ctx, stripeTimeout)
}

// readPlan reads what is known of the subscription of whoever is signed in. Where nothing is sold there is none.
func (p *Portal) readPlan(v *visitor) error {
	if !p.o.Billing.Sells() {
		return nil
	}
	row, err := p.o.Billing.Customer(v.ctx, v.session.Account)
	if err != nil {
		return err
	}
	v.bought = row
	v.frame.Unpaid = nil
	switch state, until := planState(row, p.now()); state {
	case view.PlanGrace, view.PlanOver:
		v.frame.Unpaid = &web.Unpaid{Plan: row.Snapshot.Plan, Until: until, Over: state == view.PlanOver}
	}
	return nil
}

// planState says how a subscription stands, and until when that is so.
func planState(row billing.Row, now time.Time) (view.PlanState, time.Time) {
	grace, late := row.GraceEnd()
	switch {
	case row.Ended():
		return view.PlanNone, row.PeriodEnd
	case row.Status == billing.Incomplete:
		return view.PlanIncomplete, row.PeriodEnd
	case row.Disputed:
		return view.PlanDisputed, row.PeriodEnd
	case row.Status == billing.PastDue && late && now.Before(grace):
		return view.PlanGrace, grace
	case row.Status != billing.Active && row.Status != billing.Trialing:
		return view.PlanOver, row.PeriodEnd
	case row.CancelAtPeriodEnd:
		return view.PlanEnding, row.PeriodEnd
	case row.NextPlan != "" && row.NextPlan != row.Snapshot.Plan:
		return view.PlanChanging, row.PeriodEnd
	}
	return view.PlanActive, row.PeriodEnd
}

func (p *Portal) plan(c *fiber.Ctx, v *visitor) error {
	return p.planPage(c, v, view.Plan{Done: c.Query("done")})
}

// planPage shows the plan with what the caller has to say: what was done, what went wrong, what was typed.
func (p *Portal) planPage(c *fiber.Ctx, v *visitor, page view.Plan) error {
	demand, err := p.demand(v)
	if err != nil {
		return err
	}
	row := v.bought
	inForce := v.session.Plan
	if row.Plan != "" {
		inForce = row.Plan // read later than the session
	}
	page.Frame, page.OnSale, page.Confirmed = v.frame, p.o.Billing.Sells(), v.session.Confirmed
	page.State, page.Until = planState(row, p.now())
	page.Paid, page.Next, page.Customer = row.Snapshot.Plan, row.NextPlan, row.CustomerID != ""
	paid, _ := billing.InForce(row.State, billing.Free, p.now())
	page.Granted = inForce != paid && inForce == row.Granted
	page.InForce = planLine(inForce, v)
	for _, o := range billing.Plans() {
		page.Offers = append(page.Offers, view.PlanOffer{Name: o.Name, PriceEuros: o.PriceEuros, PerDay: o.PerDay, PerMinute: o.PerMinute,
			EnrichmentsPerMinute: o.EnrichmentsPerMinute, Commercial: o.Commercial, Current: o.Name == inForce,
			Act: p.actOn(o, page), Fit: fitOf(demand, v, inForce, o.Name)})
	}
	if page.OnSale && page.Customer && !page.Away {
		p.askStripe(v, &page)
	}
	return web.Send(c, view.PlanPage(page), p.payTargets...)
}

// actOn is what can be done with an offer: a subscription that is to end, to change or to be paid is settled first.
func (p *Portal) actOn(o billing.Plan, page view.Plan) view.OfferAct {
	switch {
	case !page.OnSale || o.Name == billing.Free:
		return view.OfferNothing
	case page.State == view.PlanNone:
		return view.OfferSubscribe
	case page.State == view.PlanActive && o.Name != page.Paid:
		return view.OfferChange
	}
	return view.OfferNothing
}

// capture makes a call to be run beside the request, and keeps its error. A panic there would end the process: it is an
// error too.
func capture(failure *error, call func() error) func() {
	return func() {
		defer func() {
			if p := recover(); p != nil {
				*failure = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		*failure = call()
	}
}

// askStripe adds what only Stripe knows. All is asked for at once, so that a page waits for the slowest answer alone.
func (p *Portal) askStripe(v *visitor, page *view.Plan) {
	ctx, cancel := v.stripeContext()
	defer cancel()
	var (
		wait     sync.WaitGroup
		failures [3]error
		invoices []billing.Invoice
		upcoming *billing.Invoice
		details  billing.Billing
	)
	customer := v.bought.CustomerID
	wait.Go(capture(&failures[0], func() (err error) { invoices, err = p.o.Billing.Invoices(ctx, customer, invoicesShown); return err }))
	if page.State == view.PlanActive || page.State == view.PlanChanging {
		wait.Go(capture(&failures[1], func() (err error) { upcoming, err = p.o.Billing.Upcoming(ctx, customer); return err }))
	}
	typed := page.Details.EmailError != "" || page.Details.VATError != ""
	if !typed {
		wait.Go(capture(&failures[2], func() (err error) { details, err = p.o.Billing.Billing(ctx, customer); return err }))
	}
	wait.Wait()
	for _, err := range failures {
		if err != nil {
			page.Away = true
			slog.WarnContext(v.ctx, "stripe cannot be read for a page", "error", err)
			return
		}
	}
	for _, in := range invoices {
		page.Invoices = append(page.Invoices, invoiceLine(in))
	}
	if upcoming != nil {
		next := invoiceLine(*upcoming)
		page.Upcoming = &next
	}
	if !typed {
		page.Details = view.BillingDetails{Email: details.Email, VAT: details.VAT}
	}
}

func invoiceLine(in billing.Invoice) view.InvoiceLine {
	return view.InvoiceLine{Number: in.Number, At: in.At, Cents: in.TotalCents, Currency: in.Currency, Status: in.Status, PDF: in.PDF}
}

// ownLimits are what the operator set for the account; they hold whatever the plan.
func ownLimits(v *visitor) billing.Own {
	own := v.session.Own
	return billing.Own{PerMinute: own.PerMinute, EnrichmentsPerMinute: own.EnrichmentsPerMinute, PerDay: own.PerDay}
}

func planLine(name string, v *visitor) view.PlanLine {
	plan, _ := billing.Find(name)
	limits := billing.Entitlement(name, ownLimits(v))
	return view.PlanLine{Name: plan.Name, PerDay: limits.PerDay, PerMinute: limits.PerMinute, EnrichmentsPerMinute: limits.EnrichmentsPerMinute,
		Commercial: plan.Commercial, Own: limits != billing.Entitlement(name, billing.Own{})}
}

// demand is what the account sent in 30 days, today included.
func (p *Portal) demand(v *visitor) (usage.Demand, error) {
	to := clock.Day(p.now())
	return usage.ReadDemand(v.ctx, p.o.DB, v.session.Account, to-chartDays+1, to)
}

// fitOf is what the limits of a plan would have refused of a demand.
func fitOf(d usage.Demand, v *visitor, inForce, plan string) view.PlanFit {
	own := ownLimits(v)
	f := d.Under(billing.Entitlement(inForce, own), billing.Entitlement(plan, own))
	return view.PlanFit{Sent: f.Sent, Refused: f.Refused, BeyondQuota: f.BeyondQuota, BeyondMinute: f.BeyondMinute,
		QuotaDays: f.QuotaDays, MinuteUnknown: f.MinuteUnknown}
}
