package api

import (
	"net/netip"

	"github.com/gofiber/fiber/v2"
)

// ClientAddress is the address of whoever sent a request, trusted proxies aside. It is invalid when there is none.
func (s *Server) ClientAddress(c *fiber.Ctx) netip.Addr { return s.clientAddress(c) }
