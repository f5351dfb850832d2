package plan

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/billing"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
)

// SetBilling changes the name and address on invoices.
func (p *Pages) SetBilling(c *fiber.Ctx, v *pages.Visitor) error {
	if v.Bought.CustomerID == "" {
		return pages.Redirect(c, "/account/plan")
	}
	l := v.Frame.Lang
	details := BillingDetails{Email: pages.Text(c, "email"), VAT: pages.Text(c, "vat"),
		Company: pages.Text(c, "company"), Order: pages.Text(c, "order")}
	ctx, cancel := stripeContext(v)
	defer cancel()
	// A page that was opened before an upgrade lacks fields: what they set at Stripe stays as it is.
	noCompany, noOrder := httpbody.Fields(c, "company") == nil, httpbody.Fields(c, "order") == nil
	if noCompany || noOrder {
		present, err := p.Billing.Billing(ctx, v.Bought.CustomerID)
		if err != nil {
			return p.showStripeErrorOn(c, v, err, Plan{})
		}
		if noCompany {
			details.Company = present.Company
		}
		if noOrder {
			details.Order = present.PurchaseOrder
		}
	}
	email, err := auth.NormalEmail(details.Email)
	if err != nil {
		details.EmailError = pages.ProblemText(l, &auth.Problem{Code: auth.CodeEmailInvalid})
	}
	wrongVAT := l.Pick("Ce n’est pas un numéro de TVA. Il commence par le pays, comme FR40303265045.",
		"This is not a VAT number. It begins with the country, as in FR40303265045.")
	vat, err := billing.ParseVAT(details.VAT)
	if err != nil {
		details.VATError = wrongVAT
	}
	tooLong := l.Pick("140 caractères au plus, sur une ligne.", "At most 140 characters, on one line.")
	company, err := billing.ParseBillText(details.Company)
	if err != nil {
		details.CompanyError = tooLong
	}
	order, err := billing.ParseBillText(details.Order)
	if err != nil {
		details.OrderError = tooLong
	}
	if details.EmailError+details.VATError+details.CompanyError+details.OrderError == "" {
		err := p.Billing.SetBilling(ctx, v.Bought.CustomerID, billing.Billing{Email: email, VAT: vat,
			Company: company, PurchaseOrder: order}, string(l))
		switch {
		case err == nil:
			return pages.Redirect(c, "/account/plan?done=billing")
		case errors.Is(err, billing.ErrVAT):
			details.VATError = wrongVAT
		case errors.Is(err, billing.ErrBillFieldsFull):
			details.OrderError = l.Pick("Vos factures n’ont plus de place pour un bon de commande. Écrivez-nous.",
				"Your invoices have no place left for a purchase order. Write to us.")
		default:
			return p.showStripeErrorOn(c, v, err, Plan{Details: details})
		}
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.showPlan(c, v, Plan{Details: details})
}
