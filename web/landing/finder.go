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

	"arpent/api/geocode"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/web"
	"arpent/web/report"
)

// Calls are what a Finder needs of the service. Run and Near return a *fault.Error.
type Calls struct {
	Admit  func(client netip.Addr) error // counts against the requests without a key from this address
	Run    func(ctx context.Context, operation string, arguments map[string]string) ([]byte, error)
	Bare   func(commune string) bool // no street of the commune is loaded
	Near   func(lat, lon float64, within int) (idu string, metres float64, err error)
	Around func(idu string) (*web.Sheet, error) // nil: the parcel is not served
	Sheet  func() *web.Sheet                    // the one that is shown first; nil: no parcel is loaded
}

// Finder finds parcels and their reports for visitors without a key. What that costs is bounded for all
// clients: see limits. The example that is shown first is made after each load, outside these limits.
type Finder struct {
	calls   Calls
	clock   clock.Clock
	limits  *limits
	reports *lru.Cache[string, cacheEntry[*Found]]
	sheets  *lru.Cache[string, cacheEntry[*web.Sheet]]
	example atomic.Pointer[Found]
	stale   clock.Signal
}

// cacheEntry is what was made for a visitor, for those who come after.
type cacheEntry[T any] struct {
	value T
	at    time.Time
}

const (
	keptReports = 64 // of some 100 kB each
	keptSheets  = 32
	keptFor     = time.Hour
	// From the address to the parcel: its point is often at the gate, or on the street.
	nearEnough = 50 // metres
)

// findTimeout is longer than a report may take. Tests alone change it.
var findTimeout = 7 * time.Second

// NewFinder makes a Finder.
func NewFinder(c clock.Clock, calls Calls) *Finder {
	f := &Finder{calls: calls, clock: c, limits: newLimits(c), stale: clock.NewSignal()}
	var reports, sheets error
	f.reports, reports = lru.New[string, cacheEntry[*Found]](keptReports)
	f.sheets, sheets = lru.New[string, cacheEntry[*web.Sheet]](keptSheets)
	if err := errors.Join(reports, sheets); err != nil {
		panic(err) // the sizes are constants
	}
	f.Notify()
	return f
}

// Found is a parcel with its report. It is not modified, Sheet apart, which is of the answer.
type Found struct {
	Parcel Parcel
	Report *report.Report
	Sheet  *web.Sheet
	Label  string // the address that was asked for, as it is known; empty: none was
	Aside  int    // metres from its point; 0: it lies in the parcel
}

// Parcel is what the API says of the parcel itself.
type Parcel struct {
	IDU        string `json:"idu"`
	Commune    string `json:"commune"`
	Section    string `json:"section"`
	Numero     string `json:"numero"`
	Contenance *int   `json:"contenance"`
}

// Query is what a visitor wants: an address, or a parcel on the sheet around another.
type Query struct {
	Address     string
	IDU, Around string
	Client      netip.Addr
}

// Unclear is the error of an address that is not the one of a single parcel.
type Unclear struct {
	Places  []string
	Commune Commune // that the address names, whose street is not known; empty: none
}

// Commune is one that an address lies in.
type Commune struct {
	Code, Name  string
	LacksStreet bool // the street of the address was not found; else the commune was asked for alone
	IsBare      bool // none of its streets is loaded
}

func (u *Unclear) Error() string { return fmt.Sprintf("%d places fit the address", len(u.Places)) }

// Limited is the error of a visitor who has to wait: Own, for what came from their
// address, else for what all visitors asked.
type Limited struct {
	Own  bool
	Wait time.Duration
}

func (l *Limited) Error() string { return "limited for " + l.Wait.String() }

// NoParcel is the error of an address that is found where no parcel is loaded.
type NoParcel struct{ Label string }

func (n *NoParcel) Error() string { return "no parcel is loaded at " + n.Label }

var (
	iduPattern = regexp.MustCompile(`^[0-9][0-9AB][0-9]{6}[0-9A-Z]{2}[0-9]{4}$`)

	errNoReference = fault.Invalid("this is no reference of a parcel")
)

// Find answers a visitor: with a parcel, an Unclear, a NoParcel, a Limited, or a fault of the API.
func (f *Finder) Find(ctx context.Context, q Query) (*Found, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	if iduPattern.MatchString(q.Address) {
		q.IDU, q.Address = q.Address, ""
	}
	var at location
	if q.Address != "" {
		var err error
		if at, err = f.locateAddress(ctx, q); err != nil {
			return nil, err
		}
		q.IDU = at.idu
	}
	if !iduPattern.MatchString(q.IDU) || q.Around != "" && !iduPattern.MatchString(q.Around) {
		return nil, errNoReference
	}
	found, err := f.parcel(ctx, q)
	if err != nil {
		return nil, err
	}
	found.Label, found.Aside = at.label, at.aside
	return found, nil
}

