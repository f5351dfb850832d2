package cog

// collectivities are the parts of France beyond its régions, by the first digits of their codes: they have
// communes in the code officiel géographique, but no outlines, statistics or parcels in the sources.
var collectivities = map[string]string{
	"975": "Saint-Pierre-et-Miquelon", "977": "Saint-Barthélemy", "978": "Saint-Martin",
	"984": "Terres australes et antarctiques françaises",
	"986": "Wallis-et-Futuna", "987": "Polynésie française", "988": "Nouvelle-Calédonie",
	"989": "Île de Clipperton",
}

// Collectivity returns the name of the overseas collectivity that a code begins with; empty: it is of none.
func Collectivity(code string) string {
	if len(code) < 3 {
		return ""
	}
	return collectivities[code[:3]]
}

// NotCovered says of an overseas collectivity that it has no answers.
const NotCovered = "an overseas collectivity that this service does not cover."

// IsCollectivity reports whether a name is that of an overseas collectivity.
func IsCollectivity(name string) bool {
	for _, known := range collectivities {
		if known == name {
			return true
		}
	}
	return false
}
