package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

// checker checks the staged rows, each by itself and all together.
type checker struct {
	conn           *pgx.Conn
	src            source.Source
	files          []file
	refused        *rejections
	lastSurvey     *survey // nil: nothing is known
	changed        bool    // rows were taken out since
	columns        []string
	missingColumns string // see format.Lacking
	anyProjected   bool   // shapes are in other units than degrees
}

// checkRows rejects the staged rows that cannot be loaded, and repairs shapes.
func (c *checker) checkRows(ctx context.Context) error {
	if err := c.checkShapes(ctx); err != nil {
		return err
	}
	if err := analyzeTable(ctx, c.conn, "stage", c.src); err != nil {
		return err
	}
	if c.src.Unplaced != "" {
		if _, err := c.conn.Exec(ctx, "CREATE TEMP TABLE unplaced AS SELECT * FROM stage WHERE "+c.src.Unplaced); err != nil {
			return fmt.Errorf("copy the rows without a position: %w", err)
		}
	}
	for _, when := range c.src.Drop {
		if !c.anyMatch(when) {
			continue
		}
		dropped, err := c.conn.Exec(ctx, "DELETE FROM stage WHERE "+when)
		if err != nil {
			return fmt.Errorf("drop the rows where %s: %w", when, err)
		}
		c.changed = c.changed || dropped.RowsAffected() > 0
	}
	if err := c.leaveOutStacked(ctx); err != nil {
		return fmt.Errorf("leave out the rows that are stacked on one point: %w", err)
	}
	if c.src.Join != "" {
		if _, err := c.conn.Exec(ctx, "CREATE TEMP TABLE joined AS "+c.src.Join+"; ANALYZE joined"); err != nil {
			return fmt.Errorf("join the rows with those of other tables: %w", err)
		}
	}
	for _, rule := range c.src.Reject {
		if rule.LeaveOut != "" {
			if err := c.leaveOutRows(ctx, rule.LeaveOut, rule.Reason); err != nil {
				return fmt.Errorf("leave out the rows of other places: %w", err)
			}
		}
		if err := c.rejectRows(ctx, rule.When, rule.Reason); err != nil {
			return fmt.Errorf("apply the rule %s: %w", rule.When, err)
		}
	}
	for _, k := range c.src.Checks.Known {
		unknown := unknownCode(k)
		if k.Elsewhere != "" && c.anyMatch(unknown) { // of known places that are not served
			if err := c.leaveOutRows(ctx, unknown+" AND "+k.Code+" IN ("+k.Elsewhere+")", k.Reason); err != nil {
				return fmt.Errorf("leave out the rows of other places: %w", err)
			}
		}
		if err := c.rejectRows(ctx, unknown, k.Reason); err != nil {
			return fmt.Errorf("look up %s: %w", k.Code, err)
		}
	}
	return c.rejectDuplicates(ctx)
}

// rejectRows takes the rows for which when is true out of the stage.
func (c *checker) rejectRows(ctx context.Context, when, reason string) error {
	if !c.anyMatch(when) {
		return nil
	}
	return c.rejectReturned(ctx, "DELETE FROM stage WHERE "+when+" RETURNING _file, _line, "+reason)
}

// minStacked is from how many rows of one commune on one point that is the middle of the commune, where a
// register puts what it has no position of: at one address there are hardly so many sites.
const minStacked = 5

// leaveOutStacked takes the rows without a position of their own out
// of the stage, see source.Geometry.StackedBy.
func (c *checker) leaveOutStacked(ctx context.Context) error {
	g := c.src.Geometry
	if g == nil || g.StackedBy == "" {
		return nil
	}
	stacked := fmt.Sprintf(`ctid IN (SELECT place FROM (SELECT ctid AS place, count(*) OVER (PARTITION BY %s, ST_AsBinary(geom)) AS stacked
		FROM stage WHERE (%[1]s) IS NOT NULL AND geom IS NOT NULL) s WHERE stacked >= %[2]d)`, g.StackedBy, minStacked)
	if c.src.Unplaced != "" {
		if _, err := c.conn.Exec(ctx, "INSERT INTO unplaced SELECT * FROM stage WHERE "+stacked); err != nil {
			return err
		}
	}
	return c.leaveOutRows(ctx, stacked,
		"'its position is that of several sites of the commune: it is only known to be in '||("+g.StackedBy+")")
}

