package cog

import (
	"cmp"
	"slices"
)

// englishNames are the English names of régions, collectivities and départements that are spelt otherwise in
// French, by the words of FoldName. Brittany, Corsica and Burgundy-Franche-Comté are those of Unicode CLDR,
// Occitania and Paris Region what these régions call themselves in English; the others are in English
// atlases.
var englishNames = map[string]string{
	"brittany": "bretagne", "burgundy": "bourgogne", "burgundy franche comte": "bourgogne franche comte",
	"corsica": "corse", "french guiana": "guyane", "french polynesia": "polynesie francaise", "guiana": "guyane",
	"lower normandy": "basse normandie", "new aquitaine": "nouvelle aquitaine",
	"new caledonia": "nouvelle caledonie", "normandy": "normandie", "occitania": "occitanie",
	"paris region": "ile de france", "picardy": "picardie", "reunion island": "reunion",
	"upper france": "hauts de france", "upper normandy": "haute normandie",

	"lower rhine": "bas rhin", "savoy": "savoie", "south corsica": "corse du sud", "upper corsica": "haute corse",
	"upper rhine": "haut rhin", "upper savoy": "haute savoie",
}

// englishCities are those of communes.
var englishCities = map[string]string{
	"dunkirk": "dunkerque", "lyons": "lyon", "marseilles": "marseille", "rheims": "reims",
}

// FrenchName gives the French name of a territory above communes that has an English one, both in lower case,
// without accents and article; others as they are.
func FrenchName(name string) string { return cmp.Or(englishNames[name], name) }

// FrenchCity does so for the name of a commune.
func FrenchCity(name string) string { return cmp.Or(englishCities[name], name) }

// EnglishNames gives the English names of a territory with a French one, both in lower case, without accents
// and article.
func EnglishNames(french string, isCommune bool) (english []string) {
	names := englishNames
	if isCommune {
		names = englishCities
	}
	for name, of := range names {
		if of == french {
			english = append(english, name)
		}
	}
	slices.Sort(english)
	return english
}
