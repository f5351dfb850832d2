package employment

import "arpent/internal/opendata/stats"

// Employment is the activity of those aged 15 to 64 as the census defines it. Its unemployment
// rate is higher than the localised one (ILO).
type Employment struct {
	stats.Envelope
	Population1564            *int            `json:"population1564" doc:"Number of inhabitants aged 15 to 64." example:"34800"`
	Active1564                *int            `json:"active1564" doc:"Number of inhabitants aged 15 to 64 who work or look for work." example:"25700"`
	SmallBase                 bool            `json:"smallBase,omitempty" doc:"True where fewer than 200 are active: one more or less moves the rates, and INSEE advises not to use census counts of so few."`
	Employed1564              *int            `json:"employed1564" doc:"Number of inhabitants aged 15 to 64 who work." example:"21600"`
	Unemployed1564            *int            `json:"unemployed1564" doc:"Number of inhabitants aged 15 to 64 who declare themselves unemployed." example:"4100"`
	ActivityRatePct           *float64        `json:"activityRatePct" doc:"Active in percent of the inhabitants aged 15 to 64." example:"73.85"`
	EmploymentRatePct         *float64        `json:"employmentRatePct" doc:"Employed in percent of the inhabitants aged 15 to 64." example:"62.07"`
	CensusUnemploymentRatePct *float64        `json:"censusUnemploymentRatePct" doc:"Unemployed in percent of the active, as defined by the census: not comparable with localised (ILO) rates." example:"15.95"`
	JobsAtWorkplace           *int            `json:"jobsAtWorkplace" doc:"Number of jobs located in the territory, wherever the workers live." example:"15900"`
	EmploymentZone            *EmploymentZone `json:"employmentZone" doc:"The zone d'emploi of the commune; null for départements and régions."`
}

// EmploymentZone is a zone d'emploi and its unemployment.
type EmploymentZone struct {
	Code                string          `json:"code" doc:"Code of the zone d'emploi of 2020." example:"1109"`
	Name                *string         `json:"name" doc:"Its name; null where no source has it." example:"Paris"`
	UnemploymentRatePct *float64        `json:"unemploymentRatePct" doc:"Localised unemployment rate of the whole zone (ILO, seasonally adjusted), newest quarter, in percent." example:"6.9"`
	Quarter             *string         `json:"quarter" doc:"That quarter." example:"2025-T4"`
	Source              *string         `json:"source" doc:"Producer and title of the data set of the rates."`
	Timeline            []QuarterlyRate `json:"timeline" doc:"The rate of each quarter, oldest first."`
}

// QuarterlyRate is the unemployment of a quarter.
type QuarterlyRate struct {
	Quarter string  `json:"quarter" example:"2025-T4" doc:"Quarter of the rate."`
	RatePct float64 `json:"ratePct" doc:"Localised unemployment rate (ILO, seasonally adjusted), in percent." example:"6.9"`
}

func buildEmployment(d *stats.Data, t *stats.Territory) *Employment {
	b := &Employment{EmploymentZone: employmentZone(d, t)}
	period := ""
	if years := t.Years(EmploymentPopulation, EmploymentActive); len(years) > 0 {
		period = years[len(years)-1]
	} else if b.EmploymentZone == nil {
		return nil
	}
	all, active, jobs := t.At(EmploymentPopulation, period), t.At(EmploymentActive, period), t.At(EmploymentJobs,
		period)
	employed, unemployed := t.At(EmploymentEmployed, period), t.At(EmploymentUnemployed, period)
	b.Envelope = stats.EnvelopeOf(all, active, employed, unemployed, jobs)
	if period == "" {
		b.Source = *b.EmploymentZone.Source
	}
	working := employed.Value
	if working == nil {
		working = stats.Minus(active.Value, unemployed.Value)
	}
	b.Population1564, b.Active1564, b.Employed1564 = stats.Whole(all.Value), stats.Whole(active.Value),
		stats.Whole(working)
	b.SmallBase = stats.IsSmallBase(active.Value)
	b.Unemployed1564, b.JobsAtWorkplace = stats.Whole(unemployed.Value), stats.Whole(jobs.Value)
	b.ActivityRatePct, b.EmploymentRatePct = stats.Share(active.Value, all.Value), stats.Share(working,
		all.Value)
	b.CensusUnemploymentRatePct = stats.Share(unemployed.Value, active.Value)
	return b
}

// employmentZone returns the zone of a commune; nil for one without a name and a rate.
func employmentZone(d *stats.Data, t *stats.Territory) *EmploymentZone {
	var part struct {
		Code string `json:"code"`
	}
	if !t.IsLocal() || !t.Newest(ZoneKind).Read(&part) {
		return nil
	}
	zone := d.Find(stats.Zone, part.Code)
	if zone == nil {
		return nil
	}
	var named struct {
		Name *string `json:"name"`
	}
	zone.Newest(ZoneKind).Read(&named)
	z := &EmploymentZone{Code: part.Code, Name: named.Name, Timeline: []QuarterlyRate{}}
	for _, f := range zone.Series(UnemploymentRate) {
		if f.Value != nil {
			z.Timeline = append(z.Timeline, QuarterlyRate{Quarter: f.Period, RatePct: *stats.Round(f.Value, 1)})
		}
	}
	newest := zone.Latest(UnemploymentRate)
	if newest.Value == nil {
		return nil
	}
	z.UnemploymentRatePct, z.Quarter, z.Source = stats.Round(newest.Value, 1), &newest.Period,
		new(newest.From.Label())
	return z
}
