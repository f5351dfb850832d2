package portal

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/fault"
	"arpent/billing"
	"arpent/portal/view"
	"arpent/web"
)

// stripeOrigins are where Stripe's pages are: to subscribe, to see to one's card, to confirm a payment.
var stripeOrigins = []string{"https://checkout.stripe.com", "https://billing.stripe.com", "https://invoice.stripe.com"}

// selling serves what only makes sense where plans are sold. Elsewhere the page of the plan says that they are not.
func (p *Portal) selling(h handler) handler {
	return func(c *fiber.Ctx, v *visitor) error {
		if !p.o.Billing.Sells() {
			return redirect(c, "/account/plan")
		}
		return h(c, v)
	}
}

// goTo sends somebody to a page of Stripe's.
func (p *Portal) goTo(c *fiber.Ctx, v *visitor, to string) error {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return fault.New(fault.Internal, "Something went wrong on our side.", errors.New("stripe gave no address to go to"))
	}
	if slices.Contains(p.payTargets, u.Scheme+"://"+u.Host) {
		return redirect(c, to)
	}
	c.Set("Refresh", "0; url="+to) // a domain of the operator's own: see leave
	return web.Send(c, view.RedirectPage(view.Redirect{Frame: v.frame, To: to, Label: "Stripe"}))
}

// subscribe leads to the page on which to pay for a plan. The same form sent twice, or from two windows, leads to the
// same page, which takes one payment.
func (p *Portal) subscribe(c *fiber.Ctx, v *visitor) error {
	plan := typed(c, "plan")
	if !forSale(plan) {
		return fault.Invalid("plan must be standard or pro")
	}
	if !v.session.Confirmed {
		return p.planAlert(c, v, fiber.StatusUnprocessableEntity, v.frame.Lang.Pick("Confirmez d’abord votre adresse e-mail.", "Confirm your e-mail address first."))
	}
	ctx, cancel := v.stripeContext()
	defer cancel()
	to, err := p.o.Billing.Subscribe(ctx, v.session.Account, plan, string(v.frame.Lang))
	switch {
	case errors.Is(err, billing.ErrSubscribed):
		return redirect(c, "/account/plan?done=already")
	case err != nil:
		return p.stripeTrouble(c, v, err)
	}
	return p.goTo(c, v, to)
}

// resume takes back a cancellation, or a change that has not come yet.
func (p *Portal) resume(c *fiber.Ctx, v *visitor) error {
	state, _ := planState(v.bought, p.now())
	if state != view.PlanEnding && state != view.PlanChanging {
		return redirect(c, "/account/plan")
	}
	ctx, cancel := v.stripeContext()
	defer cancel()
	row, err := p.o.Billing.Resume(ctx, v.bought)
	return p.planChanged(c, v, err, "resumed", p.stateOf(row) == view.PlanActive)
}

// paymentPages leads to Stripe's own pages: card, address, invoices.
func (p *Portal) paymentPages(c *fiber.Ctx, v *visitor) error {
	if v.bought.CustomerID == "" {
		return redirect(c, "/account/plan")
	}
	ctx, cancel := v.stripeContext()
	defer cancel()
	to, err := p.o.Billing.PortalURL(ctx, v.bought.CustomerID, string(v.frame.Lang))
	if err != nil {
		return p.stripeTrouble(c, v, err)
	}
	return p.goTo(c, v, to)
}

// refresh reads the subscription again from Stripe, and then what came of it.
func (p *Portal) refresh(ctx context.Context, v *visitor) error {
	if _, err := p.o.Billing.Refresh(ctx, v.session.Account); err != nil {
		return err
	}
	return p.readPlan(v)
}

// planChanged answers after a change was asked for. It says that the change is there when what is known holds it; else
// that it is on its way: the event that follows brings it.
func (p *Portal) planChanged(c *fiber.Ctx, v *visitor, err error, done string, holds bool) error {
	switch {
	case err != nil:
		return p.stripeTrouble(c, v, err)
	case !holds:
		done = "noted"
	}
	return redirect(c, "/account/plan?done="+done)
}

func (p *Portal) stateOf(row billing.Row) view.PlanState {
	state, _ := planState(row, p.now())
	return state
}

// stripeTrouble says on the page of the plan what went wrong at Stripe's, and that nothing was changed.
func (p *Portal) stripeTrouble(c *fiber.Ctx, v *visitor, err error) error {
	text, status := stripeText(v, err)
	if text == "" {
		return err
	}
	slog.WarnContext(v.ctx, "stripe did not do what was asked", "account", v.session.Account, "error", err)
	return p.planAlert(c, v, status, text)
}

// stripeText says what went wrong; empty: it is no outcome of Stripe's that somebody could be told of.
func stripeText(v *visitor, err error) (text string, status int) {
	l := v.frame.Lang
	switch {
	case errors.Is(err, billing.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded):
		return l.Pick("Stripe ne répond pas en ce moment. Réessayez dans quelques minutes\u00a0: une demande répétée n’est comptée qu’une fois.",
			"Stripe does not answer at the moment. Try again in a few minutes: a request that is repeated counts once."), fiber.StatusServiceUnavailable
	case errors.Is(err, billing.ErrDeclined):
		return l.Pick("La banque a refusé le paiement. Rien n’est changé. Choisissez une autre carte sous «\u00a0Carte et factures chez Stripe\u00a0», puis recommencez.",
			"The bank declined the payment. Nothing is changed. Choose another card under “Card and invoices at Stripe”, then try again."), fiber.StatusPaymentRequired
	case errors.Is(err, billing.ErrNoCustomer):
		return l.Pick("Stripe ne connaît plus ce compte. Écrivez à l’exploitant\u00a0: lui seul peut le rétablir. Rien n’est changé.",
			"Stripe does not know this account any more. Write to the operator, who alone can restore it. Nothing is changed."), fiber.StatusConflict
	}
	return "", 0
}

// planAlert shows the page of the plan with what went wrong. Stripe is not asked again: it has just failed, or has no
// part in it.
func (p *Portal) planAlert(c *fiber.Ctx, v *visitor, status int, text string) error {
	c.Status(status)
	return p.planPage(c, v, view.Plan{Alert: text, Away: status == fiber.StatusServiceUnavailable})
}

func forSale(plan string) bool {
	found, ok := billing.Find(plan)
	return ok && found.PriceEuros > 0
}
