package land

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/source"
)

//go:embed aoc.sql bdforet.sql clc.sql geography.sql old.sql protected_areas.sql rpg.sql rpg_bio.sql soil_ph.sql vegetation.sql
var statements embed.FS

// Field is an agricultural parcel declared by a farmer.
type Field struct {
	report.Counted
	CropCode  string   `json:"cropCode" doc:"Code of the crop in the nomenclature of the RPG." example:"PPH"`
	Crop      *string  `json:"crop" doc:"Its name; null for a code missing from the table of names." example:"Prairie permanente"`
	GroupCode *string  `json:"groupCode" doc:"Number of the group of crops, 1 to 28." example:"18"`
	Group     *string  `json:"group" doc:"Its name." example:"Prairies permanentes"`
	AreaHa    *float64 `json:"areaHa" doc:"Area of the whole declared field, as declared, in hectares." example:"1.23"`
	Year      int      `json:"year" doc:"Year of the declaration." example:"2024"`
	SharePct  float64  `json:"sharePct" doc:"Share of the cadastral parcel inside the field, in percent." example:"61"`
}

// Organic is the declaration of a field as organic.
type Organic struct {
	Certified *bool   `json:"certified" doc:"True: certified; false: in conversion; null: not stated in the file."`
	Stage     *string `json:"stage" doc:"AB (certified), C1, C2 or C3 (year of conversion)." example:"AB"`
	Year      int     `json:"year" doc:"Year of the declaration." example:"2024"`
	SharePct  float64 `json:"sharePct" doc:"Share of the cadastral parcel at that stage, in percent." example:"100"`
}

// WineArea is the delimited area of a wine.
type WineArea struct {
	report.Counted
	Appellation  *string `json:"appellation" doc:"The appellation; null where the file lacks it." example:"Languedoc"`
	Denomination *string `json:"denomination" doc:"The denomination within it; null where the file lacks it." example:"Languedoc Grés de Montpellier"`
	SharePct     float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"100"`
}

// LandCover is a class of land cover.
type LandCover struct {
	Code     string  `json:"code" doc:"Class of Corine Land Cover, third level." example:"211"`
	Label    *string `json:"label" doc:"Its name in French." example:"Terres arables hors périmètres d'irrigation"`
	Year     *int    `json:"year" doc:"Year of the edition; null where it is read from the raster, whose edition is given by the sources." example:"2018"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"88"`
}

// Forest is a kind of forest.
type Forest struct {
	Code     *string `json:"code" doc:"Code of the type of formation (TFV)." example:"FF1-00"`
	Label    *string `json:"label" doc:"Its name." example:"Forêt fermée à mélange de feuillus"`
	Species  *string `json:"species" doc:"The species, or group of species." example:"Feuillus"`
	Year     int     `json:"year" doc:"Year of the edition of the département." example:"2014"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"40"`
}

// Vegetation is one kind of vegetation on a parcel.
type Vegetation struct {
	Nature   string  `json:"nature" doc:"Kind of vegetation." example:"Haie"`
	AreaM2   int     `json:"areaM2" doc:"Area on the parcel, in square metres." example:"320"`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel, in percent." example:"4.1"`
}

// SoilPh is the pH of the soil under a parcel.
type SoilPh struct {
	Ph0to5      *float64 `json:"ph0to5" doc:"pH in water at 0 to 5 cm" example:"6.4"`
	Ph5to15     *float64 `json:"ph5to15" doc:"pH in water at 5 to 15 cm" example:"6.5"`
	Source      string   `json:"source" doc:"Name of the model" example:"SoilGrids"`
	ResolutionM *int     `json:"resolutionM" doc:"Side of a cell in metres" example:"250"`
}

