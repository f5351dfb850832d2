// Package ingest loads what internal/opendata/source describes. A load reads its files into a temporary
// staging table, checks the rows there, and activates them in one transaction that also records
// the load. A rejected load leaves the active one in place. Files that were loaded already are
// skipped. The package knows no particular source.
package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/opendata/source"
)

// Options of a Loader. Only DB is needed.
type Options struct {
	DB        *pgxpool.Pool
	Catalogue []source.Source
	// the folder of the starter data, which the files of the other folders replace; empty: none
	Box     string
	DataDir string // a folder of further open-data files; empty: none
	// its "downloads" folder is searched too; archives are unpacked in its "unpacked" folder
	StateDir string
	Clock    clock.Clock  // default the machine's
	Log      *slog.Logger // default discards
	Progress Progress     // default reports nothing
	// départements of a source that are loaded at a time; default: as many as there are processors, at most four
	Workers int
	// RestoreOutlines writes the outlines of parcels of communes that a compact database lacks back to it, by
	// the connection. nil: no database is compact.
	RestoreOutlines func(ctx context.Context, conn *pgx.Conn, communes []string) error
}

// Loader loads sources into the database.
type Loader struct {
	o         Options
	reporting sync.Mutex
}

// New makes a Loader.
func New(o Options) *Loader {
	for _, folder := range []*string{&o.Box, &o.DataDir, &o.StateDir} {
		// GDAL is given absolute paths alone, which it takes for nothing else than files.
		if absolute, err := filepath.Abs(*folder); err == nil && *folder != "" {
			*folder = absolute
		}
	}
	o.Clock = cmp.Or[clock.Clock](o.Clock, clock.Real{})
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Workers <= 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	o.Progress = cmp.Or(o.Progress, Lines(io.Discard))
	return &Loader{o: o}
}

// Request says what to load.
type Request struct {
	Sources     []string // names or groups of sources; empty: all
	Departement string   // only files of this département or its communes
	Commune     string   // only files of this commune
	Force       bool     // load again what has not changed
	// KeepBetter refuses a load with a WorseError when it has over 5 % fewer rows than the one that is
	// served, or no value of something that has some there.
	KeepBetter bool
}

// State is how a load ended.
type State string

// The states.
const (
	Loaded    State = "loaded"
	Unchanged State = "unchanged"
	Refused   State = "refused"
)

// Outcome is the report of one load.
type Outcome struct {
	Source     string
	Scope      string
	Vintage    string
	Files      []string
	State      State
	Rows       int64
	Refused    int64
	Rejections []Rejection // the first of the refused rows
	LeftOut    LeftOut     // rows that are no fault of the file and are not served
	Err        error       // why the load was refused
	Worse      *WorseError // of a load that was wanted all the same
	Took       time.Duration
}

