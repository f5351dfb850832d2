package box

// statisticsFiles declares the statistics of communes, départements and régions.
func statisticsFiles() []File {
	insee := func(from, to, title, edition, found, checked string, convert Conversion) File {
		f := File{From: from, To: to, Title: title, Producer: "INSEE", Licence: openLicence,
			Edition: edition, Extent: country, Found: found, Checked: checked, Make: convert}
		if convert != nil {
			f.Conversion = "columns that are read"
		}
		return f
	}
	workbook := insee(`population2019\.xls(\.gz)?`, "insee-population/donnees_communes_2016.csv.gz",
		"Legal populations", "census of 2016", admin, "66 361 658 inhabitants", convertLegalPopulations)
	workbook.Conversion = "sheet Communes written in the layout that INSEE uses since"
	workbook.Totals = []Total{{Separator: ';', Column: "PMUN", Sum: 66361658}}
	reference := insee(`insee-population/donnees_communes\.csv(\.gz)?`,
		"insee-population/donnees_communes.csv.gz", "Legal populations", "census of 2023", admin,
		"68 094 280 inhabitants", keepColumns(';', "COM", "PMUN", "PTOT"))
	reference.Totals = []Total{{Separator: ';', Column: "PMUN", Sum: 68094280}}
	mayotte := insee(`insee-population/donnees_communes_mayotte\.csv(\.gz)?`,
		"insee-population/donnees_communes_mayotte.csv.gz", "Legal populations of Mayotte",
		"census of 2017", admin, "256 518 inhabitants", nil)
	mayotte.Totals = []Total{{Separator: ';', Column: "PMUN", Sum: 256518}}
	bpe2013 := insee(`bpe2013\.xlsx(\.gz)?`, "insee-bpe/bpe2013.csv.gz", "Facilities by type (BPE)",
		"2013", "JGravier/postdoc_services_publics, BPE/data/",
		"the types of each commune add up to its total", firstSheet)
	bpe2013.Conversion = "workbook written as CSV"
	incomes := insee(`cc_filosofi_(20\d\d)_COM\.csv(?:\.gz)?`,
		"insee-filosofi/cc_filosofi_$1_COM.csv.gz", "Incomes of communes (Filosofi, key figures)", "$1",
		"greg2gld/DS-Immo, data/",
		"medians of 31 281 of 31 322 communes against the copy of data.gouv.fr", keepColumns(';',
			"CODGEO", `MED\d\d`, `TP60\d\d`, `D1\d\d`, `D9\d\d`, `RD\d\d`, `PIMP\d\d`, `PPSOC\d\d`,
			`PPMINI\d\d`))
	incomes.Producer = filosofi
	return []File{
		reference, workbook, mayotte, bpe2013,
		insee(`communes_comparateur_(20\d\d)\.csv(?:\.gz)?`,
			"insee-comparateur/communes_comparateur_$1.csv.gz",
			"Comparateur de territoires: area, population, births, deaths, activity",
			"$1", "rcarlier/datas.fun, France/communes.csv",
			"67 406 310 inhabitants of 2021, 632 666 km²; the published totals were not at hand",
			selection{separator: ',',
				once: true, columns: []string{"insee_com", "commune_type",
					"superficie_km2", `population_20\d\d`, `naissances_20\d\d`, `deces_20\d\d`,
					`pop_15_64_.*`}}.convertTable),
		insee(`(insee_rp_evol_1968_(?:departement|region)_20\d\d)\.csv(?:\.gz)?`,
			"insee-rp-evolution/$1.csv.gz", "Mortality between censuses", "1968 to 2018",
			streamlit+", sante/taux_de_mortalite/", "none is published as a sum", nil),
		incomes,
		incomeDistribution("COM", "communes", `FILO(2019)_DISP_COM`),
		incomeDistribution("DEP", "départements", `FILO(20\d\d)_DISP_DEP`),
		incomeDistribution("REG", "régions", `FILO(20\d\d)_DISP_REG`),
		{From: `bpe_communes_(20\d\d)\.json(?:\.gz)?`, To: "insee-bpe/bpe_communes_$1.json.gz",
			Newest: true, Make: keepListMembers("communes", facilityBuckets...),
			Title: "Facilities by commune, 15 types (BPE)", Producer: "INSEE", Licence: openLicence,
			Edition: "$1", Extent: country, Found: gazetteer,
			Checked:    "20 725 pharmacies, 60 573 general practitioners",
			Conversion: "counted by commune by the holder"},
		{From: `chomage_zones_emploi_(20\d\d-20\d\d)\.json(?:\.gz)?`,
			To: "insee-chomage/chomage_zones_emploi_$1.json.gz", Newest: true,
			Title: "Unemployment of the zones d'emploi, and their communes", Producer: "INSEE",
			Licence: openLicence, Edition: "$1", Extent: country, Found: gazetteer,
			Checked:    "302 zones, 34 875 communes",
			Conversion: "the last quarters, as JSON by the holder"},
		{From: `rp_vacance_communes_(20\d\d)\.json(?:\.gz)?`,
			To: "logement/rp_vacance_communes_$1.json.gz", Newest: true,
			Make:  keepListMembers("communes", "log", "rp", "rsec", "vac", "vacancy_rate_pct"),
			Title: "Dwellings of the census", Producer: "INSEE", Licence: openLicence, Edition: "$1",
			Extent: country, Found: gazetteer,
			Checked:    "1 396 753 dwellings in Paris, 37 153 192 in all",
			Conversion: "counts rounded by the holder"},
		{From: `rpls_communes\.json(\.gz)?`, To: "logement/rpls_communes.json.gz",
			Make:  keepListMembers("communes", "rate_pct"),
			Title: "Share of social housing", Producer: "Ministère chargé du logement",
			Licence: openLicence, Edition: "2024", Extent: country, Found: gazetteer,
			Checked: "none is published", Conversion: "as JSON by the holder"},
		{From: `lovac_communes_(20\d\d)_taux\.csv(?:\.gz)?`,
			To: "logement/lovac_communes_$1_taux.csv.gz", Newest: true,
			Title:    "Vacancy of private dwellings (LOVAC)",
			Producer: "Ministère chargé du logement (DHUP), Cerema", Licence: openLicence,
			Edition: "$1", Extent: country, Found: gazetteer,
			Checked:    "none is published",
			Conversion: "rates computed by the holder from the producer's counts"},
		{From: `(donnee-reg-20\d\d)\.csv(?:\.gz)?`, To: "ssmsi/$1.csv.gz", Newest: true,
			Make:  keepColumns(';', "classe", "annee", "Code.région", "faits", "POP", "LOG", "tauxpourmille"),
			Title: "Recorded offences by région", Producer: "Ministère de l'Intérieur (SSMSI)",
			Licence: openLicence, Edition: "2016 to 2023", Extent: country,
			Found:      streamlit + ", tranquilite/",
			Checked:    "burglaries of each year as in the départements of the same edition",
			Conversion: "columns that are read"},
		{From: `delinquance-departements-(20\d\d-20\d\d)\.json(?:\.gz)?`,
			To: "ssmsi/delinquance-departements-$1.json.gz", Newest: true,
			Make: keepListMembers("records", "codeDepartement", "annee", "indicateur", "nombre",
				"tauxPourMille", "inseePop"),
			Title: "Recorded offences by département", Producer: "Ministère de l'Intérieur (SSMSI)",
			Licence: openLicence, Edition: "$1", Extent: country,
			Found:      "Lingelo/carte-delinquance, public/data/",
			Checked:    "burglaries of 2016 to 2022 as in the official file of 2023",
			Conversion: "the official table as JSON by the holder"},
	}
}

