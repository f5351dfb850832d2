package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
)

// The reasons of a key that was looked for: in the place, and around it.
const (
	nothingApplies = "It was looked for here: nothing applies."
	noneWithin     = "Of those that are loaded none lies within %s m."
)

// Gap is why a key has no value in some départements, whatever is loaded: there
// is no such thing, or no producer lists it.
type Gap struct {
	Departements []string
	State        state.State
	Why          string
}

// layerSources are the sources of each layer, in loading order.
func layerSources(sources []source.Source) map[string][]source.Source {
	out := map[string][]source.Source{}
	for _, s := range sources {
		for _, layer := range s.Layers() {
			out[layer] = append(out[layer], s)
		}
	}
	return out
}

// explainStates writes the states of the keys that are asked for.
func (r *reportRun) explainStates() []state.KeyState {
	out := make([]state.KeyState, len(r.answers))
	for i, k := range r.store.catalogue.keys {
		if !r.isRequested(k) {
			continue
		}
		a := r.answers[i]
		if a.uncovered != "" {
			out[i] = state.KeyState{State: state.NotCovered, Reason: a.uncovered, RadiusM: k.RadiusM, Known: a.known}
			if a.known != nil {
				out[i].Reason = strings.TrimSpace(a.uncovered + state.GivenAsKnown + " " + a.searched)
				out[i].Vintage = r.newestVintage(k)
			} else {
				out[i].Reason = strings.TrimSpace(a.uncovered + " " + k.Instead)
			}
			continue
		}
		out[i] = r.keyState(k, string(a.value))
		switch out[i].State {
		case state.None:
			out[i].Reason, out[i].LeftOut = cmp.Or(a.none, out[i].Reason), a.leftOut
		case state.Value:
			out[i].Reason, out[i].LeftOut = cmp.Or(a.searched, out[i].Reason), a.leftOut
			continue
		}
		out[i].Reason = strings.TrimSpace(out[i].Reason + " " + k.Instead)
	}
	return out
}

// keyState says why a key has that value; it is empty for null.
func (r *reportRun) keyState(k Key, value string) state.KeyState {
	lacking := slices.DeleteFunc(slices.Clone(k.Complete), r.isLayerCovered)
	switch vintage := r.newestVintage(k); {
	case value == "" && slices.Contains(k.Gap.Departements, r.subject.Departement):
		return state.KeyState{State: k.Gap.State, Reason: k.Gap.Why}
	case value == "" && !r.isKeyCovered(k):
		return r.missingState(k.Layers, state.NotLoadedFor)
	case value == "" && len(lacking) > 0:
		return r.missingState(lacking, state.Lacking)
	case value == "" || value == "[]":
		none := nothingApplies
		if k.RadiusM > 0 {
			none = fmt.Sprintf(noneWithin, formatThousands(k.RadiusM))
		}
		return state.KeyState{State: state.None, Reason: cmp.Or(k.Lacks, k.None, none), Vintage: vintage,
			RadiusM: k.RadiusM}
	default:
		return state.KeyState{State: state.Value, Reason: k.Lacks, Vintage: vintage, RadiusM: k.RadiusM}
	}
}

// missingState is the state of a key for which none of the layers is loaded for the place.
func (r *reportRun) missingState(layers []string, of func(source string) state.KeyState) state.KeyState {
	var fills, named string // of a source under an open licence, and of one that is loaded only when it is named
	for _, layer := range layers {
		for _, s := range r.store.catalogue.sourcesByLayer[layer] {
			if slices.Contains(r.loaded, s.Name) {
				return state.KeyState{State: state.NotCovered, Reason: state.Elsewhere}
			}
			switch {
			case fills == "" && s.Licence.Open:
				fills = s.Name
			case named == "":
				named = s.Name
			}
		}
	}
	return of(cmp.Or(fills, named))
}

// newestVintage is the newest of the loads that the key is made from.
func (r *reportRun) newestVintage(k Key) (newest *string) {
	for _, l := range r.loads {
		if slices.ContainsFunc(l.Layers, func(layer string) bool { return slices.Contains(k.Layers, layer) }) {
			newest = state.Newest(newest, l.Vintage)
		}
	}
	return newest
}