// Load loads what is asked for, in the order of the catalogue; it returns quickly when nothing has changed. A
// rejected load does not keep the others from being loaded: the error joins the reasons of all of them, each
// beginning with its source and scope. It returns no outcome for a code or a source that is not known, and
// ends early when the database is lost or ctx is done.
func (l *Loader) Load(ctx context.Context, r Request) ([]Outcome, error) {
	if err := r.checkCodes(); err != nil {
		return nil, err
	}
	sources, err := source.Select(l.o.Catalogue, r.Sources)
	if err != nil {
		return nil, err
	}
	done, err := l.announceLoads(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := removeAbandoned(l.unpackFolder()); err != nil {
		l.o.Log.WarnContext(ctx, "unpacked files left", "error", err)
	}
	q := &queue{loader: l, request: r, sources: sources, folders: l.newDataFolders()}
	defer q.close()
	tables := &analyzer{db: l.o.DB, analyzed: map[string]bool{}}
	var faults []error
	var out []Outcome
	for {
		next, err := q.nextSource(ctx)
		out = append(out, next.unchanged...)
		if err == nil {
			err = tables.analyzeDue(ctx, next.src)
		}
		if err == nil && len(next.changed) == 0 {
			return out, errors.Join(faults...)
		}
		var done []Outcome
		if err == nil {
			done, err = l.loadGroups(ctx, next, r, func() { q.readAhead(ctx) })
		}
		if err == nil {
			err = tables.analyzeFirst(ctx, next.src)
		}
		if err != nil {
			return append(out, done...), errors.Join(append(faults, fmt.Errorf("load %s: %w", next.src.Name, err))...)
		}
		for _, o := range done {
			if o.Err != nil {
				faults = append(faults, fmt.Errorf("load %s: %w", loadLabel(o.Source, o.Scope, ""), o.Err))
			}
		}
		out = append(out, done...)
	}
}

func (l *Loader) newDataFolders() *dataFolders {
	downloads := filepath.Join(l.o.StateDir, "downloads")
	p := &dataFolders{roots: []string{downloads}, box: l.o.Box, walked: map[string][]file{}}
	if l.o.DataDir != "" {
		p.roots = append(p.roots, l.o.DataDir)
	}
	if l.o.Box != "" {
		p.roots = append(p.roots, l.o.Box)
	}
	return p
}

// planSource finds the groups of a source that are new, in the files that are there.
func (l *Loader) planSource(ctx context.Context, src source.Source, where *dataFolders,
	r Request) (p upcoming, err error) {
	p.src = src
	files, err := where.findFiles(src)
	if err != nil || len(files) == 0 {
		return p, err
	}
	if _, err := l.o.DB.Exec(ctx, describeLoads, src.Name, src.Producer, src.Title,
		src.Licence.Name); err != nil {
		return p, fmt.Errorf("describe the loads before: %w", err)
	}
	known, err := l.readKnownLoads(ctx, src)
	if err != nil {
		return p, err
	}
	for _, g := range withoutReplaced(src, groupFiles(files)) {
		if !r.matchesScope(src, g.scope) {
			continue
		}
		if err := g.computeChecksum(src, known.files); err != nil {
			return p, err
		}
		if known.hasLoaded(src, g) && !r.Force {
			p.unchanged = append(p.unchanged, unchangedOutcome(src, g))
			continue
		}
		p.changed = append(p.changed, g)
	}
	return p, nil
}

var (
	// groupScope is that of a région (R11) or of an intercommunal body (E200057875, its SIREN).
	groupScope      = regexp.MustCompile(`^(R[0-9]{2}|E[0-9]{9})$`)
	departementCode = regexp.MustCompile(`^([0-9]{2,3}|2[AB])$`)
	communeCode     = regexp.MustCompile(`^[0-9][0-9AB][0-9]{3}$`)
)

// checkCodes refuses codes that are none: they become part of addresses and paths.
func (r Request) checkCodes() error {
	switch {
	case r.Departement != "" && !departementCode.MatchString(r.Departement):
		return fmt.Errorf("%q is not the code of a département; expected one such as 75, 2A or 971", r.Departement)
	case r.Commune != "" && !communeCode.MatchString(r.Commune):
		return fmt.Errorf("%q is not the code of a commune; expected one such as 93010 or 2A247", r.Commune)
	default:
		return nil
	}
}

// matchesScope reports whether a load of this scope is asked for. Loads that are not of one place always are,
// but for those whose files fail to say what they are of.
func (r Request) matchesScope(src source.Source, scope string) bool {
	switch {
	case !isPlace(scope) && (scope == "" || !src.Target.History):
		return true
	case r.Commune != "":
		return scope == r.Commune
	default:
		return strings.HasPrefix(scope, r.Departement)
	}
}

func unchangedOutcome(src source.Source, g group) Outcome {
	return Outcome{Source: src.Name, Scope: g.scope, Vintage: g.vintage, Files: fileNames(g.files),
		State: Unchanged}
}

func fileNames(files []file) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.name
	}
	return out
}

// knownLoads is what geo.load remembers of a source.
type knownLoads struct {
	files  map[string]recordedFile
	active map[string]string    // scope to checksum
	latest map[[2]string]string // scope and vintage to the checksum of their last load
}

// describeLoads brings what is shown of the loads of a source up to date. What is made from
// them names it: they are notified as of a load.
const describeLoads = `WITH described AS (
	UPDATE geo.load SET producer = $2, title = $3, licence = $4
	WHERE source = $1 AND (producer, title, licence) IS DISTINCT FROM ($2, $3, $4) RETURNING source)
SELECT pg_notify('arpent_geo', source) FROM described`

const loadsOfSource = `SELECT scope, coalesce(vintage, ''), checksum, active, files FROM geo.load WHERE source = $1 ORDER BY id`

func (l *Loader) readKnownLoads(ctx context.Context, src source.Source) (knownLoads, error) {
	m := knownLoads{map[string]recordedFile{}, map[string]string{}, map[[2]string]string{}}
	rows, _ := l.o.DB.Query(ctx, loadsOfSource, src.Name) // the rows have its error too
	var scope, vintage, checksum string
	var active bool
	var files []recordedFile
	_, err := pgx.ForEachRow(rows, []any{&scope, &vintage, &checksum, &active, &files}, func() error {
		for _, f := range files {
			m.files[f.Name] = f
		}
		m.latest[[2]string{scope, vintage}] = checksum
		if active {
			m.active[scope] = checksum
		}
		files = nil
		return nil
	})
	return m, fault.Wrap("read the loads before", err)
}

// hasLoaded reports whether a load has been done and still counts: it is served,
// or it is history that nothing has corrected.
func (m knownLoads) hasLoaded(src source.Source, g group) bool {
	if m.active[g.scope] == g.checksum {
		return true
	}
	if !src.Target.History {
		return false
	}
	for at, sum := range m.latest {
		if at[0] == g.scope && sum == g.checksum {
			return true
		}
	}
	return false
}
