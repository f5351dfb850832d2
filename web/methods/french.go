package methods

// InFrench returns the French translation of a sentence that the page on methods takes from the code or from the data
// files; empty when there is none.
func InFrench(english string) string { return inFrench[english] }

var inFrench = map[string]string{
	// Notes on the table of blocs.
	"The scale is a convention. It says where the votes went, on a line of five places from -1 to +1; it says nothing of persons or of what they want.":                         "L’échelle est une convention. Elle dit où sont allées les voix, sur une ligne de cinq places de −1 à +1 ; elle ne dit rien des personnes ni de ce qu’elles veulent.",
	"Nuances are those of the ministry, without the letter L of lists and the BC- of pairs of candidates. Candidates for the presidency have none: each has a line of his own.": "Les nuances sont celles du ministère, sans la lettre L des listes ni le BC- des binômes. Les candidats à la présidence n’en ont pas : chacun a sa ligne.",
	"Votes for what has no place count in no score. They lower its coverage: the share of the votes expressed that have a place.":                                               "Les voix pour ce qui n’a pas de place ne comptent dans aucun score. Elles en abaissent la couverture : la part des suffrages exprimés qui ont une place.",
	"Municipal elections are no part of politicalScore: in 2026 only 3 282 of 34 836 communes had a list with a nuance.":                                                        "Les élections municipales n’entrent pas dans politicalScore : en 2026, seules 3 282 communes sur 34 836 avaient une liste dotée d’une nuance.",
	"The grouping of the ministry's own circular of February 2026 is not used, as its file of nuances was not at hand; a later version of this table may follow it.":            "Le regroupement de la circulaire du ministère de février 2026 n’est pas repris : son fichier des nuances n’était pas disponible. Une version ultérieure de cette table pourra le suivre.",

	// Reasons.
	"The circular of February 2026 is reported to count it as far left. It is kept left here, so that its votes are counted alike in all years.": "La circulaire de février 2026 la classerait à l’extrême gauche. Elle reste ici à gauche, pour que ses voix soient comptées de la même façon toutes les années.",
	"Environmentalists outside the main party: some are of the centre. Most lists ally with the left, so they are counted there.":                "Écologistes hors du parti principal : certains sont du centre. La plupart des listes s’allient à gauche, elles y sont donc comptées.",
	"Between centre and right: in most elections since 2012 it was allied with the right, so it is counted there.":                               "Entre centre et droite : à la plupart des élections depuis 2012, alliée à la droite, donc comptée là.",
	"As a label of lists it is right; its candidate of 2017 and 2022 has a line of his own.":                                                     "À droite en tant que nuance de listes ; son candidat de 2017 et 2022 a sa propre ligne.",
	"Born of the right in 2024 to ally with the Rassemblement national: counted with its ally.":                                                  "Née de la droite en 2024 pour s’allier au Rassemblement national : comptée avec son alliée.",
	"Between right and far right; its lists stood against the right and near the Rassemblement national.":                                        "Entre droite et extrême droite ; ses listes se sont présentées contre la droite et près du Rassemblement national.",
	"Regionalists stand from left to right: a place on the scale would be a guess.":                                                              "Les régionalistes vont de la gauche à la droite : leur donner une place serait deviner.",
	"In 2012 he stood as a Gaullist of the right; his alliance with the Front national is of 2017.":                                              "En 2012, il se présentait en gaulliste de droite ; son alliance avec le Front national date de 2017.",
	"No place on the scale: his programme is outside of it.":                                                                                     "Sans place sur l’échelle : son programme lui est extérieur.",
	"Left as in 2012 and 2022, so that the trend is not one of labels.":                                                                          "À gauche comme en 2012 et 2022, pour que la tendance ne soit pas celle des étiquettes.",
	"Left as in 2012 and 2017, so that the trend is not one of labels.":                                                                          "À gauche comme en 2012 et 2017, pour que la tendance ne soit pas celle des étiquettes.",
	"He allied with the Front national between the rounds.":                                                                                      "Il s’est allié au Front national entre les deux tours.",
	"No place on the scale: a candidate of rural protest, who drew from left and right.":                                                         "Sans place sur l’échelle : candidat de la protestation rurale, venu puiser à gauche comme à droite.",
	"No place on the scale: against the European Union, and neither left nor right by his own word.":                                             "Sans place sur l’échelle : contre l’Union européenne et, selon ses propres mots, ni de gauche ni de droite.",
	"Kept where he stood in 2017.": "Maintenu là où il se trouvait en 2017.",

	// Metrics of the rankings.
	"Municipal population, highest first.":                                                                                                                                    "Population municipale, la plus grande d’abord.",
	"Inhabitants per km² of land, as INSEE publishes it, highest first.":                                                                                                      "Habitants au km² de terre, selon la superficie que publie l’INSEE, du plus grand au plus petit.",
	"Change of the population, in percent a year, highest first.":                                                                                                             "Évolution de la population, en pourcentage par an, la plus forte d’abord.",
	"Median disposable income per consumption unit, euros a year, highest first.":                                                                                             "Revenu disponible médian par unité de consommation, en euros par an, le plus élevé d’abord.",
	"Share of the inhabitants below 60 % of the national median, in percent, lowest first.":                                                                                   "Part des habitants sous 60 % du niveau de vie médian national, en pourcentage, la plus faible d’abord.",
	"Unemployment in percent, lowest first: census rate for communes, localised rate (ILO) for départements and régions. The two are not comparable.":                         "Chômage en pourcentage, le plus faible d’abord : au sens du recensement entre communes, taux localisé (BIT) au-dessus. Les deux ne se comparent pas.",
	"Vacant dwellings in percent of all (census), lowest first.":                                                                                                              "Logements vacants en pourcentage de tous les logements (recensement), le plus faible d’abord.",
	"Second homes in percent of all dwellings (census), highest first.":                                                                                                       "Résidences secondaires en pourcentage de tous les logements (recensement), la plus forte part d’abord.",
	"Accessibility of general practitioners, consultations a year per standardised inhabitant, highest first.":                                                                "Accessibilité des médecins généralistes, consultations par an et par habitant standardisé, la plus grande d’abord.",
	"Facilities per 10 000 inhabitants, highest first, counted over the loaded facilities, with the population of the census nearest to their year: in Mayotte that of 2017.": "Équipements pour 10 000 habitants, le plus grand nombre d’abord. Seuls comptent les équipements chargés, rapportés à la population du recensement le plus proche de leur année\u00a0: à Mayotte, celui de 2017.",
	"Debt of the authority per inhabitant, euros, lowest first.":                                                                                                              "Dette de la collectivité par habitant, en euros, la plus faible d’abord.",
	"Offences recorded per 1 000 inhabitants, the sum of ten kinds (method sum10-v1), lowest first.":                                                                          "Infractions enregistrées pour 1 000 habitants, somme de dix catégories (méthode sum10-v1), le taux le plus faible d’abord.",
	"Life expectancy at birth in years, the mean of women and men, highest first.":                                                                                            "Espérance de vie à la naissance, en années, moyenne des femmes et des hommes, la plus longue d’abord.",
}
