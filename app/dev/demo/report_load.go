package demo

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// stageReport writes where the communes are and the shapes to be placed there.
func (w *writer) stageReport(ctx context.Context, c country, villages []village) error {
	for _, file := range []string{"report_stage.sql", "report_form.sql"} {
		sql, err := reportFiles.ReadFile("sql/" + file)
		if err != nil {
			return err
		}
		if file == "report_form.sql" {
			if err := w.stagePlaces(ctx, c, villages); err != nil {
				return err
			}
		}
		if _, err := w.conn.Exec(ctx, string(sql)); err != nil {
			return err
		}
	}
	return nil
}

// minReach is how far the things of a commune may lie from its middle where it is a sliver, in metres.
const minReach = 400

func (w *writer) stagePlaces(ctx context.Context, c country, villages []village) error {
	parcels, numbers := map[string]int{}, map[string]*int{}
	for i, v := range villages {
		parcels[v.commune], numbers[v.commune] = v.parcels, &i
	}
	var rows [][]any
	for _, l := range c.lattices {
		for i, code := range l.communes {
			middle, reach := l.site(i)
			rows = append(rows, []any{len(rows) + 1, code, l.code, float64(middle.x) / perDegree, float64(middle.y) / perDegree,
				max(reach, minReach), parcels[code], numbers[code], int64(c.seed.named(code).of(2))})
		}
	}
	columns := []string{"n", "code", "departement", "lon", "lat", "reach", "parcels", "village", "dice"}
	_, err := w.conn.CopyFrom(ctx, pgx.Identifier{"geo", "demonstration_place"}, columns, pgx.CopyFromRows(rows))
	if err == nil {
		_, err = w.conn.Exec(ctx, "ANALYZE geo.demonstration_place")
	}
	return err
}

// prepareDice makes the functions that the files of layers call known to a connection, and the seed to them.
func (w *writer) prepareDice(ctx context.Context, seed uint64) error {
	sql, err := reportFiles.ReadFile("sql/report_dice.sql")
	if err != nil {
		return err
	}
	if _, err := w.conn.Exec(ctx, string(sql)); err != nil {
		return fmt.Errorf("prepare the dice: %w", err)
	}
	_, err = w.conn.Exec(ctx, "SELECT set_config('arpent.seed', $1, false)", strconv.FormatInt(int64(seed), 10))
	return err
}

const insertLayerLoad = `
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused,
                      demonstration, started_at, loaded_at, active)
VALUES ($1, $2, $3, 'none: made up', '[]', $4, $5, 0, '[]', true, $6, clock_timestamp(), false)`

// record remembers that a job is done. Its layers are not served yet.
func (w *writer) record(ctx context.Context, tx pgx.Tx, j job, begin time.Time, rows int64) error {
	for _, layer := range j.layers {
		_, err := tx.Exec(ctx, insertLayerLoad, layerSource+layer, producer, "Demonstration: made-up rows of the layer "+layer,
			w.checksum, rows, begin)
		if err != nil {
			return fmt.Errorf("record the layer %s: %w", layer, err)
		}
	}
	return nil
}

const serveLayers = `
WITH served AS (
    UPDATE geo.load SET active = true
    WHERE demonstration AND starts_with(source, $1) AND checksum = $2
    RETURNING id, substr(source, 1 + length($1)) AS layer
)
INSERT INTO geo.coverage (layer, area, load_id) SELECT layer, '', id FROM served`

// serveReport puts all layers in service. Real data that arrived meanwhile wins.
func (w *writer) serveReport(ctx context.Context, layers []string) error {
	return pgx.BeginFunc(ctx, w.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "LOCK TABLE geo.load IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return fmt.Errorf("wait for other loads: %w", err)
		}
		if err := refuseReal(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, serveLayers, layerSource, w.checksum)
		if err != nil {
			return fmt.Errorf("serve the report: %w", err)
		}
		if int(tag.RowsAffected()) != len(layers) {
			return fmt.Errorf("%d layers of %d are there: another load removed the others", tag.RowsAffected(), len(layers))
		}
		return nil
	})
}