// leaveOutRows takes the rows that match the SQL condition when out of the
// stage, and counts them apart from rejected ones.
func (c *checker) leaveOutRows(ctx context.Context, when, reason string) error {
	var file int
	var out LeftOut
	err := c.conn.QueryRow(ctx, `WITH gone AS (DELETE FROM stage WHERE `+when+` RETURNING *)
		SELECT n.rows, stage._file, stage._line, `+reason+`
		FROM (SELECT count(*) AS rows FROM gone) n, (SELECT * FROM gone ORDER BY _file, _line LIMIT 1) stage`).Scan(
		&out.Count, &file, &out.First.Line, &out.First.Reason)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	c.changed = true
	out.First.File = c.files[file].name
	if c.refused.leftOut.Count > 0 {
		out.First = c.refused.leftOut.First
	}
	out.Count += c.refused.leftOut.Count
	c.refused.leftOut = out
	return nil
}

// rejectDuplicates keeps one row a key.
func (c *checker) rejectDuplicates(ctx context.Context) error {
	d := c.src.Dedupe
	if len(d.Key) == 0 {
		return nil
	}
	order := "_file, _line"
	if d.Best != "" {
		order = d.Best + ", " + order
	}
	key := columnList(d.Key)
	// Files have none as a rule, which is seen in a quarter of the time that numbering all rows takes.
	var any bool
	if err := c.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM stage GROUP BY "+key+
		" HAVING count(*) > 1)").Scan(&any); err != nil {
		return fmt.Errorf("look for the same key twice: %w", err)
	}
	if !any {
		return nil
	}
	return c.rejectReturned(ctx, `DELETE FROM stage s USING (
		SELECT ctid AS place, row_number() OVER w AS nth, first_value(_line) OVER w AS kept
		FROM stage WINDOW w AS (PARTITION BY `+key+` ORDER BY `+order+`)) d
		WHERE s.ctid = d.place AND d.nth > 1
		RETURNING s._file, s._line, 'its key is that of row ' || d.kept || ', which is kept'`)
}

// rejectReturned runs a DELETE that returns file, line and reason, and records what it took.
func (c *checker) rejectReturned(ctx context.Context, sql string) error {
	rows, _ := c.conn.Query(ctx, sql) // the rows have its error too
	var file int
	var r Rejection
	_, err := pgx.ForEachRow(rows, []any{&file, &r.Line, &r.Reason}, func() error {
		c.changed = true
		r.File = c.files[file].name
		c.refused.add(r)
		return nil
	})
	return err
}

// checkLoad accepts or rejects the load, and returns what it holds.
func (c *checker) checkLoad(ctx context.Context) (*survey, error) {
	found := c.lastSurvey
	if found == nil || c.changed {
		var err error
		if found, err = c.querySurvey(ctx, nil); err != nil {
			return nil, err
		}
	}
	rows := found.rows
	checks := c.src.Checks
	maxShare := checks.MaxRefused
	if maxShare == 0 {
		maxShare = 0.01
	}
	switch {
	case rows == 0 && c.refused.count == 0 && c.src.Read.Optional:
	case rows == 0:
		return nil, fmt.Errorf("it has no row that can be loaded%s%s", c.describeFirstRejection(), c.missingColumns)
	case float64(c.refused.count) > maxShare*float64(rows+c.refused.count):
		return nil, fmt.Errorf("%d of %d rows were refused, more than %g %%%s",
			c.refused.count, rows+c.refused.count, maxShare*100, c.describeFirstRejection())
	case rows < checks.MinRows:
		return nil, fmt.Errorf("it has %d rows; expected at least %d", rows, checks.MinRows)
	case checks.MaxRows > 0 && rows > checks.MaxRows:
		return nil, fmt.Errorf("it has %d rows; expected at most %d", rows, checks.MaxRows)
	}
	return found, c.runQueries(ctx)
}

// A check looks for what is not there in a good file. For a query that ends at the first row the planner
// takes nested loops, hoping to meet that row early, and they go on for hours when there is none.
const noNestedLoops = `SET LOCAL enable_nestloop = off`

