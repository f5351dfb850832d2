package apikey

import (
	"net/netip"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"arpent/internal/fault"
	"arpent/internal/ident"
)

// Kind is who holds a key.
type Kind string

// The kinds of keys.
const (
	Integration Kind = "integration" // a program of the customer's
	Assistant   Kind = "assistant"   // an AI assistant, through its OAuth grant
)

// AssistantPrefix begins the name of every assistant's key, and of no other.
const AssistantPrefix = "MCP · "

// MaxIntegrations is how many live keys of its own an account may have when it creates one; assistants' do
// not count. Keys that are being rotated may exceed it, up to twice as many.
const MaxIntegrations = 20

const (
	maxName   = 60
	maxPerDay = 1_000_000_000
)

// Key is what may be shown of a key: never the secret, which is not stored.
type Key struct {
	ID            ident.KeyID      `json:"id"`
	Name          string           `json:"name"`
	Kind          Kind             `json:"kind"`
	Prefix        string           `json:"prefix"` // first 8 characters
	Last4         string           `json:"last4"`
	RefuseInQuery bool             `json:"refuse_in_query"` // api_key= in a URL is refused, as its owner asked
	PerDay        *int             `json:"per_day"`         // the owner's own cap for this key; nil: none
	Networks      []netip.Prefix   `json:"networks"`        // where it may be used from; none: from anywhere
	CreatedAt     time.Time        `json:"created_at"`
	ExpiresAt     *time.Time       `json:"expires_at"`
	PausedAt      *time.Time       `json:"paused_at"` // rejected until it is resumed
	RevokedAt     *time.Time       `json:"revoked_at"`
	Replaces      *ident.KeyID     `json:"replaces"` // the key that it was rotated from
	LastUsedAt    *time.Time       `json:"last_used_at"`
	RequestCount  int64            `json:"request_count"`
	CreatedBy     *ident.AccountID `json:"created_by"` // the person who made it; nil: not known
	Personal      bool             `json:"personal"`   // it ends when that person leaves the organisation
}

// Live reports whether the key is accepted at that time, once it is not paused.
func (k Key) Live(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || now.Before(*k.ExpiresAt))
}

// State says in one word whether a key is accepted: live, paused, expired or revoked.
type State string

// The states.
const (
	StateLive    State = "live"
	StatePaused  State = "paused"
	StateExpired State = "expired"
	StateRevoked State = "revoked"
)

// State is that of the key at a time.
func (k Key) State(now time.Time) State {
	switch {
	case k.RevokedAt != nil:
		return StateRevoked
	case !k.Live(now):
		return StateExpired
	case k.PausedAt != nil:
		return StatePaused
	}
	return StateLive
}

// NewKey describes a customer's key to create.
type NewKey struct {
	Name          string
	ExpiresAt     *time.Time // nil: never
	RefuseInQuery bool
	PerDay        *int           // nil: no cap of its own
	Networks      []netip.Prefix // none: from anywhere
}

// Restriction is what the owner of a key allows it.
type Restriction struct {
	RefuseInQuery bool
	PerDay        *int           // nil: no cap of its own
	Networks      []netip.Prefix // none: from anywhere
}

// Why an act on keys is rejected. Callers distinguish them, to say what to do.
var (
	ErrUnconfirmed = fault.New(fault.InvalidParameter,
		"The account's e-mail address must be confirmed before a key is created.", nil)
	ErrNameText = fault.New(fault.InvalidParameter,
		"A key's name must be text without control characters.", nil)
	ErrNameLength   = fault.New(fault.InvalidParameter, "A key's name must have 1 to 60 characters.", nil)
	ErrNameReserved = fault.New(fault.InvalidParameter,
		`Names that begin with "MCP ·" are reserved for assistants.`, nil)
	ErrNameTaken = fault.New(fault.InvalidParameter, "The account has a live key of that name already.", nil)
	ErrTooMany   = fault.New(fault.InvalidParameter,
		"The account has 20 live keys already: revoke one first.", nil)
	ErrExpiry = fault.New(fault.InvalidParameter, "A key must expire in the future.", nil)
	ErrPerDay = fault.New(fault.InvalidParameter,
		"A key's own cap must be 1 to 1000000000 requests a day.", nil)
	ErrNetworks = fault.New(fault.InvalidParameter,
		"The networks of a key must be at most 50 IP addresses or CIDR ranges.", nil)
	ErrOverlap = fault.New(fault.InvalidParameter,
		"The old key can be kept for 0, 1 hour, 24 hours or 7 days.", nil)
	ErrReplaced = fault.New(fault.InvalidParameter,
		"This key was rotated already: rotate the one that took its place.", nil)
	ErrAssistant = fault.New(fault.InvalidParameter,
		"An assistant's key can be neither renamed nor rotated: revoke it and connect the assistant again.", nil)
)

// CheckName trims the name of a customer's key: ErrNameText, ErrNameLength, ErrNameReserved.
func CheckName(name string) (string, error) {
	s := strings.TrimSpace(name)
	n := utf8.RuneCountInString(s)
	switch {
	case !utf8.ValidString(s) || strings.IndexFunc(s, isInvisible) >= 0:
		return "", ErrNameText
	case n < 1 || n > maxName:
		return "", ErrNameLength
	case strings.HasPrefix(strings.ToLower(s), strings.ToLower(strings.TrimSpace(AssistantPrefix))):
		return "", ErrNameReserved
	}
	return s, nil
}

// isInvisible reports whether a character does not show, or turns the text
// around it. The joiner of emoji is not one.
func isInvisible(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// Check brings a restriction to the form in which it is kept: ErrPerDay, ErrNetworks.
func (r Restriction) Check() (Restriction, error) {
	if r.PerDay != nil && (*r.PerDay < 1 || *r.PerDay > maxPerDay) {
		return Restriction{}, ErrPerDay
	}
	var err error
	r.Networks, err = normalizeNetworks(r.Networks)
	return r, err
}

func checkExpiry(at *time.Time, now time.Time) error {
	if at != nil && !at.After(now) {
		return ErrExpiry
	}
	return nil
}
