package parcel

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
	"arpent/internal/snapshot"
)

// Every commune or arrondissement with parcels, and what its block is made from: its load, and that of the
// sheets where its own source names none. Some 35 000 rows, each with the few loads of sheets.
const readCommunes = `
SELECT c.code, c.vintage, (NOT c.complete)::int, concat_ws(' ', l.id, l.checksum, c.vintage, s.id, s.checksum)
FROM geo.parcelle_commune c JOIN geo.load l ON l.id = c.load_id
LEFT JOIN LATERAL (SELECT f.id, f.checksum FROM geo.load f
    WHERE f.active AND f.source = ANY ($1) AND starts_with(c.code, f.scope) AND NOT c.names_sheet ORDER BY f.id DESC LIMIT 1) s ON true
ORDER BY c.code COLLATE "C"`

// By parcel_block_pkey: some 2 700 rows, in the largest communes 100 000. No land has an area of 0 m²: files
// have it where none is recorded.
const readParcels = `
SELECT p.idu, nullif(p.contenance, 0), p.feuille, p.geom::bytea FROM geo.parcels_of($1) p`

// A load can change which parcels are gone and leave those that are served as they are.
const readLoads = `SELECT concat_ws(' ', count(*), max(id)) FROM geo.load WHERE source = ANY ($1)`

// indexBuilder writes the file.
type indexBuilder struct {
	pool            *pgxpool.Pool
	sheets, parcels []string // sources of each
}

// storedCommune is a commune as the database has it.
type storedCommune struct {
	code    string
	vintage *time.Time
	partial uint8 // 1: its load held a part of it only
	stamp   uint64
}

func (b *indexBuilder) listCommunes(ctx context.Context, tx pgx.Tx) ([]storedCommune, error) {
	rows, _ := tx.Query(ctx, readCommunes, b.sheets) // the rows have its error too
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c storedCommune, err error) {
		var from string
		err = row.Scan(&c.code, &c.vintage, &c.partial, &from)
		c.stamp = xxhash.Sum64String(from)
		return c, err
	})
	return list, fault.Wrap("read the communes of parcels", err)
}

// sourceFingerprint identifies the state of all communes, and of the parcels that are gone.
func (b *indexBuilder) sourceFingerprint(ctx context.Context, tx pgx.Tx) (string, error) {
	list, err := b.listCommunes(ctx, tx)
	if err != nil {
		return "", err
	}
	all := xxhash.New()
	for _, c := range list {
		_, _ = fmt.Fprintf(all, "%s %x\n", c.code, c.stamp) // it never fails
		if c.partial > 0 {
			_, _ = all.WriteString("partial\n")
		}
	}
	var loads string
	if err := tx.QueryRow(ctx, readLoads, b.parcels).Scan(&loads); err != nil {
		return "", fmt.Errorf("read the loads of parcels: %w", err)
	}
	_, _ = all.WriteString(loads + findGone) // another version may find other successors
	return strconv.FormatUint(all.Sum64(), 16), nil
}

// buildIndex writes the blocks: those of before that are still right
// as they are, the others from the database.
func (b *indexBuilder) buildIndex(ctx context.Context, tx pgx.Tx, w *snapshot.Writer, before *Index) error {
	list, err := b.listCommunes(ctx, tx)
	if err != nil {
		return err
	}
	if err := w.Begin(blocksSection); err != nil {
		return err
	}
	defer runtime.KeepAlive(before) // whose blocks are copied
	readers := []*blockReader{newBlockReader(tx)}
	if before == nil && b.pool.Config().MaxConns >= parallelMinConns {
		other, err := beginSharedSnapshot(ctx, b.pool, tx)
		if err != nil {
			return fmt.Errorf("read parcels by a second connection: %w", err)
		}
		defer func() { _ = other.Rollback(context.WithoutCancel(ctx)) }() // it only reads
		readers = append(readers, newBlockReader(other))
	}
	entries, err := writeBlocks(ctx, w, list, before, readers)
	if err != nil {
		return err
	}
	if err := snapshot.Put(w, communesSection, entries); err != nil {
		return err
	}
	return buildGone(ctx, tx, w, entries, before)
}

