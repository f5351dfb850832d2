package auth

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"
)

// About 40 ms and 19 MiB a hash: what OWASP recommends at this memory.
var hashing = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

const (
	// maxWaiting bounds the queue: whoever joins it at its end waits about nine seconds on two processors.
	maxWaiting = 220
	// maxWait is how long somebody stays in it, on a machine that is slower or has other things to do. It leaves time
	// to answer within what a page may take.
	maxWait = 12 * time.Second
	// busyRetry is when to come back, by which time the queue of now is over.
	busyRetry = 10 * time.Second
)

// hasher makes and checks hashes of passwords, few at a time, so that those who sign in leave a processor to those who
// call the API.
type hasher struct {
	signIns    chan struct{} // admits a sign-in, from the first look at the account to the last write
	slots      chan struct{} // admits one hash
	waiting    atomic.Int64
	done       atomic.Int64 // hashes made and checked
	maxWaiting int64
	maxWait    time.Duration
}

// passwords is shared by all that hash in this process. One processor stays free of it.
var passwords = newHasher(max(1, runtime.GOMAXPROCS(0)-1), maxWaiting, maxWait)

func newHasher(slots int, maxWaiting int64, maxWait time.Duration) *hasher {
	return &hasher{signIns: make(chan struct{}, slots+1), slots: make(chan struct{}, slots), maxWaiting: maxWaiting, maxWait: maxWait}
}

// admit keeps those who come in at once from all asking the database at once, only to wait for a hash then: two hundred
// of them cost the API's slowest answers as much as the hashing. The caller ends its admission with the function.
func (h *hasher) admit(ctx context.Context) (func(), error) {
	if err := h.enter(ctx, h.signIns); err != nil {
		return nil, err
	}
	return func() { <-h.signIns }, nil
}

// acquire waits to hash.
func (h *hasher) acquire(ctx context.Context) error { return h.enter(ctx, h.slots) }

// enter waits for a place. It is a Problem with CodeBusy at once where the queue is full, and after maxWait in it.
func (h *hasher) enter(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	defer h.waiting.Add(-1)
	if h.waiting.Add(1) > h.maxWaiting {
		return busy()
	}
	deadline := time.NewTimer(h.maxWait)
	defer deadline.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-deadline.C:
		return busy()
	case <-ctx.Done():
		return fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
}

func busy() *Problem {
	p := problem("", CodeBusy)
	p.Wait = busyRetry
	return p
}

func (h *hasher) release() {
	h.done.Add(1)
	<-h.slots
}

func (h *hasher) make(ctx context.Context, password string) (string, error) {
	if err := h.acquire(ctx); err != nil {
		return "", err
	}
	defer h.release()
	hashed, err := argon2id.CreateHash(password, &hashing)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hashed, nil
}

// nobodysHash is checked where there is no hash to check, so that it takes as long. It was made of 32 random bytes
// that nobody kept, with the parameters above; a test keeps them the same.
const nobodysHash = "$argon2id$v=19$m=19456,t=2,p=1$UubZpu1x2+ygxxppzqg/xg$BD7j2jOmA2apeZPVsi7oycKCRc2/DB94DfmAo9vWq+A"

// matches reports whether the password is the one that was hashed; a nil hash takes as long and is never matched.
func (h *hasher) matches(ctx context.Context, password string, hashed *string) (bool, error) {
	if err := h.acquire(ctx); err != nil {
		return false, err
	}
	defer h.release()
	against := nobodysHash
	if hashed != nil {
		against = *hashed
	}
	same, err := argon2id.ComparePasswordAndHash(password, against)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return same && hashed != nil, nil
}

// outdated reports whether a hash was made with other parameters than those of today.
func outdated(hashed string) bool {
	made, _, _, err := argon2id.DecodeHash(hashed)
	return err == nil && *made != hashing
}
