package cog

import (
	"fmt"
	"iter"
	"maps"
)

// formerRegions are the régions that were merged on 1 January 2016, by the words of their names without
// accents and small words: article 1 of the law 2015-29 of 16 January 2015. The other six of the mainland
// stayed as they were, under names that may have changed.
var formerRegions = map[string]FormerRegion{
	"alsace":               {"Alsace", "42", "44", "67, 68"},
	"champagne ardenne":    {"Champagne-Ardenne", "21", "44", "08, 10, 51, 52"},
	"lorraine":             {"Lorraine", "41", "44", "54, 55, 57, 88"},
	"aquitaine":            {"Aquitaine", "72", "75", "24, 33, 40, 47, 64"},
	"limousin":             {"Limousin", "74", "75", "19, 23, 87"},
	"poitou charentes":     {"Poitou-Charentes", "54", "75", "16, 17, 79, 86"},
	"auvergne":             {"Auvergne", "83", "84", "03, 15, 43, 63"},
	"rhone alpes":          {"Rhône-Alpes", "82", "84", "01, 07, 26, 38, 42, 69, 73, 74"},
	"bourgogne":            {"Bourgogne", "26", "27", "21, 58, 71, 89"},
	"franche comte":        {"Franche-Comté", "43", "27", "25, 39, 70, 90"},
	"languedoc roussillon": {"Languedoc-Roussillon", "91", "76", "11, 30, 34, 48, 66"},
	"midi pyrenees":        {"Midi-Pyrénées", "73", "76", "09, 12, 31, 32, 46, 65, 81, 82"},
	"nord pas calais":      {"Nord-Pas-de-Calais", "31", "32", "59, 62"},
	"picardie":             {"Picardie", "22", "32", "02, 60, 80"},
	"basse normandie":      {"Basse-Normandie", "25", "28", "14, 50, 61"},
	"haute normandie":      {"Haute-Normandie", "23", "28", "27, 76"},
}

// FormerRegion is a région that there was until the end of 2015.
type FormerRegion struct {
	Name         string
	FormerCode   string // of INSEE until 2015: the code officiel géographique of that year
	Code         string // of the région of today that it is a part of
	Departements string // their codes
}

// FindFormerRegion finds a former région by the words of its French or English name in lower case, without
// accents and small words.
func FindFormerRegion(name string) (FormerRegion, bool) {
	found, ok := formerRegions[FrenchName(name)]
	return found, ok
}

// FormerRegionWithCode finds a former région by the code that it had.
func FormerRegionWithCode(code string) (FormerRegion, bool) {
	for _, r := range formerRegions {
		if r.FormerCode == code {
			return r, true
		}
	}
	return FormerRegion{}, false
}

// YieldFormerRegions yields the former régions with their names as FindFormerRegion takes them.
func YieldFormerRegions() iter.Seq2[string, FormerRegion] { return maps.All(formerRegions) }

// Describe says what a former région was, to follow its name. today is the name of the région that it is a
// part of.
func (f FormerRegion) Describe(today string) string {
	return fmt.Sprintf("was a région until 2015, with the départements %s, and is a part of %s (%s) since",
		f.Departements, today, f.Code)
}
