package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"arpent/api/coverage"
	"arpent/api/territory"
	"arpent/internal/clock"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/web"
)

// loadsChannel is where the database notifies of a load that is active, whose source is the payload.
const loadsChannel = "arpent_geo"

// loadsDelay is how long to wait for more loads before reading anew: a command often makes many in a row.
const loadsDelay = 200 * time.Millisecond

// loadsRetry is how long to wait before trying again what could not be read.
const loadsRetry = 5 * time.Second

// followLoads reads anew what is kept in memory whenever other loads have become active.
func (a *App) followLoads(ctx context.Context) {
	loaded := clock.NewSignal()
	a.listener.Subscribe(ctx, loadsChannel, func(context.Context) {
		a.outdated.Store(true) // the notification of a load may have been lost
		loaded.Notify()
	}, func(_ context.Context, source string) {
		if territory.IsMadeFrom(topic.Sources(), source) {
			a.outdated.Store(true)
		}
		loaded.Notify()
	})
	for loaded.Wait(ctx, loadsDelay) {
		if !a.readLoads(ctx) {
			time.AfterFunc(loadsRetry, loaded.Notify)
		}
	}
}

// readLoads reports whether what is in memory is what is in the database.
func (a *App) readLoads(ctx context.Context) bool {
	defer a.status.readAgain(ctx)
	if !a.outdated.Swap(false) {
		return true
	}
	err := a.territory.Refresh(ctx)
	if err != nil && ctx.Err() == nil {
		a.outdated.Store(true)
		slog.ErrorContext(ctx, "territory not refreshed; the former one is still served", "error", err)
	}
	return err == nil
}

// describeLoaded says to an assistant what this server holds and what it lacks; it is empty before the first
// status. counted is what the pages of coverage show; nil: nothing was counted yet. placeName names the
// commune of a code; empty: it is not known.
func describeLoaded(s web.Status, counted *coverage.Served, placeName func(code string) string) string {
	if s.Layers == nil {
		return ""
	}
	out := fmt.Sprintf("Loaded here: parcels of %s; house numbers of %s, elsewhere search finds communes alone; sales of %s.",
		describeParcels(s.Places.Parcels, counted, placeName), describePlaces(s.Places.Addresses),
		describePlaces(s.Places.Sales))
	for _, level := range s.Known {
		if level.Level != string(stats.Commune) {
			continue
		}
		var missing, known []string
		for _, k := range level.Keys {
			if k.Known == 0 {
				missing = append(missing, k.Name)
			} else {
				known = append(known, k.Name)
			}
		}
		out += fmt.Sprintf(" Statistics of the %d communes: %s", level.Of, describeKeys(known, missing))
	}
	var known, missing []string
	for _, k := range topic.Report().Keys() {
		if slices.ContainsFunc(k.Layers, func(layer string) bool { return slices.Contains(s.Layers, layer) }) {
			known = append(known, k.Name)
		} else {
			missing = append(missing, k.Name)
		}
	}
	return out + " Report: " + describeKeys(known, missing)
}

// describeKeys lists the keys that are there or those that are not, whichever are fewer.
func describeKeys(known, missing []string) string {
	switch {
	case len(missing) == 0:
		return "all keys."
	case len(known) == 0:
		return "no key."
	case len(known) < len(missing):
		return "only " + joinSome(known) + "."
	default:
		return "all but " + joinSome(missing) + "."
	}
}

// maxKeys is how many keys are named; of more the number of the others
// is said: answers say of each what it lacks.
const maxKeys = 3

func joinSome(keys []string) string {
	if len(keys) <= maxKeys {
		return strings.Join(keys, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(keys[:maxKeys], ", "), len(keys)-maxKeys)
}

// maxPlaces is how many places are named; of more the number is said.
const maxPlaces = 6

// describeParcels says where parcels are loaded: in how many communes, as the pages of coverage count them,
// and the names of a few.
func describeParcels(codes []string, counted *coverage.Served, placeName func(code string) string) string {
	names, counts := nameCommunes(codes, placeName), ""
	if counted != nil {
		for _, k := range counted.Document.Keys {
			if k.Part == coverage.Data && k.Name == coverage.Parcels {
				counts = fmt.Sprintf("%d communes", k.Communes)
				if k.Partly > 0 {
					counts += fmt.Sprintf(" and parts of %d more", k.Partly)
				}
			}
		}
	}
	switch {
	case names != "" && counts != "":
		return counts + " (" + names + ")"
	default:
		return cmp.Or(names, counts, describePlaces(codes))
	}
}

// maxNamed is how many communes are named.
const maxNamed = 12

// nameCommunes names the communes of a few codes; empty: they are too many, or not known.
func nameCommunes(codes []string, placeName func(code string) string) string {
	if len(codes) > maxNamed {
		return ""
	}
	var names []string
	for _, code := range codes {
		if name := placeName(code); name != "" {
			names = append(names, name+" "+code)
		}
	}
	return strings.Join(names, ", ")
}

func describePlaces(codes []string) string {
	switch {
	case len(codes) == 0:
		return "no place"
	case codes[0] == "":
		return "all of France"
	case len(codes) <= maxPlaces:
		return strings.Join(codes, ", ")
	default:
		return fmt.Sprintf("%d communes or départements", len(codes))
	}
}

// loadWatch asks the database whether loads are under way, at most once a second.
type loadWatch struct {
	mutex   sync.Mutex // held while the database is asked
	askedAt time.Time
	isBusy  bool
}

// isLoading reports whether a command loads. A database that does not answer is reported elsewhere.
func (a *App) isLoading(ctx context.Context) bool {
	w := &a.loads
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if time.Since(w.askedAt) > time.Second {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		busy, err := ingest.Busy(ctx, a.in.Pool)
		w.isBusy, w.askedAt = busy && err == nil, time.Now()
	}
	return w.isBusy
}

// describeLoading describes the loads under way and the files that are not yet made from what is loaded; nil:
// there are neither.
func (a *App) describeLoading(ctx context.Context) *coverage.Loading {
	l := coverage.Loading{Loads: a.isLoading(ctx), DataSets: len(a.status.currentStatus().Sources),
		Outdated: []string{}}
	for _, j := range a.snapshots {
		if !j.current.Load() {
			l.Outdated = append(l.Outdated, j.name)
		}
	}
	l.Of = len(a.snapshots)
	if !l.Loads && len(l.Outdated) == 0 {
		return nil
	}
	return &l
}

// loadingSentence says to an assistant that figures still change; empty: they do not.
func loadingSentence(l *coverage.Loading) string {
	if l == nil {
		return ""
	}
	doing := "Loaded data are being prepared"
	if l.Loads {
		doing = fmt.Sprintf("Data are still being loaded (%d data sets so far)", l.DataSets)
	}
	if n := len(l.Outdated); n > 0 {
		doing += fmt.Sprintf("; to be made anew: %s, %d of %d", strings.Join(l.Outdated, ", "), n, l.Of)
	}
	return doing + ". Until then figures change, and not_loaded may mean not yet. "
}
