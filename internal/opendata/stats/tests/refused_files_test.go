package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
)

// goodFile is a small file that a source takes, and the same of another year.
type goodFile struct {
	source, path, content string
	other                 string // the content of another year under the same name
	because               string // what it is refused with
	yearless              string // why there is none, in place of other
	archive               string // the file is the member of a zip archive that is called this
}

// Why a file of another year cannot be distinguished from the right one, or need not be.
const (
	rowsNameTheirYear  = "each row has its own year, and is served under it"
	onlyTheNameHasYear = "nothing inside has the year: it is served under that of the name"
	noYearAtAll        = "it is the state of the day, of no year"
)

func goodFiles(t *testing.T) (all []goodFile) {
	for _, of := range []func(*testing.T) []goodFile{goodPeople, goodWork, goodHousing, goodElections, goodOthers} {
		all = append(all, of(t)...)
	}
	return all
}

func goodPeople(t *testing.T) []goodFile {
	const mayotte = "CODREG;REG;DEP;CODARR;CODCAN;CODCOM;COM;PMUN;PCAP;PTOT\n"
	history := func(year string) string {
		return loadkit.Workbook(t, []string{"pop_1876_2023"}, []string{"Historique", "CODGEO;REG;DEP;LIBGEO;PMUN" + year + ";PMUN07", "93010;11;93;Bondy;55000;53000"})
	}
	const vitalHeader = "GEO;GEO_OBJECT;EC_MEASURE;FREQ;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n"
	const popHeader = "GEO;GEO_OBJECT;POPREF_MEASURE;FREQ;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n"
	const filosofiHeader = "GEO;GEO_OBJECT;FILOSOFI_MEASURE;UNIT_MEASURE;UNIT_MULT;CONF_STATUS;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n"
	const people = comparatorHeader + "93010,11,93,Bondy,Bondy,93140,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n"
	const mortality = "codgeo;libgeo;an;tx_morta\n"
	detail := func(row string) string { return strings.TrimPrefix(detailHeader, "\ufeff") + row }
	corse := detail("2A;Corse-du-Sud;60125;124671;89063,9;15650;21900;29450;13800;11210;39480;3,5;4,600;0,298;5,3;2,9;-18,5\n")
	ofRegion := detail("94;Corse;126908;261298;187055,1;14940;20950;28400;13470;10730;38020;3,5;4,600;0,299;6,1;3,4;-17,6\n")
	ofBondy := detail("93010;Bondy;18000;53000;30000,5;13000;16900;23000;10000;9000;32000;3,6;4,5;0,303;13,3;4,4;-9,1\n")
	const keyCorse = keyHeader + "2A;60000;23420;55,0;15,8;16,0;4,8;3,2;-18,3;11630;41870;3,6\n"
	const keyRegion = keyHeader + "94;60000;23320;55,0;16,0;16,0;5,4;3,2;-18,3;11990;42150;3,5\n"
	aYearBefore := func(content string) string { return strings.ReplaceAll(content, "21;", "20;") }
	before2019 := func(content string) string { return strings.ReplaceAll(content, "19;", "18;") }
	return []goodFile{
		{source: "population-reference", path: legalFile, content: legalLines, other: legalHeader + strings.Repeat(legalBondy, 30000), because: "those of 2023 are 68094280"},
		{source: "population-reference-year", path: "insee/donnees_communes_2022.csv", content: legalHeader + strings.Replace(legalBondy, "55000", "54000", 1), other: legalLines, because: "are those of 2023, and not of 2022"},
		{source: "population-reference-mayotte", path: "insee-population/donnees_communes_mayotte.csv", content: mayotte + "06;;976;;;601;;5192;192;5384\n",
			other: mayotte + strings.Repeat("06;;976;;;601;;5192;192;5384\n", 17), because: "it is of another census"},
		{source: "population-history", path: "insee/base-pop-historiques-1876-2023.xlsx", content: history("2023"), other: history("2022"), because: "its name says 2023"},
		{source: "population-melodi", path: "insee/DS_POPULATIONS_REFERENCE_2023_data.csv", content: popHeader + "93010;COM;PMUN;A;A;2023;55000\n", other: popHeader + "93010;COM;PMUN;A;A;2024;55000\n", because: "its name says 2023"},
		{source: "births-melodi", path: "insee/DS_ETAT_CIVIL_NAIS_COMMUNES_2023_data.csv", content: vitalHeader + "93010;COM;LVB;A;A;2023;900\n", other: vitalHeader + "93010;COM;LVB;A;A;2024;900\n", because: "its name says 2023"},
		{source: "deaths-melodi", path: "insee/DS_ETAT_CIVIL_DECES_COMMUNES_2023_data.csv", content: vitalHeader + "93010;COM;DTH;A;A;2023;300\n", other: vitalHeader + "93010;COM;DTH;A;A;2024;300\n", because: "its name says 2023"},
		{source: "comparateur-population", path: comparatorFile, content: people, other: strings.ReplaceAll(people, "_2021", "_2020"), because: "its name says 2021"},
		{source: "comparateur-naissances", path: comparatorFile, content: people, other: strings.ReplaceAll(people, "_2022", "_2020"), because: "its name says 2021"},
		{source: "comparateur-superficie", path: comparatorFile, content: people, yearless: onlyTheNameHasYear},
		{source: "rp-evolution-departement", path: "insee-rp-evolution/insee_rp_evol_1968_departement_2018.csv", content: mortality + "2A;Corse-du-Sud;2013-2018;9,50\n",
			other: mortality + "2A;Corse-du-Sud;2012-2017;9,50\n", because: "its newest period ends in 2017"},
		{source: "rp-evolution-region", path: "insee-rp-evolution/insee_rp_evol_1968_region_2018.csv", content: mortality + "94;Corse;2013-2018;9,40\n",
			other: mortality + "94;Corse;2012-2017;9,40\n", because: "its newest period ends in 2017"},
		{source: "filosofi-communes", path: keyFile, content: keyLines, other: aYearBefore(keyLines), because: "it has figures of 2020, its name says 2021"},
		{source: "filosofi-departements", path: "insee/cc_filosofi_2021_DEP.csv", content: keyCorse, other: aYearBefore(keyCorse), because: "its name says 2021"},
		{source: "filosofi-regions", path: "insee/cc_filosofi_2021_REG.csv", content: keyRegion, other: aYearBefore(keyRegion), because: "its name says 2021"},
		{source: "filosofi-distribution-communes", path: "filosofi/FILO2019_DISP_COM.csv", content: ofBondy, other: before2019(ofBondy), because: "its name says 2019"},
		{source: "filosofi-distribution-departements", path: "filosofi/FILO2019_DISP_DEP.csv", content: corse, other: before2019(corse), because: "its name says 2019"},
		{source: "filosofi-distribution-regions", path: "filosofi/FILO2019_DISP_REG.csv", content: ofRegion, other: before2019(ofRegion), because: "its name says 2019"},
		{source: "filosofi-melodi", path: "insee/DS_FILOSOFI_CC_2023_data.csv", content: filosofiHeader + "93010;COM;MED_SL;EUR_YR;0;F;A;2023;19000\n",
			other: filosofiHeader + "93010;COM;MED_SL;EUR_YR;0;F;A;2024;19000\n", because: "its name says 2023"},
	}
}

