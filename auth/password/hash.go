package password

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"

	"arpent/internal/fault"
)

// Cost is what OWASP recommends at this memory: about 40 ms and 19 MiB a hash.
var Cost = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

const (
	// maxWaiting bounds the queue: the last one waits about nine seconds on two processors, at 40 ms a hash.
	maxWaiting = 220
	// maxWait is how long a caller stays in the queue, on a machine that is slower or has other things to do.
	// It leaves time to answer within what a page may take.
	maxWait = 12 * time.Second
)

// ErrBusy is returned at once when the queue is full, and to a caller that waited in it for too long.
var ErrBusy = errors.New("too many passwords are being hashed")

// Hasher makes and checks hashes of passwords, few at a time, so that sign-ins leave a processor
// to the API. It is safe for concurrent use.
type Hasher struct {
	signIns    chan struct{} // admits a sign-in, from the first look at the account to the last write
	hashes     chan struct{} // admits one hash
	waiting    atomic.Int64
	done       atomic.Int64
	maxWaiting int64
	maxWait    time.Duration
}

// Shared is the hasher of this process. One processor stays free of it.
var Shared = NewHasher(max(1, runtime.GOMAXPROCS(0)-1), maxWaiting, maxWait)

// NewHasher makes a hasher that makes so many hashes at once, and lets so many callers wait for so long.
func NewHasher(hashes int, maxWaiting int64, maxWait time.Duration) *Hasher {
	return &Hasher{signIns: make(chan struct{}, hashes+1), hashes: make(chan struct{}, hashes),
		maxWaiting: maxWaiting, maxWait: maxWait}
}

// Done is how many hashes were made or checked.
func (h *Hasher) Done() int64 { return h.done.Load() }

// Admit admits a sign-in, before it uses the database: two hundred that read the account at once,
// only to wait for a hash then, cost the API's slowest answers as much as the hashing. The caller
// ends its admission with the function. ErrBusy.
func (h *Hasher) Admit(ctx context.Context) (end func(), err error) {
	return h.acquireSlot(ctx, h.signIns)
}

// acquireSlot waits for a place, which the caller leaves with the function.
func (h *Hasher) acquireSlot(ctx context.Context, places chan struct{}) (leave func(), err error) {
	leave = func() { <-places }
	select {
	case places <- struct{}{}:
		return leave, nil
	default:
	}
	defer h.waiting.Add(-1)
	if h.waiting.Add(1) > h.maxWaiting {
		return nil, ErrBusy
	}
	deadline := time.NewTimer(h.maxWait)
	defer deadline.Stop()
	select {
	case places <- struct{}{}:
		return leave, nil
	case <-deadline.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
}

// Hash makes the hash of a password. ErrBusy.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	leave, err := h.acquireSlot(ctx, h.hashes)
	if err != nil {
		return "", err
	}
	defer leave()
	h.done.Add(1)
	hashed, err := argon2id.CreateHash(password, &Cost)
	return hashed, fault.Wrap("hash a password", err)
}

// dummyHash is checked where there is no hash to check, so that it takes as long. It was made of 32 random
// bytes that were not kept, at Cost; a test keeps them the same.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$UubZpu1x2+ygxxppzqg/xg$BD7j2jOmA2apeZPVsi7oycKCRc2/DB94DfmAo9vWq+A"

// Matches reports whether the password is the one that was hashed; a nil hash
// takes as long and is never matched. ErrBusy.
func (h *Hasher) Matches(ctx context.Context, password string, hashed *string) (bool, error) {
	leave, err := h.acquireSlot(ctx, h.hashes)
	if err != nil {
		return false, err
	}
	defer leave()
	h.done.Add(1)
	against := dummyHash
	if hashed != nil {
		against = *hashed
	}
	same, err := argon2id.ComparePasswordAndHash(password, against)
	return same && hashed != nil, fault.Wrap("check a password", err)
}

// Outdated reports whether a hash was made at another cost than that of today.
func Outdated(hashed string) bool {
	made, _, _, err := argon2id.DecodeHash(hashed)
	return err == nil && *made != Cost
}
