package stats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"arpent/internal/fault"
	"arpent/internal/opendata/source"
)

// Whole tables are read. Order is given in memory.
const (
	// Statistics name the producer and the title of what they are made from.
	readSource = `
SELECT coalesce(md5(string_agg(concat_ws(' ', source, scope, checksum, producer, title, vintage), ',' ORDER BY source, scope)), '') FROM geo.load
WHERE active AND source = ANY ($1)`
	readLoads = `
SELECT CASE scope WHEN '' THEN source ELSE source || '/' || scope END, source, scope, producer, title, coalesce(vintage, '') FROM geo.load WHERE active`
	readRegions      = `SELECT code, '', NULL::float8, NULL::float8 FROM geo.region ORDER BY code`
	readDepartements = `SELECT code, coalesce(region_code, ''), NULL::float8, NULL::float8 FROM geo.departement ORDER BY code`
	readCommunes     = `
SELECT k.code, k.departement_code, ST_Y(p), ST_X(p)
FROM geo.commune k LEFT JOIN geo.commune_contour c USING (code) LEFT JOIN LATERAL ST_PointOnSurface(c.geom) p ON true
WHERE k.type = 'commune-actuelle' AND k.departement_code IS NOT NULL ORDER BY k.code`
	readArrondissements = `
SELECT k.code, k.commune_code, ST_Y(p), ST_X(p)
FROM geo.commune k LEFT JOIN geo.arrondissement_contour c USING (code) LEFT JOIN LATERAL ST_PointOnSurface(c.geom) p ON true
WHERE k.type = 'arrondissement-municipal' AND k.commune_code IS NOT NULL ORDER BY k.code`
	readTerritoryChanges = `
SELECT code_after, max(day)::text FROM geo.commune_movement
WHERE kind IN (20, 21, 30, 31, 32, 33) AND type_before = 'COM' AND type_after = 'COM' GROUP BY code_after`
	readValues                = `SELECT part, level, code, measure, period, value, status FROM geo.stat_value`
	valueColumn, statusColumn = 5, 6
	readFacts                 = `SELECT part, level, code, kind, period, attrs::text FROM geo.stat_fact`
)

// commonTables are what is read of every topic.
var commonTables = []string{"geo.region", "geo.departement", "geo.commune", "geo.commune_contour",
	"geo.commune_movement", "geo.arrondissement_contour", "geo.stat_value", "geo.stat_fact"}

// sourceFingerprint identifies that of the loads of all sources, and the keys that are made from them:
// another version of the program may have others.
func (c *Catalogue) sourceFingerprint(ctx context.Context, tx pgx.Tx) (s string, err error) {
	var names []string
	for _, one := range c.sources {
		names = append(names, one.Name)
	}
	if err = tx.QueryRow(ctx, readSource, names).Scan(&s); err != nil {
		return "", fmt.Errorf("read the loads: %w", err)
	}
	keys := xxhash.New()
	for _, level := range []Level{Commune, Arrondissement, Departement, Region, Nation} {
		_, _ = fmt.Fprintln(keys, level, c.Keys(level)) // it never fails
	}
	return fmt.Sprintf("%s %x", s, keys.Sum64()), nil
}

// Read gives what is in the tables at the moment of the transaction, with
// what follows from it for larger territories.
func (c *Catalogue) Read(ctx context.Context, tx pgx.Tx) (*Data, error) {
	d := newData(c)
	for _, step := range []func(context.Context, pgx.Tx) error{
		d.readLoads, d.readTerritories, d.readTerritoryChanges, d.readValues, d.readFacts,
	} {
		if err := step(ctx, tx); err != nil {
			return nil, err
		}
	}
	for _, t := range c.topics {
		if t.Read == nil {
			continue
		}
		if err := t.Read(ctx, tx, d); err != nil {
			return nil, err
		}
	}
	d.aggregateFigures()
	return d, nil
}

func newData(c *Catalogue) *Data {
	known := newFigureNames()
	d := &Data{names: known, ByCode: map[Level]map[string]*Territory{}, Loads: map[string]*Load{}, catalogue: c,
		territoryChanges: map[string]string{},
		Nation:           &Territory{Level: Nation, Code: "FR", names: known}}
	for _, l := range []Level{Commune, Arrondissement, Departement, Region, Zone} {
		d.ByCode[l] = map[string]*Territory{}
	}
	d.ByCode[Nation] = map[string]*Territory{"FR": d.Nation}
	d.inputsByLevel = sync.OnceValue(d.collectInputs)
	return d
}

func (d *Data) readLoads(ctx context.Context, tx pgx.Tx) error {
	declared := map[string]source.Source{}
	for _, s := range d.catalogue.declared {
		declared[s.Name] = s
	}
	rows, _ := tx.Query(ctx, readLoads) // the rows have its error too
	var l Load
	_, err := pgx.ForEachRow(rows, []any{&l.Part, &l.Source, &l.Scope, &l.Producer, &l.Title, &l.Vintage},
		func() error {
			one := l
			of := declared[l.Source]
			one.Rank, one.Sums = of.Target.Rank, of.Sums
			one.Provisional, one.Rounded = of.Provisional, of.Rounded
			d.Loads[l.Part] = &one
			if len(d.names.loads) > math.MaxUint16 {
				return fmt.Errorf("more than %d loads are active", math.MaxUint16)
			}
			one.number = uint16(len(d.names.loads))
			d.names.loads = append(d.names.loads, &one)
			return nil
		})
	return fault.Wrap("read the loads", err)
}

