package risks

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/stats"
)

// maxCommuneOrders is how many of the disaster orders of a commune its statistics list.
const maxCommuneOrders = 5

// Statistics returns the topic's part of the territory statistics. Values are those of the report, of the
// commune as a whole.
func Statistics() stats.Topic {
	return stats.Topic{
		Tables: []string{"geo.enrich_radon", "geo.enrich_seismic_zone", "geo.enrich_catnat",
			"geo.enrich_commune_risk", "geo.enrich_icpe", "geo.enrich_polluted_site"},
		Read: readRisks,
		Blocks: []stats.Block{
			stats.Object("radon", "Radon potential of the commune, or of the arrondissement; of Paris, Lyon and "+
				"Marseille the highest of their arrondissements, as `of` says.", communeRadon).
				At(stats.Commune, 24).From("radon"),
			stats.Object("seisme", "Regulatory seismic zone of the commune, or of the arrondissement.",
				communeSeisme).At(stats.Commune, 25).From("seisme"),
			stats.Object("catnat", "Natural-disaster orders for the commune: their number by kind, and the newest.",
				communeCatnat).At(stats.Commune, 26).From("gaspar-catnat").
				Complete("No natural-disaster order names this commune."),
			stats.Object("communeRisks", "Risks listed for the commune in the register of its département.",
				listCommuneRisks).At(stats.Commune, 27).From("gaspar-risques").
				Complete("The registers list no risk for this commune."),
			stats.Object("icpe", "Classified installations of the commune: their number by regime, and the first of them.",
				communeIcpe).At(stats.Commune, 35).From("icpe").OnRequest().
				Complete("The loaded file has no classified installation in this commune."),
			stats.Object("pollutedSites", "Former industrial sites of the commune: their number by state, and the first of them.",
				communePollutedSites).At(stats.Commune, 36).From("casias").SupplementedBy("ademe-srd").OnRequest().
				Complete("The loaded file has no former industrial site in this commune."),
		},
	}
}

// StatsRadon is the radon class of a commune or arrondissement.
type StatsRadon struct {
	stats.Envelope
	Radon
	CityClasses
}

// StatsSeisme is the seismic zone of a commune or arrondissement.
type StatsSeisme struct {
	stats.Envelope
	Seisme
	CityClasses
}

// CityClasses is the part of the value of a city that the file lists by arrondissement; empty for all others.
type CityClasses struct {
	Of              string           `json:"of,omitempty" enum:"highestOfArrondissements" doc:"Only of Paris, Lyon and Marseille, which the file lists by arrondissement: the value is the highest of their arrondissements, others may have a lower one. Absent for all other communes, and for arrondissements."`
	Arrondissements []Arrondissement `json:"arrondissements,omitempty" doc:"With \"of\": the arrondissements by their category or zone, the lowest first."`
}

// Arrondissement is a category or zone with the arrondissements that have it.
type Arrondissement struct {
	Codes []string `json:"codes" doc:"Codes of the arrondissements that have it."`
	Value int      `json:"value" minimum:"1" maximum:"5" doc:"Category (radon) or zone (seisme)." example:"1"`
}

// StatsCatnat is the natural-disaster orders for a commune.
type StatsCatnat struct {
	stats.Envelope
	Total  int           `json:"total" minimum:"1" doc:"Number of orders for the commune; those for a former commune count for the current one." example:"12"`
	ByRisk []CatnatCount `json:"byRisk" doc:"The orders by kind of disaster, the most frequent first."`
	Orders []CatnatOrder `json:"orders" doc:"The newest orders, newest event first, at most 5 of total. The report of a parcel of the commune lists up to 100."`
}

// CatnatCount counts the orders of a kind.
type CatnatCount struct {
	Risk   string  `json:"risk" doc:"Kind of disaster, in the words of the orders." example:"Inondations et/ou Coulées de Boue"`
	Orders int     `json:"orders" minimum:"1" doc:"Number of orders." example:"7"`
	Newest *string `json:"newest" doc:"First day of the newest event; null where the file has none." example:"2021-06-19"`
}

// StatsCommuneRisks is the risks listed for a commune.
type StatsCommuneRisks struct {
	stats.Envelope
	Risks []CommuneRisk `json:"risks" doc:"Families (two digits) first, then their details."`
}

// communeRisks is what the topic keeps of all communes.
type communeRisks struct {
	radon  valuesOf[Radon]
	seisme valuesOf[Seisme]
	orders valuesOf[CatnatOrder]
	counts valuesOf[CatnatCount]
	listed valuesOf[CommuneRisk]
}

// valuesOf are the values of a source by the code of their commune.
type valuesOf[T any] struct {
	byCommune map[string][]T
	loads     []*stats.Load
}

// findCommune returns the values of a commune or arrondissement and the load that they are from. There are
// none where no load speaks for the commune.
func (v valuesOf[T]) findCommune(t *stats.Territory) ([]T, *stats.Load) {
	from := t.FindLoad(v.loads)
	if from == nil {
		return nil, nil
	}
	return v.byCommune[t.Code], from
}

var risksSlot stats.Slot[communeRisks]

