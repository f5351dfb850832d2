package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app"
	"arpent/auth"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

func newBillingCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{Use: "billing", Short: "Show a subscription, compare all of them with Stripe"}
	cmd.AddCommand(newBillingReconcile(e), newBillingShow(e), newBillingFindings(e))
	return cmd
}

// withBilling opens the database for one command about subscriptions. Mails
// that it causes are sent by a running service.
func (e *env) withBilling(ctx context.Context, run func(*billing.Service, *pgxpool.Pool) error) error {
	return e.withDB(ctx, pgdb.Serve, func(pool *pgxpool.Pool) error {
		return run(app.NewBilling(e.config, pool, clock.Real{}), pool)
	})
}

func newBillingReconcile(e *env) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "reconcile", Short: "Compare every subscription with Stripe and repair what is out of step",
		Args: cobra.NoArgs,
		Long: "Compare every subscription with Stripe and repair what is out of step: what is known of it, the plan in force,\n" +
			"the mails that were due. A running service does the same every night.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withBilling(cmd.Context(), func(s *billing.Service, _ *pgxpool.Pool) error {
				if !s.Sells() {
					return errors.New("no Stripe is configured: set the ARPENT_STRIPE_ settings")
				}
				const aWhile = 24 * time.Hour // a person waits for all of it
				report, err := s.Reconcile(cmd.Context(), 0, time.Now().Add(aWhile), dry)
				if printed := printReport(cmd, report, dry); err == nil {
					err = printed
				}
				if err == nil && len(report.Failed) > 0 {
					err = fmt.Errorf("%d of %d accounts could not be compared", len(report.Failed), report.Compared)
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "change nothing, list what would be")
	addJSONFlag(cmd)
	return cmd
}

func newBillingFindings(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "findings", Short: "List what the operator has to look at in Stripe", Args: cobra.NoArgs,
		Long: "List what the operator has to look at in Stripe: subscriptions that this service did not make or does not know, prices that\n" +
			"are not configured, invoices without tax, VAT numbers that are not verified, a key that is refused. Each goes by itself once it\n" +
			"is resolved.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withBilling(cmd.Context(), func(s *billing.Service, _ *pgxpool.Pool) error {
				all, err := s.Findings(cmd.Context())
				if err != nil {
					return err
				}
				return printResult(cmd, map[string]any{"findings": append([]billing.Finding{}, all...)}, func(w io.Writer) {
					if len(all) == 0 {
						fmt.Fprintln(w, "nothing to look at")
						return
					}
					fmt.Fprintln(w, "KIND\tAT STRIPE\tACCOUNT\tSINCE\tDETAIL")
					for _, f := range all {
						fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", f.Kind, replaceUnprintable(f.Object), f.Account,
							f.Since.UTC().Format(time.RFC3339), replaceUnprintable(f.Detail))
					}
				})
			})
		},
	}
	addJSONFlag(cmd)
	return cmd
}

func printReport(cmd *cobra.Command, r billing.Report, dry bool) error {
	v := map[string]any{"compared": r.Compared, "dry_run": dry,
		"repaired": append([]billing.Difference{}, r.Repaired...), "failed": append([]billing.Failure{},
			r.Failed...)}
	return printResult(cmd, v, func(w io.Writer) {
		if len(r.Repaired)+len(r.Failed) > 0 {
			fmt.Fprintln(w, "ACCOUNT\tE-MAIL\tWHAT\tWAS\tIS")
		}
		for _, d := range r.Repaired {
			for _, c := range d.Changes {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", d.Account, replaceUnprintable(d.Email), c.What, orDash(c.Was),
					orDash(c.Is))
			}
		}
		for _, f := range r.Failed {
			fmt.Fprintf(w, "%d\t%s\tnot compared\t\t%s\n", f.Account, replaceUnprintable(f.Email),
				replaceUnprintable(f.Why))
		}
		did := "repaired"
		if dry {
			did = "to repair"
		}
		fmt.Fprintf(w, "%d compared, %d %s, %d not compared\n", r.Compared, len(r.Repaired), did, len(r.Failed))
	})
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return replaceUnprintable(s)
}

