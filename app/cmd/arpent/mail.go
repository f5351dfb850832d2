package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

func newMailCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mail", Short: "Show the mails that wait or failed, and send failed ones again",
		Long: "Show the mails that wait or failed, and send failed ones again.\n\nA mail waits while the mail server cannot be used, for three days at most. It fails when the\n" +
			"server refuses it. What was sent is shown for a day, what failed for two weeks. Links are never shown.",
	}
	cmd.AddCommand(newMailList(e, "list", "List the last mails", false),
		newMailList(e, "failed", "List the mails that failed", true), newMailRetry(e))
	return cmd
}

func newJobsCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "jobs", Short: "Count the background jobs, mails among them, by kind", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withDB(cmd.Context(), pgdb.Serve, func(pool *pgxpool.Pool) error {
				all, err := jobs.Counts(cmd.Context(), pool)
				if err != nil {
					return err
				}
				return printList(cmd, all, "KIND\tWAITING\tRUNNING\tFAILED\tNEXT", func(j jobs.Count) []any {
					return []any{j.Kind, j.Waiting, j.Running, j.Failed, formatTime(j.NextAt)}
				})
			})
		},
	}
	addJSONFlag(cmd)
	return cmd
}

// withMails opens the database for one command about the mail queue.
func (e *env) withMails(ctx context.Context, run func(*mail.Queue) error) error {
	return e.withDB(ctx, pgdb.Serve, func(pool *pgxpool.Pool) error {
		q, err := mail.NewQueue(pool, pgdb.JobSchema)
		if err != nil {
			return err
		}
		return run(q)
	})
}

func newMailList(e *env, use, short string, failed bool) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > 10_000 {
				return errors.New("--limit must be 1 to 10000")
			}
			return e.withMails(cmd.Context(), func(q *mail.Queue) error {
				all, err := q.List(cmd.Context(), failed, limit)
				if err != nil {
					return err
				}
				const columns = "ID\tLEFT\tSTATE\tATTEMPTS\tMAIL\tTO\tWHY"
				return printList(cmd, all, columns, func(m mail.Entry) []any {
					state := string(m.State)
					if m.NextAt != nil && m.NextAt.After(time.Now()) {
						state += " until " + m.NextAt.Local().Format(time.TimeOnly)
					}
					return []any{m.ID, m.LeftAt.Local().Format(time.DateTime), state, m.Attempts, m.Template, m.To, m.Why}
				})
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "how many, the newest first")
	addJSONFlag(cmd)
	return cmd
}

func newMailRetry(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "retry ID…", Short: "Have mails that failed sent again, by a running service",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids := make([]int64, len(args))
			for i, arg := range args {
				var err error
				if ids[i], err = strconv.ParseInt(arg, 10, 64); err != nil || ids[i] < 1 {
					return fmt.Errorf("%q is not the number of a mail: arpent mail failed lists them", arg)
				}
			}
			return e.withMails(cmd.Context(), func(q *mail.Queue) error {
				for _, id := range ids {
					m, err := q.Retry(cmd.Context(), id, time.Now())
					if err != nil {
						return err
					}
					fmt.Fprintf(cmd.OutOrStdout(), "Mail %d (%s to %s) waits to be sent again.\n", m.ID, m.Template, m.To)
				}
				return nil
			})
		},
	}
}
