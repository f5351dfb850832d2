package stripegate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

const currency = stripe.CurrencyEUR

// CheckPrices compares the prices that are sold with what the plans cost, and says which is wrong and how.
// billing.ErrKeyRefused: the key does not work.
// Charging something else than what the pages promise would be worse than not to sell.
func (g *Gate) CheckPrices(ctx context.Context) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	var faults []error
	for _, plan := range billing.Paid() {
		for _, offer := range []billing.Offer{{Plan: plan.Name}, {Plan: plan.Name, Yearly: true}} {
			ids := g.pricesOf(offer)
			if len(ids) == 0 && !offer.Yearly { // without a yearly price it is sold by the month alone
				faults = append(faults, fmt.Errorf("the %s plan has no price", plan.Name))
			}
			for i, id := range ids {
				if _, err := g.readPrice(ctx, plan, offer, id, i == 0); err != nil {
					faults = append(faults, err)
				}
			}
		}
	}
	if g.o.ReservePrice != "" {
		what := "the price of a reserve (" + g.o.ReservePrice + ")"
		p, err := g.api.Prices.Get(g.o.ReservePrice, &stripe.PriceParams{Params: stripe.Params{Context: ctx}})
		if err != nil {
			faults = append(faults, translateError("read "+what, err))
		} else if wrong := reservePriceFaults(p, g.live); len(wrong) > 0 {
			faults = append(faults, errors.New(what+" "+strings.Join(wrong, ", and ")))
		}
	}
	configured := 0
	for _, prices := range []map[string][]string{g.o.Prices, g.o.YearlyPrices} {
		for _, ids := range prices {
			configured += len(ids)
		}
	}
	if len(faults) == 0 && len(g.offers) < configured {
		faults = append(faults, errors.New("a price is configured twice"))
	}
	return errors.Join(faults...)
}

// YearlyPrices reads what the plans that are sold by the year cost. A price that is not as it should be is an
// error.
func (g *Gate) YearlyPrices(ctx context.Context) (map[string]int64, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	cents := map[string]int64{}
	for _, plan := range billing.Paid() {
		offer := billing.Offer{Plan: plan.Name, Yearly: true}
		ids := g.pricesOf(offer)
		if len(ids) == 0 {
			continue
		}
		p, err := g.readPrice(ctx, plan, offer, ids[0], true)
		if err != nil {
			return nil, err
		}
		cents[plan.Name] = p.UnitAmount
	}
	return cents, nil
}

// readPrice reads a price of an offer, and says what is wrong with it. One that is not sold any more may be
// archived and of another sum, but of no other interval: it says which offer a subscription is to.
func (g *Gate) readPrice(
	ctx context.Context, plan billing.Plan, offer billing.Offer, id string, sold bool) (*stripe.Price, error) {
	what := "price"
	if offer.Yearly {
		what = "yearly price"
	}
	p, err := g.api.Prices.Get(id, &stripe.PriceParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return nil, translateError(fmt.Sprintf("read the %s of the %s plan (%s)", what, plan.Name, id), err)
	}
	wrong := intervalFaults(p, offer.Yearly)
	if sold {
		wrong = priceFaults(p, plan, offer.Yearly, g.live)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("the %s of the %s plan (%s) %s", what, plan.Name, id, strings.Join(wrong, ", and "))
	}
	return p, nil
}

// maxYear is how many months a year may cost at most.
const maxYear = 12

func priceFaults(p *stripe.Price, plan billing.Plan, yearly, live bool) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	month := int64(plan.PriceEuros) * 100
	switch tiered := p.BillingScheme == stripe.PriceBillingSchemeTiered; {
	case !yearly && (p.UnitAmount != month || tiered):
		bad("is %d cents instead of %d", p.UnitAmount, month)
	case yearly && (p.UnitAmount <= 0 || p.UnitAmount > maxYear*month || tiered):
		bad("is %d cents, which is no sum up to twelve months of the plan (%d)", p.UnitAmount, maxYear*month)
	}
	wrong = append(wrong, intervalFaults(p, yearly)...)
	if r := p.Recurring; r != nil && r.UsageType == stripe.PriceRecurringUsageTypeMetered {
		bad("is metered")
	}
	return findSaleFaults(p, live, wrong)
}

// findSaleFaults says what keeps a price from being sold at, with the faults of its own kind in their place.
func findSaleFaults(p *stripe.Price, live bool, own []string) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !p.Active {
		bad("is archived")
	}
	if p.Currency != currency {
		bad("is in %q instead of %q", p.Currency, currency)
	}
	wrong = append(wrong, own...)
	if p.TaxBehavior != stripe.PriceTaxBehaviorExclusive {
		bad("has tax behaviour %q instead of %q", p.TaxBehavior, stripe.PriceTaxBehaviorExclusive)
	}
	if p.Livemode != live {
		bad("is of the other mode (test or live) than the key")
	}
	return wrong
}

// intervalFaults says how a price is paid in place of each month, or each year.
func intervalFaults(p *stripe.Price, yearly bool) []string {
	interval, rhythm := stripe.PriceRecurringIntervalMonth, "monthly"
	if yearly {
		interval, rhythm = stripe.PriceRecurringIntervalYear, "yearly"
	}
	if r := p.Recurring; r == nil {
		return []string{"is paid once instead of " + rhythm}
	} else if r.Interval != interval || r.IntervalCount != 1 {
		return []string{fmt.Sprintf("is paid every %d %s instead of %s", r.IntervalCount, r.Interval, rhythm)}
	}
	return nil
}

// offerOf finds the offer of a price. A price that costs the same as a plan is
// not the plan's: it may be of another product.
func (g *Gate) offerOf(p *stripe.Price) (billing.Offer, bool) {
	if p == nil {
		return billing.Offer{}, false
	}
	offer, ok := g.offers[p.ID]
	return offer, ok
}

// itemOf finds the item of a subscription that is a plan. A subscription may have others, which were added in
// the dashboard. Without a plan it is the first one, and ok is false.
func (g *Gate) itemOf(s *stripe.Subscription) (item *stripe.SubscriptionItem, offer billing.Offer, ok bool) {
	if s.Items == nil || len(s.Items.Data) == 0 {
		return nil, offer, false
	}
	for _, item := range s.Items.Data {
		if offer, ok := g.offerOf(item.Price); ok {
			return item, offer, true
		}
	}
	return s.Items.Data[0], offer, false
}

// isYearly reports whether a price is paid by the year, whatever the settings call it.
func isYearly(p *stripe.Price) bool {
	return p != nil && p.Recurring != nil && p.Recurring.Interval == stripe.PriceRecurringIntervalYear
}

// isOurs reports whether a subscription was made by this service for the account of that reference.
func isOurs(s *stripe.Subscription, reference string) bool {
	return reference != "" && s.Metadata[metaReference] == reference
}
