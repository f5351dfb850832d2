// Package demo makes a demonstration: outlines for every commune, département and région, and parcels in some
// communes, all synthetic, for a service that has no data files. Names and codes are real. It promises that nothing real
// is ever replaced, that readers see the old state or the new one and never a part, and that the same number and seed
// make the same demonstration everywhere.
package demo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DefaultParcels makes some eight communes with parcels, in about a second.
const DefaultParcels = 20_000

// edition is part of the checksum: it changes when the same number and seed make something else.
const edition = "demonstration 1"

// ErrRealData means that the database holds real outlines or parcels, which a demonstration would hide.
var ErrRealData = errors.New("the database holds real outlines or parcels: a demonstration needs a database of its own " +
	"(set ARPENT_STATE_DIR to another folder, or ARPENT_DATABASE_URL to an empty database)")

// Options of Make.
type Options struct {
	Parcels  int    // how many parcels
	Seed     uint64 // another seed, another country
	Keep     bool   // leave a demonstration that is there, whatever its number and seed
	Report   bool   // fill every layer of the report too, at the density of the whole country
	LoadCOG  func(context.Context) error
	Progress func(Step) // called from several goroutines; nil: silent
}

// Step is how far the work is. Total is 0 where that cannot be said.
type Step struct {
	Doing       string
	Done, Total int
}

// Result says what there is now.
type Result struct {
	Made     bool // false: this very demonstration was there already
	Communes int  // with an outline
	Villages int  // communes with parcels
	Parcels  int
	Layers   int   // of the report, with synthetic rows
	Rows     int64 // of all layers
	Bytes    int64 // of the parcel table with its indexes
	Took     time.Duration
}

// Make replaces whatever demonstration there is. Where the same one is there it does nothing, where there is real
// data it returns ErrRealData. LoadCOG is called when the names and codes are not loaded.
func Make(ctx context.Context, pool *pgxpool.Pool, o Options) (Result, error) {
	begin := time.Now()
	if o.Parcels < 0 {
		return Result{}, fmt.Errorf("the number of parcels is %d: expected 0 or more", o.Parcels)
	}
	if o.Progress == nil {
		o.Progress = func(Step) {}
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Release()
	unlock, err := lockDemo(ctx, conn)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	w := writer{pool: pool, conn: conn, progress: o.Progress}
	result, err := w.make(ctx, o)
	result.Took = time.Since(begin)
	return result, err
}

func (w *writer) make(ctx context.Context, o Options) (Result, error) {
	if err := refuseReal(ctx, w.conn); err != nil {
		return Result{}, err
	}
	c, err := readCountry(ctx, w.conn, o)
	if err != nil {
		return Result{}, err
	}
	villages, err := c.villages(o.Parcels)
	if err != nil {
		return Result{}, err
	}
	result := Result{Communes: c.communes(), Villages: len(villages), Parcels: o.Parcels}
	w.checksum = c.checksum(o)
	there, err := w.there(ctx, o.Keep)
	if err == nil && !there {
		result.Made = true
		if err = w.dropReport(ctx); err == nil { // it is about the parcels that go
			err = w.write(ctx, c, villages, o.Parcels)
		}
	}
	switch {
	case err != nil || there && o.Keep:
	case o.Report:
		err = w.report(ctx, c, villages, o, &result)
	default:
		err = w.dropReport(ctx)
	}
	if err == nil {
		result.Bytes, err = w.size(ctx)
	}
	return result, err
}

// country is everything that is made, but the parcels.
type country struct {
	seed     dice
	lattices []lattice
}

// readCountry lays the country out from the codes in the database.
func readCountry(ctx context.Context, conn *pgxpool.Conn, o Options) (country, error) {
	regions, err := readRegions(ctx, conn)
	if err == nil && len(regions) == 0 && o.LoadCOG != nil {
		o.Progress(Step{Doing: "loading names and codes"})
		if err = o.LoadCOG(ctx); err == nil {
			regions, err = readRegions(ctx, conn)
		}
	}
	if err != nil {
		return country{}, fmt.Errorf("read the names and codes: %w", err)
	}
	c := country{seed: dice(o.Seed).of(0)}
	for _, d := range place(regions) {
		c.lattices = append(c.lattices, newLattice(d, c.seed))
	}
	if len(c.lattices) == 0 {
		return country{}, errors.New("no names and codes are loaded: run arpent load cog first")
	}
	return c, nil
}

const communeCodes = `
SELECT region_code, departement_code, code FROM geo.commune
WHERE type = 'commune-actuelle' AND region_code IS NOT NULL AND departement_code IS NOT NULL
ORDER BY region_code, departement_code, code`

func readRegions(ctx context.Context, conn *pgxpool.Conn) ([]region, error) {
	rows, _ := conn.Query(ctx, communeCodes) // the rows have its error too
	var regions []region
	var r, d, code string
	_, err := pgx.ForEachRow(rows, []any{&r, &d, &code}, func() error {
		if n := len(regions); n == 0 || regions[n-1].code != r {
			regions = append(regions, region{code: r})
		}
		in := &regions[len(regions)-1]
		if n := len(in.departements); n == 0 || in.departements[n-1].code != d {
			in.departements = append(in.departements, departement{code: d})
		}
		last := &in.departements[len(in.departements)-1]
		last.communes = append(last.communes, code)
		return nil
	})
	return regions, err
}

func (c country) communes() (n int) {
	for _, l := range c.lattices {
		n += len(l.communes)
	}
	return n
}

// checksum names the demonstration: what it is made from and how.
func (c country) checksum(o Options) string {
	h := sha256.New()
	fmt.Fprintln(h, edition, o.Parcels, o.Seed)
	for _, l := range c.lattices {
		fmt.Fprintln(h, l.code, l.communes)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// withArrondissements are the communes whose parcels bear the codes of arrondissements, which have no outline here.
var withArrondissements = []string{"13055", "69123", "75056"}

// villages chooses communes until they have so many parcels together.
func (c country) villages(parcels int) ([]village, error) {
	var all []village
	most := 0
	for _, l := range c.lattices {
		for i, code := range l.communes {
			middle, free := l.site(i)
			if free >= villageRadius && !slices.Contains(withArrondissements, code) {
				all = append(all, newVillage(code, middle, c.seed))
				most += all[len(all)-1].parcels
			}
		}
	}
	if parcels > most {
		return nil, fmt.Errorf("%d parcels do not fit: the demonstration has room for %d", parcels, most)
	}
	slices.SortFunc(all, func(a, b village) int { return cmp.Compare(a.dice, b.dice) })
	n := 0
	for ; parcels > 0; n++ {
		all[n].parcels = min(all[n].parcels, parcels)
		parcels -= all[n].parcels
	}
	return all[:n], nil
}
