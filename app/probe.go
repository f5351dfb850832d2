package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"github.com/jackc/pgx/v5"

	"arpent/api"
	"arpent/api/territory"
	"arpent/api/uptime"
	"arpent/app/base/clock"
	"arpent/mcp"
	"arpent/web"
	webuptime "arpent/web/uptime"
)

// toolCall names the call of a tool among the operations that are measured.
const toolCall = "mcp"

const toolMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_commune","arguments":{"code":"93010"}}}`

// probeTarget is a parcel that is served, and a point in it.
type probeTarget struct {
	idu      string
	lat, lon float64
}

func (a *App) newProber(secret string) *uptime.Prober {
	return uptime.New(uptime.Options{Pool: a.in.Pool, Clock: clock.Real{}, Secret: secret, Every: a.in.ProbeEvery,
		Names: append(measuredOperations(), toolCall), Calls: a.probeCalls})
}

func measuredOperations() (names []string) {
	for _, op := range api.Operations() {
		names = append(names, op.Name)
	}
	return names
}

// statusPages name the operations as the pages do.
func (a *App) statusPages(site *web.Site) *webuptime.Pages {
	var operations []webuptime.Operation
	for _, op := range api.Operations() {
		operations = append(operations, webuptime.Operation{Name: op.Name, French: op.SummaryFrench, English: op.Summary})
	}
	operations = append(operations, webuptime.Operation{Name: toolCall, French: "Appel d’un outil par un assistant", English: "Call of a tool by an assistant"})
	return webuptime.New(webuptime.Options{Site: site, Clock: clock.Real{}, Report: a.prober.Report, DatabaseUp: a.health.DatabaseUp, Operations: operations})
}

// loopback is the address that this server reaches itself at.
func loopback(host string) netip.Addr {
	address, err := netip.ParseAddr(host)
	if err != nil || address.IsUnspecified() {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return address.Unmap()
}

// probe measures until ctx ends.
func (a *App) probe(ctx context.Context, open net.Addr) {
	port := 0
	if tcp, ok := open.(*net.TCPAddr); ok {
		port = tcp.Port
	}
	a.prober.Run(ctx, "http://"+netip.AddrPortFrom(loopback(a.in.Config.Host), uint16(port)).String())
}

// probeCalls is a call of each operation for which something is loaded: the example of the documentation, or a parcel that is
// served here.
func (a *App) probeCalls() (calls []uptime.Call) {
	target := a.status.target.Load()
	for _, op := range api.Operations() {
		path := op.Example
		switch op.Name {
		case "get_parcel", "get_parcel_enrichments", "get_parcel_at_point":
			path = target.path(op.Name)
		default:
			if !a.loadedForExample(op.Name) {
				calls = append(calls, uptime.Call{Operation: op.Name})
				continue
			}
		}
		call := uptime.Call{Operation: op.Name}
		if path != "" || op.Name == "get_index" {
			call.Path = api.Root + path
		}
		calls = append(calls, call)
	}
	tool := uptime.Call{Operation: toolCall, Message: toolMessage}
	if a.loadedForExample("get_commune") {
		tool.Path = mcp.Path
	}
	return append(calls, tool)
}

// path is the call of an operation on parcels; empty: no parcel is served.
func (t *probeTarget) path(operation string) string {
	if t == nil {
		return ""
	}
	switch operation {
	case "get_parcel":
		return "/parcelles/" + t.idu
	case "get_parcel_enrichments":
		return "/parcelles/" + t.idu + "/enrichments"
	default:
		degrees := func(v float64) string { return strconv.FormatFloat(v, 'f', 7, 64) }
		return "/parcelles?lat=" + degrees(t.lat) + "&lon=" + degrees(t.lon)
	}
}

// loadedForExample reports whether the place of an operation's example is served here: that it is not is no failure.
func (a *App) loadedForExample(operation string) bool {
	snap := a.territory.Snapshot()
	if snap == nil {
		return false
	}
	var err error
	switch operation {
	case "search_address":
		return a.addresses.Index() != nil // it is built after the first load
	case "get_region":
		_, err = snap.Region("11", territory.Include{})
	case "list_departements":
		_, err = snap.Departements("11", territory.Include{})
	case "get_departement":
		_, err = snap.Departement("93", territory.Include{})
	case "find_communes":
		_, err = snap.PlaceAt(48.9024, 2.4834)
	case "get_commune":
		_, err = snap.Commune("93010", territory.Include{})
	}
	return err == nil
}

// aParcel is the first one of the commune that was loaded with the newest vintage, and a point in it. Relies on parcelle_pkey.
const aParcel = `
SELECT p.idu, ST_Y(p.inside), ST_X(p.inside)
FROM (SELECT code FROM geo.parcelle_commune ORDER BY vintage DESC NULLS LAST, code LIMIT 1) c,
     LATERAL (SELECT idu, ST_PointOnSurface(geom) AS inside FROM geo.parcelle WHERE idu >= c.code AND idu < c.code || 'a' ORDER BY idu LIMIT 1) p`

// findTarget finds a parcel to measure with; where none is served there is none.
func (s *status) findTarget(ctx context.Context) error {
	t := &probeTarget{}
	switch err := s.pool.QueryRow(ctx, aParcel).Scan(&t.idu, &t.lat, &t.lon); {
	case errors.Is(err, pgx.ErrNoRows):
		t = nil
	case err != nil:
		return fmt.Errorf("find a parcel to measure with: %w", err)
	}
	s.target.Store(t)
	return nil
}