func goodWork(t *testing.T) []goodFile {
	const people = comparatorHeader + "93010,11,93,Bondy,Bondy,93140,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n"
	const census = "CODGEO;P21_POP1564;P21_ACT1564;P21_ACTOCC1564;P21_CHOM1564;P21_EMPLT\n93010;34000.4;25000.4;21000.3;4000.1;15900.2\n"
	const long = "GEO;GEO_OBJECT;RP_MEASURE;SEX;AGE;EDUC;EMPSTA_ENQ;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n93010;COM;POP;_T;Y15T64;_T;1;A;2023;22000\n"
	ofZones := func(last string) string {
		return loadkit.Workbook(t, []string{"txcho_ze"}, []string{"ZE2020;LIBZE2020;REG;LIBREG;2021-T4;" + last, "1109;Paris;11;IDF;7.9;7.5"})
	}
	ofQuarter := func(last string) string {
		return loadkit.Workbook(t, []string{"Région", "Département"}, []string{"Code;Libellé;T3_2025;" + last, "11;Île-de-France;7.2;7.3"}, []string{"Code;Libellé;T3_2025;" + last, "75;Paris;5.9;6"})
	}
	const zonesBook, quarterBook = "insee/chomage-zone-t1-2003-t2-2022.xlsx", "insee/sl_etc_2025T4.xls"
	years := strings.ReplaceAll(zones, "202", "201")
	return []goodFile{
		{source: "comparateur-emploi", path: comparatorFile, content: people, other: strings.ReplaceAll(people, "_2021", "_2020"), because: "its name says 2021"},
		{source: "rp-emploi", path: "insee/base-cc-emploi-pop-active-2021.CSV", content: census, other: strings.ReplaceAll(census, "P21", "P22"), because: "its name says 2021"},
		{source: "rp-emploi-melodi", path: "insee/DS_RP_EMPLOI_LR_PRINC_2023_data.csv", content: long, other: strings.Replace(long, "2023;", "2024;", 1), because: "its name says 2023"},
		{source: "chomage-zones", path: zonesFile, content: zones, other: years, because: "its name says 2021 to 2022"},
		{source: "cog-epci-communes", path: "cog/epci.json", content: `[{"code":"200057875","nom":"Est Ensemble","membres":[{"code":"93010"}]}]`, yearless: noYearAtAll},
		{source: "cog-ept-communes", path: "cog/ept.json", content: `[{"code":"200057875","nom":"Est Ensemble","membres":[{"code":"93010"}]}]`, yearless: noYearAtAll},
		{source: "zones-emploi", path: zonesFile, content: zones, yearless: noYearAtAll},
		{source: "chomage-zones-insee", path: zonesBook, content: ofZones("2022-T2"), other: ofZones("2023-T2"), because: "its name says 2022-T2"},
		{source: "zones-emploi-noms", path: zonesBook, content: ofZones("2022-T2"), yearless: noYearAtAll},
		{source: "zones-emploi-communes", path: "insee/table-appartenance-geo-communes-2025.xlsx", content: loadkit.Workbook(t, []string{"COM"}, []string{"CODGEO;ZE2020", "97411;0403"}), yearless: onlyTheNameHasYear},
		{source: "chomage-departements", path: quarterBook, content: ofQuarter("T4_2025"), other: ofQuarter("T1_2026"), because: "its name says 2025T4"},
		{source: "chomage-regions", path: quarterBook, content: ofQuarter("T4_2025"), other: ofQuarter("T1_2026"), because: "its name says 2025T4"},
	}
}

