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
	// maxWaiting bounds the line: who joins it at its end waits about three seconds on two processors.
	maxWaiting = 64
	busyWait   = 3 * time.Second
)

// hasher makes and checks hashes of passwords, few at a time, so that those who sign in leave the processors to
// those who call the API.
type hasher struct {
	slots      chan struct{}
	waiting    atomic.Int64
	done       atomic.Int64 // hashes made and checked
	maxWaiting int64
}

// passwords is shared by all that hash in this process. One processor stays free of it.
var passwords = newHasher(max(1, runtime.GOMAXPROCS(0)-1), maxWaiting)

func newHasher(slots int, maxWaiting int64) *hasher {
	return &hasher{slots: make(chan struct{}, slots), maxWaiting: maxWaiting}
}

// acquire waits for a turn. A line that is too long is a Problem at once.
func (h *hasher) acquire(ctx context.Context) error {
	select {
	case h.slots <- struct{}{}:
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
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
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
	made, err := argon2id.CreateHash(password, &hashing)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return made, nil
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
	same, err := argon2id.ComparePasswordAndHash(password, against)
	if err != nil {
		return false, fmt.Errorf("check a password: %w", err)
	}
	return same && hashed != nil, nil
}
