package auth

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"
)

// About 40 ms and 19 MiB a hash: what OWASP recommends at this memory.
var hashing = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

const (
	// maxWaiting bounds the line: who joins it at its end waits about nine seconds on two processors.
	maxWaiting = 220
	busyWait   = 10 * time.Second
)

// hasher makes and checks hashes of passwords, few at a time, so that those who sign in leave the processors to
// those who call the API.
type hasher struct {
	line       chan struct{} // those whose turn it is, from the first look at the account to the last write
	slots      chan struct{}
	waiting    atomic.Int64
	done       atomic.Int64 // hashes made and checked
	maxWaiting int64
	processes  chan *hashProcess // one a slot; nil: this process hashes itself
}

// passwords is shared by all that hash in this process. One processor stays free of it.
var passwords = newHasher(max(1, runtime.GOMAXPROCS(0)-1), maxWaiting)

func newHasher(slots int, maxWaiting int64) *hasher {
	return &hasher{line: make(chan struct{}, slots+1), slots: make(chan struct{}, slots), maxWaiting: maxWaiting}
}

// turn keeps those who come in at once from all asking the database at once, only to wait for a hash then: two hundred
// of them cost the API's slowest answers as much as the hashing. Whoever has a turn gives it back with the function.
func (h *hasher) turn(ctx context.Context) (func(), error) {
	if err := h.enter(ctx, h.line); err != nil {
		return nil, err
	}
	return func() { <-h.line }, nil
}

// acquire waits to hash.
func (h *hasher) acquire(ctx context.Context) error { return h.enter(ctx, h.slots) }

// enter waits for a place. A queue that is too long is a Problem at once.
func (h *hasher) enter(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	if h.waiting.Add(1) > h.maxWaiting {
		h.waiting.Add(-1)
		busy := problem("", CodeBusy)
		busy.Wait = busyWait
		return busy
	}
	defer h.waiting.Add(-1)
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
}

// elsewhere makes the hasher leave the work to processes of the program at that path.
func (h *hasher) elsewhere(program string) *hasher {
	h.processes = make(chan *hashProcess, cap(h.slots))
	for range cap(h.slots) {
		h.processes <- &hashProcess{command: program}
	}
	return h
}

// do has a task done by a process, or does it here where there is none. Whoever calls holds a slot.
func (h *hasher) do(ctx context.Context, t hashTask) (hashDone, error) {
	if h.processes == nil {
		return t.do(), nil
	}
	p := <-h.processes
	defer func() { h.processes <- p }()
	d, err := p.do(ctx, t)
	if err != nil && ctx.Err() == nil {
		return t.do(), nil
	}
	return d, err
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
	d, err := h.do(ctx, hashTask{Password: password})
	if err == nil && d.Error != "" {
		err = errors.New(d.Error)
	}
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return d.Hash, nil
}

func hashOf(password string) (string, error) { return argon2id.CreateHash(password, &hashing) }

func compare(password, hash string) (bool, error) {
	return argon2id.ComparePasswordAndHash(password, hash)
}

// nobodysHash is checked where there is no hash to check, so that it takes as long. It was made of 32 random bytes
// that nobody kept, with the parameters above; a test keeps them the same.
const nobodysHash = "$argon2id$v=19$m=19456,t=2,p=1$UubZpu1x2+ygxxppzqg/xg$BD7j2jOmA2apeZPVsi7oycKCRc2/DB94DfmAo9vWq+A"

// matches tells whether the password is the one that was hashed; a nil hash takes as long and is never matched.
func (h *hasher) matches(ctx context.Context, password string, hashed *string) (bool, error) {
	if err := h.acquire(ctx); err != nil {
		return false, err
	}
	defer h.release()
	against := nobodysHash
	if hashed != nil {
		against = *hashed
	}
	d, err := h.do(ctx, hashTask{Password: password, Hash: against})
	if err == nil && d.Error != "" {
		err = errors.New(d.Error)
	}
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return d.Same && hashed != nil, nil
}
