package billing

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// sellingObject stands for the settings of Stripe in a finding.
const sellingObject = "stripe settings"

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
	kinds := []FindingKind{SellingOff}
	err := s.CheckPrices(ctx)
	switch {
	case err == nil:
		return s.replaceFindings(ctx, 0, kinds)
	case errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrKeyRefused):
		return err
	}
	return s.replaceFindings(ctx, 0, kinds, Finding{Kind: SellingOff, Object: sellingObject,
		Detail: err.Error()})
}

// Selling reports whether plans can be bought now.
func (s *Service) Selling(ctx context.Context) (bool, error) {
	if !s.Sells() {
		return false, nil
	}
	var off bool
	err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM account.billing_finding WHERE kind = $1)`,
		SellingOff).Scan(&off)
	if err != nil {
		return false, fmt.Errorf("read whether plans are sold: %w", err)
	}
	return !off, nil
}

// How long yearly prices are believed, and how soon after a failure Stripe is asked for them again.
const (
	pricesLife  = 15 * time.Minute
	pricesPause = time.Minute
)

// yearlyPrices keeps what Stripe said of the yearly prices.
type yearlyPrices struct {
	reading sync.Mutex // held by the one caller that asks Stripe

	mu     sync.Mutex
	cents  map[string]int64
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
	y := &s.yearly
	if s.clock.Now().Before(y.nextAsk()) || !y.reading.TryLock() {
		return y.readKnown()
	}
	defer y.reading.Unlock()
	cents, err := s.Gateway.YearlyPrices(context.WithoutCancel(ctx)) // others wait for the answer too
	y.mu.Lock()
	if err == nil {
		y.cents, y.failed, y.askAt = cents, nil, s.clock.Now().Add(pricesLife)
	} else {
		y.failed, y.askAt = err, s.clock.Now().Add(pricesPause)
		if !errors.Is(err, ErrUnavailable) { // a price is wrong: nothing is sold at it
			y.cents = nil
		}
	}
	y.mu.Unlock()
	return y.readKnown()
}

func (y *yearlyPrices) nextAsk() time.Time {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.askAt
}

func (y *yearlyPrices) readKnown() (map[string]int64, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.cents != nil {
		return y.cents, nil
	}
	return nil, y.failed
}
