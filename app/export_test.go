package app

import "github.com/gofiber/fiber/v2"

// Routes are all routes of the service, as Fiber has them.
func (a *App) Routes() []fiber.Route { return a.fiber.GetRoutes(true) }
