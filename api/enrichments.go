package api

import (
	"encoding/json"

	"arpent/api/reply"
)

// Enrichments is the body of the full report of a parcel.
type Enrichments struct {
	IDU         string                     `json:"idu" example:"930100000A0224"`
	CodeInsee   string                     `json:"codeInsee" example:"93010"`
	Enrichments map[string]json.RawMessage `json:"enrichments" doc:"One member a key of the report; null where the source is not loaded or does not apply."`
}

// enrichmentKeys are the keys of the report, in the contract's order.
var enrichmentKeys = []string{
	"address", "banAddresses",
	"dvf", "dvfNearby", "dvfEstimate", "dpe",
	"catnat", "communeRisks", "riskPlans", "tris", "floodMarkers", "rga", "radon", "seisme", "icpe", "pollutedSites",
	"bdcaviteNearby", "bdmvtNearby",
	"qpv", "gpu", "gpuPrescriptions", "sup", "aerodromeServitude",
	"rpg", "rpgBio", "aoc", "clc", "bdforet", "zonesVegetation", "soilPh", "protectedAreas", "coursEau", "planEau",
	"nearestRiverWater", "waterQuality",
	"monuments", "sirene", "sireneTotal",
	"roadTraffic", "travelTime", "fibre", "nearestIrve", "nearestMobile", "nearestGare", "nearestGareTgv", "nearestAirport",
	"schools", "nearestHospital", "nearestMsp", "nearestPharmacy", "nearestSupermarket", "nearestHypermarket",
	"nearestConvenience", "nearestMarketplace", "nearbyServices",
	"geography", "old",
}

// Enrichments answers get_parcel_enrichments. No enrichment source can be loaded yet, and a source that is not
// loaded answers null.
func (h *Handlers) Enrichments(r *Request) (reply.Reply, error) {
	idu := r.Path("idu")
	codeInsee, err := h.parcels.CommuneOf(r.context(), idu)
	if err != nil {
		return reply.Reply{}, err
	}
	body := make([]byte, 0, 1500)
	body = append(append(append(body, `{"idu":"`...), idu...), `","codeInsee":"`...)
	body = append(append(body, codeInsee...), `","enrichments":{`...)
	for i, key := range enrichmentKeys {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(append(append(body, '"'), key...), `":null`...)
	}
	return reply.Reply{Body: append(body, "}}"...)}, nil
}
