package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

func newAccountCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{Use: "account", Short: "Create accounts, change their plan and limits, export and delete them"}
	cmd.AddCommand(newAccountCreate(e), newAccountList(e), newAccountPlan(e), newAccountConfirm(e),
		newAccountLimits(e), newAccountSignOut(e),
		newAccountSecondFactor(e), newAccountRecover(e), newAccountAddress(e), newAccountExport(e),
		newAccountDelete(e))
	return cmd
}

// withAccounts opens the database for one command about accounts.
func (e *env) withAccounts(ctx context.Context, run func(*auth.Accounts) error) error {
	return e.withDB(ctx, pgdb.Serve, func(pool *pgxpool.Pool) error {
		return run(auth.NewAccounts(pool, clock.Real{}))
	})
}

func checkPlan(name string) error {
	if _, ok := billing.Find(name); !ok {
		return fmt.Errorf("there is no plan %q: use %s", name, planNames())
	}
	return nil
}

func planNames() string {
	var names []string
	for _, p := range billing.Plans() {
		names = append(names, p.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func newAccountCreate(e *env) *cobra.Command {
	var (
		n             auth.NewAccount
		passwordStdin bool
	)
	cmd := &cobra.Command{
		Use: "create", Short: "Create an account", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPlan(n.Plan); err != nil {
				return err
			}
			if passwordStdin {
				p, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 4096))
				if err != nil {
					return fmt.Errorf("read the password: %w", err)
				}
				if n.Password = strings.TrimRight(string(p), "\r\n"); n.Password == "" {
					return errors.New("the password on standard input is empty")
				}
			}
			return e.withAccounts(cmd.Context(), func(s *auth.Accounts) error {
				a, err := s.Create(cmd.Context(), n)
				if err != nil {
					return err
				}
				next := "arpent key create --account " + a.Email + " --name NAME"
				if !a.Confirmed() {
					next = "arpent account confirm --email " + a.Email + ", then " + next
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Account %s created on the %s plan. Next: %s\n", a.Email,
					a.Plan, next)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&n.Email, "email", "", "e-mail address")
	cmd.Flags().StringVar(&n.Plan, "plan", billing.Free, planNames())
	cmd.Flags().BoolVar(&passwordStdin, "password-stdin", false,
		"read the password from standard input (12 to 128 characters)")
	cmd.Flags().StringVar(&n.Language, "language", "fr", "language of its pages and mails: fr or en")
	cmd.Flags().BoolVar(&n.Confirmed, "confirmed", false, "the e-mail address needs no confirmation")
	_ = cmd.MarkFlagRequired("email")
	return cmd
}

// accountView is an account as printed in JSON.
type accountView struct {
	ID   ident.AccountID `json:"id"`
	Name string          `json:"organisation,omitempty"` // of an organisation
	// of an organisation: the member who gets its mails
	Email       string     `json:"email"`
	ConfirmedAt *time.Time `json:"confirmed_at"`
	Plan        string     `json:"plan"`
	PerMinute   int        `json:"per_minute"`
	Enrichments int        `json:"enrichments_per_minute"`
	PerDay      int        `json:"per_day"`
	LimitsNote  *string    `json:"limits_note"`
	CreatedAt   time.Time  `json:"created_at"`
}

func viewAccount(a auth.Account) accountView {
	l := limitsOf(a)
	return accountView{
		ID: a.ID, Name: a.Name, Email: a.Email, ConfirmedAt: a.ConfirmedAt, Plan: a.Plan, PerMinute: l.PerMinute,
		Enrichments: l.EnrichmentsPerMinute, PerDay: l.PerDay, LimitsNote: a.Own.Note, CreatedAt: a.CreatedAt,
	}
}

func limitsOf(a auth.Account) billing.Limits {
	return billing.Entitlement(a.Plan, billing.Own{
		PerMinute: a.Own.PerMinute, EnrichmentsPerMinute: a.Own.EnrichmentsPerMinute, PerDay: a.Own.PerDay,
	})
}

func newAccountList(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the accounts", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withAccounts(cmd.Context(), func(s *auth.Accounts) error {
				all, err := s.List(cmd.Context())
				if err != nil {
					return err
				}
				const columns = "ID\tE-MAIL\tORGANISATION\tPLAN\tCONFIRMED\tA MINUTE\tENRICHMENTS\tA DAY\tNOTE"
				return printList(cmd, viewAll(all, viewAccount), columns, func(v accountView) []any {
					return []any{v.ID, v.Email, replaceUnprintable(v.Name), v.Plan, v.ConfirmedAt != nil, v.PerMinute,
						v.Enrichments, v.PerDay, orEmpty(v.LimitsNote)}
				})
			})
		},
	}
	addJSONFlag(cmd)
	return cmd
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// emailFlag adds the flags that name an account, of which one is needed.
func emailFlag(cmd *cobra.Command, email *string) {
	cmd.Flags().StringVar(email, "email", "", "e-mail address of the account; an organisation has a number only")
	cmd.Flags().StringVar(email, "account", "", "number of the account")
	cmd.MarkFlagsOneRequired("email", "account")
	cmd.MarkFlagsMutuallyExclusive("email", "account")
}

