package explore

import (
	"math"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"arpent/app/base/clientip"
	"arpent/app/base/clock"
)

// How much one address may look up: a search, a commune and a parcel are one each. An evening of curiosity has room in it; a
// program that reads a département page by page has not. Tiles and lists are not counted: they are outlines and references.
const (
	visitsAtOnce   = 60
	visitEvery     = 10 * time.Minute // one more, up to those: 144 a day
	addressesKnown = 20_000           // some 3 MiB
)

// visits counts by client address, a network of 64 bits counting as one. Memory is bounded: who has not been there the longest is
// forgotten, and what all addresses together may cost is bounded by the time that is spent on them.
type visits struct {
	clock clock.Clock
	mu    sync.Mutex
	left  *simplelru.LRU[netip.Addr, bucket]
}

type bucket struct {
	left float64
	at   time.Time
}

func newVisits(c clock.Clock) *visits {
	left, err := simplelru.NewLRU[netip.Addr, bucket](addressesKnown, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &visits{clock: c, left: left}
}

// take counts a visit; it returns how long to wait where none is left.
func (v *visits) take(address netip.Addr) time.Duration {
	now, who := v.clock.Now(), clientip.Network(address).Addr()
	v.mu.Lock()
	defer v.mu.Unlock()
	b, known := v.left.Get(who)
	if !known {
		b = bucket{left: visitsAtOnce, at: now}
	}
	b.left = min(visitsAtOnce, b.left+max(0, now.Sub(b.at).Seconds())/visitEvery.Seconds())
	b.at = now
	if b.left < 1 {
		v.left.Add(who, b)
		return time.Duration((1 - b.left) * float64(visitEvery))
	}
	b.left--
	v.left.Add(who, b)
	return 0
}

// seconds is a duration as Retry-After has it.
func seconds(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }
