package api

import (
	"errors"
	"fmt"

	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/internal/fault"
)

var parcelIDU = asWrittenLike(`[0-9]`, asWritten(withReferenceLookup(withReader(codeParam("idu",
	"path", parcel.IDUPattern, parcel.IDUExpected,
	"Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number. Other ways of writing it are read: 93010 J 236, section AY 71 Bondy.", parcel.ExampleIDU,
	func(s string) bool { _, err := parcel.ParseIDU(s); return err == nil }),
	readWord)), parcel.InWords))

// readWord reads a reference in one word. Of one in several words the territory decides what its digits are:
// the code of a commune, or a postcode.
func readWord(text string) (idu string, ok bool) {
	id, ok := parcel.Read(text)
	return string(id), ok && !parcel.InWords(text)
}

// getParcelAtPoint is the row of the operations table.
func getParcelAtPoint() Operation {
	return Operation{
		Name: "get_parcel_at_point", Path: "/parcelles", Tag: TagParcels, Unavailable: true,
		Summary: "Find the parcel at a point", SummaryFrench: "La parcelle d’un point",
		Description: "The cadastral parcel that covers the point; on request its polygon. The point of an address often lies in the street, which has no parcel: " +
			"with `maxDistance` the nearest parcel within so many metres is answered there, with `match` nearest and `distanceM`.",
		DescriptionFrench: "La parcelle cadastrale qui contient un point, ou, avec `maxDistance`, la plus proche à tant de mètres au plus : `match` dit laquelle des deux. Une parcelle trouvée donne sa référence de 14 caractères (`idu`), avec laquelle se demande le rapport complet.",
		Params:            []Param{makeRequired(latitude), makeRequired(longitude), maxDistance},
		Include:           []IncludeValue{includeGeometry, includeCentre, includeBbox},
		Results:           []any{parcel.Parcelle{}}, Example: "/parcelles?lat=48.9024&lon=2.4834",
		Places: []Place{
			{"Un point à Bondy", "A point in Bondy", "/parcelles?lat=48.9024&lon=2.4834"},
			{"Un point à Paris", "A point in Paris", "/parcelles?lat=48.8606&lon=2.3376"},
		},
		Run: (*Handlers).ParcelleAt,
		Tools: []Tool{
			{
				Name: "get_parcel_at_point", Title: "Get the cadastral parcel at a point",
				Defaults: map[string]string{maxDistance.Name: "10"},
				About: "Returns the cadastral parcel at a WGS84 point: reference (idu), commune, section, number, recorded area in m² (contenance). " +
					"match is inside where it covers the point, else nearest, distanceM metres away. " +
					"An address needs no point: search_address gives the idu of a housenumber. For a report call get_parcel_enrichments.",
				Example: `{"lat":48.9024,"lon":2.4834}`,
				Invalid: "Both lat and lon are needed, in decimal degrees.",
				Missing: "Roads and water have no parcel: raise maxDistance, up to 50, and check that lat and lon are not swapped.",
				Page: ToolPage{Place: 9, Gives: "The cadastral parcel at a point.",
					French: "Trouver la parcelle cadastrale d’un point", English: "Find the cadastral parcel at a point",
					FrenchAsks:  "Sur quelle parcelle se trouve le point 48,9024\u00a0; 2,4834\u00a0?",
					EnglishAsks: "Which parcel is at the point 48.9024, 2.4834?"},
			},
		},
	}
}

// ParcelleAt answers get_parcel_at_point.
func (h *Handlers) ParcelleAt(r *Request) (reply.Reply, error) {
	lat, lon := r.Point()
	metres, _ := parseMetres(r.Text(maxDistance.Name)) // 0 where it is not given
	answer, err := h.parcels.At(lat, lon, metres, r.shapeMembers(), r.takeBuffer())
	if f := (*fault.Error)(nil); errors.As(err, &f) && f.Code == fault.NotFound {
		return answer, h.explainNoParcel(lat, lon, f)
	}
	return answer, err
}

// maxDistance is how far from the point a parcel may be.
var maxDistance = Param{Name: "maxDistance", In: "query", Type: "number", Example: 10, Default: 0,
	Max:         parcel.NearbyMetres,
	Description: "Where no parcel covers the point, the nearest one up to so many metres away is answered, 0 to 50; with 0 none is.",
	Expected:    "metres between 0 and 50",
	Valid:       func(s string) bool { _, ok := parseMetres(s); return ok }}

// parseMetres reads a distance between 0 and NearbyMetres.
func parseMetres(s string) (float64, bool) {
	v, ok := parseDegrees(s, parcel.NearbyMetres)
	return v, ok && v >= 0
}

