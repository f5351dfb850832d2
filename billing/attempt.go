package billing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// The requests to Stripe whose attempts are numbered.
const (
	requestCustomer = "customer"
	requestCheckout = "checkout"
	requestUpgrade  = "upgrade"
)

const (
	readAttempt = `SELECT number FROM account.billing_attempt WHERE account_id = $1 AND request = $2`
	// Two requests that got the same error end the same attempt once.
	endAttempt = `
INSERT INTO account.billing_attempt (account_id, request, number) SELECT a.id, $2, $3 + 1 FROM account.account a WHERE a.id = $1
ON CONFLICT (account_id, request) DO UPDATE SET number = excluded.number WHERE billing_attempt.number = $3`
	attemptTimeout = 2 * time.Second
)

// withAttempt makes a request whose idempotency key contains the number of the attempt. A request that was
// not answered keeps its number: asked again it is the same request, and costs once. One that Stripe answered
// with an error gets the next number, because Stripe repeats a stored error for a day.
func (s *Service) withAttempt(ctx context.Context, account ident.AccountID, request string,
	do func(attempt string) error) error {
	number, err := pgdb.Value[int](ctx, s.db, nil,
		fmt.Sprintf("read the attempt of a %s request of account %d", request, account), readAttempt, account, request)
	if err != nil {
		return err
	}
	err = do(strconv.Itoa(number))
	if !errors.Is(err, ErrAnswered) {
		return err
	}
	// also when the time of the request is spent
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTimeout)
	defer cancel()
	if _, failed := s.db.Exec(ctx, endAttempt, account, request, number); failed != nil {
		failed = fmt.Errorf("end the attempt of a %s request of account %d: %w", request, account, failed)
		return errors.Join(err, failed)
	}
	return err
}
