package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// PriceSetting names the setting that holds the ids of a plan's prices at Stripe, separated by commas: the
// first is sold, the others are those of subscriptions that were bought before.
func PriceSetting(plan string) string { return "ARPENT_STRIPE_PRICE_" + strings.ToUpper(plan) }

// YearlyPriceSetting names that of its prices for a year; empty: the plan is sold by the month alone.
func YearlyPriceSetting(plan string) string { return PriceSetting(plan) + "_YEARLY" }

// readPrices reads the prices of the plans.
func (c *Config) readPrices(settings map[string]string, paidPlans []string) {
	read := func(into map[string][]string, plan, setting string) {
		ids := strings.FieldsFunc(settings[setting], func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		if len(ids) > 0 {
			into[plan] = ids
		}
	}
	c.StripePrices, c.StripeYearlyPrices = map[string][]string{}, map[string][]string{}
	for _, plan := range paidPlans {
		read(c.StripePrices, plan, PriceSetting(plan))
		read(c.StripeYearlyPrices, plan, YearlyPriceSetting(plan))
	}
}

// RehearsesSales reports whether a production server has a key of Stripe's test mode, with which any visitor
// buys a plan by the number of a test card.
func (c Config) RehearsesSales() bool {
	key := c.StripeKey.Reveal()
	return c.Mode == Production && (strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_"))
}

func (c *Config) checkStripe(paidPlans []string) []error {
	var faults []error
	set := map[string]bool{"ARPENT_STRIPE_WEBHOOK_SECRET": c.StripeWebhookSecret != ""}
	for _, plan := range paidPlans {
		set[PriceSetting(plan)] = len(c.StripePrices[plan]) > 0
	}
	for name, there := range set {
		if there != (c.StripeKey != "") {
			faults = append(faults, fmt.Errorf("%s: paid plans need ARPENT_STRIPE_KEY, its webhook secret and the price of each plan, or none", name))
		}
	}
	for plan := range c.StripeYearlyPrices {
		if c.StripeKey == "" {
			faults = append(faults, fmt.Errorf("%s: paid plans need ARPENT_STRIPE_KEY", YearlyPriceSetting(plan)))
		}
	}
	lower := "" // the last plan that is sold by the year, of those in the order of their prices
	for _, plan := range paidPlans {
		if len(c.StripeYearlyPrices[plan]) > 0 {
			lower = plan
		} else if lower != "" {
			faults = append(faults, fmt.Errorf("%s: is missing: with a year of %s and none of %s, "+
				"a customer could not go higher before the year ends", YearlyPriceSetting(plan), lower, plan))
		}
	}
	if c.StripeReservePrice != "" && c.StripeKey == "" {
		faults = append(faults, errors.New("ARPENT_STRIPE_PRICE_RESERVE: a reserve is sold with paid plans, which need ARPENT_STRIPE_KEY"))
	}
	if c.StripeURL != "" && c.Mode == Production {
		faults = append(faults, errors.New("ARPENT_STRIPE_URL: is for development mode: production speaks to Stripe itself"))
	}
	if c.StripeURL != "" && !isWebAddress(c.StripeURL) {
		faults = append(faults, fmt.Errorf("ARPENT_STRIPE_URL: is %q; expected an http address", c.StripeURL))
	}
	return faults
}
