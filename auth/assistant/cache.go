package assistant

import (
	"sync"
	"time"
)

// cache keeps values until a time of their own, and no more than
// limit of them. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	limit int
	mu    sync.RWMutex
	m     map[K]cached[V]
}

type cached[V any] struct {
	value V
	until time.Time
}

func newCache[K comparable, V any](limit int) *cache[K, V] {
	return &cache[K, V]{limit: limit, m: map[K]cached[V]{}}
}

// get also finds what is out of date: whether that is an answer is for the caller to decide.
func (c *cache[K, V]) get(key K) (cached[V], bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found, ok := c.m[key]
	return found, ok
}

func (c *cache[K, V]) drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, key)
}

// put drops what is out of date when the cache is full, and then an arbitrary tenth of the values.
func (c *cache[K, V]) put(key K, value V, until, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.m) >= c.limit {
		for other, old := range c.m {
			if !now.Before(old.until) {
				delete(c.m, other)
			}
		}
	}
	if len(c.m) >= c.limit {
		for other := range c.m {
			if delete(c.m, other); len(c.m) <= c.limit-c.limit/10 {
				break
			}
		}
	}
	c.m[key] = cached[V]{value, until}
}
