// Package plan holds the pages of the plan of an account, from the comparison of plans to the payment at
// Stripe, and of its usage.
package plan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/member"
	"arpent/billing"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct {
	*pages.Server
	// Targets are the origins of the payment pages.
	Targets []string
}

const (
	// StripeTimeout bounds all calls of one page to Stripe, before it says that Stripe does not answer.
	StripeTimeout = 4500 * time.Millisecond
	// chargeTimeout bounds those of a page that charges a card, which waits for the bank.
	chargeTimeout = 27 * time.Second
	MaxInvoices   = 12 // on a page
)

func stripeContext(v *pages.Visitor) (context.Context, context.CancelFunc) {
	return context.WithTimeout(v.Ctx, StripeTimeout)
}

// Show shows the plan.
func (p *Pages) Show(c *fiber.Ctx, v *pages.Visitor) error {
	return p.showPlan(c, v, Plan{Done: c.Query("done"), Alert: v.Errors()[""]})
}

// showPlan shows the plan with the message of the caller: what was done, what went wrong, what was typed.
func (p *Pages) showPlan(c *fiber.Ctx, v *pages.Visitor, page Plan) error {
	demand, err := p.readDemand(v)
	if err != nil {
		return err
	}
	row := v.Bought
	inForce := v.Session.Plan
	if row.Plan != "" {
		inForce = row.Plan // read later than the session
	}
	page.OnSale = p.Billing.SellsTo(v.Frame.Operator)
	if !page.OnSale {
		if page.Wished, err = p.Billing.WishedPlan(v.Ctx, v.Account); err != nil {
			return err
		}
	}
	yearly := p.yearlyPrices(v, page.OnSale)
	page.Frame, page.Confirmed, page.IsRehearsal = v.Frame, v.Session.Confirmed, p.Billing.IsRehearsal()
	if page.Selling, err = p.Billing.Selling(v.Ctx); err != nil {
		return err
	}
	page.State, page.Until = p.PlanState(row)
	page.AddressNeeded = row.AddressNeeded
	page.Paid, page.Next, page.Customer = row.Offer(), row.ChangesTo(), row.CustomerID != ""
	paid, _ := billing.InForce(row.State, billing.Free, p.Now())
	page.Granted = inForce != paid && inForce == row.Granted
	page.Rest, page.Kept = row.Without()
	page.InForce = Line(inForce, v)
	for _, o := range billing.Plans() {
		page.Offers = append(page.Offers, PlanOffer{Name: o.Name, PriceEuros: o.PriceEuros, PerDay: o.PerDay,
			PerMinute: o.PerMinute, EnrichmentsPerMinute: o.EnrichmentsPerMinute, Commercial: o.Commercial,
			Current: o.Name == inForce, YearlyCents: yearly[o.Name], Act: availableAct(o, page),
			Fit: computeFit(demand, v, inForce, o.Name)})
	}
	if page.Reserve.ReserveState, err = p.Billing.Reserve(v.Ctx, v.Account); err != nil {
		return err
	}
	if page.Customer {
		if page.Recipients, err = p.readRecipients(c, v); err != nil {
			return err
		}
		page.LinkSentTo = p.SentTo(c, auth.PurposeBillingMails)
	}
	page.Reserve.CanChoose = v.Session.Role.May(member.ChooseReserve)
	if page.OnSale && page.Customer && !page.IsStripeDown {
		p.loadStripeData(v, &page)
	}
	return web.Send(c, PlanPage(page), p.Targets...)
}

// availableAct is what can be done with an offer: nothing while a subscription
// is about to end or to change, or is unpaid.
func availableAct(o billing.Plan, page Plan) OfferAct {
	switch {
	case o.Name == billing.Free:
		return OfferNothing
	case !page.OnSale && o.Name == page.Wished:
		return OfferWished
	case !page.OnSale:
		return OfferWish
	case !page.Selling:
		return OfferNothing
	case page.State == view.PlanNone:
		return OfferSubscribe
	case page.State == view.PlanActive:
		return OfferChange
	}
	return OfferNothing
}

// yearlyPrices are what the plans cost a year, where they are sold by the year and Stripe has said so.
func (p *Pages) yearlyPrices(v *pages.Visitor, onSale bool) map[string]int64 {
	if !onSale {
		return nil
	}
	ctx, cancel := stripeContext(v)
	defer cancel()
	cents, err := p.Billing.YearlyPrices(ctx)
	if err != nil {
		slog.WarnContext(v.Ctx, "yearly prices not shown", "error", err)
	}
	return cents
}

