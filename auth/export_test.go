package auth

import (
	"context"

	"arpent/app/base/ident"
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

// KnowsDevice tells whether a device cookie is taken for that account.
func (s *Service) KnowsDevice(ctx context.Context, cookie string, id ident.AccountID) (known bool, err error) {
	h := &holder{id: id}
	err = s.db.QueryRow(ctx, `SELECT created_at FROM account.account WHERE id = $1`, id).Scan(&h.createdAt)
	return s.knowsDevice(cookie, h), err
}
