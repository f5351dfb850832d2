package coverage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
)

const (
	// A command often makes many loads in a row: what comes within this time is counted once.
	countDelay   = 500 * time.Millisecond
	countTimeout = time.Minute
	countRetry   = 10 * time.Second
)

// Served is what was counted last. It is not modified.
type Served struct {
	Document
	Map    *Map             // nil: no outlines are loaded
	Loaded map[string]Share // of the layers of the report that are loaded somewhere: their editions alone
	// The document as JSON and that of each département by its code, each with its entity tag.
	Whole Body
	Of    map[string]Body
}

// Body is a JSON document with its entity tag.
type Body struct {
	JSON []byte
	Tag  string
}

// Store counts again when it is notified, and serves what it counted last.
type Store struct {
	pool       *pgxpool.Pool
	clock      clock.Clock
	catalogue  Catalogue
	stale      clock.Signal
	current    atomic.Pointer[Served]
	mapEdition string // the outlines that the map is of; only Count reads it
}

// New returns a store that has counted nothing yet. Run counts.
func New(pool *pgxpool.Pool, c clock.Clock, what Catalogue) *Store {
	s := &Store{pool: pool, clock: c, catalogue: what, stale: clock.NewSignal()}
	s.Notify()
	return s
}

// Current returns the last count; nil before the first one.
func (s *Store) Current() *Served { return s.current.Load() }

// Notify has everything counted anew, soon.
func (s *Store) Notify() { s.stale.Notify() }

// Run counts whenever it was notified, until ctx ends. What cannot be counted leaves what was counted before.
func (s *Store) Run(ctx context.Context) {
	delay := time.Duration(0) // the first count waits for nothing
	for s.stale.Wait(ctx, delay) {
		delay = countDelay
		if err := s.Count(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "coverage not counted; the former figures are served", "error", err)
			time.AfterFunc(countRetry, s.Notify)
		} else if served := s.current.Load(); served != nil && served.Loading != nil {
			time.AfterFunc(countRetry, s.Notify) // nothing notifies of the end of loads
		}
	}
}

// editionOfOutlines changes when other outlines are loaded.
const editionOfOutlines = `SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM geo.load WHERE active AND source LIKE 'contours%'`

// Count counts everything anew, in one transaction that reads one state of the database.
func (s *Store) Count(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	begun, next, edition := time.Now(), &Served{}, ""
	repeatableRead := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, s.pool, repeatableRead, func(tx pgx.Tx) error {
		var d *Document
		var err error
		if d, next.Loaded, err = s.catalogue.countCoverage(ctx, tx, s.clock.Now()); err != nil {
			return err
		}
		if next.Document = *d; s.catalogue.Loading != nil {
			next.Loading = s.catalogue.Loading(ctx)
		}
		if err := tx.QueryRow(ctx, editionOfOutlines).Scan(&edition); err != nil {
			return err
		}
		if before := s.current.Load(); before != nil && edition == s.mapEdition {
			next.Map = before.Map
			return nil
		}
		next.Map, err = readMap(ctx, tx)
		return err
	})
	if err == nil {
		err = next.encodeBodies()
	}
	if err != nil {
		return fmt.Errorf("count the coverage: %w", err)
	}
	s.mapEdition = edition
	s.current.Store(next)
	slog.DebugContext(ctx, "coverage counted", "took", time.Since(begun).String(), "bytes", len(next.Whole.JSON))
	return nil
}

// LayerEditions returns the oldest and the newest edition of some layers, and whether one of them is loaded
// somewhere.
func (s *Served) LayerEditions(layers []string) (all Share, loaded bool) {
	if s == nil {
		return Share{}, false
	}
	for _, name := range layers {
		if of, ok := s.Loaded[name]; ok {
			all.includeEditions(of.Oldest, of.Newest)
			loaded = true
		}
	}
	return all, loaded
}

// encodeBodies makes the documents.
func (s *Served) encodeBodies() (err error) {
	if s.Whole, err = encodeBody(s.Document); err != nil {
		return err
	}
	s.Of = make(map[string]Body, len(s.Departements))
	for _, d := range s.Departements {
		if s.Of[d.Code], err = encodeBody(d); err != nil {
			return err
		}
	}
	return nil
}

func encodeBody(v any) (Body, error) {
	text, err := json.Marshal(v)
	sum := sha256.Sum256(text)
	return Body{append(text, '\n'), `"` + hex.EncodeToString(sum[:8]) + `"`}, err
}
