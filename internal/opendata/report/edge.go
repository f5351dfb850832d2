package report

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/state"
)

// A file may be an extract of a commune, a département or a région. Where the radius of a key crosses the
// edge of what is loaded, that nothing was found proves nothing, a list lacks what lies beyond, and what is
// nearest in the extract need not be the nearest of all: such a key is not covered, and its state has the
// part of the value that is loaded.

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

// isCutByEdge reports whether a value may be another one with what lies beyond the edge: unless it is one
// thing that is nearer, or on the parcel. A value that is of a wider circle than the others of its statement
// says so itself.
func (r *reportRun) isCutByEdge(st *statement, k Key, value any) bool {
	radius, extent := st.searchRadius(), extentOf(value)
	switch edge := r.edgeDistance(k); {
	case radius == 0:
		return false
	case value == nil:
		return edge < max(radius, float64(k.RadiusM))
	case edge >= max(radius, extent.RadiusM):
		return false
	default:
		return extent.DistanceM == nil || *extent.DistanceM > 0 && *extent.DistanceM >= edge
	}
}

// valueExtent is how far the one thing is that a value describes, and the radius of the circle that it is of,
// in metres.
type valueExtent struct {
	DistanceM *float64 `json:"distanceM"`
	RadiusM   float64  `json:"radiusM"`
}

// extentOf reads them; of a list, and of a value without them, there are none.
func extentOf(value any) (e valueExtent) {
	if value == nil || reflect.ValueOf(value).Kind() != reflect.Struct {
		return e
	}
	if text, err := json.Marshal(value); err != nil || json.Unmarshal(text, &e) != nil {
		return valueExtent{}
	}
	return e
}

// knownItems is how many items of a list are given of a value that is not all loaded, where the call names no
// keys. Where it does, they have all that is loaded, as values have.
const knownItems = 5

// knownPart describes what is loaded of the value of a key; nil: nothing is, not even a part of the radius.
func (r *reportRun) knownPart(k Key, value any) (*state.Known, error) {
	var known state.Known
	of := reflect.ValueOf(value)
	found := value != nil
	switch of.Kind() {
	case reflect.Slice:
		known.AtLeast = new(lengthOf(k, value, r.isLayerCovered).Total)
	case reflect.Int:
		known.AtLeast = new(int(of.Int()))
	}
	if known.AtLeast != nil {
		found = *known.AtLeast > 0
	}
	if k.RadiusM > 0 {
		if metres := int(r.edgeDistance(k)); metres > 0 {
			known.CompleteWithinM = &metres
		}
	}
	if !found && known.CompleteWithinM == nil {
		return nil, nil
	}
	if r.subject.Keys == nil {
		value = cutLists(value)
	}
	text, err := encodeValue(value)
	if known.Value = text; text == nil {
		known.Value = json.RawMessage("null")
	}
	return &known, err
}

// cutLists copies a value with the first items of a list, or of each list that is a member of it.
func cutLists(value any) any {
	of := reflect.ValueOf(value)
	switch of.Kind() {
	case reflect.Slice:
		return of.Slice(0, min(of.Len(), knownItems)).Interface()
	case reflect.Struct:
		short := reflect.New(of.Type()).Elem()
		short.Set(of)
		for i := range short.NumField() {
			if list := short.Field(i); list.Kind() == reflect.Slice && list.CanSet() {
				list.Set(list.Slice(0, min(list.Len(), knownItems)))
			}
		}
		return short.Interface()
	default:
		return value
	}
}
