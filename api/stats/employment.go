package stats

import "arpent/api/topic/employment"

// Employment is the activity of those aged 15 to 64, in the sense of the census, whose unemployment rate is higher than
// the localised one of the ILO.
type Employment struct {
	Envelope
	Population1564            *int            `json:"population1564" doc:"Number of inhabitants aged 15 to 64." example:"34800"`
	Active1564                *int            `json:"active1564" doc:"Number of those aged 15 to 64 who work or look for work." example:"25700"`
	Employed1564              *int            `json:"employed1564" doc:"Number of those aged 15 to 64 who work." example:"21600"`
	Unemployed1564            *int            `json:"unemployed1564" doc:"Number of those aged 15 to 64 who say that they are unemployed." example:"4100"`
	ActivityRatePct           *float64        `json:"activityRatePct" doc:"Active in percent of the inhabitants aged 15 to 64." example:"73.85"`
	EmploymentRatePct         *float64        `json:"employmentRatePct" doc:"Employed in percent of the inhabitants aged 15 to 64." example:"62.07"`
	CensusUnemploymentRatePct *float64        `json:"censusUnemploymentRatePct" doc:"Unemployed in percent of the active, in the sense of the census: not to be compared with localised (ILO) rates." example:"15.95"`
	JobsAtWorkplace           *int            `json:"jobsAtWorkplace" doc:"Number of jobs in the territory, wherever those who hold them live." example:"15900"`
	EmploymentZone            *EmploymentZone `json:"employmentZone" doc:"The zone d'emploi that the commune is a part of; null of larger territories."`
}

// EmploymentZone is a zone d'emploi and its unemployment.
type EmploymentZone struct {
	Code                string          `json:"code" doc:"Code of the zone d'emploi of 2020." example:"1109"`
	Name                *string         `json:"name" doc:"Its name; null where no source tells it." example:"Paris"`
	UnemploymentRatePct *float64        `json:"unemploymentRatePct" doc:"Localised unemployment rate of the whole zone (ILO, seasonally adjusted), newest quarter, in percent." example:"6.9"`
	Quarter             *string         `json:"quarter" doc:"That quarter." example:"2025-T4"`
	Source              *string         `json:"source" doc:"Producer and title of the data set of the rates."`
	Timeline            []QuarterlyRate `json:"timeline" doc:"The rate of each quarter, oldest first."`
}

// QuarterlyRate is the unemployment of a quarter.
type QuarterlyRate struct {
	Quarter string  `json:"quarter" example:"2025-T4" doc:"Quarter that the rate is of."`
	RatePct float64 `json:"ratePct" doc:"Localised unemployment rate (ILO, seasonally adjusted), in percent." example:"6.9"`
}

func employmentBlock(d *Data, t *Territory) *Employment {
	b := &Employment{EmploymentZone: d.employmentZone(t)}
	period := ""
	if years := t.years(employment.EmploymentPopulation, employment.EmploymentActive); len(years) > 0 {
		period = years[len(years)-1]
	} else if b.EmploymentZone == nil {
		return nil
	}
	all, active, jobs := t.At(employment.EmploymentPopulation, period), t.At(employment.EmploymentActive, period), t.At(employment.EmploymentJobs, period)
	employed, unemployed := t.At(employment.EmploymentEmployed, period), t.At(employment.EmploymentUnemployed, period)
	b.Envelope = envelopeOf(all, active, employed, unemployed, jobs)
	if period == "" {
		b.Source = *b.EmploymentZone.Source
	}
	working := employed.Value
	if working == nil {
		working = minus(active.Value, unemployed.Value)
	}
	b.Population1564, b.Active1564, b.Employed1564 = whole(all.Value), whole(active.Value), whole(working)
	b.Unemployed1564, b.JobsAtWorkplace = whole(unemployed.Value), whole(jobs.Value)
	b.ActivityRatePct, b.EmploymentRatePct = share(active.Value, all.Value), share(working, all.Value)
	b.CensusUnemploymentRatePct = share(unemployed.Value, active.Value)
	return b
}

// employmentZone is the zone of a commune. One without a name and a rate tells nothing.
func (d *Data) employmentZone(t *Territory) *EmploymentZone {
	var part struct {
		Code string `json:"code"`
	}
	if t.Level != Commune || !t.newest(employment.EmploymentZone).read(&part) {
		return nil
	}
	zone := d.Find(Zone, part.Code)
	if zone == nil {
		return nil
	}
	var named struct {
		Name *string `json:"name"`
	}
	zone.newest(employment.EmploymentZone).read(&named)
	z := &EmploymentZone{Code: part.Code, Name: named.Name, Timeline: []QuarterlyRate{}}
	for _, f := range zone.Series(employment.UnemploymentRate) {
		if f.Value != nil {
			z.Timeline = append(z.Timeline, QuarterlyRate{Quarter: f.Period, RatePct: *round(f.Value, 1)})
		}
	}
	newest := zone.Latest(employment.UnemploymentRate)
	if newest.Value == nil {
		return nil
	}
	label := newest.From.Label()
	z.UnemploymentRatePct, z.Quarter, z.Source = round(newest.Value, 1), &newest.Period, &label
	return z
}

// unemploymentRate is that of the ILO, never that of the census.
func unemploymentRate(_ *Data, t *Territory) (*float64, *Origin) {
	f := t.Latest(employment.UnemploymentRate)
	return round(f.Value, 1), originOf(f)
}
