package api

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"arpent/internal/clientip"
	"arpent/internal/trace"
)

const (
	// Lines wait this long at most before they are written; a crash loses no more than that.
	logEvery = 200 * time.Millisecond
	// A fuller buffer is written at once.
	logBuffer = 64 << 10
)

// AccessLog writes one JSON line a request, in the form of slog's JSON handler, without slowing the request
// down: lines are collected and written together. Of fast successes it may write a random sample.
type AccessLog struct {
	out   io.Writer
	oneIn int // one of this many fast successes is written
	mu    sync.Mutex
	buf   []byte
	full  chan struct{}
	day   [len("2006-01-02T15:04:05")]byte // the second the last line was of, formatted
	sec   int64
}

// NewAccessLog writes to out, of fast successes one in oneIn. A nil out drops all lines.
func NewAccessLog(out io.Writer, oneIn int) *AccessLog {
	return &AccessLog{out: out, oneIn: oneIn, full: make(chan struct{}, 1)}
}

// line is one request, of an operation or of another route. It holds neither
// the URL nor any header: both may carry a key. Of a request that met a limit, and of no other, it has the
// network of the client: the widest that may belong to one subscriber, and no address.
type line struct {
	requestID []byte
	accountID int64 // 0 for anonymous clients
	keyID     int64
	operation string // empty: route
	route     string // its pattern
	method    string
	status    int
	bytes     int
	duration  time.Duration
	reason    string     // code of the error of the API; empty: none, or not known
	limit     string     // that a refused request met; empty: not known
	client    netip.Addr // of a refused request; the zero value: not known
}

// mayBeSampled reports whether a line is of a success faster than trace.SlowAfter.
func (e *line) mayBeSampled() bool {
	return e.status < http.StatusBadRequest && e.duration < trace.SlowAfter
}

// addLine adds a line. One that stands for others says for how many, so that requests can be counted.
func (l *AccessLog) addLine(now time.Time, e *line) {
	sampled := l.oneIn > 1 && e.mayBeSampled()
	if l.out == nil || sampled && rand.IntN(l.oneIn) > 0 {
		return
	}
	l.mu.Lock()
	b := append(l.buf, `{"time":"`...)
	b = l.appendTime(b, now)
	b = append(b, `","level":"INFO","msg":"request","request_id":"`...)
	b = append(b, e.requestID...)
	if e.accountID != 0 {
		b = strconv.AppendInt(append(b, `","account_id":`...), e.accountID, 10)
		b = strconv.AppendInt(append(b, `,"key_id":`...), e.keyID, 10)
		b = append(b, ',')
	} else {
		b = append(b, `",`...)
	}
	if e.operation != "" {
		b = append(append(b, `"operation":"`...), e.operation...)
	} else {
		b = append(append(b, `"route":"`...), e.route...)
	}
	b = append(append(b, `","method":"`...), e.method...)
	b = strconv.AppendInt(append(b, `","status":`...), int64(e.status), 10)
	b = strconv.AppendInt(append(b, `,"bytes":`...), int64(e.bytes), 10)
	b = strconv.AppendInt(append(b, `,"duration_us":`...), e.duration.Microseconds(), 10)
	if sampled {
		b = strconv.AppendInt(append(b, `,"sampled":`...), int64(l.oneIn), 10)
	}
	if e.reason != "" {
		b = append(append(append(b, `,"reason":"`...), e.reason...), '"')
	}
	if e.limit != "" {
		b = append(append(append(b, `,"limit":"`...), e.limit...), '"')
	}
	if e.client.IsValid() {
		b = append(clientip.Widest(e.client).AppendTo(append(b, `,"network":"`...)), '"')
	}
	l.buf = append(b, "}\n"...)
	tooFull := len(l.buf) > logBuffer
	l.mu.Unlock()
	if tooFull {
		select {
		case l.full <- struct{}{}:
		default:
		}
	}
}

func (l *AccessLog) appendTime(b []byte, now time.Time) []byte {
	if sec := now.Unix(); sec != l.sec {
		l.sec = sec
		now.UTC().AppendFormat(l.day[:0], "2006-01-02T15:04:05")
	}
	b = append(append(b, l.day[:]...), '.')
	ms := now.Nanosecond() / 1e6
	return append(b, byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z')
}

// Run writes the lines until ctx ends, then what is left.
func (l *AccessLog) Run(ctx context.Context) {
	if l.out == nil {
		return
	}
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	var spare []byte
	for done := false; !done; {
		select {
		case <-ctx.Done():
			done = true
		case <-tick.C:
		case <-l.full:
		}
		l.mu.Lock()
		spare, l.buf = l.buf, spare[:0]
		l.mu.Unlock()
		if len(spare) > 0 {
			_, _ = l.out.Write(spare) // nowhere left to report it
		}
	}
}
