package territory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

// Whole tables are read: 18, 101, 35 000 rows, and as many outlines. Order is given in memory.
const (
	readRegions      = `SELECT code, name FROM geo.region`
	readDepartements = `SELECT code, name, region_code FROM geo.departement`
	readCommunes     = `SELECT code, name, departement_code, region_code, postcodes, coalesce(population, 0)
FROM geo.commune WHERE type = 'commune-actuelle'`
	// Typed rows come first: of two rows with one code the one that has a name is used.
	readFormer = `
SELECT type, code, name, commune_code FROM geo.commune WHERE type <> 'commune-actuelle' AND commune_code IS NOT NULL
UNION ALL
SELECT 'former', unnest(former_codes), '', code FROM geo.commune WHERE type = 'commune-actuelle'`
	readEnded = `SELECT code, name, day::text FROM geo.commune_ended`
	// A creation or restoration is listed with each commune that gave territory, and with the commune itself.
	readMovements = `
SELECT kind, day::text, code_before, name_before, code_after FROM geo.commune_movement
WHERE type_after = 'COM' AND (type_before = 'COM' AND kind IN (10, 30, 31, 32, 33, 41, 50)
    OR kind IN (20, 21) AND (type_before <> 'COM' OR code_before <> code_after))
ORDER BY day, code_before, code_after`
	readRegionContours      = `SELECT code, area_km2, ST_AsBinary(geom) FROM geo.region_contour`
	readDepartementContours = `SELECT code, area_km2, ST_AsBinary(geom) FROM geo.departement_contour`
	readCommuneContours     = `SELECT code, area_km2, ST_AsBinary(geom) FROM geo.commune_contour`
	readTownContours        = `SELECT code, area_km2, ST_AsBinary(geom) FROM geo.arrondissement_contour`
	// The newest edition of the land area of each commune and arrondissement: 35 000 rows of one part, by
	// the primary key.
	readLandAreas = `
SELECT DISTINCT ON (v.code) v.code, v.value, v.period::integer, l.producer || ', ' || l.title
FROM geo.load l JOIN geo.stat_value v ON v.part = concat_ws('/', l.source, nullif(l.scope, ''))
WHERE l.active AND l.source = '` + source.LandAreaSource + `' AND v.level IN ('commune', 'arrondissement') AND v.measure = '` + source.LandArea + `' AND v.value IS NOT NULL
ORDER BY v.code, v.period DESC`
)

// Load reads the territory in one repeatable-read transaction.
func Load(ctx context.Context, pool *pgxpool.Pool) (*Snapshot, error) {
	b := newBuilder()
	repeatableRead := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, pool, repeatableRead, func(tx pgx.Tx) error { return b.readTables(ctx, tx) })
	if err != nil {
		return nil, fmt.Errorf("read the territory: %w", err)
	}
	return b.buildSnapshot()
}

func (b *builder) readTables(ctx context.Context, tx pgx.Tx) error {
	var code, name, kind, day string
	var departement, region, now *string
	var postcodes []string
	var population int32
	var area landArea
	var movement movementRow
	steps := []struct {
		query string
		into  []any
		each  func()
	}{
		{readRegions, []any{&code, &name}, func() { b.addRegion(code, name) }},
		{readDepartements, []any{&code, &name, &region}, func() { b.addDepartement(code, name, region) }},
		{readCommunes, []any{&code, &name, &departement, &region, &postcodes, &population}, func() {
			b.addCommune(code, name, departement, region, postcodes, population)
		}},
		{readFormer, []any{&kind, &code, &name, &now}, func() { b.addFormer(kind, code, name, *now) }},
		{readEnded, []any{&code, &name, &day}, func() { b.ended[code] = endedCommune{name, day} }},
		{readMovements, []any{&movement.kind, &movement.day, &movement.before, &movement.name, &movement.after},
			func() { b.movements = append(b.movements, movement) }},
		{readLandAreas, []any{&code, &area.km2, &area.year, &area.source}, func() { b.addLandArea(code, area) }},
	}
	for _, step := range steps {
		rows, _ := tx.Query(ctx, step.query) // the rows have its error too
		if _, err := pgx.ForEachRow(rows, step.into, func() error { step.each(); return nil }); err != nil {
			return err
		}
	}
	b.sortCommunes()
	for query, find := range map[string]func(code string) *outline{
		readRegionContours:      b.regionOutline,
		readDepartementContours: b.departementOutline,
		readCommuneContours:     b.communeOutline,
		readTownContours:        b.arrondissementOutline,
	} {
		if err := b.readContours(ctx, tx, query, find); err != nil {
			return err
		}
	}
	return nil
}

// readContours decodes the outlines one by one, directly from the connection's buffer.
func (b *builder) readContours(ctx context.Context, tx pgx.Tx, query string,
	find func(code string) *outline) error {
	rows, _ := tx.Query(ctx, query) // the rows have its error too
	var code string
	var area float64
	var wkb pgtype.DriverBytes
	_, err := pgx.ForEachRow(rows, []any{&code, &area, &wkb}, func() error {
		o := find(code)
		if o == nil {
			return nil
		}
		shape, err := b.arena.Decode(wkb)
		if err != nil {
			return fmt.Errorf("outline of %s: %w", code, err)
		}
		if !shape.Empty() {
			o.shape, o.areaKm2 = b.arena.Indexed(shape), stats.Round(&area, 2)
		}
		return nil
	})
	return err
}