func goodHousing(t *testing.T) []goodFile {
	paris := dwellings("75056 1396753 1128251 136109 132393", "93010 21936 20018 185 1734")
	const rates = "INSEE_C;taux_vacance_25_pct;taux_vacance_long_25_pct\n93010;5.93;3.23\n"
	const census = "CODGEO;P22_LOG;P22_RP;P22_RSECOCC;P22_LOGVAC\n93010;1000.4;800.4;120;80\n"
	const long = "GEO;GEO_OBJECT;RP_MEASURE;OCS;TDW;NOR;TSH;L_STAY;NRG_SRC;CARS;CARPARK;BUILD_END;CONF_STATUS;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n" +
		"93010;COM;DWELLINGS;_T;_T;_T;_T;_T;_T;_T;_T;_T;F;A;2023;1000\n"
	const vacancy = "CODGEO_25;LIBGEO_25;DEP;pp_total_24;pp_vacant_25;pp_vacant_plus_2ans_25\n93010;Bondy;93;13617;807;440\n"
	const ofDepartement = "DEP;LIB_DEP;ff_pp_total_24;pp_vacant_25;pp_vacant_plus_2ans_25\n93;Seine-Saint-Denis;500000;30000;10000\n"
	const table = "GEO;GEO_OBJECT;FACILITY_DOM;FACILITY_SDOM;FACILITY_TYPE;BPE_MEASURE;TIME_PERIOD;OBS_VALUE\n" +
		"93010;COM;B;B2;B207;FACILITIES;2025;3\n93010;COM;B;B2;_T;FACILITIES;2025;3\n93010;COM;_T;_T;_T;FACILITIES;2025;3\n"
	lastYear := strings.NewReplacer("_25", "_24", "_24", "_23").Replace
	return []goodFile{
		{source: "housing-census-extract", path: censusFile, content: paris, other: strings.NewReplacer("1396753", "1400000", "132393", "135640").Replace(paris), because: "1396753 were counted in 2021"},
		{source: "vacancy-rates-extract", path: ratesFile, content: rates, other: lastYear(rates), because: "its name says 2025"},
		{source: "housing-social-extract", path: "logement/rpls_communes.json", content: `{"communes":{"75056":{"label":"Paris","rate_pct":21.0},"93010":{"rate_pct":2.0}}}`, yearless: noYearAtAll},
		{source: "housing-social", path: "taux-de-logements-sociaux-communes.csv", content: "Code Commune;Nom Commune;Taux de logements sociaux (%)\n75056;Paris;21.0\n93010;Bondy;2,0\n", yearless: noYearAtAll},
		{source: "housing-census-2022", path: "rp/base-cc-logement-2022.csv", content: census, other: strings.ReplaceAll(census, "P22", "P21"), because: "its name says 2022"},
		{source: "housing-census-long", path: "rp/DS_RP_LOGEMENT_PRINC_2023_CSV_FR.csv", content: long, other: strings.Replace(long, "2023;", "2022;", 1), because: "its name says 2023"},
		{source: "vacancy-commune", path: officialOf, content: vacancy, other: lastYear(vacancy), because: "its name says 2025"},
		{source: "vacancy-departement", path: "lovac/lovac-opendata-departements-2025.csv", content: ofDepartement, other: lastYear(ofDepartement), because: "its name says 2025"},
		{source: "facilities-extract", path: bpeFile, content: `{"communes":{"93010":{"boulangerie":3},` + facilitiesOfParis + `}}`, yearless: onlyTheNameHasYear},
		{source: "facilities-2013", path: "insee-bpe/bpe2013.csv", content: crossTable([]string{"depcom", "Total de nb_equip", "Boulangerie"}, []string{"93010", "3", "3"}), yearless: onlyTheNameHasYear},
		{source: "facilities", path: "bpe/DS_BPE_2025_CSV_FR.zip", archive: "DS_BPE_2025_data.csv", content: table, other: strings.ReplaceAll(table, "2025", "2024"), because: "one edition is expected"},
	}
}

