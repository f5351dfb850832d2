package income

import (
	"cmp"
	"slices"

	"arpent/internal/opendata/stats"
)

// Income is the disposable income of the inhabitants of a territory,
// as the producer publishes it for that level.
type Income struct {
	stats.Envelope
	MedianIncome       *float64     `json:"medianIncome" doc:"Median disposable income per consumption unit, euros a year." example:"22280"`
	PovertyRate        *float64     `json:"povertyRate" doc:"Share of the inhabitants below 60 % of the national median, in percent. Published for larger communes only." example:"17"`
	D1                 *float64     `json:"d1" doc:"First decile: upper limit of the income of the poorest tenth, euros a year per consumption unit." example:"11890"`
	D9                 *float64     `json:"d9" doc:"Ninth decile: lower limit of the income of the richest tenth, euros a year per consumption unit." example:"36450"`
	InterdecileRatio   *float64     `json:"interdecileRatio" doc:"D9 divided by D1." example:"3.1"`
	Gini               *float64     `json:"gini" doc:"Gini index of inequality, from 0 (all have the same) to 1." example:"0.303"`
	TaxedHouseholdsPct *float64     `json:"taxedHouseholdsPct" doc:"Households that pay income tax, in percent." example:"50"`
	SocialBenefitsPct  *float64     `json:"socialBenefitsPct" doc:"Share of social benefits in disposable income, in percent." example:"7"`
	SocialMinimaPct    *float64     `json:"socialMinimaPct" doc:"Share of minimum benefits in disposable income, in percent." example:"3"`
	Status             *string      `json:"status" enum:"partial,secret,unavailable,merged,split" doc:"Why the median of the year is missing, as far as it is known. secret: too few households; merged and split: the producer has not published it for the territory of today. partial: the median is known, but some of the other figures are not."`
	Timeline           []YearIncome `json:"timeline" doc:"One entry a year, oldest first."`
	SeriesBreaks       []int        `json:"seriesBreaks" doc:"Years that start a new series and cannot be compared with earlier ones."`

	unknown bool // no figure of any year is known: it is given for its status
}

// Unknown reports whether no figure of any year is known.
func (i *Income) Unknown() bool { return i.unknown }

// YearIncome is a year of incomes.
type YearIncome struct {
	Year             int      `json:"year" doc:"Year of the incomes." example:"2021"`
	MedianIncome     *float64 `json:"medianIncome" doc:"Median disposable income per consumption unit, euros a year." example:"22280"`
	PovertyRate      *float64 `json:"povertyRate" doc:"Share of the inhabitants below 60 % of the national median, in percent." example:"17"`
	InterdecileRatio *float64 `json:"interdecileRatio" doc:"D9 divided by D1." example:"3.1"`
	D1               *float64 `json:"d1" doc:"First decile: upper limit of the income of the poorest tenth, euros a year per consumption unit." example:"11890"`
	D9               *float64 `json:"d9" doc:"Ninth decile: lower limit of the income of the richest tenth, euros a year per consumption unit." example:"36450"`
	Gini             *float64 `json:"gini" doc:"Gini index of inequality, from 0 (all have the same) to 1. Of départements and régions the files of 2014 and 2015 have one decimal." example:"0.303"`
	Source           string   `json:"source" doc:"Producer and title of the data set of the year." example:"INSEE-DGFiP-Cnaf-Cnav-CCMSA, Filosofi, chiffres clés"`
}

// incomeBreaks are the years that start a new series.
var incomeBreaks = []int{2023}

// incomeMeasures are the measures shown for a year.
var incomeMeasures = []string{IncomeMedian, IncomePovertyRate, IncomeD1, IncomeD9, IncomeRatio,
	IncomeGini, IncomeTaxed, IncomeSocialBenefits, IncomeSocialMinima}

// explainedStatuses are the reasons for which a block without any figure says why there is
// none: in these places the producer has looked.
var explainedStatuses = []string{stats.StatusSecret, "merged", "split"}

// buildIncome returns the newest year with a median. Figures of different years are never combined. Where
// there is no median of any year the status says why.
func buildIncome(_ *stats.Data, t *stats.Territory) *Income {
	years := t.Years(incomeMeasures...)
	median := t.Latest(IncomeMedian)
	if len(years) == 0 && !slices.Contains(explainedStatuses, median.Status) {
		return nil
	}
	newest := median.Period
	if median.Value == nil && len(years) > 0 {
		newest = years[len(years)-1]
	}
	read := incomeReader{t: t, period: newest}
	b := &Income{
		MedianIncome: read.readFigure(IncomeMedian, 0), PovertyRate: read.readFigure(IncomePovertyRate, 1),
		D1: read.readFigure(IncomeD1, 0), D9: read.readFigure(IncomeD9, 0),
		InterdecileRatio: read.readFigure(IncomeRatio, 1),
		Gini:             read.readFigure(IncomeGini, 3), TaxedHouseholdsPct: read.readFigure(IncomeTaxed, 1),
		SocialBenefitsPct: read.readFigure(IncomeSocialBenefits, 1),
		SocialMinimaPct:   read.readFigure(IncomeSocialMinima, 1),
		Status:            read.missingReason(), Timeline: []YearIncome{}, SeriesBreaks: []int{},
		unknown: len(years) == 0,
	}
	for _, period := range t.Years(IncomeMedian, IncomePovertyRate, IncomeRatio) {
		one, figures := yearIncome(t, period)
		b.Timeline, read.figures = append(b.Timeline, one), append(read.figures, figures...)
	}
	for _, y := range incomeBreaks {
		if len(years) > 0 && stats.YearOf(years[len(years)-1]) >= y {
			b.SeriesBreaks = append(b.SeriesBreaks, y)
		}
	}
	b.Envelope = stats.EnvelopeOf(read.figures...)
	b.Year = stats.Year(newest)
	b.Source = cmp.Or(b.Source, median.From.Label())
	return b
}

func yearIncome(t *stats.Territory, period string) (YearIncome, []stats.Figure) {
	read := incomeReader{t: t, period: period}
	one := YearIncome{
		Year: stats.YearOf(period), MedianIncome: read.readFigure(IncomeMedian, 0),
		PovertyRate:      read.readFigure(IncomePovertyRate, 1),
		InterdecileRatio: read.readFigure(IncomeRatio, 1), D1: read.readFigure(IncomeD1, 0),
		D9:   read.readFigure(IncomeD9, 0),
		Gini: read.readFigure(IncomeGini, 3),
	}
	one.Source = stats.EnvelopeOf(read.figures...).Source
	return one, read.figures
}

// incomeReader reads the figures of a year and records them.
type incomeReader struct {
	t       *stats.Territory
	period  string
	figures []stats.Figure
}

// readFigure returns a figure of the period, rounded, and keeps it for the source of the value.
func (i *incomeReader) readFigure(measure string, decimals int) *float64 {
	f := i.t.At(measure, i.period)
	i.figures = append(i.figures, f)
	return stats.Round(f.Value, decimals)
}

// missingReason returns the status of the median if that is missing, partial if only other figures are, else
// nil.
func (i *incomeReader) missingReason() *string {
	median := i.t.At(IncomeMedian, i.period)
	if median.Value == nil && median.Status != "" {
		return &median.Status
	}
	for _, f := range i.figures {
		if f.Value == nil && f.Status != "" {
			return new("partial")
		}
	}
	return nil
}
