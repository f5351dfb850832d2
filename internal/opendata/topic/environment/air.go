package environment

import "arpent/internal/opendata/stats"

// Guidelines of the World Health Organization of 2021, in µg/m³: annual means; for ozone the
// peak-season mean of daily maximum 8-hour means.
const (
	guidelineNO2   = 10
	guidelinePM10  = 15
	guidelinePM25  = 5
	guidelineOzone = 60
)

// AirQuality is the air quality of a commune.
type AirQuality struct {
	stats.Envelope
	NO2    *Pollutant `json:"no2" doc:"Nitrogen dioxide."`
	PM10   *Pollutant `json:"pm10" doc:"Particles of at most 10 µm."`
	PM25   *Pollutant `json:"pm25" doc:"Particles of at most 2.5 µm."`
	O3     *Ozone     `json:"o3" doc:"Ozone in the peak season; null where only other ozone indicators are known, none of which is a substitute."`
	Method string     `json:"method" enum:"modelled,nearestStation" doc:"modelled: estimated for the commune from models and stations; nearestStation: measured at the nearest station."`
}

// Pollutant is the annual mean of a pollutant.
type Pollutant struct {
	AnnualMeanUgM3 float64 `json:"annualMeanUgM3" minimum:"0" doc:"Annual mean, in µg/m³." example:"11.2"`
	WHOExceeded    bool    `json:"whoExceeded" doc:"Whether it exceeds the WHO guideline of 2021: 10 (NO2), 15 (PM10) or 5 µg/m³ (PM2.5)."`
}

// Ozone is the mean of the peak season.
type Ozone struct {
	PeakSeasonMDA8UgM3 float64 `json:"peakSeasonMda8UgM3" minimum:"0" doc:"Highest mean over six consecutive months of the daily maximum 8-hour mean, in µg/m³." example:"92.4"`
	WHOExceeded        bool    `json:"whoExceeded" doc:"Whether it exceeds the WHO guideline of 2021, 60 µg/m³."`
	Season             *string `json:"season" doc:"First and last month of the season." example:"04-09"`
	Year               *int    `json:"year" doc:"Year of the season." example:"2024"`
	Source             string  `json:"source" doc:"Producer and title of the data set."`
	Method             string  `json:"method" enum:"modelled,nearestStation" doc:"How the figure was obtained."`
}

// airQuality returns the newest year in which any of the three means is known; ozone has a year of its own.
func airQuality(_ *stats.Data, t *stats.Territory) *AirQuality {
	out := AirQuality{Method: "modelled", O3: buildOzone(t)}
	measures := []string{AirNO2, AirPM10, AirPM25}
	if all := t.Years(measures...); len(all) > 0 {
		newest := all[len(all)-1]
		out.NO2 = newPollutant(t.At(AirNO2, newest), guidelineNO2)
		out.PM10 = newPollutant(t.At(AirPM10, newest), guidelinePM10)
		out.PM25 = newPollutant(t.At(AirPM25, newest), guidelinePM25)
		out.Envelope = stats.EnvelopeOf(t.At(AirNO2, newest), t.At(AirPM10, newest), t.At(AirPM25, newest))
		return &out
	}
	if out.O3 == nil {
		return nil
	}
	out.Source, out.Year, out.Method = out.O3.Source, out.O3.Year, out.O3.Method
	return &out
}

func newPollutant(f stats.Figure, guideline float64) *Pollutant {
	if f.Value == nil {
		return nil
	}
	return &Pollutant{AnnualMeanUgM3: *stats.Round(f.Value, 2), WHOExceeded: *f.Value > guideline}
}

func buildOzone(t *stats.Territory) *Ozone {
	var fact struct {
		MDA8   *float64 `json:"mda8"`
		Season *string  `json:"season"`
		Method string   `json:"method"`
	}
	f := t.Newest(AirOzone)
	if !f.Read(&fact) || fact.MDA8 == nil {
		return nil
	}
	e := f.Envelope()
	return &Ozone{PeakSeasonMDA8UgM3: *stats.Round(fact.MDA8, 2), WHOExceeded: *fact.MDA8 > guidelineOzone,
		Season: fact.Season, Year: e.Year, Source: e.Source, Method: fact.Method}
}
