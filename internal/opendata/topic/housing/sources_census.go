package housing

import (
	"fmt"
	"strconv"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// housingColumns are the columns of base-cc-logement without their prefix, which says how a figure was
// counted (P: all questionnaires, C: a sample) and in which census.
var housingColumns = []struct{ column, measure string }{
	{`P(?P<yy>[0-9]{2})_LOG`, HousingTotal},
	{`P(?P<yy>[0-9]{2})_RP`, HousingMain},
	{`P(?P<yy>[0-9]{2})_RSECOCC`, HousingSecondary},
	{`P(?P<yy>[0-9]{2})_LOGVAC`, HousingVacant},
	{`P(?P<yy>[0-9]{2})_MAISON`, HousingHouses},
	{`P(?P<yy>[0-9]{2})_APPART`, HousingApartments},
	{`P(?P<yy>[0-9]{2})_RP_PROP`, MainOwners},
	{`P(?P<yy>[0-9]{2})_RP_LOC`, MainTenants},
	{`P(?P<yy>[0-9]{2})_RP_LOCHLMV`, MainSocialTenants},
	{`P(?P<yy>[0-9]{2})_RP_GRAT`, MainFree},
	{`P(?P<yy>[0-9]{2})_NBPI_RP`, MainRooms},
	{`P(?P<yy>[0-9]{2})_RP_1P`, MainOfRooms[0]},
	{`P(?P<yy>[0-9]{2})_RP_2P`, MainOfRooms[1]},
	{`P(?P<yy>[0-9]{2})_RP_3P`, MainOfRooms[2]},
	{`P(?P<yy>[0-9]{2})_RP_4P`, MainOfRooms[3]},
	{`P(?P<yy>[0-9]{2})_RP_5PP`, MainOfRooms[4]},
	{`P(?P<yy>[0-9]{2})_RP_ACH(?:19)?19`, MainBuilt[0]},
	{`P(?P<yy>[0-9]{2})_RP_ACH(?:19)?45`, MainBuilt[1]},
	{`P(?P<yy>[0-9]{2})_RP_ACH(?:19)?70`, MainBuilt[2]},
	{`P(?P<yy>[0-9]{2})_RP_ACH(?:19)?90`, MainBuilt[3]},
	{`P(?P<yy>[0-9]{2})_RP_ACH(?:20)?05`, MainBuilt[4]},
	// The last period ends three years before the census; 19 already stands for before 1919. Since the
	// census of 2022 the years have four digits.
	{`P(?P<yy>[0-9]{2})_RP_ACH(?:0[89]|1[0-8]|2[0-9]|20(?:0[89]|[12][0-9]))`, MainBuilt[5]},
	{`P(?P<yy>[0-9]{2})_RP_VOIT1P`, MainWithCar},
	{`C(?P<yy>[0-9]{2})_RP_HSTU1P`, MainCrowdable},
	{`C(?P<yy>[0-9]{2})_RP_HSTU1P_SUROCC`, MainOvercrowded},
}

// housingCensus declares the table of communes of the last census that has one, which also has the two
// previous ones. It has the three cities and their arrondissements, each with figures of its own. A census is
// published in the geography of three years later.
func housingCensus() source.Source {
	const census = 2022
	s := source.Source{
		Name: fmt.Sprintf("housing-census-%d", census), Title: fmt.Sprintf("%s %d", housingTitle, census),
		Producer: "INSEE", Homepage: housingPage,
		Files: []source.Files{{Path: fmt.Sprintf(`(^|/)base-cc-logement-%d[^/]*\.(zip|csv|csv\.gz)$`, census)}},
		// The last table of this form: from the census of 2023 on, housing-census-long has its figures.
		Origins: []fetch.Origin{source.InseeFile(8581474, "base-cc-logement-2022_csv.zip")},
		Read: source.Read{Format: source.CSV, Separator: ";", Encoding: "sniff",
			Member:  `(?i)(^|/)base-cc-logement-[0-9]{4}[^/]*\.csv$`,
			Missing: map[string]string{"s": "secret"}, Nulls: []string{"NA"}},
		Columns: source.FigureColumns("CODGEO"),
		Checks: source.Checks{MinRows: 500_000, Queries: []string{
			fmt.Sprintf(`SELECT 'the newest census of its columns is ' || max(period) || ', its name says %d' FROM stage HAVING max(period) <> '%[1]d'`, census),
			source.Lacks(HousingTotal, HousingMain, HousingSecondary, HousingVacant), housingParts,
			`SELECT 'the main residences of ' || code || ' in ' || period || ' are ' || main || ', those of owners, tenants and others ' || parts
			FROM (SELECT code, period, sum(value) FILTER (WHERE measure = 'housing.main') AS main,
					sum(value) FILTER (WHERE measure IN ('housing.main.owners', 'housing.main.tenants', 'housing.main.free')) AS parts,
					count(value) FILTER (WHERE measure IN ('housing.main.owners', 'housing.main.tenants', 'housing.main.free')) AS told
				FROM stage GROUP BY code, period) t
			WHERE told = 3 AND abs(main - parts) > 2 LIMIT 1`,
		}},
		Note: "The official file was not at hand: its columns are those of a sample and of public programs. Fuels of heating are in the long file alone. " +
			"From the census of 2022 on it has no overcrowding as it was defined before.",
	}
	for _, c := range housingColumns {
		s.Read.Unpivot = append(s.Read.Unpivot, source.Unpivot{Column: c.column, Measure: c.measure,
			Period: "{yy}"})
	}
	// The communes that were split on the first day of this geography are in it as they were.
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: census + 3,
		SplitSince: strconv.Itoa(census + 2), Rank: 10})
}

