package reference

import "cmp"

// findHint returns what the form says of a parameter in the language of the page. The contract itself is in
// English.
func (v view) findHint(a argument) string {
	return v.Lang.Pick(cmp.Or(frenchHints[v.shown.Name+" "+a.Name], frenchHints[a.Name]), a.Doc)
}

// frenchHints describe the parameters in French, by their name; after that of an operation where it matters.
var frenchHints = map[string]string{
	"lat": "Latitude WGS84, en degrés décimaux.",
	"lon": "Longitude WGS84, en degrés décimaux.",
	"q": "Ce que l’on cherche, comme on l’écrit, en 1 à 200\u00a0caractères\u00a0: une adresse, une rue, un lieu-dit ou " +
		"une commune, avec un code postal ou un département n’importe où\u00a0; ou une parcelle, comme section AY 71 " +
		"Bondy. Accents, majuscules et tirets sont indifférents. Moins de 3\u00a0caractères ne trouvent que les communes " +
		"de ce nom, ou dont c’est le premier mot.",
	"limit":       "Nombre maximal de réponses, de 1 à 20\u00a0; 5 par défaut.",
	"departement": "Énumère les communes de ce département, outre-mer (971 à 976) compris.",
	"name": "Avec departement\u00a0: seulement les communes dont le nom contient ce texte. Accents, majuscules, " +
		"tirets et apostrophes sont indifférents. S’il n’y en a aucune, celles qui le contiennent à une faute de " +
		"frappe près.",
	"epci":                     "Énumère les communes de cette intercommunalité.",
	"codes":                    "Ces communes seulement, par leurs codes INSEE séparés par des virgules.",
	"region":                   "Avec sort et top\u00a0: classe les communes de cette région.",
	"list_departements region": "Limite la liste à une région.",
	"minPopulation": "Dans les listes\u00a0: seulement les communes d’au moins tant d’habitants " +
		"(population.latest.municipal), pour que les taux des plus petites n’arrivent pas en tête.",
	"sort": "Chiffre selon lequel trier, du plus grand au plus petit\u00a0; suivi de :asc, du plus petit au plus grand.",
	"top":  "Avec sort\u00a0: seulement tant d’éléments.",
	"fields": "Les chiffres de chaque élément\u00a0: des clés de ses statistiques. Un point mène à l’un des chiffres " +
		"d’une clé, comme securite.burglary.ratePer1000.",
	"get_commune fields":            fieldsOf + "stats." + partOfKey,
	"get_departement fields":        fieldsOf + "stats." + partOfKey,
	"get_region fields":             fieldsOf + "stats." + partOfKey,
	"get_parcel_enrichments fields": fieldsOf + "enrichments." + partOfKey,
	"theme":                         "Seulement les clés de stats sur ces sujets, et celles de fields.",
	"get_parcel_enrichments theme":  "Seulement les clés d’enrichments sur ces sujets, et celles de fields.",
	"get_commune code":              "Code INSEE de la commune, qui n’est pas le code postal.",
	"get_departement code": "Code du département\u00a0; `2A` et `2B` pour la Corse. Les codes d’outre-mer (971 à " +
		"976) donnent une erreur 404.",
	"get_region code": "Code de la région dans le Code officiel géographique en vigueur.",
	"idu": "Référence cadastrale (IDU)\u00a0: code de la commune, préfixe de 3 chiffres, section de 2\u00a0caractères, " +
		"numéro de 4 chiffres. D’autres écritures sont comprises\u00a0: 93010 J 236, section AY 71 Bondy.",
	"maxDistance": "Si aucune parcelle ne contient le point, la plus proche à tant de mètres au plus, de 0 à " +
		"50\u00a0; avec 0, aucune.",
	"address": "L’adresse qui a permis de trouver la parcelle, ou son label\u00a0: elle vient en tête de celles de la " +
		"parcelle, et `asked`, dans la clé address, dit si elle en fait partie.",
}

const (
	fieldsOf  = "Seulement ces clés de "
	partOfKey = " Un point mène à une partie d’une clé\u00a0: un membre, ou sa série."
)
