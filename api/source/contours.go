package source

import _ "embed"

//go:embed sql/departement_contour.sql
var departementContour string

//go:embed sql/region_contour.sql
var regionContour string

//go:embed sql/commune_contour_missing.sql
var communeContourMissing string

// contours are the outlines of the communes, and those of the départements and régions, which are built from them so
// that borders agree.
func contours() []Source {
	return []Source{contoursCommunes(), contoursArrondissements()}
}

func contourSource(name, title, path string) Source {
	return Source{
		Name:     name,
		Group:    "contours",
		Title:    title,
		Producer: "IGN; Etalab",
		Licence:  LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/contours-administratifs",
		After:    []string{"cog-regions", "cog-departements", "cog-communes"},
		Files:    []Files{{Path: path, Together: true}},
		Read:     Read{Format: GeoJSON},
		Columns: []Column{
			{Name: "code", Required: true, Match: `[0-9][0-9AB][0-9]{3}`},
			{Name: "edition", From: []string{"source"}},
			{Name: "area_km2", SQL: "ST_Area(geom::geography) / 1e6"},
		},
		Geometry: &Geometry{From: Feature, Polygon: true, Bounds: France},
		Dedupe:   Dedupe{Key: []string{"code"}},
	}
}

func contourTable(name string) Target {
	return Target{Table: "geo." + name, Key: []string{"code"}}
}

func contoursCommunes() Source {
	s := contourSource("contours-communes", "Contours administratifs : communes, départements et régions (10 m)",
		`(^|/)admin/communes-10m/communes-[0-9AB]{2,3}\.(geo)?json(\.gz)?$`)
	s.Vintage = "max(substring(edition FROM '[0-9]{4}'))"
	s.Checks = Checks{
		Known: []Known{{
			Code:   "code",
			Query:  "SELECT code FROM geo.commune WHERE type = 'commune-actuelle'",
			Reason: "'no commune of today has code ' || code",
		}},
		Queries: []string{communeContourMissing},
	}
	s.Target = contourTable("commune_contour")
	s.Derived = []Derived{
		{Name: "ready_departement", Query: departementContour, Target: contourTable("departement_contour")},
		{Name: "ready_region", Query: regionContour, Target: contourTable("region_contour")},
	}
	return s
}

func contoursArrondissements() Source {
	s := contourSource("contours-arrondissements", "Contours administratifs : arrondissements de Paris, Lyon et Marseille",
		`(^|/)admin/arrondissements-municipaux[^/]*\.(geo)?json(\.gz)?$`)
	s.Checks = Checks{MinRows: 45, MaxRows: 45, Known: []Known{{
		Code:   "code",
		Query:  "SELECT code FROM geo.commune WHERE type = 'arrondissement-municipal'",
		Reason: "'no arrondissement municipal has code ' || code",
	}}}
	s.Target = contourTable("arrondissement_contour")
	return s
}
