package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"arpent/internal/config"
)

func setLog(c config.Config) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return fmt.Errorf("read log level %q: %w", c.LogLevel, err)
	}
	slog.SetDefault(newLog(c.Mode, level))
	return nil
}

// newLog is the log of a mode: JSON for programs in production, lines for people in development.
func newLog(mode config.Mode, level slog.Level) *slog.Logger {
	if mode == config.Development {
		return slog.New(newLineHandler(os.Stderr, level))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// lineHandler writes a record as a line for people: the time of day, the level
// unless it is info, the message, the attributes.
type lineHandler struct {
	slog.Handler // writes the attributes into lines
	lines        *lineWriter
}

type lineWriter struct {
	mu         sync.Mutex
	w          io.Writer
	attributes bytes.Buffer
}

func newLineHandler(w io.Writer, level slog.Level) lineHandler {
	lines := &lineWriter{w: w}
	return lineHandler{slog.NewTextHandler(&lines.attributes, &slog.HandlerOptions{Level: level,
		ReplaceAttr: dropBuiltIn}), lines}
}

// dropBuiltIn leaves out what begins the line already.
func dropBuiltIn(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
		return slog.Attr{}
	}
	return a
}

// Handle implements slog.Handler.
func (h lineHandler) Handle(ctx context.Context, r slog.Record) error {
	h.lines.mu.Lock()
	defer h.lines.mu.Unlock()
	h.lines.attributes.Reset()
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	text := r.Message + "  " + h.lines.attributes.String()
	if r.Level != slog.LevelInfo {
		text = r.Level.String() + " " + text
	}
	_, err := fmt.Fprintln(h.lines.w, r.Time.Format(time.TimeOnly), strings.TrimSpace(text))
	return err
}

// WithAttrs implements slog.Handler.
func (h lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return lineHandler{h.Handler.WithAttrs(attrs), h.lines}
}

// WithGroup implements slog.Handler.
func (h lineHandler) WithGroup(name string) slog.Handler {
	return lineHandler{h.Handler.WithGroup(name), h.lines}
}

// AccessLog is where the lines of requests go: to the other log lines, unless those
// below warnings are not wanted. Nil: nowhere.
func AccessLog(c config.Config) io.Writer {
	switch {
	case c.LogLevel == "warn" || c.LogLevel == "error":
		return nil
	case c.Mode == config.Development:
		return requestLineWriter{os.Stderr}
	default:
		return os.Stderr
	}
}

// requestLineWriter writes the JSON lines of requests as lines for people.
type requestLineWriter struct{ w io.Writer }

// Write implements io.Writer. It gets whole lines.
func (l requestLineWriter) Write(lines []byte) (int, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(lines) {
		var r struct {
			Time              time.Time
			Operation, Route  string
			Method            string
			Status, Bytes     int
			DurationMicrosecs int64 `json:"duration_us"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			out.Write(line)
			continue
		}
		fmt.Fprintf(&out, "%s %s %s%s  status=%d bytes=%d took=%s\n", r.Time.Local().Format(time.TimeOnly),
			r.Method, r.Operation, r.Route,
			r.Status, r.Bytes, time.Duration(r.DurationMicrosecs)*time.Microsecond)
	}
	_, err := l.w.Write(out.Bytes())
	return len(lines), err
}
