package meter_test

import (
	"encoding/binary"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing/meter"
	"arpent/internal/clock"
)

// An address gets 30 tries a minute, and the other addresses are none the worse for it.
func TestAnonymousLimiter(t *testing.T) {
	t.Parallel()
	c := clock.At(noon)
	s := meter.NewAnonymousLimiter(c)
	for name, group := range map[string][]string{
		"IPv4":              {"192.0.2.1", "::ffff:192.0.2.1"},
		"one IPv6 network":  {"2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::1"},
		"another network":   {"2001:db8:0:1::1"},
		"another address":   {"192.0.2.2"},
		"link-local, zones": {"fe80::1%eth0", "fe80::1%eth1"},
		"no address":        {""},
	} {
		admitted := 0
		for i := range 100 {
			a, _ := netip.ParseAddr(group[i%len(group)])
			if s.Admit(a).Rejection == meter.None {
				admitted++
			}
		}
		if admitted != meter.AnonymousPerMinute {
			t.Errorf("%s: %d admitted", name, admitted)
		}
	}
	a := netip.MustParseAddr("192.0.2.1")
	if p := s.Admit(a); p.Rejection == meter.None || p.RetryAfter != time.Minute {
		t.Errorf("refused: %+v", p)
	}
	c.Advance(time.Minute)
	if p := s.Admit(a); p.Rejection != meter.None || p.Remaining != meter.AnonymousPerMinute-1 {
		t.Errorf("a minute later: %+v", p)
	}
}

// A request that a full /48 rejects is not counted against its own /64, which has its minute whole later.
func TestRejectedByAWiderNetworkIsNotCounted(t *testing.T) {
	t.Parallel()
	c := clock.At(noon)
	s := meter.NewAnonymousLimiter(c)
	admit := func(n int, addresses ...string) (admitted int) {
		for i := range n {
			if s.Admit(netip.MustParseAddr(addresses[i%len(addresses)])).Rejection == meter.None {
				admitted++
			}
		}
		return admitted
	}
	others := []string{"2001:db8:0:100::1", "2001:db8:0:200::1", "2001:db8:0:300::1", "2001:db8:0:400::1"}
	if n := admit(200, others...); n != 4*meter.AnonymousPerMinute {
		t.Fatalf("the /48 had %d requests", n)
	}
	c.Advance(30 * time.Second)
	if n := admit(50, "2001:db8::1"); n != 0 {
		t.Fatalf("the full /48 admitted %d", n)
	}
	c.Advance(30 * time.Second)
	if n := admit(50, "2001:db8::1"); n != meter.AnonymousPerMinute {
		t.Errorf("the /64 has %d requests once the /48 has room, want %d", n, meter.AnonymousPerMinute)
	}
}

func testAddress(i int) netip.Addr {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(i))
	return netip.AddrFrom4(b)
}

// A flood of addresses neither fills the memory nor gives anybody a fresh count.
func TestAnonymousFlood(t *testing.T) {
	addresses := 1_000_000
	if testing.Short() {
		addresses = 150_000
	}
	c := clock.At(noon)
	s := meter.NewAnonymousLimiter(c)
	mine := netip.MustParseAddr("2001:db8::1")
	for range meter.AnonymousPerMinute {
		s.Admit(mine)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range addresses {
		s.Admit(testAddress(i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("%d addresses take %d MiB", addresses, grown>>20)
	}
	if s.Admit(mine).Rejection == meter.None {
		t.Error("the flood made us forget somebody")
	}
	c.Advance(time.Minute)
	fresh := 0
	for i := range 1_000 {
		if s.Admit(testAddress(2_000_000+i)).Remaining == meter.AnonymousPerMinute-1 {
			fresh++
		}
	}
	if fresh < 950 {
		t.Errorf("a minute after the flood only %d of 1000 new addresses have a count of their own", fresh)
	}
	runtime.KeepAlive(s)
}

// Concurrent tries of one address are counted exactly.
func TestConcurrentAnonymousRequests(t *testing.T) {
	t.Parallel()
	s := meter.NewAnonymousLimiter(clock.At(noon))
	var admitted atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for range 20 {
				if s.Admit(testAddress(1)).Rejection == meter.None {
					admitted.Add(1)
				}
			}
		})
	}
	all.Wait()
	if n := admitted.Load(); n != meter.AnonymousPerMinute {
		t.Errorf("%d admitted", n)
	}
}

// An anonymous client has one minute over all instances, and no more of it by asking
// several; without the store each counts on its own.
func TestAnonymousLimitIsShared(t *testing.T) {
	b := newFixture(t)
	server := testkit.NewRedis(t)
	c := clock.At(noon)
	m1, m2 := b.instance(server.URL, c), b.instance(server.URL, c)
	two := []*meter.AnonymousLimiter{m1.NewAnonymousLimiter(), m2.NewAnonymousLimiter()}
	admit := func(address string, n int) (admitted int) {
		for i := range n {
			p := two[i%2].Admit(netip.MustParseAddr(address))
			if p.Rejection == meter.None {
				admitted++
			} else if p.RetryAfter <= 0 || p.RetryAfter > time.Minute || p.Met != meter.AnonymousPerMinute {
				t.Errorf("%s: %+v", address, p)
			}
		}
		return admitted
	}
	for _, address := range []string{"192.0.2.1", "2001:db8::1", "2001:db8:0:1::1"} {
		if n := admit(address, 200); n != meter.AnonymousPerMinute {
			t.Errorf("%s: %d admitted by two instances, want %d", address, n, meter.AnonymousPerMinute)
		}
	}
	testkit.Want(t, admit("2001:db8::2", 10), 0, "admitted of the same network")
	server.Kill()
	if n := admit("192.0.2.9", 200); n != 2*meter.AnonymousPerMinute {
		t.Errorf("%d admitted without the store, want %d", n, 2*meter.AnonymousPerMinute)
	}
}

// Refusing an anonymous client must cost the collector nothing: 10 000 wrong keys a second are expected.
func TestAnonymousAllocatesNothing(t *testing.T) {
	s := meter.NewAnonymousLimiter(clock.Real{})
	v4, v6 := testAddress(1), netip.MustParseAddr("2001:db8::1")
	for range 100 {
		s.Admit(v4)
		s.Admit(v6)
	}
	if n := testing.AllocsPerRun(1_000, func() { s.Admit(v4); s.Admit(v6) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAnonymous(b *testing.B) {
	s := meter.NewAnonymousLimiter(clock.Real{})
	a := netip.MustParseAddr("2001:db8::1")
	b.ReportAllocs()
	for b.Loop() {
		s.Admit(a)
	}
}
