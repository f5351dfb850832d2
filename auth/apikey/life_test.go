package apikey_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

// walk is one random life of an account's keys, in the store and in the model.
type walk struct {
	t       *testing.T
	r       *rand.Rand
	store   *apikey.Store
	account ident.AccountID
	m       model
}

// someKey is any key there ever was, sometimes one that never was.
func (w *walk) someKey() ident.KeyID {
	if len(w.m.keys) == 0 || w.r.IntN(50) == 0 {
		return 1 << 40
	}
	// The latest ones more often: most of the old ones are dead.
	return w.m.keys[len(w.m.keys)-1-w.r.IntN(min(len(w.m.keys), 60))].ID
}

func (w *walk) someExpiry() *time.Time {
	if w.r.IntN(2) == 0 {
		return nil
	}
	at := w.m.now.Add(time.Duration(w.r.IntN(30*24)-24) * time.Hour)
	return &at
}

func (w *walk) someRestriction() apikey.Restriction {
	r := apikey.Restriction{RefuseInQuery: w.r.IntN(2) == 0}
	if w.r.IntN(2) == 0 {
		n := 1 + w.r.IntN(100)
		r.PerDay = &n
	}
	if w.r.IntN(2) == 0 {
		r.Networks = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	}
	return r
}

func (w *walk) name() string {
	name := fmt.Sprintf("Key %d", w.r.IntN(45))
	if w.r.IntN(8) == 0 {
		name = strings.ToLower(name) + " (old)"
	}
	return name
}

// step does one thing in both, and says what.
func (w *walk) step(ctx context.Context) (what string, got, want error) {
	id := w.someKey()
	switch act := w.r.IntN(20); {
	case act < 6:
		return w.create(ctx)
	case act < 13:
		return w.rotate(ctx, id)
	case act < 14:
		return w.revoke(ctx, id)
	case act < 15:
		return w.rename(ctx, id)
	case act < 16:
		now := w.m.now
		_, got = w.store.Pause(ctx, w.account, id)
		return fmt.Sprintf("pause %d", id), got, w.m.change(id, func(k *apikey.Key) error {
			if k.PausedAt == nil {
				k.PausedAt = &now
			}
			return nil
		})
	case act < 17:
		_, got = w.store.Resume(ctx, w.account, id)
		return fmt.Sprintf("resume %d", id), got, w.m.change(id, func(k *apikey.Key) error { k.PausedAt = nil; return nil })
	case act < 18:
		return w.expire(ctx, id)
	default:
		may := w.someRestriction()
		_, got = w.store.Restrict(ctx, w.account, id, may)
		return fmt.Sprintf("restrict %d", id), got, w.m.change(id, func(k *apikey.Key) error {
			k.RefuseInQuery, k.PerDay, k.Networks = may.RefuseInQuery, may.PerDay, may.Networks
			return nil
		})
	}
}

func (w *walk) create(ctx context.Context) (what string, got, want error) {
	may := w.someRestriction()
	n := apikey.NewKey{Name: w.name(), ExpiresAt: w.someExpiry(), RefuseInQuery: may.RefuseInQuery, PerDay: may.PerDay, Networks: may.Networks}
	expected, want := w.m.create(n)
	made, _, got := w.store.Create(ctx, w.account, n)
	w.adopt(made, expected, got, want)
	return "create " + n.Name, got, want
}

func (w *walk) rotate(ctx context.Context, id ident.KeyID) (what string, got, want error) {
	overlap := apikey.Overlaps[w.r.IntN(4)]
	expected, want := w.m.rotate(id, overlap)
	made, _, got := w.store.Rotate(ctx, w.account, id, overlap)
	w.adopt(made, expected, got, want)
	return fmt.Sprintf("rotate %d for %v", id, overlap), got, want
}

func (w *walk) revoke(ctx context.Context, id ident.KeyID) (what string, got, want error) {
	now := w.m.now
	_, got = w.store.Revoke(ctx, w.account, id)
	want = errMissing
	for i := range w.m.keys { // an expired key can be revoked too
		if k := &w.m.keys[i]; k.ID == id && k.RevokedAt == nil {
			k.RevokedAt, want = &now, nil
		}
	}
	return fmt.Sprintf("revoke %d", id), got, want
}

