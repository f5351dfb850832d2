package api

import (
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/app/base/fault"
)

// Index answers get_index.
func (h *Handlers) Index(*Request) (reply.Reply, error) {
	var demonstration territory.Demonstration
	if snap := h.territory.Snapshot(); snap != nil {
		demonstration = snap.Demonstration
	}
	return reply.Reply{Body: h.index[demonstration]}, nil
}

// Regions answers list_regions.
func (h *Handlers) Regions(*Request) (reply.Reply, error) {
	snap, err := h.snapshot()
	if err != nil {
		return reply.Reply{}, err
	}
	return snap.Regions(), nil
}

// Region answers get_region.
func (h *Handlers) Region(r *Request) (reply.Reply, error) {
	snap, err := h.snapshot()
	if err != nil {
		return reply.Reply{}, err
	}
	return snap.Region(r.Path("code"), h.include(r))
}

// Departements answers list_departements.
func (h *Handlers) Departements(r *Request) (reply.Reply, error) {
	snap, err := h.snapshot()
	if err != nil {
		return reply.Reply{}, err
	}
	region, _ := r.Query("region")
	return snap.Departements(region)
}

// Departement answers get_departement.
func (h *Handlers) Departement(r *Request) (reply.Reply, error) {
	snap, err := h.snapshot()
	if err != nil {
		return reply.Reply{}, err
	}
	return snap.Departement(r.Path("code"), h.include(r))
}

// Communes answers find_communes, in one of its two forms.
func (h *Handlers) Communes(r *Request) (reply.Reply, error) {
	departement, byDepartement := r.Query("departement")
	_, hasLat := r.Query("lat")
	_, hasLon := r.Query("lon")
	switch {
	case byDepartement && (hasLat || hasLon):
		return reply.Reply{}, fault.Invalid("departement and lat/lon are both given; expected one or the other")
	case hasLat != hasLon:
		return reply.Reply{}, fault.Invalid("%s is missing; expected lat and lon together", missingOf(hasLat))
	case !byDepartement && !hasLat:
		return reply.Reply{}, fault.Invalid("departement is missing; expected departement, or lat and lon together")
	case byDepartement && r.Include != 0:
		return reply.Reply{}, fault.Invalid("include is given with departement; the list of communes takes no include value")
	}
	snap, err := h.snapshot()
	if err != nil {
		return reply.Reply{}, err
	}
	if byDepartement {
		return snap.CommunesOf(departement)
	}
	lat, lon := r.Point()
	return snap.CommuneAt(lat, lon, h.include(r))
}

func missingOf(hasLat bool) string {
	if hasLat {
		return "lon"
	}
	return "lat"
}

// Commune answers get_commune.
func (h *Handlers) Commune(r *Request) (reply.Reply, error) {
	snap, err := h.snapshot()
	if err != nil {
		return reply.Reply{}, err
	}
	return snap.Commune(r.Path("code"), h.include(r))
}

// ParcelleAt answers get_parcel_at_point.
func (h *Handlers) ParcelleAt(r *Request) (reply.Reply, error) {
	lat, lon := r.Point()
	return h.parcels.At(r.context(), lat, lon, r.Include&Geometry != 0)
}

// Parcelle answers get_parcel.
func (h *Handlers) Parcelle(r *Request) (reply.Reply, error) {
	return h.parcels.Find(r.context(), r.Path("idu"), r.Include&Geometry != 0)
}

func (h *Handlers) snapshot() (*territory.Snapshot, error) {
	if snap := h.territory.Snapshot(); snap != nil && snap.Counts().Regions > 0 {
		return snap, nil
	}
	return nil, fault.Down("The territory is not loaded yet. Try again in a moment.", nil)
}

func (h *Handlers) include(r *Request) territory.Include {
	in := r.Include
	out := territory.Include{Geometry: in&Geometry != 0, Departements: in&Departements != 0, Communes: in&Communes != 0}
	if in&Stats != 0 {
		out.Stats = h.statistics.Reader()
	}
	if in != 0 {
		out.Buffer = r.room()
	}
	return out
}
