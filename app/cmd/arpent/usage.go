package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/auth"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

func newRejectionsCommand(e *env) *cobra.Command {
	var (
		limit      int
		email, day string
	)
	cmd := &cobra.Command{
		Use: "rejections", Short: "Show which accounts met a limit on a day, or when one account did",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > 10_000 {
				return errors.New("--limit must be 1 to 10000")
			}
			today := clock.Day(time.Now())
			of, ok := clock.ParseDay(day, today)
			if !ok {
				return fmt.Errorf("--day is %q; expected a day such as %s", day, today)
			}
			return e.withDB(cmd.Context(), pgdb.Serve, func(pool *pgxpool.Pool) error {
				if email != "" {
					return printRejections(cmd, pool, email, of, limit)
				}
				all, err := usage.Rejections(cmd.Context(), pool, of, limit)
				if err != nil {
					return err
				}
				const columns = "ACCOUNT\tE-MAIL\tMET\tLIMIT\tREQUESTS\tLAST (PARIS)"
				return printList(cmd, all, columns, func(r usage.Rejected) []any {
					return []any{r.Account, r.Email, r.Met, r.Limit, r.Requests,
						r.LastAt.In(clock.Paris).Format(time.DateTime)}
				})
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "rows at most: the most requests first, of one account the latest")
	cmd.Flags().StringVar(&email, "account", "", "e-mail address or number of one account: a row a minute, key and limit")
	cmd.Flags().StringVar(&day, "day", "", "day in Paris, of the last 30, such as 2026-11-28 (default today)")
	addJSONFlag(cmd)
	return cmd
}

// printRejections prints when one account met which limit on a day.
func printRejections(
	cmd *cobra.Command, pool *pgxpool.Pool, email string, day clock.Date, limit int) error {
	a, err := auth.NewAccounts(pool, clock.Real{}).Find(cmd.Context(), email)
	if err != nil {
		return err
	}
	list, err := usage.ReadRejections(cmd.Context(), pool, a.ID, day, day, usage.Filter{}, limit)
	if err != nil {
		return err
	}
	const columns = "FIRST (PARIS)\tLAST\tKEY\tNAME\tMET\tLIMIT\tREQUESTS"
	return printList(cmd, list, columns, func(r usage.Rejection) []any {
		return []any{r.FirstAt.In(clock.Paris).Format(time.DateTime), r.LastAt.In(clock.Paris).Format(time.TimeOnly),
			r.KeyID, r.KeyName, r.Met, r.Limit, r.Requests}
	})
}

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

func viewUsage(a auth.Account, h usage.History) usageView {
	day := h.Days[0]
	v := usageView{Account: a.Email, Day: day.Day.String(), Today: day.Counted, Quota: limitsOf(a).PerDay,
		ByKey: []keyUsage{}, ByOperation: []operationUsage{}}
	for _, k := range h.ByKey {
		v.ByKey = append(v.ByKey, keyUsage{k.ID, k.Name, k.Requests[0], k.Days[0]})
	}
	for _, o := range h.ByOperation {
		v.ByOperation = append(v.ByOperation, operationUsage{o.Name, o.Requests[0], o.Days[0]})
	}
	slices.SortFunc(v.ByOperation, func(a, b operationUsage) int {
		return strings.Compare(a.Operation, b.Operation)
	})
	return v
}

func newUsageCommand(e *env) *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: "usage", Short: "Show what an account has used today", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withDB(cmd.Context(), pgdb.Serve, func(pool *pgxpool.Pool) error {
				a, err := auth.NewAccounts(pool, clock.Real{}).Find(cmd.Context(), email)
				if err != nil {
					return err
				}
				today := clock.Day(time.Now())
				h, err := usage.ReadHistory(cmd.Context(), pool, a.ID, today, today, usage.Filter{})
				if err != nil {
					return err
				}
				v := viewUsage(a, h)
				return printResult(cmd, v, func(w io.Writer) {
					fmt.Fprintf(w, "%s, %s: %d of %d requests counted\n\nKEY\tREQUESTS\tCOUNTED\n", v.Account, v.Day,
						v.Today, v.Quota)
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
	addJSONFlag(cmd)
	return cmd
}
