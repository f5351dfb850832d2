package stats

import "arpent/api/topic/finances"

// FinanceYear is the accounts of one year.
type FinanceYear struct {
	Year                  int                  `json:"year" doc:"Exercise."`
	Population            *int                 `json:"population" doc:"Inhabitants that the amounts per inhabitant are for, those of the producer for that year."`
	OperatingRevenue      *int                 `json:"operatingRevenue" doc:"Recettes de fonctionnement, in euros."`
	OperatingExpenditure  *int                 `json:"operatingExpenditure" doc:"Dépenses de fonctionnement, in euros."`
	InvestmentExpenditure *int                 `json:"investmentExpenditure" doc:"Dépenses d'investissement, in euros."`
	GrossSaving           *int                 `json:"grossSaving" doc:"Épargne brute, in euros."`
	NetSaving             *int                 `json:"netSaving" doc:"Épargne nette, in euros."`
	Debt                  *int                 `json:"debt" doc:"Encours de dette, in euros."`
	DebtService           *int                 `json:"debtService" doc:"Annuité de la dette, in euros."`
	StaffCosts            *int                 `json:"staffCosts" doc:"Frais de personnel, in euros."`
	LocalTaxes            *int                 `json:"localTaxes" doc:"Impôts locaux, in euros."`
	PerInhabitant         FinancePerInhabitant `json:"perInhabitant" doc:"The same amounts per inhabitant."`
	DebtCapacityYears     *float64             `json:"debtCapacityYears" doc:"Years that gross saving would take to pay the debt back; null where there is no saving."`
	SavingRatePct         *float64             `json:"savingRatePct" doc:"Gross saving in percent of operating revenue; null where there is no saving."`
}

// FinancePerInhabitant is accounts in euros per inhabitant.
type FinancePerInhabitant struct {
	OperatingRevenue      *float64 `json:"operatingRevenue" doc:"Euros per inhabitant."`
	OperatingExpenditure  *float64 `json:"operatingExpenditure" doc:"Euros per inhabitant."`
	InvestmentExpenditure *float64 `json:"investmentExpenditure" doc:"Euros per inhabitant."`
	GrossSaving           *float64 `json:"grossSaving" doc:"Euros per inhabitant."`
	Debt                  *float64 `json:"debt" doc:"Euros per inhabitant."`
	StaffCosts            *float64 `json:"staffCosts" doc:"Euros per inhabitant."`
	LocalTaxes            *float64 `json:"localTaxes" doc:"Euros per inhabitant."`
}

// accountMeasures are what a year of accounts is told by; without one of them there is no entry.
var accountMeasures = []string{
	finances.FinancesOperatingRevenue, finances.FinancesOperatingSpending, finances.FinancesInvestmentSpending,
	finances.FinancesGrossSaving, finances.FinancesNetSaving, finances.FinancesDebt, finances.FinancesDebtService,
	finances.FinancesStaffCosts, finances.FinancesLocalTaxes,
}

// finances are the accounts of the authority of a territory. Those of a département or région are its own, never the
// sum of others.
func financesBlock(_ *Data, t *Territory) (*[]FinanceYear, *Origin) {
	var out []FinanceYear
	var figures []Figure
	for _, period := range t.years(accountMeasures...) {
		out = append(out, financeYear(t, period))
		for _, m := range accountMeasures {
			figures = append(figures, t.At(m, period))
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	e := envelopeOf(figures...)
	return &out, &Origin{Source: e.Source, Year: e.Year}
}

func financeYear(t *Territory, period string) FinanceYear {
	at := func(measure string) *float64 { return t.At(measure, period).Value }
	inhabitants := at(finances.FinancesPopulation)
	per := func(measure string) *float64 { return ratio(at(measure), inhabitants, 1, 2) }
	y := FinanceYear{
		Year: yearOf(period), Population: whole(inhabitants),
		OperatingRevenue:      whole(at(finances.FinancesOperatingRevenue)),
		OperatingExpenditure:  whole(at(finances.FinancesOperatingSpending)),
		InvestmentExpenditure: whole(at(finances.FinancesInvestmentSpending)),
		GrossSaving:           whole(at(finances.FinancesGrossSaving)),
		NetSaving:             whole(at(finances.FinancesNetSaving)),
		Debt:                  whole(at(finances.FinancesDebt)),
		DebtService:           whole(at(finances.FinancesDebtService)),
		StaffCosts:            whole(at(finances.FinancesStaffCosts)),
		LocalTaxes:            whole(at(finances.FinancesLocalTaxes)),
		PerInhabitant: FinancePerInhabitant{
			OperatingRevenue: per(finances.FinancesOperatingRevenue), OperatingExpenditure: per(finances.FinancesOperatingSpending),
			InvestmentExpenditure: per(finances.FinancesInvestmentSpending), GrossSaving: per(finances.FinancesGrossSaving),
			Debt: per(finances.FinancesDebt), StaffCosts: per(finances.FinancesStaffCosts), LocalTaxes: per(finances.FinancesLocalTaxes),
		},
	}
	if saving := at(finances.FinancesGrossSaving); saving != nil && *saving > 0 {
		y.DebtCapacityYears = ratio(at(finances.FinancesDebt), saving, 1, 1)
		y.SavingRatePct = share(saving, at(finances.FinancesOperatingRevenue))
	}
	return y
}
