package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

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
func (e *env) withKey(ctx context.Context, f *keyFlags, act func(*apikey.Store, ident.AccountID, ident.KeyID) error) error {
	return e.withKeys(ctx, f.email, func(s *apikey.Store, a auth.Account) error {
		id, err := f.findKey(ctx, s, a)
		if err == nil {
			err = act(s, a.ID, id)
		}
		if err != nil && fault.From(err).Code == fault.NotFound {
			return fmt.Errorf("%s has no such live key: see `arpent key list --account %s`", a.Email, a.Email)
		}
		return err
	})
}

// newKeyChange makes a command that does one thing to one key and says that it is done.
func newKeyChange(e *env, use, short, past string, act func(*apikey.Store, context.Context, ident.AccountID, ident.KeyID) (apikey.Key, error)) *cobra.Command {
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
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the old key goes on: 0, 1h, 24h or 168h")
	return cmd
}
