package stats

import "arpent/api/topic/safety"

// sum10 are the ten kinds of offences that crimeRate adds up, version 1. Chosen so that no act is in two of them and
// that both lists of labels have them all: physical violence (one kind: the two lines of 2025 are the only ones that the
// producer lets add up, the one line of 2024 is their sum), sexual violence, the two kinds of robbery, theft from
// persons, burglary (by its number), the three kinds of theft around vehicles, and damage. Left out: homicides and
// attempts, which communes are not told; fraud, which is placed where the victim lives; drugs, which count accused
// persons and are not additive.
var sum10 = map[string][]string{
	safety.Safety2024: {"assault", "sexualViolence", "armedRobbery", "unarmedRobbery", "theftFromPersons",
		safety.OffenceBurglary, "vehicleTheft", "theftFromVehicles", "vehicleParts", "damage"},
	safety.Safety2025: {"physicalViolenceFamily", "physicalViolenceOther", "sexualViolence", "armedRobbery", "unarmedRobbery",
		"theftFromPersons", safety.OffenceBurglary, "vehicleTheft", "theftFromVehicles", "vehicleParts", "damage"},
}

const (
	sum10Method = "; method sum10-v1"
	sum10Summed = "; method sum10-v1, summed from the départements"
)

// crimeRate is the number of offences of sum10 per 1 000 inhabitants in the newest year. A région has the figures of the
// producer's own; where these are older than its départements', or none, it has those of its départements together,
// which is what the producer's are for these kinds.
func crimeRate(_ *Data, t *Territory) (*float64, *Origin) {
	parts, method := []*Territory{t}, sum10Method
	list, period := safetyList(t)
	if t.Level == Region && len(t.Children) > 0 {
		if of, newest := safetyList(t.Children[0]); newest > period {
			parts, method, list, period = t.Children, sum10Summed, of, newest
		}
	}
	if list == "" {
		return nil, nil
	}
	offences, inhabitants, figures := sum10Of(parts, list, period)
	rate := ratio(offences, inhabitants, 1000, 2)
	if rate == nil {
		return nil, nil
	}
	e := envelopeOf(figures...)
	return rate, &Origin{Source: e.Source + method, Year: e.Year}
}

// sum10Of adds up the offences and the inhabitants of territories; nil where one is missing.
func sum10Of(parts []*Territory, list, period string) (offences, inhabitants *float64, figures []Figure) {
	var sum, people float64
	for _, t := range parts {
		p := t.At(safety.SafetyPopulation(list), period)
		if p.Value == nil {
			return nil, nil, nil
		}
		people += *p.Value
		for _, key := range sum10[list] {
			f := t.At(safety.SafetyCount(list, key), period)
			if f.Value == nil {
				return nil, nil, nil
			}
			sum += *f.Value
			figures = append(figures, f)
		}
	}
	return &sum, &people, figures
}
