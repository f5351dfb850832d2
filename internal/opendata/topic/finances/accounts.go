package finances

import "arpent/internal/opendata/stats"

// FinanceYear holds the accounts of one year.
type FinanceYear struct {
	Year                  int                  `json:"year" doc:"Financial year (exercice)."`
	Population            *int                 `json:"population" doc:"Population used for the amounts per inhabitant, as published by the producer for that year."`
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
	DebtCapacityYears     *float64             `json:"debtCapacityYears" doc:"Years of gross saving needed to repay the debt; null where there is no saving."`
	SavingRatePct         *float64             `json:"savingRatePct" doc:"Gross saving in percent of operating revenue; null where there is no saving."`
}

// FinancePerInhabitant holds accounts in euros per inhabitant.
type FinancePerInhabitant struct {
	OperatingRevenue      *float64 `json:"operatingRevenue" doc:"Euros per inhabitant."`
	OperatingExpenditure  *float64 `json:"operatingExpenditure" doc:"Euros per inhabitant."`
	InvestmentExpenditure *float64 `json:"investmentExpenditure" doc:"Euros per inhabitant."`
	GrossSaving           *float64 `json:"grossSaving" doc:"Euros per inhabitant."`
	Debt                  *float64 `json:"debt" doc:"Euros per inhabitant."`
	StaffCosts            *float64 `json:"staffCosts" doc:"Euros per inhabitant."`
	LocalTaxes            *float64 `json:"localTaxes" doc:"Euros per inhabitant."`
}

// accountMeasures are the measures of a year of accounts; without any of them the year is left out.
var accountMeasures = listAccountMeasures()

func listAccountMeasures() (all []string) {
	for _, a := range accounts {
		all = append(all, a.Measure)
	}
	return all
}

// buildFinances returns the accounts of the authority of a territory. Those of a département or
// région are its own, never the sum of others.
func buildFinances(_ *stats.Data, t *stats.Territory) (*[]FinanceYear, *stats.Origin) {
	var out []FinanceYear
	var figures []stats.Figure
	for _, period := range t.Years(accountMeasures...) {
		out = append(out, financeYear(t, period))
		for _, m := range accountMeasures {
			figures = append(figures, t.At(m, period))
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return &out, stats.OriginOf(figures...)
}

func financeYear(t *stats.Territory, period string) FinanceYear {
	at := func(measure string) *float64 { return t.At(measure, period).Value }
	inhabitants := at(FinancesPopulation)
	per := func(measure string) *float64 { return stats.Ratio(at(measure), inhabitants, 1, 2) }
	y := FinanceYear{
		Year: stats.YearOf(period), Population: stats.Whole(inhabitants),
		OperatingRevenue:      stats.Whole(at(FinancesOperatingRevenue)),
		OperatingExpenditure:  stats.Whole(at(FinancesOperatingSpending)),
		InvestmentExpenditure: stats.Whole(at(FinancesInvestmentSpending)),
		GrossSaving:           stats.Whole(at(FinancesGrossSaving)),
		NetSaving:             stats.Whole(at(FinancesNetSaving)),
		Debt:                  stats.Whole(at(FinancesDebt)),
		DebtService:           stats.Whole(at(FinancesDebtService)),
		StaffCosts:            stats.Whole(at(FinancesStaffCosts)),
		LocalTaxes:            stats.Whole(at(FinancesLocalTaxes)),
		PerInhabitant: FinancePerInhabitant{
			OperatingRevenue: per(FinancesOperatingRevenue), OperatingExpenditure: per(FinancesOperatingSpending),
			InvestmentExpenditure: per(FinancesInvestmentSpending), GrossSaving: per(FinancesGrossSaving),
			Debt: per(FinancesDebt), StaffCosts: per(FinancesStaffCosts), LocalTaxes: per(FinancesLocalTaxes),
		},
	}
	if saving := at(FinancesGrossSaving); saving != nil && *saving > 0 {
		y.DebtCapacityYears = stats.Ratio(at(FinancesDebt), saving, 1, 1)
		y.SavingRatePct = stats.Share(saving, at(FinancesOperatingRevenue))
	}
	return y
}
