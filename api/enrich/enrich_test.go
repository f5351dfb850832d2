package enrich_test

import (
	"slices"
	"strings"
	"testing"

	"arpent/api/enrich"
)

// contract is written from the published description of the report, by hand: nothing of it is taken from the program.
var contract = []struct {
	group enrich.Group
	keys  string
}{
	{"Addresses", "address banAddresses"},
	{"Sales and energy", "dvf dvfNearby dvfEstimate dpe"},
	{"Risks", "catnat communeRisks riskPlans tris floodMarkers rga radon seisme icpe pollutedSites bdcaviteNearby bdmvtNearby"},
	{"Planning", "qpv gpu gpuPrescriptions sup aerodromeServitude"},
	{"Land and nature", "rpg rpgBio aoc clc bdforet zonesVegetation soilPh protectedAreas coursEau planEau nearestRiverWater waterQuality"},
	{"Heritage and economy", "monuments sirene sireneTotal"},
	{"Mobility and networks", "roadTraffic travelTime fibre nearestIrve nearestMobile nearestGare nearestGareTgv nearestAirport"},
	{"Services", "schools nearestHospital nearestMsp nearestPharmacy nearestSupermarket nearestHypermarket nearestConvenience" +
		" nearestMarketplace nearbyServices"},
	{"Other", "geography old"},
}

// A customer finds every key of the contract, once, in its order, in its group, with its meaning, and in the report.
func TestKeysAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, c := range contract {
		for key := range strings.FieldsSeq(c.keys) {
			want = append(want, string(c.group)+": "+key)
		}
	}
	if len(want) != 57 {
		t.Fatalf("the list of the contract has %d keys, expected 57", len(want))
	}
	for _, k := range enrich.Keys() {
		got = append(got, string(k.Group)+": "+k.Name)
		if k.Doc == "" || k.Value == nil || len(k.Layers) == 0 {
			t.Errorf("%s lacks its meaning, its type or its layers", k.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the keys are\n%s\nthe contract has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without sources every key is null: nothing is made up, and nothing looks like "looked for and not found".
func TestNothingLoaded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, k := range enrich.Keys() {
		if got := b.value(k.Name); got != "null" {
			t.Errorf("%s is %s", k.Name, got)
		}
	}
}
