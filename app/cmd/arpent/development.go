package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/ingest"
	"arpent/app/clock"
	"arpent/app/demo"
	"arpent/app/pgdb"
	"arpent/auth"
	"arpent/billing"
)

// developmentAccount is there from the first start, so that a key is one command away.
const developmentAccount = "dev@example.org"

// prepareDevelopment makes an empty database useful: schema, the data that is found, a demonstration where there is
// none, an account.
func prepareDevelopment(ctx context.Context, e *env, pool *pgxpool.Pool, url string) error {
	if err := pgdb.Migrate(ctx, url); err != nil {
		return err
	}
	loader := e.loader(pool)
	if _, err := loader.Load(ctx, ingest.Request{}); err != nil {
		if ctx.Err() != nil {
			return err
		}
		slog.Error("some data was refused; what was served before still is", "error", err)
	}
	if err := demonstrateIfEmpty(ctx, pool, loader, e.config.DataDir); err != nil {
		return err
	}
	_, err := auth.NewAccounts(pool, clock.Real{}).Create(ctx,
		auth.NewAccount{Email: developmentAccount, Plan: billing.Pro, Confirmed: true})
	if errors.Is(err, auth.ErrEmailTaken) {
		err = nil
	}
	return err
}

func demonstrateIfEmpty(ctx context.Context, pool *pgxpool.Pool, loader *ingest.Loader, dataDir string) error {
	_, err := demo.Make(ctx, pool, demo.Options{Parcels: demo.DefaultParcels, Keep: true, LoadCOG: loadCOG(loader)})
	switch {
	case errors.Is(err, demo.ErrRealData):
		return nil
	case err != nil:
		return fmt.Errorf("make a demonstration: %w", err)
	}
	slog.Warn("no data files were found: outlines and parcels are a DEMONSTRATION, made up; names and codes are real",
		"data", dataDir, "way_out", "set ARPENT_DATA to a folder of open-data files")
	return nil
}

func printWelcome(e *env) {
	c, state := e.config, ""
	if dir := os.Getenv("ARPENT_STATE_DIR"); dir != "" {
		state = "ARPENT_STATE_DIR=" + dir + " "
	}
	fmt.Fprintf(os.Stderr, `
  %[1]s is at   %[2]s
  Account     %[3]s (plan pro)
  Make a key  %[4]sbin/arpent key create --account %[3]s --name mine
  Try it      curl -H 'X-API-Key: <the key>' %[2]s/api/v1/communes/93010

`, c.ServiceName, c.BaseURL, developmentAccount, state)
}
