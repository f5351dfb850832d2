package pgdb

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/clock"
)

const (
	// A connection that is silent this long is asked for a sign of life, so that a dead one is noticed well
	// within the second in which a revocation has to arrive.
	listenPulse = 300 * time.Millisecond
	// How long it may take to answer.
	listenTimeout = 400 * time.Millisecond
	listenRetry   = 250 * time.Millisecond
)

// Listener is the one connection on which the database notifies this instance of changes,
// for all its caches. It is outside any pool.
type Listener struct {
	url      string
	channels []string

	mu          sync.Mutex
	up          bool // the channels are listened to
	subscribers []subscriber
}

type subscriber struct {
	channel string
	reread  func(context.Context)
	notify  func(ctx context.Context, payload string)
}

// NewListener prepares a connection that listens to the channels.
func NewListener(url string, channels ...string) *Listener {
	return &Listener{url: url, channels: channels}
}

// Subscribe has notify called for every notification on a channel of the listener. Those sent while
// the connection was down are lost: reread is called after every (re)connection, once the channels
// are listened to, and is the place to read everything again. The subscribers are called one after
// the other, and must not hold each other up.
func (l *Listener) Subscribe(ctx context.Context, channel string, reread func(context.Context),
	notify func(ctx context.Context, payload string)) {
	if !slices.Contains(l.channels, channel) {
		panic("subscription to " + channel + ", which the listener does not listen to")
	}
	l.mu.Lock()
	l.subscribers = append(l.subscribers, subscriber{channel, reread, notify})
	up := l.up
	l.mu.Unlock()
	if up {
		reread(ctx)
	}
}

// setConnected gives whom to call.
func (l *Listener) setConnected(up bool) []subscriber {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up = up
	return slices.Clone(l.subscribers)
}

// Run listens until ctx ends.
func (l *Listener) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.listenOnce(ctx)
		l.setConnected(false)
		if ctx.Err() != nil {
			return
		}
		slog.WarnContext(ctx, "listening to the database was interrupted", "channels", l.channels, "error", err)
		clock.Sleep(ctx, listenRetry)
	}
}

func (l *Listener) listenOnce(ctx context.Context) error {
	conn, err := l.openConn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, s := range l.setConnected(true) {
		s.reread(ctx)
	}
	for {
		wait, cancel := context.WithTimeout(ctx, listenPulse)
		n, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			for _, s := range l.setConnected(true) {
				if s.channel == n.Channel {
					s.notify(ctx, n.Payload)
				}
			}
		case quiet && !conn.IsClosed():
			if err := pingWithin(ctx, conn, listenTimeout); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

func (l *Listener) openConn(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	cfg, err := pgx.ParseConfig(l.url)
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["application_name"] = "arpent listener"
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	for _, c := range l.channels {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{c}.Sanitize()); err != nil {
			conn.Close(ctx)
			return nil, fmt.Errorf("listen to %s: %w", c, err)
		}
	}
	return conn, nil
}

func pingWithin(ctx context.Context, conn *pgx.Conn, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return conn.Ping(ctx)
}
