package territory

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"arpent/api/parcel"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// The results, with their fields in the order of the contract. A pointer
// is null where no loaded source has a value.

// CodeNameList is a list of régions, départements or communes.
type CodeNameList struct {
	Count int        `json:"count" doc:"Number of items."`
	Data  []CodeName `json:"data" doc:"The items, sorted by code unless sort names a figure."`
	// EPCI is nil unless the communes of an intercommunal body are listed.
	EPCI  *NamedBody `json:"epci,omitempty" doc:"Only with epci: the intercommunal body whose communes these are."`
	Total *int       `json:"total,omitempty" doc:"How many there are, where top has cut the list."`
	// WithoutFigure is nil where every item has the figure that the list is sorted by.
	WithoutFigure *int `json:"withoutFigure,omitempty" doc:"Only with sort: how many have no such figure. They come last; their true rank is unknown. Where none has it, data is empty, or not sorted where fields names another figure and top is not given."`
	// Unranked is nil where all items without the figure are in Data.
	Unranked []CodeName `json:"unranked,omitempty" doc:"Only with top: those of withoutFigure that are not in data, 10 at most, by code, each with its state."`
	// WithoutFigureIn is nil but in a ranking of the communes of France or of a région, some of which lack the
	// figure.
	WithoutFigureIn []DepartementCount `json:"withoutFigureIn,omitempty" doc:"Only where communes of France or a région are ranked: the départements of those of withoutFigure, the one of most first. What is first in data may not be first in France where whole départements are among them."`
	// UnrankedTruncated is set where Unranked lacks some that are not in Data.
	UnrankedTruncated bool `json:"unrankedTruncated,omitempty" doc:"true: unranked does not name all of withoutFigure that are not in data."`
	// TiedWithLast is nil unless Top has cut a list between equal figures.
	TiedWithLast *Ties `json:"tiedWithLast,omitempty" doc:"Only where top has cut the list: those after the last item of data that have the same figure as it."`
	// Overseas is nil unless départements of France have figures.
	Overseas []CodeName `json:"overseas,omitempty" doc:"Only with fields or sort in lists of départements: the overseas ones, which are not in data, with the same figures in the same order. /departements/{code} has none of them."`
	// MixedYears is nil where the figures of each field are of one year.
	MixedYears map[string][]int `json:"mixedYears,omitempty" doc:"Only with fields or sort: by field whose figures in data are of several years, these years. Their order compares different years; sources of an item names its own."`
	// Absent is nil where each item has the figures that some item has.
	Absent []Absence `json:"absent,omitempty" doc:"Only with fields or sort: of the figures that some items of data have and others have not, why, by field and reason. states has those that none has."`
	// Fuzzy is set where no name is spelt as the call has it.
	Fuzzy bool `json:"fuzzy,omitempty" doc:"true: no name holds what was asked for; these do but for one typing error."`
	// Note is empty where a list has all that it was asked for.
	Note string `json:"note,omitempty" doc:"What the list has not and where it is: overseas départements, and their places if they were in data; arrondissements that are called so as name says; in place of a figure that is not loaded one that is; where no commune is called so, the search."`
	// Sources are nil unless fields asks for figures.
	Sources map[string]stats.Origin `json:"sources,omitempty" doc:"Only with fields: by field, source and year of its figures."`
	// States are nil unless no item has one of the figures.
	States map[string]state.KeyState `json:"states,omitempty" doc:"Only with fields: by field that no item has a value of, why."`
}

// MaxTies is how many of the ties of a list are named.
const MaxTies = 5

// Ties are the territories that have the figure of the last item of a list, and are not in it.
type Ties struct {
	Count int        `json:"count" doc:"How many they are." example:"2"`
	Data  []CodeName `json:"data" doc:"The first of them, 5 at most."`
}

// MaxAbsent is how many codes an Absence names.
const MaxAbsent = 30

// Absence is why some items of a list have no figure.
type Absence struct {
	Field  string      `json:"field" doc:"The field." example:"medianIncome"`
	State  state.State `json:"state" enum:"none,not_loaded,not_covered,secret,not_applicable" doc:"Why, in a word."`
	Reason string      `json:"reason,omitempty" doc:"Why, in a sentence, where it is known." example:"The producer has not published it for the territory of today."`
	Count  int         `json:"count" doc:"How many items." example:"3"`
	Codes  []string    `json:"codes" doc:"Codes of the first of them, 30 at most." example:"971"`
}

// Add counts an item.
func (a *Absence) Add(code string) {
	if a.Count++; len(a.Codes) < MaxAbsent {
		a.Codes = append(a.Codes, code)
	}
}

// DepartementCount is a number of communes of a département.
type DepartementCount struct {
	Code  string `json:"code" doc:"Code of the département." example:"973"`
	Name  string `json:"name" doc:"Name of the département." example:"Guyane"`
	Count int    `json:"count" doc:"How many of its communes." example:"14"`
}

