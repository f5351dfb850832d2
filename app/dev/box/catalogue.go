package box

import "slices"

// What a file is, where its full file was found and what it was checked against is in data/README.md.

// Files returns the declared files of the box.
func Files() []File {
	return slices.Concat(codeFiles, pilotFiles, themeFiles, statisticsFiles, electionFiles)
}

// codeFiles are names, codes, movements and postcodes.
var codeFiles = []File{
	{From: `cog/regions\.json`, To: "cog/regions.json.gz"},
	{From: `cog/departements\.json`, To: "cog/departements.json.gz"},
	{From: `cog/communes\.json(\.gz)?`, To: "cog/communes-2026.json.gz"},
	{From: `cog/epci\.json(\.gz)?`, To: "cog/epci-2026.json.gz", Make: intercommunalBodies},
	{From: `cog/ept\.json(\.gz)?`, To: "cog/ept-2026.json.gz", Make: intercommunalBodies},
	{From: `cog/mouvements-communes\.csv(\.gz)?`, To: "cog/mouvements-communes.csv.gz",
		Make: keepColumns(',', "MOD", "DATE_EFF", "TYPECOM_AV", "COM_AV",
			"LIBELLE_AV", "TYPECOM_AP", "COM_AP", "LIBELLE_AP")},
	{From: `cog/departements\.csv(\.gz)?`, To: "cog/departements.csv.gz"},
	{From: `laposte-hexasmal(-.+)?\.csv(\.gz)?`, To: "codes-postaux/laposte-hexasmal$1.csv.gz", Newest: true,
		Make: keepColumns(',', "code_commune_insee", "code_postal", "libelle_d_acheminement", "ligne_5")},
}

// pilotFiles are of the communes that have parcels in the box.
var pilotFiles = []File{
	{From: `cadastre-((?:93010|75118)-parcelles\.(?:2022|2025)-01-01)\.json(?:\.gz)?`,
		To: "pilots/cadastre-$1.json.gz"},
	{From: `cadastre-(36174-parcelles)\.json(?:\.gz)?`, To: "pilots/cadastre-$1.json.gz"},
	{From: `adresses-(93010)\.csv(?:\.gz)?`, To: "pilots/adresses-$1_2025.csv.gz",
		Make: keepColumns(';', "id", "numero", "rep", "nom_voie", "code_postal", "code_insee",
			"nom_commune", "code_insee_ancienne_commune", "nom_ancienne_commune", "lon", "lat",
			"type_position", "nom_ld", "certification_commune", "cad_parcelles")},
	{From: `dvf-brut-93-(20\d\d)-extrait\.csv(?:\.gz)?`, To: "pilots/dvf-brut-93010-$1.csv.gz",
		Make: selection{separator: ';', when: func(r row) bool { return r("cog") == "93010" },
			columns: []string{"cog", `No\.disposition`, "Date.mutation",
				"Nature.mutation", "Valeur.fonciere", "Prefixe.de.section", "Section", "No.plan",
				"X1er.lot", "Nombre.de.lots", "Type.local",
				"Surface.reelle.bati", "Nombre.pieces.principales", "Nature.culture",
				"Nature.culture.speciale", "Surface.terrain"}}.convertTable},
	{From: `ipe_(93010)\.csv(?:\.gz)?`, To: "pilots/ipe-2023-10-05-$1.csv.gz",
		Make: keepColumns(',', "x", "y", "imb_id", "code_insee", "imb_etat", "pm_ref", "pm_etat",
			"code_l331", "type_imb")},
	{From: `(200057875_PLUI_\d{8})\.zip`, To: "pilots/$1.zip"},
	{From: `casias-93\.csv(\.gz)?`, To: "pilots/casias-93010_2023-08-08.csv.gz"},
}

var schoolIndex = []string{"rentree_scolaire", "uai", "nom_de_l_etablissment", "code_insee_de_la_commune",
	"secteur"}

