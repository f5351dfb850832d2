package plan

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/internal/fault"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// StripeOrigins are the origins of Stripe's pages: to subscribe, to change the card, to confirm a payment.
var StripeOrigins = []string{"https://checkout.stripe.com", "https://billing.stripe.com",
	"https://invoice.stripe.com"}

// Selling serves what only makes sense where plans are sold to the visitor. Elsewhere
// the page of the plan says that they are not.
func (p *Pages) Selling(h pages.Handler) pages.Handler {
	return func(c *fiber.Ctx, v *pages.Visitor) error {
		if !p.Billing.SellsTo(v.Frame.Operator) {
			return pages.Redirect(c, "/account/plan")
		}
		return h(c, v)
	}
}

// redirectToStripe redirects to a page of Stripe's.
func (p *Pages) redirectToStripe(c *fiber.Ctx, v *pages.Visitor, to string) error {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return fault.New(fault.Internal, "Something went wrong on our side.",
			errors.New("stripe returned no redirect URL"))
	}
	if slices.Contains(p.Targets, u.Scheme+"://"+u.Host) {
		return pages.Redirect(c, to)
	}
	c.Set("Refresh", "0; url="+to) // a domain of the operator's own: see signin.StartOAuth
	return web.Send(c, view.RedirectPage(view.Redirect{Frame: v.Frame, To: to, Label: "Stripe"}))
}

// Subscribe redirects to the payment page of a plan. The same form sent twice, or from two windows, leads
// to the same page, which takes one payment.
func (p *Pages) Subscribe(c *fiber.Ctx, v *pages.Visitor) error {
	offer := readOffer(c)
	if !isForSale(offer.Plan) {
		return fault.Invalid("plan must be standard or pro")
	}
	if !v.Session.Confirmed {
		return p.showConfirmFirst(c, v)
	}
	ctx, cancel := stripeContext(v)
	defer cancel()
	to, err := p.Billing.Subscribe(ctx, v.Account, offer, string(v.Frame.Lang))
	switch {
	case errors.Is(err, billing.ErrSubscribed):
		return pages.Redirect(c, "/account/plan?done=already")
	case err != nil:
		return p.showStripeError(c, v, err)
	}
	return p.redirectToStripe(c, v, to)
}

// Resume takes back a cancellation, or a change that is not effective yet.
func (p *Pages) Resume(c *fiber.Ctx, v *pages.Visitor) error {
	state, _ := p.PlanState(v.Bought)
	if state != view.PlanEnding && state != view.PlanChanging {
		return pages.Redirect(c, "/account/plan")
	}
	ctx, cancel := stripeContext(v)
	defer cancel()
	row, err := p.Billing.Resume(ctx, v.Bought)
	after, _ := p.PlanState(row)
	return p.answerChange(c, v, err, "resumed", after == view.PlanActive)
}

// PaymentPages redirects to Stripe's own pages: card, address, invoices.
func (p *Pages) PaymentPages(c *fiber.Ctx, v *pages.Visitor) error {
	if v.Bought.CustomerID == "" {
		return pages.Redirect(c, "/account/plan")
	}
	ctx, cancel := stripeContext(v)
	defer cancel()
	to, err := p.Billing.PortalURL(ctx, v.Bought.CustomerID, string(v.Frame.Lang))
	if err != nil {
		return p.showStripeError(c, v, err)
	}
	return p.redirectToStripe(c, v, to)
}

// answerChange answers after a change was requested. applied reports whether the stored subscription has it
// already; else the event that follows brings it.
func (p *Pages) answerChange(c *fiber.Ctx, v *pages.Visitor, err error, done string, applied bool) error {
	switch {
	case err != nil:
		return p.showStripeError(c, v, err)
	case !applied:
		done = "noted"
	}
	return pages.Redirect(c, "/account/plan?done="+done)
}

// showStripeError says on the page of the plan what went wrong at Stripe's, and that nothing was changed.
func (p *Pages) showStripeError(c *fiber.Ctx, v *pages.Visitor, err error) error {
	return p.showStripeErrorOn(c, v, err, Plan{})
}

// showStripeErrorOn is showStripeError on a page with what was typed.
func (p *Pages) showStripeErrorOn(c *fiber.Ctx, v *pages.Visitor, err error, page Plan) error {
	text, status := stripeErrorText(v, err)
	if text == "" {
		return err
	}
	slog.WarnContext(v.Ctx, "stripe request failed", "account", v.Account, "error", err)
	if errors.Is(err, billing.ErrChanged) {
		ctx, cancel := stripeContext(v)
		defer cancel()
		if _, err := p.Billing.Refresh(ctx, v.Account); err != nil {
			slog.WarnContext(v.Ctx, "stripe unavailable to read a subscription", "account", v.Account, "error", err)
		} else if err := p.ReadPlan(v); err != nil {
			return err
		}
	}
	c.Status(status)
	page.Alert = text
	page.IsStripeDown = status == fiber.StatusServiceUnavailable // which has just failed: it is not called again
	return p.showPlan(c, v, page)
}

