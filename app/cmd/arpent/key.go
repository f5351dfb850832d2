package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"arpent/app/clock"
	"arpent/app/fault"
	"arpent/app/ident"
	"arpent/auth"
	"arpent/auth/apikey"
)

func newKeyCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{Use: "key", Short: "Create, list and revoke keys"}
	cmd.AddCommand(newKeyCreate(e), newKeyList(e), newKeyRevoke(e))
	return cmd
}

// withKeys opens the database for one command about the keys of an account.
func (e *env) withKeys(ctx context.Context, email string, run func(*apikey.Store, auth.Account) error) error {
	pool, _, release, err := e.openDB(ctx)
	if err != nil {
		return err
	}
	defer release()
	account, err := auth.NewAccounts(pool, clock.Real{}).ByEmail(ctx, email)
	if fault.From(err).Code == fault.NotFound {
		return fmt.Errorf("there is no account %s: create it with `arpent account create --email %s`", email, email)
	}
	if err != nil {
		return explain(err)
	}
	return explain(run(apikey.NewStore(pool, clock.Real{}), account))
}

func accountFlag(cmd *cobra.Command, email *string) {
	cmd.Flags().StringVar(email, "account", "", "e-mail address of the account")
	_ = cmd.MarkFlagRequired("account")
}

func newKeyCreate(e *env) *cobra.Command {
	var (
		email   string
		n       apikey.NewKey
		expires time.Duration
	)
	cmd := &cobra.Command{
		Use: "create", Short: "Create a key and print it, this once, and nothing else", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("expires-in") {
				at := time.Now().Add(expires)
				n.ExpiresAt = &at
			}
			return e.withKeys(cmd.Context(), email, func(s *apikey.Store, a auth.Account) error {
				_, secret, err := s.Create(cmd.Context(), a.ID, n)
				if errors.Is(err, apikey.ErrUnconfirmed) {
					return fmt.Errorf("the e-mail address of %s is not confirmed: run `arpent account confirm --email %s` first", a.Email, a.Email)
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
				return err
			})
		},
	}
	accountFlag(cmd, &email)
	cmd.Flags().StringVar(&n.Name, "name", "", "name of the key, 1 to 60 characters")
	cmd.Flags().DurationVar(&expires, "expires-in", 0, "how long the key is good for, as 720h; without it, until it is revoked")
	cmd.Flags().BoolVar(&n.RefuseInQuery, "refuse-in-query", false, "do not accept the key in api_key=")
	_ = cmd.MarkFlagRequired("name")
	return cmd
}

// keyView is a key as printed in JSON.
type keyView struct {
	ID            ident.KeyID `json:"id"`
	Name          string      `json:"name"`
	Kind          apikey.Kind `json:"kind"`
	Prefix        string      `json:"prefix"`
	Last4         string      `json:"last4"`
	RefuseInQuery bool        `json:"refuse_in_query"`
	CreatedAt     time.Time   `json:"created_at"`
	ExpiresAt     *time.Time  `json:"expires_at"`
	RevokedAt     *time.Time  `json:"revoked_at"`
	LastUsedAt    *time.Time  `json:"last_used_at"`
	RequestCount  int64       `json:"request_count"`
}

func newKeyList(e *env) *cobra.Command {
	var (
		email  string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys of an account, revoked ones included", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withKeys(cmd.Context(), email, func(s *apikey.Store, a auth.Account) error {
				keys, err := s.List(cmd.Context(), a.ID)
				if err != nil {
					return err
				}
				if asJSON {
					views := make([]keyView, len(keys))
					for i, k := range keys {
						views[i] = keyView(k)
					}
					return printJSON(cmd.OutOrStdout(), views)
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tNAME\tKEY\tSTATE\tCREATED\tLAST USED\tREQUESTS")
				for _, k := range keys {
					fmt.Fprintf(w, "%d\t%s\t%s…%s\t%s\t%s\t%s\t%d\n", k.ID, k.Name, k.Prefix, k.Last4, state(k),
						k.CreatedAt.Format(time.DateTime), moment(k.LastUsedAt), k.RequestCount)
				}
				return w.Flush()
			})
		},
	}
	accountFlag(cmd, &email)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func state(k apikey.Key) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case !k.Live(time.Now()):
		return "expired"
	}
	return "live"
}

func moment(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.DateTime)
}

func newKeyRevoke(e *env) *cobra.Command {
	var (
		email, name string
		id          int64
	)
	cmd := &cobra.Command{
		Use: "revoke", Short: "Revoke a key: it is refused everywhere within a second", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withKeys(cmd.Context(), email, func(s *apikey.Store, a auth.Account) error {
				revoke := func() (apikey.Key, error) { return s.RevokeNamed(cmd.Context(), a.ID, name) }
				if cmd.Flags().Changed("id") {
					revoke = func() (apikey.Key, error) { return s.Revoke(cmd.Context(), a.ID, ident.KeyID(id)) }
				}
				key, err := revoke()
				if fault.From(err).Code == fault.NotFound && err != nil {
					return fmt.Errorf("%s has no such live key: see `arpent key list --account %s`", a.Email, a.Email)
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Key %d (%s) revoked\n", key.ID, key.Name)
				return err
			})
		},
	}
	accountFlag(cmd, &email)
	cmd.Flags().StringVar(&name, "name", "", "name of the key")
	cmd.Flags().Int64Var(&id, "id", 0, "number of the key")
	cmd.MarkFlagsOneRequired("name", "id")
	cmd.MarkFlagsMutuallyExclusive("name", "id")
	return cmd
}
