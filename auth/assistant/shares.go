package assistant

import (
	"context"
	"net/netip"
	"net/url"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// shares are turns by name: of each name only so many have one at a time, and the others of that name wait for them.
type shares struct {
	most int
	mu   sync.Mutex
	m    map[string]*share
}

type share struct {
	turns chan struct{}
	users int // who have a turn or wait for one
}

func newShares(most int) *shares { return &shares{most: most, m: map[string]*share{}} }

// enter waits for a turn; call leave after it. Without a name there is nothing to wait for.
func (s *shares) enter(ctx context.Context, name string) (leave func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	s.mu.Lock()
	one := s.m[name]
	if one == nil {
		one = &share{turns: make(chan struct{}, s.most)}
		s.m[name] = one
	}
	one.users++
	s.mu.Unlock()
	select {
	case one.turns <- struct{}{}:
		return func() { <-one.turns; s.gone(name, one) }, nil
	case <-ctx.Done():
		s.gone(name, one)
		return nil, ctx.Err()
	}
}

func (s *shares) gone(name string, one *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(s.m, name)
	}
}

// siteOf is what one holder of names has, whatever stands before it.
func siteOf(id string) string {
	u, err := url.Parse(id)
	if err != nil {
		return ""
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err == nil {
		return site
	}
	return u.Hostname()
}

type browserKey struct{}

// WithBrowser tells Read whose browser brings a request, so that the people of one network cannot have so much read for
// them that others wait.
func WithBrowser(ctx context.Context, a netip.Addr) context.Context {
	return context.WithValue(ctx, browserKey{}, a)
}

func browserNetwork(ctx context.Context) string {
	a, _ := ctx.Value(browserKey{}).(netip.Addr)
	if n := networkOf(a); n != nil {
		return n.String()
	}
	return ""
}
