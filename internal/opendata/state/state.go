// Package state is the vocabulary in which answers say, key by key, why a value is there or is not. REST, the
// tools and the pages explain it with the same words: those of Meanings.
package state

import "encoding/json"

// State is why a key has a value, or none.
type State string

// The states.
const (
	Value         State = "value"
	None          State = "none"
	NotLoaded     State = "not_loaded"
	NotCovered    State = "not_covered"
	Secret        State = "secret"
	NotApplicable State = "not_applicable"
)

// Meaning explains a state, in English and in French.
type Meaning struct {
	State          State
	Text, InFrench string
}

// Meanings are those of all states.
var Meanings = []Meaning{
	{Value, "the key has a value", "la clé a une valeur"},
	{None, "its sources list none here", "ses sources n’en recensent pas ici"},
	{NotLoaded, "no source of it is loaded here; source names one",
		"aucune source de cette donnée n’est chargée ici\u00a0; source en nomme une"},
	{NotCovered, "it is loaded, but not for this place", "la donnée est chargée, mais pas pour ce lieu"},
	{Secret, "the producer withholds the figure (statistical secrecy)",
		"le producteur ne publie pas ce chiffre (secret statistique)"},
	{NotApplicable, "it does not apply here", "sans objet ici"},
}

// Inside is the rule for a key that has a value, of which a part is null.
const (
	Inside       = "Null inside a value: the loaded sources do not give this figure for the place, or there is none."
	InsideFrench = "Un null à l’intérieur d’une valeur\u00a0: les sources chargées ne donnent pas ce chiffre pour ce lieu, ou il n’existe pas."
)

// KeyState explains one key of an answer: whether it has a value, and why not.
type KeyState struct {
	State   State    `json:"state" enum:"value,none,not_loaded,not_covered,secret,not_applicable" doc:"Why the key has a value or none."`
	Reason  string   `json:"reason,omitempty" doc:"The same in a sentence. Of a value: what no loaded file has of it, or that it is of before the commune merged or was divided; else absent."`
	Vintage *string  `json:"vintage,omitempty" doc:"Edition of what the value is from, of several sources the newest; without a value, of what was looked in. Absent where the files do not say, or nothing is loaded. A part of the value that names a source of its own can be of another edition." example:"2021"`
	Source  string   `json:"source,omitempty" doc:"Only with not_loaded: a source that would fill the key, by its name on the page of sources." example:"icpe"`
	RadiusM int      `json:"radiusM,omitempty" doc:"Of a key that is looked for around the place: the radius in metres. none: there is nothing within it. Absent where nothing was looked for, or in the place alone." example:"500"`
	Known   *Known   `json:"known,omitempty" doc:"Only with not_covered, in reports of parcels: what is loaded of the value, which is not all of it."`
	LeftOut *LeftOut `json:"leftOut,omitempty" doc:"Only of permits: those of the commune that are not listed, since it is not certain of which parcel they are."`
}

// Known is the part of a value that is loaded, where the value itself is null because the loaded area ends
// within the radius of the key.
type Known struct {
	Value           json.RawMessage `json:"value" doc:"In the form of the key, made from what is loaded alone: lists are cut to five items, in the order of the key, unless fields or theme names the key; of what is nearest the nearest that is loaded. Null, or an empty list: nothing that is loaded applies."`
	AtLeast         *int            `json:"atLeast,omitempty" doc:"Of a key that is a list or a number: how many are loaded. There may be more." example:"12"`
	CompleteWithinM *int            `json:"completeWithinM,omitempty" doc:"Up to this distance from the parcel, in metres, all is loaded: what lies nearer is complete. Absent for keys without a radius, and at 0." example:"312"`
}

// LeftOut counts what a value leaves out, because it is not certain of which parcel it is.
type LeftOut struct {
	Ambiguous    int `json:"ambiguous" doc:"Permits of the commune with a reference that several parcels fit, when the file was loaded."`
	Gone         int `json:"gone" doc:"Permits of the commune with a reference that no parcel has any more, mostly because it was divided."`
	Unreferenced int `json:"unreferenced" doc:"Permits of the commune without a reference of a parcel."`
}

// The sentences that several kinds of answers share.
const (
	NoSource  = "No source of it is loaded on this server."
	TooLittle = "What is loaded on this server does not suffice for it."
	Elsewhere = "It is loaded for other places only."
	// BeyondEdge is that of a key near the edge of an extract.
	BeyondEdge = "It is loaded for the place, but not for all that lies within its radius: beyond there may be others."

	// FacilitiesOfCommune follows where no place of a facility is near, or loaded.
	FacilitiesOfCommune = "equipementTypes of the commune (tool get_commune) has the number of its facilities by type."

	// NotFarther is the note of a list of what lies within a radius.
	NotFarther = "What lies farther than radiusM is not counted."

	NeighboursNotLoaded = "It lies in a commune whose parcels are not all loaded on this server, or next to " +
		"one: neighbours would be missing."
	// GivenAsKnown follows one of the two where a part is loaded.
	GivenAsKnown     = " So it is null; known.value is the part that is loaded, complete within completeWithinM."
	NoEarlierEdition = "No former parcel of the commune is known on this server: no earlier edition was loaded, or " +
		"none of its parcels is gone."
	NoPredecessor = "It was compared with the outlines of all parcels that are gone from the editions that were " +
		"loaded on this server: it shares a twentieth (5 %) or more of its area, or of theirs, with none."
	NoNeighbour = "No parcel shares a border with it: what lies around it has none, such as streets and water."

	// These four are followed by the first and the last day.
	NoSale         = "No sale of it in the period that is loaded: "
	NoSaleNear     = "No comparable sale near it in the period that is loaded: "
	TooFewSales    = "Fewer than five comparable sales in the period that is loaded: "
	SalesOfAPeriod = "Sales of the period that is loaded: "
	// YearsLoaded is followed by the years of a series.
	YearsLoaded = "Years that are loaded: "

	OwnerNotListed = "The file of the parcels of legal persons does not list it: it may be that of natural persons, or its owner is " +
		"not known."
	// RulesNotRead is followed by the zone and the document.
	RulesNotRead = "What may be built is in the written rules of the plan, which are not read here: "
	SurfacesOnly = "Only prescriptions drawn as areas are loaded on this server: those drawn as lines or points, " +
		"such as rows of trees and buildings to be kept, are in no loaded file."
	PermitNotPlaced = "No permit is certain to be of this parcel: those of the commune whose reference fits several parcels, or one " +
		"that is gone, are not listed."
	CondominiumNotListed = "No condominium of the register names it. The register names at most three parcels of " +
		"each: a condominium on this one may name another, or not be registered."
)

// Cautions are parts of the reasons of None that say less than that there is nothing, and of those of values that
// lack a part: assistants are given them as well.
var Cautions = []string{RulesNotRead, FacilitiesOfCommune, SurfacesOnly, OwnerNotListed, PermitNotPlaced,
	CondominiumNotListed, NoPredecessor, NoSale, NoSaleNear, TooFewSales, SalesOfAPeriod, YearsLoaded}

// NotLoadedFor is the state of a key that no source is loaded for.
func NotLoadedFor(source string) KeyState {
	return KeyState{State: NotLoaded, Reason: NoSource, Source: source}
}

// Lacking is the state of a key that the loaded sources do not suffice for, without the one named.
func Lacking(source string) KeyState {
	return KeyState{State: NotLoaded, Reason: TooLittle, Source: source}
}

// Newest gives the later of two vintages, which are days, months or
// years as the producers write them; nil is none.
func Newest(a, b *string) *string {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
