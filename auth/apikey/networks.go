package apikey

import (
	"net/netip"
	"slices"
	"strings"

	"arpent/internal/fault"
)

// MaxNetworks is how many networks a key may be restricted to.
const MaxNetworks = 50

// ParseNetworks reads IP addresses and CIDR ranges that are separated by spaces, commas,
// semicolons or line ends. Host bits are masked away, and an IPv4 address that is written as
// IPv6 becomes one. No text is no restriction.
func ParseNetworks(text string) ([]netip.Prefix, error) {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n,;\u00a0\u202f", r)
	})
	if len(words) > 10*MaxNetworks { // repeated ones are counted once, and yet there is an end
		return nil, ErrNetworks
	}
	var list []netip.Prefix
	for _, word := range words {
		p, err := netip.ParsePrefix(word)
		if a, notAddress := netip.ParseAddr(word); notAddress == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, fault.New(fault.InvalidParameter,
				`"`+fault.Excerpt(word)+`" is neither an IP address nor a CIDR range, such as 203.0.113.7 or 2001:db8::/32.`, ErrNetworks)
		}
		list = append(list, p)
	}
	return normalizeNetworks(list)
}

// FormatNetworks writes networks one a line, as ParseNetworks reads them.
func FormatNetworks(list []netip.Prefix) string {
	lines := make([]string, len(list))
	for i, p := range list {
		if lines[i] = p.String(); p.IsSingleIP() {
			lines[i] = p.Addr().String()
		}
	}
	return strings.Join(lines, "\n")
}

// normalizeNetworks masks, unmaps and leaves out what is there twice. Nil stands for no restriction.
func normalizeNetworks(list []netip.Prefix) ([]netip.Prefix, error) {
	var tidy []netip.Prefix
	for _, p := range list {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		if !p.IsValid() || p.Addr().Is4In6() { // wider than all of IPv4: a mistake
			return nil, ErrNetworks
		}
		if p = p.Masked(); !slices.Contains(tidy, p) {
			tidy = append(tidy, p)
		}
	}
	if len(tidy) > MaxNetworks {
		return nil, ErrNetworks
	}
	return tidy, nil
}
