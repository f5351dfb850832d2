package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/auth"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
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
	v := auditView{ID: e.ID, At: e.At.UTC(), Account: e.Account, Actor: e.Actor, Action: e.Action,
		Detail: e.Detail}
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
		email string
		limit int
	)
	cmd := &cobra.Command{
		Use: "audit", Short: "Show who did what to accounts and keys, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > 1000 {
				return fmt.Errorf("--limit is %d; expected 1 to 1000", limit)
			}
			return e.withDB(cmd.Context(), pgdb.Serve, func(pool *pgxpool.Pool) error {
				entries, err := readAudit(cmd.Context(), pool, email, limit)
				if err != nil {
					return err
				}
				const columns = "AT\tACCOUNT\tACTOR\tACTION\tADDRESS\tDEVICE\tDETAIL"
				return printList(cmd, viewAll(entries, viewAudit), columns, func(v auditView) []any {
					detail := ""
					if len(v.Detail) > 0 {
						b, _ := json.Marshal(v.Detail) // it was read from JSON
						detail = replaceUnprintable(string(b))
					}
					return []any{v.At.Format(time.DateTime), v.Account, v.Actor, v.Action, orEmpty(v.Address),
						audit.Device(orEmpty(v.Agent)), detail}
				})
			})
		},
	}
	cmd.Flags().StringVar(&email, "account", "", "e-mail address or number of one account (default: all)")
	cmd.Flags().IntVar(&limit, "limit", 50, "rows at most")
	addJSONFlag(cmd)
	return cmd
}

func readAudit(ctx context.Context, pool *pgxpool.Pool, email string, limit int) ([]audit.Entry, error) {
	if email == "" {
		return audit.ListAll(ctx, pool, 0, limit)
	}
	a, err := auth.NewAccounts(pool, clock.Real{}).Find(ctx, email)
	if err != nil {
		return nil, err
	}
	return audit.List(ctx, pool, a.ID, 0, limit)
}

// replaceUnprintable keeps what somebody typed as a name from driving the operator's terminal.
func replaceUnprintable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
