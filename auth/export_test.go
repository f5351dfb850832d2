package auth

import (
	"context"

	"arpent/app/ident"
)

// Hasher lets a test see the line before the password hashes.
type Hasher = hasher

var NewHasher = newHasher

func (h *hasher) Acquire(ctx context.Context) error { return h.acquire(ctx) }
func (h *hasher) Release()                          { h.release() }
func (h *hasher) Done() int64                       { return h.done.Load() }
func (h *hasher) Waiting() int64                    { return h.waiting.Load() }
func (h *hasher) Slots() int                        { return cap(h.slots) }

// Passwords is the one that the whole process shares.
func Passwords() *Hasher { return passwords }

// HashWith makes the service hash apart from other tests.
func (s *Service) HashWith(h *Hasher) { s.passwords = h }

const NobodysHash = nobodysHash

var Hashing = hashing

// LinkTokens makes links as a server with that secret does.
func LinkTokens(secret []byte) func(purpose string, id int64) string {
	key := deriveKeys(secret).link
	return func(purpose string, id int64) string { return linkToken(key, purpose, id) }
}

// KnowsDevice tells whether a device cookie is taken for that account.
func KnowsDevice(s *Service, cookie string, id ident.AccountID) bool {
	return s.knowsDevice(cookie, id)
}
