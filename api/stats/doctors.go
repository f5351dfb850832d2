package stats

import "arpent/api/topic/health"

// leastConsultations is what DREES calls under-dense: fewer consultations per inhabitant and year.
const leastConsultations = 2.5

// Doctors is how accessible general practitioners are.
type Doctors struct {
	Envelope
	GeneralPractitioners *float64      `json:"generalPractitioners" doc:"Consultations within reach per standardised inhabitant per year. Of a département: the mean of its communes, weighted with their standardised population." example:"3.2"`
	Under65              *float64      `json:"under65" doc:"The same, of practitioners aged 65 or less, in consultations per standardised inhabitant per year."`
	Under62              *float64      `json:"under62" doc:"The same, of practitioners aged 62 or less, in consultations per standardised inhabitant per year."`
	Under60              *float64      `json:"under60" doc:"The same, of practitioners aged 60 or less, in consultations per standardised inhabitant per year."`
	Underserved          *bool         `json:"underserved" doc:"Whether there are fewer than 2.5 consultations, the threshold of DREES."`
	ShareUnderservedPct  *float64      `json:"shareUnderservedPct" doc:"Of départements: inhabitants of communes below 2.5 consultations, in percent of those of communes with a figure; null for communes."`
	Timeline             []DoctorsYear `json:"timeline" doc:"By year, oldest first."`
}

// DoctorsYear is the accessibility of one year.
type DoctorsYear struct {
	Year                 int      `json:"year" doc:"Year of the figure."`
	GeneralPractitioners *float64 `json:"generalPractitioners" doc:"Consultations within reach per standardised inhabitant per year."`
}

func doctors(_ *Data, t *Territory) *Doctors {
	all := t.Latest(health.DoctorsAll)
	if all.Value == nil {
		return nil
	}
	out := &Doctors{Envelope: envelopeOf(all), GeneralPractitioners: round(all.Value, 2), Timeline: []DoctorsYear{}}
	for measure, into := range map[string]**float64{
		health.DoctorsUnder65: &out.Under65, health.DoctorsUnder62: &out.Under62, health.DoctorsUnder60: &out.Under60,
	} {
		*into = round(t.At(measure, all.Period).Value, 2)
	}
	underserved := *all.Value < leastConsultations
	out.Underserved = &underserved
	if t.Level != Commune {
		out.ShareUnderservedPct = shareUnderserved(communesOf(t), all.Period)
	}
	for _, f := range t.Series(health.DoctorsAll) {
		if f.Value != nil {
			out.Timeline = append(out.Timeline, DoctorsYear{f.Year(), round(f.Value, 2)})
		}
	}
	return out
}

// shareUnderserved counts inhabitants, not standardised ones.
func shareUnderserved(communes []*Territory, period string) *float64 {
	var below, all float64
	for _, c := range communes {
		reach, people := c.At(health.DoctorsAll, period).Value, c.At(health.DoctorsPopulation, period).Value
		if reach == nil || people == nil {
			continue
		}
		all += *people
		if *reach < leastConsultations {
			below += *people
		}
	}
	return share(&below, &all)
}
