package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"arpent/app/command"
	"arpent/auth"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
)

// developmentAccount is there from the first start, so that a key is one command away.
const developmentAccount = "dev@example.org"

// foundation is the group of sources that all others may read, see source.Source.After.
const foundation = "cog"

// outlines is the group of sources that those of some other groups read.
const outlines = "contours"

// prepareDevelopment brings the schema up to date, loads and indexes
// what is answered from the first second on.
func prepareDevelopment(ctx context.Context, e *env) error {
	if err := command.Migrate(ctx, e.config); err != nil {
		return err
	}
	// As in arpent load: rows become garbage as fast as they are read, and little else is kept.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	if err := e.withDB(ctx, pgdb.Load, func(pool *pgxpool.Pool) error {
		return loadFirst(ctx, e.newLoader(pool))
	}); err != nil {
		return err
	}
	if err := e.withDB(ctx, pgdb.Read, func(pool *pgxpool.Pool) error {
		return buildSnapshots(ctx, e.config, pool)
	}); err != nil {
		return err
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

// buildSnapshots makes the files of search, statistics and parcels, all at
// the same time, unless they are up to date.
func buildSnapshots(ctx context.Context, c config.Config, pool *pgxpool.Pool) error {
	slog.Info("making the files of search, statistics and parcels")
	all, ctx := errgroup.WithContext(ctx)
	for _, f := range snapshotFiles {
		all.Go(func() error {
			store, _ := f.open(pool, c.StateDir)
			if err := store.Open(); err != nil {
				slog.Warn("file not opened; it is made anew", "file", f.name, "error", err)
			}
			return store.Refresh(ctx)
		})
	}
	return all.Wait()
}

// loadFirst loads what is served from the first second on: the parcels, and the sources that
// the box has files of, figures of earlier years alone excepted. Files that are refused are
// logged: what was loaded before still serves.
func loadFirst(ctx context.Context, loader *ingest.Loader) error {
	box, err := loader.InBox()
	if err != nil {
		return err
	}
	for _, s := range topic.Sources() {
		if s.Earlier {
			delete(box, s.Name)
		}
	}
	slog.Info("loading the starter data and what was fetched; the first start takes up to a minute", "box",
		config.Box(), "sources", len(box))
	_, err = loader.Load(ctx, ingest.Request{Sources: []string{foundation}, KeepBetter: true})
	groups := groupSources(topic.Sources(), box)
	faults := make([]error, len(groups))
	var loading errgroup.Group
	loading.SetLimit(min(runtime.NumCPU(), maxLanes))
	for i, names := range groups {
		loading.Go(func() error {
			_, faults[i] = loader.Load(ctx, ingest.Request{Sources: names, KeepBetter: true})
			return nil
		})
	}
	_ = loading.Wait() // the faults of all are reported
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err = errors.Join(append(faults, err)...); err != nil {
		slog.Error("load rejected, the data before it still serves", "error", err)
	}
	return nil
}

// maxLanes bounds the groups that are loaded at a time: each may
// take half a gigabyte of the database's memory.
const maxLanes = 4

// groupSources returns the sources that have a size in bytes, and those of parcels, by group, the group of
// most bytes first: it is loaded the longest. The sources of a group are never loaded at the same time, and
// groups that read the outlines are one group with those, after them. It leaves the foundation out.
func groupSources(all []source.Source, sizes map[string]int64) (groups [][]string) {
	isWanted := func(s source.Source, group string) bool {
		_, sized := sizes[s.Name]
		return group != foundation && (group == "parcels" || sized)
	}
	readsOutlines := map[string]bool{}
	for _, s := range all {
		group := cmp.Or(s.Group, s.Name)
		readsOutlines[group] = readsOutlines[group] || isWanted(s, group) && slices.Contains(s.After,
			"contours-communes")
	}
	at := map[string]int{}
	for _, s := range all {
		group := cmp.Or(s.Group, s.Name)
		if !isWanted(s, group) {
			continue
		}
		if readsOutlines[group] {
			group = outlines
		}
		if _, known := at[group]; !known {
			at[group] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[group]] = append(groups[at[group]], s.Name)
	}
	weight := func(names []string) (bytes int64) {
		for _, name := range names {
			bytes += sizes[name]
		}
		return bytes
	}
	slices.SortStableFunc(groups, func(a, b []string) int { return cmp.Compare(weight(b), weight(a)) })
	return groups
}

// loadRest loads what else is found. What is loaded is served at once, many départements of parcels together;
// the index of addresses and the statistics follow when all is.
func loadRest(ctx context.Context, e *env) {
	var outcomes []ingest.Outcome
	err := e.withDB(ctx, pgdb.Load, func(pool *pgxpool.Pool) (err error) {
		outcomes, err = e.newLoader(pool).Load(ctx, ingest.Request{KeepBetter: true})
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
		slog.Error("some loads rejected, previous data still served", "error", err)
	case loaded > 0:
		slog.Info("everything found is loaded", "loads", loaded)
	}
}

// describeData says what is served, a line a subject.
func describeData(ctx context.Context, c config.Config, pool *pgxpool.Pool) (lines []string, err error) {
	const counts = `SELECT (SELECT count(*) FROM geo.commune WHERE type = 'commune-actuelle' AND departement_code IS NOT NULL), (SELECT count(*) FROM geo.commune_contour)`
	var communes, outlines int
	if err := pool.QueryRow(ctx, counts).Scan(&communes, &outlines); err != nil {
		return nil, fmt.Errorf("count the communes: %w", err)
	}
	lines = append(lines, fmt.Sprintf("communes: %d, outlines of %d", communes, outlines))
	for _, f := range snapshotFiles {
		store, describe := f.open(pool, c.StateDir)
		if err := store.Open(); err != nil {
			return nil, err
		}
		seen, _ := describe()
		lines = append(lines, f.name+": "+seen)
	}
	return lines, nil
}

// printStart says where the server is, what it holds, and the one command that adds to it.
func printStart(w io.Writer, e *env, held []string, mails string) {
	c, state, same := e.config, "", ""
	switch dir := os.Getenv("ARPENT_STATE_DIR"); {
	case c.DatabaseURL != "":
		same = " (with the same ARPENT_DATABASE_URL)" // not its value: it holds a password
	case dir != "":
		state = "ARPENT_STATE_DIR=" + quoteShell(dir) + " "
	}
	more := "make run DEPARTEMENT=35"
	if os.Getenv("MAKELEVEL") == "" { // make did not start it
		more = state + quoteShell(programPath()) + " fetch core parcels addresses sales --departement 35, then load" + same
	}
	if mails != "" { // they are shown instead of sent
		mails = "\n  Mails       " + mails
	}
	fmt.Fprintf(w, `
  %[1]s is at   %[2]s
  Served      %[8]s
  More        %[9]s
  Sign up     %[2]s/signup%[7]s
  Account     %[3]s (plan pro)
  Make a key  %[4]s%[5]s key create --account %[3]s --name mine%[6]s
  Try it      curl -H 'X-API-Key: <the key>' %[2]s/api/v1/communes/93010

`, c.ServiceName, c.BaseURL, developmentAccount, state, quoteShell(programPath()), same, mails,
		strings.Join(held, "\n              "), more)
}

// programPath is how to call this program from the same folder.
func programPath() string {
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

// quoteShell is a word of a shell command.
func quoteShell(word string) string {
	if strings.ContainsAny(word, " \t'\"$`\\&;|<>()*?[]!#~") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
