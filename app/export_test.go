package app

import "github.com/gofiber/fiber/v2"

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
