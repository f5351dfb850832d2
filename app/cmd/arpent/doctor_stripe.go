package main

import (
	"context"
	"errors"

	"arpent/app"
	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/billing"
)

// examineStripe reports whether plans can be bought: the key, and the prices that are sold. Docs/stripe.md lists what Stripe's interface does
// not show.
func examineStripe(ctx context.Context, c config.Config) finding {
	if c.StripeKey == "" {
		return finding{subject: "stripe", seen: "no key: paid plans are not available"}
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	err := app.NewBilling(c, nil, clock.Real{}).CheckPrices(ctx)
	switch {
	case err == nil:
		return finding{subject: "stripe", seen: "answers, and the prices are those of the plans"}
	case errors.Is(err, billing.ErrKeyRefused):
		return finding{"stripe", err.Error(), "set ARPENT_STRIPE_KEY to a key that is valid and may read prices; nothing can be bought meanwhile, all else serves"}
	case errors.Is(err, billing.ErrUnavailable):
		return finding{"stripe", err.Error(), "open the way to api.stripe.com over https; plans in force do not depend on it"}
	}
	return finding{"stripe", err.Error(), "put right ARPENT_STRIPE_PRICE_… or the price in the dashboard (docs/stripe.md); nothing can be bought meanwhile, all else serves"}
}
