package bench

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/api/topic"
	"arpent/app/base/fault"
	"arpent/app/base/pgdb"
)

// bothStores are the parcels of a size as they are read from the file alone, and from the database alone.
type bothStores struct {
	file, database *parcel.Store
	found          atomic.Int64 // points that were in a parcel
}

func (o options) bothStores(ctx context.Context, s *size, pool *pgxpool.Pool) (*bothStores, error) {
	names := territory.New(pool)
	if err := names.Refresh(ctx); err != nil {
		return nil, err
	}
	index := parcel.NewIndex(pool, filepath.Join(o.state, "of-"+strconv.Itoa(s.parcels)), topic.Sources())
	if err := index.Open(); err != nil {
		return nil, err
	}
	closed, err := pgxpool.New(ctx, s.url) // without a database only what is in the file is found
	if err != nil {
		return nil, err
	}
	closed.Close()
	return &bothStores{file: parcelsFrom(closed, names, index.Get),
		database: parcelsFrom(pool, names, func() *parcel.Index { return nil })}, nil
}

type lonLat struct{ Lon, Lat float64 }

// near is how far from one in a parcel a random point lies at most, in degrees: it is in this
// parcel, in another one, on a street or outside.
const near = 0.0015

// borders are vertices and middles of edges of some parcels.
const borders = `SELECT ST_X(p), ST_Y(p)
FROM (SELECT ST_ExteriorRing(ST_GeometryN(geom, 1)) AS ring FROM geo.parcelle TABLESAMPLE BERNOULLI ($1)) r,
	LATERAL (SELECT ST_PointN(ring, i) AS a, ST_PointN(ring, i + 1) AS b FROM generate_series(1, ST_NPoints(ring) - 1) i) e,
	LATERAL (VALUES (a), (ST_Centroid(ST_Collect(a, b)))) AS v(p)
LIMIT $2`

// compareAnswers holds, byte for byte, what the file says of random points, and of a tenth as many
// on borders, against what the database says.
func (o options) compareAnswers(ctx context.Context, s *size) error {
	pool, err := pgdb.Open(ctx, s.url, pgdb.Options{MaxConns: 16, AppName: "arpent bench"})
	if err != nil {
		return err
	}
	defer pool.Close()
	both, err := o.bothStores(ctx, s, pool)
	if err != nil {
		return err
	}
	points, err := pgdb.Collect(ctx, pool, pgx.RowToStructByPos[lonLat], borders,
		min(100, 100*float64(o.points)/float64(s.parcels)), o.points/10)
	if err != nil {
		return fmt.Errorf("read points on borders: %w", err)
	}
	onBorders := len(points)
	for range o.points {
		p := s.places[rand.IntN(len(s.places))]
		points = append(points, lonLat{p.lon + (2*rand.Float64()-1)*near, p.lat + (2*rand.Float64()-1)*near})
	}
	begun := time.Now()
	if err := both.compare(ctx, points); err != nil {
		return err
	}
	fmt.Printf("%d parcels: file and database answer the same for %d random points and %d on borders, %d of all in a parcel; %.0f s\n",
		s.parcels, o.points, onBorders, both.found.Load(), time.Since(begun).Seconds())
	return nil
}

func (b *bothStores) compare(ctx context.Context, points []lonLat) error {
	all, ctx := errgroup.WithContext(ctx)
	workers := runtime.NumCPU()
	for first := range workers {
		all.Go(func() error {
			for i := first; i < len(points); i += workers {
				if err := b.sameAt(ctx, points[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return all.Wait()
}

// sameAt returns an error where the two differ. The file has no answer of its own to a
// point outside: there it asks the database.
func (b *bothStores) sameAt(ctx context.Context, p lonLat) error {
	got, gotErr := b.file.At(ctx, p.Lat, p.Lon, true, nil)
	want, wantErr := b.database.At(ctx, p.Lat, p.Lon, true, nil)
	switch {
	case wantErr != nil && fault.From(wantErr).Code != fault.NotFound:
		return wantErr
	case (gotErr == nil) != (wantErr == nil), !bytes.Equal(got.Body, want.Body), got.Version != want.Version:
		return fmt.Errorf("lat=%v, lon=%v: the file answers %s (%v), the database %s (%v)", p.Lat, p.Lon, got.Body, gotErr, want.Body, wantErr)
	case wantErr == nil:
		b.found.Add(1)
	}
	return nil
}
