package environment

import "arpent/api/stats"

// Pest is a species that was reported in a commune.
type Pest struct {
	Species  string `json:"species" doc:"Scientific name." example:"Aedes albopictus"`
	Label    string `json:"label" doc:"Name in French." example:"Moustique tigre"`
	Reports  *int   `json:"reports" minimum:"1" doc:"Reports in all years that are known; null where only the presence is told."`
	LastYear int    `json:"lastYear" doc:"Year of the last report." example:"2024"`
	Status   string `json:"status" enum:"reported,colonised" doc:"colonised: it is told to live there; reported: it was seen."`
	Source   string `json:"source" doc:"Who observed it."`
}

func pests(_ *stats.Data, t *stats.Territory) (*[]Pest, *stats.Origin) {
	var told struct {
		Species []Pest `json:"species"`
	}
	f := t.Newest(Pests)
	if !f.Read(&told) || len(told.Species) == 0 {
		return nil, nil
	}
	e := f.Envelope()
	return &told.Species, &stats.Origin{Source: e.Source, Year: e.Year}
}