// runQueries runs the checks of the source, which return error messages.
func (c *checker) runQueries(ctx context.Context) error {
	if len(c.src.Checks.Queries) == 0 {
		return nil
	}
	return pgx.BeginFunc(ctx, c.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, noNestedLoops); err != nil {
			return fmt.Errorf("check the rows: %w", err)
		}
		for _, sql := range c.src.Checks.Queries {
			found, err := pgdb.Collect(ctx, tx, pgx.RowTo[string], sql)
			if err != nil {
				return fmt.Errorf("check the rows: %w", err)
			}
			const maxShown = 5
			if more := len(found) - maxShown; more > 0 {
				found = append(found[:maxShown], fmt.Sprintf("and %d more", more))
			}
			if len(found) > 0 {
				return errors.New(strings.Join(found, "; "))
			}
		}
		return nil
	})
}

// describeFirstRejection cites the first refused row.
func (c *checker) describeFirstRejection() string {
	var r Rejection
	switch {
	case len(c.refused.first) > 0:
		r = c.refused.first[0]
	case c.refused.leftOut.Count > 0:
		r = c.refused.leftOut.First
	default:
		return ""
	}
	return fmt.Sprintf("; the first: %s, row %d: %s", r.File, r.Line, r.Reason)
}

func columnList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = pgx.Identifier{name}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}

// survey is what one reading of the stage finds out: most conditions are met by no row of most files, and a
// statement for each of them would read all rows again.
type survey struct {
	rows    int64
	matched map[string]bool // whether any row meets a condition; what is not there was not asked
	filled  []string        // see filledColumns
}

// surveyRows looks at all conditions of the source at once. One that cannot be asked of all rows, such as one
// that stands for rows that another has left, leaves everything to the statements.
func (c *checker) surveyRows(ctx context.Context) (err error) {
	c.lastSurvey, err = c.querySurvey(ctx, c.rowConditions())
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !c.conn.IsClosed() {
		return ctx.Err()
	}
	return err
}

func (c *checker) querySurvey(ctx context.Context, conditions []string) (*survey, error) {
	asked := make([]string, len(conditions))
	for i, when := range conditions {
		asked[i] = "coalesce(bool_or(" + when + "), false)"
	}
	found := survey{matched: map[string]bool{}}
	var met []bool
	sql := "SELECT count(*), ARRAY[" + strings.Join(asked, ", ") + "]::boolean[], " + filledColumns(c.src) +
		" FROM stage"
	if err := c.conn.QueryRow(ctx, sql).Scan(&found.rows, &met, &found.filled); err != nil {
		return nil, fmt.Errorf("look at the rows: %w", err)
	}
	for i, when := range conditions {
		found.matched[when] = met[i]
	}
	return &found, nil
}

// anyMatch reports whether a row may meet a condition.
func (c *checker) anyMatch(when string) bool {
	if c.lastSurvey == nil {
		return true
	}
	met, asked := c.lastSurvey.matched[when]
	return met || !asked
}

// rowConditions are those of the source that look at one row at a time. What looks at other rows or tables
// may take long, and is asked once; codes that must be known are looked up in a list.
func (c *checker) rowConditions() (all []string) {
	if g := c.src.Geometry; g != nil {
		if g.Optional {
			all = append(all, emptyShape)
		} else {
			all = append(all, degenerateShape)
		}
		if len(g.Bounds) > 0 {
			all = append(all, outOfBounds(g))
		}
	}
	rules := slices.Clone(c.src.Drop)
	for _, rule := range c.src.Reject {
		rules = append(rules, rule.When)
	}
	all = append(all, slices.DeleteFunc(rules, func(when string) bool {
		return containsFold(when, "select")
	})...)
	for _, k := range c.src.Checks.Known {
		if !containsFold(k.Query, "stage") {
			all = append(all, unknownCode(k))
		}
	}
	return all
}

func containsFold(sql, word string) bool { return strings.Contains(strings.ToLower(sql), word) }

func unknownCode(k source.Known) string {
	return k.Code + " IS NOT NULL AND " + k.Code + " NOT IN (" + k.Query + ")"
}
