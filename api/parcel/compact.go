package parcel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
)

// Outlines lie in the database and in the file, each copy half of what parcels take. A compact database has
// the references, areas and sheets alone; the file is then the only copy of the outlines.

// compactBatch is how many parcels lose their outlines before their space is given back: the table
// would grow to twice its size otherwise.
const compactBatch = 1_000_000

const (
	// One pass over 128 parcels a row, whose outlines are stored apart and are not read.
	withOutlines = `SELECT DISTINCT left(first_idu, 5) FROM geo.parcel_block WHERE shapes IS NOT NULL ORDER BY 1`
	// By parcel_block_pkey.
	dropOutlines = `UPDATE geo.parcel_block b SET shapes = NULL FROM unnest($1::text[]) c (code)
WHERE b.first_idu BETWEEN c.code AND c.code || 'ZZZZZZZZZ' AND b.shapes IS NOT NULL`
)

// Compact takes the outlines of parcels out of the database once the file has been made from what is loaded
// and every parcel that loses them can be read in it. Communes that are compact already are left alone. conn
// is of the owner of the tables, and no load may be under way. It may be repeated after it was interrupted.
// It returns of how many parcels it took the outlines.
func (s *IndexStore) Compact(ctx context.Context, conn *pgx.Conn) (parcels int, err error) {
	if err := s.Refresh(ctx); err != nil {
		return 0, err
	}
	x := s.Get()
	rows, _ := conn.Query(ctx, withOutlines) // the rows have its error too
	codes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("list the communes with outlines: %w", err)
	}
	counts := make([]int, len(codes))
	for i, code := range codes {
		nth, ok := x.findCommune(code)
		if !ok {
			return 0, fmt.Errorf("take the outlines out of the database: the file has no commune %s", code)
		}
		if err := x.verifyCommune(nth); err != nil {
			return 0, err
		}
		counts[i] = int(x.communes[nth].Parcels)
	}
	first, inBatch := 0, 0
	for i, n := range counts {
		inBatch += n
		if inBatch < compactBatch && i+1 < len(codes) {
			continue
		}
		if _, err := conn.Exec(ctx, dropOutlines, codes[first:i+1]); err != nil {
			return parcels, fmt.Errorf("take the outlines out of the database: %w", err)
		}
		if _, err := conn.Exec(ctx, "VACUUM geo.parcel_block"); err != nil {
			return parcels, fmt.Errorf("give back the space of outlines: %w", err)
		}
		parcels += inBatch
		first, inBatch = i+1, 0
	}
	return parcels, nil
}

// The blocks of communes that have no outlines, by parcel_block_pkey.
const readCompact = `SELECT b.first_idu, b.idus FROM unnest($1::text[]) c (code)
JOIN geo.parcel_block b ON b.first_idu BETWEEN c.code AND c.code || 'ZZZZZZZZZ' WHERE b.shapes IS NULL`

// In the order of the references of the block.
const writeOutlines = `UPDATE geo.parcel_block SET shapes = (
	SELECT array_agg(ST_AsTWKB(ST_GeomFromEWKB(u.outline), 7) ORDER BY u.nth)
	FROM unnest($2::bytea[]) WITH ORDINALITY AS u (outline, nth))
WHERE first_idu = $1`

// compactBlock is a block without outlines.
type compactBlock struct {
	First string
	IDUs  []string
}

// restoreBatch is of how many communes outlines are written in one transaction.
const restoreBatch = 100

// Restore writes outlines that a compact database lacks back from the file: of the parcels of some communes
// and arrondissements, or of all where codes is nil. It returns how many parcels these were. Where the file
// does not have those of a commune as they were loaded it fails, once it has written the others, with a
// fault.Unavailable that names the communes.
func (s *IndexStore) Restore(ctx context.Context, conn *pgx.Conn, codes []string) (parcels int, err error) {
	var stored []storedCommune
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
		stored, err = s.builder.listCommunes(ctx, tx)
		return err
	})
	if err != nil {
		return 0, err
	}
	if codes != nil {
		asked := make(map[string]bool, len(codes))
		for _, code := range codes {
			asked[code] = true
		}
		stored = slices.DeleteFunc(stored, func(c storedCommune) bool { return !asked[c.code] })
	}
	var missing []string
	for some := range slices.Chunk(stored, restoreBatch) {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			n, lacked, err := s.restoreSome(ctx, tx, some)
			parcels, missing = parcels+n, append(missing, lacked...)
			return err
		})
		if err != nil {
			return parcels, fault.Wrap("write outlines back to the database", err)
		}
	}
	if len(missing) > 0 {
		return parcels, missingOutlines(missing)
	}
	return parcels, nil
}