// captureError returns a call for another goroutine that keeps its error. A panic there
// would end the process: it becomes an error.
func captureError(failure *error, call func() error) func() {
	return func() {
		defer func() {
			if p := recover(); p != nil {
				*failure = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		*failure = call()
	}
}

// loadStripeData adds what only Stripe knows, in parallel, so that a page waits for the slowest answer alone.
func (p *Pages) loadStripeData(v *pages.Visitor, page *Plan) {
	ctx, cancel := stripeContext(v)
	defer cancel()
	var (
		wait     sync.WaitGroup
		failures [4]error
		invoices []billing.Invoice
		upcoming *billing.Invoice
		details  billing.Billing
	)
	customer := v.Bought.CustomerID
	wait.Go(captureError(&failures[0], func() (err error) {
		invoices, err = p.Billing.Invoices(ctx, customer, MaxInvoices)
		return err
	}))
	if page.State == view.PlanActive || page.State == view.PlanChanging {
		wait.Go(captureError(&failures[1], func() (err error) {
			upcoming, err = p.Billing.Upcoming(ctx, v.Bought.SubscriptionID)
			return err
		}))
	}
	wait.Go(captureError(&failures[3], func() (err error) {
		page.Reserve.PerThousandCents, err = p.Billing.ReservePrice(ctx)
		return err
	}))
	typed := page.Details != (BillingDetails{})
	if !typed {
		wait.Go(captureError(&failures[2], func() (err error) {
			details, err = p.Billing.Billing(ctx, customer)
			return err
		}))
	}
	wait.Wait()
	if err := errors.Join(failures[:]...); err != nil {
		page.IsStripeDown = true
		slog.WarnContext(v.Ctx, "stripe unavailable for a page", "error", err)
		return
	}
	page.Invoices = Invoices(invoices)
	if upcoming != nil {
		page.Upcoming = new(invoiceLine(*upcoming))
	}
	if !typed {
		page.Details = BillingDetails{Email: details.Email, VAT: details.VAT, Company: details.Company,
			Order:      details.PurchaseOrder,
			Unverified: details.VATStatus == billing.Unverified}
	}
}

// Invoices returns invoices as lines of a table.
func Invoices(all []billing.Invoice) (lines []InvoiceLine) {
	for _, in := range all {
		lines = append(lines, invoiceLine(in))
	}
	return lines
}

func invoiceLine(in billing.Invoice) InvoiceLine {
	return InvoiceLine{Number: in.Number, At: in.At, Cents: in.TotalCents, Refunded: in.RefundedCents,
		Currency: in.Currency, Status: in.Status, PDF: in.PDF, Page: in.Page,
		OfPlan: in.OfPlan, Unchanged: in.Upgrade && in.Status == "void"}
}

// Line describes the limits of the account under a plan.
func Line(name string, v *pages.Visitor) PlanLine {
	plan, _ := billing.Find(name)
	limits := v.Entitlement(name)
	return PlanLine{Name: plan.Name, PerDay: limits.PerDay, PerMinute: limits.PerMinute,
		EnrichmentsPerMinute: limits.EnrichmentsPerMinute, Commercial: plan.Commercial,
		Own: limits != billing.Entitlement(name, billing.Own{})}
}

// readDemand reads the requests of the account in the last 30 days, including today.
func (p *Pages) readDemand(v *pages.Visitor) (usage.Demand, error) {
	to := clock.Day(p.Now())
	return usage.ReadDemand(v.Ctx, p.DB, v.Account, to-view.ChartDays+1, to)
}

// computeFit is what the limits of a plan would have rejected of a demand. What those in force did reject is
// another number where they have not been the same all the time.
func computeFit(d usage.Demand, v *pages.Visitor, inForce, plan string) PlanFit {
	f := d.Under(v.Entitlement(inForce), v.Entitlement(plan))
	rejected := d.Rejected()
	happened := plan == inForce && f.Refused == rejected.Refused
	if happened {
		f = rejected
	}
	return PlanFit{Sent: f.Sent, Refused: f.Refused, BeyondQuota: f.BeyondQuota, BeyondMinute: f.BeyondMinute,
		QuotaDays: f.QuotaDays, MinuteUnknown: f.MinuteUnknown, Happened: happened}
}