// explainNoParcel says why there is no parcel at a point: there is no commune, its parcels are not loaded, or
// the land has none. It names the nearest that is close by.
func (h *Handlers) explainNoParcel(lat, lon float64, known *fault.Error) error {
	snap, err := h.territorySnapshot()
	if err != nil {
		return known
	}
	place, err := snap.PlaceAt(lat, lon)
	if err != nil {
		return err
	}
	code, ok := snap.ArrondissementAt(lat, lon)
	if !ok {
		code = place.CodeInsee
	}
	loaded, err := h.parcels.Coverage(code)
	why, instead := "It lies in %s (%s), on land that has no parcel, such as a street or a river.", ""
	switch {
	case err != nil:
		return err
	case loaded == parcel.None:
		why = "It lies in %s (%s), whose parcels are not loaded on this server."
		instead = "Other points of this commune have no parcel here either: get_commune says what is known of it."
	case loaded == parcel.Part:
		why = "It lies in %s (%s), of whose parcels only a part is loaded on this server: it may lie on another, or on land that has none."
	}
	message := fmt.Sprintf("%s "+why, known.Message, place.CommuneName, code)
	if loaded != parcel.None {
		if idu, metres, err := h.parcels.Near(lat, lon, parcel.NearbyMetres); err == nil {
			message += fmt.Sprintf(" The nearest parcel is %s, %.0f m away.", idu, max(1, metres))
			instead = `If it is meant, call get_parcel or get_parcel_enrichments with {"idu":"` + idu + `"}.`
		}
	}
	return fault.Missing("%s", message).Instead("", instead)
}

// getParcel is the row of the operations table.
func getParcel() Operation {
	return Operation{
		Name: "get_parcel", Path: "/parcelles/{idu}", Tag: TagParcels, Unavailable: true,
		Summary: "Get a parcel", SummaryFrench: "Une parcelle",
		Description: "A cadastral parcel by its reference (IDU); on request its polygon. A parcel that is gone answers 404 with the parcels that took its place.",
		DescriptionFrench: "Une parcelle d’après sa référence cadastrale de 14 caractères\u00a0: commune, section, numéro, contenance et, sur demande, contour. " +
			"Si la parcelle n’existe plus, le message nomme celles qui l’ont remplacée.",
		Params:  []Param{parcelIDU},
		Include: []IncludeValue{includeGeometry, includeCentre, includeBbox},
		Results: []any{parcel.Parcelle{}}, Example: "/parcelles/" + parcel.ExampleIDU + "?include=geometry",
		Places: []Place{
			{"Une parcelle de Bondy", "A parcel in Bondy", "/parcelles/" + parcel.ExampleIDU + "?include=geometry"},
			{"Une référence qui n’existe pas", "A reference that does not exist", "/parcelles/930100000A9999"},
		},
		Run: (*Handlers).Parcelle,
		Tools: []Tool{
			{
				Name: "get_parcel", Title: "Get a cadastral parcel by its reference",
				About: "Returns one cadastral parcel by its reference (IDU): commune, section, number, sheet and area in m² as the cadastre (DGFiP) has them: recorded (contenance) and as drawn (outlineAreaM2; contenanceDiffers is true where that is over twice contenance or under half). A reference as deeds write it (93010 J 236, section AY 71 Bondy) is understood too. " +
					"A parcel that was divided or merged answers not_found with those that took its place. Without the reference use get_parcel_at_point; for a report get_parcel_enrichments.",
				Example: `{"idu":"` + parcel.ExampleIDU + `"}`,
				Invalid: "With an address instead of a reference call search_address: a housenumber has its idu.",
				Missing: "If the message names other parcels, call get_parcel with one of them; otherwise find the parcel with get_parcel_at_point.",
				Page: ToolPage{Place: 10, Gives: "A cadastral parcel by its reference (IDU).",
					French:      "Lire une parcelle par sa référence cadastrale",
					English:     "Read a parcel by its cadastral reference",
					FrenchAsks:  "Quelle est la contenance de la parcelle " + parcel.ExampleIDU + "\u00a0?",
					EnglishAsks: "What is the recorded area of parcel " + parcel.ExampleIDU + "?"},
			},
		},
	}
}

// Parcelle answers get_parcel.
func (h *Handlers) Parcelle(r *Request) (reply.Reply, error) {
	return h.parcels.Find(h.parcels.Spelled(r.Text("idu")), r.shapeMembers(), r.takeBuffer())
}
