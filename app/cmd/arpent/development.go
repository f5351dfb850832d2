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
	"sync"

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
	if err := e.withDB(ctx, pgdb.Load, func(pool *pgxpool.Pool) error { return loadFirst(ctx, e.newLoader(pool)) }); err != nil {
		return err
	}
	if err := e.withDB(ctx, pgdb.Read, func(pool *pgxpool.Pool) error { return buildSnapshots(ctx, e.config, pool) }); err != nil {
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
			box = slices.DeleteFunc(box, func(name string) bool { return name == s.Name })
		}
	}
	slog.Info("loading the starter data and what was fetched; the first start takes up to a minute", "box", config.Box(), "sources", len(box))
	_, err = loader.Load(ctx, ingest.Request{Sources: []string{foundation}, KeepBetter: true})
	lanes := splitByGroup(topic.Sources(), box, min(runtime.NumCPU(), maxLanes))
	faults := make([]error, len(lanes))
	var loading sync.WaitGroup
	for i, names := range lanes {
		loading.Go(func() { _, faults[i] = loader.Load(ctx, ingest.Request{Sources: names, KeepBetter: true}) })
	}
	loading.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err = errors.Join(append(faults, err)...); err != nil {
		slog.Error("load rejected, the data before it still serves", "error", err)
	}
	return nil
}

// maxLanes bounds the loads of different groups at a time: each may
// take half a gigabyte of the database's memory.
const maxLanes = 4

// splitByGroup deals the named sources and those of parcels out to n lists, the sources of a group to the
// same one: they are never loaded at the same time. Groups that read the outlines are in the list that has
// those, after them. It leaves the foundation out.
func splitByGroup(all []source.Source, names []string, n int) (lanes [][]string) {
	lanes = make([][]string, n)
	lane, reads := map[string]int{}, map[string]bool{}
	isWanted := func(s source.Source, group string) bool {
		return group != foundation && (group == "parcels" || slices.Contains(names, s.Name))
	}
	for _, s := range all {
		group := cmp.Or(s.Group, s.Name)
		reads[group] = reads[group] || isWanted(s, group) && slices.Contains(s.After, "contours-communes")
	}
	for _, s := range all {
		group := cmp.Or(s.Group, s.Name)
		if !isWanted(s, group) {
			continue
		}
		if reads[group] {
			group = outlines
		}
		at, known := lane[group]
		if !known {
			for i := range lanes { // the shortest
				if len(lanes[i]) < len(lanes[at]) {
					at = i
				}
			}
			lane[group] = at
		}
		lanes[at] = append(lanes[at], s.Name)
	}
	return slices.DeleteFunc(lanes, func(names []string) bool { return names == nil }) // no name would mean all
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
		slog.Error("some data was refused; what was served before still is", "error", err)
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
	fmt.Fprintf(w, `
  %[1]s is at   %[2]s
  Served      %[8]s
  More        %[9]s
  Sign up     %[2]s/signup%[7]s
  Account     %[3]s (plan pro)
  Make a key  %[4]s%[5]s key create --account %[3]s --name mine%[6]s
  Try it      curl -H 'X-API-Key: <the key>' %[2]s/api/v1/communes/93010

`, c.ServiceName, c.BaseURL, developmentAccount, state, quoteShell(programPath()), same, mailHint(mails),
		strings.Join(held, "\n              "), more)
}

// mailHint says where the mails are that would have been sent; empty: they are.
func mailHint(mails string) string {
	if mails == "" {
		return ""
	}
	return "\n  Mails       " + mails
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
