package app

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"arpent/api"
	"arpent/api/parcel"
	"arpent/internal/clock"
	"arpent/mcp"
	"arpent/web"
	"arpent/web/status"
)

// toolCall names the call of a tool among the operations that are measured.
const toolCall = "mcp"

const toolMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_regions","arguments":{}}}`

// probeTarget is a parcel that is served, and a point in it.
type probeTarget struct {
	idu      string
	lat, lon float64
}

func (a *App) newProber(secret string) *status.Prober {
	var names []string
	for _, op := range api.Operations() {
		names = append(names, op.Name)
	}
	return status.NewProber(status.ProberOptions{Pool: a.in.Pool, Clock: clock.Real{}, Secret: secret,
		Every: a.in.ProbeEvery, Names: append(names, toolCall), Calls: a.probeCalls})
}

// statusPages name the operations as the pages do.
func (a *App) statusPages(site *web.Site) *status.Pages {
	var operations []status.OperationName
	for _, op := range api.Operations() {
		operations = append(operations, status.OperationName{Name: op.Name, French: op.SummaryFrench,
			English: op.Summary})
	}
	operations = append(operations, status.OperationName{Name: toolCall,
		French: "Appel d’un outil par un assistant", English: "Call of a tool by an assistant"})
	return status.New(status.Options{Site: site, Clock: clock.Real{}, Report: a.prober.Report,
		DatabaseUp: a.health.DatabaseUp, Operations: operations})
}

// measuredSpeed is within which times half and 95 % of an operation's answers came.
func (a *App) measuredSpeed(operation string) (median, p95 time.Duration) {
	r := a.prober.Report()
	return r.Speed(operation)
}

// loopbackAddr is the address that this server reaches itself at.
func loopbackAddr(host string) netip.Addr {
	address, err := netip.ParseAddr(host)
	if err != nil || address.IsUnspecified() {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return address.Unmap()
}

// probeCalls is a call of each operation for which something is loaded: the example of the
// documentation, or a parcel that is served here.
func (a *App) probeCalls() (calls []status.Call) {
	target := a.status.target.Load()
	for _, op := range api.Operations() {
		call := status.Call{Operation: op.Name}
		switch path := target.requestPath(op.Path); {
		case path != "":
			call.Path = api.Root + path
		case a.isLoaded(op.Path):
			call.Path = api.Root + op.Example
		}
		calls = append(calls, call)
	}
	tool := status.Call{Operation: toolCall, Message: toolMessage}
	if a.isLoaded("/") {
		tool.Path = mcp.Path
	}
	return append(calls, tool)
}

// isLoaded reports whether there is something to answer an operation from, whose example names a place of the
// whole of France or, for parcels, of a part that need not be served here.
func (a *App) isLoaded(path string) bool {
	switch snap := a.territory.Snapshot(); {
	case path == "":
		return true // the index
	case strings.HasPrefix(path, parcelsPath) || snap == nil || snap.Counts().Communes == 0:
		return false
	default:
		return path != addressesPath || a.addresses.Index() != nil // which is built after the first load
	}
}

const (
	parcelsPath   = "/parcelles"
	addressesPath = "/adresses"
)

// requestPath is a call of an operation on parcels; empty: it is another, or no parcel is served.
func (t *probeTarget) requestPath(operation string) string {
	rest, onParcels := strings.CutPrefix(operation, parcelsPath)
	switch {
	case t == nil || !onParcels:
		return ""
	case rest == "":
		degrees := func(v float64) string { return strconv.FormatFloat(v, 'f', 7, 64) }
		return parcelsPath + "?lat=" + degrees(t.lat) + "&lon=" + degrees(t.lon)
	default:
		return parcelsPath + strings.Replace(rest, "{idu}", t.idu, 1)
	}
}

// findTarget finds a parcel to measure with, the first one of the commune of the newest edition, and a point
// on its border.
func (s *pageData) findTarget(x *parcel.Index) error {
	editions := x.Editions()
	newest := editions[0]
	for _, of := range editions {
		if of.Day.After(newest.Day) {
			newest = of
		}
	}
	idu := string(x.References(x.Sections(newest.Code)[0], 0, 1)[0])
	outlines, err := s.parcels.Around(idu, 1)
	if err != nil {
		return fmt.Errorf("find a parcel to measure with: %w", err)
	}
	corner := outlines[0].Ring[0]
	s.target.Store(&probeTarget{idu: idu, lat: corner[1], lon: corner[0]})
	return nil
}
