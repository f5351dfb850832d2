package land

// SoilPh is the pH of the soil under a parcel.
type SoilPh struct {
	Ph0to5      *float64 `json:"ph0to5" doc:"pH in water at 0 to 5 cm" example:"6.4"`
	Ph5to15     *float64 `json:"ph5to15" doc:"pH in water at 5 to 15 cm" example:"6.5"`
	Source      string   `json:"source" doc:"Name of the model" example:"SoilGrids"`
	ResolutionM *int     `json:"resolutionM" doc:"Side of a cell in metres" example:"250"`
}
