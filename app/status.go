package app

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/addresses"
	"arpent/web"
)

// pageData keeps what the public pages say of the data. It is read at the start, after each load and when the
// statistics have changed, so that a page asks no database.
type pageData struct {
	pool      *pgxpool.Pool
	territory *territory.Store
	parcels   *parcel.Store
	index     func() *parcel.Index   // nil while no parcels are served
	figures   func() *stats.Snapshot // nil while no statistics are served
	changed   func()                 // called whenever it was read anew; may be nil
	reading   sync.Mutex             // what is read later is kept
	now       atomic.Pointer[web.Status]
	target    atomic.Pointer[probeTarget] // what the service is measured with; nil: no parcel is served
}

const statusTimeout = 10 * time.Second

func (s *pageData) currentStatus() web.Status {
	if now := s.now.Load(); now != nil {
		return *now
	}
	return web.Status{}
}

// readAgain reads everything anew. What cannot be read leaves the
// former status: the pages are no reason to fail.
func (s *pageData) readAgain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	s.reading.Lock()
	defer s.reading.Unlock()
	next, err := s.readStatus(ctx)
	if err != nil {
		if ctx.Err() == nil {
			slog.WarnContext(ctx, "the public pages keep their former figures", "error", err)
		}
		return
	}
	former := s.currentStatus()
	next.Edition = former.Edition
	compared := *next
	compared.Sheet = former.Sheet // it is drawn anew each time
	if !reflect.DeepEqual(former, compared) {
		next.Edition++
	}
	s.now.Store(next)
	if s.changed != nil {
		s.changed()
	}
}

func (s *pageData) readStatus(ctx context.Context) (*web.Status, error) {
	next := &web.Status{}
	var err error
	if next.Sources, err = s.readSources(ctx); err != nil {
		return nil, fmt.Errorf("read the sources: %w", err)
	}
	next.Known = s.keyCoverage()
	const layers = `SELECT coalesce(array_agg(layer), '{}')
FROM (SELECT layer FROM geo.coverage UNION SELECT '` + source.ParcelLayer + `' FROM geo.parcelle_commune) l`
	if err := s.pool.QueryRow(ctx, layers).Scan(&next.Layers); err != nil {
		return nil, fmt.Errorf("list the layers: %w", err)
	}
	const places = `
SELECT ARRAY(SELECT DISTINCT area FROM geo.coverage WHERE layer = ANY ($1) ORDER BY area),
       ARRAY(SELECT DISTINCT area FROM geo.coverage WHERE layer = 'dvf' ORDER BY area)`
	err = s.pool.QueryRow(ctx, places, addresses.Searched).Scan(&next.Places.Addresses, &next.Places.Sales)
	if err != nil {
		return nil, fmt.Errorf("list the places: %w", err)
	}
	const outlined = `SELECT count(*) FROM geo.commune_contour`
	if err := s.pool.QueryRow(ctx, outlined).Scan(&next.Communes); err != nil {
		return nil, fmt.Errorf("count the outlines: %w", err)
	}
	x := s.index()
	if x == nil || x.Communes() == 0 {
		s.target.Store(nil)
		return next, nil
	}
	next.Places.Parcels, next.Parcelles = x.Codes(x.Communes()), x.Parcels()
	if next.Sheet, err = s.buildSheet(ctx, x); err != nil {
		return nil, fmt.Errorf("draw the sheet: %w", err)
	}
	if err := s.findTarget(x); err != nil {
		return nil, err
	}
	return next, nil
}

// loadedSources gives a row a source: its files may be many loads.
const loadedSources = `
SELECT source, min(producer), min(title), min(licence), coalesce(min(vintage), ''), coalesce(max(vintage), ''),
       sum(row_count)::bigint, max(loaded_at)
FROM geo.load WHERE active GROUP BY source HAVING sum(row_count) > 0 ORDER BY min(title), source`

func (s *pageData) readSources(ctx context.Context) ([]web.Source, error) {
	checked, err := ingest.Checks(ctx, s.pool)
	if err != nil {
		return nil, err
	}
	rows, _ := s.pool.Query(ctx, loadedSources) // the rows have its error too
	declared := declared()
	var figures map[string]stats.SourceSummary
	if snapshot := s.figures(); snapshot != nil {
		figures = snapshot.Sources()
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (web.Source, error) {
		var src web.Source
		var oldest string
		err := row.Scan(&src.Name, &src.Producer, &src.Title, &src.Licence, &oldest, &src.Vintage, &src.Rows,
			&src.LoadedAt)
		c, of := checked[src.Name], declared[src.Name]
		src.Homepage = of.Homepage
		src.Rhythm, src.CheckedAt, src.Problem = of.Rhythm(), c.At, c.Problem != ""
		src.DueAt = c.Due(of, src.Vintage, src.LoadedAt)
		if oldest != src.Vintage {
			src.Vintage = oldest + " – " + src.Vintage
		}
		if sum, there := figures[src.Name]; there {
			src.Figures = &web.Figures{Communes: sum.Communes, Of: sum.Of, Periods: sum.Periods}
		}
		return src, err
	})
}

