package stats_test

import (
	"strings"
	"testing"

	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// A commune names its intercommunal body, and in the Métropole du Grand Paris its territory; one that the list
// does not have belongs to none.
func TestEPCIOfACommune(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	if s := b.states(stats.Commune, "93010")["epci"]; s.State != state.NotLoaded || s.Source != "cog-epci-communes" {
		t.Errorf("before it is loaded: %+v", s)
	}
	b.load("cog-epci-communes", "cog/epci.json", `[
		{"code":"200054781","nom":"Métropole du Grand Paris","membres":[{"code":"93010"},{"code":"75056"},{"code":"99999"}]},
		{"code":"200066231","nom":"CC Saint-Flour Communauté","membres":[{"code":"15141"}]}]`)
	b.load("cog-ept-communes", "cog/ept.json", `[{"code":"200057875","nom":"Est Ensemble","membres":[{"code":"93010"},{"code":"93048"}]}]`)
	const source = `"source":"INSEE, La Poste et Etalab, Code officiel géographique : intercommunalités","year":null,`
	b.wants(stats.Commune, "93010", "epci", `{`+source+`"code":"200054781","name":"Métropole du Grand Paris","communes":3,"kind":"metropole",
		"territory":{"code":"200057875","name":"Est Ensemble","communes":2}}`)
	b.wants(stats.Commune, "15141", "epci", `{`+source+`"code":"200066231","name":"CC Saint-Flour Communauté","communes":1,
		"kind":"communauteDeCommunes","territory":null}`)
	b.wants(stats.Arrondissement, "75118", "epci.name", `"Métropole du Grand Paris"`)
	b.wants(stats.Commune, "2A247", "epci", "null")
	if s := b.states(stats.Commune, "2A247")["epci"]; s.State != state.None || !strings.Contains(s.Reason, "belong to none") {
		t.Errorf("a commune that the list does not have: %+v", s)
	}
}
