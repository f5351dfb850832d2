// Package clientip decides what counts as one client of the Internet. It is the one place that knows how much of an IPv6
// address a subscriber may choose.
package clientip

import "net/netip"

// Network is an IPv4 address, or the /64 of an IPv6 address: an access provider gives a whole one to each subscriber. It
// does not allocate. An address that is not known has the zero Prefix.
func Network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // cannot fail: no address is that short
	return p
}
