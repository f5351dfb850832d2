package billing

import (
	"context"
	"errors"
	"fmt"
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
