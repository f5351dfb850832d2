package stats

import "strconv"

// cities are those whose figures some producers give by arrondissement alone:
// the code of the first one and their number.
var cities = map[string]struct{ first, count int }{
	"75056": {75101, 20}, "69123": {69381, 9}, "13055": {13201, 16},
}

// Arrondissements lists those of Paris, Lyon or Marseille; nil for any other territory,
// and where nothing is loaded of one of them.
func (d *Data) Arrondissements(t *Territory) (parts []*Territory) {
	city, is := cities[t.Code]
	if !is || t.Level != Commune {
		return nil
	}
	for n := range city.count {
		part := d.Find(Arrondissement, strconv.Itoa(city.first+n))
		if part == nil {
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}
