package income

import "arpent/api/stats"

// Income is the disposable income of the inhabitants of a territory, as the producer publishes it for that level.
type Income struct {
	stats.Envelope
	MedianIncome       *float64     `json:"medianIncome" doc:"Median disposable income per consumption unit, euros a year." example:"22280"`
	PovertyRate        *float64     `json:"povertyRate" doc:"Share of the inhabitants below 60 % of the national median, in percent. Published for larger communes only." example:"17"`
	D1                 *float64     `json:"d1" doc:"Income that the poorest tenth does not exceed, euros a year per consumption unit." example:"11890"`
	D9                 *float64     `json:"d9" doc:"Income that the richest tenth exceeds, euros a year per consumption unit." example:"36450"`
	InterdecileRatio   *float64     `json:"interdecileRatio" doc:"D9 divided by D1." example:"3.1"`
	Gini               *float64     `json:"gini" doc:"Gini index of inequality, from 0 (all have the same) to 1." example:"0.303"`
	TaxedHouseholdsPct *float64     `json:"taxedHouseholdsPct" doc:"Households that pay income tax, in percent." example:"50"`
	SocialBenefitsPct  *float64     `json:"socialBenefitsPct" doc:"Part of social benefits in disposable income, in percent." example:"7"`
	SocialMinimaPct    *float64     `json:"socialMinimaPct" doc:"Part of minimum benefits in disposable income, in percent." example:"3"`
	Status             *string      `json:"status" enum:"partial,secret,unavailable,merged,split" doc:"Why the median of the year is not told, as far as it is known. secret: too few households; merged and split: the producer has not published it for the territory of today. partial: the median is told, and others of the figures are not."`
	Timeline           []YearIncome `json:"timeline" doc:"One entry a year, oldest first."`
	SeriesBreaks       []int        `json:"seriesBreaks" doc:"Years that cannot be compared with those before."`
}

// YearIncome is a year of incomes.
type YearIncome struct {
	Year             int      `json:"year" doc:"Year of the incomes." example:"2021"`
	MedianIncome     *float64 `json:"medianIncome" doc:"Median disposable income per consumption unit, euros a year." example:"22280"`
	PovertyRate      *float64 `json:"povertyRate" doc:"Share of the inhabitants below 60 % of the national median, in percent." example:"17"`
	InterdecileRatio *float64 `json:"interdecileRatio" doc:"D9 divided by D1." example:"3.1"`
	D1               *float64 `json:"d1" doc:"Income that the poorest tenth does not exceed, euros a year per consumption unit." example:"11890"`
	D9               *float64 `json:"d9" doc:"Income that the richest tenth exceeds, euros a year per consumption unit." example:"36450"`
	Gini             *float64 `json:"gini" doc:"Gini index of inequality, from 0 (all have the same) to 1." example:"0.303"`
	Source           string   `json:"source" doc:"Producer and title of the data set of the year." example:"INSEE-DGFiP-Cnaf-Cnav-CCMSA, Filosofi, chiffres clés"`
}

// incomeBreaks are the years that begin a new series.
var incomeBreaks = []int{2023}

// incomeMeasures are what the block tells of a year.
var incomeMeasures = []string{IncomeMedian, IncomePovertyRate, IncomeD1, IncomeD9, IncomeRatio,
	IncomeGini, IncomeTaxed, IncomeSocialBenefits, IncomeSocialMinima}

// income tells of the newest year with a median. Figures of other years are never put beside it. Where every
// median is secret it says so.
func income(_ *stats.Data, t *stats.Territory) *Income {
	years := t.Years(incomeMeasures...)
	median := t.Latest(IncomeMedian)
	if len(years) == 0 && median.Status != stats.StatusSecret {
		return nil
	}
	newest := median.Period
	if median.Value == nil && len(years) > 0 {
		newest = years[len(years)-1]
	}
	told := incomeOf{t: t, period: newest}
	b := &Income{
		MedianIncome: told.of(IncomeMedian, 0), PovertyRate: told.of(IncomePovertyRate, 1),
		D1: told.of(IncomeD1, 0), D9: told.of(IncomeD9, 0), InterdecileRatio: told.of(IncomeRatio, 1),
		Gini: told.of(IncomeGini, 3), TaxedHouseholdsPct: told.of(IncomeTaxed, 1),
		SocialBenefitsPct: told.of(IncomeSocialBenefits, 1), SocialMinimaPct: told.of(IncomeSocialMinima, 1),
		Status: told.why(), Timeline: []YearIncome{}, SeriesBreaks: []int{},
	}
	for _, period := range t.Years(IncomeMedian, IncomePovertyRate, IncomeRatio) {
		one, figures := yearIncome(t, period)
		b.Timeline, told.figures = append(b.Timeline, one), append(told.figures, figures...)
	}
	for _, y := range incomeBreaks {
		if len(years) > 0 && stats.YearOf(years[len(years)-1]) >= y {
			b.SeriesBreaks = append(b.SeriesBreaks, y)
		}
	}
	b.Envelope = stats.EnvelopeOf(told.figures...)
	b.Year = stats.Year(newest)
	if b.Source == "" {
		b.Source = median.From.Label()
	}
	return b
}

func yearIncome(t *stats.Territory, period string) (YearIncome, []stats.Figure) {
	told := incomeOf{t: t, period: period}
	one := YearIncome{
		Year: stats.YearOf(period), MedianIncome: told.of(IncomeMedian, 0), PovertyRate: told.of(IncomePovertyRate, 1),
		InterdecileRatio: told.of(IncomeRatio, 1), D1: told.of(IncomeD1, 0), D9: told.of(IncomeD9, 0),
		Gini: told.of(IncomeGini, 3),
	}
	one.Source = stats.EnvelopeOf(told.figures...).Source
	return one, told.figures
}

// incomeOf reads the figures of a year, and remembers which.
type incomeOf struct {
	t       *stats.Territory
	period  string
	figures []stats.Figure
}

func (i *incomeOf) of(measure string, decimals int) *float64 {
	f := i.t.At(measure, i.period)
	i.figures = append(i.figures, f)
	return stats.Round(f.Value, decimals)
}

// why tells what is missing: the median, for the reason that is given, or only others.
func (i *incomeOf) why() *string {
	median := i.t.At(IncomeMedian, i.period)
	if median.Value == nil && median.Status != "" {
		return &median.Status
	}
	for _, f := range i.figures {
		if f.Value == nil && f.Status != "" {
			partial := "partial"
			return &partial
		}
	}
	return nil
}

func medianIncome(_ *stats.Data, t *stats.Territory) (*float64, *stats.Origin) {
	f := t.Latest(IncomeMedian)
	return stats.Round(f.Value, 0), stats.OriginOf(f)
}

func povertyRate(_ *stats.Data, t *stats.Territory) (*float64, *stats.Origin) {
	f := t.Latest(IncomePovertyRate)
	return stats.Round(f.Value, 1), stats.OriginOf(f)
}
