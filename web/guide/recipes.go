package guide

import (
	"arpent/api/recorded"
	"arpent/web"
)

// recipesPath is where the recipes are listed; each is below it.
const recipesPath = "/docs/recipes"

// recipe is a task, with the programs that do it.
type recipe struct {
	entry
	cost [2]string // how many requests it takes
}

func (r recipe) costText(l web.Lang) string { return l.Pick(r.cost[0], r.cost[1]) }

// descriptionIn is the text of the list and of search engines.
func (r recipe) descriptionIn(l web.Lang) string { return l.Pick(r.Description[0], r.Description[1]) }

func (r recipe) nameIn(l web.Lang) string { return l.Pick(r.title[0], r.title[1]) }

func allRecipes() []recipe {
	return []recipe{
		{entry{web.Publication{Path: recipesPath + "/address-to-report", Description: [2]string{
			"D’une adresse à ce qui est public sur sa parcelle\u00a0: trouver l’adresse, la parcelle à cet endroit, puis son rapport.",
			"From an address to what is public about its parcel: find the address, the parcel at that place, then its report."}},
			[2]string{"D’une adresse à son rapport", "From an address to its report"}, addressRecipe},
			[2]string{"3\u00a0requêtes", "3 requests"}},
		{entry{web.Publication{Path: recipesPath + "/compare-communes", Description: [2]string{
			"Mettre deux communes côte à côte\u00a0: population, densité, revenu médian et pauvreté, chaque chiffre avec son année ou la raison de son absence.",
			"Put two communes side by side: population, density, median income and poverty, each figure with its year or the reason why it is missing."}},
			[2]string{"Comparer deux communes", "Compare two communes"}, compareRecipe},
			[2]string{"1\u00a0requête par commune", "1 request for each commune"}},
		{entry{web.Publication{Path: recipesPath + "/map", Description: [2]string{
			"Le fond de carte des communes d’un département en GeoJSON, avec leur densité, prêt à ouvrir dans QGIS ou dans un navigateur.",
			"The communes of a département as GeoJSON, with their density, ready to open in QGIS or in a browser."}},
			[2]string{"La carte d’un département", "The map of a département"}, mapRecipe},
			[2]string{"1\u00a0requête, et 1 par commune", "1 request, and 1 for each commune"}},
		{entry{web.Publication{Path: recipesPath + "/spreadsheet", Description: [2]string{
			"Compléter une feuille de calcul dont une colonne contient des adresses\u00a0: coordonnées, code de la commune et parcelle, et les lignes à vérifier à la main.",
			"Complete a spreadsheet that has a column of addresses: coordinates, code of the commune and parcel, and the rows to check by hand."}},
			[2]string{"Une feuille d’adresses", "A spreadsheet of addresses"}, sheetRecipe},
			[2]string{"2\u00a0requêtes par ligne", "2 requests for each row"}},
		{entry{web.Publication{Path: recipesPath + "/r", Description: [2]string{
			"Lire les statistiques de quelques communes dans un data.frame : population, densité et revenu médian, avec R et httr2, sans confondre absence et zéro.",
			"Read the statistics of a few communes into a data frame: population, density and median income, with R and httr2, absence kept apart from zero."}},
			[2]string{"Des statistiques dans R", "Statistics in R"}, statisticsRecipe},
			[2]string{"1\u00a0requête par commune", "1 request for each commune"}},
		{entry{web.Publication{Path: recipesPath + "/assistant", Description: [2]string{
			"Poser la question à un assistant relié par MCP\u00a0: ce qu’on demande, les outils qu’il appelle, et comment vérifier sa réponse.",
			"Ask an assistant that is connected by MCP: what to ask, the tools that it calls, and how to check its answer."}},
			[2]string{"Avec un assistant", "With an assistant"}, assistantRecipe},
			[2]string{"1\u00a0requête par appel d’outil", "1 request for each tool call"}},
	}
}

// recordedOutput returns the recorded output of a program.
func (v view) recordedOutput(s Sample) string {
	return string(recorded.Output(s.Recorded(), v.BaseURL()))
}

// runCommand runs a program.
func (v view) runCommand(s Sample) string {
	if s.Input == "" {
		return s.Command
	}
	return s.Command + " < " + s.Input + " > found.csv"
}
