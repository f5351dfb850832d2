// Package parcel finds cadastral parcels by reference and at a point: in a file that is read in place, made of what the database
// has, and in the database what is not in the file.
package parcel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/geom"
	"arpent/api/reply"
	"arpent/app/base/fault"
	"arpent/app/base/pgdb"
)

// queryTimeout bounds each look-up, the wait for a connection included. One takes well under a millisecond.
const queryTimeout = 2 * time.Second

// Place is where a parcel lies, from the first five characters of its reference.
type Place struct {
	CodeInsee   string // of the commune
	CommuneName string
	CodeDep     string // three characters overseas
	CodeArr     string // last three digits of the arrondissement's code; empty elsewhere
}

// Places returns the place of a commune or arrondissement code; false when it is unknown or not loaded yet.
type Places func(code string) (Place, bool)

// Explain says what a code is that is taken for that of a commune: a postcode, or one of an overseas collectivity. Empty: it
// is neither.
type Explain func(code string) string

// Store reads parcels.
type Store struct {
	db      *pgdb.Readers
	places  Places
	explain Explain
	index   func() *Index // nil while there is no file
	arenas  sync.Pool     // of *geom.Arena
}

// New returns a store that reads parcels from the file that index gives, and from db what is not in it; their place is from
// places. explain is for references that are not found.
func New(db *pgdb.Readers, places Places, explain Explain, index func() *Index) *Store {
	return &Store{db: db, places: places, explain: explain, index: index, arenas: sync.Pool{New: func() any { return new(geom.Arena) }}}
}

// Both by parcelle_pkey, at most one row, and by parcelle_commune_pkey. The area of the outline is that on a sphere, as if its
// lowest latitude held for all of it: right to a percent or so, which is enough to find a contenance that is another parcel's.
const (
	metresADegree = 111195
	outlineArea   = `ST_Area(p.geom) * cos(radians(ST_YMin(p.geom))) * 111195 * 111195`
	columns       = `p.contenance, p.feuille, (SELECT c.vintage FROM geo.parcelle_commune c WHERE c.code = left(p.idu, 5)), ` + outlineArea
	findPlain     = `SELECT ` + columns + `, NULL::bytea FROM geo.parcelle p WHERE p.idu = $1`
	findGeometry  = `SELECT ` + columns + `, ST_AsBinary(p.geom) FROM geo.parcelle p WHERE p.idu = $1`
)

