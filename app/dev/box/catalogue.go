package box

import "slices"

const (
	openLicence = "Licence Ouverte 2.0"
	mitLicence  = "MIT"

	country  = "France"
	mainland = "mainland"
	pilots   = "commune $1"

	gazetteer = "bpineau/gazetteer (MIT)"
	etalab    = "npm @etalab/decoupage-administratif 6.0.0 (MIT)" // npm pack, its folder "data" as "cog"
	admin     = "datagouv/decoupage-administratif (MIT), sources/"
	streamlit = "aubryprieur/streamlit_data_territoire"
	cartos    = "beababa/02_cartos"
)

// Files returns the declared files of the box.
func Files() []File {
	return slices.Concat(codeFiles(), pilotFiles(), riskFiles(), serviceFiles(), statisticsFiles(),
		electionFiles())
}

// codeFiles declares names, codes, movements and postcodes.
func codeFiles() []File {
	cog := func(name, to, title string) File {
		return File{From: `cog/` + name, To: "cog/" + to, Title: title,
			Producer: "INSEE, La Poste; Etalab", Licence: openLicence,
			Edition: "COG 2026", Extent: country, Found: etalab}
	}
	regions := cog(`regions\.json`, "regions.json.gz", "Régions")
	regions.Checked = "18 régions of the COG"
	departements := cog(`departements\.json`, "departements.json.gz", "Départements")
	departements.Checked = "101 départements of the COG"
	communes := cog(`communes\.json(\.gz)?`, "communes-2026.json.gz", "Communes")
	communes.Checked = "34 875 communes of the COG 2026 in the 101 départements"
	epci := cog(`epci\.json(\.gz)?`, "epci-2026.json.gz", "Intercommunal bodies and their communes")
	epci.Checked = "1 255 bodies, the métropole of Lyon among them"
	ept := cog(`ept\.json(\.gz)?`, "ept-2026.json.gz",
		"Territories of the Métropole du Grand Paris and their communes")
	ept.Checked = "11 territories"
	for _, bodies := range []*File{&epci, &ept} {
		bodies.Make, bodies.Conversion = intercommunalBodies, "codes, names and codes of the members"
	}
	return []File{
		regions, departements, communes, epci, ept,
		{From: `cog/mouvements-communes\.csv(\.gz)?`, To: "cog/mouvements-communes.csv.gz",
			Make: keepColumns(',', "MOD", "DATE_EFF", "TYPECOM_AV", "COM_AV",
				"LIBELLE_AV", "TYPECOM_AP", "COM_AP", "LIBELLE_AP"),
			Title: "Movements of communes since 1943", Producer: "INSEE", Licence: openLicence,
			Edition: "1 January 2026", Extent: country,
			Found: admin, Checked: "13 734 movements, the number of the producer's file",
			Conversion: "columns that are read"},
		{From: `cog/departements\.csv(\.gz)?`, To: "cog/departements.csv.gz",
			Title: "Préfectures of the départements", Producer: "INSEE",
			Licence: openLicence, Edition: "COG 2026", Extent: country, Found: admin,
			Checked: "101 départements"},
		{From: `laposte-hexasmal(-.+)?\.csv(\.gz)?`, To: "codes-postaux/laposte-hexasmal$1.csv.gz",
			Newest: true,
			Make:   keepColumns(',', "code_commune_insee", "code_postal", "libelle_d_acheminement", "ligne_5"),
			Title:  "Postcodes", Producer: "La Poste", Licence: openLicence, Edition: "19 June 2025",
			Extent:     country,
			Found:      "BaseAdresseNationale/ban-plateforme, db-migrations/data/",
			Checked:    "39 201 rows, the number of the producer's edition",
			Conversion: "columns that are read"},
	}
}

