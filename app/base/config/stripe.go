package config

import (
	"errors"
	"fmt"
	"strings"
)

// PriceSetting names the setting that holds the id of a plan's price at Stripe.
func PriceSetting(plan string) string { return "ARPENT_STRIPE_PRICE_" + strings.ToUpper(plan) }

// readPrices reads the prices of the plans.
func (c *Config) readPrices(settings map[string]string, paidPlans []string) {
	c.StripePrices = map[string]string{}
	for _, plan := range paidPlans {
		if id := settings[PriceSetting(plan)]; id != "" {
			c.StripePrices[plan] = id
		}
	}
}

func (c *Config) checkStripe(paidPlans []string) []error {
	var faults []error
	set := map[string]bool{"ARPENT_STRIPE_WEBHOOK_SECRET": c.StripeWebhookSecret != ""}
	for _, plan := range paidPlans {
		set[PriceSetting(plan)] = c.StripePrices[plan] != ""
	}
	for name, there := range set {
		if there != (c.StripeKey != "") {
			faults = append(faults, fmt.Errorf("%s: paid plans need ARPENT_STRIPE_KEY, its webhook secret and the price of each plan, or none", name))
		}
	}
	if c.StripeURL != "" && c.Mode == Production {
		faults = append(faults, errors.New("ARPENT_STRIPE_URL: is for development mode: production speaks to Stripe itself"))
	}
	if c.StripeURL != "" && !isWebAddress(c.StripeURL) {
		faults = append(faults, fmt.Errorf("ARPENT_STRIPE_URL: is %q; expected an http address", c.StripeURL))
	}
	return faults
}
