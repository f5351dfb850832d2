package environment

import "arpent/internal/opendata/stats"

// Pest is a species that was reported in a commune.
type Pest struct {
	Species  string `json:"species" doc:"Scientific name." example:"Aedes albopictus"`
	Label    string `json:"label" doc:"Name in French." example:"Moustique tigre"`
	Reports  *int   `json:"reports" minimum:"1" doc:"Reports in all known years; null where only the presence is reported."`
	LastYear int    `json:"lastYear" doc:"Year of the last report." example:"2024"`
	Status   string `json:"status" enum:"reported,colonised" doc:"colonised: reported as established; reported: it was seen."`
	Source   string `json:"source" doc:"Who observed it."`
}

func buildPests(_ *stats.Data, t *stats.Territory) (*[]Pest, *stats.Origin) {
	var fact struct {
		Species []Pest `json:"species"`
	}
	f := t.Newest(Pests)
	if !f.Read(&fact) || len(fact.Species) == 0 {
		return nil, nil
	}
	return &fact.Species, f.Envelope().Origin()
}