// restoreSome writes the outlines of some communes back. It returns of how many parcels, and the communes
// that the file lacks.
func (s *IndexStore) restoreSome(ctx context.Context, tx pgx.Tx, communes []storedCommune) (parcels int,
	missing []string, err error) {
	same := make(map[string]bool, len(communes))
	for _, c := range communes {
		same[c.code] = false
	}
	rows, _ := tx.Query(ctx, readCompact, slices.Collect(maps.Keys(same))) // the rows have its error too
	blocks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[compactBlock])
	if err != nil || len(blocks) == 0 {
		return 0, nil, err
	}
	if s.Get() == nil {
		if err := s.Open(); err != nil {
			return 0, nil, err
		}
	}
	for _, c := range communes {
		_, _, same[c.code] = s.Get().unchangedBlock(c)
	}
	var batch pgx.Batch
	for _, b := range blocks {
		if code := b.First[:5]; !same[code] {
			if !slices.Contains(missing, code) {
				missing = append(missing, code)
			}
			continue
		}
		outlines, err := s.Get().readOutlines(b.IDUs)
		if err != nil {
			return 0, nil, unreadable(err)
		}
		batch.Queue(writeOutlines, b.First, outlines)
		parcels += len(outlines)
	}
	return parcels, missing, tx.SendBatch(ctx, &batch).Close()
}

// Gives up the blocks without outlines, the communes that have some, and the loads that serve no other.
const forgetCompact = `WITH lost AS (DELETE FROM geo.parcel_block WHERE shapes IS NULL RETURNING left(first_idu, 5) AS code),
commune AS (DELETE FROM geo.parcelle_commune c USING (SELECT DISTINCT code FROM lost) l WHERE c.code = l.code RETURNING c.code, c.load_id),
load AS (UPDATE geo.load l SET active = false WHERE l.id IN (SELECT load_id FROM commune)
	AND NOT EXISTS (SELECT FROM geo.parcelle_commune c WHERE c.load_id = l.id AND c.code NOT IN (SELECT code FROM commune)))
SELECT count(*)::int FROM commune`

// Forget takes the parcels out of a compact database whose file with their outlines is lost: their communes
// are then as if they had never been loaded. It returns how many these are.
func Forget(ctx context.Context, conn *pgx.Conn) (communes int, err error) {
	err = conn.QueryRow(ctx, forgetCompact).Scan(&communes)
	return communes, fault.Wrap("take the parcels without outlines out", err)
}

// maxNamed is how many communes an error names.
const maxNamed = 10

// missingOutlines is the error where neither the database nor the file has the outlines of communes.
func missingOutlines(codes []string) error {
	slices.Sort(codes)
	named := strings.Join(codes[:min(len(codes), maxNamed)], ", ")
	if more := len(codes) - maxNamed; more > 0 {
		named += fmt.Sprintf(" and %d more communes", more)
	}
	return fault.Down(fmt.Sprintf("The outlines of parcels of %s are not in the database since arpent parcels "+
		"compact, and no file of parcels here has them as they were loaded: copy parcels.index from the state folder "+
		"of an instance that serves them, or give these parcels up by arpent parcels restore --lost.", named), nil)
}

// readOutlines returns the outlines of parcels in EWKB.
func (x *Index) readOutlines(idus []string) (out [][]byte, err error) {
	var arena geom.Arena
	for _, idu := range idus {
		arena.Reset()
		_, shape, ok, err := x.findParcel(IDU(idu), &arena)
		if err != nil || !ok {
			return nil, fmt.Errorf("parcel %s is not in the file: %w", idu, err)
		}
		out = append(out, shape.AppendEWKB(nil))
	}
	return out, nil
}
