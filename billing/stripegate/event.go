package stripegate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"arpent/billing"
)

// Tolerance is how old a webhook call may be: an older one, possibly replayed, is rejected.
const Tolerance = 5 * time.Minute

// relevantEvents are the events after which a customer is read anew, by their prefix: what they say
// is not believed beyond whom they are about.
var relevantEvents = []string{"customer.subscription.", "checkout.session.completed",
	"checkout.session.async_payment_", "invoice.paid",
	"invoice.payment_", "invoice.voided", "invoice.marked_uncollectible", "charge.dispute.", "charge.refunded",
	"subscription_schedule.", "customer.deleted", "customer.updated", "customer.tax_id.",
	"invoice.finalization_failed"}

// isRelevant reports whether a customer is read anew after an event of that type.
func isRelevant(kind string) bool {
	return slices.ContainsFunc(relevantEvents, func(prefix string) bool {
		return strings.HasPrefix(kind, prefix)
	})
}

// Verify decides whether a webhook call is to be believed, and reads
// whom it is about; else an *billing.EventError.
func (g *Gate) Verify(ctx context.Context, body []byte, signature string) (billing.Event, error) {
	refuse := func(reason string, cause error) (billing.Event, error) {
		return billing.Event{}, &billing.EventError{Reason: reason, Cause: cause}
	}
	if g.o.WebhookSecret == "" {
		return refuse("signature", errors.New("no secret is configured"))
	}
	if err := webhook.ValidatePayloadIgnoringTolerance(body, signature, g.o.WebhookSecret); err != nil {
		return refuse("signature", err)
	}
	var signedAt time.Time // of several it is the last, which is the one that was signed
	for pair := range strings.SplitSeq(signature, ",") {
		if t, ok := strings.CutPrefix(pair, "t="); ok {
			if seconds, err := strconv.ParseInt(t, 10, 64); err == nil {
				signedAt = time.Unix(seconds, 0)
			}
		}
	}
	if age := g.o.Clock.Now().Sub(signedAt); age > Tolerance {
		return refuse("old", fmt.Errorf("signed %s ago", age))
	}
	var e stripe.Event
	if err := json.Unmarshal(body, &e); err != nil {
		return refuse("malformed", err)
	}
	switch {
	case e.ID == "" || e.Type == "" || e.Object != "event" || e.Data == nil || bytes.Contains(body,
		[]byte(`\u0000`)):
		return refuse("malformed", errors.New("not an event"))
	case e.APIVersion != stripe.APIVersion:
		return refuse("version", fmt.Errorf("version %q instead of %q", e.APIVersion, stripe.APIVersion))
	case e.Account != "":
		return refuse("account", errors.New("the event is from a connected account"))
	case e.Livemode != g.live:
		return refuse("livemode", fmt.Errorf("livemode is %t", e.Livemode))
	}
	kind := string(e.Type)
	out := billing.Event{ID: e.ID, Type: kind, Created: time.Unix(e.Created, 0).UTC(), Payload: body,
		Relevant: isRelevant(kind)}
	var charge string
	if out.Customer, charge = readEventTarget(e.Data.Raw); out.Customer != "" || charge == "" || !out.Relevant {
		return out, nil
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	// a dispute names its charge only
	c, err := g.api.Charges.Get(charge, &stripe.ChargeParams{Params: stripe.Params{Context: ctx}})
	if err == nil && c.Customer != nil {
		out.Customer = c.Customer.ID
	}
	return out, translateError("read a charge", err)
}

// reference is an id, or the object with that id.
type reference string

// UnmarshalJSON accepts an id or an expanded object; anything else leaves r empty, without an error.
func (r *reference) UnmarshalJSON(b []byte) error {
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(b, (*string)(r)) != nil && json.Unmarshal(b, &object) == nil {
		*r = reference(object.ID)
	}
	return nil
}

// readEventTarget reads whom an event is about: a customer, or a charge.
func readEventTarget(raw []byte) (customer, charge string) {
	var o struct {
		ID       string    `json:"id"`
		Object   string    `json:"object"`
		Customer reference `json:"customer"`
		Charge   reference `json:"charge"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return "", ""
	}
	switch o.Object {
	case "customer":
		return o.ID, ""
	case "charge":
		return string(o.Customer), o.ID
	}
	return string(o.Customer), string(o.Charge)
}
