package parcel

import (
	"bufio"
	"fmt"
	"io"

	"arpent/internal/opendata/geom"
	"arpent/internal/snapshot"
)

// Export writes every parcel by reference, each as a GeoJSON feature on a line of its own.
func (x *Index) Export(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<20)
	var line []byte
	for commune := range x.communes {
		err := x.each(commune, func(r row, shape geom.Shape) error {
			line = append(append(line[:0], `{"type":"Feature","id":"`...), r.idu...)
			line = append(append(line, `","properties":{"idu":"`...), r.idu...)
			line = appendAttributes(append(line, `",`...), r, shape.AreaM2())
			line = append(shape.AppendGeoJSON(append(line, `},"geometry":`...)), "}\n"...)
			_, err := out.Write(line)
			return err
		})
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// Verify reads every parcel of the file, and every one that is gone, and returns how many of these there are.
// The error names the commune of the first one that cannot be read.
func (x *Index) Verify() (gone int, err error) {
	for commune := range x.communes {
		if err := x.verifyCommune(commune); err != nil {
			return 0, err
		}
	}
	for i := range x.gone {
		for _, p := range x.goneParcels(&x.gone[i]) {
			id := IDU(x.gone[i].Code[:]) + IDU(p.Key[:])
			_, ok, err := x.findGone(id)
			if err == nil && !ok {
				err = fmt.Errorf("%w: parcel %s is in the wrong place", snapshot.ErrInvalid, id)
			}
			if err != nil {
				return 0, fmt.Errorf("parcels of commune %s that are gone: %w", x.gone[i].Code, err)
			}
			gone++
		}
	}
	return gone, nil
}

// verifyCommune reads every parcel of a commune. The error names the commune.
func (x *Index) verifyCommune(commune int) error {
	e, before := &x.communes[commune], IDU("")
	return x.each(commune, func(r row, shape geom.Shape) error {
		if box := shape.Bounds(); r.idu <= before || e.Box.Around(box) != e.Box {
			return fmt.Errorf("%w: parcel %s is in the wrong place", snapshot.ErrInvalid, r.idu)
		}
		before = r.idu
		return nil
	})
}

// each calls do with every parcel of a commune by reference, and its outline until do returns.
func (x *Index) each(commune int, do func(row, geom.Shape) error) (err error) {
	e := &x.communes[commune]
	defer func() {
		if err != nil {
			err = fmt.Errorf("commune %s: %w", e.Code, err)
		}
	}()
	defer x.endLookup(&err)
	b := x.blockAt(commune)
	var arena geom.Arena
	for nth := range b.numbers {
		r, outline, err := x.readRow(commune, &b, nth, b.iduAt(e, nth))
		if err != nil {
			return err
		}
		arena.Reset()
		shape, err := arena.DecodeDelta(outline, e.outlineOrigin())
		if err != nil {
			return fmt.Errorf("parcel %s: %w", r.idu, err)
		}
		if err := do(r, shape); err != nil {
			return err
		}
	}
	return nil
}