// billingView is a subscription as printed in JSON.
type billingView struct {
	Account    ident.AccountID `json:"account"`
	Email      string          `json:"email"`
	Plan       string          `json:"plan"`
	Until      *time.Time      `json:"until"`
	Granted    string          `json:"granted"`
	Customer   *string         `json:"customer"`
	ID         *string         `json:"subscription"`
	Bought     *string         `json:"bought"`
	Yearly     bool            `json:"yearly"`
	Status     *string         `json:"status"`
	PeriodEnd  *time.Time      `json:"period_end"`
	Ends       bool            `json:"cancel_at_period_end"`
	Next       *string         `json:"next_plan"`
	NextYearly bool            `json:"next_yearly"`
	UnpaidFrom *time.Time      `json:"past_due_since"`
	Disputed   bool            `json:"disputed"`
	ReadAt     *time.Time      `json:"read_at"`
}

func viewBilling(r billing.Row, now time.Time) billingView {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return new(t.UTC())
	}
	_, until := r.InForce(now)
	return billingView{Account: r.Account, Email: r.Email, Plan: r.Plan, Until: until, Granted: r.Granted,
		Customer: text(r.CustomerID),
		ID:       text(r.SubscriptionID), Bought: text(r.Snapshot.Plan), Yearly: r.Yearly, Status: text(r.Status),
		PeriodEnd: at(r.PeriodEnd), Ends: r.CancelAtPeriodEnd,
		Next: text(r.NextPlan), NextYearly: r.NextYearly, UnpaidFrom: r.PastDueSince, Disputed: r.Disputed, ReadAt: at(r.ReadAt)}
}

func newBillingShow(e *env) *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: "show", Short: "Show what is known of an account's subscription", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withBilling(cmd.Context(), func(s *billing.Service, pool *pgxpool.Pool) error {
				a, err := auth.NewAccounts(pool, clock.Real{}).Find(cmd.Context(), email)
				if err != nil {
					return err
				}
				row, err := s.Customer(cmd.Context(), a.ID)
				if err != nil {
					return err
				}
				v := viewBilling(row, time.Now())
				return printResult(cmd, v, func(w io.Writer) { printBilling(w, v) })
			})
		},
	}
	accountFlag(cmd, &email)
	addJSONFlag(cmd)
	return cmd
}

func printBilling(w io.Writer, v billingView) {
	at := func(t *time.Time) string {
		if t == nil {
			return "-"
		}
		return t.Local().Format(time.DateTime)
	}
	fmt.Fprintf(w, "account\t%d, %s\nplan in force\t%s\nuntil\t%s\ngranted\t%s\n", v.Account,
		replaceUnprintable(v.Email), v.Plan, at(v.Until), v.Granted)
	if v.Customer == nil {
		fmt.Fprintln(w, "subscription\tnone: this account has never begun to pay")
		return
	}
	byYear := func(plan *string, yearly bool) string {
		if yearly {
			return orEmpty(plan) + ", by the year"
		}
		return orDash(orEmpty(plan))
	}
	fmt.Fprintf(w, "customer\t%s\nsubscription\t%s\nbought\t%s\nstatus\t%s\nperiod ends\t%s\nended by then\t%t\nnext plan\t%s\n", *v.Customer,
		orDash(orEmpty(v.ID)), byYear(v.Bought, v.Yearly), orDash(orEmpty(v.Status)), at(v.PeriodEnd), v.Ends,
		byYear(v.Next, v.NextYearly))
	fmt.Fprintf(w, "past due since\t%s\ndisputed\t%t\nread at\t%s\n", at(v.UnpaidFrom), v.Disputed, at(v.ReadAt))
}
