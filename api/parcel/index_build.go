package parcel

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"arpent/api/geom"
	"arpent/app/base/snapshot"
)

// Every commune or arrondissement with parcels, and what its block is made from: its load, and that of the sheets where its own
// source names none. Some 35 000 rows, each with the few loads of sheets.
const readCommunes = `
SELECT c.code, c.vintage, c.complete, concat_ws(' ', l.id, l.checksum, c.vintage, s.id, s.checksum)
FROM geo.parcelle_commune c JOIN geo.load l ON l.id = c.load_id
LEFT JOIN LATERAL (SELECT f.id, f.checksum FROM geo.load f
    WHERE f.active AND f.source = ANY ($1) AND starts_with(c.code, f.scope) AND NOT c.names_sheet ORDER BY f.id DESC LIMIT 1) s ON true
ORDER BY c.code COLLATE "C"`

// By parcelle_pkey: some 2 700 rows, in the largest communes 100 000.
const readParcels = `
SELECT p.idu, p.contenance, p.feuille, ` + outlineArea + `, p.geom::bytea FROM geo.parcelle p WHERE p.idu BETWEEN $1 AND $1 || 'ZZZZZZZZZ'`

// A load can change which parcels are gone and leave those that are served as they are.
const readLoads = `SELECT concat_ws(' ', count(*), max(id)) FROM geo.load WHERE source = ANY ($1)`

// indexBuilder writes the file.
type indexBuilder struct {
	sheets, parcels []string // sources of each
}

// stored is a commune as the database has it.
type stored struct {
	code     string
	vintage  *time.Time
	complete bool
	stamp    uint64
}

func (b *indexBuilder) communes(ctx context.Context, tx pgx.Tx) ([]stored, error) {
	rows, _ := tx.Query(ctx, readCommunes, b.sheets) // the rows have its error too
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c stored, err error) {
		var from string
		err = row.Scan(&c.code, &c.vintage, &c.complete, &from)
		c.stamp = xxhash.Sum64String(from)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the communes of parcels: %w", err)
	}
	return list, nil
}

// source identifies the state of all communes, and of the parcels that are gone.
func (b *indexBuilder) source(ctx context.Context, tx pgx.Tx) (string, error) {
	list, err := b.communes(ctx, tx)
	if err != nil {
		return "", err
	}
	all := xxhash.New()
	for _, c := range list {
		_, _ = fmt.Fprintf(all, "%s %x\n", c.code, c.stamp) // it never fails
	}
	var loads string
	if err := tx.QueryRow(ctx, readLoads, b.parcels).Scan(&loads); err != nil {
		return "", fmt.Errorf("read the loads of parcels: %w", err)
	}
	_, _ = all.WriteString(loads)
	return strconv.FormatUint(all.Sum64(), 16), nil
}

// build writes the blocks: those of before that are still right as they are, the others from the database.
func (b *indexBuilder) build(ctx context.Context, tx pgx.Tx, w *snapshot.Writer, before *Index) error {
	list, err := b.communes(ctx, tx)
	if err != nil {
		return err
	}
	if err := w.Begin(blocksSection); err != nil {
		return err
	}
	entries := make([]entry, 0, len(list))
	var made blockBuilder
	for _, c := range list {
		at := w.Length()
		e, block, same := before.same(c)
		if !same {
			if e, block, err = made.read(ctx, tx, c); err != nil {
				return fmt.Errorf("parcels of %s: %w", c.code, err)
			}
		}
		if e.Parcels == 0 {
			continue
		}
		e.Block, e.Part = at, 0
		if !c.complete {
			e.Part = 1
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
		entries = append(entries, e)
	}
	defer runtime.KeepAlive(before) // whose blocks are copied
	if err := snapshot.Put(w, communesSection, entries); err != nil {
		return err
	}
	return buildGone(ctx, tx, w, entries, before)
}

// same gives the block of a commune that has not changed since.
func (x *Index) same(c stored) (entry, []byte, bool) {
	if x == nil {
		return entry{}, nil, false
	}
	nth, ok := x.commune(c.code)
	if !ok || x.communes[nth].Stamp != c.stamp {
		return entry{}, nil, false
	}
	e := x.communes[nth]
	return e, x.blocks[e.Block : e.Block+e.size()], true
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

// read makes the block of a commune.
func (m *blockBuilder) read(ctx context.Context, tx pgx.Tx, c stored) (entry, []byte, error) {
	m.arena.Reset()
	m.parcels = m.parcels[:0]
	rows, err := tx.Query(ctx, readParcels, c.code)
	if err != nil {
		return entry{}, nil, err
	}
	var p parcelRead
	var outlineM2 float64
	var wkb pgtype.DriverBytes // a view of the connection's buffer
	_, err = pgx.ForEachRow(rows, []any{(*string)(&p.idu), &p.contenance, &p.feuille, &outlineM2, &wkb}, func() error {
		if !wellFormed(string(p.idu)) {
			return fmt.Errorf("%q is no reference", p.idu)
		}
		p.differs = differs(p.contenance, outlineM2)
		p.shape, err = m.arena.Decode(wkb)
		m.parcels = append(m.parcels, p)
		return err
	})
	if err != nil {
		return entry{}, nil, err
	}
	slices.SortFunc(m.parcels, func(a, b parcelRead) int { return cmp.Compare(a.idu, b.idu) })
	e := entry{Stamp: c.stamp, Vintage: days(c.vintage), Parcels: uint32(len(m.parcels))}
	copy(e.Code[:], c.code)
	m.write(&e)
	return e, m.block, nil
}

// write makes the lists of a block, and counts them in its entry.
func (m *blockBuilder) write(e *entry) {
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
		m.records = appendRecord(m.records, p, e.origin())
		ends[i] = uint32(len(m.records))
	}
	packed, ids := geom.NewTree(boxes).Packed()
	e.Sections, e.Boxes, e.Records = uint32(len(sections)), uint32(len(packed)), uint32(len(m.records))
	m.block = lists(m.block[:0], raw(sections), raw(numbers), raw(ends), raw(ids), raw(packed), m.records)
}

// lists appends the lists of a block, each padded.
func lists(b []byte, all ...[]byte) []byte {
	for _, list := range all {
		b = append(append(b, list...), make([]byte, padded(uint64(len(list)))-uint64(len(list)))...)
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
	if p.differs {
		b[at] |= areaDiffers
	}
	return p.shape.AppendDelta(b, origin)
}

// raw is a list as it lies in memory. Its values have a fixed size and hold no pointers.
func raw[T any](values []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(one)))
}
