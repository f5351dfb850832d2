package land

import "arpent/api/source"

// aerialSurveys are the footprints of IGN's flights since 1919.
func aerialSurveys() source.Source {
	s := landSource("pva", "Prises de vues aériennes : missions", "IGN", "https://remonterletemps.ign.fr", "aerial_survey")
	s.Files = []source.Files{{Path: `(?i)(^|/)pva[_:.-]?(dataset)?([_-](?P<scope>[0-9AB]{2,3}))?([_.-]` + source.FileDay + `)?\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Columns = []source.Column{source.RowID,
		{Name: "mission", From: []string{"dataset_identifier"}, Internal: true, Required: true},
		{Name: "flown", From: []string{"date_mission"}, Internal: true, Required: true, Match: `.*(19|20)[0-9]{2}.*`},
		source.Attrs("'mission', mission, 'year', substring(flown FROM '((?:19|20)[0-9]{2})')::integer")}
	s.Geometry = source.ShapesInDegrees()
	s.Covers = source.Covers("aerial_survey")
	s.Note = "The layer pva:dataset as GeoJSON, in degrees."
	return s
}

// oldOrthophotos are the footprints of the orthophoto of 1950 to 1965, in a form of ours.
func oldOrthophotos() source.Source {
	s := landSource("ortho-1950", "BD ORTHO historique 1950-1965 : emprise", "IGN", "https://geoservices.ign.fr/bdorthohisto", "aerial_survey")
	s.Files = []source.Files{{Path: `(?i)(^|/)ortho-1950(-(?P<scope>[0-9AB]{2,3}))?\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Columns = []source.Column{source.RowID, source.Attrs("'orthophoto', '1950'")}
	s.Geometry = source.ShapesInDegrees()
	s.Covers = source.Covers("orthophoto_1950")
	s.Note = "A format of ours: ortho-1950.geojson or ortho-1950-<département>.geojson, polygons of what the images show, in degrees."
	return s
}
