package stripegate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// Events are the types of the events that the webhook endpoint has to send. Verify finds each of them
// relevant.
var Events = []string{
	"checkout.session.completed", "checkout.session.async_payment_succeeded",
	"checkout.session.async_payment_failed", "customer.deleted", "customer.updated",
	"customer.tax_id.created", "customer.tax_id.updated", "customer.tax_id.deleted",
	"customer.subscription.created", "customer.subscription.updated", "customer.subscription.deleted",
	"customer.subscription.paused", "customer.subscription.resumed",
	"customer.subscription.pending_update_applied", "customer.subscription.pending_update_expired",
	"subscription_schedule.updated", "subscription_schedule.released", "subscription_schedule.canceled",
	"invoice.paid", "invoice.payment_failed", "invoice.payment_action_required",
	"invoice.finalization_failed", "invoice.voided", "invoice.marked_uncollectible", "charge.refunded",
	"charge.dispute.created", "charge.dispute.closed",
}

// allEvents stands for every event in the list of an endpoint.
const allEvents = "*"

// CheckSetup compares what Stripe's API shows of the dashboard with what the service relies on: the webhook
// endpoint, and Stripe Tax.
func (g *Gate) CheckSetup(ctx context.Context) []billing.SetupCheck {
	return []billing.SetupCheck{g.checkWebhook(ctx), g.checkTax(ctx)}
}

// checkWebhook looks for the endpoint of this service: there, enabled, with our version of the API and all
// events.
func (g *Gate) checkWebhook(ctx context.Context) billing.SetupCheck {
	const step = "docs/stripe.md, step 6"
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	check := billing.SetupCheck{Subject: "stripe webhook"}
	url := g.o.PublicURL + billing.WebhookPath
	var ours []*stripe.WebhookEndpoint
	all := g.api.WebhookEndpoints.List(&stripe.WebhookEndpointListParams{
		ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)}})
	for all.Next() {
		if e := all.WebhookEndpoint(); e.URL == url {
			ours = append(ours, e)
		}
	}
	if err := translateError("list the webhook endpoints", all.Err()); err != nil {
		return reportNoAnswer(check, err, "webhook endpoints", step)
	}
	if len(ours) == 0 {
		check.Seen, check.WayOut = "no endpoint sends events to "+url, "make one through the API: "+step
		return check
	}
	var seen, wayOut []string
	for _, e := range ours {
		faults, remedy := endpointFaults(e)
		if len(faults) == 0 {
			check.Seen = fmt.Sprintf("%s sends all events that are read, in version %s, to %s",
				e.ID, e.APIVersion, url)
			return check
		}
		seen, wayOut = append(seen, e.ID+" "+strings.Join(faults, ", and ")), append(wayOut, remedy...)
	}
	check.Seen = strings.Join(seen, "; ")
	check.WayOut = strings.Join(slices.Compact(wayOut), "; ") + " (" + step +
		"); until then plans change with the nightly reconciliation"
	return check
}

// endpointFaults says what is wrong with an endpoint, and what mends it.
func endpointFaults(e *stripe.WebhookEndpoint) (faults, remedies []string) {
	if e.Status != "enabled" {
		faults, remedies = append(faults, "is "+e.Status), append(remedies, "enable it in the dashboard")
	}
	if e.APIVersion != stripe.APIVersion {
		version := e.APIVersion
		if version == "" {
			version = "the account's default version"
		}
		faults = append(faults, "writes events in "+version+" instead of "+stripe.APIVersion)
		remedies = append(remedies, "make a new endpoint through the API, as the version of one cannot be changed, "+
			"set its secret, and remove the former")
	}
	if slices.Contains(e.EnabledEvents, allEvents) {
		return faults, remedies
	}
	var missing []string
	for _, kind := range Events {
		if !slices.Contains(e.EnabledEvents, kind) {
			missing = append(missing, kind)
		}
	}
	if len(missing) > 0 {
		faults = append(faults, "lacks "+strings.Join(missing, " "))
		remedies = append(remedies, "add the events to it")
	}
	return faults, remedies
}

// checkTax reports whether Stripe Tax can compute a tax.
func (g *Gate) checkTax(ctx context.Context) billing.SetupCheck {
	const step = "docs/stripe.md, step 2"
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	check := billing.SetupCheck{Subject: "stripe tax"}
	s, err := g.api.TaxSettings.Get(&stripe.TaxSettingsParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return reportNoAnswer(check, translateError("read the tax settings", err), "tax settings", step)
	}
	if s.Status == stripe.TaxSettingsStatusActive {
		check.Seen = "active"
		return check
	}
	check.Seen = string(s.Status)
	if d := s.StatusDetails; d != nil && d.Pending != nil && len(d.Pending.MissingFields) > 0 {
		check.Seen += ", without " + strings.Join(d.Pending.MissingFields, ", ")
	}
	check.WayOut = "turn Stripe Tax on, and enter the head office and the registrations (" + step +
		"); until then invoices have no VAT or are not collected"
	return check
}

// reportNoAnswer returns the result of a check that Stripe did not answer.
func reportNoAnswer(check billing.SetupCheck, err error, what, step string) billing.SetupCheck {
	check.Seen, check.WayOut = err.Error(), "run arpent doctor again; what it looks at is in "+step
	if errors.Is(err, billing.ErrKeyRefused) {
		check.WayOut = "let the restricted key read " + what + ", or compare the dashboard with " + step
	}
	return check
}
