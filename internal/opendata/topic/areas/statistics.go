package areas

import (
	"fmt"
	"strings"

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
}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{Blocks: []stats.Block{
		stats.Object("epci", "The intercommunal body with own taxes that the commune belongs to, by its code "+
			"and name. Figures of bodies are not served.", findEPCI).
			At(stats.Commune, 31).From(source.EPCISource).SupplementedBy(source.EPTSource).
			Complete("The list of intercommunal bodies with own taxes does not have it: four islands belong to none.").
			NotApplicable("territory", "Only the communes of the Métropole du Grand Paris have one, but for Paris.",
				source.EPTSource),
	}}
}

// findEPCI returns the body of a commune, of an arrondissement that of its city.
func findEPCI(_ *stats.Data, t *stats.Territory) *EPCI {
	if t.Level == stats.Arrondissement && t.Parent != nil {
		t = t.Parent
	}
	fact := t.Newest(epciKind)
	out := EPCI{Kind: "metropole"}
	if !fact.Read(&out.Body) {
		return nil
	}
	out.Envelope = fact.From.DatedEnvelope()
	for prefix, kind := range map[string]string{"CC ": "communauteDeCommunes",
		"CA ": "communauteDAgglomeration", "CU ": "communauteUrbaine"} {
		if strings.HasPrefix(out.Name, prefix) {
			out.Kind = kind
		}
	}
	var territory Body
	if t.Newest(eptKind).Read(&territory) {
		out.Territory = &territory
	}
	return &out
}
