package api

import (
	"bytes"
	"net/netip"
	"slices"

	"github.com/gofiber/fiber/v2"
)

// ClientAddress is the address that a request was sent from: the peer itself, or behind trusted proxies the
// last address of X-Forwarded-For that is not one of them. Addresses further left are whatever the caller
// wrote there. It is invalid when there is none.
func (s *Server) ClientAddress(c *fiber.Ctx) netip.Addr {
	peer, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	if !ok {
		return netip.Addr{}
	}
	peer = peer.Unmap()
	if !s.isTrustedProxy(peer) {
		if s.untrusted != nil && isPrivateAddress(peer) &&
			len(c.Request().Header.Peek(fiber.HeaderXForwardedFor)) > 0 {
			s.untrusted(peer)
		}
		return peer
	}
	forwarded := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	for i := len(forwarded) - 1; i >= 0; i-- {
		parts := bytes.Split(forwarded[i], []byte(","))
		for j := len(parts) - 1; j >= 0; j-- {
			addr, err := netip.ParseAddr(string(bytes.TrimSpace(parts[j])))
			if err != nil {
				return peer
			}
			if addr = addr.Unmap(); !s.isTrustedProxy(addr) {
				return addr
			}
			peer = addr
		}
	}
	return peer
}

// carrierGradeNAT is what providers and clusters give to machines of their own (RFC 6598).
var carrierGradeNAT = netip.MustParsePrefix("100.64.0.0/10")

// isPrivateAddress reports whether an address is more likely a proxy's than a caller's who makes headers up.
func isPrivateAddress(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || carrierGradeNAT.Contains(a)
}

func (s *Server) isTrustedProxy(a netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}
