package apikey

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"arpent/app/fault"
	"arpent/app/ident"
)

// Kind tells who holds a key.
type Kind string

// The kinds of keys.
const (
	Integration Kind = "integration" // a program of the customer's
	Assistant   Kind = "assistant"   // an AI assistant, through its OAuth grant
)

// AssistantPrefix begins the name of every assistant's key, and of no other.
const AssistantPrefix = "MCP · "

// MaxIntegrations is how many live keys of its own an account may have; assistants' do not count.
const MaxIntegrations = 20

const maxName = 60

// Key is what may be shown of a key: never the secret, which nobody has.
type Key struct {
	ID            ident.KeyID
	Name          string
	Kind          Kind
	Prefix        string // first 8 characters
	Last4         string
	RefuseInQuery bool // api_key= in a URL is refused, as its owner asked
	CreatedAt     time.Time
	ExpiresAt     *time.Time
	RevokedAt     *time.Time
	LastUsedAt    *time.Time
	RequestCount  int64
}

// Live tells whether the key is accepted at that time.
func (k Key) Live(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || now.Before(*k.ExpiresAt))
}

// The refusals that a caller may want to tell apart, to say what to do about them.
var (
	ErrUnconfirmed = fault.New(fault.InvalidParameter, "The account's e-mail address must be confirmed before a key is created.", nil)
	ErrNameTaken   = fault.New(fault.InvalidParameter, "The account has a live key of that name already.", nil)
	ErrTooMany     = fault.New(fault.InvalidParameter, "The account has 20 live keys already: revoke one first.", nil)
)

// CheckName trims the name of a customer's key and refuses what cannot be one.
func CheckName(name string) (string, error) {
	s := strings.TrimSpace(name)
	n := utf8.RuneCountInString(s)
	switch {
	case !utf8.ValidString(s) || strings.IndexFunc(s, unicode.IsControl) >= 0:
		return "", fault.Invalid("a key's name must be text without control characters")
	case n < 1 || n > maxName:
		return "", fault.Invalid("a key's name must have 1 to %d characters", maxName)
	case strings.HasPrefix(strings.ToLower(s), strings.ToLower(strings.TrimSpace(AssistantPrefix))):
		return "", fault.Invalid("names that begin with %q are reserved for assistants", strings.TrimSpace(AssistantPrefix))
	}
	return s, nil
}
