package landing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/web"
	"arpent/web/report"
)

// Calls are what a Finder needs of the service. Run returns a *fault.Error.
type Calls struct {
	Admit  func(client netip.Addr) error // counts against the requests without a key from this address
	Run    func(ctx context.Context, operation string, arguments map[string]string) ([]byte, error)
	Around func(idu string) (*web.Sheet, error) // nil: the parcel is not served
	Sheet  func() *web.Sheet                    // the one that is shown first; nil: no parcel is loaded
}

// Finder finds parcels and their reports for visitors without a key. What that costs is bounded for all
// clients: see limits. The example that is shown first is made after each load, outside these limits.
type Finder struct {
	calls   Calls
	clock   clock.Clock
	limits  *limits
	reports *lru.Cache[string, cacheEntry]
	example atomic.Pointer[Found]
	stale   clock.Signal
}

// cacheEntry is what was made for a visitor, for those who come after.
type cacheEntry struct {
	found *Found
	at    time.Time
}

const (
	keptReports = 64 // of some 100 kB each
	keptFor     = time.Hour
)

// findTimeout is longer than a report may take. Tests alone change it.
var findTimeout = 7 * time.Second

// NewFinder makes a Finder.
func NewFinder(c clock.Clock, calls Calls) *Finder {
	f := &Finder{calls: calls, clock: c, limits: newLimits(c), stale: clock.NewSignal()}
	var err error
	if f.reports, err = lru.New[string, cacheEntry](keptReports); err != nil {
		panic(err) // the size is a constant
	}
	f.Notify()
	return f
}

// Found is a parcel with its report. It is not modified.
type Found struct {
	Parcel Parcel
	Report *report.Report
	Sheet  *web.Sheet // of the example: the plan that it is shown on
}

// Parcel is what the API says of the parcel itself.
type Parcel struct {
	IDU        string `json:"idu"`
	Commune    string `json:"commune"`
	Section    string `json:"section"`
	Numero     string `json:"numero"`
	Contenance *int   `json:"contenance"`
}

// Limited is the error of a visitor who has to wait: Own, for what came from their
// address, else for what all visitors asked.
type Limited struct {
	Own  bool
	Wait time.Duration
}

func (l *Limited) Error() string { return "limited for " + l.Wait.String() }

var (
	iduPattern = regexp.MustCompile(`^[0-9][0-9AB][0-9]{6}[0-9A-Z]{2}[0-9]{4}$`)

	errNoReference = fault.Invalid("this is not the reference of a parcel")
)

// Find returns a parcel with its report: one that was made for a visitor before, or it makes it, within the
// limits. Its error is a Limited or a fault of the API.
func (f *Finder) Find(ctx context.Context, idu string, client netip.Addr) (*Found, error) {
	if !iduPattern.MatchString(idu) {
		return nil, errNoReference
	}
	if k, there := f.reports.Get(idu); there && f.clock.Now().Sub(k.at) < keptFor {
		return k.found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	release, err := f.limits.takeSlot(ctx, client)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := f.calls.Admit(client); err != nil {
		if limit, ok := errors.AsType[*fault.Error](err); ok {
			return nil, &Limited{Own: true, Wait: limit.RetryAfter}
		}
		return nil, err
	}
	found, err := f.makeReport(ctx, idu)
	if err != nil {
		return nil, err
	}
	f.reports.Add(idu, cacheEntry{found, f.clock.Now()})
	return found, nil
}

// Report returns the report of a parcel for another page, as Find does.
func (f *Finder) Report(ctx context.Context, idu string, client netip.Addr) (*report.Report, error) {
	found, err := f.Find(ctx, idu, client)
	if err != nil {
		return nil, err
	}
	return found.Report, nil
}

func hasCode(err error, code fault.Code) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code == code
}

// makeReport asks for a parcel and its report.
func (f *Finder) makeReport(ctx context.Context, idu string) (*Found, error) {
	found := &Found{}
	body, err := f.calls.Run(ctx, "get_parcel", map[string]string{"idu": idu})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &found.Parcel); err != nil {
		return nil, fmt.Errorf("read the parcel: %w", err)
	}
	if body, err = f.calls.Run(ctx, "get_parcel_enrichments", map[string]string{"idu": idu}); err != nil {
		return nil, err
	}
	found.Report, err = report.Read(body)
	return found, err
}
