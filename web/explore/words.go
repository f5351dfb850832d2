package explore

import (
	"math"
	"strings"

	"arpent/api/parcel"
	"arpent/web"
)

// What was wrong with an address, in French and in English.
var (
	noCommuneCode = [2]string{"Un code de commune a cinq caractères, comme 93010 ou 2A004. Ce n’est pas le code postal.", "A commune code has five characters, such as 93010 or 2A004. It is not the postcode."}
	noCommune     = [2]string{"Aucune commune d’aujourd’hui n’a ce code. Cherchez-la par son nom.",
		"No commune of today has this code. Search for it by name."}
	noReference = [2]string{"Une référence cadastrale a quatorze caractères, comme " + parcel.ExampleIDU + ". On peut aussi écrire 93010 J 236 ou AY 71 Bondy.", "A cadastral reference has fourteen characters, such as " + parcel.ExampleIDU + ". You can also write 93010 J 236 or AY 71 Bondy."}
	noParcel    = [2]string{"Cette parcelle n’est pas chargée sur ce serveur. L’API dit si elle a été divisée ou réunie à d’autres, et ce qui l’a remplacée.", "This parcel is not loaded on this server. The API says whether it was divided or merged, and what took its place."}
	noPoint     = [2]string{"Un point s’écrit lat=48.9024&lon=2.4834, en degrés.",
		"A point is written lat=48.9024&lon=2.4834, in degrees."}
	noCommuneThere = [2]string{"Ce point n’est dans aucune commune de France.",
		"This point is in no commune of France."}
	noQuery     = [2]string{"Écrivez une adresse, une commune ou une référence cadastrale, en 200\u00a0caractères au plus.", "Type an address, a commune or a cadastral reference, in 200 characters at most."}
	noAddresses = [2]string{"L’index des adresses n’est pas encore prêt. Essayez dans quelques minutes.",
		"The index of addresses is not ready yet. Try again in a few minutes."}
	notLoadedYet = [2]string{"Le territoire n’est pas encore chargé. Réessayez dans quelques secondes.",
		"The territory is not loaded yet. Try again in a moment."}
	noTownHalls = [2]string{"L’emplacement des mairies n’est pas chargé ici\u00a0; voici la commune.",
		"The location of town halls is not loaded here: this is the commune."}
	notNow = [2]string{"Ces données ne peuvent pas être lues pour l’instant. Réessayez dans un instant.",
		"These data cannot be read at the moment. Try again in a moment."}
)

// kinds are what a search finds.
var kinds = web.Texts{"housenumber": {"adresse", "address"}, "street": {"rue", "street"},
	"locality": {"lieu-dit", "locality"}, "commune": {"commune", "commune"}, "parcel": {"parcelle", "parcel"}}

// trimZeros is a section or number without the zeros before it.
func trimZeros(text string) string {
	if out := strings.TrimLeft(text, "0"); out != "" {
		return out
	}
	return text
}

// joinShortened joins some of a list, and says how many more there are.
func joinShortened(l web.Lang, list []string) string {
	const shown = 6
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:shown], ", ") + l.Pick(" et ", " and ") + l.Number(len(list)-shown) +
		l.Pick(" autres", " more")
}

func round2(v float64) float64 { return math.Round(v*100) / 100 }
