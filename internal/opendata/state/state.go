// Package state is the vocabulary in which answers say, key by key, why a value is there or is not. REST, the
// tools and the pages explain it with the same words: those of Meanings.
package state

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
	{None, "it was looked for here, and there is none", "on l’a cherché ici, et il n’y en a pas"},
	{NotLoaded, "nothing that could fill it is loaded on this server; source names what would",
		"rien de ce qui la remplirait n’est chargé sur ce serveur\u00a0; source nomme ce qui le ferait"},
	{NotCovered, "it is loaded, but not for this place", "elle est chargée, mais pas pour ce lieu"},
	{Secret, "the producer keeps the figure secret", "le producteur garde le chiffre secret"},
	{NotApplicable, "there can be no such thing here", "cela ne peut exister ici"},
}

// Inside is the rule for a key that has a value, of which a part is null.
const (
	Inside       = "Null inside a value: nothing that is loaded gives this figure for the place, or it has none."
	InsideFrench = "Un null à l’intérieur d’une valeur\u00a0: rien de ce qui est chargé ne donne ce chiffre pour ce lieu, ou il n’y en a pas."
)

// KeyState explains one key of an answer: whether it has a value, and why not.
type KeyState struct {
	State   State   `json:"state" enum:"value,none,not_loaded,not_covered,secret,not_applicable" doc:"Why the key has a value or none."`
	Reason  string  `json:"reason,omitempty" doc:"The same in a sentence; absent for a value."`
	Vintage *string `json:"vintage,omitempty" doc:"Edition of what the value is from, of several sources the newest; without a value, of what was looked in. Absent where the files do not say, or nothing is loaded. A part of the value that names a source of its own can be of another edition." example:"2021"`
	Source  string  `json:"source,omitempty" doc:"Only with not_loaded: a source that would fill the key, by its name on the page of sources." example:"icpe"`
}

// The sentences that several kinds of answers share.
const (
	NoSource  = "No source of it is loaded on this server."
	TooLittle = "What is loaded on this server does not suffice for it."
	Elsewhere = "It is loaded for other places only."
	// BeyondEdge is that of a key near the edge of an extract.
	BeyondEdge = "It is loaded for the place, but not for all that lies within its radius."
)

// Missing is the state of a key that no source is loaded for.
func Missing(source string) KeyState {
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