func (d *Data) readTerritories(ctx context.Context, tx pgx.Tx) error {
	for _, of := range []struct {
		level, parent Level
		query         string
		into          *[]*Territory
	}{
		{Region, Nation, readRegions, &d.Regions},
		{Departement, Region, readDepartements, &d.Departements},
		{Commune, Departement, readCommunes, &d.Communes},
		{Arrondissement, Commune, readArrondissements, &d.Arrondissements},
	} {
		rows, _ := tx.Query(ctx, of.query)
		var code, parent string
		var lat, lon *float64
		_, err := pgx.ForEachRow(rows, []any{&code, &parent, &lat, &lon}, func() error {
			t := &Territory{Level: of.level, Code: code, Lat: lat, Lon: lon, names: d.names}
			if of.parent == Nation {
				parent = d.Nation.Code
			}
			if t.Parent = d.Find(of.parent, parent); t.Parent != nil {
				t.Parent.Children = append(t.Parent.Children, t)
			}
			d.ByCode[of.level][code] = t
			*of.into = append(*of.into, t)
			return nil
		})
		if err != nil {
			return fmt.Errorf("read the territory: %w", err)
		}
	}
	return nil
}

// readTerritoryChanges reads when communes last merged with others or were divided.
func (d *Data) readTerritoryChanges(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, readTerritoryChanges) // the rows have its error too
	var code, day string
	_, err := pgx.ForEachRow(rows, []any{&code, &day}, func() error {
		d.territoryChanges[code] = day
		return nil
	})
	return fault.Wrap("read the changes of communes", err)
}

// Place finds the territory of a row; zones are created with their first row. nil: none is served.
func (d *Data) Place(level, code string) *Territory {
	t := d.Find(Level(level), code)
	if t == nil && Level(level) == Zone {
		t = &Territory{Level: Level(level), Code: code, names: d.names}
		d.ByCode[t.Level][code] = t
	}
	return t
}

// readValues reads rows as they come from the connection: there are millions.
func (d *Data) readValues(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, readValues)
	if err != nil {
		return fmt.Errorf("read the figures: %w", err)
	}
	defer rows.Close()
	var value pgtype.Float8
	var scan pgtype.ScanPlan
	for rows.Next() {
		if scan == nil {
			column := rows.FieldDescriptions()[valueColumn]
			scan = rows.Conn().TypeMap().PlanScan(column.DataTypeOID, column.Format, &value)
		}
		row := rows.RawValues()
		if err := scan.Scan(row[valueColumn], &value); err != nil {
			return fmt.Errorf("read the figures: %w", err)
		}
		if err := d.addFigure(row, value); err != nil {
			return fmt.Errorf("read the figures: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the figures: %w", err)
	}
	for _, all := range d.ByCode {
		for _, t := range all {
			t.sortFigures()
		}
	}
	return nil
}

// addFigure adds the figure of a row to its territory.
func (d *Data) addFigure(row [][]byte, value pgtype.Float8) error {
	from := d.Loads[string(row[0])]
	if from == nil {
		return nil
	}
	t := d.ByCode[Level(row[1])][string(row[2])]
	if t == nil {
		if t = d.Place(string(row[1]), string(row[2])); t == nil {
			return nil
		}
	}
	measure, errMeasure := d.names.measures.numberOf(row[3])
	period, errPeriod := d.names.periods.numberOf(row[4])
	status, errStatus := d.names.statuses.numberOf(row[statusColumn])
	if status > math.MaxUint8 {
		errStatus = fmt.Errorf("more than %d states of figures: %q is one too many", math.MaxUint8+1,
			row[statusColumn])
	}
	t.figures = append(t.figures, figure{value: value.Float64, known: value.Valid, from: from.number,
		status:    uint8(status),
		figureKey: figureKey{measure, period}})
	return errors.Join(errMeasure, errPeriod, errStatus)
}

func (d *Data) readFacts(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, readFacts)
	var part, level, code, attrs string
	var f Fact
	_, err := pgx.ForEachRow(rows, []any{&part, &level, &code, &f.Kind, &f.Period, &attrs}, func() error {
		t, from := d.Place(level, code), d.Loads[part]
		if t == nil || from == nil {
			return nil
		}
		f.Attrs, f.From = []byte(attrs), from
		at, _ := slices.BinarySearchFunc(t.facts, f, func(a, b Fact) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Period, b.Period), cmp.Compare(a.From.Rank,
				b.From.Rank))
		})
		t.facts = slices.Insert(t.facts, at, f)
		return nil
	})
	return fault.Wrap("read the facts", err)
}
