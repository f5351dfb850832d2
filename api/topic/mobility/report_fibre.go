package mobility

import "arpent/api/report"

// Fibre is the state of the fibre roll-out at a building.
type Fibre struct {
	Status      string  `json:"status" doc:"as the source words it: deploye, en cours de deploiement, raccordable demande, signe, cible, abandonne" example:"deploye"`
	Operator    *string `json:"operator" doc:"code of the operator of the building" example:"ORAN"`
	BuildingID  string  `json:"buildingId" example:"IMB/93010/X/0001"`
	Node        *string `json:"node" doc:"point de mutualisation that serves the building" example:"FI-93010-0001"`
	NodeStatus  *string `json:"nodeStatus"`
	Kind        *string `json:"kind" doc:"as the source words it" example:"pavillon"`
	CompletedOn *string `json:"completedOn" doc:"date on which the zone was completed"`
	DistanceM   int     `json:"distanceM" doc:"metres from the parcel"`
}

func fibreQuery() report.Query {
	return report.Query{File: "fibre.sql", Weight: 2, Keys: []report.Key{
		{Name: "fibre", Group: "Mobility and networks", Layers: []string{"fibre"}, Value: Fibre{},
			Doc: "State of the fibre roll-out at the nearest building within 50 m. Null when no building is that near."},
	}}
}
