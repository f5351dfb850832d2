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

	"arpent/app/command"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

func newKeyCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{Use: "key", Short: "Create, list, find, rotate, pause and revoke keys"}
	cmd.AddCommand(newKeyCreate(e), newKeyList(e), newKeyFind(e), newKeyRotate(e),
		newKeyChange(e, "pause", "Have a key refused until it is resumed", "paused", (*apikey.Store).Pause),
		newKeyChange(e, "resume", "Accept a paused key again", "resumed", (*apikey.Store).Resume),
		newKeyChange(e, "revoke", "Revoke a key: it is refused everywhere within a second",
			"revoked; its owner gets a mail",
			(*apikey.Store).Revoke))
	for _, sub := range cmd.Commands() {
		sub.PreRun = func(cmd *cobra.Command, _ []string) { // so that the account's owner sees who did it
			cmd.SetContext(audit.With(cmd.Context(), audit.Actor{Kind: audit.ActorOperator}))
		}
	}
	return cmd
}

// keyNoticeDelay is how long running servers take at most, as a rule, to know a new key. A script that
// goes on with it at once must not be refused.
const keyNoticeDelay = 300 * time.Millisecond

// withKeys opens the database for one command about the keys of an account.
func (e *env) withKeys(ctx context.Context, email string, run func(*apikey.Store, auth.Account) error) error {
	return e.withDB(ctx, pgdb.Serve, func(pool *pgxpool.Pool) error {
		account, err := auth.NewAccounts(pool, clock.Real{}).Find(ctx, email)
		if fault.From(err).Code == fault.NotFound {
			if !strings.Contains(email, "@") {
				return fmt.Errorf("there is no account %s", email)
			}
			return fmt.Errorf("there is no account %s: create it with `arpent account create --email %s`",
				email, email)
		}
		if err != nil {
			return err
		}
		return run(apikey.NewStore(pool, clock.Real{}), account)
	})
}

func accountFlag(cmd *cobra.Command, email *string) {
	cmd.Flags().StringVar(email, "account", "", "e-mail address or number of the account")
	_ = cmd.MarkFlagRequired("account")
}

func newKeyCreate(e *env) *cobra.Command {
	var (
		email   string
		n       apikey.NewKey
		expires time.Duration
		perDay  int
		from    string
	)
	cmd := &cobra.Command{
		Use: "create", Short: "Create a key and print it, this once, and nothing else", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("expires-in") {
				n.ExpiresAt = new(time.Now().Add(expires))
			}
			if cmd.Flags().Changed("per-day") {
				n.PerDay = &perDay
			}
			var err error
			if n.Networks, err = apikey.ParseNetworks(from); err != nil {
				return command.Explain(err)
			}
			return e.withKeys(cmd.Context(), email, func(s *apikey.Store, a auth.Account) error {
				_, secret, err := s.Create(cmd.Context(), a.ID, n)
				if errors.Is(err, apikey.ErrUnconfirmed) {
					return fmt.Errorf("the e-mail address of %s is not confirmed: run `arpent account confirm --email %s` first", a.Email, a.Email)
				}
				if err != nil {
					return err
				}
				time.Sleep(keyNoticeDelay)
				_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
				return err
			})
		},
	}
	accountFlag(cmd, &email)
	cmd.Flags().StringVar(&n.Name, "name", "", "name of the key, 1 to 60 characters")
	cmd.Flags().DurationVar(&expires, "expires-in", 0,
		"how long the key is good for, as 720h; without it, until it is revoked")
	cmd.Flags().BoolVar(&n.RefuseInQuery, "refuse-in-query", false, "do not accept the key in api_key=")
	cmd.Flags().IntVar(&perDay, "per-day", 0, "how many requests of the account's day the key may use; without it, all of them")
	cmd.Flags().StringVar(&from, "networks", "",
		"IP addresses and CIDR ranges, separated by commas, that the key may be used from; without it, from anywhere")
	_ = cmd.MarkFlagRequired("name")
	return cmd
}

