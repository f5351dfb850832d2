package pgdb

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// A connection that is silent this long is asked for a sign of life, so that a dead one is noticed well
	// within the second in which a revocation has to arrive.
	listenPulse = 300 * time.Millisecond
	// How long it may take to answer.
	listenPatience = 400 * time.Millisecond
	listenRetry    = 250 * time.Millisecond
)

// Listen calls on for every notification on the channels until ctx ends. It owns one connection, outside any
// pool. Notifications sent while the connection was down are lost: onUp runs after every (re)connection, once the
// channels are listened to, and is the place to read everything again.
func Listen(ctx context.Context, url string, channels []string, onUp func(context.Context), on func(channel, payload string)) {
	for ctx.Err() == nil {
		err := listenOnce(ctx, url, channels, onUp, on)
		if ctx.Err() != nil {
			return
		}
		slog.WarnContext(ctx, "listening to the database was interrupted", "channels", channels, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(listenRetry):
		}
	}
}

func listenOnce(ctx context.Context, url string, channels []string, onUp func(context.Context), on func(channel, payload string)) error {
	conn, err := connectListener(ctx, url, channels)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	onUp(ctx)
	for {
		wait, cancel := context.WithTimeout(ctx, listenPulse)
		n, err := conn.WaitForNotification(wait)
		quiet := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			on(n.Channel, n.Payload)
		case quiet && !conn.IsClosed():
			if err := pulse(ctx, conn); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

func connectListener(ctx context.Context, url string, channels []string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["application_name"] = "arpent listener"
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	for _, c := range channels {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{c}.Sanitize()); err != nil {
			conn.Close(ctx)
			return nil, fmt.Errorf("listen to %s: %w", c, err)
		}
	}
	return conn, nil
}

func pulse(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, listenPatience)
	defer cancel()
	return conn.Ping(ctx)
}