// Orders for a commune or arrondissement by kind of disaster: a city has those of its arrondissements too, an
// arrondissement those of its city. An order that both share counts once. The whole table is read, some
// 250 000 rows.
const selectCatnatCounts = `
WITH k AS (SELECT code, commune_code AS city FROM geo.commune WHERE type = 'arrondissement-municipal')
SELECT place, attrs->>'risk' AS risk, count(*)::int, max(attrs->>'start') AS newest
FROM (SELECT commune AS place, attrs FROM geo.enrich_catnat
	UNION SELECT k.city, t.attrs FROM geo.enrich_catnat t JOIN k ON k.code = t.commune
	UNION SELECT k.code, t.attrs FROM geo.enrich_catnat t JOIN k ON k.city = t.commune) o
WHERE place IS NOT NULL GROUP BY 1, 2 ORDER BY place, count(*) DESC, newest DESC NULLS LAST, risk`

// readRisks reads the values of all communes, as far as they can be by the statements of the report.
func readRisks(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	var r communeRisks
	r.radon.loads, r.seisme.loads = d.LoadsOf("radon"), d.LoadsOf("seisme")
	r.orders.loads, r.counts.loads = d.LoadsOf("gaspar-catnat"), d.LoadsOf("gaspar-catnat")
	r.listed.loads = d.LoadsOf("gaspar-risques")
	err := errors.Join(
		r.radon.readReported(ctx, tx, "radon.sql", nil, func(v *Radon) []any {
			return []any{&v.Category, &v.Label, &v.ListedFor}
		}),
		r.seisme.readReported(ctx, tx, "seisme.sql", nil, func(v *Seisme) []any {
			return []any{&v.Zone, &v.Label, &v.ListedFor}
		}),
		r.orders.readReported(ctx, tx, "catnat.sql", report.Args{"limit": maxCommuneOrders},
			func(v *CatnatOrder) []any {
				return []any{&v.Risk, &v.Start, &v.End, &v.OrderDate, &v.PublishedOn, &v.Total}
			}),
		r.counts.readRows(ctx, tx, selectCatnatCounts, func(v *CatnatCount) []any {
			return []any{&v.Risk, &v.Orders, &v.Newest}
		}),
		r.listed.readReported(ctx, tx, "commune_risks.sql", report.Args{"limit": 100}, func(v *CommuneRisk) []any {
			return []any{&v.Code, &v.Label, &v.Total}
		}), readSites(ctx, tx, d))
	risksSlot.Put(d, r)
	return fault.Wrap("read the risks of communes", err)
}

// readReported reads the values by a statement of the report, whose columns go into the fields of a value.
func (v *valuesOf[T]) readReported(ctx context.Context, tx pgx.Tx, file string, args report.Args,
	fields func(*T) []any) error {
	sql, err := report.ForCommunes(statements, file, args)
	if err != nil {
		return err
	}
	return v.readRows(ctx, tx, sql, fields)
}

// readRows reads the values by a statement whose first column is the commune and whose others go into the
// fields of a value. Without a load there are none to read.
func (v *valuesOf[T]) readRows(ctx context.Context, tx pgx.Tx, sql string, fields func(*T) []any) error {
	if len(v.loads) == 0 {
		return nil
	}
	v.byCommune = map[string][]T{}
	rows, _ := tx.Query(ctx, sql) // the rows have its error too
	var place string
	var one T
	_, err := pgx.ForEachRow(rows, append([]any{&place}, fields(&one)...), func() error {
		v.byCommune[place] = append(v.byCommune[place], one)
		return nil
	})
	return err
}

func communeRadon(d *stats.Data, t *stats.Territory) *StatsRadon {
	radon := risksSlot.Of(d).radon
	found, from := radon.findCommune(t)
	if len(found) == 0 {
		return nil
	}
	return &StatsRadon{from.DatedEnvelope(), found[0],
		radon.cityClasses(t, func(v Radon) (int, string) { return v.Category, v.ListedFor })}
}

func communeSeisme(d *stats.Data, t *stats.Territory) *StatsSeisme {
	seisme := risksSlot.Of(d).seisme
	found, from := seisme.findCommune(t)
	if len(found) == 0 {
		return nil
	}
	return &StatsSeisme{from.DatedEnvelope(), found[0],
		seisme.cityClasses(t, func(v Seisme) (int, string) { return v.Zone, v.ListedFor })}
}

// cityClasses groups the arrondissements of a city by their class. It is empty where the file lists the city
// itself, and for any other territory.
func (v valuesOf[T]) cityClasses(t *stats.Territory, read func(T) (class int, listedFor string)) (c CityClasses) {
	if _, listed := read(v.byCommune[t.Code][0]); listed == t.Code {
		return c
	}
	byClass := map[int][]string{}
	for _, a := range t.Arrondissements() {
		for _, one := range v.byCommune[a.Code] {
			class, _ := read(one)
			byClass[class] = append(byClass[class], a.Code)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		c.Of = "highestOfArrondissements"
		c.Arrondissements = append(c.Arrondissements, Arrondissement{byClass[class], class})
	}
	return c
}

func communeCatnat(d *stats.Data, t *stats.Territory) *StatsCatnat {
	r := risksSlot.Of(d)
	orders, from := r.orders.findCommune(t)
	if len(orders) == 0 {
		return nil
	}
	counts, _ := r.counts.findCommune(t)
	return &StatsCatnat{from.DatedEnvelope(), orders[0].Total, counts, orders}
}

func listCommuneRisks(d *stats.Data, t *stats.Territory) *StatsCommuneRisks {
	found, from := risksSlot.Of(d).listed.findCommune(t)
	if len(found) == 0 {
		return nil
	}
	return &StatsCommuneRisks{from.DatedEnvelope(), found}
}
