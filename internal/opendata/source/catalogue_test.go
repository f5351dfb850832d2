package source_test

import (
	"testing"

	"arpent/internal/opendata/source"
)

// A user who mistypes a name reads the one that was meant and where the
// names are listed, not all two hundred of them.
func TestSelectProposesNames(t *testing.T) {
	t.Parallel()
	all := []source.Source{{Name: "ban", Group: "addresses"}, {Name: "dvf", Group: "sales"}, {Name: "dvf-brut", Group: "sales"}}
	for word, want := range map[string]string{
		"NONSENSE": "no source or group is called \"NONSENSE\": `arpent sources --all` lists them",
		"adddress": "no source or group is called \"adddress\"; perhaps addresses: `arpent sources --all` lists them",
		"DVF":      "no source or group is called \"DVF\"; perhaps dvf, dvf-brut: `arpent sources --all` lists them",
		"x":        "no source or group is called \"x\": `arpent sources --all` lists them",
	} {
		if _, err := source.Select(all, []string{word}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", word, err, want)
		}
	}
}