// beginSharedSnapshot begins a transaction on another connection that sees what tx sees.
func beginSharedSnapshot(ctx context.Context, pool *pgxpool.Pool, tx pgx.Tx) (pgx.Tx, error) {
	var name string
	if err := tx.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&name); err != nil {
		return nil, err
	}
	other, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, err
	}
	if _, err := other.Exec(ctx, "SET TRANSACTION SNAPSHOT '"+name+"'"); err != nil {
		return nil, errors.Join(err, other.Rollback(context.WithoutCancel(ctx)))
	}
	return other, nil
}

const (
	// buildersPerReader is how many communes of a reader are in memory at a time: one
	// is read while the one before is written.
	buildersPerReader = 2
	// parallelMinConns is how many connections a pool has at least from which a second one is taken: with
	// fewer, requests would wait until the file is written.
	parallelMinConns = 4
	// communeBatchSize are asked for together: the database goes on with the
	// next one while the rows of one are read.
	communeBatchSize = 64
)

// blockReader reads communes by a connection of its own, so that the database works while blocks are
// made and written. A first file has two of them: one process of the database takes longer to give the
// rows than it takes to write them. Later only what has changed is read, by one, which leaves a
// processor to the requests that are served from the file.
type blockReader struct {
	tx           pgx.Tx
	idle, filled chan *blockBuilder
}

func newBlockReader(tx pgx.Tx) *blockReader {
	r := &blockReader{tx: tx, idle: make(chan *blockBuilder, buildersPerReader), filled: make(chan *blockBuilder,
		buildersPerReader)}
	for range buildersPerReader {
		r.idle <- new(blockBuilder)
	}
	return r
}

// writeBlocks writes the block of each commune that has parcels, and gives their entries. Each reader reads
// every n-th changed commune.
func writeBlocks(ctx context.Context, w *snapshot.Writer, list []storedCommune, before *Index,
	readers []*blockReader) (entries []entry, err error) {
	g, ctx := errgroup.WithContext(ctx)
	turns := make([][]storedCommune, len(readers))
	changed := 0
	for _, c := range list {
		if _, _, same := before.unchangedBlock(c); !same {
			turn := changed % len(readers)
			turns[turn] = append(turns[turn], c)
			changed++
		}
	}
	for i, r := range readers {
		g.Go(func() error { return r.readBlocks(ctx, turns[i]) })
	}
	g.Go(func() error {
		read := 0
		for _, c := range list {
			e, block, same := before.unchangedBlock(c)
			r := readers[read%len(readers)]
			var m *blockBuilder
			if !same {
				read++
				if m, err = nextBuilder(ctx, r.filled); err != nil {
					return err
				}
				e, block = m.buildBlock(c)
			}
			if e.Parcels > 0 {
				e.Block, e.Partial = w.Length(), c.partial
				if _, err := w.Write(block); err != nil {
					return err
				}
				entries = append(entries, e)
			}
			if m != nil {
				r.idle <- m
			}
		}
		return nil
	})
	err = g.Wait()
	return entries, err
}

// readBlocks reads communes in their order, each into an idle builder.
func (r *blockReader) readBlocks(ctx context.Context, communes []storedCommune) error {
	for some := range slices.Chunk(communes, communeBatchSize) {
		var asked pgx.Batch
		for _, c := range some {
			asked.Queue(readParcels, c.code).Query(func(rows pgx.Rows) error {
				m, err := nextBuilder(ctx, r.idle)
				if err != nil {
					return err
				}
				if err := m.scanParcels(rows); err != nil {
					return fmt.Errorf("parcels of %s: %w", c.code, err)
				}
				r.filled <- m // there is room for all of them
				return nil
			})
		}
		if err := r.tx.SendBatch(ctx, &asked).Close(); err != nil {
			return err
		}
	}
	return nil
}