// actOnAccount is a command that does something with the one account
// named by --email or --account, and prints what it did.
func actOnAccount(e *env, use, short string,
	act func(context.Context, *auth.Accounts, auth.Account) (did string, err error)) *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withAccounts(cmd.Context(), func(s *auth.Accounts) error {
				a, err := s.Find(cmd.Context(), email)
				if err != nil {
					return err
				}
				did, err := act(cmd.Context(), s, a)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", a.Title(), did)
				return err
			})
		},
	}
	emailFlag(cmd, &email)
	return cmd
}

// changeAccount is actOnAccount for what changes the plan or the limits: it prints those that hold then.
func changeAccount(e *env, use, short string,
	change func(context.Context, *auth.Accounts, auth.Account) (auth.Account, error)) *cobra.Command {
	act := func(ctx context.Context, s *auth.Accounts, a auth.Account) (string, error) {
		a, err := change(ctx, s, a)
		l := limitsOf(a)
		return fmt.Sprintf("%s plan, %d requests a minute (%d enrichments), %d a day", a.Plan, l.PerMinute,
			l.EnrichmentsPerMinute, l.PerDay), err
	}
	return actOnAccount(e, use, short, act)
}

func newAccountPlan(e *env) *cobra.Command {
	var plan string
	cmd := changeAccount(e, "plan", "Grant a plan to an account, whatever it pays for",
		func(ctx context.Context, s *auth.Accounts, a auth.Account) (auth.Account, error) {
			if err := checkPlan(plan); err != nil {
				return auth.Account{}, err
			}
			if err := e.withBilling(ctx, func(paid *billing.Service, _ *pgxpool.Pool) error {
				_, err := paid.Grant(ctx, a.ID, plan)
				return err
			}); err != nil {
				return auth.Account{}, err
			}
			return s.ByID(ctx, a.ID)
		})
	cmd.Flags().StringVar(&plan, "plan", "", planNames())
	_ = cmd.MarkFlagRequired("plan")
	return cmd
}

func newAccountConfirm(e *env) *cobra.Command {
	return actOnAccount(e, "confirm", "Take an account's e-mail address as confirmed",
		func(ctx context.Context, s *auth.Accounts, a auth.Account) (string, error) {
			_, err := s.Confirm(ctx, a.ID)
			return "the address is confirmed", err
		})
}

// onPerson is act for accounts of persons alone: members sign in, not their organisation.
func onPerson(act func(context.Context, *auth.Accounts, auth.Account) (string, error)) func(context.Context,
	*auth.Accounts, auth.Account) (string, error) {
	return func(ctx context.Context, s *auth.Accounts, a auth.Account) (string, error) {
		if a.Name != "" {
			return "", fmt.Errorf("account %d is an organisation: name one of its members, see `arpent organisation members %d`",
				a.ID, a.ID)
		}
		return act(ctx, s, a)
	}
}

func newAccountSecondFactor(e *env) *cobra.Command {
	var optional bool
	cmd := actOnAccount(e, "require-second-factor",
		"Have the pages of an account ask for a second factor until there is one; its keys go on",
		onPerson(func(ctx context.Context, s *auth.Accounts, a auth.Account) (string, error) {
			if _, err := s.RequireSecondFactor(ctx, a.ID, !optional); err != nil {
				return "", err
			}
			if optional {
				return "a second factor is no longer required", nil
			}
			return "a second factor is required", nil
		}))
	cmd.Flags().BoolVar(&optional, "optional", false, "leave it to the owner again")
	return cmd
}

func newAccountSignOut(e *env) *cobra.Command {
	return actOnAccount(e, "sign-out", "End all sessions of an account; its keys go on",
		onPerson(func(ctx context.Context, s *auth.Accounts, a auth.Account) (string, error) {
			ended, err := s.EndSessions(ctx, a.ID)
			return fmt.Sprintf("%d sessions ended", ended), err
		}))
}

