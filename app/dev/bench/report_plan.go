package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/report"
	"arpent/api/topic"
	"arpent/app/dev/harness"
)

// largeTable is from how many rows on no statement may read a table whole.
const largeTable = 100_000

// asReports makes a connection plan as those of the service that draw reports do.
const asReports = "SET plan_cache_mode = force_generic_plan; SET jit = off; SET max_parallel_workers_per_gather = 0"

func (b *reportBench) reportConn(ctx context.Context) (*pgxpool.Conn, error) {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, asReports); err != nil {
		conn.Release()
		return nil, err
	}
	return conn, nil
}

// access is how a plan reads a table.
type access struct {
	table, node string
	rows        int64 // of the table
}

// explain lists how each statement reads its tables, with the plan that is kept for all parcels.
func (b *reportBench) explain(ctx context.Context) error {
	conn, err := b.reportConn(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	fmt.Printf("\n%-22s %-30s %12s  %s\n", "statement", "table", "rows", "read by")
	for _, s := range b.statements {
		found, err := planOf(ctx, conn.Conn(), s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		for _, a := range found {
			fmt.Printf("%-22s %-30s %12d  %s\n", s.Name, a.table, a.rows, a.node)
			if a.node == "Seq Scan" && a.rows > largeTable {
				b.fail("%s reads all %d rows of %s", s.Name, a.rows, a.table)
			}
		}
	}
	return nil
}

const tableRows = `SELECT reltuples::bigint FROM pg_class WHERE relnamespace = 'geo'::regnamespace AND relname = $1`

// planOf asks for the plan. The values of parameters make no difference to it.
func planOf(ctx context.Context, conn *pgx.Conn, s report.Statement) ([]access, error) {
	name := pgx.Identifier{"plan " + s.Name}.Sanitize()
	if _, err := conn.Exec(ctx, "PREPARE "+name+" AS "+s.SQL); err != nil {
		return nil, err
	}
	arguments := ""
	if len(s.Args) > 0 {
		arguments = "(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(s.Args)), ", ") + ")"
	}
	var plan []byte
	if err := conn.QueryRow(ctx, "EXPLAIN (FORMAT JSON) EXECUTE "+name+arguments).Scan(&plan); err != nil {
		return nil, err
	}
	var whole []struct{ Plan planNode }
	if err := json.Unmarshal(plan, &whole); err != nil {
		return nil, err
	}
	seen := map[access]bool{}
	whole[0].Plan.collect(seen)
	var found []access
	for a := range seen {
		if err := conn.QueryRow(ctx, tableRows, a.table).Scan(&a.rows); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", a.table, err)
		}
		found = append(found, a)
	}
	slices.SortFunc(found, func(a, b access) int { return strings.Compare(a.table+a.node, b.table+b.node) })
	return found, nil
}

type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Index    string     `json:"Index Name"`
	Plans    []planNode `json:"Plans"`
}

func (n planNode) collect(into map[access]bool) {
	if n.Relation != "" {
		node := n.Type
		for _, below := range n.Plans { // of a bitmap scan, or several of them united
			for below.Index == "" && len(below.Plans) > 0 {
				below = below.Plans[0]
			}
			node += " " + below.Index
		}
		if n.Index != "" {
			node += " " + n.Index
		}
		into[access{table: n.Relation, node: node}] = true
	}
	for _, below := range n.Plans {
		below.collect(into)
	}
}

const wholeReads = `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = 'geo'
AND (SELECT reltuples FROM pg_class WHERE oid = relid) > $1`

// scans counts how often each large table has been read whole. Sessions report it at most a second late.
func (b *reportBench) scans(ctx context.Context) (map[string]int64, error) {
	rows, err := b.pool.Query(ctx, wholeReads, largeTable)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	var table string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error { counts[table] = n; return nil })
	return counts, err
}

// tell prints for how many of some parcels each member of the report says something.
func (b *reportBench) tell(ctx context.Context) error {
	counts, empty := map[string]int{}, map[string]int{}
	c := harness.NewClient(b.server.Base, "")
	defer c.Close()
	parcels := b.next(alone)
	bytes := 0
	for _, idu := range parcels {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a, err := b.report(c, idu)
		if err != nil {
			return err
		}
		if a.Status != http.StatusOK {
			continue
		}
		bytes += len(a.Body)
		members, err := reportMembers(a.Body)
		if err != nil {
			return fmt.Errorf("%s: %w", idu, err)
		}
		for name, value := range members {
			switch string(value) {
			case "null":
			case "[]":
				empty[name]++
			default:
				counts[name]++
			}
		}
	}
	fmt.Printf("\nof %d parcels, %d bytes each on average: how many have the member, how many an empty list\n", len(parcels), bytes/len(parcels))
	for _, k := range topic.Report().Keys() {
		rare := ""
		if counts[k.Name] == 0 {
			rare = "  none of these parcels: what is rare needs many communes"
		}
		fmt.Printf("%-22s %4d %% %4d %%%s\n", k.Name, 100*counts[k.Name]/len(parcels), 100*empty[k.Name]/len(parcels), rare)
	}
	return nil
}

// reportMembers finds the members of the report in an answer, wherever in it they are.
func reportMembers(body []byte) (map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, err
	}
	if _, ok := object["catnat"]; ok {
		return object, nil
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if members, err := reportMembers(object[name]); err == nil {
			return members, nil
		}
	}
	return nil, errors.New("the answer holds no report")
}
