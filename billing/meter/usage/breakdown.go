package usage

import (
	"slices"

	"arpent/internal/ident"
)

// Outcome says how a request ended, for those who read a count of them.
type Outcome int

// The outcomes. An answer 304 is a success: the client has what it asked for.
const (
	Succeeded   Outcome = iota // 2xx, 304
	ClientError                // 4xx
	ServerError                // 5xx
	outcomes
)

// OutcomeOf is the outcome of a class of statuses, 1 to 5.
func OutcomeOf(statusClass int16) Outcome { return Outcome(max(0, min(statusClass, 5)-3)) }

// Filter chooses some of an account's requests. The zero value chooses all.
type Filter struct {
	Key       *ident.KeyID // 0: the console; nil: every key
	Operation string       // empty: every operation
	Outcome   *Outcome     // nil: every outcome
	// Visible are the keys whose requests the reader may see; nil: those of every key.
	Visible []ident.KeyID
}

func (f Filter) matchesRequest(key ident.KeyID, operation string, statusClass int16) bool {
	return f.matchesKey(key) && (f.Operation == "" || f.Operation == operation) && (f.Outcome == nil ||
		*f.Outcome == OutcomeOf(statusClass))
}

func (f Filter) matchesKey(key ident.KeyID) bool {
	return f.isVisible(key) && (f.Key == nil || *f.Key == key)
}

func (f Filter) isVisible(key ident.KeyID) bool {
	return f.Visible == nil || slices.Contains(f.Visible, key)
}

// Series is the part of one key, which may have been revoked since, or of one operation.
type Series struct {
	ID       ident.KeyID // 0: an operation, or the console, which is no key
	Name     string
	Days     []int64 // counted against the quota; nil for hours, of which that is not stored
	Requests []int64 // answered, rejected ones included
}

// Breakdown is the requests of some days or hours by what distinguishes them. All lists of numbers have one
// for each day or hour.
type Breakdown struct {
	ByKey       []Series
	ByOperation []Series
	ByOutcome   [outcomes][]int64
	Operations  []string // those that were asked for, whatever the filter
}

// usageRow is the requests of a key, an operation and a class of statuses in one day or hour, the nth.
type usageRow struct {
	key               ident.KeyID
	name, operation   string
	class             int16
	nth               int
	requests, counted int64
}

// addRow adds a row to its parts. Rows come by key and operation, so that parts appear in that order.
func (b *Breakdown) addRow(r *usageRow, filter Filter, length int, hours bool) (chosen bool) {
	if !filter.isVisible(r.key) {
		return false
	}
	if !slices.Contains(b.Operations, r.operation) {
		b.Operations = append(b.Operations, r.operation)
	}
	if !filter.matchesRequest(r.key, r.operation, r.class) {
		return false
	}
	for _, s := range []*Series{findOrAddSeries(&b.ByKey, r.key, r.name, length), findOrAddSeries(&b.ByOperation,
		0, r.operation, length)} {
		s.Requests[r.nth] += r.requests
		if hours {
			continue
		}
		if s.Days == nil {
			s.Days = make([]int64, length)
		}
		s.Days[r.nth] += r.counted
	}
	of := &b.ByOutcome[OutcomeOf(r.class)]
	if *of == nil {
		*of = make([]int64, length)
	}
	(*of)[r.nth] += r.requests
	return true
}

// findOrAddSeries finds the series of a key or an operation, or adds it.
func findOrAddSeries(list *[]Series, id ident.KeyID, name string, length int) *Series {
	for i := range *list {
		if s := &(*list)[i]; s.ID == id && (id != 0 || s.Name == name) {
			return s
		}
	}
	*list = append(*list, Series{ID: id, Name: name, Requests: make([]int64, length)})
	return &(*list)[len(*list)-1]
}

// Count is the number of requests that ended in one way.
func (b *Breakdown) Count(o Outcome) (n int64) {
	for _, requests := range b.ByOutcome[o] {
		n += requests
	}
	return n
}
