package water

import (
	"cmp"
	"slices"
	"time"

	"arpent/internal/opendata/stats"
)

// WaterQuality is the sanitary control of the tap water of a commune.
type WaterQuality struct {
	stats.Envelope
	PeriodStart               string         `json:"periodStart" format:"date" doc:"First day of the period: the twelve months up to the newest sample in the data."`
	PeriodEnd                 string         `json:"periodEnd" format:"date" doc:"Last day of the period."`
	Networks                  []WaterNetwork `json:"networks" doc:"Networks that serve the commune, the one with the most samples first."`
	Samples                   int            `json:"samples" minimum:"1" doc:"Samples of its networks in the period; a sample shared by several networks counts once."`
	BacteriologicalConformity *float64       `json:"bacteriologicalConformityPct" minimum:"0" maximum:"100" doc:"Share of compliant samples among those assessed for bacteria, in percent; a dispensation is not compliance. Null when none was assessed."`
	ChemicalConformity        *float64       `json:"chemicalConformityPct" minimum:"0" maximum:"100" doc:"The same for chemical limits, in percent."`
	Nitrates                  *Nitrates      `json:"nitrates" doc:"Nitrates; null when not analysed."`
	Pesticides                *Pesticides    `json:"pesticides" doc:"Total pesticides; null when there is no result. Single substances, whose limit is 0.1 µg/L, are not included: chemicalConformityPct reflects them."`
	Lead                      *Lead          `json:"lead" doc:"Lead; null when not analysed."`
	LastSample                string         `json:"lastSample" format:"date" doc:"Date of the last sample."`
}

// WaterNetwork is a network of tap water.
type WaterNetwork struct {
	Code                      string             `json:"code" example:"034001234" doc:"Number of the network in SISE-Eaux."`
	Name                      *string            `json:"name" doc:"Its name in SISE-Eaux; null where the file has none." example:"MONTPELLIER"`
	Samples                   int                `json:"samples" minimum:"0" doc:"Samples in the period."`
	BacteriologicalConformity *float64           `json:"bacteriologicalConformityPct" minimum:"0" maximum:"100" doc:"Share of compliant samples among those assessed for bacteria, in percent. Null when none was assessed."`
	ChemicalConformity        *float64           `json:"chemicalConformityPct" minimum:"0" maximum:"100" doc:"The same for chemical limits, in percent."`
	Served                    *NetworkPopulation `json:"served" doc:"Inhabitants served by the whole network, in all of its communes; null where it is not known."`
}

// NetworkPopulation is the number of inhabitants served by a network.
type NetworkPopulation struct {
	Inhabitants int    `json:"inhabitants" minimum:"1" example:"2833" doc:"Number of inhabitants."`
	Source      string `json:"source" doc:"Producer and title of the data set, which gives no year."`
}

// Quantified counts the results below the limit of quantification.
type Quantified struct {
	Results int `json:"results" minimum:"1" doc:"Results in the period."`
	Below   int `json:"belowQuantification" minimum:"0" doc:"Number of these below the limit of quantification."`
}

// Nitrates in a period.
type Nitrates struct {
	Quantified
	MeanMgL   float64  `json:"meanMgL" minimum:"0" doc:"Mean in mg/L. Results below the limit of quantification count as half of it (directive 2009/90/EC, article 5)."`
	MaxMgL    *float64 `json:"maxMgL" minimum:"0" doc:"Highest result in mg/L; null when all are below the limit of quantification."`
	LimitMgL  float64  `json:"limitMgL" doc:"Quality limit, in mg/L."`
	Compliant *bool    `json:"compliant" doc:"Whether no result is above the limit; null when a limit of quantification was above it."`
}

// Pesticides in total, in a period.
type Pesticides struct {
	Quantified
	Exceedances int      `json:"exceedances" minimum:"0" doc:"Results above the limit."`
	MaxUgL      *float64 `json:"maxUgL" minimum:"0" doc:"Highest result in µg/L; null when all are below the limit of quantification."`
	LimitUgL    float64  `json:"limitUgL" doc:"Quality limit of the total, in µg/L."`
	Compliant   *bool    `json:"compliant" doc:"Whether no result is above the limit."`
}

// Lead in a period.
type Lead struct {
	Quantified
	MaxUgL    *float64 `json:"maxUgL" minimum:"0" doc:"Highest result in µg/L; null when all are below the limit of quantification."`
	LimitUgL  float64  `json:"limitUgL" doc:"Quality limit, in µg/L."`
	Compliant *bool    `json:"compliant" doc:"Whether no result is above the limit."`
}

