// Package tile makes the vector tiles of the explorer: the plan, which is outlines and references of what is
// loaded, from the territory in memory and the files of parcels and addresses; and layers of areas over it,
// from the database.
//
// Clients need no key for tiles, so what they cost is limited, whatever is asked for: two of the plan are
// made at a time, for half a second each at most, and all of them together take a quarter of one processor in
// the long run; as many of areas, for a second each, and a quarter of a processor of the database. One
// network makes one of each kind at a time, and gets a quarter of that time. Tiles that were made are kept,
// up to 16 MiB.
package tile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/singleflight"

	"arpent/api/coverage"
	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/internal/budget"
	"arpent/internal/clientip"
	"arpent/internal/clock"
	"arpent/internal/opendata/source"
)

// What tiles of the plan may cost, and those of areas again.
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

// ErrNone means that there is nothing in a tile. ErrCrowded means that there are more areas in it than are
// drawn, or that they take too long to read: tiles of a higher zoom have fewer.
var (
	ErrNone    = errors.New("nothing is in the tile")
	ErrCrowded = errors.New("too many areas are in the tile")
)

// Busy means that no tile is made at the moment. Those that were made are still given.
type Busy struct{ RetryAfter time.Duration }

func (b Busy) Error() string { return "no tile is made for " + b.RetryAfter.String() }

// Tile is one that was made.
type Tile struct {
	Body []byte // compressed with gzip; nil: nothing is in it
	Tag  string // entity tag, without quotes

	crowded bool      // nothing is in it, because there would be too many areas
	until   time.Time // when it is made again; zero: when other data are loaded
}

// Options are the parameters of New.
type Options struct {
	Territory func() *territory.Snapshot // nil while none is loaded
	Parcels   func() *parcel.Index       // nil while there is no file
	Addresses func() *geocode.Index      // nil while there is no file
	Coverage  func() *coverage.Served    // replaced when other areas are loaded
	Database  *pgxpool.Pool              // with the areas
	Clock     clock.Clock
	// of a processor's time, at once after a pause; 0: fifteen seconds, some thousand tiles
	Reserve time.Duration
}

// Maker makes tiles, and keeps those that were asked for last. It is safe for concurrent use.
type Maker struct {
	o     Options
	plan  limits
	areas limits // apart, so that a slow database delays no tile of the plan
	calls singleflight.Group

	mu            sync.Mutex
	cache         *simplelru.LRU[tileKey, Tile]
	cachedBytes   int
	loaded        map[string]bool // communes with parcels, by code; not modified
	cachedEdition edition         // what the kept ones and loaded were made from
}

// limits limits concurrency and processor time of one kind of tile.
type limits struct {
	slots  *budget.Slots
	budget *budget.Shared
}

// tileKey names a tile of the plan, whose layer is empty, or of a layer of areas.
type tileKey struct {
	layer string
	Address
}

// edition is what a tile is made from. Each part is replaced whole, never changed.
type edition struct {
	territory *territory.Snapshot
	parcels   *parcel.Index
	addresses *geocode.Index
	coverage  *coverage.Served
}

// New returns a Maker that has made nothing.
func New(o Options) *Maker {
	newLimits := func() limits {
		return limits{budget.NewSlots(maxConcurrent), budget.NewShared(budget.Options{Clock: o.Clock,
			Share: processorShare, Reserve: cmp.Or(o.Reserve, defaultReserve)})}
	}
	m := &Maker{o: o, plan: newLimits(), areas: newLimits()}
	kept, err := simplelru.NewLRU(cacheBytes/overhead, func(_ tileKey, t Tile) {
		m.cachedBytes -= len(t.Body) + overhead
	})
	if err != nil {
		panic(err) // the size is positive
	}
	m.cache = kept
	return m
}

// overhead is what an entry takes in addition to the tile.
const overhead = 256