// ballotTable is a table of one place whose header repeats the columns of a candidate, numbered or not.
func ballotTable(of []string, numbered bool, place string) string {
	header := "Inscrits;Abstentions;% Abs/Ins;Votants;% Vot/Ins;Blancs;% Blancs/Ins;% Blancs/Vot;Nuls;% Nuls/Ins;% Nuls/Vot;Exprimés;% Exp/Ins;% Exp/Vot"
	cells := fmt.Sprintf("%d;0;0;%[1]d;100;0;0;0;0;0;0;%[1]d;100;100", 10*len(of))
	for i, name := range of {
		if numbered || i == 0 {
			for _, column := range []string{"N°Panneau", "Sexe", "Nom", "Prénom", "Voix", "% Voix/Ins", "% Voix/Exp"} {
				header += ";" + column
				if numbered {
					header += fmt.Sprintf("_%d", i+1)
				}
			}
		}
		cells += fmt.Sprintf(";%d;M;%s;X;10;1;1", i+1, name)
	}
	what, where, _ := strings.Cut(place, "\n")
	return what + header + "\n" + where + cells + "\n"
}

func goodElections(t *testing.T) []goodFile {
	first2017 := []string{"ARTHAUD", "POUTOU", "MÉLENCHON", "HAMON", "MACRON", "LASSALLE", "ASSELINEAU", "CHEMINADE", "DUPONT-AIGNAN", "FILLON", "LE PEN"}
	first2022 := []string{"ARTHAUD", "ROUSSEL", "MACRON", "LASSALLE", "LE PEN", "ZEMMOUR", "MÉLENCHON", "HIDALGO", "JADOT", "PÉCRESSE", "POUTOU", "DUPONT-AIGNAN"}
	const commune = "Code du département;Code de la commune;Libellé de la commune;Etat saisie;\n93;010;Bondy;Complet;"
	ofDepartement := func(candidates ...string) string {
		total := fmt.Sprint(10 * len(candidates))
		return `CodeDépartement,Département,Inscrits,Abstentions,Votants,Blancs,Nuls,Exprimés,` + strings.Join(candidates, ",") + "\n75,Paris," + total + ",0," + total + ",0,0," + total + strings.Repeat(",10", len(candidates)) + "\n"
	}
	inBook := func(of []string) string {
		whole := strings.ReplaceAll(ballotTable(of, false, "Code du département;Libellé du département;\n75;Paris;"), "N°Panneau;", "")
		for i := range of {
			whole = strings.Replace(whole, fmt.Sprintf(";%d;M;", i+1), ";M;", 1)
		}
		return loadkit.Workbook(t, []string{"Feuille 1"}, strings.Split(strings.TrimSpace(whole), "\n"))
	}
	legislative := legislativeHeader + legislativeLine("93", "9301", 1, "UG", 60, 100) + legislativeLine("93", "9301", 2, "UXD", 40, 100) +
		legislativeLine("93", "9302", 1, "UG", 50, 100) + legislativeLine("93", "9302", 2, "ENS", 50, 100)
	const otherVotes = "75056;75;Paris;1301637;1091437;1076559;53719;210548;375106;284644;17997;5490;109550;8337;6799;2897;1472;0;210200;4251\n"
	return []goodFile{
		{source: "election-municipales-2026", path: municipal2026, content: municipalities, yearless: onlyTheNameHasYear},
		{source: "election-presidentielle-2017-communes", path: presidential2017, content: header2017 + line2017("93010", 300, 200, 100), other: header2017 + otherVotes, because: "in 75056 candidate 3 had 375006"},
		{source: "election-presidentielle-departements-t1", path: "elections/presidentielle-2022-t1-departements.csv", content: ofDepartement(first2022...), other: ofDepartement(first2017...), because: "2022_pres_t1"},
		{source: "election-presidentielle-departements-t2", path: "elections/presidentielle-2022-t2-departements.csv", content: ofDepartement("MACRON", "LE PEN"),
			other: strings.NewReplacer("75,Paris", "01,Ain", ",20,0,20,0,0,20,10,10", ",415950,93130,322820,28852,8738,285230,173809,111421").Replace(ofDepartement("MACRON", "LE PEN")), because: "173809"},
		{source: "election-presidentielle-2022-departements", path: "resultats-par-niveau-dpt-t1-2022.xlsx", content: inBook(first2022), other: inBook(first2017), because: "2022_pres_t1"},
		{source: "election-presidentielle-2022-communes", path: "resultats-par-niveau-subcom-t1-france-entiere.txt", content: ballotTable(first2022, false, commune), other: ballotTable(first2017, false, commune), because: "2022_pres_t1"},
		{source: "election-legislatives-2024", path: "elections/legislatives-2024-circonscriptions-candidats.csv", content: legislative, other: strings.ReplaceAll(legislative, ",UG,", ",NUP,"), because: "no candidate of the nuance UG"},
		{source: "election-agregee-participation", path: "general_results.csv", content: turnoutHeader + aggregatedTurnout("2017_pres_t1", "93010", "0001", 600, 400), yearless: rowsNameTheirYear},
		{source: "election-agregee-candidats", path: "candidats_results.csv", content: candidateHeader + aggregatedVotes("2017_pres_t1", "93010", "0001", 1, 400, "", "LE PEN", "Marine", "", ""), yearless: rowsNameTheirYear},
		{source: "mayors", path: mayorsPath, content: mayorsHeader + mayorLines, yearless: noYearAtAll},
	}
}