// housingLong declares the table of INSEE's catalogue with one row for each combination of characteristics.
// Only rows in which at most one of them is not the total (_T) are read.
func housingLong() source.Source {
	s := source.Source{
		Name: "housing-census-long", Title: housingTitle + " (DS_RP_LOGEMENT_PRINC)", Producer: "INSEE",
		Homepage: "https://catalogue-donnees.insee.fr/fr/catalogue/recherche/DS_RP_LOGEMENT_PRINC",
		Origins:  []fetch.Origin{source.MelodiOrigin("DS_RP_LOGEMENT_PRINC", 0)},
		Files:    []source.Files{{Path: `(^|/)DS_RP_LOGEMENT_PRINC(?:_(?P<scope>20[0-9]{2}))?(?:_data)?(?:_CSV_FR)?\.(zip|csv|csv\.gz)$`}},
		Read: source.Read{Format: source.CSV, Separator: ";",
			Member: `(^|/)DS_RP_LOGEMENT_PRINC(?:_[0-9]{4})?_data\.csv$`, Keep: map[string]string{
				"GEO_OBJECT": "COM|ARM|DEP|REG", "RP_MEASURE": "DWELLINGS|DWELLINGS_ROOMS", "L_STAY": "_T",
				"CARPARK": "_T",
				"CARS":    "_T|C0", "OCS": "_T|DW_MAIN|DW_SEC_DW_OCC|DW_VAC", "TSH": "_T|100|200|221|300"}},
		Columns: []source.Column{
			{Name: "code", From: []string{"GEO"}, Required: true, Match: `[0-9AB]{2,5}`},
			{Name: "object", From: []string{"GEO_OBJECT"}, Required: true},
			{Name: "counted", From: []string{"RP_MEASURE"}, Required: true},
			{Name: "ocs", From: []string{"OCS"}, Required: true}, {Name: "tdw", From: []string{"TDW"}, Required: true},
			{Name: "nor", From: []string{"NOR"}, Required: true}, {Name: "tsh", From: []string{"TSH"}, Required: true},
			{Name: "fuel", From: []string{"NRG_SRC"}, Required: true}, {Name: "cars", From: []string{"CARS"},
				Required: true},
			{Name: "built", From: []string{"BUILD_END"}, Required: true},
			{Name: "status", From: []string{"OBS_STATUS"}}, {Name: "secrecy", From: []string{"CONF_STATUS"}},
			{Name: "year", From: []string{"TIME_PERIOD"}, Required: true, Match: `20[0-9]{2}`},
			{Name: "value", From: []string{"OBS_VALUE"}, Kind: source.Number},
			{Name: "scope", Template: "{scope}"},
		},
		// K: counted in another commune, which it is part of.
		Drop: []string{"status = 'K'", "(" + housingLongMeasure + ") IS NULL"},
		Reject: []source.Rule{{
			When: `object IN ('COM', 'ARM') AND code IN (SELECT c.code FROM (SELECT DISTINCT code FROM stage WHERE object IN ('COM', 'ARM') OFFSET 0) c
				WHERE geo.commune_today(c.code) IS NULL)`,
			Reason: "'no commune has code ' || code",
		}},
		Dedupe: source.Dedupe{Key: []string{"object", "code", "counted", "ocs", "tdw", "nor", "tsh", "fuel", "cars",
			"built", "year"}},
		Checks: source.Checks{MinRows: 500_000, Queries: []string{
			`SELECT 'its newest year is ' || max(year) || ', its name says ' || max(scope) FROM stage HAVING max(year) <> max(scope)`,
		}},
		Note: "The official file was not at hand: its columns and codes are those that public programs read.",
	}
	return source.FigureSource(s, source.Figures{Measures: measures, Cog: 2025, OwnSums: true, From: `
	SELECT CASE object WHEN 'DEP' THEN 'departement' WHEN 'REG' THEN 'region' ELSE 'commune' END AS level, code,
		` + housingLongMeasure + ` AS measure, year AS period,
		CASE WHEN coalesce(secrecy, 'F') = 'F' THEN value END AS value,
		CASE WHEN coalesce(secrecy, 'F') <> 'F' THEN 'secret' END AS missing
	FROM stage`, Rank: 10})
}

