package stats_test

import (
	"strings"
	"testing"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

const (
	accountsHeader = "\ufeffexer;reg_code;dep_code;com_code;com_name;siren;insee;categ;agregat;montant;montant_bp;euros_par_habitant;ptot\n"
	accountsFile   = "ofgl/ofgl-base-communes-consolidee-2023.csv"
	accountsNamed  = "\ufeffExercice;Code Insee 2024 Région;Code Insee 2024 Commune;Code Siren Collectivité;Agrégat;Montant;Population totale\n"
)

// account writes lines of one authority: amounts by aggregate.
func account(code, siren, people string, amounts ...string) string {
	var b strings.Builder
	for _, line := range amounts {
		aggregate, amount, _ := strings.Cut(line, "=")
		b.WriteString("2023;11;93;" + code + ";Nom;" + siren + ";" + code + ";COM;" + aggregate + ";" + amount + ";;;" + people + "\n")
	}
	return b.String()
}

// The accounts of a commune are those of its authority; the ratios are of the same year; a
// commune nouvelle has a line for each authority of before, which are added up; where nothing
// is saved there is no time to pay debt back.
func TestFinancesOfCommunes(t *testing.T) {
	b := newFixture(t)
	b.load("finances-communes", accountsFile, accountsHeader+
		account("93010", "219300100", "53000", "Recettes de fonctionnement=106000000.4", "Dépenses de fonctionnement=95400000.4", "Epargne brute=10600000",
			"Épargne nette=5300000", "Encours de dette=53000000", "Annuité de la dette=", "Frais de personnel=60000000", "Dépenses d’investissement=0", "Achats et charges externes=7")+
		account("91001", "210000011", "300", "Recettes de fonctionnement=600", "Encours de dette=0", "Impôts locaux=100")+
		account("91001", "210000022", "200", "Recettes de fonctionnement=400", "Encours de dette=50", "Impôts locaux=")+
		account("2A247", "212000000", "12000", "Recettes de fonctionnement=1000", "Dépenses de fonctionnement=1100", "Epargne brute=-100", "Encours de dette=5000")+
		account("75056", "217500016", "2100000", "Encours de dette=2100000"))
	b.wants(stats.Commune, "93010", "finances", `[{"year": 2023, "population": 53000, "operatingRevenue": 106000000, "operatingExpenditure": 95400000,
		"investmentExpenditure": 0, "grossSaving": 10600000, "netSaving": 5300000, "debt": 53000000, "debtService": null, "staffCosts": 60000000, "localTaxes": null,
		"perInhabitant": {"operatingRevenue": 2000, "operatingExpenditure": 1800, "investmentExpenditure": 0, "grossSaving": 200, "debt": 1000, "staffCosts": 1132.08, "localTaxes": null},
		"debtCapacityYears": 5, "savingRatePct": 10}]`)
	b.wants(stats.Commune, "91001", "finances", `[{"year": 2023, "population": 500, "operatingRevenue": 1000, "operatingExpenditure": null,
		"investmentExpenditure": null, "grossSaving": null, "netSaving": null, "debt": 50, "debtService": null, "staffCosts": null, "localTaxes": null,
		"perInhabitant": {"operatingRevenue": 2, "operatingExpenditure": null, "investmentExpenditure": null, "grossSaving": null, "debt": 0.1, "staffCosts": null, "localTaxes": null},
		"debtCapacityYears": null, "savingRatePct": null}]`)
	loss := b.block(stats.Commune, "2A247", "finances")
	if !strings.Contains(loss, `"grossSaving":-100`) || !strings.Contains(loss, `"debtCapacityYears":null,"savingRatePct":null`) {
		t.Errorf("a commune that saves nothing shows %s", loss)
	}
	for _, c := range []struct {
		level     stats.Level
		code, key string
	}{{stats.Commune, "97411", "finances"}, {stats.Departement, "93", "finances"}, {stats.Region, "11", "finances"}} {
		b.wants(c.level, c.code, c.key, "null") // others' accounts are never added up to theirs
	}
	same(t, "sources", b.block(stats.Commune, "75056", "sources"), `{"finances": {"source": "OFGL (d'après DGFiP), Base consolidée des comptes des communes", "year": 2023}}`)
}

// Départements and régions have accounts of their own; an authority that is not that of the département is
// not taken for it. Headers may be labels that carry the year.
func TestFinancesOfLargerTerritories(t *testing.T) {
	b := newFixture(t)
	header := "exer;dep_code;siren;agregat;montant;ptot\n"
	b.load("finances-departements", "ofgl-base-departements-consolidee.csv", header+
		"2022;93;229300082;Encours de dette;1000000;1000\n2023;93;229300082;Encours de dette;2000000;1000\n"+
		"2014;69;226900011;Encours de dette;5;10\n2023;69;226900012;Encours de dette;7;10\n2023;2A;200076958;Encours de dette;7;10\n2023;20R;200076958;Encours de dette;7;10\n")
	b.load("finances-regions", "ofgl-base-regions-consolidee.csv", strings.Replace(accountsNamed, "Code Insee 2024 Commune;", "", 1)+
		"2023;11;237500079;Encours de dette;6000000000;12000000\n2023;4;239740012;Encours de dette;900000;900000\n")
	for _, c := range []struct {
		level      stats.Level
		code, want string
	}{
		{stats.Departement, "93", `"debt":2000000`}, {stats.Departement, "93", `"year":2022`}, {stats.Departement, "69", `"year":2014`},
		{stats.Region, "11", `"debt":500,`}, {stats.Region, "04", `"debt":900000,`},
	} {
		b.hasParts(c.level, c.code, "finances", c.want)
	}
	if rhone := b.block(stats.Departement, "69", "finances"); strings.Contains(rhone, "2023") {
		t.Errorf("the authority next to the métropole is taken for the département: %s", rhone)
	}
	b.wants(stats.Departement, "2A", "finances", "null")
}

// Another exercise, budgets apart, accounts that do not add up and a file of something else are refused.
func TestFinanceFilesThatAreRefused(t *testing.T) {
	b := newFixture(t)
	good := accountsNamed + "2023;11;93010;219300100;Encours de dette;1000;100\n"
	b.load("finances-communes", accountsFile, good)
	before := b.block(stats.Commune, "93010", "finances")
	for name, c := range map[string]struct{ content, reason string }{
		"another exercise": {strings.Replace(good, "2023;11", "2022;11", 1), "its name says 2023"},
		"unknown commune":  {strings.Replace(good, "93010", "93999", 1), "no commune has code"},
		"another header":   {strings.Replace(good, "Agrégat", "Agregate", 1), "no agregat"},
		"cut off":          {good + "2023;11;93066;21930", "cut off"},
		"of another base":  {"exer;epci_code;siren;agregat;montant;ptot\n2023;200054781;200054781;Encours de dette;1;1\n", "no code"},
		"budgets apart": {"exer;com_code;siren;agregat;montant;ptot;type_de_budget\n2023;93010;1;Encours de dette;1;1;Budget principal\n" +
			"2023;93010;2;Encours de dette;1;1;Budget annexe\n", "not the consolidated base"},
		"not adding up": {accountsHeader + account("93010", "1", "10", "Recettes de fonctionnement=100", "Dépenses de fonctionnement=50", "Epargne brute=10"),
			"not operating revenue less expenditure"},
	} {
		b.write(accountsFile, c.content)
		if _, err := b.try("finances-communes", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, expected a refusal that says %q", name, err, c.reason)
		}
	}
	if after := b.block(stats.Commune, "93010", "finances"); after != before {
		t.Errorf("a refused file changed what is served: %s", after)
	}
}
