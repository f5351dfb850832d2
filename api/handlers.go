package api

import (
	"time"

	"arpent/api/fieldset"
	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/internal/fault"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/stats"
)

// Handlers are the operations' functions and what they read from.
type Handlers struct {
	territory  *territory.Store
	parcels    *parcel.Store
	reports    *report.Store
	addresses  *geocode.Store
	statistics *stats.Store
	index      []byte

	reportKeys []report.Key
}

// onTerritory makes an operation of a function that reads the territory.
func onTerritory(read func(*Handlers, *territory.Snapshot, *Request) (reply.Reply,
	error)) func(*Handlers, *Request) (reply.Reply, error) {
	return func(h *Handlers, r *Request) (reply.Reply, error) {
		snap, err := h.territoryFor(r)
		if err != nil {
			return reply.Reply{}, err
		}
		return read(h, snap, r)
	}
}

// territoryFor gives the territory that a request is answered from. A request for statistics is refused while
// they are computed, as after an update of the server: nulls would be taken for what is known.
func (h *Handlers) territoryFor(r *Request) (*territory.Snapshot, error) {
	snap, err := h.territorySnapshot()
	if err != nil || requestedIncludes(r)&(Stats|Population) == 0 || h.statistics.Snapshot() != nil {
		return snap, err
	}
	f := fault.Down("The statistics are being computed. Try again in a minute.", nil)
	f.RetryAfter = 30 * time.Second // rendering takes a minute for all of France
	return nil, f
}

// requestedIncludes is what a request asks for in addition to the object itself: fields, themes, figures to
// sort by and the population of an intercommunal body are of the statistics.
func requestedIncludes(r *Request) Include {
	if r.Given(fieldset.ParamName) || r.Given(themeName) || r.Given(sortName) || r.Given(communeEPCI.Name) {
		return r.Include | Stats
	}
	return r.Include
}

// readLoaded returns what names are looked up in.
func (h *Handlers) readLoaded() (in loaded) {
	if in.territory = h.territory.Snapshot(); in.territory != nil {
		in.parcels = h.parcels.Index()
	}
	return in
}

func (h *Handlers) territorySnapshot() (*territory.Snapshot, error) {
	if snap := h.territory.Snapshot(); snap != nil && snap.Counts().Regions > 0 {
		return snap, nil
	}
	return nil, fault.Down("The territory is not loaded yet. Try again in a moment.", nil)
}

func (h *Handlers) territoryInclude(r *Request) territory.Include {
	in := requestedIncludes(r)
	out := territory.Include{Members: r.shapeMembers(), Departements: in&Departements != 0,
		Communes: in&Communes != 0}
	if in&(Stats|Population) != 0 {
		out.Stats, out.Parcels = h.statistics.Reader(), h.parcels.Index().CountOf
		if r.namesMember(fieldset.ParcelsName) {
			out.Parcels = h.parcels.Index().DescribeParcels
		}
		out.Neighbours = r.namesMember(fieldset.NeighboursName)
	}
	if in != 0 {
		out.Buffer = r.takeBuffer()
	}
	return out
}

// listInclude returns what the items of a list have in addition to code and name, except figures.
func (h *Handlers) listInclude(r *Request) territory.Include {
	if r.Include&Population == 0 {
		return territory.Include{}
	}
	return h.territoryInclude(r)
}
