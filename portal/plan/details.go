package plan

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/billing"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/portal/view"
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
	tooLong := l.Pick("140\u00a0caractères au plus, sur une ligne.", "At most 140 characters, on one line.")
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

// readRecipients reads the further addresses for mails about payments, with what was typed into their form.
func (p *Pages) readRecipients(c *fiber.Ctx, v *pages.Visitor) (view.Recipients, error) {
	all, err := p.Auth.NoticeAddresses(v.Ctx, v.Session, auth.PurposeBillingMails)
	list := view.Recipients{Frame: v.Frame, Path: "/account/plan/recipients", Field: "recipient",
		Full: len(all) >= auth.MaxBillingRecipients, Confirmed: v.Session.Confirmed, MailDown: p.MailDown,
		Typed: pages.Text(c, "recipient"), Error: v.Errors()["email"]}
	for _, a := range all {
		list.All = append(list.All, view.Recipient(a))
	}
	return list, err
}

// AddRecipient sends a link to a further address for mails about payments: nothing else is sent there before
// its reader agrees.
func (p *Pages) AddRecipient(c *fiber.Ctx, v *pages.Visitor) error {
	if v.Bought.CustomerID == "" { // its page has no list
		return pages.Redirect(c, "/account/plan")
	}
	email := pages.Text(c, "recipient")
	err := p.Auth.AddNoticeAddress(v.Ctx, v.Session, auth.PurposeBillingMails, email, v.Origin)
	if err != nil {
		return v.Again(c, err, p.Show)
	}
	p.SetSentTo(c, auth.PurposeBillingMails, email)
	return pages.Redirect(c, "/account/plan?done=recipient")
}

// RemoveRecipient ends the mails about payments to a further address.
func (p *Pages) RemoveRecipient(c *fiber.Ctx, v *pages.Visitor, id int64) error {
	err := p.Auth.RemoveNoticeAddress(v.Ctx, v.Session, auth.PurposeBillingMails, id, v.Origin)
	return pages.RedirectAfter(c, err, "/account/plan?done=recipient-removed")
}
