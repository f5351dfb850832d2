package geocode

// kinds are abbreviations of kinds of streets. In a name they count where they begin it; in a query anywhere.
var kinds = map[string]string{
	"all": "allee", "al": "allee", "allees": "allee", "av": "avenue", "ave": "avenue", "aven": "avenue", "avn": "avenue",
	"bd": "boulevard", "bld": "boulevard", "blvd": "boulevard", "bvd": "boulevard", "boul": "boulevard", "bvrd": "boulevard", "bl": "boulevard",
	"car": "carrefour", "carr": "carrefour", "crf": "carrefour", "ch": "chemin", "che": "chemin", "chem": "chemin", "chm": "chemin", "chn": "chemin",
	"cor": "corniche", "crs": "cours", "cr": "cours", "dom": "domaine", "esp": "esplanade", "espl": "esplanade",
	"fg": "faubourg", "fbg": "faubourg", "fbrg": "faubourg", "ham": "hameau", "imp": "impasse",
	"lot": "lotissement", "lotiss": "lotissement", "lgt": "lotissement", "mte": "montee", "pas": "passage", "pass": "passage", "pge": "passage",
	"pl": "place", "plce": "place", "prom": "promenade", "qu": "quai", "q": "quai", "qua": "quartier", "quart": "quartier", "qrt": "quartier",
	"r": "rue", "res": "residence", "resid": "residence", "rle": "ruelle", "rte": "route", "rt": "route",
	"sq": "square", "sen": "sente", "sent": "sentier", "snt": "sentier", "tra": "traverse", "trav": "traverse", "ven": "venelle", "vla": "villa",
}

// titles are abbreviations that stand for one word wherever they are.
var titles = map[string]string{
	"abb": "abbe", "adj": "adjudant", "aml": "amiral", "anc": "ancien", "asp": "aspirant",
	"cdt": "commandant", "cmdt": "commandant", "cap": "capitaine", "capt": "capitaine", "cne": "capitaine",
	"col": "colonel", "cte": "comte", "dr": "docteur", "fres": "freres", "gal": "general", "gen": "general", "gl": "general",
	"gd": "grand", "gde": "grande", "grd": "grand", "grde": "grande", "lt": "lieutenant", "ltn": "lieutenant", "mal": "marechal",
	"mgr": "monseigneur", "mme": "madame", "mlle": "mademoiselle", "pdt": "president", "pres": "president",
	"pr": "professeur", "prof": "professeur", "sgt": "sergent", "srgt": "sergent",
	"st": "saint", "ste": "sainte", "sts": "saints", "stes": "saintes", "ss": "sous", "bvx": "beauvaux", "vx": "vieux",
}

// phrases are abbreviations of several words, in names and queries alike.
var phrases = map[string][]string{
	"nd": {"notre", "dame"}, "zi": {"zone", "industrielle"}, "za": {"zone", "artisanale"}, "rpt": {"rond", "point"},
	"hlm": {"habitation", "loyer", "modere"},
}

// more are further readings of a word of a query, beside itself and those above.
var more = map[string][]string{
	"ch": {"charles", "chateau"}, "pt": {"petit", "pont"}, "pte": {"petite", "porte"}, "f": {"francois"},
	"gd": {"grande"}, "grd": {"grande"}, "chat": {"chateau"}, "cd": {"chemin"}, "rn": {"route", "nationale"}, "rd": {"route", "departementale"},
	"mar": {"marechal"}, "gale": {"generale"}, "eg": {"eglise"}, "sr": {"soeur"}, "pce": {"prince"}, "jo": {"joseph"}, "cpt": {"capitaine"},
	"faub": {"faubourg"}, "bat": {"batiment"}, "mmes": {"mesdames"}, "saints": {"saint"}, "saint": {"saints"},
	"un": {"1"}, "deux": {"2"}, "trois": {"3"}, "quatre": {"4"}, "cinq": {"5"}, "six": {"6"}, "sept": {"7"}, "huit": {"8"}, "neuf": {"9"},
	"dix": {"10"}, "onze": {"11"}, "douze": {"12"}, "treize": {"13"}, "quatorze": {"14"}, "quinze": {"15"}, "seize": {"16"}, "vingt": {"20"},
	"1": {"un", "1e"}, "2": {"deux"}, "3": {"trois"}, "4": {"quatre"}, "5": {"cinq"}, "6": {"six"}, "7": {"sept"}, "8": {"huit"}, "9": {"neuf"},
	"10": {"dix"}, "11": {"onze"}, "12": {"douze"}, "13": {"treize"}, "14": {"quatorze"}, "15": {"quinze"}, "16": {"seize"}, "20": {"vingt"},
	"premier": {"1e", "1"}, "premiere": {"1e"}, "1e": {"premier", "premiere", "1"}, "2e": {"deuxieme", "2"}, "deuxieme": {"2e"},
	"3e": {"troisieme", "3"}, "troisieme": {"3e"}, "1ere": {"premiere"},
}

// streetKinds are the words that say what kind of street it is: many names share them, so they say little.
var streetKinds = set("allee avenue boulevard carrefour chaussee chemin cite clos corniche cour cours domaine esplanade faubourg hameau " +
	"impasse lieu dit lotissement montee passage place promenade quai quartier residence rond point route rue ruelle sente sentier " +
	"square traverse venelle villa village voie zone parc mail rocade lieudit")

// fillers are left out by many who type a name.
var fillers = set("de du des d la le les l et a au aux en sur sous")

// ranks are titles before a name: often left out, seldom what tells two names apart.
var ranks = set("abbe adjudant amiral capitaine colonel commandant docteur general lieutenant madame marechal monseigneur president professeur " +
	"sergent saint sainte")

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, p := range split(list) {
		out[p.text] = true
	}
	return out
}

// tells is the least weight of a word that streets are looked up by.
const tells = 0.45

// numberWeight is that of a number, of a house or in a name.
const numberWeight = 0.6

// letterWeight is that of a single letter.
const letterWeight = 0.25

// kindWeight is that of a word for a kind of street.
const kindWeight = 0.35

// weight is how much a word tells of what is meant.
func weight(word string) float32 {
	switch {
	case fillers[word]:
		return 0.1
	case streetKinds[word]:
		return kindWeight
	case ranks[word]:
		return 0.5
	case len(word) == 1 && !isDigit(word[0]):
		return letterWeight
	case isDigit(word[0]):
		return numberWeight
	}
	return 1
}