// themeFiles are risks, planning, mobility and services.
var themeFiles = []File{
	{From: `icpe-(93)\.csv(?:\.gz)?`, To: "risks/icpe-$1_2023-08-08.csv.gz",
		Make: keepColumns(';', "codeAiot", "raisonSociale", "codeInsee", "regimeVigueur", "statutSeveso",
			"etatActivite", "longitude", "latitude")},
	{From: `donnees-ademe-sites-pollues\.geojson(\.gz)?`, To: "risks/ademe-sites-pollues.geojson.gz",
		Make: keepProperties("_id", "Nom_site", "Activites_historiques_site", "Etat_operation")},
	{From: `radon\.csv(\.gz)?`, To: "risks/radon.csv.gz",
		Make: keepColumns(';', "insee_com", "classe_potentiel", "reg")},
	{From: `qp2024_simplified\.geojson(\.gz)?`, To: "planning/qpv-2024.geojson.gz",
		Make: keepProperties("code_qp", "lib_qp", "insee_com")},
	{From: `gares-de-voyageurs\.csv(\.gz)?`, To: "mobility/gares-de-voyageurs.csv.gz",
		Make: keepColumns(';', "Nom", "Position géographique", `Code\(s\) UIC`)},
	{From: `airportsdata_fr\.csv`, To: "mobility/airportsdata-fr.csv.gz",
		Make: keepColumns(',', "icao", "iata", "name", "country", "lat", "lon")},
	{From: `tmja-(20\d\d)\.csv(?:\.gz)?`, To: "mobility/tmja-$1.csv.gz", Newest: true,
		Make: keepColumns(';', "route", "prD", "depPrD", "absD", "xD", "yD", "xF", "yF", "cote",
			"anneeMesureTrafic", "TMJA", "ratio_PL")},
	{From: `hopitaux_idf_(20\d\d)\.geojson\.gz`, To: "services/hopitaux_idf_$1.geojson.gz",
		Make: keepProperties("finess_et", "raison_sociale", "num_cat", "num_dept")},
	schoolFile("fr-en-ips-ecoles", append(schoolIndex, "ips")...),
	schoolFile("fr-en-ips-colleges", append(schoolIndex, "ips")...),
	schoolFile("fr-en-ips-lycees", append(schoolIndex, "ips_ensemble_gt_pro")...),
	schoolFile("fr-en-indicateurs-valeur-ajoutee-colleges", "Session", "UAI", "Taux de réussite G"),
}

func schoolFile(name string, columns ...string) File {
	return File{From: name + `(?:-[^/]*)?\.csv(?:\.gz)?`, To: "schools/" + name + ".csv.gz", Newest: true,
		Make: keepColumns(';', columns...)}
}

// statisticsFiles are the statistics of communes, départements and régions.
var statisticsFiles = []File{
	{From: `insee-population/donnees_communes\.csv(\.gz)?`, To: "insee-population/donnees_communes.csv.gz",
		Make: keepColumns(';', "COM", "PMUN", "PTOT"), Totals: []Total{{Separator: ';', Column: "PMUN",
			Sum: 68094280}}},
	{From: `population2019\.xls(\.gz)?`, To: "insee-population/donnees_communes_2016.csv.gz",
		Make: convertLegalPopulations, Totals: []Total{{Separator: ';', Column: "PMUN", Sum: 66361658}}},
	{From: `insee-population/donnees_communes_mayotte\.csv(\.gz)?`,
		To:     "insee-population/donnees_communes_mayotte.csv.gz",
		Totals: []Total{{Separator: ';', Column: "PMUN", Sum: 256518}}},
	{From: `bpe2013\.xlsx(\.gz)?`, To: "insee-bpe/bpe2013.csv.gz", Make: firstSheet},
	{From: `communes_comparateur_(20\d\d)\.csv(?:\.gz)?`, To: "insee-comparateur/communes_comparateur_$1.csv.gz",
		Make: selection{separator: ',', once: true, columns: []string{"insee_com", "commune_type",
			"superficie_km2", `population_20\d\d`, `naissances_20\d\d`, `deces_20\d\d`,
			`pop_15_64_.*`}}.convertTable},
	{From: `(insee_rp_evol_1968_(?:departement|region)_20\d\d)\.csv(?:\.gz)?`,
		To: "insee-rp-evolution/$1.csv.gz"},
	{From: `cc_filosofi_(20\d\d)_COM\.csv(?:\.gz)?`, To: "insee-filosofi/cc_filosofi_$1_COM.csv.gz",
		Make: keepColumns(';', "CODGEO", `MED\d\d`, `TP60\d\d`, `D1\d\d`, `D9\d\d`, `RD\d\d`, `PIMP\d\d`,
			`PPSOC\d\d`, `PPMINI\d\d`)},
	incomeDistribution("COM", `FILO(2019)_DISP_COM`),
	incomeDistribution("DEP", `FILO(20\d\d)_DISP_DEP`),
	incomeDistribution("REG", `FILO(20\d\d)_DISP_REG`),
	{From: `bpe_communes_(20\d\d)\.json(?:\.gz)?`, To: "insee-bpe/bpe_communes_$1.json.gz", Newest: true,
		Make: keepListMembers("communes", "poste", "ecole_primaire", "medecin_generaliste", "creche", "college",
			"gare", "sport_salle", "grande_surface", "structure_sante",
			"superette", "boulangerie", "sport_piscine", "pharmacie", "infirmier", "lycee")},
	{From: `chomage_zones_emploi_(20\d\d-20\d\d)\.json(?:\.gz)?`,
		To: "insee-chomage/chomage_zones_emploi_$1.json.gz", Newest: true},
	{From: `rp_vacance_communes_(20\d\d)\.json(?:\.gz)?`, To: "logement/rp_vacance_communes_$1.json.gz",
		Newest: true,
		Make:   keepListMembers("communes", "log", "rp", "rsec", "vac", "vacancy_rate_pct")},
	{From: `rpls_communes\.json(\.gz)?`, To: "logement/rpls_communes.json.gz",
		Make: keepListMembers("communes", "rate_pct")},
	{From: `lovac_communes_(20\d\d)_taux\.csv(?:\.gz)?`, To: "logement/lovac_communes_$1_taux.csv.gz",
		Newest: true},
	{From: `(donnee-reg-20\d\d)\.csv(?:\.gz)?`, To: "ssmsi/$1.csv.gz", Newest: true,
		Make: keepColumns(';', "classe", "annee", "Code.région", "faits", "POP", "LOG", "tauxpourmille")},
	{From: `delinquance-departements-(20\d\d-20\d\d)\.json(?:\.gz)?`,
		To: "ssmsi/delinquance-departements-$1.json.gz", Newest: true,
		Make: keepListMembers("records", "codeDepartement", "annee", "indicateur", "nombre",
			"tauxPourMille", "inseePop")},
}