// Tile returns a tile of a layer of areas, or of the plan where areas is nil, for a client. It returns
// ErrNone for one that is empty, ErrCrowded for one with too many areas, and Busy when it cannot be made now
// for the client.
func (m *Maker) Tile(ctx context.Context, client netip.Addr, areas *source.MapLayer, a Address) (Tile, error) {
	now := edition{m.o.Territory(), m.o.Parcels(), m.o.Addresses(), m.o.Coverage()}
	box := a.boundingBox()
	if now.territory == nil || !slices.ContainsFunc(franceBoxes, box.Touches) {
		return Tile{}, ErrNone
	}
	key := tileKey{Address: a}
	if areas != nil {
		key.layer = areas.Name
	}
	t, ok := m.cachedTile(key, now)
	if !ok {
		// Clients of one network wait together. Those of another do not wait for a tile that is refused to
		// this one.
		call := fmt.Sprint(clientip.Widest(client), key)
		made, err, _ := m.calls.Do(call, func() (any, error) {
			return m.makeTile(context.WithoutCancel(ctx), client, areas, key, now)
		})
		if err != nil {
			return Tile{}, err
		}
		t = made.(Tile)
	}
	switch {
	case t.crowded:
		return Tile{}, ErrCrowded
	case t.Body == nil:
		return Tile{}, ErrNone
	}
	return t, nil
}

func (m *Maker) cachedTile(key tileKey, now edition) (Tile, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropStaleTiles(now)
	t, ok := m.cache.Get(key)
	if ok && !t.until.IsZero() && m.o.Clock.Now().After(t.until) {
		return Tile{}, false
	}
	return t, ok
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
func (m *Maker) storeTile(key tileKey, t Tile, now edition) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cachedEdition != now {
		return
	}
	m.cache.Remove(key)
	m.cachedBytes += len(t.Body) + overhead
	m.cache.Add(key, t)
	for m.cachedBytes > cacheBytes {
		m.cache.RemoveOldest()
	}
}

// makeTile waits for a slot, makes a tile and keeps it.
func (m *Maker) makeTile(ctx context.Context, client netip.Addr, areas *source.MapLayer, key tileKey,
	now edition) (Tile, error) {
	own := m.plan
	if areas != nil {
		own = m.areas
	}
	waiting, stop := context.WithTimeout(ctx, waitTimeout)
	defer stop()
	release, err := own.slots.Take(waiting, client)
	if err != nil {
		return Tile{}, Busy{time.Second}
	}
	defer release()
	if t, ok := m.cachedTile(key, now); ok {
		return t, nil
	}
	if wait := own.budget.Wait(client); wait > 0 {
		return Tile{}, Busy{wait}
	}
	begun := m.o.Clock.Now()
	defer func() { own.budget.Spend(client, m.o.Clock.Now().Sub(begun)) }()
	var t Tile
	if areas != nil {
		t, err = m.drawAreas(ctx, areas, key.Address)
	} else {
		t, err = m.drawPlan(ctx, key.Address, now)
	}
	if err != nil {
		return Tile{}, err
	}
	m.storeTile(key, t, now)
	return t, nil
}

// drawPlan makes a tile of the plan, of as many of its layers as fit.
func (m *Maker) drawPlan(ctx context.Context, a Address, now edition) (Tile, error) {
	ctx, cancel := context.WithTimeout(ctx, makeTimeout)
	defer cancel()
	d := &drawing{Address: a, territory: now.territory, parcels: now.parcels, addresses: now.addresses,
		loaded: m.listCommunes(now), box: a.boundingBox()}
	for layers := d.visibleLayers(); ; layers = layers[:len(layers)-1] {
		body, err := d.encodeLayers(ctx, layers)
		var t Tile
		if err == nil {
			t, err = packTile(body)
		}
		switch {
		case err == nil && len(t.Body) <= maxBytes:
			return t, nil
		case ctx.Err() != nil:
			return Tile{}, Busy{time.Second}
		case err != nil:
			return Tile{}, fmt.Errorf("make tile %v: %w", a, err)
		}
	}
}

// packTile compresses a tile; one without anything has no body.
func packTile(body []byte) (Tile, error) {
	if len(body) == 0 {
		return Tile{}, nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(body); err != nil {
		return Tile{}, err
	}
	if err := w.Close(); err != nil {
		return Tile{}, err
	}
	return Tile{Body: packed.Bytes(), Tag: strconv.FormatUint(xxhash.Sum64(body), 36)}, nil
}