// NamedCommune is a commune, or an arrondissement of one, that an answer points to.
type NamedCommune struct {
	Name      string `json:"name" doc:"Its name."`
	CodeInsee string `json:"codeInsee" doc:"Its code (not the postcode)."`
}

// ChefLieu is the commune that is the préfecture of a département or région.
type ChefLieu NamedCommune

// Schema describes the commune, or null.
func (ChefLieu) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{
		AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[NamedCommune](), true, "NamedCommune"),
			{Type: "null"}},
		Description: "The commune that is its chef-lieu (préfecture). Null where it is not loaded."}
}

// Seat is a territory whose chef-lieu a commune is.
type Seat struct {
	Kind string `json:"kind" enum:"departement,region" doc:"Kind of territory." example:"departement"`
	Code string `json:"code" doc:"Its code." example:"93"`
	Name string `json:"name" doc:"Its name." example:"Seine-Saint-Denis"`
}

// CodeName is an item of a list. It has one of the two codes.
type CodeName struct {
	Name      string `json:"name" doc:"Name of the territory."`
	Code      string `json:"code,omitempty" doc:"Code of a région or département."`
	CodeInsee string `json:"codeInsee,omitempty" doc:"Code of a commune (not the postcode)."`
	// Population is nil unless it is asked for.
	Population *Inhabitants `json:"population,omitempty" doc:"Only with include=population, in lists of régions and départements."`
	// State is empty but in Unranked.
	State state.State `json:"state,omitempty" enum:"none,not_loaded,not_covered,secret,not_applicable" doc:"Only in unranked: why there is no figure; the territory's own states say it in a sentence."`
	// Stats are nil unless fields asks for some.
	Stats   Figures                 `json:"stats,omitempty" doc:"Only with fields: by field, the value; null where there is none, and the territory's own states say why."`
	Sources map[string]stats.Origin `json:"sources,omitempty" doc:"By field, source and year of a figure that has others than those of the list."`
	// SmallBase is nil where no figure is one of few.
	SmallBase []string `json:"smallBase,omitempty" doc:"The fields whose figure is of fewer than 200 persons, dwellings or votes: one more or less moves it, and its place in the list."`
}

// Figures are values of the statistics by field.
type Figures map[string]json.RawMessage

// Schema is an object of any values.
func (Figures) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// Inhabitants is how many people live in a territory.
type Inhabitants struct {
	Municipal *int `json:"municipal" doc:"Municipal population, inhabitants, newest; null where none is loaded." example:"1704316"`
	Year      *int `json:"year" doc:"Its census year." example:"2023"`
}

// Area says what the area of a territory is, next to it.
type Area struct {
	AreaSource     *string  `json:"areaSource" doc:"Producer and title of the land area in areaKm2; null where areaKm2 is that of the outline." example:"INSEE, Comparateur de territoires, superficie"`
	AreaYear       *int     `json:"areaYear" doc:"Edition of that data set; null where areaSource is." example:"2021"`
	OutlineAreaKm2 *float64 `json:"outlineAreaKm2" doc:"Geodesic area of the outline in km², two decimals, with lakes, ponds and estuaries; null where no outline is loaded."`
}

// OutlineOrigin says what an outline is.
type OutlineOrigin struct {
	Source     string  `json:"source" doc:"Producer and title of the outlines." example:"IGN; Etalab, Contours administratifs : communes, départements et régions"`
	Edition    *string `json:"edition" doc:"Year of the outline, of one that is made of several their years; null where the file does not say." example:"2025"`
	PrecisionM *int    `json:"precisionM" doc:"By how many metres the outline was generalised: a border may be as far from where it is drawn, or somewhat farther. Null where no outline is loaded." example:"20"`
}

// Region is a région.
type Region struct {
	Kind    string   `json:"kind" doc:"Kind of territory." enum:"region"`
	Code    string   `json:"code" doc:"Code of the région." example:"11"`
	Name    string   `json:"name" doc:"Name of the région." example:"Île-de-France"`
	AreaKm2 *float64 `json:"areaKm2" doc:"Land area in km², two decimals: that which INSEE publishes, the sum of its communes; where it is not known of one of them, the area of the outline. Null where neither is loaded." example:"12011.33"`
	Area
	CommuneCount     int                       `json:"communeCount" doc:"How many communes it has." example:"1266"`
	ChefLieu         *ChefLieu                 `json:"chefLieu"`
	DepartementCount int                       `json:"departementCount" doc:"Metropolitan départements: those of the list of départements." example:"8"`
	Geometry         geom.GeoJSON              `json:"geometry,omitempty"`
	Outline          *OutlineOrigin            `json:"outline,omitempty" doc:"Only with include=geometry: what the outline is."`
	Centre           *geom.Centre              `json:"centre,omitempty"`
	Bbox             geom.Bbox                 `json:"bbox,omitempty"`
	Stats            *Stats                    `json:"stats,omitempty" doc:"Only with include=stats or fields; every key of the level, or those that fields names."`
	States           map[string]state.KeyState `json:"states,omitempty" doc:"Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of its own and is null, also why that is, as key.part."`
	Departements     *CodeNameList             `json:"departements,omitempty" doc:"Only with include=departements."`
}