// location is where an address is.
type location struct {
	idu, label string
	aside      int // metres from the parcel
}

// locateAddress finds the parcel of an address.
func (f *Finder) locateAddress(ctx context.Context, q Query) (at location, err error) {
	if err := f.admitClient(q.Client); err != nil {
		return at, err
	}
	body, err := f.calls.Run(ctx, "search_address", map[string]string{"q": q.Address})
	if err != nil {
		return at, err
	}
	var answer geocode.FoundPlaces
	if err := json.Unmarshal(body, &answer); err != nil {
		return at, fmt.Errorf("read the addresses: %w", err)
	}
	const everyWord = 0.8 // above it every word was found, and one place alone is called so: see the reference
	unclear := &Unclear{}
	if d := answer.Data; len(d) > 0 && d[0].Kind == "commune" && !d[0].Fuzzy {
		unclear.Commune = Commune{Code: d[0].CodeInsee, Name: d[0].Commune, LacksStreet: d[0].LacksStreet(),
			IsBare: f.calls.Bare(d[0].CodeInsee)}
		if unclear.Commune.IsBare || !unclear.Commune.LacksStreet {
			return at, unclear // what else the words may mean lies elsewhere
		}
	}
	for i, p := range answer.Data {
		if i == 0 && p.Score > everyWord && p.Kind == "parcel" && p.IDU != nil {
			return location{idu: *p.IDU}, nil
		}
		if i == 0 && p.Score > everyWord && p.Kind != "commune" && p.Lat != nil && p.Lon != nil {
			idu, metres, err := f.calls.Near(*p.Lat, *p.Lon, nearEnough)
			if hasCode(err, fault.NotFound) {
				return at, &NoParcel{p.Label}
			}
			return location{idu, p.Label, int(metres + 0.5)}, err
		}
		if p.Kind != "commune" {
			unclear.Places = append(unclear.Places, p.Label)
		}
	}
	return at, unclear
}

// admitClient counts against what comes from an address without a
// key, then against what all visitors look up.
func (f *Finder) admitClient(client netip.Addr) error {
	err := f.calls.Admit(client)
	var limit *fault.Error
	switch {
	case errors.As(err, &limit):
		return &Limited{Own: true, Wait: limit.RetryAfter}
	case err != nil:
		return err
	}
	return f.limits.admitLookUp(client)
}

func hasCode(err error, code fault.Code) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Code == code
}

// parcel returns a parcel with its report, on a sheet.
func (f *Finder) parcel(ctx context.Context, q Query) (*Found, error) {
	found, err := f.findReport(ctx, q)
	if err != nil {
		return nil, err
	}
	return f.placeOnSheet(found, q)
}

// Report returns the report of a parcel for another page, within the limits of Find; a Limited or a fault
// of the API.
func (f *Finder) Report(ctx context.Context, idu string, client netip.Addr) (*report.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, findTimeout)
	defer cancel()
	found, err := f.findReport(ctx, Query{IDU: idu, Client: client})
	if err != nil {
		return nil, err
	}
	return found.Report, nil
}

// findReport returns a report that was made for a visitor before, or makes it, within the limits.
func (f *Finder) findReport(ctx context.Context, q Query) (*Found, error) {
	if k, there := f.reports.Get(q.IDU); there && f.clock.Now().Sub(k.at) < keptFor {
		return k.value, nil
	}
	release, err := f.limits.takeSlot(ctx, q.Client)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := f.admitClient(q.Client); err != nil {
		return nil, err
	}
	found, err := f.makeReport(ctx, q.IDU)
	if err != nil {
		return nil, err
	}
	f.reports.Add(q.IDU, cacheEntry[*Found]{found, f.clock.Now()})
	return found, nil
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

// placeOnSheet puts the parcel on a sheet: the first one if it is there, else the one
// that the visitor is looking at, else its own.
func (f *Finder) placeOnSheet(found *Found, q Query) (*Found, error) {
	out := *found
	if example := f.example.Load(); example != nil && q.Around == "" && example.Sheet.Find(q.IDU) != nil {
		out.Sheet = example.Sheet
		return &out, nil
	}
	for _, around := range []string{q.Around, q.IDU} {
		if around == "" {
			continue
		}
		sheet, err := f.findSheet(around, q.Client)
		if err != nil {
			return nil, err
		}
		if sheet.Find(q.IDU) != nil {
			out.Sheet = sheet
			break
		}
	}
	return &out, nil
}

func (f *Finder) findSheet(around string, client netip.Addr) (*web.Sheet, error) {
	if k, there := f.sheets.Get(around); there && f.clock.Now().Sub(k.at) < keptFor {
		return k.value, nil
	}
	if err := f.admitClient(client); err != nil {
		return nil, err
	}
	sheet, err := f.calls.Around(around)
	if err == nil {
		f.sheets.Add(around, cacheEntry[*web.Sheet]{sheet, f.clock.Now()})
	}
	return sheet, err
}
