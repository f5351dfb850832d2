package source_test

import (
	"regexp"
	"testing"

	"arpent/internal/opendata/source"
)

// A delivery of IGN is found as it is published, as a package or unpacked, and a source never
// takes the archive of another format or product.
func TestInDelivery(t *testing.T) {
	t.Parallel()
	gpkg := source.InDelivery("BD(TOPO|T)_", "(BDT_[^/]*|plan_d_eau)", "gpkg")
	shp := source.InDelivery("BDTOPO_", "plan_d_eau", "shp")
	rpg := source.InDelivery("RPG_", "(PARCELLES_GRAPHIQUES|RPG_PARCELLES)", "gpkg")
	for _, tc := range []struct {
		path           string
		gpkg, shp, rpg string // the scope and vintage; empty: no match
	}{
		{path: "ign/BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D031_2026-06-15.7z", gpkg: "D031 2026-06-15"},
		{path: "BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D031_2026-06-15.7z.001", gpkg: "D031 2026-06-15"},
		{path: "BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D031_2026-06-15.7z.002"},
		{path: "BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D031_2026-06-15.7z.001.part"},
		{path: "BDTOPO_3-4_TOUSTHEMES_SHP_LAMB93_D02A_2024-06-15.7z", shp: "D02A 2024-06-15"},
		{path: "BDTOPO_3-5_TOUSTHEMES_SHP_RGR92UTM40S_D974_2026-06-15.7z.001", shp: "D974 2026-06-15"},
		{path: "RPG_3-0__GPKG_LAMB93_FXX_2024-01-01/RPG_3-0__GPKG_LAMB93_FXX_2024-01-01.7z.001", rpg: "FXX 2024-01-01"},
		{path: "RPG_2-2__SHP_LAMB93_R84_2023-01-01.7z"},
		{path: "BDT_3-5_GPKG_LAMB93_D031-ED2026-06-15.gpkg", gpkg: "D031 2026-06-15"},
		{path: "BDTOPO_3-5_TOUSTHEMES_SHP_LAMB93_D075_2026-06-15/BDTOPO/HYDROGRAPHIE/PLAN_D_EAU.shp", shp: "D075 2026-06-15"},
		{path: "RPG_2-2__GPKG_LAMB93_R84_2023-01-01/RPG/PARCELLES_GRAPHIQUES.gpkg", rpg: "R84 2023-01-01"},
	} {
		for name, want := range map[string]string{"gpkg": tc.gpkg, "shp": tc.shp, "rpg": tc.rpg} {
			files := map[string][]source.Files{"gpkg": gpkg, "shp": shp, "rpg": rpg}[name]
			if got := scopeAndVintage(files, tc.path); got != want {
				t.Errorf("%s as %s: %q; expected %q", tc.path, name, got, want)
			}
		}
	}
}

// scopeAndVintage is what the first expression that matches reads from a path.
func scopeAndVintage(files []source.Files, path string) string {
	for _, f := range files {
		expr := regexp.MustCompile(f.Path)
		if m := expr.FindStringSubmatch(path); m != nil {
			return m[expr.SubexpIndex("scope")] + " " + m[expr.SubexpIndex("vintage")]
		}
	}
	return ""
}
