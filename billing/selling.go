package billing

import (
	"context"
	"errors"
	"sync"
	"time"

	"arpent/internal/clock"
	"arpent/internal/pgdb"
)

// ErrNotSelling: the key or the prices at Stripe do not work, so that nothing can
// be bought. What was bought stays in force.
var ErrNotSelling = errors.New("plans cannot be bought at the moment")

// CheckSelling compares the configured prices with Stripe. Where the key does not work, or a price is not
// what the pages promise, selling is switched off for all instances until a later check finds it mended;
// everything else goes on. The absence of Stripe changes nothing.
func (s *Service) CheckSelling(ctx context.Context) error {
	if !s.Sells() {
		return nil
	}
	var found []Finding
	if err := s.CheckPrices(ctx); errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrKeyRefused) {
		return err
	} else if err != nil {
		// the object stands for the settings of Stripe
		found = []Finding{{Kind: SellingOff, Object: "stripe settings", Detail: err.Error()}}
	}
	return s.replaceFindings(ctx, 0, []FindingKind{SellingOff}, found...)
}

// Selling reports whether plans can be bought now.
func (s *Service) Selling(ctx context.Context) (bool, error) {
	if !s.Sells() {
		return false, nil
	}
	return pgdb.Value[bool](ctx, s.db, nil, "read whether plans are sold",
		`SELECT NOT EXISTS (SELECT 1 FROM account.billing_finding WHERE kind = $1)`, SellingOff)
}

// How long yearly prices are believed, and how soon after a failure Stripe is asked for them again.
const (
	pricesLife  = 15 * time.Minute
	pricesPause = time.Minute
)

// keptPrice keeps what Stripe said of prices.
type keptPrice[T any] struct {
	reading sync.Mutex // held by the one caller that asks Stripe

	mu     sync.Mutex
	cents  *T
	askAt  time.Time // not before
	failed error     // of the last time
}

// YearlyPrices are what the plans that are sold by the year cost a year, in cents without tax, by their
// names. Stripe is asked every 15 minutes: by one caller, while others get what was known before. Where
// Stripe does not answer, what it said before stays; without that, the error is given for a minute.
func (s *Service) YearlyPrices(ctx context.Context) (map[string]int64, error) {
	if !s.Sells() {
		return nil, nil
	}
	return s.yearly.readPrices(ctx, s.clock, s.Gateway.YearlyPrices)
}

// PublishedReservePrice is what 1 000 requests of a reserve cost, in cents without tax, as the public pages
// say it; 0: none is sold. Stripe is asked as for YearlyPrices.
func (s *Service) PublishedReservePrice(ctx context.Context) (int64, error) {
	if !s.Sells() {
		return 0, nil
	}
	return s.reserve.readPrices(ctx, s.clock, s.Gateway.ReservePrice)
}

// readPrices returns the prices that are known, which ask reads anew where they are old.
func (k *keptPrice[T]) readPrices(ctx context.Context, c clock.Clock, ask func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	askAt := k.askAt
	k.mu.Unlock()
	if c.Now().Before(askAt) || !k.reading.TryLock() {
		return k.readKnown()
	}
	defer k.reading.Unlock()
	cents, err := ask(context.WithoutCancel(ctx)) // others wait for the answer too
	k.mu.Lock()
	if err == nil {
		k.cents, k.failed, k.askAt = &cents, nil, c.Now().Add(pricesLife)
	} else {
		k.failed, k.askAt = err, c.Now().Add(pricesPause)
		if !errors.Is(err, ErrUnavailable) { // a price is wrong: nothing is sold at it
			k.cents = nil
		}
	}
	k.mu.Unlock()
	return k.readKnown()
}

func (k *keptPrice[T]) readKnown() (cents T, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cents != nil {
		return *k.cents, nil
	}
	return cents, k.failed
}
