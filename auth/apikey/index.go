package apikey

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Entry is what a request needs to know about its key and account. It must not be modified.
type Entry struct {
	ID            ident.KeyID
	Account       ident.AccountID
	RefuseInQuery bool
	Paused        bool           // rejected until its owner resumes it
	KeyPerDay     int            // the owner's own cap for this key; 0: none
	Networks      []netip.Prefix // where it may be used from; none: from anywhere
	ExpiresAt     time.Time      // zero: never
	Probe         bool           // the server calls itself, for no account: see Probed

	Plan                 string
	PerMinute            *int // the account's own limits; nil: the plan's
	EnrichmentsPerMinute *int
	PerDay               *int
	HasReserve           bool // the owner pays for requests beyond PerDay
	ReserveLeft          int  // of the month, as ReserveDay began
	ReserveDay           clock.Date

	hash [32]byte
}

// ErrInvalid is the one answer to every key that is not accepted, whatever the reason.
var ErrInvalid = fault.New(fault.InvalidAPIKey, "The API key is unknown, expired or revoked.", nil)

// Channel is where the database notifies of a change to an account, whose number is the payload.
const Channel = "arpent_account"

var (
	readTimeout  = 10 * time.Second
	refreshEvery = time.Minute // a safety net: changes arrive by notification
)

const (
	retryAfter    = 300 * time.Millisecond // after a reading that failed
	indexSections = 256
)

// Index holds every live key in memory, so that finding one costs no query and a wrong one costs
// nothing. Changes arrive by notification; when the database is away it goes on with what it holds,
// and reads everything again once it is back.
type Index struct {
	db    *pgxpool.Pool
	clock clock.Clock

	// One map for each first byte of a hash. Readers take no lock: a map is replaced, never changed.
	sections [indexSections]atomic.Pointer[map[[32]byte]*Entry]

	// writeMu is held from the query to the end of what it changes, so that an older reading never
	// overwrites a newer one.
	writeMu      sync.Mutex
	byAccount    map[ident.AccountID][]*Entry
	reloadSignal clock.Signal // asks for everything to be read again
}

// NewIndex makes an empty index.
func NewIndex(db *pgxpool.Pool, c clock.Clock) *Index {
	x := &Index{db: db, clock: c, byAccount: map[ident.AccountID][]*Entry{}, reloadSignal: clock.NewSignal()}
	for i := range x.sections {
		x.sections[i].Store(&map[[32]byte]*Entry{})
	}
	return x
}

// Find returns the entry of the key that a caller presents, or ErrInvalid. It makes no query, keeps
// nothing of presented and allocates nothing.
func (x *Index) Find(presented string) (*Entry, error) {
	hash, ok := Parse(presented)
	if !ok {
		return nil, ErrInvalid
	}
	return x.ByHash(hash)
}

// ByHash is Find for a caller that knows the hash of a key, as for the token of an
// assistant, whose key's secret is not kept.
func (x *Index) ByHash(hash [32]byte) (*Entry, error) {
	e := (*x.sections[hash[0]].Load())[hash]
	if e == nil || !e.ExpiresAt.IsZero() && !x.clock.Now().Before(e.ExpiresAt) {
		return nil, ErrInvalid
	}
	return e, nil
}

// Of returns the live key of an account with that id, or ErrInvalid: for who acts for the owner,
// and never had the secret. One that is not known here is looked for in the database: it may have
// been made on another instance, a moment ago.
func (x *Index) Of(ctx context.Context, account ident.AccountID, id ident.KeyID) (*Entry, error) {
	if e, err := x.findOwned(account, id); err == nil {
		return e, nil
	}
	if err := x.Refresh(ctx, account); err != nil {
		return nil, err
	}
	return x.findOwned(account, id)
}

func (x *Index) findOwned(account ident.AccountID, id ident.KeyID) (*Entry, error) {
	x.writeMu.Lock()
	defer x.writeMu.Unlock()
	for _, e := range x.byAccount[account] {
		if e.ID == id {
			return x.ByHash(e.hash)
		}
	}
	return nil, ErrInvalid
}

// AllowedFrom reports whether the key may be used from an address. An address
// that could not be found out is in no network.
func (e *Entry) AllowedFrom(a netip.Addr) bool {
	for _, p := range e.Networks {
		if p.Contains(a) {
			return true
		}
	}
	return len(e.Networks) == 0
}

