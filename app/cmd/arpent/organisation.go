package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"arpent/auth"
	"arpent/auth/member"
	"arpent/internal/ident"
)

func newOrganisationCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{Use: "organisation", Short: "List the members of an organisation, appoint an owner"}
	cmd.AddCommand(newOrganisationMembers(e), newOrganisationAppointOwner(e))
	return cmd
}

// withOrganisation opens the database for one command about the organisation with the number in its argument.
func (e *env) withOrganisation(
	ctx context.Context, number string, run func(*auth.Accounts, ident.AccountID) error) error {
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return fmt.Errorf("%q is not the number of an organisation: see `arpent account list`", number)
	}
	return e.withAccounts(ctx, func(s *auth.Accounts) error {
		a, err := s.ByID(ctx, ident.AccountID(id))
		if err != nil {
			return err
		}
		if a.Name == "" {
			return fmt.Errorf("account %d is that of a person, %s", id, a.Email)
		}
		return run(s, a.ID)
	})
}

// memberView is a member as printed in JSON.
type memberView struct {
	Person       ident.AccountID `json:"person"`
	Email        string          `json:"email"`
	Role         member.Role     `json:"role"`
	Since        time.Time       `json:"since"`
	SecondFactor bool            `json:"second_factor"`
	Keys         int             `json:"keys"`
}

func newOrganisationMembers(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "members NUMBER", Short: "List the members of an organisation", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.withOrganisation(cmd.Context(), args[0], func(s *auth.Accounts, id ident.AccountID) error {
				list, err := s.Members(cmd.Context(), id)
				if err != nil {
					return err
				}
				views := viewAll(list, func(m auth.Member) memberView {
					return memberView{m.Person, m.Email, m.Role, m.Since, m.HasFactor(), m.Keys}
				})
				const columns = "PERSON\tE-MAIL\tROLE\tSINCE\tSECOND FACTOR\tKEYS"
				return printList(cmd, views, columns, func(v memberView) []any {
					return []any{v.Person, v.Email, v.Role, v.Since.Format(time.DateOnly), v.SecondFactor, v.Keys}
				})
			})
		},
	}
	addJSONFlag(cmd)
	return cmd
}

func newOrganisationAppointOwner(e *env) *cobra.Command {
	var email, reason string
	cmd := &cobra.Command{
		Use:   "appoint-owner NUMBER",
		Short: "Make a person an owner of an organisation, such as when its only one is gone",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.withOrganisation(cmd.Context(), args[0], func(s *auth.Accounts, id ident.AccountID) error {
				if err := s.AppointOwner(cmd.Context(), id, email, reason); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is an owner of organisation %d; its owners get a mail\n",
					email, id)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&email, "email", "", "confirmed e-mail address of the person")
	_ = cmd.MarkFlagRequired("email")
	addReasonFlag(cmd, &reason)
	return cmd
}
