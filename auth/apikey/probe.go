package apikey

import (
	"crypto/subtle"
	"net/netip"
)

// probePerMinute limits a server's calls to itself: above what the probe sends, and
// low in case the probe key leaks.
const probePerMinute = 60

// Probed finds the keys of an index, and also the one that a server measures itself with. That key is
// drawn at each start, is kept in the memory of this process alone, belongs to no account and is accepted
// from the server's own address only. Its calls are limited by the minute and counted for no account.
type Probed struct {
	*Index
	entry *Entry
}

// NewProbed draws the key. from is the address that the server calls itself from.
func NewProbed(x *Index, from netip.Addr) (p *Probed, secret string) {
	secret, hash := New()
	limit := probePerMinute
	return &Probed{x, &Entry{Probe: true, Networks: []netip.Prefix{netip.PrefixFrom(from, from.BitLen())},
		PerMinute: &limit, hash: hash}}, secret
}

// Find is that of the index; only what it does not know is compared with the key.
func (p *Probed) Find(presented string) (*Entry, error) {
	e, err := p.Index.Find(presented)
	if err == nil {
		return e, nil
	}
	if hash, ok := Parse(presented); ok && subtle.ConstantTimeCompare(hash[:], p.entry.hash[:]) == 1 {
		return p.entry, nil
	}
	return nil, err
}
