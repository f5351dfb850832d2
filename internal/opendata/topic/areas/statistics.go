package areas

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

// The kinds of facts for the intercommunal bodies of a commune: that with own taxes, and in the Métropole du
// Grand Paris the territory.
const (
	epciKind = "areas.epci"
	eptKind  = "areas.ept"
)

// communeBodies declares the files of Intercommunal again, for the names of the bodies of each commune.
func communeBodies() []source.Source {
	bodies := []source.Source{
		cogSource(source.EPCISource, "Code officiel géographique : intercommunalités", "epci"),
		cogSource(source.EPTSource, "Code officiel géographique : établissements publics territoriaux", "ept"),
	}
	for i, kind := range []string{epciKind, eptKind} {
		s := &bodies[i]
		s.Group, s.After = "stats", []string{"cog-communes"}
		s.Origins = source.NotFetched("It is the file of " + strings.TrimSuffix(s.Name, "-communes") + ", which is fetched.")
		s.Columns = []source.Column{
			{Name: "body", From: []string{"code"}, Required: true, Match: `[0-9]{9}`},
			{Name: "name", From: []string{"nom"}, Required: true},
			{Name: "members", From: []string{"membres"}, Required: true},
		}
		s.Rows = fmt.Sprintf(`SELECT 'commune' AS level, m ->> 'code' AS code, '%s' AS kind, '' AS period,
			jsonb_build_object('code', body, 'name', name, 'communes', jsonb_array_length(members::jsonb)) AS attrs
			FROM stage, jsonb_array_elements(members::jsonb) m
			WHERE m ->> 'code' IN (SELECT code FROM geo.commune WHERE type = 'commune-actuelle')`, kind)
		s.Dedupe = source.Dedupe{Key: []string{"body"}}
		s.Checks = source.Checks{MinRows: 11}
		s.Target = source.FactTarget
	}
	bodies[0].Checks.MinRows = 1200
	return bodies
}

// EPCI is the intercommunal body with own taxes that a commune belongs to.
type EPCI struct {
	stats.Envelope
	Body
	Kind      string `json:"kind" enum:"communauteDeCommunes,communauteDAgglomeration,communauteUrbaine,metropole" doc:"Kind of body, by its name; metropole also for the Métropole de Lyon, which is a collectivity of its own." example:"metropole"`
	Territory *Body  `json:"territory" doc:"Of communes of the Métropole du Grand Paris the territory (établissement public territorial); null for all others, and for Paris, which is one itself."`
}

// Body is an intercommunal body.
type Body struct {
	Code     string `json:"code" doc:"Its code of nine digits (SIREN)." example:"200054781"`
	Name     string `json:"name" doc:"Its name, as listed." example:"Métropole du Grand Paris"`
	Communes int    `json:"communes" doc:"How many communes it has." example:"130"`
	// Population is in no file: it is added up here.
	Population *BodyPopulation `json:"population" doc:"Its inhabitants. Null where the number of one of its communes is not known of the newest census."`
}

// BodyPopulation is the population of an intercommunal body.
type BodyPopulation struct {
	Municipal int    `json:"municipal" doc:"Municipal population, inhabitants: the sum of those of its communes, all of one census year." example:"7096258"`
	Year      int    `json:"year" doc:"Census year." example:"2023"`
	Source    string `json:"source" doc:"Producer and title of the populations of the communes." example:"INSEE, Populations légales"`
	Note      string `json:"note" doc:"What the number is."`
}

// bodyPopulations are the populations of intercommunal bodies by their code.
var bodyPopulations stats.Slot[map[string]*BodyPopulation]

// sumPopulations adds up the communes of each intercommunal body.
func sumPopulations(_ context.Context, _ pgx.Tx, d *stats.Data) error {
	bodies, members := map[string]Body{}, map[string][]*stats.Territory{}
	for _, commune := range d.Communes {
		for _, kind := range []string{epciKind, eptKind} {
			var of Body
			if commune.Newest(kind).Read(&of) {
				bodies[of.Code], members[of.Code] = of, append(members[of.Code], commune)
			}
		}
	}
	sums := map[string]*BodyPopulation{}
	for code, communes := range members {
		newest := ""
		for _, commune := range communes {
			newest = max(newest, commune.Latest(source.PopulationMunicipal).Period)
		}
		var figures []stats.Figure
		sum := BodyPopulation{Year: stats.YearOf(newest), Note: "Sum of the municipal populations of its communes."}
		for _, commune := range communes {
			if f := commune.At(source.PopulationMunicipal, newest); f.Value != nil {
				figures, sum.Municipal = append(figures, f), sum.Municipal+*stats.Whole(f.Value)
			}
		}
		if len(figures) == bodies[code].Communes { // one that is no commune of today has none either
			sum.Source = stats.EnvelopeOf(figures...).Source
			sums[code] = &sum
		}
	}
	bodyPopulations.Put(d, sums)
	return nil
}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{Read: sumPopulations, Blocks: []stats.Block{
		stats.Object("epci", "The intercommunal body with own taxes that the commune belongs to: its code, name and "+
			"population. Other figures of bodies are not served.", findEPCI).
			At(stats.Commune, 31).From(source.EPCISource).SupplementedBy(source.EPTSource).
			Complete("The list of intercommunal bodies with own taxes does not have it: four islands belong to none.").
			NotApplicable("territory", "Only the communes of the Métropole du Grand Paris have one, but for Paris.",
				source.EPTSource),
	}}
}

// findEPCI returns the body of a commune, of an arrondissement that of its city.
func findEPCI(d *stats.Data, t *stats.Territory) *EPCI {
	if t.Level == stats.Arrondissement && t.Parent != nil {
		t = t.Parent
	}
	fact := t.Newest(epciKind)
	out := EPCI{Kind: "metropole"}
	if !fact.Read(&out.Body) {
		return nil
	}
	populations := bodyPopulations.Of(d)
	out.Envelope, out.Population = fact.From.DatedEnvelope(), populations[out.Code]
	for prefix, kind := range map[string]string{"CC ": "communauteDeCommunes",
		"CA ": "communauteDAgglomeration", "CU ": "communauteUrbaine"} {
		if strings.HasPrefix(out.Name, prefix) {
			out.Kind = kind
		}
	}
	var territory Body
	if t.Newest(eptKind).Read(&territory) {
		territory.Population = populations[territory.Code]
		out.Territory = &territory
	}
	return &out
}
