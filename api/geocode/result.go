package geocode

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"arpent/api/geocode/layout"
)

// FoundPlaces is the answer to a search, best first.
type FoundPlaces struct {
	Query string `json:"query" doc:"The query as it was searched, without blanks around it." example:"12 allée des Roses, Bondy"`
	Count int    `json:"count" doc:"Number of answers in data; 0 when nothing was found." example:"1"`
	// Truncated is said in place of a total: a search ends when it has
	// enough, and never knows all that would fit.
	Truncated bool `json:"truncated" doc:"True where more answers fit than limit allows. How many is not known: a search does not go through all." example:"false"`
	// Ambiguous and Namesakes are of the first answer.
	Ambiguous bool         `json:"ambiguous" doc:"True where several places are called so as the query says, or large ones begin so: ask which is meant, or add a département or a postcode. Where they are called so equally the greatest comes first, and no score is above 0.8." example:"false"`
	Namesakes int          `json:"namesakes" doc:"How many places are called so, the first answer included: the communes that have the name today, with those that only begin so or had it until they were renamed where they are larger or have 2 000 inhabitants and more, and where one alone has it, those that one of the name became part of; or the streets that were found. 1 where there is only that one, 0 when nothing was found." example:"1"`
	Data      []FoundPlace `json:"data" doc:"The answers, best first."`
	Hint      *string      `json:"hint" doc:"Where to ask instead, when the query is the name or code of a département, the name of a région (also of one that was merged in 2016), coordinates or a cadastral reference, for which there are other operations; or why the first answer is less than was asked for: the streets of its commune or its house number are not loaded, the commune has no street of the kind (rue, avenue), no commune was named and the streets of few are loaded, a grouping of communes was asked for, or nothing is called so; or why there is none. Else null." example:"Corrèze is a département: GET /departements/19 (tool get_departement)."`
	// NamesArea is set where the whole query names a département or région, which Hint says.
	NamesArea bool `json:"-"`
}

// FoundPlace is one address or place.
type FoundPlace struct {
	Kind        string   `json:"kind" enum:"housenumber,street,locality,commune,parcel" doc:"What was found. A parcel is one whose reference was asked for. A street whose number is not known is a street; a street that is not known is the commune it was asked in." example:"housenumber"`
	Label       string   `json:"label" doc:"The whole address or place in one line, to be shown." example:"12 Allee des Roses, 93140 Bondy"`
	Score       float64  `json:"score" minimum:"0" maximum:"1" doc:"How well it fits the query, comparable between answers. Above 0.8 every word of the query was found as written or by a known variant (st for saint, bd for boulevard), and one place alone is called so; a guess (typing errors, words by their sound, words left out), an answer without a part of what was asked for and one of several that are called so have 0.8 at most; a street that was asked for without its commune or postcode has 0.79 at most where the streets of other communes are not loaded." example:"0.9868"`
	Fuzzy       bool     `json:"fuzzy" doc:"True where a word of the query is spelt otherwise in the answer, or only the beginning of one: a guess. Such words are in unmatched." example:"false"`
	IDU         *string  `json:"idu" doc:"Reference of the parcel: of a parcel, and of a housenumber that of the parcel that its point lies in, else of the nearest one within 50 m: see distanceM. Null for all others, and where no parcel is loaded there." example:"930100000J0236"`
	DistanceM   *int     `json:"distanceM" doc:"Metres from the point of a housenumber to the parcel of idu; 0 where it lies inside. The farther, the less sure: look at a parcel that is not next to the point before you take it. Null for all others." example:"3"`
	HouseNumber *string  `json:"housenumber" doc:"Number with its suffix, of a housenumber; null for all others. A suffix (bis, ter…) that is not known gives the number without it." example:"12"`
	Street      *string  `json:"street" doc:"Name of the street or locality; null for a commune." example:"Allee des Roses"`
	Postcode    *string  `json:"postcode" doc:"Null where there is none or not a single one." example:"93140"`
	Postcodes   []string `json:"postcodes" doc:"All postcodes of the commune, or of the arrondissement that was found, sorted; of a street that of postcode alone." example:"93140"`
	CodeInsee   string   `json:"codeInsee" doc:"Code of the commune of today, as in /communes/{code}; not the postcode. In an arrondissement it is that of the city: see codeArrondissement." example:"93010"`
	// CodeArrondissement is nil where there is none.
	CodeArrondissement *string  `json:"codeArrondissement,omitempty" doc:"Only in Paris, Lyon and Marseille, of an arrondissement and of what lies in one: its code, as in codes of parcels." example:"75118"`
	Commune            string   `json:"commune" doc:"Name of the commune of today." example:"Bondy"`
	DeptCode           string   `json:"deptCode" doc:"Code of its département." example:"93"`
	Lat                *float64 `json:"lat" doc:"WGS84 latitude in decimal degrees: of the number, of a point on the street, or inside the commune. Null where it is not known." example:"48.908793"`
	Lon                *float64 `json:"lon" doc:"WGS84 longitude in decimal degrees, likewise." example:"2.479006"`
	Matched            []string `json:"matched" doc:"The words of the query that this answer has, as written or by a known variant; in lower case without accents, abbreviations as they were written." example:"12,allee,des,roses,bondy"`
	Unmatched          []string `json:"unmatched" doc:"The words of the query that this answer does not have: the number, the street or the place that was not found, and words that it has spelt otherwise. Empty when all were found."`
}

