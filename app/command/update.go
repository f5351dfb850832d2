package command

import (
	"context"
	"log/slog"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/config"
	"arpent/internal/fault"
	"arpent/internal/mail"
	"arpent/internal/opendata/ingest/update"
)

// Update brings up to date what was fetched before. The operator is notified of new problems by
// mail, where an address of theirs is configured.
func Update(ctx context.Context, c config.Config, pool *pgxpool.Pool) (update.Report, error) {
	client, err := FetchClient(c, "")
	if err != nil {
		return update.Report{}, err
	}
	return update.Run(ctx, update.Options{DB: pool, Catalogue: Official(c), Client: client,
		Loader: Loader(c, pool), Downloads: Downloads(c), Progress: FetchProgress(), Notify: notifyOperator(c)})
}

// notifyOperator leaves a mail for the operator, and a line in the log for each source.
func notifyOperator(c config.Config) func(context.Context, pgx.Tx, []update.Problem) error {
	return func(ctx context.Context, tx pgx.Tx, problems []update.Problem) error {
		var kept, lacking []string
		for _, p := range problems {
			if p.Served {
				kept = append(kept, p.Source)
			} else {
				lacking = append(lacking, p.Source)
			}
			slog.WarnContext(ctx, "source not brought up to date", "source", p.Source, "former_data_served", p.Served,
				"why", p.Why)
		}
		if c.ContactEmail == "" {
			return nil
		}
		err := mail.Send(ctx, tx, mail.Job{Template: mail.SourcesKept, To: c.ContactEmail, Language: "fr",
			Values: map[string]string{"count": strconv.Itoa(len(problems)), "sources": joinNames(kept),
				"lacking": joinNames(lacking)}})
		return fault.Wrap("notify the operator", err)
	}
}

// joinNames are as many names as a line of a mail takes.
func joinNames(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + "…"
}