func newKeyList(e *env) *cobra.Command {
	var email string
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys of an account, revoked ones included", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withKeys(cmd.Context(), email, func(s *apikey.Store, a auth.Account) error {
				keys, err := s.List(cmd.Context(), a.ID)
				if err != nil {
					return err
				}
				const columns = "ID\tNAME\tKEY\tSTATE\tCREATED\tEXPIRES\tLAST USED\tREQUESTS\tRESTRICTIONS"
				return printList(cmd, keys, columns, func(k apikey.Key) []any {
					return []any{k.ID, k.Name, k.Prefix + "…" + k.Last4, k.State(time.Now()),
						k.CreatedAt.Format(time.DateTime), formatTime(k.ExpiresAt), formatTime(k.LastUsedAt),
						k.RequestCount, describeRestrictions(k)}
				})
			})
		},
	}
	accountFlag(cmd, &email)
	addJSONFlag(cmd)
	return cmd
}

func describeRestrictions(k apikey.Key) string {
	var parts []string
	if k.RefuseInQuery {
		parts = append(parts, "not in URLs")
	}
	if k.PerDay != nil {
		parts = append(parts, fmt.Sprintf("%d per day", *k.PerDay))
	}
	if n := len(k.Networks); n > 3 {
		parts = append(parts, fmt.Sprintf("from %d networks", n))
	} else if n > 0 {
		parts = append(parts, fmt.Sprintf("from %v", k.Networks))
	}
	if k.Replaces != nil {
		parts = append(parts, fmt.Sprintf("replaces %d", *k.Replaces))
	}
	return strings.Join(parts, ", ")
}

func formatTime(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.DateTime)
}

// foundKeyView is a key with its account as printed in JSON.
type foundKeyView struct {
	Account ident.AccountID `json:"account"`
	Email   string          `json:"email"`
	State   apikey.State    `json:"state"`
	apikey.Key
}

// managementKind is the kind of a management token, which is no key, among those found.
const managementKind apikey.Kind = "management_token"

// viewFoundToken is a management token as a key is printed. The token of a person who may not manage tokens
// any more is refused as one that was revoked.
func viewFoundToken(t management.FoundToken) foundKeyView {
	state := apikey.StateLive
	switch {
	case t.Expired(time.Now()):
		state = apikey.StateExpired
	case t.Void:
		state = apikey.StateRevoked
	}
	return foundKeyView{t.Account, t.Email, state, apikey.Key{ID: ident.KeyID(t.ID), Name: t.Name,
		Kind: managementKind, Prefix: management.Mark, Last4: t.Last4, CreatedAt: t.CreatedAt,
		ExpiresAt: &t.ExpiresAt, LastUsedAt: t.LastUsedAt, CreatedBy: &t.CreatedBy}}
}

func newKeyFind(e *env) *cobra.Command {
	var text string
	cmd := &cobra.Command{
		Use: "find", Short: "Find the account of a key or token that was leaked", Args: cobra.NoArgs,
		Long: "Find the account of a key that was leaked. The key, the token of an assistant or a management\n" +
			"token (arpm_…) is read from standard input, so that it stays in no history: `arpent key find < file`.\n" +
			"The first characters of a key (arp_AbCd, or arp_AbCd…wXyZ as pages show it) or the SHA-256 hash of\n" +
			"either in hexadecimal digits are no secret and may be given by --by.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if apikey.IsWholeKey(text) {
				return errors.New("--by is a whole key, which stays in the history of the shell: " +
					"give it on standard input")
			}
			if text == "" {
				given, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 4096))
				if err != nil {
					return fmt.Errorf("read the key: %w", err)
				}
				text = string(given)
			}
			return e.withDB(cmd.Context(), pgdb.Serve, func(pool *pgxpool.Pool) error {
				found, err := apikey.NewStore(pool, clock.Real{}).Find(cmd.Context(), text)
				if err != nil {
					return err
				}
				views := viewAll(found, func(k apikey.FoundKey) foundKeyView {
					return foundKeyView{k.Account, k.Email, k.State(time.Now()), k.Key}
				})
				token, err := management.NewStore(pool, clock.Real{}).Find(cmd.Context(), text)
				if err != nil {
					return err
				}
				if token != nil {
					views = append(views, viewFoundToken(*token))
				}
				if len(views) == 0 {
					return errors.New("no account has this key or token")
				}
				const columns = "ACCOUNT\tE-MAIL\tID\tNAME\tKEY\tSTATE\tLAST USED"
				return printList(cmd, views, columns, func(v foundKeyView) []any {
					return []any{v.Account, v.Email, v.ID, v.Name, v.Prefix + "…" + v.Last4, v.State,
						formatTime(v.LastUsedAt)}
				})
			})
		},
	}
	cmd.Flags().StringVar(&text, "by", "",
		"first characters of the key, or its hash; without it the key is read from standard input")
	addJSONFlag(cmd)
	return cmd
}