func incomeDistribution(level, from string) File {
	return File{From: from + `\.csv(?:\.gz)?`, To: "insee-filosofi/FILO$1_DISP_" + level + ".csv.gz",
		Make: keepColumns(';', "CODGEO", `Q2\d\d`, `D1\d\d`, `D9\d\d`, "RD", `GI\d\d`, `PPSOC\d\d`,
			`PPMINI\d\d`)}
}

var electionFiles = []File{
	{From: `municipales-(20\d\d-t\d)-communes\.jsonl(?:\.gz)?`,
		To: "elections/municipales-$1-communes.jsonl.gz", Make: municipalLists},
	{From: `presidentielle-(2017-t1)-communes\.csv(?:\.gz)?`,
		To: "elections/presidentielle-$1-communes.csv.gz",
		Make: keepColumns(';', "insee", "nb_inscrits", "nb_votants", "nb_exprimes",
			`nb_voix([1-9]|1[0134])`),
		Totals: []Total{{Separator: ';', Column: "nb_exprimes", Sum: 36054394}}},
	{From: `presidentielle-(2017-t\d|2022-t2)-departements\.csv(?:\.gz)?`,
		To: "elections/presidentielle-$1-departements.csv.gz",
		Make: keepColumns(',', "CodeDépartement", "Inscrits", "Votants", "Blancs", "Nuls", "Exprimés",
			`[A-ZÉÈ][A-ZÉÈ' -]+`)},
	{From: `resultats-par-niveau-dpt-t1-2022\.xlsx(\.gz)?`,
		To: "elections/resultats-par-niveau-dpt-t1-2022.xlsx.gz"},
	{From: `legislatives-(2024)-circonscriptions-candidats\.csv(?:\.gz)?`,
		To: "elections/legislatives-$1-circonscriptions-candidats.csv.gz",
		Make: keepColumns(',', "Departement", "CodCirElec", "Inscrits", "Abstentions", "Votants",
			"Blancs", "Nuls", "Exprimes", "NumPanneauCand", "CodNuaCand", "NbVoix")},
	{From: `rne-maires\.csv(\.gz)?`, To: "rne/rne-maires.csv.gz",
		Make: keepColumns(';', "Code de la commune", "Nom de l'élu", "Prénom de l'élu", "Code sexe",
			"Libellé de la catégorie socio-professionnelle", "Date de début du mandat",
			"Date de début de la fonction")},
}
