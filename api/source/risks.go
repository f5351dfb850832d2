package source

import "slices"

// risks are the natural and technological hazards.
func risks() []Source {
	return slices.Concat(gaspar(), riskPlanFiles(), floods(), groundLevels(), riskSites(), underground())
}

// riskSource is what these sources have in common.
func riskSource(name, title, producer string) Source {
	return Source{
		Name:     name,
		Group:    "risks",
		Title:    title,
		Producer: producer,
		Licence:  LicenceOuverte,
		Homepage: "https://www.georisques.gouv.fr/donnees/bases-de-donnees",
		After:    []string{"cog-communes"},
	}
}

// riskAttrs is what the report tells of a row: pairs of a member and its SQL. What is unknown is left out.
func riskAttrs(pairs string) Column {
	return Column{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object(" + pairs + "))"}
}

func inner(name string, kind Kind, from ...string) Column {
	return Column{Name: name, From: from, Kind: kind, Internal: true}
}

// riskCommune is the column "code", in which spreadsheets lose zeros and Corsica has letters.
func riskCommune(from ...string) Column {
	return Column{Name: "code", From: from, Pad: 5, Match: `[0-9][0-9AB][0-9]{3}`, Required: true, Internal: true}
}

// riskToday is the target's column: the commune of today.
var riskToday = Column{Name: "commune", SQL: "geo.commune_today(code)"}

// riskUnknown refuses codes that no commune ever had. Each code is looked up once: OFFSET 0 keeps the planner from asking
// again for each row, here and below. Most codes are those of today, which one join finds together.
var riskUnknown = Rule{
	When: `code IN (SELECT c.code FROM (SELECT DISTINCT s.code FROM stage s
		WHERE s.code NOT IN (SELECT k.code FROM geo.commune k WHERE k.commune_code IS NOT NULL) OFFSET 0) c WHERE geo.commune_today(c.code) IS NULL)`,
	Reason: "'no commune has code ' || code",
}

// riskOnce is a condition for the rows that say again what another one says of the same commune of today: a fact is
// listed under the code of each commune that was merged. The row under the code of today is kept, else the first by best.
func riskOnce(key, best string) string {
	return `ctid IN (SELECT place FROM (
		SELECT s.ctid AS place, row_number() OVER (PARTITION BY t.today` + key + ` ORDER BY s.code = t.today DESC` + best + `, s._file, s._line) AS nth
		FROM stage s JOIN (
			SELECT code, geo.commune_today(code) AS today FROM (SELECT DISTINCT code FROM stage) c OFFSET 0
		) t USING (code) WHERE t.today IS NOT NULL) d WHERE nth > 1)`
}

// riskDay reads a day in either way of writing it, with or without an hour.
func riskDay(name string, from ...string) Column {
	return Column{Name: name, From: from, Internal: true,
		Match: `([0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{2}/[0-9]{2}/[0-9]{4})([ T].*)?`}
}

// riskISO is the SQL of such a day as 2006-01-02.
func riskISO(column string) string {
	return "CASE WHEN " + column + " LIKE '__/__/____%' THEN substr(" + column + ", 7, 4) || '-' || substr(" + column +
		", 4, 2) || '-' || left(" + column + ", 2) ELSE replace(left(" + column + ", 10), '/', '-') END"
}

// gasparFiles are one table of GASPAR, by itself or in the archive of all. table is a regular expression.
func gasparFiles(table string) []Files {
	const dated = `(_(?P<vintage>[0-9]{4}-?[0-9]{2}-?[0-9]{2}))?`
	return []Files{
		{Path: `(?i)(^|/)` + table + `_gaspar` + dated + `\.csv(\.gz|\.zip)?$`},
		{Path: `(?i)(^|/)gaspar` + dated + `\.zip$`},
	}
}

func gasparSource(name, title, table string) Source {
	s := riskSource(name, title, "DGPR; BRGM")
	s.Files = gasparFiles(table)
	s.Read = Read{Format: CSV, Member: `(?i)(^|/)` + table + `_gaspar[^/]*\.csv$`, Separator: ";", Encoding: "sniff", Lazy: true}
	return s
}

// gaspar is the ministry's record of orders, hazards and plans, commune by commune.
func gaspar() []Source {
	return []Source{gasparCatnat(), gasparRisks(),
		gasparPlans("gaspar-pprn", "plans de prévention des risques naturels", "PPRN", "risk_procedure"),
		gasparPlans("gaspar-pprt", "plans de prévention des risques technologiques", "PPRT", "risk_procedure PPRT"),
		gasparPlans("gaspar-pprm", "plans de prévention des risques miniers", "PPRM", "risk_procedure PPRM")}
}

