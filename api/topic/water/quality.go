package water

import (
	"time"

	"arpent/api/stats"
)

// WaterQuality is the sanitary control of the tap water of a commune.
type WaterQuality struct {
	stats.Envelope
	PeriodStart               string         `json:"periodStart" format:"date" doc:"First day of the period: twelve months that end with the newest sample of all of the data."`
	PeriodEnd                 string         `json:"periodEnd" format:"date" doc:"Its last day."`
	Networks                  []WaterNetwork `json:"networks" doc:"Networks that serve the commune, most sampled first."`
	Samples                   int            `json:"samples" minimum:"1" doc:"Samples of its networks in the period; one that speaks for several networks counts once."`
	BacteriologicalConformity *float64       `json:"bacteriologicalConformityPct" minimum:"0" maximum:"100" doc:"Share of the samples judged on bacteria that conform, in percent; a dispensation is no conformity. Null when none was judged."`
	ChemicalConformity        *float64       `json:"chemicalConformityPct" minimum:"0" maximum:"100" doc:"The same for chemical limits, in percent."`
	Nitrates                  *Nitrates      `json:"nitrates" doc:"Nitrates; null when they were not looked for."`
	Pesticides                *Pesticides    `json:"pesticides" doc:"Pesticides in total; null when there is no result. Single substances, whose limit is 0.1 µg/L, are not read: chemicalConformityPct counts them."`
	Lead                      *Lead          `json:"lead" doc:"Lead; null when it was not looked for."`
	LastSample                string         `json:"lastSample" format:"date" doc:"Day of the last sample."`
}

// WaterNetwork is a network of tap water.
type WaterNetwork struct {
	Code                      string             `json:"code" example:"034001234" doc:"Number of the network in SISE-Eaux."`
	Name                      *string            `json:"name" doc:"Its name in SISE-Eaux; null where the file has none." example:"MONTPELLIER"`
	Samples                   int                `json:"samples" minimum:"0" doc:"Samples in the period."`
	BacteriologicalConformity *float64           `json:"bacteriologicalConformityPct" minimum:"0" maximum:"100" doc:"Share of the samples judged on bacteria that conform, in percent. Null when none was judged."`
	ChemicalConformity        *float64           `json:"chemicalConformityPct" minimum:"0" maximum:"100" doc:"The same for chemical limits, in percent."`
	Served                    *NetworkPopulation `json:"served" doc:"Inhabitants that the whole network serves, in all of its communes; null where it is not known."`
}

// NetworkPopulation is how many inhabitants a network serves.
type NetworkPopulation struct {
	Inhabitants int    `json:"inhabitants" minimum:"1" example:"2833" doc:"Number of inhabitants."`
	Source      string `json:"source" doc:"Producer and title of the data set, which does not tell the year."`
}

// Quantified tells of how many results the laboratory could not measure.
type Quantified struct {
	Results int `json:"results" minimum:"1" doc:"Results in the period."`
	Below   int `json:"belowQuantification" minimum:"0" doc:"Of these, below what the laboratory can measure."`
}

// Nitrates in a period.
type Nitrates struct {
	Quantified
	MeanMgL   float64  `json:"meanMgL" minimum:"0" doc:"Mean in mg/L. Results below what the laboratory can measure count half of that (directive 2009/90/EC, article 5)."`
	MaxMgL    *float64 `json:"maxMgL" minimum:"0" doc:"Greatest result in mg/L; null when all are below what the laboratory can measure."`
	LimitMgL  float64  `json:"limitMgL" doc:"Limit of quality, in mg/l."`
	Compliant *bool    `json:"compliant" doc:"Whether no result is above the limit; null when a laboratory could not measure as little as the limit."`
}

// Pesticides in total, in a period.
type Pesticides struct {
	Quantified
	Exceedances int      `json:"exceedances" minimum:"0" doc:"Results above the limit."`
	MaxUgL      *float64 `json:"maxUgL" minimum:"0" doc:"Greatest result in µg/L; null when all are below what the laboratory can measure."`
	LimitUgL    float64  `json:"limitUgL" doc:"Limit of quality of the total, in µg/l."`
	Compliant   *bool    `json:"compliant" doc:"Whether no result is above the limit."`
}

// Lead in a period.
type Lead struct {
	Quantified
	MaxUgL    *float64 `json:"maxUgL" minimum:"0" doc:"Greatest result in µg/L; null when all are below what the laboratory can measure."`
	LimitUgL  float64  `json:"limitUgL" doc:"Limit of quality, in µg/l."`
	Compliant *bool    `json:"compliant" doc:"Whether no result is above the limit."`
}

