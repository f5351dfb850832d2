package cog

// formerRegions are the régions that were merged on 1 January 2016, by the words of their names without accents
// and small words, with the code of the région that each became a part of: article 1 of the law 2015-29 of 16 January 2015. The other six of the
// mainland stayed as they were, under names that may have changed.
var formerRegions = map[string]FormerRegion{
	"alsace": {"Alsace", "44"}, "champagne ardenne": {"Champagne-Ardenne", "44"}, "lorraine": {"Lorraine", "44"},
	"aquitaine": {"Aquitaine", "75"}, "limousin": {"Limousin", "75"},
	"poitou charentes": {"Poitou-Charentes", "75"},
	"auvergne":         {"Auvergne", "84"}, "rhone alpes": {"Rhône-Alpes", "84"},
	"bourgogne": {"Bourgogne", "27"}, "franche comte": {"Franche-Comté", "27"},
	"languedoc roussillon": {"Languedoc-Roussillon", "76"}, "midi pyrenees": {"Midi-Pyrénées", "76"},
	"nord pas calais": {"Nord-Pas-de-Calais", "32"}, "picardie": {"Picardie", "32"},
	"basse normandie": {"Basse-Normandie", "28"}, "haute normandie": {"Haute-Normandie", "28"},
}

// FormerRegion is a région that there was until the end of 2015.
type FormerRegion struct {
	Name string
	Code string // of the région of today that it is a part of
}

// FindFormerRegion finds a former région by the words of its name in lower case, without accents and small words.
func FindFormerRegion(name string) (FormerRegion, bool) {
	found, ok := formerRegions[name]
	return found, ok
}
