package tile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/fault"
	"arpent/internal/opendata/source"
)

// maxParts is the most parts of areas, of at most 128 vertices each, that a tile is made from.
const maxParts = 3000

// Tests alone change it.
var areasTimeout = time.Second // some take fifty milliseconds

// Pauses after a tile of areas that was not made.
const (
	slowPause = 5 * time.Minute // the statement took too long; until then the tile counts as crowded
	awayPause = 5 * time.Second // the database did not answer
)

// queryCanceled is the code of an error of PostgreSQL: a statement took too long.
const queryCanceled = "57014"

// limitStatements has the database end the statements of a transaction after a time: it goes on with one
// whose client has given up. Compiling them would take longer than running them.
const limitStatements = `SELECT set_config('statement_timeout', $1, true), set_config('jit', 'off', true),
	set_config('max_parallel_workers_per_gather', '0', true)`

// drawAreas makes a tile of a layer of areas.
func (m *Maker) drawAreas(ctx context.Context, areas *source.MapLayer, a Address) (Tile, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*areasTimeout)
	defer cancel()
	var body []byte
	var parts int
	read := func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, limitStatements, fmt.Sprint(areasTimeout.Milliseconds())); err != nil {
			return err
		}
		asked := pgx.NamedArgs{"z": a.Z, "x": a.X, "y": a.Y, "limit": maxParts + 1}
		return tx.QueryRow(ctx, areas.Select, asked).Scan(&body, &parts)
	}
	err := pgx.BeginTxFunc(ctx, m.o.Database, pgx.TxOptions{AccessMode: pgx.ReadOnly}, read)
	var t Tile
	if err == nil && parts <= maxParts {
		t, err = packTile(body)
	}
	refused, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case answered && refused.Code == queryCanceled:
		return Tile{crowded: true, until: m.o.Clock.Now().Add(slowPause)}, nil
	case err != nil && (!answered || fault.From(err).Code == fault.Unavailable):
		slog.WarnContext(ctx, "tile of areas not made", "layer", areas.Name, "error", err)
		return Tile{}, Busy{awayPause}
	case err != nil:
		return Tile{}, fmt.Errorf("make tile %v of %s: %w", a, areas.Name, err)
	case parts > maxParts || len(t.Body) > maxBytes:
		return Tile{crowded: true}, nil
	}
	return t, nil
}
