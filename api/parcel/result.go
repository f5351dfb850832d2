package parcel

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"arpent/internal/opendata/geom"
)

// Parcelle is a cadastral parcel, with its fields in the order of the contract. A
// pointer is null where no loaded source has it.
type Parcelle struct {
	Kind      string  `json:"kind" doc:"Kind of object." enum:"parcelle"`
	IDU       string  `json:"idu" doc:"Cadastral reference." example:"930100000J0236"`
	CodeInsee string  `json:"codeInsee" doc:"Code of the commune." example:"93010"`
	CodeDep   string  `json:"codeDep" doc:"Code of the département, three characters overseas." example:"93"`
	Commune   string  `json:"commune" doc:"Name of the commune." example:"Bondy"`
	CodeCom   string  `json:"codeCom" doc:"Commune code without that of the département." example:"010"`
	CodeArr   *string `json:"codeArr" doc:"Arrondissement, in Paris, Lyon and Marseille only." example:"118"`
	ParcelleAttributes
	// What is not of the contract follows.
	Match     string       `json:"match,omitempty" enum:"inside,nearest" doc:"How the parcel matches the point asked for: inside, it covers the point; nearest, no parcel does, and this is the nearest one within maxDistance. Absent where the parcel was asked for by its reference."`
	DistanceM *int         `json:"distanceM,omitempty" doc:"Metres from the point asked for to the parcel, 0 inside. Absent where the parcel was asked for by its reference." example:"4"`
	Geometry  geom.GeoJSON `json:"geometry,omitempty"`
	Centre    *geom.Centre `json:"centre,omitempty"`
	Bbox      geom.Bbox    `json:"bbox,omitempty"`
	Readings  []string     `json:"readings,omitempty" doc:"Only where the reference was written with words that may mean something else: as what it was read, and what else it may be. Of communes of one name it is read as the only one with parcels on this server."`
}

// ParcelleAttributes are what the cadastre has of a parcel itself. A pointer is null where no loaded source
// has it.
type ParcelleAttributes struct {
	Section           string  `json:"section" doc:"Section, two characters." example:"0A"`
	Numero            string  `json:"numero" doc:"Number in the section, four digits." example:"0224"`
	Feuille           *int32  `json:"feuille" doc:"Sheet of the plan; null where no loaded source has it." example:"1"`
	Contenance        *int32  `json:"contenance" doc:"Recorded cadastral area in m²; null where no loaded source has it, or has 0." example:"412"`
	ContenanceDiffers *bool   `json:"contenanceDiffers" doc:"True where the recorded area and the area of the outline differ by more than a factor of 2: the file has another figure than its plan. Null where no area is recorded." example:"false"`
	OutlineAreaM2     float64 `json:"outlineAreaM2" doc:"Area of the outline as it is drawn on the plan, on the ellipsoid, in m², one decimal; contenance is the recorded one, which need not be measured on the plan." example:"414.2"`
	Vintage           *string `json:"vintage" doc:"Edition of the cadastre that the parcel is from, a day; null where the file does not say." example:"2025-01-01"`
}

// row is a parcel as stored.
type row struct {
	idu        IDU
	contenance number
	feuille    number
	vintage    *time.Time
}

// number is one that may be missing.
type number = pgtype.Int4

// The values of match.
const (
	MatchInside  = "inside"
	MatchNearest = "nearest"
)

// pointMatch is how a parcel matches the point that was asked for; without a name: none was.
type pointMatch struct {
	name      string
	distanceM int
}

// contenanceDiffers reports whether a recorded area and that of the
// outline differ by more than a factor of 2.
func contenanceDiffers(contenance number, outlineM2 float64) bool {
	m2 := float64(contenance.Int32)
	return contenance.Valid && (m2 < outlineM2/2 || m2 > outlineM2*2)
}

const (
	geometryKey = `,"geometry":`
	centreKey   = `,"centre":`
	bboxKey     = `,"bbox":`
)

// encodeParcelle writes the answer as encoding Parcelle would, over buffer or in one allocation: parcels are
// asked for more than anything else.
func encodeParcelle(buffer []byte, r row, place Place, shape *geom.Shape, in geom.Members,
	match pointMatch) []byte {
	size := 400 + len(place.CommuneName) // the other members take at most 390
	if in.Geometry {
		size += len(geometryKey) + shape.MaxGeoJSONLen()
	}
	if in.Centre {
		size += len(centreKey) + shape.MaxCentreLen()
	}
	if in.Bbox {
		size += len(bboxKey) + shape.MaxBboxLen()
	}
	b := buffer[:0]
	if cap(b) < size {
		b = make([]byte, 0, size)
	}
	b = append(b, `{"kind":"parcelle","idu":"`...)
	b = append(b, r.idu...)
	b = append(b, `","codeInsee":"`...)
	b = append(b, place.CodeInsee...)
	b = append(b, `","codeDep":"`...)
	b = append(b, place.CodeDep...)
	b = appendJSONString(append(b, `","commune":`...), place.CommuneName)
	b = append(b, `,"codeCom":"`...)
	b = append(b, strings.TrimPrefix(place.CodeInsee, place.CodeDep)...)
	b = append(b, `","codeArr":`...)
	if place.CodeArr == "" {
		b = append(b, "null"...)
	} else {
		b = append(append(append(b, '"'), place.CodeArr...), '"')
	}
	b = appendAttributes(append(b, ','), r, shape.AreaM2())
	if match.name != "" {
		b = append(append(b, `,"match":"`...), match.name...)
		b = strconv.AppendInt(append(b, `","distanceM":`...), int64(match.distanceM), 10)
	}
	if in.Geometry {
		b = shape.AppendGeoJSON(append(b, geometryKey...))
	}
	if in.Centre {
		b = shape.AppendCentre(append(b, centreKey...))
	}
	if in.Bbox {
		b = shape.AppendBbox(append(b, bboxKey...))
	}
	return append(b, '}')
}

// appendAttributes writes the members that come from the parcel alone, whose outline has an area.
func appendAttributes(b []byte, r row, outlineM2 float64) []byte {
	b = append(b, `"section":"`...)
	b = append(b, r.idu.Section()...)
	b = append(b, `","numero":"`...)
	b = append(b, r.idu.Number()...)
	b = appendNumber(append(b, `","feuille":`...), r.feuille)
	b = appendNumber(append(b, `,"contenance":`...), r.contenance)
	b = append(b, `,"contenanceDiffers":`...)
	if r.contenance.Valid {
		b = strconv.AppendBool(b, contenanceDiffers(r.contenance, outlineM2))
	} else {
		b = append(b, "null"...)
	}
	b = strconv.AppendFloat(append(b, `,"outlineAreaM2":`...), math.Round(outlineM2*10)/10, 'f', -1, 64)
	b = append(b, `,"vintage":`...)
	if r.vintage == nil {
		return append(b, "null"...)
	}
	return r.vintage.AppendFormat(b, `"`+time.DateOnly+`"`)
}

func appendNumber(b []byte, n number) []byte {
	if !n.Valid {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(n.Int32), 10)
}

// appendJSONString appends s as a JSON string. Names of communes hardly ever need an escape.
func appendJSONString(b []byte, s string) []byte {
	special := func(r rune) bool { return r < ' ' || strings.ContainsRune("\"\\<>&\u2028\u2029\ufffd", r) }
	if strings.IndexFunc(s, special) < 0 {
		return append(append(append(b, '"'), s...), '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return append(b, quoted...)
}