// Run keeps the index up to date until ctx ends. The listener, of the database of the
// pool, listens to Channel and runs as long.
func (x *Index) Run(ctx context.Context, l *pgdb.Listener) {
	l.Subscribe(ctx, Channel, func(ctx context.Context) { x.scheduleReload(ctx, x.Load(ctx)) }, x.onNotify)
	every := time.NewTicker(refreshEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		case <-x.reloadSignal:
			if !clock.Sleep(ctx, retryAfter) {
				return
			}
		}
		x.scheduleReload(ctx, x.Load(ctx))
	}
}

func (x *Index) onNotify(ctx context.Context, payload string) {
	id, err := strconv.ParseInt(payload, 10, 64)
	if err == nil {
		err = x.Refresh(ctx, ident.AccountID(id))
	}
	x.scheduleReload(ctx, err)
}

// scheduleReload sees to it that a change which could not be read is not forgotten.
func (x *Index) scheduleReload(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	slog.WarnContext(ctx, "key index not refreshed, reading all keys again", "error", err)
	x.reloadSignal.Notify()
}

const liveKeys = `
SELECT k.id, k.account_id, k.refuse_in_query, k.paused_at IS NOT NULL, coalesce(k.per_day, 0), k.networks, k.expires_at, k.secret_hash,
    a.plan, a.per_minute, a.enrichments_per_minute, a.per_day,
    a.reserve_per_month IS NOT NULL, coalesce(a.reserve_left, 0), coalesce(a.reserve_day - DATE '1970-01-01', 0)
FROM account.api_key k JOIN account.account a ON a.id = k.account_id
WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $1)`

// Load reads every live key. Call it once before serving; Run calls it again when needed.
func (x *Index) Load(ctx context.Context) error {
	x.writeMu.Lock()
	defer x.writeMu.Unlock()
	all, err := x.queryEntries(ctx, liveKeys, x.clock.Now())
	if err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	var sections [indexSections]map[[32]byte]*Entry
	for i := range sections {
		sections[i] = map[[32]byte]*Entry{}
	}
	byAccount := map[ident.AccountID][]*Entry{}
	for _, e := range all {
		sections[e.hash[0]][e.hash] = e
		byAccount[e.Account] = append(byAccount[e.Account], e)
	}
	for i := range sections {
		x.sections[i].Store(&sections[i])
	}
	x.byAccount = byAccount
	return nil
}

// Refresh reads one account's keys again. A handler that shows a new key calls it first, so that the key
// works from then on in this process; other instances are notified of it.
func (x *Index) Refresh(ctx context.Context, account ident.AccountID) error {
	x.writeMu.Lock()
	defer x.writeMu.Unlock()
	now, err := x.queryEntries(ctx, liveKeys+` AND k.account_id = $2`, x.clock.Now(), account)
	if err != nil {
		return fmt.Errorf("read the keys of an account: %w", err)
	}
	changed := map[byte]map[[32]byte]*Entry{}
	section := func(e *Entry) map[[32]byte]*Entry {
		m := changed[e.hash[0]]
		if m == nil {
			m = maps.Clone(*x.sections[e.hash[0]].Load())
			changed[e.hash[0]] = m
		}
		return m
	}
	for _, e := range x.byAccount[account] {
		delete(section(e), e.hash)
	}
	for _, e := range now {
		section(e)[e.hash] = e
	}
	for first, m := range changed {
		x.sections[first].Store(&m)
	}
	x.byAccount[account] = now
	if len(now) == 0 {
		delete(x.byAccount, account)
	}
	return nil
}

func (x *Index) queryEntries(ctx context.Context, sql string, args ...any) ([]*Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return pgdb.Collect(ctx, x.db, func(row pgx.CollectableRow) (*Entry, error) {
		var (
			e       Entry
			expires *time.Time
			hash    []byte
		)
		err := row.Scan(&e.ID, &e.Account, &e.RefuseInQuery, &e.Paused, &e.KeyPerDay, &e.Networks, &expires, &hash,
			&e.Plan, &e.PerMinute, &e.EnrichmentsPerMinute, &e.PerDay, &e.HasReserve, &e.ReserveLeft, &e.ReserveDay)
		if expires != nil {
			e.ExpiresAt = *expires
		}
		copy(e.hash[:], hash)
		return &e, err
	}, sql, args...)
}