// stripeErrorText says what went wrong; empty: the error is not an
// outcome of Stripe's that concerns the visitor.
func stripeErrorText(v *pages.Visitor, err error) (text string, status int) {
	l := v.Frame.Lang
	switch {
	case errors.Is(err, billing.ErrKeyRefused): // the operator has been notified
		return stripeErrorText(v, billing.ErrNotSelling)
	case errors.Is(err, errBankTimeout):
		return l.Pick("Votre banque n’a pas répondu à temps. Le paiement peut encore aboutir\u00a0: l’offre change alors d’elle-même. Si vous recommencez, rien n’est débité deux fois.",
			"Your bank has not answered in time. The payment may still go through: the plan then changes by itself. If you try again, nothing is charged twice."), fiber.StatusServiceUnavailable
	case errors.Is(err, billing.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded):
		return l.Pick("Stripe ne répond pas en ce moment. Réessayez dans quelques minutes\u00a0: une demande répétée n’est comptée qu’une fois.",
			"Stripe is not responding at the moment. Try again in a few minutes: a request that is repeated counts once."), fiber.StatusServiceUnavailable
	case errors.Is(err, billing.ErrNotSelling):
		return l.Pick("Les offres payantes ne peuvent pas être souscrites en ce moment. Rien n’est changé ni débité. Revenez dans quelques heures.",
				"Paid plans cannot be bought at the moment. Nothing was changed or charged. Come back in a few hours."),
			fiber.StatusConflict
	case errors.Is(err, billing.ErrNoOffer):
		return l.Pick("Cette offre n’est pas vendue à l’année. Rien n’est changé ni débité.",
			"This plan is not sold by the year. Nothing was changed or charged."), fiber.StatusConflict
	case errors.Is(err, billing.ErrChanged):
		return l.Pick("Votre abonnement avait déjà changé chez Stripe\u00a0: cette page vient d’être mise à jour. Rien n’a été débité. Vérifiez votre offre avant de recommencer.",
			"Your subscription had already changed at Stripe: this page has just been updated. Nothing was charged. Check your plan before you try again."), fiber.StatusConflict
	case errors.Is(err, billing.ErrOtherItems):
		return l.Pick("Votre abonnement comprend un autre service, payé à un autre rythme\u00a0: ce changement passe par l’exploitant. Rien n’est changé ni débité.",
			"Your subscription includes another service with another billing interval: this change goes through the operator. Nothing was changed or charged."), fiber.StatusConflict
	case errors.Is(err, billing.ErrDelayed):
		return l.Pick("Votre abonnement est réglé par prélèvement, et un changement immédiat se règle par carte. Rien n’est changé. Enregistrez une carte sous « Carte et factures chez Stripe », puis recommencez.",
			"Your subscription is paid by direct debit, and an immediate change is paid by card. Nothing is changed. Save a card under “Card and invoices at Stripe”, then try again."), fiber.StatusConflict
	case errors.Is(err, billing.ErrProcessing):
		return l.Pick("Le paiement est en cours auprès de votre banque. L’offre changera dès qu’il arrivera ; inutile de recommencer.",
			"The payment is being processed by your bank. The plan changes as soon as it arrives; there is no need to try again."), fiber.StatusAccepted
	case errors.Is(err, billing.ErrUnknownPrice):
		return l.Pick("Le prix de votre abonnement a été modifié chez Stripe : ce changement passe par l’exploitant. Rien n’est changé.",
			"The price of your subscription was changed at Stripe: this change goes through the operator. Nothing is changed."), fiber.StatusConflict
	case errors.Is(err, billing.ErrDeclined):
		return l.Pick("La banque a refusé le paiement. Rien n’est changé. Choisissez une autre carte sous «\u00a0Carte et factures chez Stripe\u00a0», puis recommencez.",
			"The bank declined the payment. Nothing is changed. Choose another card under “Card and invoices at Stripe”, then try again."), fiber.StatusPaymentRequired
	case errors.Is(err, billing.ErrNoCustomer):
		return l.Pick("Stripe ne connaît plus ce compte. Écrivez à l’exploitant\u00a0: lui seul peut le rétablir. Rien n’est changé.",
			"Stripe does not know this account any more. Write to the operator, who alone can restore it. Nothing is changed."), fiber.StatusConflict
	}
	return "", 0
}

// showConfirmFirst shows the page of the plan to an account whose address is
// not confirmed, in place of what it asked for.
func (p *Pages) showConfirmFirst(c *fiber.Ctx, v *pages.Visitor) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return p.showPlan(c, v, Plan{Alert: v.Frame.Lang.Pick("Confirmez d’abord votre adresse e-mail.",
		"Confirm your email address first.")})
}

func isForSale(plan string) bool {
	found, ok := billing.Find(plan)
	return ok && found.PriceEuros > 0
}
