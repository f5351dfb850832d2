package keys

import (
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"arpent/auth/apikey"
	"arpent/internal/ident"
	"arpent/portal/view"
	"arpent/web"
)

// KeyState is the state of a key.
type KeyState int

// The states.
const (
	KeyActive   KeyState = iota
	KeyRotating          // valid until the end of the rotation that replaces it
	KeyPaused
	KeyExpired
	KeyRevoked
)

// KeyRef refers to a key by its name.
type KeyRef struct {
	ID   ident.KeyID
	Name string
}

// Key is the view of a key.
type Key struct {
	ID            ident.KeyID
	Name          string
	Prefix, Last4 string
	Assistant     bool
	State         KeyState
	CreatedAt     time.Time
	LastUsedAt    *time.Time
	ExpiresAt     *time.Time
	EndOfDay      bool // it expires at the end of a day, not at an instant
	RevokedAt     *time.Time
	EndedBy       string // why an assistant is disconnected, where its owner did not do it: a code of EndTexts
	Today, Month  int64  // requests, rejected ones included
	Counted       int64  // of today's, those counted against a cap
	Total         int64  // requests since it was created
	RefuseInQuery bool
	PerDay        int // the owner's own cap; 0: none
	Networks      []netip.Prefix
	Replaces      *KeyRef
	ReplacedBy    *KeyRef
	// of an organisation: the address of the member who made it; empty: not known, or not a member any more
	MadeBy   string
	Shared   bool // it is of an organisation
	Personal bool // it ends when that member leaves
}

// madeBy says who made a key of an organisation; empty: it is of the person's own account.
func (k Key) madeBy(l web.Lang) string {
	switch {
	case !k.Shared:
		return ""
	case k.MadeBy == "":
		return l.Pick("créateur inconnu", "creator unknown")
	case k.Personal:
		return l.Pick("personnelle, par ", "personal, by ") + k.MadeBy
	}
	return l.Pick("par ", "by ") + k.MadeBy
}

// Code is the part of the key that is shown.
func (k Key) Code() string { return k.Prefix + "…" + k.Last4 }

// Ended reports whether the key is permanently invalid.
func (k Key) Ended() bool { return k.State == KeyExpired || k.State == KeyRevoked }

// EndTexts are why the access of an assistant ended that its owner did not end.
var EndTexts = web.Texts{
	"client":         {"l’assistant s’est déconnecté", "the assistant disconnected"},
	"code_replay":    {"code présenté deux fois", "code presented twice"},
	"refresh_replay": {"jeton présenté deux fois", "token presented twice"},
	"unused":         {"faute d’usage", "no longer in use"},
}

// stateTexts are the states of a key, and those of an assistant.
var stateTexts = map[bool]map[KeyState][2]string{
	false: {KeyActive: {"active", "active"}, KeyRotating: {"remplacée", "replaced"}, KeyPaused: {"suspendue",
		"paused"},
		KeyExpired: {"expirée", "expired"}, KeyRevoked: {"révoquée", "revoked"}},
	true: {KeyActive: {"actif", "active"}, KeyRotating: {"actif", "active"}, KeyPaused: {"suspendu", "paused"},
		KeyExpired: {"expiré", "expired"}, KeyRevoked: {"déconnecté", "disconnected"}},
}

func (k Key) state(l web.Lang) string {
	text := stateTexts[k.Assistant][k.State]
	return l.Pick(text[0], text[1])
}

func (k Key) chip() string {
	switch k.State {
	case KeyActive:
		return "chip good"
	case KeyRotating, KeyPaused:
		return "chip wait"
	}
	return "chip"
}

func (k Key) expiry(l web.Lang) string {
	if k.ExpiresAt == nil {
		return l.Pick("jamais", "never")
	}
	if k.EndOfDay {
		return l.Day(k.ExpiresAt.Add(-time.Second)) // a day includes its end
	}
	return l.DateTime(*k.ExpiresAt)
}

// limits summarises the owner's restrictions.
func (k Key) limits(l web.Lang) string {
	var list []string
	if k.PerDay > 0 {
		list = append(list, view.Number(l, int64(k.PerDay))+l.Pick(" par jour", " per day"))
	}
	switch n := len(k.Networks); {
	case n == 1:
		list = append(list, l.Pick("depuis ", "from ")+apikey.FormatNetworks(k.Networks))
	case n > 1:
		list = append(list, l.Pick("depuis ", "from ")+strconv.Itoa(n)+l.Pick(" réseaux", " networks"))
	}
	if k.RefuseInQuery {
		list = append(list, l.Pick("jamais dans l’URL", "never in a URL"))
	}
	return strings.Join(list, ", ")
}

// Path is the address of a page of a key.
func Path(id ident.KeyID, then string) templ.SafeURL {
	return templ.SafeURL("/account/keys/" + strconv.FormatInt(int64(id), 10) + then)
}

// Problems are the errors of a form by field; the empty name stands for the whole form.
type Problems map[string]string

// KeyForm is the input to create or change a key.
type KeyForm struct {
	Name          string
	Expires       string // never, 30, 90, 365 or date
	ExpiresOn     string // 2006-01-02
	RefuseInQuery bool
	PerDay        string
	Networks      string
	Problems      Problems
	// field of the form of a key's page that was wrong, before the language changed; empty: it was not
	Kept string
}

// restricted reports whether the optional part is shown open.
func (f KeyForm) restricted() bool {
	return f.RefuseInQuery || f.PerDay != "" || f.Networks != "" || f.Problems["per_day"] != "" ||
		f.Problems["networks"] != ""
}

type expiryChoice struct{ value, french, english string }

var expiryChoices = []expiryChoice{
	{"never", "Jamais", "Never"},
	{"30", "Dans 30\u00a0jours", "In 30 days"},
	{"90", "Dans 90\u00a0jours", "In 90 days"},
	{"365", "Dans un an", "In a year"},
	{"date", "À une date choisie", "On a day of your choice"},
}

// lastUse formats the time of the last use.
func lastUse(l web.Lang, at *time.Time) string {
	if at == nil {
		return l.Pick("jamais", "never")
	}
	return l.DateTime(*at)
}
