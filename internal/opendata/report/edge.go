package report

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"
)

// A file may be an extract of a commune, a département or a région. Where the radius of a key crosses the
// edge of what is loaded, that nothing was found proves nothing, a list lacks what lies beyond, and what is
// nearest in the extract need not be the nearest of all: such a key is not covered.

// reachArg is the argument of a statement that is the radius of its keys, in metres.
const reachArg = "radius"

// addressStatements are the statements whose radius only stands in for what is at the address of the parcel
// itself.
var addressStatements = []string{"address.sql", "dpe.sql"}

// searchRadius is the radius of the keys of a statement in metres; 0: it
// looks at the parcel and its commune alone.
func (q Query) searchRadius() float64 {
	if slices.Contains(addressStatements, q.File) {
		return 0
	}
	return float64(max(q.Args[reachArg], q.Args["near"]))
}

// radiusLayers lists the layers of all keys that have a radius.
func (c *Catalogue) radiusLayers() (layers []string) {
	for _, s := range c.statements {
		for _, k := range s.Keys {
			if s.searchRadius() > 0 {
				layers = append(layers, k.Layers...)
			}
		}
	}
	slices.Sort(layers)
	return slices.Compact(layers)
}

// readEdges finds out where the areas end that layers are loaded for.
func (r *reportRun) readEdges(ctx context.Context, conn *pgx.Conn) error {
	rows, _ := conn.Query(ctx, r.store.catalogue.selectEdges.sql, r.store.catalogue.selectEdges.bindArgs(&r.subject)...) // the rows have its error too
	var layers []string
	var metres *float64
	r.subject.edges = map[string]float64{}
	_, err := pgx.ForEachRow(rows, []any{&layers, &metres}, func() error {
		for _, layer := range layers {
			if metres != nil {
				r.subject.edges[layer] = *metres
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read where the loaded areas end: %w", err)
	}
	return nil
}

// edgeDistance returns the distance from the parcel to the edge of the area that is loaded for a key: that of
// its widest layer.
func (r *reportRun) edgeDistance(k Key) float64 {
	widest := 0.0
	for _, layer := range k.Layers {
		if !r.isLayerCovered(layer) {
			continue
		}
		metres, ends := r.subject.edges[layer]
		if !ends {
			return math.Inf(1)
		}
		widest = max(widest, metres)
	}
	return widest
}

// isCutByEdge reports whether a value may be another one with what lies beyond the
// edge: unless it is one thing that is nearer.
func (r *reportRun) isCutByEdge(st *statement, k Key, value any) bool {
	edge := r.edgeDistance(k)
	if edge >= st.searchRadius() {
		return false
	}
	if value == nil || reflect.ValueOf(value).Kind() != reflect.Struct {
		return true
	}
	metres, known := distanceOf(value)
	return !known || metres >= edge
}

// distanceOf is the distance of the one thing that a value describes, in metres.
func distanceOf(value any) (metres float64, known bool) {
	text, err := json.Marshal(value)
	if err != nil {
		return 0, false
	}
	var near struct {
		DistanceM *float64 `json:"distanceM"`
	}
	if json.Unmarshal(text, &near) != nil || near.DistanceM == nil {
		return 0, false
	}
	return *near.DistanceM, true
}