const filosofi = "INSEE-DGFiP-Cnaf-Cnav-CCMSA"

var facilityBuckets = []string{"poste", "ecole_primaire", "medecin_generaliste", "creche", "college",
	"gare", "sport_salle", "grande_surface", "structure_sante",
	"superette", "boulangerie", "sport_piscine", "pharmacie", "infirmier", "lycee"}

func incomeDistribution(level, plural, from string) File {
	return File{From: from + `\.csv(?:\.gz)?`, To: "insee-filosofi/FILO$1_DISP_" + level + ".csv.gz",
		Title: "Distribution of incomes by " + plural + " (Filosofi)",
		Make: keepColumns(';', "CODGEO", `Q2\d\d`, `D1\d\d`, `D9\d\d`, "RD", `GI\d\d`, `PPSOC\d\d`,
			`PPMINI\d\d`),
		Producer: filosofi, Licence: openLicence, Edition: "$1", Extent: country,
		Found:   streamlit + ", revenu/",
		Checked: "median of Paris in 2019: 28 570 €", Conversion: "columns that are read"}
}

func electionFiles() []File {
	const interior = "Ministère de l'Intérieur"
	return []File{
		{From: `municipales-(20\d\d-t\d)-communes\.jsonl(?:\.gz)?`,
			To: "elections/municipales-$1-communes.jsonl.gz", Make: municipalLists,
			Title: "Municipal elections", Producer: interior, Licence: openLicence,
			Edition: "$1, provisional file of 16 March 2026", Extent: country,
			Found:      "AzukiGPT/elections-municipales-2026, public/data/communes/",
			Checked:    "48 474 213 registered, 27 678 488 voters",
			Conversion: "one commune a line; members that are read; rows of sectors left out"},
		{From: `presidentielle-(2017-t1)-communes\.csv(?:\.gz)?`,
			To: "elections/presidentielle-$1-communes.csv.gz",
			Make: keepColumns(';', "insee", "nb_inscrits", "nb_votants", "nb_exprimes",
				`nb_voix([1-9]|1[0134])`),
			Title: "Presidential election by commune", Producer: interior, Licence: openLicence,
			Edition: "$1", Extent: country,
			Found:      "jmlahire/CartoPresidentielles, src/assets/data/",
			Checked:    "36 054 394 votes expressed",
			Conversion: "files of the départements joined; columns that are read",
			Totals:     []Total{{Separator: ';', Column: "nb_exprimes", Sum: 36054394}}},
		{From: `presidentielle-(2017-t\d|2022-t2)-departements\.csv(?:\.gz)?`,
			To: "elections/presidentielle-$1-departements.csv.gz",
			Make: keepColumns(',', "CodeDépartement", "Inscrits", "Votants", "Blancs", "Nuls", "Exprimés",
				`[A-ZÉÈ][A-ZÉÈ' -]+`),
			Title: "Presidential election by département", Producer: interior, Licence: openLicence,
			Edition: "$1", Extent: country,
			Found: "tguerra/presidentielle2022 (MIT), data/",
			Checked: "votes expressed: 31 381 603 in 2017-t2; 35 503 545 in 2017-t1, without those cast abroad;" +
				" 32 077 524 in 2022-t2, before the Constitutional Council struck some",
			Conversion: "columns that are read"},
		{From: `resultats-par-niveau-dpt-t1-2022\.xlsx(\.gz)?`,
			To:    "elections/resultats-par-niveau-dpt-t1-2022.xlsx.gz",
			Title: "Presidential election by département, official workbook", Producer: interior,
			Licence: openLicence, Edition: "2022-t1", Extent: country,
			Found:   "tguerra/presidentielle2022 (MIT), data-raw/2022/",
			Checked: "35 132 947 votes expressed"},
		{From: `legislatives-(2024)-circonscriptions-candidats\.csv(?:\.gz)?`,
			To: "elections/legislatives-$1-circonscriptions-candidats.csv.gz",
			Make: keepColumns(',', "Departement", "CodCirElec", "Inscrits", "Abstentions", "Votants",
				"Blancs", "Nuls", "Exprimes", "NumPanneauCand", "CodNuaCand", "NbVoix"),
			Title: "Legislative elections by constituency", Producer: interior, Licence: openLicence,
			Edition: "$1, first round", Extent: country,
			Found:      "victor-amblard/analyse-legislatives-2024 (Licence Ouverte)",
			Checked:    "4 009 candidates, 32 060 277 votes expressed",
			Conversion: "columns that are read, without the names of candidates"},
		{From: `rne-maires\.csv(\.gz)?`, To: "rne/rne-maires.csv.gz",
			Make: keepColumns(';', "Code de la commune", "Nom de l'élu", "Prénom de l'élu", "Code sexe",
				"Libellé de la catégorie socio-professionnelle", "Date de début du mandat",
				"Date de début de la fonction"),
			Title: "Mayors", Producer: interior, Licence: openLicence, Edition: "mandate 2020-2026",
			Extent: country,
			Found:  "Yomguithereal/psia-python-advanced, data/", Checked: "34 921 mayors",
			Conversion: "columns that are read, without dates of birth"},
	}
}