// Departement is a metropolitan département.
type Departement struct {
	Kind       string   `json:"kind" doc:"Kind of territory." enum:"departement"`
	Code       string   `json:"code" doc:"2A and 2B in Corsica." example:"93"`
	Name       string   `json:"name" doc:"Name of the département." example:"Seine-Saint-Denis"`
	RegionCode *string  `json:"regionCode" doc:"Code of the région." example:"11"`
	RegionName *string  `json:"regionName" doc:"Name of the région." example:"Île-de-France"`
	AreaKm2    *float64 `json:"areaKm2" doc:"Land area in km², two decimals: that which INSEE publishes, the sum of its communes; where it is not known of one of them, the area of the outline. Null where neither is loaded." example:"236.2"`
	Area
	CommuneCount int                       `json:"communeCount" doc:"How many communes it has." example:"39"`
	ChefLieu     *ChefLieu                 `json:"chefLieu"`
	Geometry     geom.GeoJSON              `json:"geometry,omitempty"`
	Outline      *OutlineOrigin            `json:"outline,omitempty" doc:"Only with include=geometry: what the outline is."`
	Centre       *geom.Centre              `json:"centre,omitempty"`
	Bbox         geom.Bbox                 `json:"bbox,omitempty"`
	Stats        *Stats                    `json:"stats,omitempty" doc:"Only with include=stats or fields; every key of the level, or those that fields names."`
	States       map[string]state.KeyState `json:"states,omitempty" doc:"Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of its own and is null, also why that is, as key.part."`
	Communes     *CodeNameList             `json:"communes,omitempty" doc:"Only with include=communes."`
}

// Commune is a current commune, or an arrondissement of Paris, Lyon or Marseille.
type Commune struct {
	Kind       string   `json:"kind" doc:"Kind of territory." enum:"commune"`
	CodeInsee  string   `json:"codeInsee" doc:"Commune code of INSEE (not the postcode)." example:"93010"`
	Name       string   `json:"name" doc:"Name of the commune." example:"Bondy"`
	DeptCode   *string  `json:"deptCode" doc:"971 to 976 overseas." example:"93"`
	DeptName   *string  `json:"deptName" doc:"Name of the département." example:"Seine-Saint-Denis"`
	RegionCode *string  `json:"regionCode" doc:"Code of the région." example:"11"`
	RegionName *string  `json:"regionName" doc:"Name of the région." example:"Île-de-France"`
	AreaKm2    *float64 `json:"areaKm2" doc:"Land area in km², two decimals: that which INSEE publishes; where it publishes none, the area of the outline. Null where neither is loaded." example:"5.47"`
	Area
	ArrondissementOf *NamedCommune             `json:"arrondissementOf,omitempty" doc:"Only of an arrondissement of Paris, Lyon or Marseille, which has a code of its own (75118): the commune that it is part of. Its statistics are its own, and null where they are known of the city alone."`
	Postcodes        []string                  `json:"postcodes" doc:"Its postcodes, sorted; other communes may share them." example:"93140"`
	FormerCommunes   []FormerCommune           `json:"formerCommunes" nullable:"true" doc:"The communes that became part of it since 1943 and were not restored, the newest first; also the one whose code it has, where it is a commune nouvelle or took another name in the merger. Null where the movements of communes are not loaded."`
	ChefLieuOf       []Seat                    `json:"chefLieuOf" nullable:"true" doc:"The département and the région whose chef-lieu (préfecture) it is; empty: it is none. Sous-préfectures are in no loaded file. Null where that is not loaded."`
	Geometry         geom.GeoJSON              `json:"geometry,omitempty"`
	Outline          *OutlineOrigin            `json:"outline,omitempty" doc:"Only with include=geometry: what the outline is."`
	Centre           *geom.Centre              `json:"centre,omitempty"`
	Bbox             geom.Bbox                 `json:"bbox,omitempty"`
	Stats            *Stats                    `json:"stats,omitempty" doc:"Only with include=stats or fields; every key of the level, or those that fields names."`
	States           map[string]state.KeyState `json:"states,omitempty" doc:"Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of its own and is null, also why that is, as key.part."`
	Parcels          *parcel.CommuneParcels    `json:"parcels,omitempty" doc:"Only with include=stats or fields: how many parcels the cadastre has of it, in how many sections."`
	Neighbours       *Neighbours               `json:"neighbours,omitempty" doc:"Only where fields names it: the communes that touch it."`
	Arrondissement   *NamedCommune             `json:"arrondissement,omitempty" doc:"Only of a point in Paris, Lyon or Marseille: the arrondissement that it lies in. Its own figures are answered by its code."`
	Note             string                    `json:"note,omitempty" doc:"Only of a point that is as near to another commune as outlines are imprecise: which one."`
}

// Stats is rendered separately; the OpenAPI document replaces its schema by one with the keys.
type Stats struct{}

// Schema is an object.
func (Stats) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeObject} }