// housingLongMeasure is SQL for the measure of a row of the long table; null drops the combination. The
// building periods of 2012 are wider and are dropped.
const housingLongMeasure = `CASE
	WHEN counted = 'DWELLINGS_ROOMS' THEN CASE WHEN ocs = 'DW_MAIN' AND (tdw, nor, tsh, fuel, cars, built) = ('_T', '_T', '_T', '_T', '_T', '_T')
		THEN 'housing.main.rooms' END
	WHEN (tdw, nor, tsh, fuel, cars, built) = ('_T', '_T', '_T', '_T', '_T', '_T') THEN CASE ocs WHEN '_T' THEN 'housing.total'
		WHEN 'DW_MAIN' THEN 'housing.main' WHEN 'DW_SEC_DW_OCC' THEN 'housing.secondary' WHEN 'DW_VAC' THEN 'housing.vacant' END
	WHEN ocs = '_T' THEN CASE WHEN (nor, tsh, fuel, cars, built) = ('_T', '_T', '_T', '_T', '_T')
		THEN CASE tdw WHEN '1' THEN 'housing.houses' WHEN '2' THEN 'housing.apartments' END END
	WHEN ocs <> 'DW_MAIN' OR tdw <> '_T' THEN NULL
	WHEN (nor, fuel, cars, built) = ('_T', '_T', '_T', '_T') THEN CASE tsh WHEN '100' THEN 'housing.main.owners'
		WHEN '200' THEN 'housing.main.tenants' WHEN '221' THEN 'housing.main.socialTenants' WHEN '300' THEN 'housing.main.free' END
	WHEN (tsh, fuel, cars, built) = ('_T', '_T', '_T', '_T') THEN CASE nor WHEN 'R1' THEN 'housing.main.rooms1'
		WHEN 'R2' THEN 'housing.main.rooms2' WHEN 'R3' THEN 'housing.main.rooms3' WHEN 'R4' THEN 'housing.main.rooms4'
		WHEN 'R_GE5' THEN 'housing.main.rooms5plus' END
	WHEN (nor, tsh, cars, built) = ('_T', '_T', '_T', '_T') THEN CASE fuel WHEN 'TOWN_GAS' THEN 'housing.main.heat.townGas'
		WHEN 'BOT_GAS' THEN 'housing.main.heat.bottledGas' WHEN 'OIL' THEN 'housing.main.heat.oil'
		WHEN 'ELC' THEN 'housing.main.heat.electric' WHEN 'OTH' THEN 'housing.main.heat.other' END
	WHEN (nor, tsh, fuel, built) = ('_T', '_T', '_T', '_T') THEN CASE cars WHEN 'C0' THEN 'housing.main.carless' END
	WHEN (nor, tsh, fuel, cars) = ('_T', '_T', '_T', '_T') THEN CASE built WHEN 'Y_LT1919' THEN 'housing.main.builtBefore1919'
		WHEN 'Y1919T1945' THEN 'housing.main.built1919to1945' WHEN 'Y1946T1970' THEN 'housing.main.built1946to1970'
		WHEN 'Y1971T1990' THEN 'housing.main.built1971to1990' WHEN 'Y1991T2005' THEN 'housing.main.built1991to2005'
		WHEN 'Y2006TAAAA' THEN 'housing.main.builtSince2006' END
	END`