func gasparCatnat() Source {
	s := gasparSource("gaspar-catnat", "GASPAR : arrêtés de catastrophe naturelle", "catnat")
	s.Columns = []Column{
		riskCommune("cod_commune", "code_commune"),
		{Name: "order_id", From: []string{"cod_nat_catnat", "id_gaspar"}, Required: true, Internal: true},
		{Name: "risk", From: []string{"lib_risque_jo"}, Required: true, Internal: true},
		riskDay("begun", "dat_deb", "date_debut"),
		riskDay("ended", "dat_fin", "date_fin"),
		riskDay("ordered", "dat_pub_arrete", "date_publication_arrete", "date_arrete"),
		riskDay("published", "dat_pub_jo", "date_publication_jo"),
		{Name: "id", SQL: "concat_ws(' ', code, order_id, risk, begun, ended)"},
		riskToday,
		riskAttrs("'risk', risk, 'start', " + riskISO("begun") + ", 'end', " + riskISO("ended") +
			", 'orderDate', " + riskISO("ordered") + ", 'publishedOn', " + riskISO("published")),
	}
	s.Drop = []string{riskOnce(", order_id, risk, begun, ended", "")}
	s.Reject = []Rule{riskUnknown}
	s.Target, s.Covers = factLayer("catnat"), covers("catnat")
	return s
}

func gasparRisks() Source {
	s := gasparSource("gaspar-risques", "GASPAR : risques recensés par commune (DDRM)", "(ddrm_)?risq")
	s.Columns = []Column{
		riskCommune("cod_commune", "code_commune"),
		{Name: "number", From: []string{"num_risque"}, Required: true, Match: `[0-9]{2,7}`, Internal: true},
		{Name: "label", From: []string{"lib_risque", "lib_risque_long"}, Required: true, Internal: true},
		{Name: "id", SQL: "code || ' ' || number"},
		riskToday,
		riskAttrs("'code', number, 'label', label"),
	}
	s.Drop = []string{riskOnce(", number", "")}
	s.Reject = []Rule{riskUnknown}
	s.Target, s.Covers = factLayer("commune_risk"), covers("commune_risk")
	return s
}

// gasparPlans are the procedures of one kind of plan. Which commune has none is only known once all three kinds are
// loaded, so each kind tells of itself.
func gasparPlans(name, title, kind, layer string) Source {
	s := gasparSource(name, "GASPAR : "+title, kind)
	s.Columns = []Column{
		riskCommune("CODE INSEE COMMUNE"),
		{Name: "plan", From: []string{"CODE PROCEDURE", "CODE PROECEDURE"}, Required: true, Internal: true},
		inner("name", Text, "LIBELLE PROCEDURE"),
		inner("risk1", Text, "LIBELLE RISQUE 1"), inner("code1", Text, "CODE RISQUE 1"),
		inner("risk2", Text, "LIBELLE RISQUE 2"), inner("code2", Text, "CODE RISQUE 2"),
		inner("risk3", Text, "LIBELLE RISQUE 3"),
		// The code of the third risk stands under the header of the second one.
		inner("code3", Text, "CODE RISQUE 3", "CODE RISQUE 2#2"),
		riskDay("approved", "APPROBATION"),
		inner("state", Text, "LIBELLE ETAT"),
		inner("step", Text, "LIBELLE SOUS-ETAT"),
		{Name: "id", SQL: "upper(plan) || ' ' || code"},
		riskToday,
		riskAttrs("'plan', upper(plan), 'kind', '" + kind + "', 'name', name, 'risk', risk1, 'risks', " + gasparRiskList +
			", 'state', lower(state), 'step', lower(step), 'approvedOn', " + riskISO("approved")),
	}
	s.Drop = []string{riskOnce(", upper(plan)", "")}
	s.Reject = []Rule{riskUnknown}
	s.Target, s.Covers = factLayer("risk_procedure"), covers(layer)
	return s
}

const gasparRiskList = `(SELECT jsonb_agg(jsonb_build_object('code', v.code, 'label', v.label) ORDER BY v.n)
	FROM (VALUES (1, code1, risk1), (2, code2, risk2), (3, code3, risk3)) AS v(n, code, label) WHERE v.label IS NOT NULL)`
