package apikey_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"arpent/auth/apikey"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// model is the rules of keys without a database: what the store does is compared with it.
type model struct {
	now  time.Time
	keys []apikey.Key // the oldest first
}

func (m *model) find(id ident.KeyID) *apikey.Key {
	for i := range m.keys {
		if m.keys[i].ID == id && m.keys[i].Live(m.now) {
			return &m.keys[i]
		}
	}
	return nil
}

func (m *model) live() (n int) {
	for _, k := range m.keys {
		if k.Live(m.now) {
			n++
		}
	}
	return n
}

func (m *model) taken(name string, except ident.KeyID) bool {
	return slices.ContainsFunc(m.keys, func(k apikey.Key) bool {
		return k.ID != except && k.Live(m.now) && strings.EqualFold(k.Name, name)
	})
}

func (m *model) create(n apikey.NewKey) (apikey.Key, error) {
	switch {
	case n.ExpiresAt != nil && !n.ExpiresAt.After(m.now):
		return apikey.Key{}, apikey.ErrExpiry
	case m.taken(n.Name, 0):
		return apikey.Key{}, apikey.ErrNameTaken
	case m.live() >= apikey.MaxIntegrations:
		return apikey.Key{}, apikey.ErrTooMany
	}
	return apikey.Key{Name: n.Name, ExpiresAt: n.ExpiresAt, RefuseInQuery: n.RefuseInQuery, PerDay: n.PerDay, Networks: n.Networks}, nil
}

func (m *model) rotate(id ident.KeyID, overlap time.Duration) (apikey.Key, error) {
	old := m.find(id)
	if old == nil {
		return apikey.Key{}, errMissing
	}
	for _, k := range m.keys {
		if k.Replaces != nil && *k.Replaces == id && k.Live(m.now) {
			return apikey.Key{}, apikey.ErrReplaced
		}
	}
	if overlap > 0 && m.live() >= 2*apikey.MaxIntegrations {
		return apikey.Key{}, apikey.ErrTooMany
	}
	key := apikey.Key{Name: old.Name, ExpiresAt: old.ExpiresAt, RefuseInQuery: old.RefuseInQuery,
		PerDay: old.PerDay, Networks: old.Networks, Replaces: &id}
	if overlap == 0 {
		now := m.now
		old.RevokedAt = &now
		return key, nil
	}
	base, _, _ := strings.Cut(old.Name, " (old")
	name := base + " (old)"
	for n := 2; m.taken(name, 0); n++ {
		name = fmt.Sprintf("%s (old %d)", base, n)
	}
	end := m.now.Add(overlap)
	if old.ExpiresAt == nil || end.Before(*old.ExpiresAt) {
		old.ExpiresAt = &end
	}
	old.Name = name
	return key, nil
}

// change applies an act to a live key.
func (m *model) change(id ident.KeyID, act func(k *apikey.Key) error) error {
	k := m.find(id)
	if k == nil {
		return errMissing
	}
	return act(k)
}

// errMissing stands for a key that is not found.
var errMissing = errors.New("missing")

func sameError(got, want error) bool {
	if want == errMissing {
		return got != nil && fault.From(got).Code == fault.NotFound
	}
	return errors.Is(got, want)
}