// Find returns the parcel with this reference, with its outline if geometry is set. The answer is written over buffer, if that is
// large enough. It returns fault.Invalid for a malformed reference, fault.Missing for a parcel that is not served, and fault.Down
// when the database cannot be read.
func (s *Store) Find(ctx context.Context, idu string, geometry bool, buffer []byte) (reply.Reply, error) {
	id, err := ParseIDU(idu)
	if err != nil {
		return reply.Reply{}, err
	}
	arena := s.arena()
	defer s.arenas.Put(arena)
	if x := s.index(); x != nil {
		found, shape, ok, err := x.find(id, geometry, arena)
		if err != nil {
			slog.ErrorContext(ctx, "parcel not read from the file; the database is asked", "error", err)
		} else if ok {
			return s.compose(found, shape, geometry, buffer)
		}
		if err := s.goneFrom(ctx, x, id); err != nil {
			return reply.Reply{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var found row
	var shape geom.Shape
	err = s.db.Read(ctx, func(ctx context.Context, db *pgxpool.Pool) (err error) {
		found, shape, err = read(ctx, db, id, geometry, arena)
		return err
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return reply.Reply{}, s.missing(ctx, id)
	case err != nil:
		return reply.Reply{}, s.alone(id, err)
	}
	return s.compose(found, shape, geometry, buffer)
}

func (s *Store) arena() *geom.Arena {
	a := s.arenas.Get().(*geom.Arena)
	a.Reset()
	return a
}

// read releases the connection before the next query and before encoding.
func read(ctx context.Context, db *pgxpool.Pool, id IDU, geometry bool, arena *geom.Arena) (row, geom.Shape, error) {
	query := findPlain
	if geometry {
		query = findGeometry
	}
	found := row{idu: id}
	var shape geom.Shape
	rows, err := db.Query(ctx, query, string(id))
	if err != nil {
		return row{}, geom.Shape{}, down(err)
	}
	defer rows.Close()
	if !rows.Next() {
		if rows.Err() != nil {
			return row{}, geom.Shape{}, down(rows.Err())
		}
		return row{}, geom.Shape{}, pgx.ErrNoRows
	}
	var wkb pgtype.DriverBytes // a view of the connection's buffer
	var outlineM2 float64
	if err := rows.Scan(&found.contenance, &found.feuille, &found.vintage, &outlineM2, &wkb); err != nil {
		return row{}, geom.Shape{}, down(err)
	}
	found.differs = differs(found.contenance, outlineM2)
	if geometry {
		if shape, err = arena.Decode(wkb); err != nil {
			return row{}, geom.Shape{}, fmt.Errorf("outline of parcel %s: %w", id, err)
		}
	}
	return found, shape, nil
}

// compose encodes the answer, with the outline if geometry is set.
func (s *Store) compose(r row, shape geom.Shape, geometry bool, buffer []byte) (reply.Reply, error) {
	place, ok := s.places(r.idu.Commune())
	if !ok {
		return reply.Reply{}, fault.Down("The commune of this parcel is not loaded yet. Try again later.", nil)
	}
	outline := &shape
	if !geometry {
		outline = nil
	}
	answer := reply.New(encode(buffer, r, place, outline))
	answer.Own = true
	return answer, nil
}

// Those whose box touches the unit square around the point, by parcelle_geom: a few. The cover test is ours, on whole
// numbers: any vertex of an outline that we gave out is on the border, which floating point cannot promise.
const findAt = `
SELECT p.idu, ` + columns + `, ST_AsBinary(p.geom) FROM geo.parcelle p
WHERE p.geom && ST_MakeEnvelope($1, $2, $3, $4, 4326)`

// At answers for the parcel that covers a point; on a border, for the one with the lowest reference. buffer is as in Find.
func (s *Store) At(ctx context.Context, lat, lon float64, geometry bool, buffer []byte) (reply.Reply, error) {
	arena := s.arena()
	defer s.arenas.Put(arena)
	p := geom.Snap(lon, lat)
	if x := s.index(); x != nil {
		found, shape, ok, err := x.at(p, arena)
		if err != nil {
			slog.ErrorContext(ctx, "parcel not read from the file; the database is asked", "error", err)
		} else if ok {
			return s.compose(found, shape, geometry, buffer)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var found row
	var shape geom.Shape
	err := s.db.Read(ctx, func(ctx context.Context, db *pgxpool.Pool) (err error) {
		found, shape, err = readAt(ctx, db, p, arena)
		return err
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return reply.Reply{}, fault.Missing("No parcel covers the point %s.", p)
	case err != nil:
		return reply.Reply{}, err
	}
	return s.compose(found, shape, geometry, buffer)
}

func readAt(ctx context.Context, db *pgxpool.Pool, p geom.Point, arena *geom.Arena) (row, geom.Shape, error) {
	box := p.Around()
	rows, err := db.Query(ctx, findAt, box[0], box[1], box[2], box[3])
	if err != nil {
		return row{}, geom.Shape{}, down(err)
	}
	var (
		best, next row
		shape      geom.Shape
		outlineM2  float64
		wkb        pgtype.DriverBytes // a view of the connection's buffer
	)
	_, err = pgx.ForEachRow(rows, []any{(*string)(&next.idu), &next.contenance, &next.feuille, &next.vintage, &outlineM2, &wkb}, func() error {
		candidate, err := arena.Decode(wkb)
		if err != nil {
			return fmt.Errorf("outline of parcel %s: %w", next.idu, err)
		}
		if (best.idu == "" || next.idu < best.idu) && candidate.Covers(p) {
			best, shape = next, candidate
			best.differs = differs(best.contenance, outlineM2)
		}
		return nil
	})
	switch {
	case err != nil:
		return row{}, geom.Shape{}, down(err)
	case best.idu == "":
		return row{}, geom.Shape{}, pgx.ErrNoRows
	}
	return best, shape, nil
}

// rows reads the rows of a statement.
func rows[T any](ctx context.Context, s *Store, scan pgx.RowToFunc[T], sql string, args ...any) (out []T, err error) {
	err = s.db.Read(ctx, func(ctx context.Context, db *pgxpool.Pool) (err error) {
		rows, _ := db.Query(ctx, sql, args...) // CollectRows returns its error
		out, err = pgx.CollectRows(rows, scan)
		return err
	})
	return out, err
}

// row reads the one row of a statement, or pgx.ErrNoRows.
func (s *Store) row(ctx context.Context, sql string, args []any, to ...any) error {
	return s.db.Read(ctx, func(ctx context.Context, db *pgxpool.Pool) error {
		return db.QueryRow(ctx, sql, args...).Scan(to...)
	})
}

func down(err error) error {
	if errors.Is(err, context.Canceled) {
		return fault.Down("The request was given up.", err)
	}
	return fault.Down("The parcels cannot be read at the moment. Trying again is safe.", err)
}
