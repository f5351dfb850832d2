package services

import (
	"slices"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

// Facilities counts the facilities open to the public. The total and
// single types can come from different editions.
type Facilities struct {
	stats.Envelope
	Total    *int                `json:"total" doc:"Number of all facilities in the year of the block; null when the newest complete edition is older: its number is in families." example:"1339"`
	Families *FacilityFamilies   `json:"families" doc:"Numbers by family, from the newest complete edition."`
	Selected *SelectedFacilities `json:"selected" doc:"Numbers of some types."`
	Others   *OtherFacilities    `json:"others" doc:"Numbers of further types (hotels, campsites, restaurants, dentists …), from the newest edition that has them, which may be much older than that of selected."`
}

// OtherFacilities counts types that are not in all editions.
type OtherFacilities struct {
	Source              string `json:"source" doc:"Producer and title of the data set." example:"INSEE, Base permanente des équipements 2013"`
	Year                *int   `json:"year" doc:"Year of the edition." example:"2013"`
	Hotel               *int   `json:"hotel" doc:"Number of classified hotels." example:"2"`
	Camping             *int   `json:"camping" doc:"Number of classified campsites." example:"0"`
	TouristOffice       *int   `json:"touristOffice" doc:"Number of tourist information offices." example:"0"`
	Restaurant          *int   `json:"restaurant" doc:"Number of restaurants." example:"60"`
	Bank                *int   `json:"bank" doc:"Number of branches of banks." example:"9"`
	Hairdresser         *int   `json:"hairdresser" doc:"Number of hairdressers." example:"32"`
	Garage              *int   `json:"garage" doc:"Number of workshops for cars and farm machines." example:"28"`
	PetrolStation       *int   `json:"petrolStation" doc:"Number of petrol stations." example:"4"`
	Vet                 *int   `json:"vet" doc:"Number of veterinary practices." example:"2"`
	Police              *int   `json:"police" doc:"Number of police stations and gendarmeries." example:"1"`
	Dentist             *int   `json:"dentist" doc:"Number of dentists." example:"18"`
	Physiotherapist     *int   `json:"physiotherapist" doc:"Number of physiotherapists." example:"16"`
	Laboratory          *int   `json:"laboratory" doc:"Number of medical laboratories." example:"2"`
	EmergencyDepartment *int   `json:"emergencyDepartment" doc:"Number of emergency departments." example:"1"`
	Maternity           *int   `json:"maternity" doc:"Number of maternity wards." example:"1"`
	HospitalShortStay   *int   `json:"hospitalShortStay" doc:"Number of hospitals and clinics for short stays: medicine, surgery, obstetrics. One on several sites counts on each; the three kinds of stays must not be summed." example:"1"`
	HospitalMediumStay  *int   `json:"hospitalMediumStay" doc:"Number of hospitals and clinics for stays of some weeks: follow-up care and rehabilitation." example:"0"`
	HospitalLongStay    *int   `json:"hospitalLongStay" doc:"Number of hospitals for long stays." example:"0"`
	CareHome            *int   `json:"careHome" doc:"Number of homes for the elderly." example:"2"`
	Taxi                *int   `json:"taxi" doc:"Number of taxi businesses." example:"120"`
	Cinema              *int   `json:"cinema" doc:"Number of cinemas." example:"1"`
}

// FacilityFamilies counts the facilities of an edition by the domains of its list of types.
type FacilityFamilies struct {
	Source    string `json:"source" doc:"Producer and title of the data set." example:"INSEE, Base permanente des équipements 2013"`
	Year      *int   `json:"year" doc:"Year of the edition. Types change between editions, which are not comparable." example:"2013"`
	Total     *int   `json:"total" doc:"Number of facilities of all families." example:"1339"`
	Services  *int   `json:"services" doc:"Number of personal and public services (domain A)." example:"810"`
	Shops     *int   `json:"shops" doc:"Number of shops (B)." example:"270"`
	Education *int   `json:"education" doc:"Number of educational facilities (C)." example:"12"`
	Health    *int   `json:"health" doc:"Number of health and social care facilities (D)." example:"157"`
	Transport *int   `json:"transport" doc:"Number of transport facilities, including taxis (E)." example:"6"`
	Leisure   *int   `json:"leisure" doc:"Number of sports, leisure and cultural facilities (F)." example:"18"`
	Tourism   *int   `json:"tourism" doc:"Number of tourism facilities (G)." example:"66"`
}

// SelectedFacilities counts some types of one edition.
type SelectedFacilities struct {
	Source           string          `json:"source" doc:"Producer and title of the data set." example:"INSEE, Base permanente des équipements 2024"`
	Year             *int            `json:"year" doc:"Year of the edition." example:"2024"`
	GP               *int            `json:"gp" doc:"Number of general practitioners." example:"16"`
	Pharmacy         *int            `json:"pharmacy" doc:"Number of pharmacies." example:"4"`
	Nurse            *int            `json:"nurse" doc:"Number of nurses in private practice." example:"42"`
	PrimarySchool    *int            `json:"primarySchool" doc:"Number of nursery schools, and of schools with nursery and elementary classes." example:"4"`
	ElementarySchool *int            `json:"elementarySchool" doc:"Number of schools with elementary classes only." example:"2"`
	MiddleSchool     *int            `json:"middleSchool" doc:"Number of collèges." example:"2"`
	HighSchool       *int            `json:"highSchool" doc:"Number of lycées, excluding agricultural ones." example:"1"`
	PostOffice       *int            `json:"postOffice" doc:"Number of post offices and postal agencies." example:"3"`
	Bakery           *int            `json:"bakery" doc:"Number of bakeries." example:"28"`
	Supermarket      *int            `json:"supermarket" doc:"Number of supermarkets and hypermarkets." example:"7"`
	Convenience      *int            `json:"convenience" doc:"Number of small supermarkets (supérettes)." example:"1"`
	Station          *int            `json:"station" doc:"Number of railway stations." example:"0"`
	Childcare        *int            `json:"childcare" doc:"Number of childcare facilities for young children, including childminder centres (relais petite enfance)." example:"2"`
	HealthCentre     *int            `json:"healthCentre" doc:"Number of emergency departments, health centres and multi-professional health centres (maisons de santé)." example:"3"`
	Gym              *int            `json:"gym" doc:"Number of multi-sports halls." example:"3"`
	Pool             *int            `json:"pool" doc:"Number of swimming pools." example:"0"`
	Tennis           *int            `json:"tennis" doc:"Number of tennis facilities." example:"2"`
	Per10k           *FacilityPer10k `json:"per10kInhabitants" doc:"Numbers per 10 000 inhabitants of the newest municipal population; null where that is not known or 0."`
}

// FacilityPer10k are numbers per 10 000 inhabitants.
type FacilityPer10k struct {
	PopulationYear *int     `json:"populationYear" doc:"Year of the population." example:"2023"`
	GP             *float64 `json:"gp" doc:"General practitioners per 10 000 inhabitants." example:"13.2"`
	Pharmacy       *float64 `json:"pharmacy" doc:"Pharmacies per 10 000 inhabitants." example:"3.3"`
	Nurse          *float64 `json:"nurse" doc:"Nurses in private practice per 10 000 inhabitants." example:"34.7"`
}

func buildFacilities(_ *stats.Data, t *stats.Territory) *Facilities {
	families, total := facilityFamilies(t)
	selected, some := selectedFacilities(t)
	others, more := otherFacilities(t)
	if families == nil && selected == nil && others == nil {
		return nil
	}
	f := &Facilities{Envelope: stats.EnvelopeOf(slices.Concat(some, more, []stats.Figure{total})...),
		Families: families, Selected: selected, Others: others}
	if families != nil && *families.Year == *f.Year {
		f.Total = families.Total
	}
	return f
}

// facilityFamilies returns those of the newest edition with a total.
func facilityFamilies(t *stats.Territory) (*FacilityFamilies, stats.Figure) {
	total := t.Latest(FacilitiesTotal)
	if total.Value == nil {
		return nil, total
	}
	of := func(domain string) *int { return stats.Whole(t.At(FacilityFamily(domain), total.Period).Value) }
	return &FacilityFamilies{
		Source: stats.EnvelopeOf(total).Source, Year: stats.Year(total.Period), Total: stats.Whole(total.Value),
		Services: of("A"), Shops: of("B"), Education: of("C"), Health: of("D"), Transport: of("E"),
		Leisure: of("F"), Tourism: of("G"),
	}, total
}

// selectedFacilities returns those of the newest edition with at least one of them.
func selectedFacilities(t *stats.Territory) (*SelectedFacilities, []stats.Figure) {
	s := &SelectedFacilities{}
	edition, figures := fillNewest(t, map[string]**int{
		"gp": &s.GP, "pharmacy": &s.Pharmacy, "nurse": &s.Nurse, "primarySchool": &s.PrimarySchool,
		"elementarySchool": &s.ElementarySchool, "middleSchool": &s.MiddleSchool, "highSchool": &s.HighSchool,
		"postOffice": &s.PostOffice, "bakery": &s.Bakery, "supermarket": &s.Supermarket,
		"convenience": &s.Convenience, "station": &s.Station, "childcare": &s.Childcare,
		"healthCentre": &s.HealthCentre, "gym": &s.Gym, "pool": &s.Pool, "tennis": &s.Tennis,
	})
	if edition == "" {
		return nil, nil
	}
	s.Source, s.Year = stats.EnvelopeOf(figures...).Source, stats.Year(edition)
	s.Per10k = per10k(t, edition)
	return s, figures
}

// otherFacilities returns those of the newest edition with at least one of them.
func otherFacilities(t *stats.Territory) (*OtherFacilities, []stats.Figure) {
	o := &OtherFacilities{}
	edition, figures := fillNewest(t, map[string]**int{
		"hotel": &o.Hotel, "camping": &o.Camping, "touristOffice": &o.TouristOffice, "restaurant": &o.Restaurant,
		"bank": &o.Bank, "hairdresser": &o.Hairdresser, "garage": &o.Garage, "petrolStation": &o.PetrolStation,
		"vet": &o.Vet, "police": &o.Police, "dentist": &o.Dentist, "physiotherapist": &o.Physiotherapist,
		"laboratory": &o.Laboratory, "emergencyDepartment": &o.EmergencyDepartment, "maternity": &o.Maternity,
		"hospitalShortStay": &o.HospitalShortStay, "hospitalMediumStay": &o.HospitalMediumStay,
		"hospitalLongStay": &o.HospitalLongStay,
		"careHome":         &o.CareHome, "taxi": &o.Taxi, "cinema": &o.Cinema,
	})
	if edition == "" {
		return nil, nil
	}
	o.Source, o.Year = stats.EnvelopeOf(figures...).Source, stats.Year(edition)
	return o, figures
}

// fillNewest sets the numbers of types, by their keys, to those of the newest edition that has any of them.
// The edition is empty where none has.
func fillNewest(t *stats.Territory, numbers map[string]**int) (edition string, figures []stats.Figure) {
	var measures []string
	for key := range numbers {
		measures = append(measures, FacilitySelected(key))
	}
	editions := t.Years(measures...)
	if len(editions) == 0 {
		return "", nil
	}
	edition = editions[len(editions)-1]
	for key, into := range numbers {
		f := t.At(FacilitySelected(key), edition)
		*into = stats.Whole(f.Value)
		figures = append(figures, f)
	}
	return edition, figures
}

func per10k(t *stats.Territory, edition string) *FacilityPer10k {
	inhabitants := t.Latest(source.PopulationMunicipal)
	of := func(key string) *float64 {
		return stats.Ratio(t.At(FacilitySelected(key), edition).Value, inhabitants.Value, 10000, 1)
	}
	p := FacilityPer10k{stats.Year(inhabitants.Period), of("gp"), of("pharmacy"), of("nurse")}
	if p.GP == nil && p.Pharmacy == nil && p.Nurse == nil {
		return nil
	}
	return &p
}

// equipmentRates returns the facilities per inhabitant of the census year nearest to the edition.
func equipmentRates(t *stats.Territory) []stats.Point {
	var out []stats.Point
	for _, f := range t.Series(FacilitiesTotal) {
		people := nearestPopulation(t, f)
		if v := stats.Ratio(f.Value, people.Value, 10000, 1); v != nil {
			out = append(out, stats.PointOf(f.Period, *v, f, people))
		}
	}
	return out
}

// nearestPopulation returns the inhabitants of the census year nearest
// to that of a figure, the later one of two.
func nearestPopulation(t *stats.Territory, of stats.Figure) (best stats.Figure) {
	year := of.Year()
	for _, f := range t.Series(source.PopulationMunicipal) {
		if f.Value != nil && (best.Value == nil || max(f.Year()-year, year-f.Year()) <= max(best.Year()-year,
			year-best.Year())) {
			best = f
		}
	}
	return best
}