func (w *walk) rename(ctx context.Context, id ident.KeyID) (what string, got, want error) {
	name := w.name()
	_, got = w.store.Rename(ctx, w.account, id, name)
	return fmt.Sprintf("rename %d to %s", id, name), got, w.m.change(id, func(k *apikey.Key) error {
		if w.m.taken(name, id) {
			return apikey.ErrNameTaken
		}
		k.Name = name
		return nil
	})
}

func (w *walk) expire(ctx context.Context, id ident.KeyID) (what string, got, want error) {
	at := w.someExpiry()
	_, got = w.store.SetExpiry(ctx, w.account, id, at)
	want = apikey.ErrExpiry
	if at == nil || at.After(w.m.now) {
		want = w.m.change(id, func(k *apikey.Key) error { k.ExpiresAt = at; return nil })
	}
	return fmt.Sprintf("end %d at %v", id, at), got, want
}

// adopt puts a key that was made into the model, with what the model cannot know of it.
func (w *walk) adopt(made, expected apikey.Key, got, want error) {
	if got != nil || want != nil {
		return
	}
	expected.ID, expected.Kind, expected.Prefix, expected.Last4, expected.CreatedAt = made.ID, apikey.Integration, made.Prefix, made.Last4, w.m.now
	w.m.keys = append(w.m.keys, expected)
}

// Whatever an owner does in whatever order: live keys have different names, a rotated key hands on its name,
// expiry and restrictions, the old one ends when it was said to, and the number of keys is bounded.
func TestRandomLifeOfKeys(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	steps := 1_500
	if testing.Short() {
		steps = 400
	}
	pool, _ := testkit.DB(t)
	c := clock.At(noon)
	w := &walk{t: t, r: rand.New(rand.NewPCG(seed, 0)), store: apikey.NewStore(pool, c),
		account: newAccount(t, pool, "a", true), m: model{now: noon}}
	most := 0
	for i := range steps {
		what, got, want := w.step(t.Context())
		if !sameError(got, want) {
			t.Fatalf("step %d, %s: %v, want %v", i, what, got, want)
		}
		if i%5 == 0 || i == steps-1 { // a list takes longer than the rest
			keys := testkit.Must(w.store.List(t.Context(), w.account))(t)
			w.compare(i, what, keys)
		}
		most = max(most, w.m.live())
		if w.r.IntN(10) == 0 {
			c.Advance(time.Duration(w.r.IntN(12)) * time.Hour)
			w.m.now = c.Now()
		}
	}
	t.Logf("%d keys, at most %d of them live", len(w.m.keys), most)
	if most <= apikey.MaxIntegrations {
		t.Errorf("never more than %d live keys: rotation near the limit was not tried", most)
	}
}

// compare checks the keys against the model, and the rules that hold of any list of keys.
func (w *walk) compare(step int, what string, keys []apikey.Key) {
	w.t.Helper()
	if len(keys) != len(w.m.keys) {
		w.t.Fatalf("step %d, %s: %d keys, want %d", step, what, len(keys), len(w.m.keys))
	}
	names, live := map[string]bool{}, 0
	for i, got := range keys {
		if got = inUTC(got); !reflect.DeepEqual(got, inUTC(w.m.keys[i])) {
			w.t.Fatalf("step %d, %s:\n got %+v\nwant %+v", step, what, got, w.m.keys[i])
		}
		if !got.Live(w.m.now) {
			continue
		}
		if name := strings.ToLower(got.Name); names[name] {
			w.t.Fatalf("step %d, %s: two live keys are called %q", step, what, name)
		} else {
			names[name] = true
		}
		live++
	}
	if live > 2*apikey.MaxIntegrations {
		w.t.Fatalf("step %d, %s: %d live keys", step, what, live)
	}
}

func inUTC(k apikey.Key) apikey.Key {
	k.CreatedAt = k.CreatedAt.UTC()
	for _, at := range []**time.Time{&k.ExpiresAt, &k.PausedAt, &k.RevokedAt} {
		if *at != nil {
			utc := (*at).UTC()
			*at = &utc
		}
	}
	return k
}
