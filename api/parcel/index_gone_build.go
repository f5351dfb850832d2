package parcel

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/report"
	"arpent/internal/snapshot"
)

// Every commune with parcels that are gone: what these are, in short, and the box around them. All rows are
// read, once each time that the file is made.
const readGoneCommunes = `
SELECT code, of, ST_XMin(box), ST_YMin(box), ST_XMax(box), ST_YMax(box)
FROM (SELECT left(idu, 5) AS code, sum(hashtextextended(concat_ws(' ', idu, vintage, md5(geom::bytea)), 0)::numeric)::text AS of, ST_Extent(geom) AS box
    FROM geo.parcelle_passee GROUP BY 1) c
ORDER BY code COLLATE "C"`

// By parcelle_passee_pkey: some hundred rows.
const readGone = `SELECT idu, vintage, ST_XMin(geom), ST_YMin(geom), ST_XMax(geom), ST_YMax(geom) FROM geo.parcelle_passee WHERE idu BETWEEN $1 AND $1 || 'ZZZZZZZZZ' ORDER BY idu COLLATE "C"`

//go:embed gone.sql
var findGone string

// goneRow is a row of it.
type goneRow struct {
	Seen      *time.Time
	Successor *string
}

// storedGoneCommune is a commune with parcels that are gone, as the database has it.
type storedGoneCommune struct {
	code, of string
	box      geom.Box
}

// buildGone writes what became of the parcels that are gone: their successors are what the database
// answers for each. They are copied from the file of before where neither the statement nor these parcels
// have changed, nor any commune that their successors may lie in.
func buildGone(ctx context.Context, tx pgx.Tx, w *snapshot.Writer, communes []entry, before *Index) error {
	rows, _ := tx.Query(ctx, readGoneCommunes) // the rows have its error too
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c storedGoneCommune, err error) {
		var minX, minY, maxX, maxY float64
		err = row.Scan(&c.code, &c.of, &minX, &minY, &maxX, &maxY)
		c.box = boxInFile(minX, minY, maxX, maxY)
		return c, err
	})
	if err != nil {
		return fmt.Errorf("read the communes of parcels that are gone: %w", err)
	}
	boxes := make([]geom.Box, len(communes))
	for i := range communes {
		boxes[i] = communes[i].Box
	}
	around := geom.NewTree(boxes)
	if err := w.Begin(goneSection); err != nil {
		return err
	}
	entries, near := make([]goneEntry, 0, len(list)), before.unchangedNear(communes)
	for _, c := range list {
		stamp := xxhash.New()
		_, _ = fmt.Fprintf(stamp, "%s %s %s\n", c.code, c.of, findGone) // it never fails
		for _, nth := range slices.Sorted(around.In(c.box)) {
			_, _ = fmt.Fprintf(stamp, "%s %x\n", communes[nth].Code, communes[nth].Stamp)
		}
		e, block, same := before.unchangedGoneBlock(c.code, stamp.Sum64())
		if !same {
			if e, block, err = buildGoneBlock(ctx, tx, c.code, near); err != nil {
				return fmt.Errorf("parcels of %s that are gone: %w", c.code, err)
			}
		}
		e.Block, e.Stamp = w.Length(), stamp.Sum64()
		if _, err := w.Write(block); err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return snapshot.Put(w, goneCommunesSection, entries)
}

// boxInFile is a box around what lies between coordinates in degrees, once its outlines are rounded as in the
// file.
func boxInFile(minX, minY, maxX, maxY float64) geom.Box {
	low, high := geom.Snap(minX, minY), geom.Snap(maxX, maxY)
	return geom.Box{MinX: low.X, MinY: low.Y, MaxX: high.X, MaxY: high.Y}.Expand(1)
}

// unchangedGoneBlock gives what was written of a commune when it was made from the same.
func (x *Index) unchangedGoneBlock(code string, stamp uint64) (goneEntry, []byte, bool) {
	if x == nil {
		return goneEntry{}, nil, false
	}
	nth, ok := x.findGoneEntry(code)
	if !ok || x.gone[nth].Stamp != stamp {
		return goneEntry{}, nil, false
	}
	e := x.gone[nth]
	return e, x.goneBlocks[e.Block : e.Block+e.blockSize()], true
}

// unchangedNear returns what finds the parcels around a box that are as they were before: of communes that
// have the same stamp. The database may lack their outlines, unlike those of parcels that a load has changed.
func (x *Index) unchangedNear(communes []entry) func(geom.Box) (report.Near, error) {
	same := map[[5]byte]bool{}
	for i := range communes {
		if x != nil {
			nth, ok := x.findCommune(string(communes[i].Code[:]))
			same[communes[i].Code] = ok && x.communes[nth].Stamp == communes[i].Stamp
		}
	}
	return func(box geom.Box) (near report.Near, err error) {
		if x == nil {
			return near, nil
		}
		return x.nearBox(box, func(idu IDU) bool { return same[[5]byte([]byte(idu[:5]))] })
	}
}

// buildGoneBlock makes the lists of a commune. near gives parcels around a box that the database may lack.
func buildGoneBlock(ctx context.Context, tx pgx.Tx, code string, near func(geom.Box) (report.Near, error)) (
	goneEntry, []byte, error) {
	rows, _ := tx.Query(ctx, readGone, code) // the rows have its error too
	var list []goneParcel
	var idu string
	var vintage *time.Time
	var minX, minY, maxX, maxY float64
	asked := &pgx.Batch{}
	var successors []successor
	_, err := pgx.ForEachRow(rows, []any{&idu, &vintage, &minX, &minY, &maxX, &maxY}, func() error {
		if !isWellFormed(idu) {
			return fmt.Errorf("%q is no reference", idu)
		}
		p := goneParcel{Key: [9]byte([]byte(idu[5:])), Vintage: epochDays(vintage)}
		nth := len(list)
		list = append(list, p)
		around, err := near(boxInFile(minX, minY, maxX, maxY))
		if err != nil {
			return err
		}
		asked.Queue(findGone, idu, around.IDUs, around.Outlines).Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[goneRow])
			for _, r := range found {
				if r.Successor != nil {
					successors = append(successors, successor([]byte(*r.Successor)))
				}
			}
			list[nth].End = uint32(len(successors))
			return err
		})
		return nil
	})
	if err == nil {
		err = tx.SendBatch(ctx, asked).Close()
	}
	return newGoneEntry(code, list, successors), encodeGoneLists(list, successors), err
}

func newGoneEntry(code string, list []goneParcel, successors []successor) goneEntry {
	return goneEntry{Code: [5]byte([]byte(code)), Parcels: uint32(len(list)),
		Successors: uint32(len(successors))}
}

// encodeGoneLists are the lists as they lie in the file.
func encodeGoneLists(list []goneParcel, successors []successor) []byte {
	return appendLists(nil, snapshot.Bytes(list), snapshot.Bytes(successors))
}

// epochDays is a day of an edition as the file has it.
func epochDays(vintage *time.Time) int32 {
	if vintage == nil {
		return noVintage
	}
	return int32(vintage.Unix() / secondsADay)
}
