package auth

import "context"

// Hasher lets a test see the line before the password hashes.
type Hasher = hasher

var NewHasher = newHasher

func (h *hasher) Acquire(ctx context.Context) error { return h.acquire(ctx) }
func (h *hasher) Release()                          { h.release() }
func (h *hasher) Done() int64                       { return h.done.Load() }
func (h *hasher) Waiting() int64                    { return h.waiting.Load() }
func (h *hasher) Slots() int                        { return cap(h.slots) }

// Elsewhere makes a program do the work.
func (h *hasher) Elsewhere(program string) *Hasher { return h.elsewhere(program) }

// Make hashes a password.
func (h *hasher) Make(ctx context.Context, password string) (string, error) {
	return h.make(ctx, password)
}

// Passwords is the one that the whole process shares.
func Passwords() *Hasher { return passwords }

// HashWith makes the service hash apart from other tests.
func (s *Service) HashWith(h *Hasher) { s.passwords = h }

const NobodysHash = nobodysHash

var Hashing = hashing
