package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/app/base/audit"
	"arpent/app/base/clock"
	"arpent/app/base/ident"
	"arpent/app/command"
	"arpent/auth"
)

// auditView is a row of the audit record as printed in JSON.
type auditView struct {
	ID      int64           `json:"id"`
	At      time.Time       `json:"at"`
	Account ident.AccountID `json:"account"` // its number: the account may be gone
	Actor   string          `json:"actor"`
	Action  string          `json:"action"`
	Detail  map[string]any  `json:"detail"`
	Address *string         `json:"address"`
	Agent   *string         `json:"agent"`
}

func viewAudit(e audit.Entry) auditView {
	v := auditView{ID: e.ID, At: e.At.UTC(), Account: e.Account, Actor: e.Actor, Action: e.Action, Detail: e.Detail}
	if e.Address.IsValid() {
		v.Address = new(e.Address.String())
	}
	if e.Agent != "" {
		v.Agent = &e.Agent
	}
	return v
}

func newAuditCommand(e *env) *cobra.Command {
	var (
		email  string
		limit  int
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "audit", Short: "Show who did what to accounts and keys, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > 1000 {
				return fmt.Errorf("--limit is %d; expected 1 to 1000", limit)
			}
			pool, _, release, err := e.openDB(cmd.Context())
			if err != nil {
				return err
			}
			defer release()
			entries, err := readAudit(cmd.Context(), pool, email, limit)
			if err != nil {
				return command.Explain(err)
			}
			if asJSON {
				views := make([]auditView, len(entries))
				for i, entry := range entries {
					views[i] = viewAudit(entry)
				}
				return printJSON(cmd.OutOrStdout(), views)
			}
			return printAudit(cmd.OutOrStdout(), entries)
		},
	}
	cmd.Flags().StringVar(&email, "account", "", "e-mail address of one account (default: all)")
	cmd.Flags().IntVar(&limit, "limit", 50, "rows at most")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func readAudit(ctx context.Context, pool *pgxpool.Pool, email string, limit int) ([]audit.Entry, error) {
	if email == "" {
		return audit.ListAll(ctx, pool, 0, limit)
	}
	a, err := auth.NewAccounts(pool, clock.Real{}).ByEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	return audit.List(ctx, pool, a.ID, 0, limit)
}

func printAudit(out io.Writer, entries []audit.Entry) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "AT\tACCOUNT\tACTOR\tACTION\tADDRESS\tDEVICE\tDETAIL")
	for _, e := range entries {
		v := viewAudit(e)
		detail := ""
		if len(e.Detail) > 0 {
			b, err := json.Marshal(e.Detail)
			if err != nil {
				return err
			}
			detail = printable(string(b))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n",
			v.At.Format(time.DateTime), v.Account, v.Actor, v.Action, orEmpty(v.Address), audit.Device(e.Agent), detail)
	}
	return w.Flush()
}

// printable keeps what somebody typed as a name from driving the operator's terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
