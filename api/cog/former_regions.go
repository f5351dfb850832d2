package cog

import (
	"fmt"
	"iter"
	"maps"
)

// formerRegions are the régions that were merged on 1 January 2016, by the words of their names without accents
// and small words: article 1 of the law 2015-29 of 16 January 2015. The other six of the mainland stayed as
// they were, under names that may have changed.
var formerRegions = map[string]FormerRegion{
	"alsace":               {"Alsace", "44", "67, 68"},
	"champagne ardenne":    {"Champagne-Ardenne", "44", "08, 10, 51, 52"},
	"lorraine":             {"Lorraine", "44", "54, 55, 57, 88"},
	"aquitaine":            {"Aquitaine", "75", "24, 33, 40, 47, 64"},
	"limousin":             {"Limousin", "75", "19, 23, 87"},
	"poitou charentes":     {"Poitou-Charentes", "75", "16, 17, 79, 86"},
	"auvergne":             {"Auvergne", "84", "03, 15, 43, 63"},
	"rhone alpes":          {"Rhône-Alpes", "84", "01, 07, 26, 38, 42, 69, 73, 74"},
	"bourgogne":            {"Bourgogne", "27", "21, 58, 71, 89"},
	"franche comte":        {"Franche-Comté", "27", "25, 39, 70, 90"},
	"languedoc roussillon": {"Languedoc-Roussillon", "76", "11, 30, 34, 48, 66"},
	"midi pyrenees":        {"Midi-Pyrénées", "76", "09, 12, 31, 32, 46, 65, 81, 82"},
	"nord pas calais":      {"Nord-Pas-de-Calais", "32", "59, 62"},
	"picardie":             {"Picardie", "32", "02, 60, 80"},
	"basse normandie":      {"Basse-Normandie", "28", "14, 50, 61"},
	"haute normandie":      {"Haute-Normandie", "28", "27, 76"},
}

// FormerRegion is a région that there was until the end of 2015.
type FormerRegion struct {
	Name         string
	Code         string // of the région of today that it is a part of
	Departements string // their codes
}

// FindFormerRegion finds a former région by the words of its name in lower case, without accents and small words.
func FindFormerRegion(name string) (FormerRegion, bool) {
	found, ok := formerRegions[name]
	return found, ok
}

// YieldFormerRegions yields the former régions with their names as FindFormerRegion takes them.
func YieldFormerRegions() iter.Seq2[string, FormerRegion] { return maps.All(formerRegions) }

// Describe says what a former région was, to follow its name. today is the name of the région that it is a part of.
func (f FormerRegion) Describe(today string) string {
	return fmt.Sprintf("was a région until 2015, with the départements %s, and is a part of %s (%s) since",
		f.Departements, today, f.Code)
}
