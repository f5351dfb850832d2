// Package risks declares the data on natural and technological hazards.
package risks

import (
	_ "embed"
	"slices"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

//go:embed gaspar_plans.sql
var gasparPlanRows string

// Sources returns the natural and technological hazards.
func Sources() []source.Source {
	return slices.Concat([]source.Source{gasparCatnat(), gasparRisks(),
		gasparPlans("gaspar-pprn", "plans de prévention des risques naturels", "PPRN", "risk_procedure"),
		gasparPlans("gaspar-pprt", "plans de prévention des risques technologiques", "PPRT", "risk_procedure PPRT"),
		gasparPlans("gaspar-pprm", "plans de prévention des risques miniers", "PPRM", "risk_procedure PPRM")},
		[]source.Source{covadisZones(), covadisPlans()}, floodSources(), []source.Source{claySource(), radonSource(),
			seismicSource(), icpeSource(), casiasSource(), ademeSites(), cavitySource(), groundMovementSource()})
}

// Where Géorisques keeps its files, and its exports by département.
const (
	georisquesFiles  = "https://files.georisques.fr/"
	georisquesReport = "https://www.georisques.gouv.fr/webappReport/ws/"
)

// riskSource returns what these sources have in common.
func riskSource(name, title, producer string) source.Source {
	return source.Source{
		Name:     name,
		Group:    "risks",
		Title:    title,
		Producer: producer,
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.georisques.gouv.fr/donnees/bases-de-donnees",
		After:    []string{"cog-communes"},
	}
}

func internalColumn(name string, kind source.Kind, from ...string) source.Column {
	return source.Column{Name: name, From: from, Kind: kind, Internal: true}
}

// riskCommune is the column "code": spreadsheets drop its leading zeros, and Corsica has letters.
func riskCommune(from ...string) source.Column {
	return source.Column{Name: "code", From: from, Pad: 5, Match: `[0-9][0-9AB][0-9]{3}`, Required: true,
		Internal: true}
}

// riskToday is the column of the target: the current commune.
var riskToday = source.Column{Name: "commune", SQL: "geo.commune_today(code)"}

// riskDay is a date column in either format, with or without a time.
func riskDay(name string, from ...string) source.Column {
	return source.Column{Name: name, From: from, Internal: true,
		Match: `([0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{2}/[0-9]{2}/[0-9]{4})([ T].*)?`}
}

// riskISO returns SQL for such a date as 2006-01-02.
func riskISO(column string) string {
	return "CASE WHEN " + column + " LIKE '__/__/____%' THEN substr(" + column + ", 7, 4) || '-' || substr(" +
		column +
		", 4, 2) || '-' || left(" + column + ", 2) ELSE replace(left(" + column + ", 10), '/', '-') END"
}

// gasparFiles matches one table of GASPAR, alone or in the archive of all. table is a regular expression.
func gasparFiles(table string) []source.Files {
	const dated = `(_(?P<vintage>[0-9]{4}-?[0-9]{2}-?[0-9]{2}))?`
	return []source.Files{
		{Path: `(?i)(^|/)` + table + `_gaspar` + dated + `\.csv(\.gz|\.zip)?$`},
		{Path: `(?i)(^|/)gaspar` + dated + `\.zip$`},
	}
}

func gasparSource(name, title, table string) source.Source {
	s := riskSource(name, title, "DGPR; BRGM")
	s.Files = gasparFiles(table)
	s.Origins = []fetch.Origin{{
		From: producer.At{Address: georisquesFiles + "GASPAR/gaspar.zip"}, Rhythm: "weekly",
		Note: "The firewall of Géorisques rejects the addresses of some hosting companies, here and in its other files.",
	}}
	s.Read = source.Read{Format: source.CSV, Member: `(?i)(^|/)` + table + `_gaspar[^/]*\.csv$`, Separator: ";",
		Encoding: "sniff", Lazy: true}
	return s
}

func gasparCatnat() source.Source {
	s := gasparSource("gaspar-catnat", "GASPAR : arrêtés de catastrophe naturelle", "catnat")
	s.Columns = []source.Column{
		riskCommune("cod_commune", "code_commune"),
		{Name: "order_id", From: []string{"cod_nat_catnat", "id_gaspar"}, Required: true, Internal: true},
		{Name: "risk", From: []string{"lib_risque_jo"}, Required: true, Internal: true},
		riskDay("begun", "dat_deb", "date_debut"),
		riskDay("ended", "dat_fin", "date_fin"),
		riskDay("ordered", "dat_pub_arrete", "date_publication_arrete", "date_arrete", "date_signature_arrete"),
		riskDay("published", "dat_pub_jo", "date_publication_jo"),
		{Name: "id", SQL: "concat_ws(' ', code, order_id, risk, left(begun, 10), left(ended, 10))"},
		riskToday,
		source.Attrs("'risk', risk, 'start', " + riskISO("begun") + ", 'end', " + riskISO("ended") +
			", 'orderDate', " + riskISO("ordered") + ", 'publishedOn', " + riskISO("published")),
	}
	// An event can be there several times, with another time of day.
	s.Drop = []string{source.OnceACommune(", order_id, risk, left(begun, 10), left(ended, 10)", "")}
	s.Reject = []source.Rule{source.UnknownCommune}
	s.Target, s.Covers = source.FactLayer("catnat"), source.Covers("catnat")
	return s
}

func gasparRisks() source.Source {
	s := gasparSource("gaspar-risques", "GASPAR : risques recensés par commune (DDRM)", "(ddrm_)?risq")
	s.Columns = []source.Column{
		riskCommune("cod_commune", "code_commune"),
		{Name: "number", From: []string{"num_risque"}, Required: true, Match: `[0-9]{2,7}`, Internal: true},
		{Name: "label", From: []string{"lib_risque", "lib_risque_long"}, Required: true, Internal: true},
		{Name: "id", SQL: "code || ' ' || number"},
		riskToday,
		source.Attrs("'code', number, 'label', label"),
	}
	s.Drop = []string{source.OnceACommune(", number", "")}
	s.Reject = []source.Rule{source.UnknownCommune}
	s.Target, s.Covers = source.FactLayer("commune_risk"), source.Covers("commune_risk")
	return s
}

// gasparPlans declares the procedures of one kind of plan. That a commune has none is only known once all
// three kinds are loaded, so each kind has a coverage of its own.
func gasparPlans(name, title, kind, layer string) source.Source {
	s := gasparSource(name, "GASPAR : "+title, kind)
	s.Columns = []source.Column{
		riskCommune("CODE INSEE COMMUNE"),
		{Name: "plan", From: []string{"CODE PROCEDURE", "CODE PROECEDURE"}, Required: true, Internal: true},
		internalColumn("name", source.Text, "LIBELLE PROCEDURE"),
		internalColumn("risk1", source.Text, "LIBELLE RISQUE 1"), internalColumn("code1", source.Text,
			"CODE RISQUE 1"),
		internalColumn("risk2", source.Text, "LIBELLE RISQUE 2"), internalColumn("code2", source.Text,
			"CODE RISQUE 2"),
		internalColumn("risk3", source.Text, "LIBELLE RISQUE 3"),
		// The code of the third risk is under the header of the second one.
		internalColumn("code3", source.Text, "CODE RISQUE 3", "CODE RISQUE 2#2"),
		riskDay("approved", "APPROBATION"),
		internalColumn("state", source.Text, "LIBELLE ETAT"),
		internalColumn("step", source.Text, "LIBELLE SOUS-ETAT"),
	}
	s.Reject = []source.Rule{source.UnknownCommune}
	s.Rows = strings.ReplaceAll(gasparPlanRows, "{kind}", kind)
	s.Target, s.Covers = source.FactLayer("risk_procedure"), source.Covers(layer)
	return s
}
