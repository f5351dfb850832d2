// Package management makes, lists, revokes and checks management tokens, by which a program reads the
// usage, the keys and the members of an account. It promises that a token is shown once and stored as a
// hash, that it is never taken for an API key, nor a key for it, and that it works only while the person
// who made it may manage tokens of the account.
package management

import (
	"slices"
	"time"

	"arpent/auth/apikey"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// Mark begins every management token. No API key and no token of an assistant begins with it.
const Mark = "arpm_"

// MaxTokens is how many tokens that have not expired an account may have.
const MaxTokens = 20

// Scope is what a token may read.
type Scope string

// The scopes.
const (
	ReadUsage        Scope = "usage:read"
	ReadKeys         Scope = "keys:read"
	ReadOrganisation Scope = "organisation:read"
)

// Scopes are all scopes, in the order in which forms offer them.
var Scopes = []Scope{ReadUsage, ReadKeys, ReadOrganisation}

// Lifetimes are the days for which a token may be made.
var Lifetimes = []int{7, 30, 90, 365}

// TokenID names a row of account.management_token.
type TokenID int64

// Token is what may be shown of a token: never the secret, which is not stored.
type Token struct {
	ID         TokenID
	Name       string
	Scopes     []Scope
	Last4      string
	CreatedBy  ident.AccountID
	Maker      string // address of the person who made it
	CreatedAt  time.Time
	ExpiresAt  time.Time
	LastUsedAt *time.Time // nil: never
	// Void reports that the person who made it may not manage tokens any more, and that it is refused
	// therefore.
	Void bool
}

// Expired reports whether the token has expired at that time.
func (t Token) Expired(now time.Time) bool { return !now.Before(t.ExpiresAt) }

// NewToken describes a token to make.
type NewToken struct {
	Name   string
	Scopes []Scope
	Days   int // one of Lifetimes
}

// Why a token is not made. Callers distinguish them, to say what to do.
var (
	ErrUnconfirmed = fault.New(fault.InvalidParameter,
		"The account's e-mail address must be confirmed before a management token is made.", nil)
	ErrNameTaken = fault.New(fault.InvalidParameter, "The account has a management token of that name "+
		"already.", nil)
	ErrScopes = fault.New(fault.InvalidParameter, "A management token has one or more of the known "+
		"scopes.", nil)
	ErrLifetime = fault.New(fault.InvalidParameter, "A management token lasts 7, 30, 90 or 365 days.", nil)
	ErrTooMany  = fault.New(fault.InvalidParameter,
		"The account has 20 management tokens already: revoke one first.", nil)
)

// checkFields brings the description of a token to the form in which it is stored: the errors of
// apikey.CheckName, ErrScopes, ErrLifetime.
func (n NewToken) checkFields() (NewToken, error) {
	var err error
	if n.Name, err = apikey.CheckName(n.Name); err != nil {
		return n, err
	}
	known := slices.DeleteFunc(slices.Clone(Scopes), func(s Scope) bool { return !slices.Contains(n.Scopes, s) })
	isUnknown := func(s Scope) bool { return !slices.Contains(Scopes, s) }
	switch {
	case len(known) == 0 || slices.ContainsFunc(n.Scopes, isUnknown):
		return n, ErrScopes
	case !slices.Contains(Lifetimes, n.Days):
		return n, ErrLifetime
	}
	n.Scopes = known
	return n, nil
}

// The limit of a token: PerMinute requests in any 60 seconds, of which Burst may come at once.
const (
	PerMinute = 60
	Burst     = PerMinute / 2

	spacing = time.Minute / (PerMinute - Burst) // between the places that become free
)

// Rate is the state of the limit of a token after a request.
type Rate struct {
	Remaining  int           // requests that would be admitted now
	Reset      time.Duration // until Burst of them would be
	RetryAfter time.Duration // of a rejected request: when it would be admitted; 0: it was
}

// decideRate admits a request, or rejects it, which costs nothing. busyUntil is when all places are free
// again; the zero value: they are.
func decideRate(now, busyUntil time.Time) (next time.Time, r Rate) {
	if busyUntil.Before(now) {
		busyUntil = now
	}
	// An instance whose clock is ahead may have stored a later time than the requests explain.
	if latest := now.Add(Burst * spacing); busyUntil.After(latest) {
		busyUntil = latest
	}
	next = busyUntil.Add(spacing)
	if wait := next.Sub(now) - Burst*spacing; wait > 0 {
		return busyUntil, Rate{Reset: busyUntil.Sub(now), RetryAfter: wait}
	}
	left := Burst*spacing - next.Sub(now)
	return next, Rate{Remaining: int(left / spacing), Reset: next.Sub(now)}
}
