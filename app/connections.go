package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/internal/clientip"
	"arpent/internal/fault"
)

const (
	// One address may hold this many connections. A browser takes six, a program with a pool some dozens;
	// what is behind one address of a company or a provider shares them.
	maxPerAddress = 256
	// All together may hold as many as the limit of open files leaves, and never more than the memory
	// does: a silent one takes up to 20 KiB.
	maxConnections = 16384
	// Files that are not connections of clients: database, index, logs.
	reservedFiles = 512
	// A rejected client gets its answer within this time, or none: no other client is let in meanwhile.
	rejectTimeout = 100 * time.Millisecond
)

// connections counts who is connected.
type connections struct {
	max        int
	exempt     []netip.Prefix // trusted proxies: what they send is limited by the clients behind them
	docs       string         // address of what is said of errors
	head       string         // status and headers of the answer to a client that is not served
	tick       atomic.Uint32  // never 0
	mu         sync.Mutex
	total      int
	perNetwork map[netip.Prefix]int
	logged     time.Time
}

func newConnections(proxies []netip.Prefix, baseURL string) *connections {
	c := &connections{max: connectionsFor(openFiles()), exempt: proxies, docs: baseURL + "/docs/errors#" +
		string(fault.Unavailable),
		perNetwork: map[netip.Prefix]int{}, head: "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 5\r\nConnection: close\r\n"}
	for _, h := range securityHeaderValues {
		c.head += fmt.Sprintf("%s: %s\r\n", h.name, h.value)
	}
	if strings.HasPrefix(baseURL, "https://") {
		c.head += fiber.HeaderStrictTransportSecurity + ": " + httpsOnly + "\r\n"
	}
	c.tick.Store(1)
	return c
}

// connectionsFor is how many connections fit into a limit of open files.
func connectionsFor(files uint64) int {
	if files >= maxConnections+reservedFiles {
		return maxConnections
	}
	return max(int(files)-reservedFiles, int(files)/2)
}

// openFiles is the limit of open files. Go raises the soft one to the hard one when a program starts.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 1024
	}
	return limit.Cur
}

// acquireSlot counts a connection, or gives the reason why it is one too many.
func (c *connections) acquireSlot(from netip.Addr) (full string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	crowded := func(b clientip.Bucket) bool { return c.perNetwork[b.Network] >= maxPerAddress*b.Times }
	switch {
	case c.total >= c.max:
		full = fmt.Sprintf("This server holds %d connections, and takes no more.", c.max)
	// Proxies, probes and benchmarks are on this machine.
	case from.IsValid() && !from.IsLoopback() && slices.ContainsFunc(clientip.Buckets(from), crowded) &&
		!slices.ContainsFunc(c.exempt, func(p netip.Prefix) bool { return p.Contains(from) }):
		full = fmt.Sprintf("This address holds %d connections, and may open no more.", maxPerAddress)
	default:
		c.total++
		for _, b := range clientip.Buckets(from) {
			c.perNetwork[b.Network]++
		}
		return ""
	}
	if time.Since(c.logged) > time.Minute {
		c.logged = time.Now()
		slog.Warn("connection rejected", "address", from, "connections", c.total, "of_address",
			c.perNetwork[clientip.Network(from)])
	}
	return full
}

func (c *connections) releaseSlot(from netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	for _, b := range clientip.Buckets(from) {
		if c.perNetwork[b.Network]--; c.perNetwork[b.Network] <= 0 {
			delete(c.perNetwork, b.Network)
		}
	}
}

func peerAddr(c net.Conn) netip.Addr {
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// rejectConn answers a client that is not served. The answer may be lost: what the client sent
// already is thrown away with its connection.
func (l listener) rejectConn(c net.Conn, why string) {
	defer c.Close()
	if c.SetWriteDeadline(time.Now().Add(rejectTimeout)) != nil {
		return
	}
	body := fmt.Sprintf(`{"error":{"code":%q,"message":%q,"documentation":%q}}`, fault.Unavailable, why,
		l.connections.docs)
	_, _ = fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", l.connections.head, len(body), body)
}

// listener gives connections whose deadlines are kept to the second, and as many as are allowed.
type listener struct {
	net.Listener
	connections *connections
}

func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := peerAddr(c)
		full := l.connections.acquireSlot(from)
		if full == "" {
			return &coarseConn{Conn: c, tick: &l.connections.tick,
				release: sync.OnceFunc(func() { l.connections.releaseSlot(from) })}, nil
		}
		l.rejectConn(c, full)
	}
}

// coarseConn keeps deadlines of its own, where the library would read the clock for each of three a
// request, and set them: that costs as much as finding a commune. They count in ticks, so that a
// connection may be ended up to a second early.
type coarseConn struct {
	net.Conn
	tick        *atomic.Uint32
	read, write uint32 // the ticks that the deadlines were set in
	answering   bool
	stop        func() error // asked before each read; nil: none
	refused     bool         // closed before everything that the client sends was read
	release     func()
}

const tick = time.Second

// keepTime ticks until ctx ends.
func (c *connections) keepTime(ctx context.Context) {
	every := time.NewTicker(tick)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			c.tick.Add(1)
		}
	}
}

// resetReadDeadline gives a connection its time anew: one that has begun, a request of it
// that begins, or the wait for the next one.
func resetReadDeadline(c net.Conn, state fasthttp.ConnState) {
	conn, ok := c.(*coarseConn)
	if !ok || state != fasthttp.StateNew && state != fasthttp.StateActive && state != fasthttp.StateIdle {
		return
	}
	conn.answering = false
	if now := conn.tick.Load(); now != conn.read {
		conn.read = now
		_ = conn.SetReadDeadline(time.Now().Add(quietTimeout)) // it fails on a closed connection, as the read will
	}
}

// NetConn is the connection below, where a long report looks whether its client is still there.
func (c *coarseConn) NetConn() net.Conn { return c.Conn }

// markRefused has the client of a request get to its answer, though not all it sends will be read.
func markRefused(ctx *fasthttp.RequestCtx) {
	if c, ok := ctx.Conn().(*coarseConn); ok {
		c.refused = true
	}
}

// Watch implements httpbody.Watched.
func (c *coarseConn) Watch(stop func() error) { c.stop = stop }

// Read implements net.Conn.
func (c *coarseConn) Read(p []byte) (int, error) {
	if c.stop != nil {
		if err := c.stop(); err != nil {
			return 0, err
		}
	}
	c.answering = false
	return c.Conn.Read(p)
}

// Write implements net.Conn. An answer has its time from its first piece on.
func (c *coarseConn) Write(p []byte) (int, error) {
	if !c.answering {
		c.answering = true
		if now := c.tick.Load(); now != c.write {
			c.write = now
			if err := c.SetWriteDeadline(time.Now().Add(quietTimeout)); err != nil {
				return 0, err
			}
		}
	}
	return c.Conn.Write(p)
}

// What a refused client may go on sending, and for how long, while it gets to its answer.
const (
	ignoredBytes = 1 << 20
	ignoredFor   = 500 * time.Millisecond
)

// Close implements net.Conn. A connection that is closed while its client sends is reset, and most clients
// then report that instead of the answer: what a refused one still sends is read, and ignored.
func (c *coarseConn) Close() error {
	defer c.release()
	if tcp, ok := c.Conn.(*net.TCPConn); ok && c.refused && tcp.CloseWrite() == nil {
		_ = tcp.SetReadDeadline(time.Now().Add(ignoredFor))
		_, _ = io.CopyN(io.Discard, tcp, ignoredBytes)
	}
	return c.Conn.Close()
}
