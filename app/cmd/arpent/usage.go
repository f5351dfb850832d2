package main

import (
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
	"arpent/auth"
	"arpent/billing/meter"
)

// usageView is a day of an account as printed in JSON.
type usageView struct {
	Account     string           `json:"account"`
	Day         string           `json:"day"`
	Today       int64            `json:"today"` // counted against the quota
	Quota       int              `json:"quota"`
	ByKey       []keyUsage       `json:"by_key"`
	ByOperation []operationUsage `json:"by_operation"`
}

type keyUsage struct {
	ID       ident.KeyID `json:"id"`
	Name     string      `json:"name"`
	Requests int64       `json:"requests"`
	Counted  int64       `json:"counted"`
}

type operationUsage struct {
	Operation string `json:"operation"`
	Requests  int64  `json:"requests"`
	Counted   int64  `json:"counted"`
}

func viewUsage(a auth.Account, u meter.Usage) usageView {
	v := usageView{
		Account: a.Email, Day: u.Day.String(), Today: u.Counted, Quota: limitsOf(a).PerDay,
		ByKey: make([]keyUsage, len(u.ByKey)), ByOperation: make([]operationUsage, len(u.ByOperation)),
	}
	for i, k := range u.ByKey {
		v.ByKey[i] = keyUsage(k)
	}
	for i, o := range u.ByOperation {
		v.ByOperation[i] = operationUsage(o)
	}
	return v
}

func newUsageCommand(e *env) *cobra.Command {
	var email string
	var out output
	cmd := &cobra.Command{
		Use: "usage", Short: "Show what an account has used today", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withDB(cmd.Context(), func(pool *pgxpool.Pool) error {
				a, err := auth.NewAccounts(pool, clock.Real{}).ByEmail(cmd.Context(), email)
				if err != nil {
					return err
				}
				u, err := meter.ReadUsage(cmd.Context(), pool, a.ID, clock.Day(time.Now()))
				if err != nil {
					return err
				}
				v := viewUsage(a, u)
				return out.print(cmd, v, func(w io.Writer) {
					fmt.Fprintf(w, "%s, %s: %d of %d requests counted\n\nKEY\tREQUESTS\tCOUNTED\n", v.Account, v.Day, v.Today, v.Quota)
					for _, k := range v.ByKey {
						fmt.Fprintf(w, "%s\t%d\t%d\n", k.Name, k.Requests, k.Counted)
					}
					fmt.Fprint(w, "\nOPERATION\tREQUESTS\tCOUNTED\n")
					for _, o := range v.ByOperation {
						fmt.Fprintf(w, "%s\t%d\t%d\n", o.Operation, o.Requests, o.Counted)
					}
				})
			})
		},
	}
	accountFlag(cmd, &email)
	out.add(cmd)
	return cmd
}
