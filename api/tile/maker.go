// Package tile makes the vector tiles of the explorer: outlines and references of what is loaded, from the
// territory in memory and the file of parcels. It asks no database.
//
// Clients need no key for tiles, so what they cost is limited, whatever is asked for: two are made at a time,
// for half a second each at most, and all of them together take a quarter of one processor in the long run.
// One network makes one at a time, and gets a quarter of that time. Tiles that were made are kept, up to 16
// MiB.
package tile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/internal/budget"
	"arpent/internal/clientip"
	"arpent/internal/clock"
)

// What tiles may cost.
const (
	processorShare = 0.25             // of one processor, in the long run
	defaultReserve = 15 * time.Second // of a processor, where Options name none
	maxConcurrent  = 2
	maxBytes       = 512 << 10 // of a tile, compressed
	cacheBytes     = 16 << 20
)

// Tests alone change them.
var (
	makeTimeout = 500 * time.Millisecond // one takes some ten milliseconds
	waitTimeout = 500 * time.Millisecond // for those that are made before
)

// ErrNone means that there is nothing in a tile.
var ErrNone = errors.New("nothing is in the tile")

// Busy means that no tile is made at the moment. Those that were made are still given.
type Busy struct{ RetryAfter time.Duration }

func (b Busy) Error() string { return "no tile is made for " + b.RetryAfter.String() }

// Tile is one that was made.
type Tile struct {
	Body []byte // compressed with gzip; nil: nothing is in it
	Tag  string // entity tag, without quotes
}

// Options are the parameters of New.
type Options struct {
	Territory func() *territory.Snapshot // nil while none is loaded
	Parcels   func() *parcel.Index       // nil while there is no file
	Clock     clock.Clock
	Reserve   time.Duration // of a processor's time, at once after a pause; 0: fifteen seconds, some thousand tiles
}

// Maker makes tiles, and keeps those that were asked for last. It is safe for concurrent use.
type Maker struct {
	o      Options
	budget *budget.Shared
	slots  *budget.Slots
	calls  singleflight.Group

	mu            sync.Mutex
	cache         *simplelru.LRU[Address, Tile]
	cachedBytes   int
	loaded        map[string]bool // communes with parcels, by code; not modified
	cachedEdition edition         // what the kept ones and loaded were made from
}

// edition is what a tile is made from. Both are replaced whole, never changed.
type edition struct {
	territory *territory.Snapshot
	parcels   *parcel.Index
}

// New returns a Maker that has made nothing.
func New(o Options) *Maker {
	m := &Maker{o: o, slots: budget.NewSlots(maxConcurrent),
		budget: budget.NewShared(budget.Options{Clock: o.Clock, Share: processorShare, Reserve: cmp.Or(o.Reserve,
			defaultReserve)})}
	kept, err := simplelru.NewLRU(cacheBytes/overhead, func(_ Address, t Tile) {
		m.cachedBytes -= len(t.Body) +
			overhead
	})
	if err != nil {
		panic(err) // the size is positive
	}
	m.cache = kept
	return m
}

// overhead is what an entry takes in addition to the tile.
const overhead = 256

// Tile returns a tile for a client. It returns ErrNone for one that is empty, and Busy when it cannot be made
// now for the client.
func (m *Maker) Tile(ctx context.Context, client netip.Addr, a Address) (Tile, error) {
	now := edition{m.o.Territory(), m.o.Parcels()}
	if now.territory == nil || !a.isOverFrance() {
		return Tile{}, ErrNone
	}
	t, ok := m.cachedTile(a, now)
	if !ok {
		// Clients of one network wait together. Those of another do not wait for a tile that is refused to
		// this one.
		call := fmt.Sprint(clientip.Widest(client), a)
		made, err, _ := m.calls.Do(call, func() (any, error) {
			return m.makeTile(context.WithoutCancel(ctx), client, a, now)
		})
		if err != nil {
			return Tile{}, err
		}
		t = made.(Tile)
	}
	if t.Body == nil {
		return Tile{}, ErrNone
	}
	return t, nil
}

func (m *Maker) cachedTile(a Address, now edition) (Tile, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropStaleTiles(now)
	return m.cache.Get(a)
}

// dropStaleTiles forgets what was made from other data. The caller holds mu.
func (m *Maker) dropStaleTiles(now edition) {
	if m.cachedEdition != now {
		m.cache.Purge()
		m.cachedEdition, m.loaded = now, nil
	}
}

// listCommunes returns the communes with parcels.
func (m *Maker) listCommunes(now edition) map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropStaleTiles(now)
	if m.loaded == nil {
		m.loaded = communesWithParcels(now)
	}
	return m.loaded
}

// storeTile keeps a tile. It forgets those that were asked for the longest time ago.
func (m *Maker) storeTile(a Address, t Tile, now edition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cachedEdition != now {
		return
	}
	m.cache.Remove(a)
	m.cachedBytes += len(t.Body) + overhead
	m.cache.Add(a, t)
	for m.cachedBytes > cacheBytes {
		m.cache.RemoveOldest()
	}
}

// makeTile waits for a slot, makes a tile and keeps it.
func (m *Maker) makeTile(ctx context.Context, client netip.Addr, a Address, now edition) (Tile, error) {
	waiting, stop := context.WithTimeout(ctx, waitTimeout)
	defer stop()
	release, err := m.slots.Take(waiting, client)
	if err != nil {
		return Tile{}, Busy{time.Second}
	}
	defer release()
	if t, ok := m.cachedTile(a, now); ok {
		return t, nil
	}
	if wait := m.budget.Wait(client); wait > 0 {
		return Tile{}, Busy{wait}
	}
	begun := m.o.Clock.Now()
	defer func() { m.budget.Spend(client, m.o.Clock.Now().Sub(begun)) }()
	ctx, cancel := context.WithTimeout(ctx, makeTimeout)
	defer cancel()
	t, err := drawTile(ctx, &drawing{Address: a, territory: now.territory, parcels: now.parcels,
		loaded: m.listCommunes(now), box: a.boundingBox()})
	switch {
	case err == nil:
		m.storeTile(a, t, now)
		return t, nil
	case ctx.Err() != nil:
		return Tile{}, Busy{time.Second}
	}
	return Tile{}, fmt.Errorf("make tile %v: %w", a, err)
}

// drawTile makes a tile of as many of its layers as fit.
func drawTile(ctx context.Context, d *drawing) (Tile, error) {
	for layers := d.visibleLayers(); ; layers = layers[:len(layers)-1] {
		body, err := d.encodeLayers(ctx, layers)
		if err != nil || len(body) == 0 {
			return Tile{}, err
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(body); err != nil {
			return Tile{}, err
		}
		if err := w.Close(); err != nil {
			return Tile{}, err
		}
		if packed.Len() <= maxBytes {
			return Tile{packed.Bytes(), strconv.FormatUint(xxhash.Sum64(body), 36)}, nil
		}
	}
}