func goodOthers(t *testing.T) []goodFile {
	const offence = "93010|2025|Vols avec armes|10|0,2000000|diff"
	copied := `{"records":[{"codeDepartement":"93","codeRegion":"11","annee":2025,"indicateur":"Vols avec armes","uniteDeCompte":"Victime","nombre":50,"tauxPourMille":0.1,"inseePop":500000}]}`
	force := loadkit.Workbook(t, []string{"zonages supracommunaux"}, []string{"Zonages", "CODGEO;LIBGEO;zone_competence", "93010;Bondy;ZPN"})
	const base, own = "exer;com_code;siren;agregat;montant;ptot\n2023;93010;219300100;Encours de dette;1000;100\n", "exer;dep_code;siren;agregat;montant;ptot\n2023;93;229300082;Encours de dette;2000000;1000\n"
	const region = "exer;reg_code;siren;agregat;montant;ptot\n2023;11;237500079;Encours de dette;6000000000;12000000\n"
	doctors := func(year string) string {
		return loadkit.Workbook(t, []string{"APL " + year}, doctorsSheet(year, "93010;Bondy;2.4;2.25;2.126;2;40000;54000"))
	}
	const lifeSeries = "GEO;GEO_OBJECT;EC_MEASURE;AGE;SEX;FREQ;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n93;DEP;LEXPEC;Y0;M;A;A;2023;79.55\n93;DEP;LEXPEC;Y0;F;A;A;2023;85\n"
	const product = "GEO;GEO_OBJECT;STO;ACTIVITY;UNIT_MEASURE;UNIT_MULT;PRICES;OBS_STATUS_FR;TIME_PERIOD;OBS_VALUE\n11;REG;B1GQ;_T;XDC;6;V;SD;2022;820000.25\n"
	const eurostat = "DATAFLOW,LAST UPDATE,freq,unit,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG\nX,Y,A,MIO_EUR,FR1,2021,765000,\n"
	before := strings.NewReplacer("2023;", "2022;", "|2025|", "|2024|").Replace
	return []goodFile{
		{source: "safety-departements", path: "ssmsi/donnee-dep-2023.csv", content: oldHeader + oldLines(`"93";"11"`), other: oldHeader + strings.ReplaceAll(oldLines(`"93";"11"`), `"23"`, `"22"`), because: "its name says 2023"},
		{source: "safety-regions", path: "ssmsi/donnee-reg-2023.csv", content: oldRegion + regionLines(), other: oldRegion + strings.ReplaceAll(regionLines(), `"23"`, `"22"`), because: "its name says 2023"},
		{source: "safety-departements-copy", path: "ssmsi/delinquance-departements-2016-2025.json", content: copied, other: strings.Replace(copied, "2025", "2024", 1), because: "its name says 2025"},
		{source: "safety-force", path: "ssmsi/info-complements-data.gouv-2025-geographie2026-produit-le2026-06-25.xlsx", content: force, yearless: onlyTheNameHasYear},
		{source: "safety-communes", path: communeFile2026, content: communeHeader2026 + offences(offence), other: communeHeader2026 + offences(before(offence)), because: "its name says 2025"},
		{source: "finances-communes", path: accountsFile, content: base, other: before(base), because: "its name says 2023"},
		{source: "finances-departements", path: "ofgl-base-departements-consolidee-2023.csv", content: own, other: before(own), because: "its name says 2023"},
		{source: "finances-regions", path: "ofgl-base-regions-consolidee-2023.csv", content: region, other: before(region), because: "its name says 2023"},
		{source: "apl-2024", path: doctorsFile, content: doctors("2024"), other: doctors("2023"), because: "it has no sheet of 2024"},
		{source: "life-expectancy-melodi", path: "insee/DS_DECES_MORTALITE_SERIES_2023_data.csv", content: lifeSeries, other: strings.ReplaceAll(lifeSeries, "2023;", "2024;"), because: "its name says 2023"},
		{source: "comptes-regionaux", path: "DS_COMPTES_REGIONAUX_2024_data.csv", content: product, yearless: rowsNameTheirYear},
		{source: "eurostat-gdp", path: "estat_nama_10r_2gdp_filtered_en.csv", content: eurostat, yearless: rowsNameTheirYear},
		{source: "climat-mensuel", path: "meteo/MENSQ_93_previous-1950-2023.csv", content: monthsHeader + months("93010001", "48.90", "2.49", 10, 1991, 2020), yearless: rowsNameTheirYear},
		{source: "water-network-populations", path: "eau/udi_population_from_infofactures.csv", content: "code_udi,sentence,population\n093000222,Votre réseau alimente 1 710 personnes.,1710\n", yearless: noYearAtAll},
		{source: "air-communes", path: "air/Indicateurs_QualiteAir_France_Commune_2015_Ineris.csv", content: ineris + air("93010", "25.125", "19.5", "4.9"), yearless: onlyTheNameHasYear},
		{source: "air-ozone", path: "air/ozone-peak-season-2024.csv", content: "commune;year;mda8_ug_m3;season;method\n93010;2024;92.44;04-09;modelled\n", yearless: rowsNameTheirYear},
		{source: "departement-prefectures", path: "cog/departements.csv", content: "DEP,REG,CHEFLIEU,TNCC,LIBELLE\n93,11,93010,0,Seine-Saint-Denis\n", yearless: noYearAtAll},
		{source: "commune-geography", path: "commune-geography.csv", content: "commune;elevation_mean_m;elevation_min_m;elevation_max_m;coast_km;coastal;mountain_km;massif;mountain_classified;method;year\n2A247;210;0;1315;0;1;12.04;Corse;;;2024\n", yearless: rowsNameTheirYear},
		{source: "pest-reports", path: "pest-reports-2024.csv", content: "commune;species;label;year;reports;status;source\n93010;Vespa velutina;Frelon asiatique;2023;4;reported;INPN\n", yearless: rowsNameTheirYear},
		{source: "mobile-supports", path: "anfr/20260806_observatoire_2G_3G_4G.csv", content: observatory + emitter("ORANGE", "100", "LTE 800", "93010", "4G", "93010", "En service"), yearless: noYearAtAll},
	}
}
