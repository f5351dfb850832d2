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
	readRegions      = `SELECT code, name, coalesce(chef_lieu, '') FROM geo.region`
	readDepartements = `SELECT code, name, coalesce(chef_lieu, ''), region_code FROM geo.departement`
	readCommunes     = `SELECT code, name, departement_code, region_code, postcodes, coalesce(population, 0)
FROM geo.commune WHERE type = 'commune-actuelle'`
	// Typed rows come first: of two rows with one code the one that has a name is used.
	readFormer = `
SELECT type, code, name, commune_code FROM geo.commune WHERE type <> 'commune-actuelle' AND commune_code IS NOT NULL
UNION ALL
SELECT 'former', unnest(former_codes), '', code FROM geo.commune WHERE type = 'commune-actuelle'`
	readEnded = `SELECT code, name, day::text FROM geo.commune_ended`
	// The edition of the code officiel géographique, where its file says it.
	readEdition = `SELECT vintage FROM geo.load WHERE active AND source = 'cog-communes' AND vintage <> ''`
	// A creation or restoration is listed with each commune that gave territory, and with the commune itself.
	readMovements = `
SELECT kind, day::text, code_before, name_before, code_after, name_after FROM geo.commune_movement
WHERE type_after = 'COM' AND (type_before = 'COM' AND kind IN (10, 30, 31, 32, 33, 41, 50)
    OR kind IN (20, 21) AND (type_before <> 'COM' OR code_before <> code_after))
ORDER BY day, code_before, code_after`
	// The intercommunal bodies with their communes: 35 000 rows of two parts, by the primary key.
	readBodies = `
SELECT attrs ->> 'code', attrs ->> 'name', code FROM geo.stat_fact
WHERE part IN ('` + source.EPCISource + `', '` + source.EPTSource + `') ORDER BY code`
	readContours = `
SELECT 'region', code, area_km2, coalesce(edition, ''), ST_AsBinary(geom) FROM geo.region_contour
UNION ALL SELECT 'departement', code, area_km2, coalesce(edition, ''), ST_AsBinary(geom) FROM geo.departement_contour
UNION ALL SELECT 'commune', code, area_km2, coalesce(edition, ''), ST_AsBinary(geom) FROM geo.commune_contour
UNION ALL SELECT 'arrondissement', code, area_km2, coalesce(edition, ''), ST_AsBinary(geom) FROM geo.arrondissement_contour`
	// What the outlines are: their files say by how many metres they are generalised (communes-5m), those of
	// the starter data, which are generalised by 20 m, do not. Of several files the coarsest counts.
	readOutlineSource = `
SELECT l.producer || ', ' || l.title, max(coalesce(substring(f->>'name' FROM '-([0-9]{1,3})m')::integer, 20))
FROM geo.load l, jsonb_array_elements(l.files::jsonb) f WHERE l.active AND l.source = 'contours-communes' GROUP BY 1`
	// The newest edition of the land area of each commune, arrondissement and département: 35 000 rows of one
	// part, by the primary key. Null of communes that were split since: those of their départements have all of
	// it.
	readLandAreas = `
SELECT DISTINCT ON (v.code) v.code, v.value IS NULL, coalesce(v.value, 0), v.period::integer, l.producer || ', ' || l.title
FROM geo.load l JOIN geo.stat_value v ON v.part = concat_ws('/', l.source, nullif(l.scope, ''))
WHERE l.active AND l.source = '` + source.LandAreaSource + `' AND v.level IN ('commune', 'arrondissement', 'departement') AND v.measure = '` + source.LandArea + `' AND (v.value IS NOT NULL OR v.status = 'split')
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
	var code, name, chefLieu, member, kind, day string
	var departement, region, now *string
	var edition string
	var postcodes []string
	var population int32
	var area landArea
	var movement movementRow
	steps := []struct {
		query string
		into  []any
		each  func()
	}{
		{readRegions, []any{&code, &name, &chefLieu}, func() { b.addRegion(code, name, chefLieu) }},
		{readDepartements, []any{&code, &name, &chefLieu, &region}, func() {
			b.addDepartement(code, name, chefLieu, region)
		}},
		{readCommunes, []any{&code, &name, &departement, &region, &postcodes, &population}, func() {
			b.addCommune(code, name, departement, region, postcodes, population)
		}},
		{readFormer, []any{&kind, &code, &name, &now}, func() { b.addFormer(kind, code, name, *now) }},
		{readEdition, []any{&edition}, func() { b.edition = stats.Year(edition) }},
		{readEnded, []any{&code, &name, &day}, func() { b.ended[code] = endedCommune{name, day} }},
		{readMovements, []any{&movement.kind, &movement.day, &movement.before, &movement.name, &movement.after,
			&movement.newName}, func() { b.movements = append(b.movements, movement) }},
		{readOutlineSource, []any{&b.outlineSource, &b.precisionM}, func() {}},
		{readLandAreas, []any{&code, &area.isSplit, &area.km2, &area.year, &area.source}, func() { b.addLandArea(code, area) }},
		{readBodies, []any{&code, &name, &member}, func() { b.addMember(code, name, member) }},
	}
	for _, step := range steps {
		rows, _ := tx.Query(ctx, step.query) // the rows have its error too
		if _, err := pgx.ForEachRow(rows, step.into, func() error { step.each(); return nil }); err != nil {
			return err
		}
	}
	b.sortCommunes()
	// The outlines are decoded one by one, directly from the connection's buffer.
	rows, _ := tx.Query(ctx, readContours) // the rows have its error too
	var level string
	var areaKm2 float64
	var wkb pgtype.DriverBytes
	_, err := pgx.ForEachRow(rows, []any{&level, &code, &areaKm2, &edition, &wkb}, func() error {
		o := b.outlines[[2]string{level, code}]
		if o == nil {
			return nil
		}
		shape, err := b.arena.Decode(wkb)
		if err != nil {
			return fmt.Errorf("outline of %s: %w", code, err)
		}
		if !shape.Empty() {
			o.shape, o.areaKm2 = b.arena.Indexed(shape), stats.Round(&areaKm2, 2)
			o.origin = b.describeOutline(edition)
		}
		return nil
	})
	return err
}
