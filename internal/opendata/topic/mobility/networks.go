package mobility

import "arpent/internal/opendata/stats"

// MobileNetworks counts the supports of active mobile-network antennas in a commune.
type MobileNetworks struct {
	stats.Envelope
	AsOf         *string           `json:"asOf" format:"date" doc:"Date of the register." example:"2026-08-06"`
	Supports     int               `json:"supports" minimum:"0" doc:"Supports (masts, roofs) with active antennas. 0 where the register, which is complete, has none." example:"12"`
	ByGeneration MobileGenerations `json:"byGeneration" doc:"Supports by generation; a support can have several."`
	Operators    []MobileOperator  `json:"operators" doc:"Operators, the one with the most supports first; a support can have several."`
	Has5G        bool              `json:"has5g" doc:"Whether 5G is active on a support in the commune."`
	Has5G3500    bool              `json:"has5g3500" doc:"Whether 5G in the 3 500 MHz band is active."`
}

// MobileGenerations counts supports.
type MobileGenerations struct {
	G2 int `json:"g2" minimum:"0" doc:"Supports with 2G."`
	G3 int `json:"g3" minimum:"0" doc:"Supports with 3G."`
	G4 int `json:"g4" minimum:"0" doc:"Supports with 4G."`
	G5 int `json:"g5" minimum:"0" doc:"Supports with 5G."`
}

// MobileOperator counts the supports of an operator.
type MobileOperator struct {
	Name       string `json:"name" doc:"Operator, as spelled in the register." example:"ORANGE"`
	Supports   int    `json:"supports" minimum:"0" doc:"Supports with its antennas."`
	Supports4G int    `json:"supports4g" minimum:"0" doc:"Of these, with 4G."`
	Supports5G int    `json:"supports5g" minimum:"0" doc:"Of these, with 5G."`
}

func mobileNetworks(_ *stats.Data, t *stats.Territory) *MobileNetworks {
	var out MobileNetworks
	f := t.Newest(NetworksKind)
	if !f.Read(&out) {
		return nil
	}
	out.Envelope = f.Envelope()
	if f.Period != "" {
		out.AsOf = &f.Period
	}
	return &out
}
