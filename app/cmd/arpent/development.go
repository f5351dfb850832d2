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
	"arpent/app/dev/demo"
	"arpent/auth"
	"arpent/billing"
)

// developmentAccount is there from the first start, so that a key is one command away.
const developmentAccount = "dev@example.org"

// firstSources are loaded before anything is served: without them there is nothing to answer. The others follow while
// requests are answered.
var firstSources = []string{"cog", "contours", "parcels"}

// prepareDevelopment makes an empty database useful: schema, territory and parcels as they are found, a demonstration
// where there are none, an account.
func prepareDevelopment(ctx context.Context, e *env, pool *pgxpool.Pool, url string) error {
	if err := pgdb.Migrate(ctx, url); err != nil {
		return err
	}
	loader := e.loader(pool)
	outcomes, loadFault := loader.Load(ctx, ingest.Request{Sources: firstSources})
	if loadFault != nil {
		if ctx.Err() != nil {
			return loadFault
		}
		slog.Error("some data was refused; what was served before still is", "error", loadFault)
	}
	made, err := demonstrateIfEmpty(ctx, pool, loader)
	if err != nil {
		return err
	}
	if made {
		why, wayOut := whyDemonstration(outcomes, loadFault)
		slog.Warn(why+": outlines and parcels are a DEMONSTRATION, made up; names and codes are real",
			"data", e.config.DataDir, "way_out", wayOut)
	}
	_, err = auth.NewAccounts(pool, clock.Real{}).Create(ctx,
		auth.NewAccount{Email: developmentAccount, Plan: billing.Pro, Confirmed: true})
	if errors.Is(err, auth.ErrEmailTaken) {
		err = nil
	}
	return err
}

// loadRest loads what else is found. What is loaded is served at once; the index of addresses and the statistics follow
// when all is.
func loadRest(ctx context.Context, e *env, pool *pgxpool.Pool) {
	outcomes, err := e.loader(pool).Load(ctx, ingest.Request{})
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

// demonstrateIfEmpty tells whether a demonstration is served.
func demonstrateIfEmpty(ctx context.Context, pool *pgxpool.Pool, loader *ingest.Loader) (bool, error) {
	_, err := demo.Make(ctx, pool, demo.Options{Parcels: demo.DefaultParcels, Keep: true, LoadCOG: loadCOG(loader)})
	switch {
	case errors.Is(err, demo.ErrRealData):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("make a demonstration: %w", err)
	}
	return true, nil
}

// whyDemonstration tells files that were found and could not be used from a folder without any. Names and codes may
// come from a package, and say nothing about the folder.
func whyDemonstration(outcomes []ingest.Outcome, fault error) (why, wayOut string) {
	found := fault != nil && len(outcomes) == 0 // the folder could not be read
	for _, o := range outcomes {
		found = found || !strings.HasPrefix(o.Source, "cog-")
	}
	if found {
		return "the data files gave neither outlines nor parcels",
			"read above why they were refused; arpent doctor checks what loading needs"
	}
	return "no data files were found", "set ARPENT_DATA to a folder of open-data files"
}

func printWelcome(w io.Writer, e *env, mails string) {
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