// Limits of quality of tap water.
const (
	LimitNitratesMgL   = 50
	LimitLeadUgL       = 10
	LimitPesticidesUgL = 0.5
)

// waterSample is a sample, whatever the number of networks that it speaks for.
type waterSample struct {
	sampled                    time.Time
	bacteriological, chemical  string // C, N, S, D or none
	nitrates, lead, pesticides waterResult
}

// waterResult is a value, or what it is below.
type waterResult struct{ value, below *float64 }

// verdicts counts samples.
type verdicts struct{ conform, judged float64 }

func (v *verdicts) add(verdict string) {
	switch verdict {
	case "C":
		v.conform++
		v.judged++
	case "N", "D":
		v.judged++
	}
}

func (v verdicts) share() *float64 { return stats.Share(&v.conform, &v.judged) }

// conformity gives the shares of samples that conform.
func conformity(samples []*waterSample) (bacteriological, chemical *float64) {
	var b, c verdicts
	for _, s := range samples {
		b.add(s.bacteriological)
		c.add(s.chemical)
	}
	return b.share(), c.share()
}

// measured is what the results of a parameter come to.
type measured struct {
	Quantified
	sum         float64
	most        *float64
	exceedances int
	unclear     bool // a laboratory could not measure as little as the limit
}

func measure(samples []*waterSample, of func(*waterSample) waterResult, limit float64) (m measured) {
	for _, s := range samples {
		r := of(s)
		switch {
		case r.value != nil:
			m.sum += *r.value
			if m.most == nil || *r.value > *m.most {
				m.most = r.value
			}
			if *r.value > limit {
				m.exceedances++
			}
		case r.below != nil:
			m.Below++
			m.sum += *r.below / 2
			m.unclear = m.unclear || *r.below > limit
		default:
			continue
		}
		m.Results++
	}
	return m
}

func (m measured) compliant() *bool {
	if m.exceedances == 0 && m.unclear {
		return nil
	}
	yes := m.exceedances == 0
	return &yes
}

func nitrates(samples []*waterSample) *Nitrates {
	m := measure(samples, func(s *waterSample) waterResult { return s.nitrates }, LimitNitratesMgL)
	if m.Results == 0 {
		return nil
	}
	mean := m.sum / float64(m.Results)
	return &Nitrates{m.Quantified, *stats.Round(&mean, 2), stats.Round(m.most, 2), LimitNitratesMgL, m.compliant()}
}

func pesticides(samples []*waterSample) *Pesticides {
	m := measure(samples, func(s *waterSample) waterResult { return s.pesticides }, LimitPesticidesUgL)
	if m.Results == 0 {
		return nil
	}
	return &Pesticides{m.Quantified, m.exceedances, stats.Round(m.most, 3), LimitPesticidesUgL, m.compliant()}
}

func lead(samples []*waterSample) *Lead {
	m := measure(samples, func(s *waterSample) waterResult { return s.lead }, LimitLeadUgL)
	if m.Results == 0 {
		return nil
	}
	return &Lead{m.Quantified, stats.Round(m.most, 2), LimitLeadUgL, m.compliant()}
}

// waterQuality is nothing where no sample is known: absence of control is not conformity.
func waterQuality(d *stats.Data, t *stats.Territory) *WaterQuality {
	w := controls.Of(d)
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
		told := WaterNetwork{Code: n.code, Name: n.name, Samples: len(own), Served: w.served[n.code]}
		told.BacteriologicalConformity, told.ChemicalConformity = conformity(own)
		out.Networks = append(out.Networks, told)
		from = append(from, stats.Figure{Value: &one, From: n.from})
	}
	if len(samples) == 0 {
		return nil
	}
	sortNetworks(out.Networks)
	var last time.Time
	for _, s := range samples {
		if s.sampled.After(last) {
			last = s.sampled
		}
	}
	out.Samples, out.LastSample = len(samples), last.Format(time.DateOnly)
	out.BacteriologicalConformity, out.ChemicalConformity = conformity(samples)
	out.Nitrates, out.Pesticides, out.Lead = nitrates(samples), pesticides(samples), lead(samples)
	out.Envelope = stats.EnvelopeOf(append(from, stats.Figure{Value: &one, From: w.from, Period: w.end})...)
	return &out
}
