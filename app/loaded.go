package app

import (
	"fmt"
	"slices"
	"strings"

	"arpent/api/stats"
	"arpent/api/topic"
	"arpent/web"
)

// loadedHere says to an assistant what this server holds and what it lacks; it is empty before the first status.
func loadedHere(s web.Status) string {
	if s.Layers == nil {
		return ""
	}
	out := fmt.Sprintf("Loaded here: parcels of %s; house numbers of %s, elsewhere search finds communes alone; sales of %s.",
		placesOf(s.Places.Parcels), placesOf(s.Places.Addresses), placesOf(s.Places.Sales))
	for _, level := range s.Known {
		if level.Level != string(stats.Commune) {
			continue
		}
		var missing, known []string
		for _, k := range level.Keys {
			if k.Known == 0 {
				missing = append(missing, k.Name)
			} else {
				known = append(known, k.Name)
			}
		}
		out += " Statistics of communes: " + shorter(known, missing)
	}
	var known, missing []string
	for _, k := range topic.Report().Keys() {
		if slices.ContainsFunc(k.Layers, func(layer string) bool { return slices.Contains(s.Layers, layer) }) {
			known = append(known, k.Name)
		} else {
			missing = append(missing, k.Name)
		}
	}
	return out + " Report: " + shorter(known, missing)
}

// shorter lists the keys that are there or those that are not, whichever are fewer.
func shorter(known, missing []string) string {
	switch {
	case len(missing) == 0:
		return "all keys."
	case len(known) == 0:
		return "no key."
	case len(known) < len(missing):
		return "only " + strings.Join(known, ", ") + "."
	default:
		return "all but " + strings.Join(missing, ", ") + "."
	}
}

// maxPlaces is how many places are named; of more the number is said.
const maxPlaces = 8

func placesOf(codes []string) string {
	switch {
	case len(codes) == 0:
		return "no place"
	case codes[0] == "":
		return "all of France"
	case len(codes) <= maxPlaces:
		return strings.Join(codes, ", ")
	default:
		return fmt.Sprintf("%d communes or départements", len(codes))
	}
}