// LacksStreet reports whether f is a commune that stands for an address whose street was not found in it.
func (f *FoundPlace) LacksStreet() bool {
	return f.Kind == "commune" && !f.Fuzzy && len(f.Unmatched) > 0
}

// PutFirst puts the commune that the query names before answers that are others, and lists the words of the
// query that it does not have.
func (r *FoundPlaces) PutFirst(commune FoundPlace, limit int) {
	if len(r.Data) > 0 && r.Data[0].CodeInsee == commune.CodeInsee {
		return
	}
	var matched []string
	for _, w := range layout.Words(r.Query) {
		if slices.Contains(commune.Matched, w) {
			matched = append(matched, w)
		} else {
			commune.Unmatched = append(commune.Unmatched, w)
		}
	}
	commune.Matched, commune.Score = matched, min(commune.Score, guessFrom)
	r.Data = slices.DeleteFunc(r.Data, func(f FoundPlace) bool {
		return f.Score >= commune.Score || f.CodeInsee == commune.CodeInsee
	})
	r.Data = append([]FoundPlace{commune}, r.Data[:min(len(r.Data), limit-1)]...)
	r.Count, r.Ambiguous, r.Namesakes = len(r.Data), false, 1
}

// buildResult looks the numbers up, orders the answers and makes their texts.
func (s *search) buildResult() FoundPlaces {
	out := FoundPlaces{Query: strings.Clone(s.ask.Query), Data: []FoundPlace{}}
	if out.Hint = s.notCovered(); out.Hint != nil {
		return out
	}
	for i := range s.best {
		a := &s.best[i]
		if a.street != noPlace {
			s.findHouse(a)
			a.score = s.scoreStreet(a, false)
		}
	}
	s.best = append(s.best, s.places...)
	s.adjustScores()
	slices.SortFunc(s.best, s.compareAnswers)
	namesakes, equal := s.countNamesakes()
	out.Namesakes, out.Ambiguous = namesakes, namesakes > 1
	seen := map[string]bool{}
	for i := range s.best {
		a := &s.best[i]
		if out.Truncated || a.score == 0 {
			break
		}
		f := s.buildPlace(a)
		if equal > 1 {
			f.Score = min(f.Score, sureLeast)
		}
		key := f.Kind + "|" + f.Label + "|" + f.CodeInsee
		if f.Kind == "commune" {
			key = f.Kind + f.CodeInsee // a commune is one answer, whatever it is called by
		}
		switch {
		case seen[key]:
		case len(out.Data) == s.ask.Limit:
			out.Truncated = true
		default:
			seen[key] = true
			out.Data = append(out.Data, f)
		}
	}
	out.Count = len(out.Data)
	if out.Hint = s.buildHint(); out.Hint != nil {
		out.NamesArea = true
		return out
	}
	switch {
	case out.Count > 0:
		out.Hint = s.buildWarning(&s.best[0])
	case len(s.q.words) == 0:
		out.Hint = new(hintEmpty)
	case s.lacksCity():
		out.Hint = new(hintCity)
	case s.kinds != 0 && len(s.q.words) > 1:
		out.Hint = new(s.sayNoStreet())
	case slices.ContainsFunc(s.q.words, func(w word) bool { return !layout.IsDigit(w.Text[0]) }):
		out.Hint = new(hintNothing)
	default:
		out.Hint = new(hintNumber)
	}
	if near := s.sayNearAreas(); near != "" {
		if out.Hint != nil {
			near += " " + *out.Hint
		}
		out.Hint = &near
	}
	return out
}

