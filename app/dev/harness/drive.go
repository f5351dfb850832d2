package harness

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Answer is one answered request.
type Answer struct {
	Sent, Received time.Time
	Status         int
	Header         http.Header
	Body           []byte
}

// Client sends one request after the other over one connection, with no more
// between it and the socket than parsing asks for.
type Client struct {
	Timeout time.Duration // of one answer

	host string
	from net.Addr // nil: any
	conn net.Conn
	in   *bufio.Reader
	out  []byte
}

// NewClient makes a client of a server. from is the local address to come from; empty: any.
func NewClient(base, from string) *Client {
	c := &Client{host: strings.TrimPrefix(base, "http://"), Timeout: clientTimeout}
	if from != "" {
		c.from = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	return c
}

// Close ends the connection.
func (c *Client) Close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

const clientTimeout = 10 * time.Second

// Request is one request. Without a method it is a GET.
type Request struct {
	Method, Path string
	Key          string // in X-API-Key; empty: none is sent
	Header       string // further headers, each line with its end
	Body         string
}

// Get sends a GET with a key and reads the whole answer.
func (c *Client) Get(path, key string) (Answer, error) { return c.Send(&Request{Path: path, Key: key}) }

// Send sends a request and reads the whole answer. After an error the
// next request has a connection of its own.
func (c *Client) Send(r *Request) (Answer, error) {
	if c.conn == nil {
		d := net.Dialer{LocalAddr: c.from, Timeout: c.Timeout}
		conn, err := d.Dial("tcp", c.host)
		if err != nil {
			return Answer{}, err
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	a, err := c.sendRequest(r)
	if err != nil {
		c.Close()
	}
	return a, err
}

// Good is Get with an error for every answer but 200.
func (c *Client) Good(path, key string) (Answer, error) {
	a, err := c.Get(path, key)
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("%s answers %d: %s", path, a.Status, a.Body)
	}
	return a, err
}

func (c *Client) sendRequest(r *Request) (Answer, error) {
	a := Answer{Sent: time.Now()}
	if err := c.conn.SetDeadline(a.Sent.Add(c.Timeout)); err != nil {
		return a, err
	}
	c.encodeRequest(r)
	if _, err := c.conn.Write(c.out); err != nil {
		return a, err
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return a, err
	}
	a.Body, err = io.ReadAll(res.Body)
	res.Body.Close()
	a.Received, a.Status, a.Header = time.Now(), res.StatusCode, res.Header
	if res.Close {
		c.Close()
	}
	return a, err
}

// encodeRequest puts a request together.
func (c *Client) encodeRequest(r *Request) {
	c.out = append(append(append(append(c.out[:0], cmp.Or(r.Method, http.MethodGet)...), ' '), r.Path...),
		" HTTP/1.1\r\nHost: "...)
	c.out = append(append(c.out, c.host...), "\r\n"...)
	if r.Key != "" {
		c.out = append(append(append(c.out, "X-API-Key: "...), r.Key...), "\r\n"...)
	}
	c.out = append(c.out, r.Header...)
	if r.Body != "" {
		c.out = append(strconv.AppendInt(append(c.out, "Content-Length: "...), int64(len(r.Body)), 10), "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), r.Body...)
}

// DropEnded closes a connection that the server has ended while it was idle,
// as every client does before it sends more.
func (c *Client) DropEnded() {
	raw, ok := c.conn.(syscall.Conn)
	if !ok {
		return
	}
	ended := true
	if access, err := raw.SyscallConn(); err == nil {
		_ = access.Read(func(fd uintptr) bool { // it fails for one that is closed
			n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			ended = n == 0 && err == nil || err != nil && err != syscall.EAGAIN
			return true
		})
	}
	if ended {
		c.Close()
	}
}

// Hammer has clients send requests as fast as they are answered until ctx ends, and gives the answers 200, in
// the order in which they arrived. others counts the rest by status; 0 stands for connections that broke.
func Hammer(ctx context.Context, bases []string, clients int, path, key string,
) (admitted []Answer, others map[int]int) {
	return HammerPaths(ctx, bases, clients, func() string { return path }, key)
}

// HammerPaths is Hammer with a path for each request, which clients ask for concurrently.
func HammerPaths(ctx context.Context, bases []string, clients int, nextPath func() string, key string,
) (admitted []Answer, others map[int]int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	others = map[int]int{}
	for i := range clients {
		wg.Go(func() {
			c := NewClient(bases[i%len(bases)], "")
			defer c.Close()
			for ctx.Err() == nil {
				a, err := c.Get(nextPath(), key)
				if err != nil {
					a.Status = 0
				}
				a.Header, a.Body = nil, nil
				mu.Lock()
				if a.Status == http.StatusOK {
					admitted = append(admitted, a)
				} else {
					others[a.Status]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.SortFunc(admitted, func(a, b Answer) int { return a.Received.Compare(b.Received) })
	return admitted, others
}

// Steady is traffic at a fixed rate, whatever the answers take.
type Steady struct {
	Base    string
	Path    string
	Rate    int           // requests a second
	Lasting time.Duration // how long
	Clients int           // connections that share the work
	From    func(client int) string
	Key     func(client, request int) string
	PathOf  func(client, request int) string // in place of Path
}

// Run sends the traffic and gives how long each answer took, shortest first. A request that waited for the
// answer to the one before counts from when it was due, so that a server that stalls is charged for all that
// waited; another one from when it was sent, which the timer of this program makes up to a millisecond late.
// An error means that a request was not answered.
func (s Steady) Run(statuses func(int)) ([]time.Duration, error) {
	var wg sync.WaitGroup
	took, failed := make([][]time.Duration, s.Clients), make([]error, s.Clients)
	begin := time.Now()
	for i := range s.Clients {
		wg.Go(func() { took[i], failed[i] = s.runClient(begin, i, statuses) })
	}
	wg.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	for _, err := range failed {
		if err != nil {
			return all, fmt.Errorf("steady traffic: %w", err)
		}
	}
	return all, nil
}

func (s Steady) runClient(begin time.Time, i int, statuses func(int)) (took []time.Duration, err error) {
	from := ""
	if s.From != nil {
		from = s.From(i)
	}
	c := NewClient(s.Base, from)
	defer c.Close()
	every := time.Duration(s.Clients) * time.Second / time.Duration(s.Rate)
	due := begin.Add(time.Duration(i) * time.Second / time.Duration(s.Rate))
	for n := 0; due.Before(begin.Add(s.Lasting)); n++ {
		early := time.Until(due)
		time.Sleep(early)
		path := s.Path
		if s.PathOf != nil {
			path = s.PathOf(i, n)
		}
		a, err := c.Get(path, s.Key(i, n))
		if err != nil {
			return took, err
		}
		statuses(a.Status)
		since := due
		if early > 0 {
			since = a.Sent
		}
		took = append(took, a.Received.Sub(since))
		due = due.Add(every)
	}
	return took, nil
}

// Quantile is the value below which the part q of sorted durations lies.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
