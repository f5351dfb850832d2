package geocode_test

import (
	"fmt"
	"slices"
	"testing"

	"arpent/api/geocode/build"
)

// A name of former times leads to the commune of today through whatever happened in between; a name whose commune cannot
// be found leads nowhere.
func TestFormerNames(t *testing.T) {
	t.Parallel()
	communes := []build.Commune{{Code: "14001", Name: "Grandville"}, {Code: "14002", Name: "Moyville"}}
	got := build.FormerNames([]build.Movement{
		{Day: "1950-01-01", CodeBefore: "14002", NameBefore: "Moyville-le-Sec", CodeAfter: "14002", NameAfter: "Moyville"},      // renamed
		{Day: "1960-01-01", CodeBefore: "14008", NameBefore: "Hameau", CodeAfter: "14009", NameAfter: "Bourg"},                  // merged twice
		{Day: "1990-01-01", CodeBefore: "14009", NameBefore: "Bourg", CodeAfter: "14001", NameAfter: "Grandville"},              //
		{Day: "1968-01-01", CodeBefore: "75001", NameBefore: "Grandville", CodeAfter: "14001", NameAfter: "Grandville"},         // another code, the same name
		{Day: "1970-01-01", CodeBefore: "14010", NameBefore: "Perdu", CodeAfter: "14011", NameAfter: "Disparu"},                 // of nothing today
		{Day: "1968-01-01", CodeBefore: "75002", NameBefore: "Moyville-Vieux", CodeAfter: "14002", NameAfter: "Moyville-Vieux"}, // another code, then renamed
		{Day: "1988-01-01", CodeBefore: "14002", NameBefore: "Moyville-Vieux", CodeAfter: "14002", NameAfter: "Moyville"},       //
		{Day: "1980-01-01", CodeBefore: "14020", NameBefore: "Cercle", CodeAfter: "14021", NameAfter: "Rond"},                   // in a circle
		{Day: "1981-01-01", CodeBefore: "14021", NameBefore: "Rond", CodeAfter: "14020", NameAfter: "Cercle"},                   //
		{Day: "1980-01-01", CodeBefore: "14030", NameBefore: "Partagé", CodeAfter: "14001", NameAfter: "Grandville"},            // to two: the last counts
		{Day: "1985-01-01", CodeBefore: "14030", NameBefore: "Partagé", CodeAfter: "14002", NameAfter: "Moyville"},              //
	}, communes)
	var lines []string
	for _, p := range got {
		lines = append(lines, fmt.Sprintf("%s %s %s", p.Commune, p.Code, p.Name))
	}
	want := []string{"14001 14008 Hameau", "14001 14009 Bourg", "14002 14002 Moyville-Vieux", "14002 14002 Moyville-le-Sec", "14002 14030 Partagé"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q; want %q", lines, want)
	}
}
