package report_test

import (
	"slices"
	"testing"

	"arpent/api/topic"
)

// A customer finds every key of the contract, once, in its order, with its meaning.
func TestKeysAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range topic.Report().Keys() {
		names = append(names, k.Name)
		if k.Doc == "" || k.Value == nil || len(k.Layers) == 0 || k.Group == "" {
			t.Errorf("%s lacks something", k.Name)
		}
	}
	if !slices.Equal(names, contract) {
		t.Errorf("the keys are %q, expected %q", names, contract)
	}
}

// contract is the order in which the contract lists the keys.
var contract = []string{
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

// Without sources every key is null: nothing is made up, and nothing looks like "looked for and not found".
func TestNothingLoaded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, k := range topic.Report().Keys() {
		if got := b.value(k.Name); got != "null" {
			t.Errorf("%s is %s", k.Name, got)
		}
	}
}
