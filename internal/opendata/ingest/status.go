package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/fault"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// SourceStatus is one line of the list of sources.
type SourceStatus struct {
	Name     string     `json:"name"`
	Group    string     `json:"group,omitempty"`
	Title    string     `json:"title"`
	Producer string     `json:"producer"`
	Licence  string     `json:"licence"`
	Homepage string     `json:"homepage,omitempty"`
	State    string     `json:"state"`   // "loaded", "files found, not loaded" or NoFile
	Vintage  *string    `json:"vintage"` // the newest active; null when not known or not loaded
	Rows     int64      `json:"rows"`
	Refused  int64      `json:"refused"`
	LeftOut  int64      `json:"left_out"` // rows that are no fault of the files and are not served
	LoadedAt *time.Time `json:"loaded_at"`
	// when its producer was last asked; null: never, by an update
	CheckedAt *time.Time `json:"checked_at"`
	Rhythm    string     `json:"rhythm,omitempty"` // how often it is renewed; empty: not known
	// a newer edition is not served, or the producer was not asked for one in time
	Late    bool     `json:"late"`
	Problem string   `json:"problem,omitempty"` // why the newest edition is not served
	Files   int      `json:"files"`             // found
	Covers  *Covered `json:"covers"`            // null: it is not loaded, or fills no layer of the report
	Note    string   `json:"note,omitempty"`
}

// NoFile is the state of a source that can be loaded as soon as there are files of it.
const NoFile = "no file"

// Covered is where the layers of a source are known.
type Covered struct {
	France bool `json:"france"` // all of it
	Areas  int  `json:"areas"`  // communes, arrondissements and départements otherwise
}

const activeLoads = `SELECT l.source, max(title), max(producer), max(licence), max(vintage), sum(row_count)::bigint,
	sum(refused_count)::bigint, sum(left_out_count)::bigint, max(loaded_at), max(c.france::integer) = 1, coalesce(max(c.areas), 0)
FROM geo.load l
LEFT JOIN (SELECT l.source, bool_or(c.area = '') AS france, count(DISTINCT c.area) FILTER (WHERE c.area <> '') AS areas
	FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id GROUP BY l.source) c ON c.source = l.source
WHERE active GROUP BY l.source ORDER BY l.source`

// Sources lists every declared source with its active loads, then the active loads of others.
func (l *Loader) Sources(ctx context.Context) ([]SourceStatus, error) {
	rows, _ := l.o.DB.Query(ctx, activeLoads) // the rows have its error too
	active, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (SourceStatus, error) {
		s := SourceStatus{State: "loaded"}
		var france *bool
		var areas int
		err := row.Scan(&s.Name, &s.Title, &s.Producer, &s.Licence, &s.Vintage, &s.Rows, &s.Refused, &s.LeftOut,
			&s.LoadedAt, &france, &areas)
		if france != nil {
			s.Covers = &Covered{France: *france, Areas: areas}
		}
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the loads: %w", err)
	}
	found := map[string]SourceStatus{}
	for _, s := range active {
		found[s.Name] = s
	}
	checked, err := Checks(ctx, l.o.DB)
	if err != nil {
		return nil, err
	}
	where := l.newDataFolders()
	var out []SourceStatus
	for _, src := range l.o.Catalogue {
		files, err := where.findFiles(src)
		if err != nil {
			return nil, err
		}
		s, loaded := found[src.Name]
		delete(found, src.Name)
		if !loaded {
			s = SourceStatus{Name: src.Name, State: NoFile}
			if len(files) > 0 {
				s.State = "files found, not loaded"
			}
		}
		s.Title, s.Producer, s.Licence, s.Homepage = src.Title, src.Producer, src.Licence.Name, src.Homepage
		s.Group, s.Files, s.Note, s.Rhythm = src.Group, len(files), src.Note, src.Rhythm()
		if c, known := checked[src.Name]; known {
			s.CheckedAt, s.Problem = &c.At, c.Problem
		}
		if s.LoadedAt != nil {
			vintage := ""
			if s.Vintage != nil {
				vintage = *s.Vintage
			}
			s.Late = checked[src.Name].Late(src, vintage, *s.LoadedAt, l.o.Clock.Now())
		}
		out = append(out, s)
	}
	for _, s := range active {
		if _, has := found[s.Name]; has {
			out = append(out, s)
		}
	}
	return out, nil
}

// Summary counts the outcomes in one line.
func Summary(all []Outcome) string {
	count := map[State]int{}
	var rows, refused int64
	for _, o := range all {
		count[o.State]++
		rows += o.Rows
		refused += o.Refused
	}
	if len(all) == 0 {
		return "no files found"
	}
	return fmt.Sprintf("%d loaded (%d rows, %d rows refused), %d unchanged, %d refused",
		count[Loaded], rows, refused, count[Unchanged], count[Refused])
}

const servedFiles = `SELECT DISTINCT source, f->>'name' FROM geo.load, jsonb_array_elements(files) f WHERE active`

// Files are the files that the active loads were made from.
type Files struct {
	names   map[string]bool
	sources map[string]bool
}

// ServedFiles lists the files of the active loads.
func (l *Loader) ServedFiles(ctx context.Context) (Files, error) {
	f := Files{map[string]bool{}, map[string]bool{}}
	rows, _ := l.o.DB.Query(ctx, servedFiles) // the rows have its error too
	var source, name string
	_, err := pgx.ForEachRow(rows, []any{&source, &name}, func() error {
		f.sources[source], f.names[name] = true, true
		return nil
	})
	return f, fault.Wrap("list the files of the loads", err)
}

// Has reports whether a load was made from the file of this name, or from the archive that it is a volume of.
func (f Files) Has(name string) bool {
	if first, is := format.FirstVolume(name); is {
		name = first
	}
	return f.names[name]
}

// Serve reports whether each of the sources has a load.
func (f Files) Serve(sources []string) bool {
	for _, s := range sources {
		if !f.sources[s] {
			return false
		}
	}
	return true
}

// Checked is what the last update found at the producer of a source. The zero value: no update asked.
type Checked struct {
	At      time.Time
	Problem string // why the newest edition is not served; empty: it is
}

const lastChecks = `SELECT source, checked_at, coalesce(problem, '') FROM geo.source_check`

// Checks returns what the updates found, by the name of the source.
func Checks(ctx context.Context, pool *pgxpool.Pool) (map[string]Checked, error) {
	out := map[string]Checked{}
	rows, _ := pool.Query(ctx, lastChecks) // the rows have its error too
	var name string
	var c Checked
	_, err := pgx.ForEachRow(rows, []any{&name, &c.At, &c.Problem}, func() error {
		out[name] = c
		return nil
	})
	return out, fault.Wrap("read what was checked", err)
}

// Due is when the producer should be asked again: a while after the last update that asked. Where none did
// since the load, it counts from the edition, which may have been an old one, or from the load where the
// vintage does not date it. It is zero for a source without a rhythm.
func (c Checked) Due(s source.Source, vintage string, loaded time.Time) time.Time {
	from := loaded
	if edition := s.LatestPublication(vintage); c.At.After(loaded) {
		from = c.At
	} else if !edition.IsZero() && edition.Before(loaded) {
		from = edition
	}
	return s.Due(from)
}

// Late reports whether what is served may not be the newest edition: that one
// could not be loaded, or it is time to ask.
func (c Checked) Late(s source.Source, vintage string, loaded, now time.Time) bool {
	due := c.Due(s, vintage, loaded)
	return c.Problem != "" || !due.IsZero() && now.After(due)
}
