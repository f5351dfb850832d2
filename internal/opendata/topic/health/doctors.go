package health

import "arpent/internal/opendata/stats"

// MinConsultations is the threshold of DREES for underserved
// territories, in consultations per inhabitant and year.
const MinConsultations = 2.5

// Doctors is the accessibility of general practitioners.
type Doctors struct {
	stats.Envelope
	GeneralPractitioners *float64      `json:"generalPractitioners" doc:"Accessible consultations per standardised inhabitant per year. For a département: the mean of its communes, weighted by their standardised population." example:"3.2"`
	Under65              *float64      `json:"under65" doc:"The same, for practitioners aged 65 or less only."`
	Under62              *float64      `json:"under62" doc:"The same, for practitioners aged 62 or less only."`
	Under60              *float64      `json:"under60" doc:"The same, for practitioners aged 60 or less only."`
	Underserved          *bool         `json:"underserved" doc:"Whether there are fewer than 2.5 consultations, the threshold of DREES."`
	ShareUnderservedPct  *float64      `json:"shareUnderservedPct" doc:"For départements: inhabitants of communes below 2.5 consultations, in percent of those of all communes with a figure; null for communes."`
	Timeline             []DoctorsYear `json:"timeline" doc:"By year, oldest first."`
}

// DoctorsYear is the accessibility of one year.
type DoctorsYear struct {
	Year                 int      `json:"year" doc:"Year of the figure."`
	GeneralPractitioners *float64 `json:"generalPractitioners" doc:"Accessible consultations per standardised inhabitant per year."`
}

func buildDoctors(_ *stats.Data, t *stats.Territory) *Doctors {
	all := t.Latest(DoctorsAll)
	if all.Value == nil {
		return nil
	}
	out := &Doctors{Envelope: stats.EnvelopeOf(all), GeneralPractitioners: stats.Round(all.Value, 2),
		Timeline: []DoctorsYear{}}
	for measure, into := range map[string]**float64{
		DoctorsUnder65: &out.Under65, DoctorsUnder62: &out.Under62, DoctorsUnder60: &out.Under60,
	} {
		*into = stats.Round(t.At(measure, all.Period).Value, 2)
	}
	out.Underserved = new(*all.Value < MinConsultations)
	if !t.IsLocal() {
		out.ShareUnderservedPct = shareUnderserved(stats.CommunesOf(t), all.Period)
	}
	for _, f := range t.Series(DoctorsAll) {
		if f.Value != nil {
			out.Timeline = append(out.Timeline, DoctorsYear{f.Year(), stats.Round(f.Value, 2)})
		}
	}
	return out
}

// shareUnderserved counts inhabitants, not standardised inhabitants.
func shareUnderserved(communes []*stats.Territory, period string) *float64 {
	var below, all float64
	for _, c := range communes {
		reach, people := c.At(DoctorsAll, period).Value, c.At(DoctorsPopulation, period).Value
		if reach == nil || people == nil {
			continue
		}
		all += *people
		if *reach < MinConsultations {
			below += *people
		}
	}
	return stats.Share(&below, &all)
}
