package explore_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/web"
	"arpent/web/explore"
)

// A reader who finds no value knows whether there is none, whether it was not looked for, or whether it is
// not known, in the words of the API; of the keys that are not shown it is said which ones the call has here.
func TestMissingValuesHaveTheirReason(t *testing.T) {
	t.Parallel()
	keys := []report.Key{{Name: "radon", Group: "Risks", Layers: []string{"radon"}}, {Name: "seisme", Group: "Risks", Layers: []string{"seisme"}},
		{Name: "icpe", Group: "Risks", Layers: []string{"icpe"}}, {Name: "rga", Group: "Risks", Layers: []string{"rga"}},
		{Name: "qpv", Group: "Planning", Layers: []string{"qpv"}}, {Name: "nearestGare", Group: "Mobility and networks", Layers: []string{"gare"}}}
	vintage := "2019"
	made := &report.Report{Values: make([]json.RawMessage, len(keys)), States: []state.KeyState{{State: state.Value, Vintage: &vintage}, {State: state.NotCovered}, {}, {},
		{State: state.None}, {State: state.Secret}}, Loads: []report.Load{{Layers: []string{"radon", "icpe", "qpv"}}}}
	made.Values[0] = json.RawMessage(`{"category":3,"label":"Potentiel significatif"}`)
	for language, want := range map[web.Lang][]string{
		web.French: {"Risques Radon Potentiel significatif catégorie 3 sur 3 2019 Sismicité Non chargé ici elle est chargée, mais pas pour ce lieu",
			"Dans la réponse de l’API : Installations classées à moins d’un kilomètre", "Non chargé ici : Retrait-gonflement des argiles", "Urbanisme Quartier prioritaire Rien ici on l’a cherché ici, et il n’y en a pas",
			"Gare la plus proche Inconnu le producteur garde le chiffre secret"},
		web.English: {"Risks Radon Potentiel significatif category 3 of 3 2019 Seismicity Not loaded here it is loaded, but not for this place",
			"In the answer of the API: Classified installations within a kilometre", "Not loaded here: Clay shrinkage and swelling", "Planning Priority district None here it was looked for here, and there is none",
			"Nearest station Unknown the producer keeps the figure secret"},
	} {
		var page strings.Builder
		if err := explore.Cards(language, keys, made).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(strings.ReplaceAll(page.String(), "<", " <")))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(doc.Text()), " ")
		for _, part := range want {
			if !strings.Contains(text, strings.Join(strings.Fields(part), " ")) {
				t.Errorf("%s: %q is not in\n%s", language, part, text)
			}
		}
	}
}