func newAccountAddress(e *env) *cobra.Command {
	var (
		id    int64
		email string
	)
	cmd := &cobra.Command{
		Use: "address", Short: "Give an account another e-mail address; bills follow it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withDB(cmd.Context(), pgdb.Serve, func(pool *pgxpool.Pool) error {
				paid := app.NewBilling(e.config, pool, clock.Real{})
				a, err := auth.NewAccounts(pool, clock.Real{}).SetAddress(cmd.Context(), ident.AccountID(id), email,
					paid.AfterEmailChange)
				if err != nil {
					return err
				}
				next := ""
				if !a.Confirmed() {
					next = ", not confirmed: its owner asks for a link at /signup/sent"
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "account %d: %s%s\n", a.ID, a.Email, next)
				return err
			})
		},
	}
	cmd.Flags().Int64Var(&id, "account", 0, "number of the account")
	cmd.Flags().StringVar(&email, "email", "", "its new e-mail address, which is taken as confirmed where the former one was")
	_ = cmd.MarkFlagRequired("account")
	_ = cmd.MarkFlagRequired("email")
	return cmd
}

func newAccountLimits(e *env) *cobra.Command {
	var (
		perMinute, enrichments, perDay int
		note                           string
		cmd                            *cobra.Command
	)
	cmd = changeAccount(e, "limits", "Grant an account limits of its own (0 goes back to the plan's; what is not named stays)",
		func(ctx context.Context, s *auth.Accounts, a auth.Account) (auth.Account, error) {
			own := a.Own
			for flag, to := range map[string]struct {
				value int
				limit **int
			}{
				"per-minute":             {perMinute, &own.PerMinute},
				"enrichments-per-minute": {enrichments, &own.EnrichmentsPerMinute},
				"per-day":                {perDay, &own.PerDay},
			} {
				if !cmd.Flags().Changed(flag) {
					continue
				}
				if *to.limit = &to.value; to.value == 0 {
					*to.limit = nil
				}
			}
			if cmd.Flags().Changed("note") {
				own.Note = &note
			}
			return s.SetLimits(ctx, a.ID, own)
		})
	cmd.Flags().IntVar(&perMinute, "per-minute", 0, "requests a minute")
	cmd.Flags().IntVar(&enrichments, "enrichments-per-minute", 0, "enrichments a minute")
	cmd.Flags().IntVar(&perDay, "per-day", 0, "requests a day")
	cmd.Flags().StringVar(&note, "note", "", "why, to be read later")
	return cmd
}

// addReasonFlag adds the flag of why an operator acts for the owner of an account, who reads it.
func addReasonFlag(cmd *cobra.Command, reason *string) {
	cmd.Flags().StringVar(reason, "reason", "", "why, on the record of the account, which its owner reads")
	_ = cmd.MarkFlagRequired("reason")
}

func newAccountExport(e *env) *cobra.Command {
	var email, reason string
	cmd := &cobra.Command{
		Use: "export", Short: "Print everything that is kept about an account, as JSON", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withAccounts(cmd.Context(), func(s *auth.Accounts) error {
				a, err := s.Find(cmd.Context(), email)
				if err != nil {
					return err
				}
				document, err := s.Export(cmd.Context(), a.ID, reason)
				if err != nil {
					return err
				}
				_, err = cmd.OutOrStdout().Write(document)
				return err
			})
		},
	}
	emailFlag(cmd, &email)
	addReasonFlag(cmd, &reason)
	return cmd
}

func newAccountDelete(e *env) *cobra.Command {
	var reason string
	cmd := actOnAccount(e, "delete",
		"Delete an account for good: its keys are refused within a second, its subscription ends",
		func(ctx context.Context, _ *auth.Accounts, a auth.Account) (string, error) {
			err := e.withBilling(ctx, func(paid *billing.Service, pool *pgxpool.Pool) error {
				return auth.NewAccounts(pool, clock.Real{}).Delete(ctx, a.ID, reason, paid.BeforeOperatorDelete,
					paid.AfterEmailChange)
			})
			return fmt.Sprintf("account %d deleted; its owner gets a mail", a.ID), err
		})
	addReasonFlag(cmd, &reason)
	return cmd
}

func newAccountRecover(e *env) *cobra.Command {
	var (
		reason string
		cancel bool
	)
	cmd := actOnAccount(e, "recover",
		"Mail a link that turns off a lost second factor three days after it was followed",
		onPerson(func(ctx context.Context, s *auth.Accounts, a auth.Account) (string, error) {
			if cancel {
				return "the second factor stays on", s.CancelFactorRecovery(ctx, a.ID, reason)
			}
			const did = "a link was mailed, which works for 24 hours; the second factor is turned off three days " +
				"after it was followed, unless a code is used before"
			return did, s.StartFactorRecovery(ctx, a.ID, reason)
		}))
	cmd.Flags().BoolVar(&cancel, "cancel", false,
		"end the link and the three days instead: the second factor stays on")
	addReasonFlag(cmd, &reason)
	return cmd
}