// keyFlags name one key of an account: by its number, or by the name of a live one.
type keyFlags struct {
	email, name string
	id          int64
}

func (f *keyFlags) addFlags(cmd *cobra.Command) {
	accountFlag(cmd, &f.email)
	cmd.Flags().StringVar(&f.name, "name", "", "name of the key")
	cmd.Flags().Int64Var(&f.id, "id", 0, "number of the key")
	cmd.MarkFlagsOneRequired("name", "id")
	cmd.MarkFlagsMutuallyExclusive("name", "id")
}

// findKey gives the number of the key that is meant.
func (f *keyFlags) findKey(ctx context.Context, s *apikey.Store, a auth.Account) (ident.KeyID, error) {
	if f.name == "" {
		return ident.KeyID(f.id), nil
	}
	keys, err := s.List(ctx, a.ID)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	for _, k := range keys {
		if k.Live(now) && strings.EqualFold(k.Name, strings.TrimSpace(f.name)) {
			return k.ID, nil
		}
	}
	return 0, fault.Missing("The account has no such live key.")
}

// withKey runs an act on the key that is meant, and says where the keys are listed when there is no such key.
func (e *env) withKey(ctx context.Context, f *keyFlags,
	act func(*apikey.Store, ident.AccountID, ident.KeyID) error) error {
	return e.withKeys(ctx, f.email, func(s *apikey.Store, a auth.Account) error {
		id, err := f.findKey(ctx, s, a)
		if err == nil {
			err = act(s, a.ID, id)
		}
		if err != nil && fault.From(err).Code == fault.NotFound {
			return fmt.Errorf("%s has no such live key: see `arpent key list --account %s`", a.Title(), f.email)
		}
		return err
	})
}

// newKeyChange makes a command that does one thing to one key and says that it is done.
func newKeyChange(e *env, use, short, past string,
	act func(*apikey.Store, context.Context, ident.AccountID, ident.KeyID) (apikey.Key, error)) *cobra.Command {
	var which keyFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withKey(cmd.Context(), &which, func(s *apikey.Store, account ident.AccountID, id ident.KeyID) error {
				key, err := act(s, cmd.Context(), account, id)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Key %d (%s) %s\n", key.ID, key.Name, past)
				return err
			})
		},
	}
	which.addFlags(cmd)
	return cmd
}

func newKeyRotate(e *env) *cobra.Command {
	var (
		which   keyFlags
		overlap time.Duration
	)
	cmd := &cobra.Command{
		Use: "rotate", Short: "Make a key that takes the place of another and print it, this once, and nothing else", Args: cobra.NoArgs,
		Long: "Make a key with the name, expiry and restrictions of another one and print it, this once, and nothing else. " +
			"The old key goes on as \"NAME (old)\" for the time given by --overlap.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withKey(cmd.Context(), &which, func(s *apikey.Store, account ident.AccountID, id ident.KeyID) error {
				_, secret, err := s.Rotate(cmd.Context(), account, id, overlap)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
				return err
			})
		},
	}
	which.addFlags(cmd)
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour,
		"how long the old key goes on: 0, 1h, 24h or 168h")
	return cmd
}
