package parcel

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"arpent/internal/fault"
)

// behindPrefix returns the error for a reference without the prefix of a former commune, which names the
// parcels that it may mean; nil: there are none.
func behindPrefix(x *Index, id IDU) error {
	if id.Prefix() != "000" {
		return nil
	}
	var alike []string
	for _, other := range x.alike(id) {
		alike = append(alike, string(other))
	}
	if alike == nil {
		return nil
	}
	return fault.Missing("No parcel has reference %s. Commune %s is a merger; references of its former communes "+
		"have a prefix. Did you mean %s?", id, id.Commune(), strings.Join(alike, " or "))
}

// missingParcelError returns the error for a reference that is not served: what
// became of the parcel, or why it is not known.
func (s *Store) missingParcelError(x *Index, id IDU) error {
	switch g, ok, err := x.findGone(id); {
	case err != nil:
		return unreadable(err)
	case ok:
		return g.missingError(id)
	}
	if err := behindPrefix(x, id); err != nil {
		return err
	}
	today, merged := s.currentCommuneCode(id.Commune())
	if !merged {
		return s.unknownParcelError(x, id)
	}
	var successors []string
	for _, candidate := range id.referencesIn(today) {
		if x.hasParcel(IDU(candidate)) {
			successors = append(successors, candidate)
		}
	}
	return s.mergedCommuneError(id, today, successors)
}

// missingError says what is known of a parcel that is gone.
func (g goneRecord) missingError(id IDU) error {
	message := "Parcel " + string(id) + " is no longer in the cadastre"
	if g.seen != nil {
		message += "; it was last seen in the edition of " + g.seen.Format(time.DateOnly)
	}
	if len(g.successors) > 0 {
		message += "; in its place are now: " + strings.Join(g.successors, ", ")
	}
	if g.more > 0 {
		message += " and " + strconv.Itoa(g.more) + " more"
	}
	return fault.Missing("%s.", message)
}

// currentCommuneCode is the code of the commune that another one was merged into; false: that one is a
// commune or an arrondissement of today, or there never was such a commune.
func (s *Store) currentCommuneCode(code string) (today string, merged bool) {
	place, ok := s.places(code)
	return place.CodeInsee, ok && place.CodeArr == "" && place.CodeInsee != code
}

// referencesIn are the references that a parcel of a merged commune can have in the commune of today,
// where it keeps section and number: their prefix is the end of the former commune's code, or the
// prefix that they had already. They are in order.
func (i IDU) referencesIn(today string) (references []string) {
	references = append(references, today+string(i[2:5])+string(i[8:]))
	if i.Prefix() != "000" {
		references = append(references, today+string(i[5:]))
	}
	slices.Sort(references)
	return slices.Compact(references)
}

// mergedCommuneError returns the error for a reference whose commune was merged into another one, and of
// which these parcels bear section and number there.
func (s *Store) mergedCommuneError(id IDU, today string, successors []string) error {
	switch {
	case len(successors) == 0 && s.explain(id.Commune()) != "": // a former commune is rarely meant
		return fault.Missing("No parcel has reference %s: %s", id, s.explain(id.Commune()))
	case len(successors) == 0:
		return fault.Missing("No parcel has reference %s: what was commune %s is in %s now, and so are its parcels.",
			id, id.Commune(), today)
	default:
		return fault.Missing("No parcel has reference %s any more: what was commune %s is in %s now; in its place is now: %s.",
			id, id.Commune(), today, strings.Join(successors, ", "))
	}
}

// unknownParcelError returns the error for a reference that there never was, as far as is known here.
func (s *Store) unknownParcelError(x *Index, id IDU) error {
	code := id.Commune()
	place, ok := s.places(code)
	if why := s.explain(code); !ok && why != "" {
		return fault.Missing("No parcel has reference %s: %s", id, why)
	}
	if !ok {
		return fault.Missing("No parcel has reference %s: no commune has code %s.", id, code)
	}
	loaded, first := s.coverageOf(x, code)
	switch {
	case first != code:
		return fault.Missing("No parcel has reference %s: those of %s begin with the code of an arrondissement, such as %s, not with %s.",
			id, place.CommuneName, first, code)
	case loaded == None:
		return fault.Missing("Parcel %s is not known: the parcels of %s (%s) are not loaded on this server.", id,
			place.CommuneName, code)
	case loaded == Part:
		return fault.Missing("Parcel %s is not known: only a part of the parcels of %s (%s) is loaded on this server.", id, place.CommuneName, code)
	}
	if sections := x.Sections(code); len(sections) <= maxSectionsNamed {
		asked := Section{Prefix: id.Prefix(), Name: id.Section()}
		var labels []string
		for _, s := range sections {
			labels = append(labels, s.Label())
		}
		if !slices.Contains(labels, asked.Label()) {
			return fault.Missing("No parcel has reference %s: %s (%s) has no section %s; it has %s.", id, place.CommuneName, code,
				asked.Label(), strings.Join(labels, ", "))
		}
	}
	return fault.Missing("No parcel has reference %s: the parcels of %s (%s) are loaded, and this is none of them.", id, place.CommuneName, code)
}

// maxSectionsNamed is how many sections an error lists.
const maxSectionsNamed = 100

// Coverage is how many of the parcels of a place are served.
type Coverage int

// A part is served where a load held a part of the commune only, or where some
// arrondissements are loaded and others are not.
const (
	None Coverage = iota
	Part
	Whole
)

// Coverage returns how many of the parcels of a commune or arrondissement are served. It returns fault.Down
// while there is no file.
func (s *Store) Coverage(code string) (Coverage, error) {
	x, err := s.openIndex()
	if err != nil {
		return None, err
	}
	c, _ := s.coverageOf(x, code)
	return c, nil
}

// coverageOf is Coverage with the first code that references of these parcels begin with: in a city that of
// an arrondissement.
func (s *Store) coverageOf(x *Index, code string) (c Coverage, first string) {
	codes := s.arrondissements(code)
	if codes == nil {
		codes = []string{code}
	}
	some, complete := 0, 0
	for _, code := range codes {
		if nth, ok := x.findCommune(code); ok {
			some++
			if x.communes[nth].Partial == 0 {
				complete++
			}
		}
	}
	switch {
	case some == 0:
		return None, codes[0]
	case complete < len(codes):
		return Part, codes[0]
	}
	return Whole, codes[0]
}
