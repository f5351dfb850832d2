package main

import (
	"strings"
	"testing"

	"arpent/app/base/config"
	"arpent/app/dev/stripesim"
)

// The doctor says whether plans can be bought, and the way out of a refused key and of a price that is not there.
func TestExamineStripe(t *testing.T) {
	t.Parallel()
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true})
	good := config.Config{StripeKey: stripesim.DefaultKey, StripeURL: sim.URL(), StripePrices: stripesim.PriceLists()}
	if f := examineStripe(t.Context(), good); f.wayOut != "" {
		t.Errorf("%+v", f)
	}
	if f := examineStripe(t.Context(), config.Config{}); f.wayOut != "" || !strings.Contains(f.seen, "not available") {
		t.Errorf("without a key: %+v", f)
	}
	wrong := good
	wrong.StripePrices = map[string][]string{"standard": {"price_none"}, "pro": {stripesim.ProPrice}}
	if f := examineStripe(t.Context(), wrong); !strings.Contains(f.wayOut, "ARPENT_STRIPE_PRICE_") || !strings.Contains(f.seen, "price_none") {
		t.Errorf("a wrong price: %+v", f)
	}
	sim.RevokeKey(true)
	if f := examineStripe(t.Context(), good); !strings.Contains(f.wayOut, "ARPENT_STRIPE_KEY") {
		t.Errorf("a refused key: %+v", f)
	}
}
