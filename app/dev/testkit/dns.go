package testkit

import (
	"context"
	"net"
	"strings"
	"sync"
)

// DNS is a resolver whose TXT records a test sets. The zero value has none.
type DNS struct {
	mu      sync.Mutex
	records map[string][]string
	isDown  bool
	asked   []string
}

// Set replaces the TXT records of a name; none: the name does not exist.
func (d *DNS) Set(name string, records ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.records == nil {
		d.records = map[string][]string{}
	}
	d.records[name] = records
}

// Fail has each look-up fail as where no name server answers, or not any more.
func (d *DNS) Fail(isDown bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.isDown = isDown
}

// Asked returns the names that were looked up, the first one first.
func (d *DNS) Asked() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.asked...)
}

// LookupTXT returns the records that were set.
func (d *DNS) LookupTXT(_ context.Context, name string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, name)
	records := d.records[strings.TrimSuffix(name, ".")]
	switch {
	case d.isDown:
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	case len(records) == 0:
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return records, nil
}