func nextBuilder(ctx context.Context, from <-chan *blockBuilder) (*blockBuilder, error) {
	select {
	case m := <-from:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// unchangedBlock gives the block of a commune that has not changed since.
func (x *Index) unchangedBlock(c storedCommune) (entry, []byte, bool) {
	if x == nil {
		return entry{}, nil, false
	}
	nth, ok := x.findCommune(c.code)
	if !ok || x.communes[nth].Stamp != c.stamp {
		return entry{}, nil, false
	}
	e := x.communes[nth]
	return e, x.blocks[e.Block : e.Block+e.blockSize()], true
}

// blockBuilder makes one block after the other in the same memory.
type blockBuilder struct {
	arena   geom.Arena
	parcels []parcelRead
	records []byte
	block   []byte
}

type parcelRead struct {
	row
	shape geom.Shape
}

// scanParcels takes the parcels of a commune.
func (m *blockBuilder) scanParcels(rows pgx.Rows) error {
	m.arena.Reset()
	m.parcels = m.parcels[:0]
	var p parcelRead
	var wkb pgtype.DriverBytes // a view of the connection's buffer
	_, err := pgx.ForEachRow(rows, []any{(*string)(&p.idu), &p.contenance, &p.feuille, &wkb},
		func() (err error) {
			if !isWellFormed(string(p.idu)) {
				return fmt.Errorf("%q is no reference", p.idu)
			}
			if wkb == nil {
				return missingOutlines([]string{string(p.idu[:5])})
			}
			p.shape, err = m.arena.Decode(wkb)
			m.parcels = append(m.parcels, p)
			return err
		})
	return err
}

// buildBlock makes the block of the commune whose parcels were read.
func (m *blockBuilder) buildBlock(c storedCommune) (entry, []byte) {
	slices.SortFunc(m.parcels, func(a, b parcelRead) int { return cmp.Compare(a.idu, b.idu) })
	e := entry{Stamp: c.stamp, Vintage: epochDays(c.vintage), Parcels: uint32(len(m.parcels))}
	copy(e.Code[:], c.code)
	m.buildLists(&e)
	return e, m.block
}

// buildLists makes the lists of a block, and counts them in its entry.
func (m *blockBuilder) buildLists(e *entry) {
	boxes := make([]geom.Box, len(m.parcels))
	for i, p := range m.parcels {
		boxes[i] = p.shape.Bounds()
		if i == 0 {
			e.Box = boxes[i]
		}
		e.Box = e.Box.Around(boxes[i])
	}
	var sections []section
	numbers, ends := make([]uint16, len(m.parcels)), make([]uint32, len(m.parcels))
	m.records = m.records[:0]
	for i, p := range m.parcels {
		if n := len(sections); n == 0 || string(sections[n-1].Key[:]) != string(p.idu[5:10]) {
			s := section{First: uint32(i)}
			copy(s.Key[:], p.idu[5:10])
			sections = append(sections, s)
		}
		numbers[i] = numberOf(p.idu)
		m.records = appendRecord(m.records, p, e.outlineOrigin())
		ends[i] = uint32(len(m.records))
	}
	packed, ids := geom.NewTree(boxes).Packed()
	e.Sections, e.Boxes, e.Records = uint32(len(sections)), uint32(len(packed)), uint32(len(m.records))
	m.block = appendLists(m.block[:0], snapshot.Bytes(sections), snapshot.Bytes(numbers), snapshot.Bytes(ends),
		snapshot.Bytes(ids), snapshot.Bytes(packed), m.records)
}

// appendLists appends the lists of a block, each padded.
func appendLists(b []byte, all ...[]byte) []byte {
	for _, list := range all {
		b = append(append(b, list...), make([]byte, snapshot.Padded(uint64(len(list)))-uint64(len(list)))...)
	}
	return b
}

func appendRecord(b []byte, p parcelRead, origin geom.Point) []byte {
	at := len(b)
	b = append(b, 0)
	if p.contenance.Valid {
		b[at] |= hasContenance
		b = binary.AppendVarint(b, int64(p.contenance.Int32))
	}
	if p.feuille.Valid {
		b[at] |= hasFeuille
		b = binary.AppendVarint(b, int64(p.feuille.Int32))
	}
	return p.shape.AppendDelta(b, origin)
}