// Quality limits of tap water.
const (
	LimitNitratesMgL   = 50
	LimitLeadUgL       = 10
	LimitPesticidesUgL = 0.5
)

// waterSample is a sample, possibly shared by several networks.
type waterSample struct {
	sampled                    time.Time
	bacteriological, chemical  string // C, N, S, D or none
	nitrates, lead, pesticides waterResult
}

// waterResult is a value, or the limit that it is below.
type waterResult struct{ value, below *float64 }

// compliance counts the samples assessed, and the compliant ones.
type compliance struct{ compliant, assessed float64 }

func (c *compliance) addSample(status string) {
	switch status {
	case "C":
		c.compliant++
		c.assessed++
	case "N", "D":
		c.assessed++
	}
}

func (c compliance) sharePct() *float64 { return stats.Share(&c.compliant, &c.assessed) }

func conformityShares(samples []*waterSample) (bacteriological, chemical *float64) {
	var bacteria, chemistry compliance
	for _, s := range samples {
		bacteria.addSample(s.bacteriological)
		chemistry.addSample(s.chemical)
	}
	return bacteria.sharePct(), chemistry.sharePct()
}

type resultSummary struct {
	Quantified
	sum         float64
	maxValue    *float64
	exceedances int
	isUnclear   bool // a limit of quantification was above the quality limit
}

func summarizeResults(samples []*waterSample, limit float64, of func(*waterSample) waterResult) (m resultSummary) {
	for _, s := range samples {
		r := of(s)
		switch {
		case r.value != nil:
			m.sum += *r.value
			if m.maxValue == nil || *r.value > *m.maxValue {
				m.maxValue = r.value
			}
			if *r.value > limit {
				m.exceedances++
			}
		case r.below != nil:
			m.Below++
			m.sum += *r.below / 2
			m.isUnclear = m.isUnclear || *r.below > limit
		default:
			continue
		}
		m.Results++
	}
	return m
}

func (m resultSummary) isCompliant() *bool {
	if m.exceedances == 0 && m.isUnclear {
		return nil
	}
	return new(m.exceedances == 0)
}

// waterQuality returns nil where no sample is known: no control does not mean compliance.
func waterQuality(d *stats.Data, t *stats.Territory) *WaterQuality {
	w := controlSlot.Of(d)
	if w == nil {
		return nil
	}
	networks := w.networks[t.Code]
	out := WaterQuality{PeriodStart: w.start, PeriodEnd: w.end, Networks: []WaterNetwork{}}
	var samples []*waterSample
	seen := map[*waterSample]bool{}
	var from []stats.Figure
	one := 1.0
	for _, n := range networks {
		own := w.samples[n.code]
		for _, s := range own {
			if !seen[s] {
				seen[s] = true
				samples = append(samples, s)
			}
		}
		network := WaterNetwork{Code: n.code, Name: n.name, Samples: len(own), Served: w.served[n.code]}
		network.BacteriologicalConformity, network.ChemicalConformity = conformityShares(own)
		out.Networks = append(out.Networks, network)
		from = append(from, stats.Figure{Value: &one, From: n.from})
	}
	if len(samples) == 0 {
		return nil
	}
	slices.SortFunc(out.Networks, func(a, b WaterNetwork) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Code, b.Code))
	})
	var last time.Time
	for _, s := range samples {
		if s.sampled.After(last) {
			last = s.sampled
		}
	}
	out.Samples, out.LastSample = len(samples), last.Format(time.DateOnly)
	out.BacteriologicalConformity, out.ChemicalConformity = conformityShares(samples)
	m := summarizeResults(samples, LimitNitratesMgL, func(s *waterSample) waterResult { return s.nitrates })
	if m.Results > 0 {
		out.Nitrates = &Nitrates{m.Quantified, *stats.Round(new(m.sum/float64(m.Results)), 2),
			stats.Round(m.maxValue, 2), LimitNitratesMgL, m.isCompliant()}
	}
	m = summarizeResults(samples, LimitPesticidesUgL, func(s *waterSample) waterResult { return s.pesticides })
	if m.Results > 0 {
		out.Pesticides = &Pesticides{m.Quantified, m.exceedances, stats.Round(m.maxValue, 3), LimitPesticidesUgL,
			m.isCompliant()}
	}
	m = summarizeResults(samples, LimitLeadUgL, func(s *waterSample) waterResult { return s.lead })
	if m.Results > 0 {
		out.Lead = &Lead{m.Quantified, stats.Round(m.maxValue, 2), LimitLeadUgL, m.isCompliant()}
	}
	out.Envelope = stats.EnvelopeOf(append(from, stats.Figure{Value: &one, From: w.from, Period: w.end})...)
	return &out
}
