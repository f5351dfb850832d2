package planning

import (
	"context"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// Permits are the permits granted in a commune.
type Permits struct {
	stats.Envelope
	Years []PermitYear `json:"years" doc:"By year in which they were granted, oldest first; years without a permit are left out. The newest is not complete."`
	Note  string       `json:"note" doc:"How to read the counts."`
}

// PermitYear is what was granted in one year. Null: the file of it is not loaded, or its permits are of
// other years.
type PermitYear struct {
	Year               int      `json:"year" doc:"Year of the authorisation." example:"2024"`
	DwellingPermits    *int     `json:"dwellingPermits" doc:"Permits (PC and DP) that create dwellings."`
	Dwellings          *int     `json:"dwellings" doc:"Dwellings that they create."`
	PremisesPermits    *int     `json:"premisesPermits" doc:"Permits (PC and DP) that create floor area for other uses; one that creates both is counted in dwellingPermits too."`
	PremisesAreaM2     *float64 `json:"premisesAreaM2" doc:"Floor area for other uses that they create, m²."`
	DevelopmentPermits *int     `json:"developmentPermits" doc:"Permits to develop (PA)."`
	DemolitionPermits  *int     `json:"demolitionPermits" doc:"Permits to demolish (PD)."`
}

const note = "Granted permits that create dwellings or floor area, permits to develop and to demolish, without those " +
	"reported as cancelled. What was refused is not in the files."

// Those of arrondissements are the city's. 3 million rows, read after a load; a row for each year of a
// commune.
const selectYears = `
SELECT p.part, coalesce(k.commune_code, p.area) AS commune, extract(year FROM p.date)::int AS year, count(*)::int,
	sum(p.dwellings)::int, sum(p.premises_area)
FROM geo.permit p LEFT JOIN geo.commune k ON k.code = p.area AND k.type = 'arrondissement-municipal'
WHERE p.date IS NOT NULL AND p.state <> 4
GROUP BY 1, 2, 3 ORDER BY 2, 3, 1`

// grantedPermits are those of a commune, year and file.
type grantedPermits struct {
	from      *stats.Load
	year      int
	permits   int
	dwellings *int
	area      *float64
}

type allPermits struct {
	byCommune map[string][]grantedPermits // each in the order of years
	years     map[string]yearSpan         // by the part of a load
}

// yearSpan is the years that a load has permits of, from the first to the last.
type yearSpan struct{ first, last int }

var granted stats.Slot[allPermits]

func readPermits(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	rows, _ := tx.Query(ctx, selectYears) // the rows have its error too
	all := allPermits{map[string][]grantedPermits{}, map[string]yearSpan{}}
	var part, commune string
	var g grantedPermits
	columns := []any{&part, &commune, &g.year, &g.permits, &g.dwellings, &g.area}
	_, err := pgx.ForEachRow(rows, columns, func() error {
		if g.from = d.Loads[part]; g.from != nil {
			all.byCommune[commune] = append(all.byCommune[commune], g)
			span, known := all.years[part]
			if !known {
				span = yearSpan{g.year, g.year}
			}
			all.years[part] = yearSpan{min(span.first, g.year), max(span.last, g.year)}
		}
		return nil
	})
	granted.Put(d, all)
	return fault.Wrap("read the permits", err)
}

// communePermits returns the permits of a commune; nil where none is known. Of a file that is loaded for the
// commune a year without a permit has 0, within the years of the file.
func communePermits(d *stats.Data, t *stats.Territory) *Permits {
	known := granted.Of(d)
	all := known.byCommune[t.Code]
	if len(all) == 0 {
		return nil
	}
	var loads []*stats.Load
	spans := map[string]yearSpan{}
	for _, f := range permitFiles {
		if l := t.FindLoad(d.LoadsOf("sitadel-" + f.name)); l != nil {
			loads, spans[f.name] = append(loads, l), known.years[l.Part]
		}
	}
	out := &Permits{Envelope: stats.EnvelopeOfAll(loads), Note: note}
	for _, g := range all {
		if n := len(out.Years); n == 0 || out.Years[n-1].Year != g.year {
			out.Years = append(out.Years, emptyYear(g.year, spans))
		}
		y := &out.Years[len(out.Years)-1]
		switch g.from.Source {
		case "sitadel-logements":
			y.DwellingPermits, y.Dwellings = &g.permits, g.dwellings
		case "sitadel-locaux":
			y.PremisesPermits, y.PremisesAreaM2 = &g.permits, g.area
		case "sitadel-amenager":
			y.DevelopmentPermits = &g.permits
		case "sitadel-demolir":
			y.DemolitionPermits = &g.permits
		}
	}
	return out
}

// emptyYear is a year without permits: 0 for each file that is loaded and has permits of that time.
func emptyYear(year int, spans map[string]yearSpan) PermitYear {
	none := func(file string) *int {
		if span := spans[file]; span.first <= year && year <= span.last {
			return new(0)
		}
		return nil
	}
	y := PermitYear{Year: year, DwellingPermits: none("logements"), Dwellings: none("logements"),
		PremisesPermits: none("locaux"), DevelopmentPermits: none("amenager"), DemolitionPermits: none("demolir")}
	if y.PremisesPermits != nil {
		y.PremisesAreaM2 = new(0.0)
	}
	return y
}
