package api

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// hangupInterval is how often a connection is looked at while a long request runs.
const hangupInterval = 200 * time.Millisecond

// withHangupCancel is a context for long work: it ends when the client closes its connection, which the
// server would otherwise notice only when it writes the answer. Call end when the work is done.
func (r *Request) withHangupCancel() (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancel(r.ctx)
	raw := rawConn(r.conn)
	if raw == nil {
		return ctx, cancel
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(hangupInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if isPeerClosed(raw) {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, func() {
		cancel()
		<-done // the connection goes on to its next request
	}
}

// rawConn is the socket below a connection; nil for one that has none, as in tests.
func rawConn(c net.Conn) syscall.RawConn {
	if within, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = within.NetConn()
	}
	socket, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// isPeerClosed reports whether the other side has closed, without taking anything from what it may have sent.
func isPeerClosed(raw syscall.RawConn) bool {
	var n int
	var err error
	var one [1]byte
	if raw.Control(func(fd uintptr) {
		n, _, err = syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	}) != nil {
		return true
	}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return false
	}
	return err != nil || n == 0
}