// ProtectedArea is an area under a protection of nature or landscape.
type ProtectedArea struct {
	report.Counted
	Type     string  `json:"type" doc:"PN, PN_ADHESION, RNN, RNR, RNC, APB, RB, SC, SI, SIC, ZPS, SCL, SCEN, PNR, RAMSAR, ZNIEFF1 or ZNIEFF2." example:"ZPS"`
	Label    string  `json:"label" doc:"What the type means." example:"Natura 2000, directive Oiseaux"`
	Code     *string `json:"code" doc:"Code of the area; for Natura 2000 the European one." example:"FR9110042"`
	Name     *string `json:"name" doc:"Its name; null where the file has none."`
	Strength int     `json:"strength" doc:"1 (heart of a national park) to 11 (ZNIEFF of type 2): the smaller, the stronger." example:"6"`
	URL      *string `json:"url" doc:"Its page, where the file has one."`
	SharePct float64 `json:"sharePct" doc:"Share of the parcel inside it, in percent." example:"100"`
}

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	first := report.Args{"limit": 30}
	return report.Topic{Group: "Land and nature", Files: statements, Queries: []report.Query{
		report.List[Field](report.Query{File: "rpg.sql", Args: first, Weight: 4},
			report.Key{Name: "rpg", Layers: []string{"rpg"},
				Doc: "The crops declared on the parcel, the field that covers most of it first, {limit} at most. " +
					"Of the newest year loaded. Land that was not declared is missing." + report.Slivers}),
		report.One[Organic](report.Query{File: "rpg_bio.sql", Weight: 2},
			report.Key{Name: "rpgBio", Layers: []string{"rpg_bio"},
				Doc: "Whether the parcel is declared as organic: the stage that covers most of it, of the newest year loaded. " +
					"Null where no organic field is declared." + report.Slivers}),
		report.List[WineArea](report.Query{File: "aoc.sql", Args: first, Weight: 2},
			report.Key{Name: "aoc", Layers: []string{"aoc"},
				Doc: "The delimited areas of protected wines that the parcel lies in, the one that covers most of it first, " +
					"{limit} at most." + report.Slivers}),
		report.One[LandCover](report.Query{File: "clc.sql", Weight: 3},
			report.Key{Name: "clc", Layers: []string{"land_cover"},
				Doc: "The class of land cover that covers most of the parcel. The smallest unit drawn is 25 ha: " +
					"a small parcel gets the class of its surroundings." + report.Slivers}),
		report.One[Forest](report.Query{File: "bdforet.sql", Weight: 2}, report.Key{Name: "bdforet",
			Layers: []string{"forest"},
			Doc:    "The type of forest that covers most of the parcel. Null where there is none." + report.Slivers}),
		report.List[Vegetation](report.Query{File: "vegetation.sql", Weight: 4},
			report.Key{Name: "zonesVegetation", Layers: []string{"vegetation"},
				Doc: "What grows on the parcel, by kind, the largest area first. Areas lie in one another, a hedge in a wood: " +
					"shares may add up to more than 100 %." + report.Slivers}),
		report.One[SoilPh](report.Query{File: "soil_ph.sql", Weight: 2}, report.Key{Name: "soilPh",
			Layers: []string{"soil_ph"},
			Doc: "pH of the soil under the parcel at 0–5 cm and 5–15 cm: the mean of the cells of the grid whose centres lie in it, else the cell " +
				"under a point of it. Modelled, not measured. Null where the grid has no value: towns and water."}),
		report.List[ProtectedArea](report.Query{File: "protected_areas.sql", Args: report.Args{"limit": 50},
			Weight: 3}, report.Key{Name: "protectedAreas", Layers: protectedLayers, Complete: inpnLayers,
			Doc: "The protected areas that the parcel lies in, the strongest protection first, then the one that covers most " +
				"of it, {limit} at most. Only of the kinds that are loaded for the place, which the loads of the report name; the list " +
				"is empty only where all kinds that the INPN publishes are loaded, else null. Classified and listed sites are in " +
				"the list where they are loaded, and an empty list does not speak of them." + report.Slivers}),
	}}
}

//go:embed protected_areas_tile.sql
var protectedAreasTile string

// MapLayers returns the layer of the protected areas.
func MapLayers() []source.MapLayer {
	return []source.MapLayer{{Name: "nature", Layers: protectedLayers, Producer: protectedProducer, MinZoom: 11,
		Select: protectedAreasTile}}
}

// GeographyReport returns the part of the parcel report on elevation, coast and mountains.
func GeographyReport() report.Topic {
	return report.Topic{Group: "Other", Files: statements, Queries: []report.Query{
		report.One[Geography](report.Query{File: "geography.sql", Weight: 6},
			report.Key{Name: "geography", Layers: []string{"elevation", "coast", "mountain"},
				Doc: "Mean height of the parcel, and its distances to the coast and to the nearest area classed as mountain, in metres. A member is null " +
					"when its source is not loaded for the place; null as a whole when none of them has a value."})}}
}

// Geography is the elevation of a parcel and its distances to the coast and to the mountains.
type Geography struct {
	ElevationM           *float64 `json:"elevationM" doc:"Mean height above sea level in metres, with one decimal" example:"57.3"`
	ElevationResolutionM *float64 `json:"elevationResolutionM" doc:"Side of a cell of the elevation model in metres" example:"25"`
	CoastDistanceM       *int     `json:"coastDistanceM" doc:"Metres to the coast" example:"9800"`
	MountainDistanceM    *int     `json:"mountainDistanceM" doc:"Metres to the nearest area classed as mountain; 0 inside" example:"41000"`
	Massif               *string  `json:"massif" doc:"The massif that the parcel lies in; null outside" example:"Massif central"`
}

// ImageryReport returns the part of the parcel report on historic aerial photographs.
func ImageryReport() report.Topic {
	return report.Topic{Group: "Other", Files: statements, Queries: []report.Query{
		report.One[OldImagery](report.Query{File: "old.sql", Weight: 2},
			report.Key{Name: "old", Layers: []string{"aerial_survey", "orthophoto_1950"},
				Doc: "The historic aerial photographs whose extent touches the parcel. Null where there are none."})}}
}

// OldImagery lists the historic aerial photographs that show a place.
type OldImagery struct {
	Missions       *int  `json:"missions" doc:"Number of flights; null where they are not loaded." example:"12"`
	FirstYear      *int  `json:"firstYear" doc:"Year of the first." example:"1944"`
	LastYear       *int  `json:"lastYear" doc:"Year of the last." example:"1998"`
	Years          []int `json:"years" doc:"Years with at least one flight, ascending; null where they are not loaded."`
	Orthophoto1950 *bool `json:"orthophoto1950" doc:"Whether the orthophoto of 1950 to 1965 shows the place; null where its extent is not loaded."`
}