func pilotFiles() []File {
	parcels := File{To: "pilots/cadastre-$1.json.gz", Title: "Parcels of the cadastre",
		Producer: "DGFiP; Etalab", Licence: openLicence, Extent: pilots,
		Found:   cartos + ", data/; enarroied/cvi_geometry, test/CADASTRE/",
		Checked: "they cover 75 to 95 % of the commune's outline: streets and rivers are no parcels"}
	dated, undated := parcels, parcels
	dated.From = `cadastre-((?:93010|75118)-parcelles\.(?:2022|2025)-01-01)\.json(?:\.gz)?`
	dated.Edition, dated.Extent = "1 January 2022 and 1 January 2025", "communes 93010 and 75118"
	undated.From, undated.Edition, undated.Extent = `cadastre-(36174-parcelles)\.json(?:\.gz)?`,
		"newest change 28 June 2023", "commune 36174"
	return []File{
		dated, undated,
		{From: `adresses-(93010)\.csv(?:\.gz)?`, To: "pilots/adresses-$1_2025.csv.gz",
			Make: keepColumns(';', "id", "numero", "rep", "nom_voie", "code_postal", "code_insee",
				"nom_commune", "code_insee_ancienne_commune", "nom_ancienne_commune", "lon", "lat",
				"type_position", "nom_ld", "certification_commune", "cad_parcelles"),
			Title: "Base Adresse Nationale", Producer: "DINUM, IGN, La Poste, communes",
			Licence: openLicence, Edition: "2024 or 2025", Extent: pilots,
			Found: cartos + ", data/adresse.csv", Checked: "8 413 addresses, all of the commune",
			Conversion: "columns that are read"},
		{From: `dvf-brut-93-(20\d\d)-extrait\.csv(?:\.gz)?`, To: "pilots/dvf-brut-93010-$1.csv.gz",
			Make: selection{separator: ';', when: func(r row) bool { return r("cog") == "93010" },
				columns: []string{"cog", `No\.disposition`, "Date.mutation",
					"Nature.mutation", "Valeur.fonciere", "Prefixe.de.section", "Section", "No.plan",
					"X1er.lot", "Nombre.de.lots", "Type.local",
					"Surface.reelle.bati", "Nombre.pieces.principales", "Nature.culture",
					"Nature.culture.speciale", "Surface.terrain"}}.convertTable,
			Title: "Demandes de valeurs foncières", Producer: "DGFiP",
			Licence: openLicence + "; no re-identification, no indexing by search engines",
			Edition: "sales of $1", Extent: "commune 93010",
			Found:      "beababa/01_stat, data/93_vfEXAMEN.csv",
			Checked:    "all 404 parcels of its sales are in the cadastre of 2023",
			Conversion: "rows of the commune, columns that are read"},
		{From: `ipe_(93010)\.csv(?:\.gz)?`, To: "pilots/ipe-2023-10-05-$1.csv.gz",
			Make: keepColumns(',', "x", "y", "imb_id", "code_insee", "imb_etat", "pm_ref", "pm_etat",
				"code_l331", "type_imb"),
			Title: "Fibre roll-out by building", Producer: "ARCEP", Licence: openLicence,
			Edition: "5 October 2023 at the latest", Extent: pilots,
			Found: cartos + ", data/fo.gpkg", Checked: "none is published by commune",
			Conversion: "columns that are read"},
		{From: `(200057875_PLUI_\d{8})\.zip`, To: "pilots/$1.zip",
			Title:    "PLUi of Est Ensemble: zones and prescriptions",
			Producer: "EPT Est Ensemble; Géoportail de l'urbanisme",
			Licence:  openLicence, Edition: "$1", Extent: "commune 93010",
			Found:      cartos + ", data/pluiM2Juillet.gpkg",
			Checked:    "its zones fill the commune",
			Conversion: "written as Shapefiles under the official names, cut at the commune by the town"},
		{From: `casias-93\.csv(\.gz)?`, To: "pilots/casias-93010_2023-08-08.csv.gz",
			Title: "CASIAS, former industrial sites", Producer: "BRGM; Géorisques",
			Licence: openLicence,
			Edition: "8 August 2023", Extent: "commune 93010",
			Found:      cartos + ", data/2023-08-08_basias….geojson",
			Checked:    "none is published by commune",
			Conversion: "official columns, 30 names of persons taken away; named after the commune that it holds"},
	}
}

func riskFiles() []File {
	return []File{
		{From: `icpe-(93)\.csv(?:\.gz)?`, To: "risks/icpe-$1_2023-08-08.csv.gz",
			Make: keepColumns(';', "codeAiot", "raisonSociale", "regimeVigueur", "statutSeveso",
				"etatActivite", "longitude", "latitude"),
			Title: "Classified installations", Producer: "DGPR; Géorisques", Licence: openLicence,
			Edition: "8 August 2023 at the latest", Extent: "département $1",
			Found:      cartos + ", data/InstallationsClassees_France.shp",
			Checked:    "none is published by département",
			Conversion: "columns that are read; names of persons and positions in the middle of a commune taken away"},
		{From: `donnees-ademe-sites-pollues\.geojson(\.gz)?`,
			To:    "risks/ademe-sites-pollues.geojson.gz",
			Make:  keepProperties("_id", "Nom_site", "Activites_historiques_site", "Etat_operation"),
			Title: "Polluted sites handled by ADEME", Producer: "ADEME", Licence: openLicence,
			Edition: "not stated", Extent: country,
			Found:      "incubateur-ademe/mutafriches, apps/api/src/scripts/data/",
			Checked:    "419 sites, the number that the file states",
			Conversion: "properties that are read"},
		{From: `radon\.csv(\.gz)?`, To: "risks/radon.csv.gz",
			Make:  keepColumns(';', "insee_com", "classe_potentiel", "reg"),
			Title: "Radon potential of communes", Producer: "ASNR (IRSN)", Licence: openLicence,
			Edition: "not stated", Extent: country,
			Found:      "akramRedjdal/ProjetUE4, data/",
			Checked:    "a class for all but 9 communes of today",
			Conversion: "columns that are read"},
		{From: `qp2024_simplified\.geojson(\.gz)?`, To: "planning/qpv-2024.geojson.gz",
			Make:  keepProperties("code_qp", "lib_qp", "insee_com"),
			Title: "QPV, priority neighbourhoods", Producer: "ANCT", Licence: openLicence,
			Edition: "2024", Extent: country,
			Found:      "bpineau/gazetteer (MIT), sources/qpv/data/",
			Checked:    "1 362 neighbourhoods in the mainland and Corsica, the number of the decree of 28 December 2023",
			Conversion: "coordinates rounded to 4 decimals (11 m) by the holder"},
	}
}

