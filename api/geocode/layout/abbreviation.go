package layout

// Kinds are abbreviations of kinds of streets. In a name they count where they begin it; in a query anywhere.
var Kinds = map[string]string{
	"all": "allee", "al": "allee", "allees": "allee", "av": "avenue", "ave": "avenue", "aven": "avenue",
	"avn": "avenue",
	"bd":  "boulevard", "bld": "boulevard", "blvd": "boulevard", "bvd": "boulevard", "boul": "boulevard",
	"bvrd": "boulevard", "bl": "boulevard",
	"car": "carrefour", "carr": "carrefour", "crf": "carrefour", "ch": "chemin", "che": "chemin",
	"chem": "chemin", "chm": "chemin", "chn": "chemin",
	"cor": "corniche", "crs": "cours", "cr": "cours", "dom": "domaine", "esp": "esplanade", "espl": "esplanade",
	"fg": "faubourg", "fbg": "faubourg", "fbrg": "faubourg", "ham": "hameau", "imp": "impasse",
	"lot": "lotissement", "lotiss": "lotissement", "lgt": "lotissement", "mte": "montee", "pas": "passage",
	"pass": "passage", "pge": "passage",
	"pl": "place", "plce": "place", "prom": "promenade", "qu": "quai", "q": "quai", "qua": "quartier",
	"quart": "quartier", "qrt": "quartier",
	"r": "rue", "res": "residence", "resid": "residence", "rle": "ruelle", "rte": "route", "rt": "route",
	"sq": "square", "sen": "sente", "sent": "sentier", "snt": "sentier", "tra": "traverse", "trav": "traverse",
	"ven": "venelle", "vla": "villa",
}

// Titles are abbreviations that stand for one word wherever they are.
var Titles = map[string]string{
	"abb": "abbe", "adj": "adjudant", "aml": "amiral", "anc": "ancien", "asp": "aspirant",
	"cdt": "commandant", "cmdt": "commandant", "cap": "capitaine", "capt": "capitaine", "cne": "capitaine",
	"col": "colonel", "cte": "comte", "dr": "docteur", "fres": "freres", "gal": "general", "gen": "general",
	"gl": "general",
	"gd": "grand", "gde": "grande", "grd": "grand", "grde": "grande", "lt": "lieutenant", "ltn": "lieutenant",
	"mal": "marechal",
	"mgr": "monseigneur", "mme": "madame", "mlle": "mademoiselle", "pdt": "president", "pres": "president",
	"pr": "professeur", "prof": "professeur", "sgt": "sergent", "srgt": "sergent",
	"st": "saint", "ste": "sainte", "sts": "saints", "stes": "saintes", "ss": "sous", "bvx": "beauvaux",
	"vx": "vieux",
}

// Phrases are abbreviations of several words, in names and queries alike.
var Phrases = map[string][]string{
	"nd": {"notre", "dame"}, "zi": {"zone", "industrielle"}, "za": {"zone", "artisanale"},
	"rpt": {"rond", "point"},
	"hlm": {"habitation", "loyer", "modere"},
}

// streetKinds are the words that say what kind of street it is: many names share them, so they say little.
var streetKinds = Set("allee avenue boulevard carrefour chaussee chemin cite clos corniche cour cours domaine esplanade faubourg hameau " +
	"impasse lieu dit lotissement montee passage place promenade quai quartier residence rond point route rue ruelle sente sentier " +
	"square traverse venelle villa village voie zone parc mail rocade lieudit")

// Fillers are left out by many who type a name.
var Fillers = Set("de du des d la le les l et a au aux en sur sous")

// ranks are titles before a name: often left out, seldom what distinguishes two names.
var ranks = Set("abbe adjudant amiral capitaine colonel commandant docteur general lieutenant madame marechal monseigneur president professeur " +
	"sergent saint sainte")

// IndoorsWords are words for a part of a building.
var IndoorsWords = Set("appt apt appartement bat batiment escalier etage porte")

func Set(list string) map[string]bool {
	out := map[string]bool{}
	for _, p := range Split(list) {
		out[p.Text] = true
	}
	return out
}

// LookupWeight is the least weight of a word that streets are looked up by.
const LookupWeight = 0.45

// numberWeight is that of a number, of a house or in a name.
const numberWeight = 0.6

// LetterWeight is that of a single letter.
const LetterWeight = 0.25

// FillerWeight is that of a filler.
const FillerWeight = 0.1

// KindWeight is that of a word for a kind of street.
const KindWeight = 0.35

// Weight returns how much a word contributes to the score of a match.
func Weight(word string) float32 {
	switch {
	case Fillers[word]:
		return FillerWeight
	case streetKinds[word]:
		return KindWeight
	case ranks[word]:
		return 0.5
	case len(word) == 1 && !IsDigit(word[0]):
		return LetterWeight
	case IsDigit(word[0]):
		return numberWeight
	}
	return 1
}

// InformativeWeight is the least weight of a word of a name that must be matched for the name to count.
const InformativeWeight = LookupWeight

// InformativeBit marks the terms of a name that distinguish it from others.
const InformativeBit = 1 << 31
