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

const currency = stripe.CurrencyEUR

// CheckPrices compares the prices that are sold with what the plans cost, and says which is wrong and how.
// Charging something else than what the pages promise would be worse than not to sell.
func (g *Gate) CheckPrices(ctx context.Context) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	var faults []error
	for _, plan := range billing.Paid() {
		id, err := g.priceOf(plan.Name)
		if err != nil {
			faults = append(faults, fmt.Errorf("the %s plan has no price", plan.Name))
			continue
		}
		p, err := g.api.Prices.Get(id, &stripe.PriceParams{Params: stripe.Params{Context: ctx}})
		if err != nil {
			faults = append(faults, translateError(fmt.Sprintf("read the price of the %s plan (%s)", plan.Name,
				id), err))
			continue
		}
		if wrong := priceFaults(p, plan, g.live); len(wrong) > 0 {
			faults = append(faults, fmt.Errorf("the price of the %s plan (%s) %s", plan.Name, id, strings.Join(wrong,
				", and ")))
		}
	}
	if err := g.checkReservePrice(ctx); err != nil {
		faults = append(faults, err)
	}
	configured := 0
	for _, prices := range g.o.Prices {
		configured += len(prices)
	}
	if len(faults) == 0 && len(g.plans) < configured {
		faults = append(faults, errors.New("a price is configured twice"))
	}
	return errors.Join(faults...)
}

func priceFaults(p *stripe.Price, plan billing.Plan, live bool) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !p.Active {
		bad("is archived")
	}
	if p.Currency != currency {
		bad("is in %q instead of %q", p.Currency, currency)
	}
	if want := int64(plan.PriceEuros) * 100; p.UnitAmount != want ||
		p.BillingScheme == stripe.PriceBillingSchemeTiered {
		bad("is %d cents instead of %d", p.UnitAmount, want)
	}
	if r := p.Recurring; r == nil {
		bad("is paid once instead of monthly")
	} else if r.Interval != stripe.PriceRecurringIntervalMonth || r.IntervalCount != 1 {
		bad("is paid every %d %s instead of monthly", r.IntervalCount, r.Interval)
	} else if r.UsageType == stripe.PriceRecurringUsageTypeMetered {
		bad("is metered")
	}
	if p.TaxBehavior != stripe.PriceTaxBehaviorExclusive {
		bad("has tax behaviour %q instead of %q", p.TaxBehavior, stripe.PriceTaxBehaviorExclusive)
	}
	if p.Livemode != live {
		bad("is of the other mode (test or live) than the key")
	}
	return slices.Clip(wrong)
}

// planOf finds the plan of a price. A price that costs the same as a plan is
// not the plan's: it may be of another product.
func (g *Gate) planOf(p *stripe.Price) (string, bool) {
	if p == nil {
		return "", false
	}
	plan, ok := g.plans[p.ID]
	return plan, ok
}

// itemOf finds the item of a subscription that is a plan. A subscription may have others, which were added in
// the dashboard. Without a plan it is the first one, and ok is false.
func (g *Gate) itemOf(s *stripe.Subscription) (item *stripe.SubscriptionItem, plan string, ok bool) {
	if s.Items == nil || len(s.Items.Data) == 0 {
		return nil, "", false
	}
	for _, item := range s.Items.Data {
		if plan, ok := g.planOf(item.Price); ok {
			return item, plan, true
		}
	}
	return s.Items.Data[0], "", false
}

// isOurs reports whether a subscription was made by this service for the account of that reference.
func isOurs(s *stripe.Subscription, reference string) bool {
	return reference != "" && s.Metadata[metaReference] == reference
}