// declared are the declared sources, by name.
var declared = sync.OnceValue(func() map[string]source.Source {
	out := map[string]source.Source{}
	for _, s := range topic.Sources() {
		out[s.Name] = s
	}
	return out
})

// keyCoverage lists how many territories have each key of the statistics.
func (s *pageData) keyCoverage() (out []web.KnownLevel) {
	snapshot := s.figures()
	if snapshot == nil {
		return nil
	}
	for _, level := range statisticsLevels {
		l := web.KnownLevel{Level: string(level), Of: snapshot.Count(level)}
		for _, k := range snapshot.Coverage(level) {
			l.Keys = append(l.Keys, web.KnownKey{Name: k.Key, Known: k.Known, From: k.From, To: k.To})
		}
		out = append(out, l)
	}
	return out
}

// sheetParcels is how many parcels a sheet shows.
const sheetParcels = 90

// buildSheet draws the parcels of the landing page and attaches what the API answers for
// each. Without a parcel to begin with there is no sheet.
func (s *pageData) buildSheet(ctx context.Context, x *parcel.Index) (*web.Sheet, error) {
	middle, err := s.sheetMiddle(ctx, x)
	if err != nil || middle == "" {
		return nil, err
	}
	outlines, err := s.parcels.Around(string(middle), sheetParcels)
	if err != nil || len(outlines) == 0 {
		return nil, err
	}
	answers := map[string][]byte{}
	for _, o := range outlines {
		answer, err := s.parcels.Find(o.IDU, geom.Members{}, nil)
		if err != nil {
			return nil, err
		}
		answers[o.IDU] = answer.Body
	}
	return s.drawSheet(outlines[0].IDU, outlines, answers), nil
}

// sheetMiddle chooses the parcel in the middle of the sheet of the landing page: one of a section with a
// letter pair, in the commune for which most is loaded, of several the one of the newest edition. It
// returns "" where that commune has too few parcels.
func (s *pageData) sheetMiddle(ctx context.Context, x *parcel.Index) (parcel.IDU, error) {
	const layersByArea = `SELECT area, count(DISTINCT layer)::int FROM geo.coverage GROUP BY area`
	rows, _ := s.pool.Query(ctx, layersByArea) // the rows have its error too
	layers := map[string]int{}
	var area string
	var count int
	_, err := pgx.ForEachRow(rows, []any{&area, &count}, func() error { layers[area] = count; return nil })
	if err != nil {
		return "", fmt.Errorf("count the layers of each area: %w", err)
	}
	best, most, newest := "", -1, time.Time{}
	for _, of := range x.Editions() {
		departement := of.Code[:2]
		if departement == "97" {
			departement = of.Code[:3]
		}
		if n := layers[of.Code] + layers[departement]; n > most || n == most && of.Day.After(newest) {
			best, most, newest = of.Code, n, of.Day
		}
	}
	skip := 60 // the first ones lie at the edge of the commune
	for _, section := range x.Sections(best) {
		switch name := section.Prefix + section.Name; {
		case name < "000A" || name >= "999":
		case skip < section.Parcels:
			return x.References(section, skip, 1)[0], nil
		default:
			skip -= section.Parcels
		}
	}
	return "", nil
}

// sheetAround draws the sheet around a parcel; nil: it is not served.
func (s *pageData) sheetAround(idu string) (*web.Sheet, error) {
	outlines, err := s.parcels.Around(idu, sheetParcels)
	if err != nil {
		return nil, err
	}
	return s.drawSheet(idu, outlines, nil), nil
}

// drawSheet makes a sheet of parcels, named after the commune of one of them.
func (s *pageData) drawSheet(of string, outlines []parcel.Outline, answers map[string][]byte) *web.Sheet {
	commune := of[:5]
	if place, ok := s.territory.Place(commune); ok {
		commune = place.CommuneName
	}
	var out []web.Outline
	for _, o := range outlines {
		out = append(out, web.Outline{IDU: o.IDU, Rings: [][][2]float64{o.Ring}, Answer: answers[o.IDU]})
	}
	return web.Draw(commune, out)
}
