package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/ingest"
	"arpent/app/base/clock"
	"arpent/app/base/pgdb"
	"arpent/app/command"
	"arpent/auth"
	"arpent/billing"
)

// developmentAccount is there from the first start, so that a key is one command away.
const developmentAccount = "dev@example.org"

// prepareDevelopment brings the schema up to date and loads what has to be there before anything is served.
func prepareDevelopment(ctx context.Context, e *env) error {
	if err := command.Migrate(ctx, e.config); err != nil {
		return err
	}
	var loaded bool
	err := e.withDB(ctx, pgdb.Load, func(pool *pgxpool.Pool) error {
		if _, _, err := command.LoadFirst(ctx, e.loader(pool)); err != nil {
			return err
		}
		return pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM geo.commune_contour)").Scan(&loaded)
	})
	if err != nil {
		return err
	}
	if !loaded {
		slog.Warn("no outlines are loaded, there is nothing to answer", "data", e.config.DataDir,
			"way_out", "set ARPENT_DATA to a folder of open-data files, or make a demonstration: arpent-dev prepare")
	}
	return nil
}

// createDevelopmentAccount makes the account of development unless it is there.
func createDevelopmentAccount(ctx context.Context, e *env) error {
	plans := billing.Plans()
	best := plans[len(plans)-1]
	return e.withDB(ctx, pgdb.Serve, func(pool *pgxpool.Pool) error {
		_, err := auth.NewAccounts(pool, clock.Real{}).Create(ctx,
			auth.NewAccount{Email: developmentAccount, Plan: best.Name, Confirmed: true})
		if errors.Is(err, auth.ErrEmailTaken) {
			return nil
		}
		return err
	})
}

// loadRest loads what else is found. What is loaded is served at once, many départements of parcels together; the index of addresses
// and the statistics follow when all is.
func loadRest(ctx context.Context, e *env) {
	var outcomes []ingest.Outcome
	err := e.withDB(ctx, pgdb.Load, func(pool *pgxpool.Pool) (err error) {
		outcomes, err = e.loader(pool).Load(ctx, ingest.Request{KeepBetter: true})
		return err
	})
	loaded := 0
	for _, o := range outcomes {
		if o.State == ingest.Loaded {
			loaded++
		}
	}
	switch {
	case ctx.Err() != nil:
		slog.Info("loading was stopped; the next start goes on with it", "loaded", loaded)
	case err != nil:
		slog.Error("some data was refused; what was served before still is", "error", err)
	case loaded > 0:
		slog.Info("everything found is loaded", "loads", loaded)
	}
}

func printStart(w io.Writer, e *env, mails string) {
	c, state, same := e.config, "", ""
	switch dir := os.Getenv("ARPENT_STATE_DIR"); {
	case c.DatabaseURL != "":
		same = " (with the same ARPENT_DATABASE_URL)" // not its value: it holds a password
	case dir != "":
		state = "ARPENT_STATE_DIR=" + quoted(dir) + " "
	}
	fmt.Fprintf(w, `
  %[1]s is at   %[2]s
  Sign up     %[2]s/signup%[7]s
  Account     %[3]s (plan pro)
  Make a key  %[4]s%[5]s key create --account %[3]s --name mine%[6]s
  Try it      curl -H 'X-API-Key: <the key>' %[2]s/api/v1/communes/93010

`, c.ServiceName, c.BaseURL, developmentAccount, state, quoted(program()), same, mailHint(mails))
}

// mailHint says where the mails are that would have been sent; empty: they are.
func mailHint(mails string) string {
	if mails == "" {
		return ""
	}
	return "\n  Mails       " + mails
}

// program is how to call this program from the same folder.
func program() string {
	exe, err := os.Executable()
	if err != nil {
		return "arpent"
	}
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, exe); err == nil && filepath.IsLocal(rel) {
			if strings.Contains(rel, "/") {
				return rel
			}
			return "./" + rel
		}
	}
	return exe
}

// quoted is a word of a shell command.
func quoted(word string) string {
	if strings.ContainsAny(word, " \t'\"$`\\&;|<>()*?[]!#~") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