// compareAnswers orders answers by score, then by importance, so that
// the same query always has the same answer.
func (s *search) compareAnswers(a, b answer) int {
	pa, pb := s.placeOf(&a), s.placeOf(&b)
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(s.x.places[pb].Population,
		s.x.places[pa].Population),
		cmp.Compare(pa, pb), cmp.Compare(a.street, b.street))
}

func (s *search) placeOf(a *answer) uint32 {
	if a.street == noPlace {
		return a.candidate.place
	}
	return s.x.streets[a.street].Place
}

func (s *search) buildPlace(a *answer) FoundPlace {
	in := &s.x.places[s.placeOf(a)]
	c := &s.x.places[in.Parent]
	f := FoundPlace{CodeInsee: layout.CodeOf(c), Commune: strings.Clone(s.x.textOf(c.Name)),
		DeptCode: layout.CodeOf(&s.x.places[c.Departement]),
		Score:    math.Round(float64(a.score)*1e4) / 1e4}
	f.Matched, f.Unmatched = s.splitWords(a)
	f.Fuzzy = a.differ != 0
	if a.street == noPlace {
		s.describePlace(&f, a, in)
		return f
	}
	f.setArrondissement(in)
	st := &s.x.streets[a.street]
	name := strings.Clone(s.x.nameOf(st.Name))
	f.Kind, f.Label, f.Street = "street", name, &name
	if st.Count&1 == 1 {
		f.Kind = "locality"
	}
	f.setPosition(st.Lat, st.Lon)
	if a.house.Number != 0 {
		number := a.house.Text()
		f.Kind, f.HouseNumber, f.Label = "housenumber", &number, number+" "+name
		f.setPosition(a.house.Lat, a.house.Lon)
	}
	f.Label += ", "
	if f.Postcodes = s.x.postcodeText(st.Postcode); len(f.Postcodes) > 0 {
		f.Postcode = &f.Postcodes[0]
		f.Label += *f.Postcode + " "
	}
	f.Label += f.Commune
	if in.Kind == layout.Former && s.hasHomonym(a) {
		f.Label += " (" + s.x.textOf(in.Name) + ")"
	}
	return f
}

// hasHomonym reports whether another answer is called like a street and lies in another part of its commune,
// as streets do where communes were merged.
func (s *search) hasHomonym(a *answer) bool {
	st := &s.x.streets[a.street]
	commune := s.x.places[st.Place].Parent
	return slices.ContainsFunc(s.best, func(b answer) bool {
		if b.street == noPlace || b.score == 0 || b.house.Number != a.house.Number ||
			b.house.Suffix != a.house.Suffix {
			return false
		}
		other := &s.x.streets[b.street]
		return other.Name == st.Name && other.Postcode == st.Postcode && other.Place != st.Place &&
			s.x.places[other.Place].Parent == commune
	})
}

// describePlace makes the texts of a commune, or of the arrondissement or former commune that
// was asked for in it. The label has the postcode where that was asked for, and the
// département unless it is called like the commune.
func (s *search) describePlace(f *FoundPlace, a *answer, in *layout.Place) {
	f.Kind = "commune"
	f.Label = f.Commune
	switch in.Kind {
	case layout.Arrondissement:
		f.Label = strings.Clone(s.x.textOf(in.Name))
	case layout.Former:
		if name := s.x.textOf(in.Name); name != f.Commune {
			f.Label += " (" + name + ")"
		}
	}
	if departement := s.x.textOf(s.x.places[in.Departement].Name); departement != f.Commune {
		f.Label += ", " + departement
	}
	at := s.x.arrondissementOf(s.q, a.candidate)
	f.setPosition(at.Lat, at.Lon)
	f.setArrondissement(at)
	f.Postcodes = s.x.postcodesOf[in.Postcodes.From:in.Postcodes.To]
	if len(f.Postcodes) == 1 {
		f.Postcode = &f.Postcodes[0]
	}
	if asked := a.candidate.postcode; asked != 0 {
		f.Postcode = &s.x.postcodeText(layout.PostcodeNumber(s.q.words[asked.first()].Text))[0]
		f.Label = *f.Postcode + " " + f.Label
	}
}

// setArrondissement names the place where it is an arrondissement.
func (f *FoundPlace) setArrondissement(p *layout.Place) {
	if p.Kind == layout.Arrondissement {
		f.CodeArrondissement = new(layout.CodeOf(p))
	}
}

func (f *FoundPlace) setPosition(lat, lon int32) {
	if lat == layout.NoPosition {
		return
	}
	y, x := float64(lat)/1e6, float64(lon)/1e6
	f.Lat, f.Lon = &y, &x
}
