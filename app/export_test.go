package app

import (
	"net/netip"
	"os/exec"
	"strings"

	"github.com/gofiber/fiber/v2"
	dto "github.com/prometheus/client_model/go"
)

// Routes are all routes of the service, as Fiber has them.
func (a *App) Routes() []fiber.Route { return a.fiber.GetRoutes(true) }

// Metric is the sum of a counter over its labels; -1 when there is none of that name.
func (a *App) Metric(name string) float64 {
	families, err := a.registry.Gather()
	if err != nil {
		return -1
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		sum := 0.0
		for _, m := range f.GetMetric() {
			sum += m.GetCounter().GetValue()
		}
		return sum
	}
	return -1
}

// The memory limit of the process.
const MemoryTarget = memoryTarget

// LimitMemory sets it.
func LimitMemory() { limitMemory() }

// Gather gives the metrics.
func (a *App) Gather() ([]*dto.MetricFamily, error) { return a.registry.Gather() }

// Labels are the values of those labels of all series of a metric, with a space between.
func (a *App) Labels(metric string, names ...string) []string {
	families, err := a.registry.Gather()
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range families {
		if f.GetName() != metric {
			continue
		}
		for _, m := range f.GetMetric() {
			var values []string
			for _, name := range names {
				for _, l := range m.GetLabel() {
					if l.GetName() == name {
						values = append(values, l.GetValue())
					}
				}
			}
			out = append(out, strings.Join(values, " "))
		}
	}
	return out
}

// Break has every handler of a path panic.
func (a *App) Break(path string) {
	for _, routes := range a.fiber.Stack() {
		for _, r := range routes {
			if r.Path == path {
				r.Handlers = []fiber.Handler{func(*fiber.Ctx) error { panic("broken for a test") }}
			}
		}
	}
}

// Connections counts connections as the listener does, up to a maximum.
type Connections struct{ c *connections }

// NewConnections makes Connections.
func NewConnections(max int, exempt ...netip.Prefix) Connections {
	c := newConnections(exempt, "")
	c.max = max
	return Connections{c}
}

// Enter reports whether a connection is taken.
func (c Connections) Enter(from netip.Addr) bool { return c.c.enter(from) == "" }

// Leave ends a connection.
func (c Connections) Leave(from netip.Addr) { c.c.leave(from) }

// ConnectionsFor is how many connections fit into a limit of open files.
func ConnectionsFor(files uint64) int { return connectionsFor(files) }

// Limits of connections.
const (
	MaxPerAddress  = maxPerAddress
	MaxConnections = maxConnections
)

// Narrow lets only that many connections in.
func (a *App) Narrow(max int) {
	a.connections.mu.Lock()
	defer a.connections.mu.Unlock()
	a.connections.max = max
}

// RunLowPriority runs a process as snapshots are built.
func RunLowPriority(cmd *exec.Cmd) ([]byte, error) { return runLowPriority(cmd) }
