package geocode

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// FoundPlaces is the answer to a search, best first.
type FoundPlaces struct {
	Query string       `json:"query" doc:"The query as it was searched, without blanks around it."`
	Count int          `json:"count"`
	Data  []FoundPlace `json:"data"`
}

// FoundPlace is one address or place.
type FoundPlace struct {
	Kind        string   `json:"kind" enum:"housenumber,street,locality,commune" doc:"What was found. A street whose number is not known is a street."`
	Label       string   `json:"label"`
	Score       float64  `json:"score" minimum:"0" maximum:"1" doc:"How well it fits the query, comparable between answers."`
	HouseNumber *string  `json:"housenumber" doc:"Number with its suffix, of a housenumber."`
	Street      *string  `json:"street" doc:"Name of the street or locality; null for a commune."`
	Postcode    *string  `json:"postcode" doc:"Null where there is none or not a single one."`
	CodeInsee   string   `json:"codeInsee" doc:"Code of the commune of today; not the postcode."`
	Commune     string   `json:"commune"`
	DeptCode    string   `json:"deptCode"`
	Lat         *float64 `json:"lat" doc:"WGS84 latitude in decimal degrees."`
	Lon         *float64 `json:"lon" doc:"WGS84 longitude in decimal degrees."`
}

// result looks the numbers up, orders the answers and makes their texts.
func (s *search) result() FoundPlaces {
	out := FoundPlaces{Query: strings.Clone(s.ask.Query), Data: []FoundPlace{}}
	for i := range s.best {
		a := &s.best[i]
		if a.street != nowhere {
			s.findHouse(a)
			a.score = s.scoreStreet(a, false)
		}
	}
	slices.SortFunc(s.best, s.compare)
	seen := map[string]bool{}
	for i := range s.best {
		a := &s.best[i]
		if len(out.Data) == s.ask.Limit || a.score < leastScore {
			break
		}
		f := s.found(a)
		key := f.Kind + "|" + f.Label + "|" + f.CodeInsee
		if f.Kind == "commune" {
			key = f.Kind + f.CodeInsee // a commune is one answer, whatever it is called by
		}
		if !seen[key] {
			seen[key] = true
			out.Data = append(out.Data, f)
		}
	}
	out.Count = len(out.Data)
	return out
}

// compare orders answers by score, then by importance, so that the same query always has the same answer.
func (s *search) compare(a, b answer) int {
	pa, pb := s.placeOf(&a), s.placeOf(&b)
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(s.x.places[pb].Population, s.x.places[pa].Population),
		cmp.Compare(pa, pb), cmp.Compare(a.street, b.street))
}

func (s *search) placeOf(a *answer) uint32 {
	if a.street == nowhere {
		return a.candidate.place
	}
	return s.x.streets[a.street].Place
}

func (s *search) found(a *answer) FoundPlace {
	in := &s.x.places[s.placeOf(a)]
	c := &s.x.places[in.Parent]
	f := FoundPlace{CodeInsee: codeOf(c), Commune: strings.Clone(s.x.say(c.Name)), DeptCode: codeOf(&s.x.places[c.Departement]),
		Score: math.Round(float64(a.score)*1e4) / 1e4}
	if a.street == nowhere {
		s.tellPlace(&f, a, in)
		return f
	}
	st := &s.x.streets[a.street]
	name := strings.Clone(s.x.nameOf(st.Name))
	f.Kind, f.Label, f.Street = "street", name, &name
	if st.Count&1 == 1 {
		f.Kind = "locality"
	}
	f.place(st.Lat, st.Lon)
	if a.house.number != 0 {
		number := strconv.Itoa(a.house.number)
		if a.house.suffix != "" {
			number += " " + a.house.suffix
		}
		f.Kind, f.HouseNumber, f.Label = "housenumber", &number, number+" "+name
		f.place(a.house.lat, a.house.lon)
	}
	f.Label += ", "
	if st.Postcode != 0 {
		f.Postcode = postcodeText(st.Postcode)
		f.Label += *f.Postcode + " "
	}
	f.Label += f.Commune
	return f
}

// tellPlace makes the texts of a commune, or of the arrondissement or former commune that was asked for in it.
func (s *search) tellPlace(f *FoundPlace, a *answer, in *place) {
	f.Kind = "commune"
	f.Label = f.Commune
	switch in.Kind {
	case arrondissement:
		f.Label = strings.Clone(s.x.say(in.Name))
	case former:
		if name := s.x.say(in.Name); name != f.Commune {
			f.Label += " (" + name + ")"
		}
	}
	f.Label += ", " + s.x.say(s.x.places[in.Departement].Name)
	f.place(in.Lat, in.Lon)
	for i := range s.q.words {
		if a.candidate.postcode.has(i) && s.q.postcodes.has(i) {
			f.Postcode = postcodeText(postcodeNumber(s.q.words[i].text))
		}
	}
	if list := s.x.postcodeList[in.Postcodes.From:in.Postcodes.To]; len(list) == 1 && f.Postcode == nil {
		f.Postcode = postcodeText(list[0])
	}
}

func (f *FoundPlace) place(lat, lon int32) {
	if lat == noPosition {
		return
	}
	y, x := float64(lat)/1e6, float64(lon)/1e6
	f.Lat, f.Lon = &y, &x
}

func postcodeText(code uint32) *string {
	s := fmt.Sprintf("%05d", code)
	return &s
}
