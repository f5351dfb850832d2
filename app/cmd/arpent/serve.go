package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"arpent/app"
	"arpent/app/command"
	"arpent/internal/config"
	"arpent/internal/pgdb"
)

func newServeCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Serve the API", Args: cobra.NoArgs,
		Long: "Serve the API until interrupted.\n\nIn development mode (ARPENT_MODE=development) the schema is migrated, and the starter data is loaded before the server\n" +
			"listens, then what else was fetched or lies under ARPENT_DATA. In production both are commands of their own: arpent migrate, arpent load.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runServer(cmd.Context(), e) },
	}
}

func runServer(ctx context.Context, e *env) error {
	if err := command.CheckNames(); err != nil {
		return err
	}
	command.LogProtection(ctx)
	warnAboutLegal(slog.Default(), e.config)
	if e.config.RehearsesSales() {
		slog.WarnContext(ctx, rehearsalText)
	}
	var drain time.Duration
	switch e.config.Mode {
	case config.Development: // the private database runs from the first step to the last
		stop, err := command.Hold(ctx, e.config)
		if err != nil {
			return err
		}
		defer stop()
	case config.Production:
		drain = productionDrain
	}
	mayLoad, err := prepareServing(ctx, e)
	if err != nil {
		return err
	}
	pool, url, release, err := command.OpenDB(ctx, e.config, pgdb.Serve)
	if err != nil {
		return err
	}
	defer release()
	app.LimitMemory()
	program, _ := os.Executable() // empty where the system does not know it
	a, err := app.New(ctx, app.Inputs{Config: e.config, Pool: pool, DatabaseURL: url,
		AccessLog: command.AccessLog(e.config), Program: program,
		Version: currentVersion().name, Metrics: prometheus.NewRegistry(), DrainDelay: drain,
		Hurry:      notifySecondSignal(ctx),
		ProbeEvery: probeEvery})
	if err != nil {
		return err
	}
	var loading sync.WaitGroup
	defer loading.Wait() // before the database is let go
	return a.Run(ctx, func(address string) {
		slog.Info("serving", "address", address, "base_url", e.config.BaseURL, "mode", string(e.config.Mode))
		if e.config.Mode == config.Development {
			held, err := describeData(ctx, e.config, pool)
			if err != nil {
				slog.Error("data not counted", "error", err)
			}
			printStart(os.Stderr, e, held, a.DevMail())
			if mayLoad {
				loading.Go(func() { loadRest(ctx, e) })
			}
		}
	})
}

// prepareServing has the schema and, in development mode, data and an account to serve. It reports whether
// this process loads: not where its database user may only serve.
func prepareServing(ctx context.Context, e *env) (mayLoad bool, err error) {
	if e.config.Mode != config.Development {
		return false, refusePending(ctx, e.config)
	}
	if err := command.CheckData(e.config); err != nil {
		return false, err
	}
	if mayLoad, err = command.MayLoad(ctx, e.config); err != nil {
		return false, err
	}
	if mayLoad {
		err = prepareDevelopment(ctx, e)
	} else {
		slog.Info("database user cannot migrate or load, another process must")
		err = refusePending(ctx, e.config)
	}
	if err != nil {
		return false, err
	}
	return mayLoad, createDevelopmentAccount(ctx, e)
}

// probeEvery is how often the server calls each of its operations to measure
// it: all together a call in some 25 seconds.
var probeEvery = 5 * time.Minute

// productionDrain is longer than common probes take to see that a server is not ready any more: twice in a
// row every two seconds, or once every five.
var productionDrain = 5 * time.Second

// notifySecondSignal is closed when another signal follows the one
// that ends ctx: somebody does not want to wait.
func notifySecondSignal(ctx context.Context) <-chan struct{} {
	signals, second := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		<-signals // the one that ended it
		<-signals
		close(second)
	}()
	return second
}

// refusePending keeps a server off a schema that is older than its code.
func refusePending(ctx context.Context, c config.Config) error {
	url, release, err := command.DatabaseURL(ctx, c, pgdb.Serve)
	if err != nil {
		return err
	}
	defer release()
	pending, err := pgdb.Pending(ctx, url, command.Tables())
	if err != nil {
		return fmt.Errorf("compare the schema with this version: %w", command.Explain(err))
	}
	if pending {
		return fmt.Errorf("the database schema is older than this version: run arpent migrate first")
	}
	return nil
}
