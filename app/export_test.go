package app

import (
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
