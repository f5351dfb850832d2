package guide

import (
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// changesPath is where the list is shown.
const changesPath = "/changes"

// change is something that a caller notices.
type change struct {
	day             string // on which it was served first
	tag             string // what it is of: a key of changeTags
	french, english string // code stands between backquotes
}

func (c change) servedDate() time.Time {
	day, err := time.Parse(time.DateOnly, c.day)
	if err != nil {
		panic(err) // a test reads all of them
	}
	return day.Add(12 * time.Hour) // noon is the same day in Paris
}

// The tags of changes.
const (
	ofAPI        = "api"
	ofData       = "data"
	ofAssistants = "assistants"
	ofClients    = "clients"
	ofAccount    = "account"
	ofDocs       = "docs"
)

var changeTags = web.Texts{
	ofAPI: {"API", "API"}, ofData: {"Données", "Data"}, ofAssistants: {"Assistants", "Assistants"},
	ofClients: {"Bibliothèques", "Libraries"}, ofAccount: {"Compte", "Account"},
	ofDocs: {"Documentation", "Documentation"},
}

// changeLog holds what changed for callers, the newest first. What only programs of ours or
// pages notice is in the history of the source.
var changeLog = []change{
	{"2026-11-30", ofAPI,
		"Les statistiques d’une commune ont aussi `prices` (prix médians des maisons et des appartements vendus, par " +
			"année et par nombre de pièces), `icpe` et `pollutedSites` (nombres et adresses) et `equipementTypes` " +
			"(tous les types d’équipements de 2013)\u00a0; les outils ne les donnent que si `fields` les nomme. " +
			"`nearestGare.inCommune` liste les gares de la commune, `maire.laterVote` et `election.notLoaded` disent où " +
			"trouver le vote suivant ou celui du département, et `fields=parcels.sections` est lu.",
		"The statistics of a commune also have `prices` (median prices of the houses and flats that were sold, by year " +
			"and number of rooms), `icpe` and `pollutedSites` (numbers and addresses) and `equipementTypes` (all types of " +
			"facilities of 2013); tools give them only where `fields` names them. `nearestGare.inCommune` lists the stations " +
			"of the commune, `maire.laterVote` and `election.notLoaded` say where the vote that followed or that of the " +
			"département is, and `fields=parcels.sections` is read.",
	},
	{"2026-11-30", ofAPI,
		"`chefLieu` d’un département ou d’une région nomme sa préfecture, `chefLieuOf` dit d’une commune si elle en est " +
			"une. `population.change`, et `populationChange` des départements et régions, donne les habitants gagnés ou " +
			"perdus, en nombre et en pour cent. `/communes?epci=` liste les communes d’une intercommunalité, " +
			"`fields=neighbours` les communes limitrophes. `sort=population` trie selon le chiffre principal d’une clé, et " +
			"la liste des communes d’un nom dit où sont celles d’autrefois.",
		"`chefLieu` of a département or région names its préfecture, `chefLieuOf` says of a commune whether it is one. " +
			"`population.change`, and `populationChange` of départements and régions, gives the inhabitants won or lost, in " +
			"number and percent. `/communes?epci=` lists the communes of an intercommunal body, `fields=neighbours` those " +
			"that touch a commune. `sort=population` sorts by the principal figure of a key, and the list of the communes " +
			"of a name says where those of the past are.",
	},
	{"2026-11-30", ofAPI,
		"Les outils lisent les coordonnées à virgule décimale (`48,9024`) ainsi que `93O10` et `93 010`, " +
			"nomment l’arrondissement dont le code postal est aussi le code d’une commune (`69001`) et disent comment " +
			"demander plusieurs lieux, ou une région à la place d’un département ; `readings` vient en tête de la " +
			"réponse. L’état de `maire` d’une commune créée depuis le fichier dit que ce dernier n’est pas publié pour " +
			"le territoire actuel.",
		"Tools read coordinates with a decimal comma (`48,9024`), `93O10` and `93 010`, name the " +
			"arrondissement whose postcode is also the code of a commune (`69001`), and say how to ask for several " +
			"places, or for a région in place of a département; `readings` come first in an answer. The state of " +
			"`maire` of a commune formed since the file says that it is not published for the territory of today.",
	},
	{"2026-11-30", ofAPI,
		"Une commune compte ses parcelles et ses sections (`parcels`, avec `include=stats` ou `fields=parcels`), " +
			"une parcelle donne la surface de son contour (`outlineAreaM2`), que le rapport reprend dans " +
			"`parcel`. Tant qu’un serveur charge des données, `/coverage.json`, `/readyz` et l’accueil des " +
			"assistants le disent. `epci` et `communeCount` ont leur année, `predecessors` vide nomme la plus " +
			"ancienne édition comparée, et une liste vide d’écoles garde sa note. `lists` d’un " +
			"rapport donne le rayon (`radiusM`) et dit que ce qui n’a pas de position dans les fichiers n’est pas " +
			"compté (`icpe`, `pollutedSites`…). `allDepartementsNote` dit ce que les chiffres de tous les départements " +
			"n’ont pas. La recherche trouve `clermon feran`.",
		"A commune counts its parcels and sections (`parcels`, with `include=stats` or `fields=parcels`), a " +
			"parcel gives the area of its outline (`outlineAreaM2`), which the report has in `parcel`, too. " +
			"While a server loads data, `/coverage.json`, `/readyz` and the words that assistants begin with " +
			"say so. `epci` and `communeCount` have their year, empty `predecessors` name the oldest edition " +
			"that was compared, an empty list of schools keeps its note. `lists` of a report gives the " +
			"radius (`radiusM`) and says that what has no position in the files is not counted (`icpe`, " +
			"`pollutedSites`…). `allDepartementsNote` says what the figures of all départements lack. The search " +
			"finds `clermon feran`."},
	{"2026-11-30", ofData,
		"Chaque année de `populationTimeline` dont la somme n’a pas toutes les communes a `coverage`. Un rang nul " +
			"dit `not_loaded` quand son chiffre n’est chargé nulle part, et toute partie nulle que `fields` nomme a un " +
			"état, qui dit si le département ou la région l’a. `states` donne la période des ventes chargées, et " +
			"`equipements.others` compte les hôpitaux par durée de séjour. La recherche trouve `Rousine` (Roussines) " +
			"et propose la région pour `ile de frnace`. L’outil qui donne `securite` en entier laisse de côté `timeline`.",
		"Each year of `populationTimeline` whose sum lacks communes has `coverage`. A rank that is null says " +
			"`not_loaded` where its figure is loaded nowhere, and each null part that `fields` names has a state, which " +
			"says whether the département or the région has it. `states` gives the period of the loaded sales, and " +
			"`equipements.others` counts hospitals by the length of stays. The search finds `Rousine` (Roussines) and " +
			"proposes the région for `ile de frnace`. A tool that gives `securite` whole leaves out `timeline`.",
	},
	{"2026-11-30", ofData,
		"Chaque valeur classée de `rankings` a son unité (`unit`)\u00a0: la croissance est en pour cent par an. " +
			"Les régions ont `populationTimeline`. `schools` d’une commune donne l’année scolaire de ses " +
			"nombres, et `lists.schools.note` d’un rapport dit quelles écoles ne sont pas comptées. " +
			"Avec `fields`, `year` et `states` sont ceux des parties demandées. `name`, dans la liste des " +
			"communes, lit `st` comme `saint`, et `note` dit pourquoi une liste est vide.",
		"Each ranked value of `rankings` has its `unit`: growth is in percent per year. Régions have " +
			"`populationTimeline`. `schools` of a commune gives the school year of its counts, and " +
			"`lists.schools.note` of a report says which schools are not counted. With `fields`, `year` and " +
			"`states` are those of the parts asked for. `name`, in the list of communes, reads `st` as " +
			"`saint`, and `note` says why a list is empty.",
	},
	{"2026-11-30", ofAPI,
		"À côté du nom d’une commune, un nom commun n’est plus pris pour une autre : `Versailles château` " +
			"donne Versailles, `Libourne prix maisons` Libourne. Un nom dont chaque mot est mal écrit est " +
			"trouvé (`charlevil meziere`). Entre communes homonymes, une référence est lue comme celle de la " +
			"seule dont des parcelles sont chargées, et `readings` nomme les autres. `states` donne le " +
			"millésime des adresses, de la fibre, des ICPE, de CASIAS et des quartiers prioritaires, et dit " +
			"de `gpuPrescriptions` que les prescriptions linéaires et ponctuelles ne sont pas chargées.",
		"Next to the name of a commune a common noun is no longer taken for another: `Versailles château` gives " +
			"Versailles, `Libourne prix maisons` Libourne. A name is found of which each word is misspelt " +
			"(`charlevil meziere`). Of communes of one name a reference is read as that of the only one " +
			"with parcels, and `readings` names the others. `states` gives the vintage of addresses, fibre, " +
			"ICPE, CASIAS and priority districts, and says of `gpuPrescriptions` that prescriptions of lines " +
			"and points are not loaded."},
	{"2026-11-30", ofAPI,
		"Les arrondissements de Paris, Lyon et Marseille ont leurs propres risques\u00a0: `radon`, `seisme`, " +
			"`catnat` et `communeRisks`. Pour la ville entière, `of` indique que la classe est la plus élevée " +
			"de ses arrondissements, et `arrondissements` les répartit par classe. L’outil `get_commune` " +
			"lit aussi le code d’un arrondissement (`75118`).",
		"Arrondissements of Paris, Lyon and Marseille have risks of their own: `radon`, `seisme`, `catnat` " +
			"and `communeRisks`. Of the whole city, `of` says that the class is the highest of its " +
			"arrondissements, and `arrondissements` lists these by class. The tool `get_commune` also reads " +
			"the code of an arrondissement (`75118`)."},
	{"2026-11-30", ofAPI,
		"Une rue demandée sans sa commune ni son code postal a un `score` de 0,79 au plus là où les " +
			"rues d’autres communes ne sont pas chargées, et `hint` dit lesquelles le sont. " +
			"`banAddresses` d’un rapport énumère les adresses dont la recherche nomme la parcelle, y " +
			"compris celles qui sont dans la rue (`match` vaut alors `nearest`)\u00a0; `near` dit " +
			"d’`address` qu’elle est à une autre parcelle. " +
			"Une clé nommée par `fields` ou `theme` a jusqu’à 100 éléments, `known` tous, et " +
			"`dvfNearby` les ventes de maisons comme d’appartements. " +
			"La recherche lit deux parcelles à la fois (`Bondy AY n° 71-72`), et les codes `2A4`, " +
			"`20A`, `D21` et `F-93010` sont compris.",
		"A street that is asked for without its commune or postcode has a `score` of 0.79 at most where " +
			"the streets of other communes are not loaded, and `hint` says which are. " +
			"`banAddresses` of a report lists the addresses whose parcel the search names, those in the " +
			"street included (`match` is then `nearest`); `near` says that `address` is of another parcel. " +
			"A key that `fields` or `theme` names has up to 100 items, `known` all of them, and " +
			"`dvfNearby` sales of houses and of flats. " +
			"The search reads two parcels at once (`Bondy AY n° 71-72`), and the codes `2A4`, `20A`, " +
			"`D21` and `F-93010` are read."},
	{"2026-11-30", ofAPI,
		"`securite` et les résultats des élections sont aussi donnés par région, en additionnant les " +
			"départements. `allDepartementsRatePer1000` et `allDepartementsSharePct` donnent, à côté des taux " +
			"de `securite` et des scores des candidats à la présidentielle, le chiffre de l’ensemble des " +
			"départements. `epci` nomme l’intercommunalité d’une commune. `communeCount` s’ajoute aux chiffres " +
			"des listes de régions et de départements. Avec `fields`, la source est celle des parties " +
			"demandées, et l’erreur d’une clé inconnue commence par la plus proche.",
		"`securite` and the results of elections are also given by région, as sums of the départements. " +
			"`allDepartementsRatePer1000` and `allDepartementsSharePct` give all départements together, next to " +
			"the rates of `securite` and the shares of presidential candidates. `epci` names the intercommunal " +
			"body of a commune. `communeCount` is a figure of the lists of régions and départements. With " +
			"`fields`, the source is that of the parts asked for, and the error for an unknown key begins " +
			"with the closest one."},
	{"2026-11-30", ofAPI,
		"Les noms sont compris en anglais (`Lyons`, `Brittany`), après un mot qui dit leur nature (`ville de Lyon`), suivis d’un code ou d’une région (`Bastia (Corse)`) " +
			"et comme on adresse le courrier (`93 140 Bondy`, `LYON CEDEX 03`). Le début du nom d’un village qui ressemble à celui d’une grande ville (`Loon`) n’est plus pris pour " +
			"le village sans un mot de la ville\u00a0: les deux sont donnés. La recherche lit les positions en degrés et minutes et les adresses de cartes, et les références " +
			"cadastrales dont le numéro vient d’abord (`parcelle 71 section AY Bondy`).",
		"Names are read in English (`Lyons`, `Brittany`), after a word for what they are names of (`ville de Lyon`), with a code or a région after them (`Bastia (Corse)`) " +
			"and as letters are addressed (`93 140 Bondy`, `LYON CEDEX 03`). The beginning of the name of a village that is nearly that of a city (`Loon`) is no longer taken for " +
			"the village without a word of the city: both are named. The search reads positions in degrees and minutes and addresses of maps, and references " +
			"with the number first (`parcelle 71 section AY Bondy`)."},
	{"2026-11-30", ofAPI,
		"Près du bord de ce qui est chargé, l’état d’une clé `not_covered` du rapport donne dans `known` ce qui est connu (`atLeast`, `completeWithinM`)\u00a0; la valeur reste nulle. " +
			"Les listes se trient par `areaKm2` et `density`, et `absent` dit pourquoi des chiffres manquent à certains. `rankings.burglaryRate` donne les cambriolages pour 1\u00a0000 logements, " +
			"France comprise, et `allDepartementsTurnoutPct` la participation de l’ensemble des départements. `schools` énumère jusqu’à 150 établissements, aussi par arrondissement.",
		"Near the edge of what is loaded, the state of a report key that is `not_covered` has in `known` what is known (`atLeast`, `completeWithinM`); the value stays null. " +
			"Lists sort by `areaKm2` and `density`, and `absent` says why some items lack a figure. `rankings.burglaryRate` gives burglaries per 1 000 dwellings, " +
			"that of France included, and `allDepartementsTurnoutPct` the turnout of all départements together. `schools` lists up to 150, also of arrondissements."},
	{"2026-11-30", ofAccount,
		"Un compte peut devenir une organisation\u00a0: ses clés, son offre et ses factures restent les mêmes. Un abonnement annuel est annoncé " +
			"par e-mail 60\u00a0jours avant son renouvellement.",
		"An account can become an organisation: its keys, its plan and its invoices stay the same. A yearly subscription is announced by email " +
			"60 days before it renews."},
	{"2026-11-30", ofData,
		"Avec `include=geometry`, `outline` donne la source, l’année et la précision du contour, et une commune trouvée par un " +
			"point nomme dans `note` celle qui en est aussi proche que le contour est imprécis. `pollutedSites` donne les sites " +
			"de l’ADEME là où CASIAS n’est pas chargé. La recherche trouve l’adresse dans `écoles à moins de 500 m du 12 allée " +
			"des Roses Bondy` et le département dans `le 35`. Seules des parcelles nouvelles sont dites successeurs. Moins de " +
			"noms d’entreprises sont masqués, et aucun nom de personne n’est pris pour celui d’une entreprise parce qu’il est " +
			"aussi un métier.",
		"With `include=geometry`, `outline` gives source, year and precision of the outline, and a commune found by a point " +
			"names in `note` another one that is as near as the outline is imprecise. `pollutedSites` gives the sites of ADEME " +
			"where CASIAS is not loaded. The search finds the address in `écoles à moins de 500 m du 12 allée des Roses " +
			"Bondy` and the département in `le 35`. New parcels alone are called successors. Fewer names of firms are " +
			"withheld, and no name of a person is taken for that of a firm because it is a trade too.",
	},
	{"2026-11-29", ofAccount,
		"Les webhooks préviennent un serveur d’un seuil de quota, d’une clé créée, révoquée ou près d’expirer, d’un paiement échoué ou d’une source mise à jour, " +
			"par une requête signée (`Arpent-Signature`).",
		"Webhooks notify a server of a quota threshold, a key that is created, revoked or about to expire, a failed payment or an updated source, " +
			"by a signed request (`Arpent-Signature`)."},
	{"2026-11-29", ofAPI,
		"Les listes disent ce qu’elles n’ont pas\u00a0: `tiedWithLast` nomme les ex æquo que `top` a écartés, `unranked` donne l’état de chacun, et `overseas` " +
			"les chiffres des départements d’outre-mer, avec la place qu’ils auraient. `sort` accepte la part d’un candidat " +
			"(`election.presidential.round2.results.LEPEN.sharePct`) et la dernière période de `demography`. Les départements et les régions ont leurs naissances et décès " +
			"(`births`). `rounded` marque les effectifs arrondis, `beforeAnnulments` les votes comptés avant les annulations du Conseil constitutionnel.",
		"Lists say what they lack: `tiedWithLast` names those that `top` has cut off with the figure of the last, `unranked` gives the state of each, and `overseas` " +
			"the figures of overseas départements, with the place that they would have. `sort` takes the share of a candidate " +
			"(`election.presidential.round2.results.LEPEN.sharePct`) and the newest period of `demography`. Départements and régions have their births and deaths " +
			"(`births`). `rounded` marks rounded counts, `beforeAnnulments` votes that were counted before the Constitutional Council struck some."},
	{"2026-11-29", ofAssistants,
		"Une liste qu’un outil abrège le dit dans l’objet même\u00a0: `shown`, `truncated`, et `rest` pour obtenir la suite.",
		"A list that a tool cuts says so in the object itself: `shown`, `truncated`, and in `rest` how to get the others."},
	{"2026-11-29", ofAccount,
		"Le propriétaire d’une organisation peut exiger un second facteur de ses membres à partir d’une date, et laisser rejoindre les personnes dont " +
			"l’adresse est d’un domaine qu’elle a fait vérifier. Dans l’API du compte, `createdBy` des clés demande aussi `organisation:read`.",
		"The owner of an organisation can require a second factor of its members from a date on, and let people join whose address is of a domain " +
			"that it has verified. In the account API, `createdBy` of keys needs `organisation:read` too."},
	{"2026-11-29", ofAccount,
		"Là où l’exploitant le propose, une offre payante se règle aussi à l’année. Les e-mails sur l’offre et les paiements peuvent être envoyés en copie à " +
			"d’autres adresses, qui acceptent d’abord.",
		"Where the operator offers it, a paid plan can be paid by the year. The emails about the plan and its payments can be copied to other addresses, " +
			"which agree first."},
	{"2026-11-29", ofAPI,
		"Le titulaire d’une offre payante peut fixer une réserve mensuelle de requêtes au-delà du quota du jour, là où l’exploitant en vend\u00a0; " +
			"`X-Quota-Reserve-Remaining` donne ce qui en reste.",
		"The owner of a paid plan can set a monthly reserve of requests beyond the quota of the day, where the operator sells one; " +
			"`X-Quota-Reserve-Remaining` gives what is left of it."},
	{"2026-11-29", ofAPI,
		"Dans les listes, un chiffre trimestriel porte son trimestre (`quarter`), et non plus l’année du bloc voisin. Un classement de communes nomme les " +
			"départements dont des communes n’ont pas le chiffre (`withoutFigureIn`). `lots` des ventes ne compte plus deux fois les lots d’un appartement et de sa cave.",
		"In lists a figure of a quarter has its `quarter`, no longer the year of the block around it. A ranking of communes names the départements " +
			"some of whose communes lack the figure (`withoutFigureIn`). `lots` of sales no longer counts the lots of a flat and its cellar twice."},
	{"2026-11-29", ofAPI,
		"Les arrondissements de Paris, Lyon et Marseille ont leur réponse\u00a0: l’outil `get_commune` donne leur population, leurs revenus, leurs logements " +
			"et leur délinquance, `arrondissementOf` nomme la ville, et les adresses portent `codeArrondissement`. `equipements.others` compte les hôtels, " +
			"campings, restaurants, dentistes… avec l’année de leur édition\u00a0; `election.notLoaded` dit quelles élections ne sont pas chargées.",
		"Arrondissements of Paris, Lyon and Marseille have an answer: the tool `get_commune` gives their population, incomes, dwellings and offences, " +
			"`arrondissementOf` names the city, and addresses carry `codeArrondissement`. `equipements.others` counts hotels, campsites, restaurants, " +
			"dentists … with the year of their edition; `election.notLoaded` says which elections are not loaded."},
	{"2026-11-29", ofAccount,
		"Une passkey connecte sans mot de passe ni code, par empreinte, visage ou code PIN. Elle remplace aussi le code après le mot de passe, et " +
			"prouve que c’est bien vous. On l’ajoute dans la page Sécurité\u00a0; le mot de passe reste valable.",
		"A passkey signs in without password and code, by fingerprint, face or PIN. It also takes the place of the code after the password, and " +
			"proves that it is you. It is added on the page Security; the password goes on working."},
	{"2026-11-29", ofAccount,
		"Un programme lit la consommation, les clés et les membres d’un compte avec un jeton de gestion, créé à la page des clés\u00a0: " +
			"`/account/v1/usage`, `/account/v1/keys`, `/account/v1/organisation`. Ses appels ne comptent pas dans le quota. L’activité se filtre par " +
			"personne, par sorte d’acte et par période, et se télécharge en CSV ou en JSON.",
		"A program reads the usage, the keys and the members of an account with a management token, made from the page of the keys: " +
			"`/account/v1/usage`, `/account/v1/keys`, `/account/v1/organisation`. Its calls do not count towards the quota. The activity is filtered by " +
			"person, kind of act and period, and downloaded as CSV or JSON."},
	{"2026-11-29", ofAccount,
		"Plusieurs personnes peuvent partager des clés, une offre et des factures dans une organisation, chacune avec son propre compte et un " +
			"rôle. On invite par e-mail\u00a0; l’activité dit qui a fait quoi, et un assistant se relie au compte ou à l’organisation de votre " +
			"choix. «\u00a0Créer une organisation\u00a0» se trouve au bas des réglages.",
		"Several people can share keys, a plan and invoices in an organisation, each with an account of their own and a role. Invitations go " +
			"by email; the activity says who did what, and an assistant is connected to the account or the organisation that you choose. " +
			"“Create an organisation” is at the end of the settings."},
	{"2026-11-29", ofAPI,
		"`minPopulation` écarte les plus petites communes des listes et des classements de `/communes`\u00a0: " +
			"`/communes?sort=revenus.povertyRate&top=10&minPopulation=20000`. La liste de tous les départements dit par `note` que l’outre-mer " +
			"n’y est pas. Une référence cadastrale se lit avec le code postal ou le numéro d’un arrondissement (`75018 AQ 12`).",
		"`minPopulation` leaves the smallest communes out of the lists and rankings of `/communes`: " +
			"`/communes?sort=revenus.povertyRate&top=10&minPopulation=20000`. The list of all départements says by `note` that the overseas ones " +
			"are not in it. A cadastral reference is read with the postcode or the number of an arrondissement (`75018 AQ 12`)."},
	{"2026-11-29", ofData,
		"`largestBloc` de `politicalScore` nomme le bloc qui a le plus de voix\u00a0: `label` est celui de la moyenne, donc le centre là où la gauche " +
			"et l’extrême droite sont fortes. `otherParcels` d’une vente de `dvf` nomme les autres parcelles que le prix couvre. Le rapport donne " +
			"50 adresses d’une parcelle au plus (200 auparavant), et toujours leur nombre.",
		"`largestBloc` of `politicalScore` names the bloc with most votes: `label` is of the mean, so centre where the left and the far right are " +
			"strong. `otherParcels` of a sale in `dvf` names the other parcels that its price covers. The report gives 50 addresses of a parcel at " +
			"most (200 before), and always how many there are."},
	{"2026-11-29", ofAssistants,
		"Les outils lisent les noms d’autrefois (`Annecy-le-Vieux`, `Seine-Inférieure`) et disent ce qu’ils sont devenus\u00a0; un nom mal écrit est " +
			"refusé avec ceux auxquels il ressemble, et un code qui est aussi un code postal est signalé. `leftOut` nomme les clés qui n’ont pas eu de place. " +
			"La recherche nomme la commune mal écrite dont elle ne connaît pas la voie.",
		"Tools read names of the past (`Annecy-le-Vieux`, `Seine-Inférieure`) and say what became of them; a misspelt name is refused with those that " +
			"it resembles, and a code that is also a postcode is pointed out. `leftOut` names the keys that had no room. The search names the " +
			"misspelt commune whose street it does not know."},
	{"2026-11-29", ofAPI,
		"Une liste dit par `mixedYears` quels chiffres sont de plusieurs années, et dans `sources` le dénominateur d’un taux pour 1 000 et la " +
			"période d’une croissance\u00a0; `smallBase` marque celle qui part de moins de 200 habitants. Triée selon un chiffre qu’aucun " +
			"élément n’a, la liste est vide et `states` dit pourquoi. Sans vente, l’état de `dvf` dit entre quels jours on a cherché.",
		"A list says by `mixedYears` which figures are of several years, and in `sources` the denominator of a rate per 1 000 and the " +
			"period of a growth; `smallBase` marks one from fewer than 200 inhabitants. Sorted by a figure that no item has, the list " +
			"is empty and `states` says why. Without a sale, the state of `dvf` says between which days was looked."},
	{"2026-11-29", ofAPI,
		"`hint` de `/adresses` dit qu’une commune n’a pas de voie du type demandé (rue, avenue, place…) et lesquelles y portent ce nom\u00a0; " +
			"s’il y en a plusieurs, `ambiguous` est vrai. Une référence cadastrale se lit aussi avec le nom du département " +
			"(`section AY numéro 71 à Bondy (Seine-Saint-Denis)`), et le sigle d’une région (PACA, IDF, AURA) vaut son nom.",
		"`hint` of `/adresses` says that a commune has no street of the kind that was asked for (rue, avenue, place…), and which have " +
			"the name; where there are several, `ambiguous` is true. A cadastral reference is also read with the name of the département " +
			"(`section AY numéro 71 à Bondy (Seine-Saint-Denis)`), and the abbreviation of a région (PACA, IDF, AURA) stands for its name."},
	{"2026-11-29", ofData,
		"Une commune a `formerCommunes`, les anciennes communes qui en font partie, avec leur code, leur nom, la date et la manière " +
			"(fusion, commune nouvelle, association, partage). L’état d’une clé cherchée autour d’un lieu dit par `radiusM` à quelle distance.",
		"A commune has `formerCommunes`, the former communes that became part of it, with code, name, date and manner (merger, commune " +
			"nouvelle, association, division). The state of a key that is looked for around a place says by `radiusM` how far."},
	{"2026-11-29", ofAPI,
		"`/communes?sort=…&top=…` classe toutes les communes de France, ou celles de `region`, selon un chiffre\u00a0: " +
			"`/communes?region=53&sort=revenus.medianIncome&top=10`. Dans toute liste, `smallBase` nomme les chiffres qui portent sur moins " +
			"de 200 personnes, logements ou votes. `list_communes` fait de même pour les assistants.",
		"`/communes?sort=…&top=…` ranks all communes of France, or those of `region`, by a figure: " +
			"`/communes?region=53&sort=revenus.medianIncome&top=10`. In every list `smallBase` names the figures that are of fewer than " +
			"200 persons, dwellings or votes. `list_communes` does the same for assistants."},
	{"2026-11-29", ofData,
		"Le rapport d’une parcelle a `neighbours`, les parcelles voisines avec la longueur de la limite commune, la plus longue d’abord, et " +
			"`predecessors`, les parcelles disparues dont elle a pris la place. `theme=cadastre` donne les deux.",
		"The report of a parcel has `neighbours`, the parcels that share a border with it and its length, the longest first, and " +
			"`predecessors`, the parcels that are gone whose place it took. `theme=cadastre` gives both."},
	{"2026-11-29", ofAPI,
		"`include=centre,bbox` ajoute à une région, un département, une commune ou une parcelle une position à l’intérieur du contour " +
			"(`lat`, `lon`) et le rectangle englobant (ouest, sud, est, nord) ; les outils le prennent aussi.",
		"`include=centre,bbox` adds to a région, a département, a commune or a parcel a position inside the outline (`lat`, `lon`) and " +
			"the bounding box (west, south, east, north); the tools take it too."},
	{"2026-11-29", ofAPI,
		"Une liste triée dit par `withoutFigure` combien d’éléments n’ont pas le chiffre du tri. Les assistants lisent le nom d’une " +
			"commune suivi de celui de son département, et St pour Saint. `note` de `schools` dit quelles écoles ne sont pas comptées.",
		"A sorted list says by `withoutFigure` how many items lack the figure it is sorted by. Assistants read the name of a commune " +
			"followed by that of its département, and St for Saint. `note` of `schools` says which schools are not counted."},
	{"2026-11-29", ofData,
		"Le rapport d’une parcelle a `buildings`, ses bâtiments d’après le RNB (emprise, part\u00a0; hauteur, étages, usage, logements et année " +
			"d’après la BD TOPO), et `condominiums`, les copropriétés du registre national (lots, période, syndic s’il est une " +
			"personne morale). `theme=housing` donne les deux.",
		"The report of a parcel has `buildings`, its buildings by the RNB (footprint, share; height, floors, use, dwellings and year by " +
			"BD TOPO), and `condominiums`, the condominiums of the national register (lots, period, the syndic where it is a legal " +
			"person). `theme=housing` gives both."},
	{"2026-11-29", ofDocs,
		"Les limites ont un tableau des en-têtes d’une réponse, dont `RateLimit` et `RateLimit-Policy`. La recherche donne les passages " +
			"les plus proches quand aucun ne contient tous les mots.",
		"The limits have a table of the headers of a response, with `RateLimit` and `RateLimit-Policy`. The search gives the closest " +
			"passages when none has every word."},
	{"2026-11-29", ofDocs,
		"Chaque page de la documentation mène à toutes les autres par leur nom. Les appels se lisent en curl, Python, TypeScript, " +
			"PHP, R et Go, et le langage choisi est retenu. Les clés du rapport et des statistiques sont rangées par thème.",
		"Each page of the documentation leads to all others by name. Calls are shown in curl, Python, TypeScript, PHP, R and Go, " +
			"and the chosen language is remembered. The keys of reports and statistics are grouped by theme."},
	{"2026-11-29", ofAPI,
		"`hint` de `/adresses` dit quand aucune parcelle de la commune d’une référence n’est chargée " +
			"(AY 71 à Chamonix).",
		"`hint` of `/adresses` says when no parcel of the commune of a reference is loaded (AY 71 in Chamonix)."},
	{"2026-11-29", ofAPI,
		"Une liste triée selon un chiffre que rien n’alimente ici dit pourquoi dans `states`\u00a0; elle prend 20\u00a0chiffres au plus, et un chemin à travers une liste de personnes (`results.sharePct`) est refusé. `hint` de `/adresses` nomme la collectivité d’outre-mer d’un code postal (97133, 97150), et le numéro qu’une voie n’a pas.",
		"A list sorted by a figure that nothing fills here says why in `states`; it takes 20 figures at most, and a path through a list of persons (`results.sharePct`) is refused. `hint` of `/adresses` names the overseas collectivity of a postcode (97133, 97150), and the number that a street does not have."},
	{"2026-11-29", ofData,
		"Deux clés du rapport d’une parcelle\u00a0: `legalOwners`, ses propriétaires qui sont des personnes morales, et `permits`, les permis accordés qui la nomment sans ambiguïté\u00a0; `leftOut` de l’état compte ceux qui n’ont pu être placés. Les statistiques d’une commune ont `permits`, par année.",
		"Two keys of the report of a parcel: `legalOwners`, its owners that are legal persons, and `permits`, the granted permits that name it without ambiguity; `leftOut` of the state counts those that could not be placed. The statistics of a commune have `permits`, by year."},
	{"2026-11-29", ofAssistants,
		"Les outils n’expliquent les clés qu’avec `explain`. Le début du nom d’une commune vaut son code (Chamonix).",
		"Tools explain keys only with `explain`. The beginning of a commune’s name stands for its code (Chamonix)."},
	{"2026-11-29", ofAccount,
		"La page Consommation montre les erreurs, les heures et les cent dernières requêtes, avec la raison de chaque refus. Dans les réglages, choisissez les seuils des e-mails sur le quota et, au besoin, d’autres destinataires. Les factures portent une raison sociale et un bon de commande.",
		"The page Usage shows errors, hours and the last hundred requests with the reason of each error. In the settings, choose the percentages for emails about the quota and, if needed, other recipients. Invoices can have a company name and a purchase order."},
	{"2026-11-28", ofAPI,
		"`/regions`, `/departements` et `/communes?departement=` prennent `fields`, `sort` et `top`\u00a0: les chiffres de chaque territoire, du plus haut au plus bas, en une réponse (`/regions?sort=medianIncome`). `name` y pardonne une faute de frappe, et `fuzzy` le dit. `fields` mène à une partie d’une clé (`securite.burglary`), `theme` à toutes les clés d’un sujet.",
		"`/regions`, `/departements` and `/communes?departement=` take `fields`, `sort` and `top`: the figures of each territory, highest first, in one answer (`/regions?sort=medianIncome`). `name` forgives a typing error there, and `fuzzy` says so. `fields` leads to a part of a key (`securite.burglary`), `theme` to all keys of a subject."},
	{"2026-11-28", ofAssistants,
		"Les outils répondent par un abrégé d’environ 6\u00a0ko quand `fields` ne nomme aucune clé, `list_communes` par des lignes\u00a0; `explain` donne le sens des clés, et le nom d’une commune vaut son code. Le texte d’un long résultat n’en est plus qu’un résumé pour les clients qui lisent `structuredContent`. Le numéro d’un message JSON-RPC revient tel qu’il est venu.",
		"Tools answer with a digest of about 6 kB where `fields` names no key, `list_communes` with rows; `explain` gives the meaning of keys, and the name of a commune stands for its code. The text of a long result is a summary for clients that read `structuredContent`. The id of a JSON-RPC message comes back as it was sent."},
	{"2026-11-28", ofAPI,
		"Dans `/adresses`, un `housenumber` porte l’`idu` de sa parcelle et `distanceM`. `/parcelles?lat&lon` prend `maxDistance` (0 à 50\u00a0m) et donne alors la parcelle la plus proche\u00a0; `match` et `distanceM` disent ce qu’il en est. Dans le rapport, `asked` de `address` dit si l’adresse demandée est bien l’une de celles de la parcelle.",
		"In `/adresses` a `housenumber` has the `idu` of its parcel and `distanceM`. `/parcelles?lat&lon` takes `maxDistance` (0 to 50 m) and then answers the nearest parcel; `match` and `distanceM` say which it is. In the report `asked` of `address` says whether the address asked for is one of the parcel's."},
	{"2026-11-28", ofData,
		"Les statistiques d’une commune ont aussi `radon`, `seisme`, `catnat`, `communeRisks`, `schools` et `nearestGare` (depuis son centre), sans passer par une parcelle. Une `contenance` de 0 est null.",
		"The statistics of a commune also have `radon`, `seisme`, `catnat`, `communeRisks`, `schools` and `nearestGare` (from its centre), without any parcel. A `contenance` of 0 is null."},
	{"2026-11-28", ofData,
		"`areaKm2` est la superficie terrestre que publie l’INSEE, avec deux décimales, `areaSource` et `areaYear`\u00a0; celle du contour est dans `outlineAreaKm2`. `percentile` des classements disparaît\u00a0: `rank`, `of` et `direction` le disent. Les nombres d’un département ou d’une région ont leur année à côté d’eux (`populationYear`). `smallBase` signale une part de moins de 200, `mixedYears` une valeur tirée de plusieurs années. Les séries de la délinquance, des vagues électorales et de la démographie portent leur dénominateur. `provisional` n’est vrai que si le fichier se dit provisoire.",
		"`areaKm2` is the land area that INSEE publishes, with two decimals, `areaSource` and `areaYear`; that of the outline is in `outlineAreaKm2`. `percentile` of the rankings is gone: `rank`, `of` and `direction` say it. The numbers of a département or région have their year next to them (`populationYear`). `smallBase` marks a share of fewer than 200, `mixedYears` a value made from several years. The series of offences, of electoral waves and of demography carry their denominator. `provisional` is true only where the file calls itself so."},
	{"2026-11-28", ofData,
		"`nearestHospital` et `namedServices.hospital` ne donnent que des hôpitaux généraux, sans leurs antennes (hôpitaux de jour, unités dentaires, psychiatriques, gériatriques) et, si l’inventaire des équipements est chargé, que ceux qui ont des urgences\u00a0: `emergencies`. `nearestAirport` dit par `scheduledFlights` si la liste connaît des vols réguliers. Les outils gardent d’une longue liste les éléments les plus récents, les plus grands ou les plus proches, et disent lesquels. `/adresses` dit de quelle région fait partie une région d’avant 2016 (Alsace, Auvergne).",
		"`nearestHospital` and `namedServices.hospital` give general hospitals alone, without their outposts (day hospitals, dental, psychiatric and geriatric units), and, where the inventory of facilities is loaded, only those with emergencies: `emergencies`. `nearestAirport` says by `scheduledFlights` whether the list knows of scheduled flights. Tools keep the newest, largest or nearest items of a long list, and say which. `/adresses` says of a région of before 2016 (Alsace, Auvergne) which région it is a part of."},
	{"2026-11-28", ofAPI,
		"`/adresses` trouve une commune par tout début de son nom (Chamonix, Oloron), par ses anciens codes, et les lieux-dits des fichiers d’adresses. `ambiguous` et `namesakes` disent que plusieurs lieux s’appellent ainsi, et aucun n’a alors plus de 0,8 ; `fuzzy`, qu’une réponse s’écrit autrement : ses mots sont dans `unmatched`, et aucune supposition ne suit une réponse sûre. Les voies homonymes d’une commune fusionnée sont toutes données. Un code postal d’une collectivité d’outre-mer est dit non couvert.",
		"`/adresses` finds a commune by any beginning of its name (Chamonix, Oloron), by its former codes, and the localities of the address files. `ambiguous` and `namesakes` say that several places are called so, and none of them then scores above 0.8; `fuzzy` that an answer is spelt otherwise: its words are in `unmatched`, and no guess follows a sure answer. All homonymous streets of a merged commune are given. A postcode of an overseas collectivity is said to be not covered."},
	{"2026-11-28", ofAPI,
		"Une référence cadastrale se lit comme on l’écrit (`93 010 AY 71`, `section AY n° 71 Bondy`, un O pour un zéro), dans `/parcelles/{idu}`, les outils, l’explorateur et `/adresses`, qui donne alors une réponse `parcel` avec son `idu`. Sans préfixe dans une commune qui en a plusieurs, la réponse nomme les parcelles possibles.",
		"A cadastral reference is read as people write it (`93 010 AY 71`, `section AY n° 71 Bondy`, the letter O for a zero), in `/parcelles/{idu}`, the tools, the explorer and `/adresses`, which then gives a `parcel` with its `idu`. Without a prefix in a commune that has several the answer names the parcels that may be meant."},
	{"2026-11-27", ofAPI,
		"Tant que les statistiques sont en cours de calcul, la commune d’un point demandée avec `include=stats` ou `fields` répond 503, comme les autres opérations\u00a0; elle donnait des `null`. Le codage d’une réponse suit `Accept-Encoding` aussi lorsqu’un astérisque y figure. Un rapport dont le client a raccroché s’arrête aussitôt.",
		"While the statistics are being computed, the commune at a point with `include=stats` or `fields` answers 503, as other operations do; it gave nulls. The encoding of an answer follows `Accept-Encoding` also where that has an asterisk. A report whose client has hung up ends at once."},
	{"2026-11-27", ofData,
		"`landM2` des ventes (`dvf`, `dvfNearby`) ne compte plus deux fois le terrain d’une maison vendue avec deux dépendances semblables.",
		"`landM2` of sales (`dvf`, `dvfNearby`) no longer counts the land of a house twice that was sold with two outbuildings that are alike."},
	{"2026-11-27", ofData,
		"Pour une commune que le fichier LOVAC cite sans taux, `states` dit que les fichiers la citent, et non qu’ils l’ignorent. Un nom à la place d’un code de commune (`/communes/Bondy`) mène à la recherche par `/adresses`, celui d’un département d’outre-mer (`/departements/La Réunion`) à ses communes et à sa région. Le message d’un `429` ne propose plus d’offre supérieure à qui a déjà la plus haute.",
		"Of a commune that the LOVAC file lists without a rate, `states` says that the files list it, and no longer that they do not. A name in place of a commune code (`/communes/Bondy`) leads to the search by `/adresses`, that of an overseas département (`/departements/La Réunion`) to its communes and its région. The message of a `429` no longer proposes a higher plan to an account that has the highest."},
	{"2026-11-27", ofData,
		"`rankings.equipmentPer10000.france` divise les équipements par la population des mêmes départements\u00a0: ceux de Mayotte étaient comptés sans ses habitants. Le maire d’une commune scindée depuis le registre est nul, et `states` ne dit plus secret un revenu publié pour les communes d’avant une fusion ou une scission, ni absente des fichiers une commune qui y figure sans la donnée. Un pourcentage à mi-chemin de deux centièmes est arrondi au supérieur.",
		"`rankings.equipmentPer10000.france` divides the facilities by the inhabitants of the same départements: those of Mayotte were counted without its inhabitants. The mayor of a commune that was split after the register is null, and `states` no longer calls an income secret that is published of the communes before a merger or a split, nor a commune absent from files that list it without the figure. A percentage halfway between two hundredths is rounded up."},
	{"2026-11-27", ofAPI,
		"Un mot d’une autre écriture (Москва, 東京) compte dans `/adresses`\u00a0: il est dans `unmatched`, et le score baisse. Il était ignoré.",
		"A word of another script (Москва, 東京) counts in `/adresses`: it is in `unmatched`, and the score is lower. It was passed over."},
	{"2026-11-27", ofAPI,
		"Le message d’un `429` dit quand la limite atteinte est celle des rapports, plus basse que celle des requêtes.",
		"The message of a `429` says when the limit that was met is that of reports, which is lower than that of requests."},
	{"2026-11-27", ofAPI,
		"Un point qui n’est dans aucune parcelle, comme celui d’une adresse placée sur la voie, reçoit un 404 dont le message nomme la parcelle la plus proche, jusqu’à 50\u00a0m. Loin de toute commune, le message nomme celle où le point tomberait si `lat` et `lon` étaient inversées\u00a0; pour un code de région d’un seul chiffre, celui qui a pu perdre son zéro.",
		"A point in no parcel, as that of an address in the street, answers 404 with a message that names the nearest parcel, up to 50 m away. Far from every commune the message names the one where the point would be with `lat` and `lon` swapped; for a région code of one digit, the one that may have lost its zero."},
	{"2026-11-27", ofDocs,
		"`/openapi.json` et `/openapi.yaml` se lisent aussi depuis les pages d’autres sites, comme les éditeurs en ligne. La recette du tableur va jusqu’au bout d’un fichier qui a des cellules vides.",
		"`/openapi.json` and `/openapi.yaml` can be read by pages of other sites too, such as online editors. The recipe for spreadsheets reads a file with empty cells to its end."},
	{"2026-11-27", ofAssistants,
		"Les outils des assistants prennent le nom d’une région ou d’un département, outre-mer compris, avec ou sans article, pour son code, et disent comment ils l’ont lu\u00a0; ailleurs, le message d’erreur propose l’adresse qui porte le code.",
		"The tools of assistants take the name of a région or département, overseas ones included, with or without its article, for its code, and say how they read it; elsewhere the error message proposes the address with the code."},
	{"2026-11-27", ofDocs,
		"Le document OpenAPI décrit aussi la réponse 431, celle d’une adresse ou d’en-têtes trop longs.",
		"The OpenAPI document also describes the answer 431, of an address or headers that are too long."},
	{"2026-11-27", ofAPI,
		"`hint` de `/adresses` mène à la parcelle quand la demande a la forme d’une référence cadastrale.",
		"`hint` of `/adresses` leads to the parcel where the query has the form of a cadastral reference."},
	{"2026-11-27", ofAssistants,
		"Un code de commune ou de département en minuscules, ou privé de son premier zéro, est compris par les outils des assistants, qui disent comment ils l’ont lu ; ailleurs, le message d’erreur propose l’adresse corrigée.",
		"The code of a commune or département in small letters, or without its first zero, is understood by the tools of assistants, which say how they read it; elsewhere the error message proposes the corrected address."},
	{"2026-11-27", ofAPI,
		"`/adresses` trouve les communes par les premiers mots de leur nom (Le Touquet, Le Kremlin), les arrondissements par leur code (75118), un code postal qui a perdu son zéro (6000 Nice) et un numéro placé derrière la voie. De 12b, `unmatched` a le suffixe inconnu. Une commune nommée comme elle est écrite précède celles dont les mots sont joints ou séparés (Lagrange pour La Grange), qui restent au-dessus de 0,8\u00a0; un ancien nom sans son article a moins.",
		"`/adresses` finds communes by the first words of their names (Le Touquet, Le Kremlin), arrondissements by their codes (75118), a postcode that lost its zero (6000 Nice) and a house number behind the street. Of 12b, `unmatched` has the suffix that is not known. A commune that is named as written comes before those whose words are joined or split (Lagrange for La Grange), which stay above 0.8; a former name that lacks its article scores less."},
	{"2026-11-27", ofData,
		"La couverture des adresses compte aussi les bases adresses locales, que la recherche trouvait déjà, et les instructions des outils comptent les parcelles comme `/coverage.json`. `/methods` dit comment `percentile` est arrondi, pourquoi la superficie de l’INSEE peut dépasser `areaKm2`, et que les indices de Gini de 2014 et 2015 ont une décimale.",
		"The coverage of addresses also counts the local address files, which the search found already, and the instructions of the tools count parcels as `/coverage.json` does. `/methods` says how `percentile` is rounded, why the area of INSEE can exceed `areaKm2`, and that the Gini indices of 2014 and 2015 have one decimal."},
	{"2026-11-27", ofAPI,
		"Dans `states`, le `vintage` d’une statistique est celui des fichiers dont la valeur de ce territoire est tirée, et non le plus récent de ceux qui auraient pu la donner\u00a0; `emploi.employmentZone` y a un état où la zone d’emploi n’a pas de taux, `demography.naturalBalance` et les autres chiffres de naissances où ils ne sont connus d’aucune période, `election.municipal.results.sharePct` où le fichier a plus de voix que de suffrages exprimés. La population totale de Paris, Lyon et Marseille est donnée\u00a0: la somme de leurs arrondissements. `/status.json` donne l’édition de chaque source (`vintage`), et le retard se compte depuis elle.",
		"In `states` the `vintage` of a statistic is that of the files that the value of this territory is from, rather than the newest of those that could have given it; `emploi.employmentZone` has a state there where the zone d’emploi has no rate, `demography.naturalBalance` and the other figures of births where they are known of no period, `election.municipal.results.sharePct` where the file has more votes than were expressed. The total population of Paris, Lyon and Marseille is given: the sum of their arrondissements. `/status.json` gives the edition of each source (`vintage`), from which lateness counts."},
	{"2026-11-27", ofClients,
		"Les méthodes des bibliothèques clientes sont documentées dans l’éditeur comme les opérations ici, et le document OpenAPI dit par `x-rate-limit-class` quelles opérations ont la limite plus basse des rapports.",
		"The methods of the client libraries are documented in the editor as the operations are here, and the OpenAPI document says by `x-rate-limit-class` which operations have the lower limit of reports."},
	{"2026-11-26", ofClients,
		"Quand la limite de la minute est atteinte, les bibliothèques clientes attendent aussi après un rapport\u00a0: l’appel suivant partait trop tôt, et recevait un `429`.",
		"Once the limit of the minute is met, the client libraries also wait after a report: the next call was sent too early, and was answered `429`."},
	{"2026-11-25", ofClients,
		"Des bibliothèques clientes pour TypeScript et Python appellent chaque opération et respectent d’elles-mêmes les limites. Cette liste se suit aussi par un flux Atom.",
		"Client libraries for TypeScript and Python call every operation and keep to the limits by themselves. This list can be followed as an Atom feed, too."},
	{"2026-11-25", ofAPI,
		"`states` nomme aussi les parties nulles d’une valeur qui ont leurs propres sources, comme `election.legislative`. `revenus` sans aucun chiffre a l’état `secret` ou `not_covered`, et non `value`.",
		"`states` also names parts of a value that have sources of their own and are null, such as `election.legislative`. `revenus` without any figure has the state `secret` or `not_covered` in place of `value`."},
	{"2026-11-25", ofAPI,
		"Tant que les statistiques ne sont pas calculées, comme après une mise à jour du serveur, une demande de statistiques répond `503` au lieu de ne donner que des null.",
		"Until the statistics are computed, as after an update of the server, a request for them is answered `503` rather than with nothing but nulls."},
	{"2026-11-25", ofAPI,
		"`/adresses` dit par `truncated` qu’une recherche a été arrêtée à sa limite, et donne dans `postcodes` tous les codes postaux d’une commune qui en a plusieurs, comme le font les communes.",
		"`/adresses` says with `truncated` that a search was cut at its limit, and lists in `postcodes` all postcodes of a commune that has several, as communes do."},
	{"2026-11-25", ofDocs,
		"`/openapi.yaml` s’ajoute à `/openapi.json`, avec des étiquettes et des réponses enregistrées\u00a0; `/llms-full.txt` donne toute la documentation en un texte.",
		"`/openapi.yaml` is served in addition to `/openapi.json`, with tags and recorded answers; `/llms-full.txt` is the whole documentation in one text."},
	{"2026-11-25", ofData,
		"La densité d’une commune est calculée sur sa superficie terrestre publiée par l’INSEE, donnée à côté d’elle dans `landAreaKm2`\u00a0: celle des communes qui ont des lagunes ou des lacs augmente. Chaque valeur classée est accompagnée du chiffre de la France.",
		"The density of a commune is of the land area that INSEE publishes, which is given next to it as `landAreaKm2`: it rises for communes with lagoons or lakes. Each ranked value has the figure for France next to it."},
	{"2026-11-25", ofAPI,
		"Le rapport prend `address=`\u00a0: l’adresse par laquelle la parcelle a été trouvée vient en tête des siennes.",
		"The report takes `address=`: the address that the parcel was found by is the first of its addresses."},
	{"2026-11-25", ofAPI,
		"À côté de `stats` et d’`enrichments`, `states` dit de chaque clé pourquoi elle a une valeur ou n’en a pas. Une liste vaut null, et non une liste vide, quand rien n’est chargé pour elle.",
		"Next to `stats` and `enrichments`, `states` says of each key why it has a value or none. A list is null, not empty, where nothing is loaded for it."},
	{"2026-11-25", ofData,
		"Les parcelles donnent l’édition du cadastre (`vintage`) et disent par `contenanceDiffers` que la contenance ne concorde pas avec le contour. Une référence écrite autrement est refusée avec l’appel qui convient.",
		"Parcels give the edition of the cadastre (`vintage`) and say with `contenanceDiffers` that the recorded area does not fit the outline. A reference written in another way is refused with the call that it would be."},
	{"2026-11-25", ofAPI,
		"`/adresses` dit quels mots ont été trouvés (`matched`, `unmatched`) et où demander plutôt (`hint`). Ce qui s’écrit autrement passe après la commune nommée comme elle est écrite, et n’a jamais plus de 0,8.",
		"`/adresses` says which words were found (`matched`, `unmatched`) and where to ask instead (`hint`). What is spelt otherwise comes after the commune that is named as written, and never scores above 0.8."},
	{"2026-11-25", ofData,
		"Les élections établies sur des résultats provisoires le disent.",
		"Elections that are made from provisional results say so."},
	{"2026-11-25", ofAPI,
		"`fields=` choisit les clés de `stats` et du rapport\u00a0; `lists` dit de chaque liste du rapport combien d’éléments existent et combien sont donnés.",
		"`fields=` chooses keys of `stats` and of the report; `lists` says of each list of the report how many items there are and how many are given."},
	{"2026-11-23", ofData,
		"Un lieu de santé dont la source ne donne pas le nom a un nom null.",
		"A health place that its source does not name has a null name."},
	{"2026-11-22", ofAPI,
		"`304` ne répond qu’à un `If-None-Match` d’une seule étiquette\u00a0; `*` et les listes sont traités comme s’ils étaient absents.",
		"`304` answers an `If-None-Match` of exactly one tag alone; `*` and lists are treated as if they were absent."},
	{"2026-11-22", ofAssistants,
		"Les assistants se relient à `/mcp`, par OAuth ou avec une clé, et y trouvent onze outils.",
		"Assistants connect to `/mcp`, by OAuth or with a key, and find eleven tools there."},
	{"2026-11-21", ofAPI,
		"`include=stats` donne les statistiques des communes, des départements et des régions.",
		"`include=stats` gives the statistics of communes, départements and régions."},
	{"2026-11-21", ofAPI,
		"`/adresses` trouve adresses, voies, lieux-dits et communes.",
		"`/adresses` finds addresses, streets, localities and communes."},
	{"2026-11-21", ofAPI,
		"`/parcelles/{idu}/enrichments` donne le rapport d’une parcelle.",
		"`/parcelles/{idu}/enrichments` gives the report of a parcel."},
	{"2026-11-21", ofAccount,
		"Les clés se remplacent sans interruption, se suspendent et se restreignent à des réseaux.",
		"Keys can be rotated without interruption, paused, and restricted to networks."},
	{"2026-11-21", ofAPI,
		"Première version de `v1`\u00a0: régions, départements, communes et parcelles.",
		"First version of `v1`: régions, départements, communes and parcels."},
}

// changeAnchor is the place of a change on the page. n counts the changes of its day from the oldest: those
// that come later leave it as it is.
func (c change) changeAnchor(n int) string { return "on-" + c.day + "-" + strconv.Itoa(n) }

// changeDay is what changed on one day.
type changeDay struct {
	id      string
	day     time.Time
	changes []change
}

func changeDays() (out []changeDay) {
	for _, c := range changeLog {
		if n := len(out); n == 0 || out[n-1].id != c.day {
			out = append(out, changeDay{id: c.day, day: c.servedDate()})
		}
		last := &out[len(out)-1]
		last.changes = append(last.changes, c)
	}
	return out
}

// serveChangesFeed serves an entry for each change.
func (p *Pages) serveChangesFeed(c *fiber.Ctx) error {
	f := p.o.Site.Frame(c)
	var entries []web.FeedEntry
	for _, d := range changeDays() {
		for i, c := range d.changes {
			entries = append(entries, c.feedEntry(f, len(d.changes)-i))
		}
	}
	return web.SendFeed(c, f, changesPath, f.Lang.Pick("changements", "changes"), entries[0].Updated, entries)
}

// feedEntry is the change in a feed, the nth of its day.
func (c change) feedEntry(f web.Frame, n int) web.FeedEntry {
	text := strings.ReplaceAll(f.Lang.Pick(c.french, c.english), "`", "")
	title, _, _ := strings.Cut(text, ". ")
	page, place := f.BaseURL()+changesPath, "#"+c.changeAnchor(n)
	return web.FeedEntry{ID: page + place, Title: strings.TrimSuffix(title, "."), Summary: text, Tag: c.tag,
		TagName: changeTags.Of(f.Lang, c.tag),
		Link:    page + "?lang=" + string(f.Lang) + place, Published: c.servedDate(), Updated: c.servedDate()}
}
