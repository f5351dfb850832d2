package stripegate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/charge"
	"github.com/stripe/stripe-go/v76/webhook"
)

// Tolerance is how old a webhook call may be: one that somebody kept is refused.
const Tolerance = 5 * time.Minute

// EventError: a webhook call that is not to be believed. Reason is one of a short list, fit for a metric.
type EventError struct {
	Reason string // signature, old, malformed, version, account, livemode
	Cause  error
}

func (e *EventError) Error() string { return fmt.Sprintf("event refused: %s: %v", e.Reason, e.Cause) }
func (e *EventError) Unwrap() error { return e.Cause }

// Event is a webhook call that is to be believed.
type Event struct {
	ID, Type     string
	Created      time.Time
	Customer     string // empty: see CustomerOf
	Subscription string
	Charge       string
	Livemode     bool
	APIVersion   string
	Account      string
	Payload      []byte
}

// Event decides whether a webhook call is to be believed, and reads it; else an *EventError.
func (g *Gate) Event(body []byte, signature string) (Event, error) {
	refuse := func(reason string, cause error) (Event, error) { return Event{}, &EventError{reason, cause} }
	if g.o.WebhookSecret == "" {
		return refuse("signature", errors.New("no secret is configured"))
	}
	if err := webhook.ValidatePayloadIgnoringTolerance(body, signature, g.o.WebhookSecret); err != nil {
		return refuse("signature", err)
	}
	if age := g.o.Clock.Now().Sub(signedAt(signature)); age > Tolerance {
		return refuse("old", fmt.Errorf("signed %s ago", age))
	}
	var e stripe.Event
	if err := json.Unmarshal(body, &e); err != nil {
		return refuse("malformed", err)
	}
	switch {
	case e.ID == "" || e.Type == "" || e.Object != "event" || e.Data == nil || bytes.Contains(body, []byte(`\u0000`)):
		return refuse("malformed", errors.New("not an event"))
	case e.APIVersion != stripe.APIVersion:
		return refuse("version", fmt.Errorf("version %q instead of %q", e.APIVersion, stripe.APIVersion))
	case e.Account != "":
		return refuse("account", errors.New("of a connected account"))
	case e.Livemode != g.live:
		return refuse("livemode", fmt.Errorf("livemode is %t", e.Livemode))
	}
	out := Event{ID: e.ID, Type: string(e.Type), Created: time.Unix(e.Created, 0).UTC(), Livemode: e.Livemode,
		APIVersion: e.APIVersion, Account: e.Account, Payload: body}
	out.refer(e.Data.Raw)
	return out, nil
}

// signedAt is the time in a signature that was found good. Of several it is the last, which is the one that was signed.
func signedAt(signature string) (at time.Time) {
	for pair := range strings.SplitSeq(signature, ",") {
		if t, ok := strings.CutPrefix(pair, "t="); ok {
			if seconds, err := strconv.ParseInt(t, 10, 64); err == nil {
				at = time.Unix(seconds, 0)
			}
		}
	}
	return at
}

// reference is an id, or the object with that id.
type reference string

func (r *reference) UnmarshalJSON(b []byte) error {
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(b, (*string)(r)) != nil && json.Unmarshal(b, &object) == nil {
		*r = reference(object.ID)
	}
	return nil
}

// refer notes what the event is about.
func (e *Event) refer(raw []byte) {
	var o struct {
		ID           string    `json:"id"`
		Object       string    `json:"object"`
		Customer     reference `json:"customer"`
		Subscription reference `json:"subscription"`
		Charge       reference `json:"charge"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return
	}
	e.Customer, e.Subscription, e.Charge = string(o.Customer), string(o.Subscription), string(o.Charge)
	switch o.Object {
	case "customer":
		e.Customer = o.ID
	case "subscription":
		e.Subscription = o.ID
	case "charge":
		e.Charge = o.ID
	}
}

// CustomerOf tells whose event it is. A dispute names its charge only: Stripe is asked for that.
func (g *Gate) CustomerOf(ctx context.Context, ev Event) (string, error) {
	if ev.Customer != "" || ev.Charge == "" {
		return ev.Customer, nil
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	c, err := charge.Client{B: g.backend, Key: g.o.Key}.Get(ev.Charge, &stripe.ChargeParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return "", translate("read a charge", err)
	}
	if c.Customer == nil {
		return "", nil
	}
	return c.Customer.ID, nil
}