func serviceFiles() []File {
	schools := func(name, title, found, edition string, names ...string) File {
		return File{From: name + `(?:-[^/]*)?\.csv(?:\.gz)?`, To: "schools/" + name + ".csv.gz",
			Newest: true, Make: keepColumns(';', names...), Title: title,
			Producer: "Ministère de l'Éducation nationale", Licence: openLicence, Edition: edition,
			Extent: country, Found: found,
			Checked: "none is published as a sum", Conversion: "columns that are read"}
	}
	index := []string{"rentree_scolaire", "uai", "nom_de_l_etablissment", "code_insee_de_la_commune",
		"secteur"}
	const dashboard = "dlakisic/IPS_dashboard, data/"
	return []File{
		{From: `gares-de-voyageurs\.csv(\.gz)?`, To: "mobility/gares-de-voyageurs.csv.gz",
			Make:  keepColumns(';', "Nom", "Position géographique", `Code\(s\) UIC`),
			Title: "Passenger stations", Producer: "SNCF Gares & Connexions", Licence: openLicence,
			Edition: "not stated", Extent: mainland,
			Found: "LucasVachon/tchou_tchou", Checked: "2 785 stations",
			Conversion: "columns that are read"},
		{From: `airportsdata_fr\.csv`, To: "mobility/airportsdata-fr.csv.gz",
			Make:  keepColumns(',', "icao", "iata", "name", "country", "lat", "lon"),
			Title: "Airports", Producer: "airportsdata", Licence: mitLicence, Edition: "not stated",
			Extent: country,
			Found:  "mborsetti/airportsdata (MIT)", Checked: "none is published",
			Conversion: "rows of France, columns that are read"},
		{From: `tmja-(20\d\d)\.csv(?:\.gz)?`, To: "mobility/tmja-$1.csv.gz", Newest: true,
			Make: keepColumns(';', "route", "prD", "depPrD", "absD", "xD", "yD", "xF", "yF", "cote",
				"anneeMesureTrafic", "TMJA", "ratio_PL"),
			Title: "Traffic of the national roads", Producer: "DGITM; Cerema", Licence: openLicence,
			Edition: "$1", Extent: mainland,
			Found:   "talahik/Accidents_De_La_Route_En_France (MIT)",
			Checked: "4 695 segments, 3 741 with a count", Conversion: "columns that are read"},
		{From: `hopitaux_idf_(20\d\d)\.geojson\.gz`, To: "services/hopitaux_idf_$1.geojson.gz",
			Make:     keepProperties("finess_et", "raison_sociale", "num_cat", "num_dept"),
			Title:    "Hospitals of Île-de-France (FINESS)",
			Producer: "ARS Île-de-France; Ministère de la Santé", Licence: openLicence,
			Edition: "$1", Extent: "région 11",
			Found:   "xilayld/hackathon_mobilites_2025, data/raw/",
			Checked: "none is published by category", Conversion: "properties that are read"},
		schools("fr-en-ips-ecoles", "Social position index, primary schools", dashboard, "2022-2023",
			append(index, "ips")...),
		schools("fr-en-ips-colleges", "Social position index, collèges", dashboard, "2022-2023",
			append(index, "ips")...),
		schools("fr-en-ips-lycees", "Social position index, lycées", dashboard, "2022-2023",
			append(index, "ips_ensemble_gt_pro")...),
		schools("fr-en-indicateurs-valeur-ajoutee-colleges", "Success rates of collèges",
			"manoonaub/IVAC-Streamlit-App, data/", "sessions up to 2024",
			"Session", "UAI", "Taux de réussite G"),
	}
}
