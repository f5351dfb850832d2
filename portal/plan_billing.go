package portal

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/billing"
	"arpent/portal/view"
)

// setBilling changes what invoices are made out to.
func (p *Portal) setBilling(c *fiber.Ctx, v *visitor) error {
	if v.bought.CustomerID == "" {
		return redirect(c, "/account/plan")
	}
	l := v.frame.Lang
	details := view.BillingDetails{Email: formText(c, "email"), VAT: formText(c, "vat")}
	email, err := auth.NormalEmail(details.Email)
	if err != nil {
		details.EmailError = problemText(l, &auth.Problem{Code: auth.CodeEmailInvalid})
	}
	wrongVAT := l.Pick("Ce n’est pas un numéro de TVA. Il commence par le pays, comme FR40303265045.", "This is not a VAT number. It begins with the country, as in FR40303265045.")
	vat, err := billing.ParseVAT(details.VAT)
	if err != nil {
		details.VATError = wrongVAT
	}
	if details.EmailError == "" && details.VATError == "" {
		ctx, cancel := v.stripeContext()
		defer cancel()
		err := p.o.Billing.SetBilling(ctx, v.bought.CustomerID, email, vat)
		switch {
		case err == nil:
			return redirect(c, "/account/plan?done=billing")
		case !errors.Is(err, billing.ErrVAT):
			return p.stripeTrouble(c, v, err)
		}
		details.VATError = wrongVAT
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return p.planPage(c, v, view.Plan{Details: details})
}
