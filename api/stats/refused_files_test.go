package stats_test

import (
	"strings"
	"testing"
)

// goodFile is a small file that a source takes, and the same of another year.
type goodFile struct {
	source, path, content string
	other                 string // the content of another year under the same name
	because               string // what it is refused with
	yearless              string // why there is none, in place of other
	archive               string // the file is the member of a zip archive that is called this
}

// Why a file of another year cannot be told from the right one, or need not be.
const (
	rowsTellTheirYear = "each row tells its own year, and is served under it"
	onlyTheNameTells  = "nothing inside tells the year: it is served under that of the name"
	noYearAtAll       = "it is the state of the day, of no year"
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
		return sheetsOf(t, []string{"pop_1876_2023"}, []string{"Historique", "CODGEO;REG;DEP;LIBGEO;PMUN" + year + ";PMUN07", "93010;11;93;Bondy;55000;53000"})
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
		{source: "population-reference-workbook", path: "insee-population/population2019.xls", content: workbook(t, "11;;93;2;01;010;Bondy;53000;100;53100;"), yearless: onlyTheNameTells},
		{source: "population-history", path: "insee/base-pop-historiques-1876-2023.xlsx", content: history("2023"), other: history("2022"), because: "its name says 2023"},
		{source: "population-melodi", path: "insee/DS_POPULATIONS_REFERENCE_2023_data.csv", content: popHeader + "93010;COM;PMUN;A;A;2023;55000\n", other: popHeader + "93010;COM;PMUN;A;A;2024;55000\n", because: "its name says 2023"},
		{source: "births-melodi", path: "insee/DS_ETAT_CIVIL_NAIS_COMMUNES_2023_data.csv", content: vitalHeader + "93010;COM;LVB;A;A;2023;900\n", other: vitalHeader + "93010;COM;LVB;A;A;2024;900\n", because: "its name says 2023"},
		{source: "deaths-melodi", path: "insee/DS_ETAT_CIVIL_DECES_COMMUNES_2023_data.csv", content: vitalHeader + "93010;COM;DTH;A;A;2023;300\n", other: vitalHeader + "93010;COM;DTH;A;A;2024;300\n", because: "its name says 2023"},
		{source: "comparateur-population", path: comparatorFile, content: people, other: strings.ReplaceAll(people, "_2021", "_2020"), because: "its name says 2021"},
		{source: "comparateur-naissances", path: comparatorFile, content: people, other: strings.ReplaceAll(people, "_2022", "_2020"), because: "its name says 2021"},
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
		{source: "filosofi-minima", path: "insee-filosofi/filosofi_communes_2021_minima.json", content: `{"meta":{},"communes":{"93010":{"median_eur":18000},"97411":{"median_eur":18270,"minima_pct":7.3}}}`, yearless: onlyTheNameTells},
		{source: "filosofi-observatory-departements", path: observatoryFile, content: observatoryLines,
			other: strings.NewReplacer("_19\"", "_21\"", "_21\"", "_19\"").Replace(observatoryLines), because: "that of the producer 41870"},
	}
}

func goodWork(t *testing.T) []goodFile {
	const people = comparatorHeader + "93010,11,93,Bondy,Bondy,93140,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n"
	const census = "CODGEO;P21_POP1564;P21_ACT1564;P21_ACTOCC1564;P21_CHOM1564;P21_EMPLT\n93010;34000.4;25000.4;21000.3;4000.1;15900.2\n"
	const long = "GEO;GEO_OBJECT;RP_MEASURE;SEX;AGE;EDUC;EMPSTA_ENQ;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n93010;COM;POP;_T;Y15T64;_T;1;A;2023;22000\n"
	ofZones := func(last string) string {
		return sheetsOf(t, []string{"txcho_ze"}, []string{"ZE2020;LIBZE2020;REG;LIBREG;2021-T4;" + last, "1109;Paris;11;IDF;7.9;7.5"})
	}
	ofQuarter := func(last string) string {
		return sheetsOf(t, []string{"Région", "Département"}, []string{"Code;Libellé;T3_2025;" + last, "11;Île-de-France;7.2;7.3"}, []string{"Code;Libellé;T3_2025;" + last, "75;Paris;5.9;6"})
	}
	const zonesBook, quarterBook = "insee/chomage-zone-t1-2003-t2-2022.xlsx", "insee/sl_etc_2025T4.xls"
	years := strings.ReplaceAll(zones, "202", "201")
	return []goodFile{
		{source: "comparateur-emploi", path: comparatorFile, content: people, other: strings.ReplaceAll(people, "_2021", "_2020"), because: "its name says 2021"},
		{source: "rp-emploi", path: "insee/base-cc-emploi-pop-active-2021.CSV", content: census, other: strings.ReplaceAll(census, "P21", "P22"), because: "its name says 2021"},
		{source: "rp-emploi-melodi", path: "insee/DS_RP_EMPLOI_LR_PRINC_2023_data.csv", content: long, other: strings.Replace(long, "2023;", "2024;", 1), because: "its name says 2023"},
		{source: "chomage-zones", path: zonesFile, content: zones, other: years, because: "its name says 2021 to 2022"},
		{source: "zones-emploi", path: zonesFile, content: zones, yearless: noYearAtAll},
		{source: "chomage-zones-insee", path: zonesBook, content: ofZones("2022-T2"), other: ofZones("2023-T2"), because: "its name says 2022-T2"},
		{source: "zones-emploi-noms", path: zonesBook, content: ofZones("2022-T2"), yearless: noYearAtAll},
		{source: "zones-emploi-communes", path: "insee/table-appartenance-geo-communes-2025.xlsx", content: sheetsOf(t, []string{"COM"}, []string{"CODGEO;ZE2020", "97411;0403"}), yearless: onlyTheNameTells},
		{source: "chomage-departements", path: quarterBook, content: ofQuarter("T4_2025"), other: ofQuarter("T1_2026"), because: "its name says 2025T4"},
		{source: "chomage-regions", path: quarterBook, content: ofQuarter("T4_2025"), other: ofQuarter("T1_2026"), because: "its name says 2025T4"},
	}
}
