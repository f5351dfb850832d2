package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
)

// EmailJob has bills follow the address of an account.
type EmailJob struct {
	Account ident.AccountID `json:"account"`
	Former  string          `json:"former"` // bills that go elsewhere stay where they are
}

// Kind names a job in the queue.
func (EmailJob) Kind() string { return "billing_email" }

// emailTries is how often a job is tried: for about a day.
const emailTries = 10

// AfterEmailChange has bills follow the address of an account, once the
// transaction that changes it has committed.
func (s *Service) AfterEmailChange(ctx context.Context, tx pgx.Tx, account ident.AccountID,
	former string) error {
	if !s.Sells() {
		return nil
	}
	err := jobs.Insert(ctx, tx, EmailJob{Account: account, Former: former},
		&river.InsertOpts{MaxAttempts: emailTries})
	return fault.Wrap("have bills follow an address", err)
}

const billingRecipients = `
SELECT id, email FROM account.billing_recipient WHERE account_id = $1 AND confirmed_at IS NOT NULL ORDER BY id`

// sendBillingMail leaves a mail about the plan or the payments of an account, with copies for the further
// addresses whose readers agreed.
func sendBillingMail(ctx context.Context, tx pgx.Tx, j mail.Job) error {
	if err := mail.Send(ctx, tx, j); err != nil {
		return err
	}
	return mail.SendCopies(ctx, tx, j, mail.PurposeBillingMails, billingRecipients)
}

type emailJobWorker struct {
	river.WorkerDefaults[EmailJob]
	service *Service
}

// Work has bills go to the present address of an account. Nothing is done for
// one that was deleted, or never began to pay.
func (m *emailJobWorker) Work(ctx context.Context, job *river.Job[EmailJob]) error {
	s, j := m.service, job.Args
	if !s.Sells() {
		return nil
	}
	row, err := s.Customer(ctx, j.Account)
	switch {
	case err != nil && fault.From(err).Code != fault.NotFound:
		return err
	case err != nil || row.CustomerID == "":
		return nil
	}
	if err = s.MoveEmail(ctx, row.CustomerID, j.Former, row.Email); err != nil &&
		!errors.Is(err, ErrNoCustomer) {
		return fmt.Errorf("move the bills of account %d: %w", j.Account, err)
	}
	return nil
}
