package land

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// ImagerySources returns the data sets on historic aerial photographs, in loading order.
func ImagerySources() []source.Source { return []source.Source{aerialSurveys(), oldOrthophotos()} }

// aerialSurveys declares the footprints of IGN's flights since 1919.
func aerialSurveys() source.Source {
	s := footprintSource("pva", "Prises de vues aériennes : missions", "IGN", "https://remonterletemps.ign.fr")
	s.Files = []source.Files{{Path: `(?i)(^|/)pva[_:.-]?(dataset)?([_-](?P<scope>[0-9AB]{2,3}))?([_.-]` +
		source.FileDay + `)?\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Origins = []fetch.Origin{{
		From:   producer.WFS{Endpoint: "https://data.geopf.fr/wfs", Layer: "pva:dataset", Sort: "date_mission"},
		As:     "pva_dataset.geojson",
		Rhythm: "irregularly", Evidence: fetch.Read, Basis: "public source code, which names IGNF/Pompei",
		ReadOn: "2026-10",
	}}
	s.Columns = []source.Column{source.RowID,
		{Name: "mission", From: []string{"dataset_identifier"}, Internal: true, Required: true},
		{Name: "flown", From: []string{"date_mission"}, Internal: true, Required: true,
			Match: `.*(19|20)[0-9]{2}.*`},
		source.Attrs("'mission', mission, 'year', substring(flown FROM '((?:19|20)[0-9]{2})')::integer")}
	s.Covers = source.Covers("aerial_survey")
	s.Note = "The layer pva:dataset as GeoJSON, in degrees."
	return s
}

// oldOrthophotos declares the footprints of the orthophoto of 1950 to 1965, in a format of ours.
func oldOrthophotos() source.Source {
	s := footprintSource("ortho-1950", "BD ORTHO historique 1950-1965 : emprise", "IGN",
		"https://geoservices.ign.fr/bdorthohisto")
	s.Files = []source.Files{{Path: `(?i)(^|/)ortho-1950(-(?P<scope>[0-9AB]{2,3}))?\.(geo)?json(\.gz)?$`}}
	s.Read = source.Read{Format: source.GeoJSON}
	s.Origins = source.NotFetched("the declaration",
		"A format of ours, with no file of a producer: ortho-1950.geojson or ortho-1950-<département>.geojson, areas that the images show.")
	s.Columns = []source.Column{source.RowID, source.Attrs("'orthophoto', '1950'")}
	s.Covers = source.Covers("orthophoto_1950")
	s.Note = "A format of ours: ortho-1950.geojson or ortho-1950-<département>.geojson, polygons of what the images show, in degrees."
	return s
}

func footprintSource(name, title, producer, homepage string) source.Source {
	return source.Source{
		Name: name, Group: "land", Title: title, Producer: producer, Licence: source.LicenceOuverte,
		Homepage: homepage,
		After:    []string{"cog-departements", "cog-communes"},
		Geometry: source.ShapesInDegrees(),
		Checks:   source.Checks{MaxRefused: 0.02},
		Target:   source.ShapeLayer("aerial_survey"),
	}
}
