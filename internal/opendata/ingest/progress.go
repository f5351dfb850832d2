package ingest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Progress is notified of how a run of loads goes. Its methods are called
// one at a time; loads may run side by side.
type Progress interface {
	Start(label string, bytes int64) // a load of so many bytes begins
	Add(bytes int64)                 // so many more have been read, by whichever load
	Done(o Outcome)                  // a load has ended
}

// updateProgress calls the Progress of a loader, one call at a time.
func (l *Loader) updateProgress(call func(Progress)) {
	l.reporting.Lock()
	defer l.reporting.Unlock()
	call(l.o.Progress)
}

// Lines writes a line when a load ends, for logs and pipes.
func Lines(w io.Writer) Progress { return lines{w} }

type lines struct{ w io.Writer }

// longRead is how much must be read for it to be worth a line before it is done.
const longRead = 16 << 20

func (l lines) Start(label string, bytes int64) {
	if bytes >= longRead {
		fmt.Fprintf(l.w, "%s: %d MiB…\n", label, bytes>>20)
	}
}
func (lines) Add(int64)        {}
func (l lines) Done(o Outcome) { fmt.Fprintln(l.w, o) }

// Bar draws a bar on a terminal while a load reads, and leaves a line when it ends.
func Bar(w io.Writer) Progress { return &bar{w: w} }

type bar struct {
	w       io.Writer
	bar     *progressbar.ProgressBar
	running int
}

// Start begins a bar, or makes the one of a load that runs longer, by what this one has to read.
func (b *bar) Start(label string, bytes int64) {
	if b.running++; b.running > 1 {
		b.bar.AddMax64(bytes)
		b.bar.Describe(label)
		return
	}
	b.bar = progressbar.NewOptions64(bytes, progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetDescription(label),
		progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
}

func (b *bar) Add(bytes int64) { _ = b.bar.Add64(bytes) } // a bar that cannot be drawn must not stop a load

func (b *bar) Done(o Outcome) {
	b.running--
	_ = b.bar.Clear()
	fmt.Fprintln(b.w, o)
}

// loadLabel names a load in messages.
func loadLabel(source, scope, vintage string) string {
	return strings.Join(slices.DeleteFunc([]string{source, scope, vintage}, func(part string) bool {
		return part == ""
	}), " ")
}

// String is the outcome in one line.
func (o Outcome) String() string {
	label := loadLabel(o.Source, o.Scope, o.Vintage)
	worse, apart := "", ""
	if o.Worse != nil {
		worse = ", although " + o.Worse.describeLoss("were")
	}
	if o.LeftOut.Count > 0 {
		first := o.LeftOut.First
		apart = fmt.Sprintf(", %d left out (%s, row %d: %s)", o.LeftOut.Count, first.File, first.Line, first.Reason)
	}
	switch {
	case o.State == Unchanged:
		return label + ": nothing new"
	case o.Err != nil:
		return fmt.Sprintf("%s: refused, what was there stays: %v", label, o.Err)
	case o.Refused > 0:
		first := o.Rejections[0]
		return fmt.Sprintf("%s: %d rows in %s, %d refused (%s, row %d: %s)%s%s",
			label, o.Rows, o.Took.Round(time.Millisecond), o.Refused, first.File, first.Line, first.Reason,
			apart, worse)
	default:
		return fmt.Sprintf("%s: %d rows in %s%s%s", label, o.Rows, o.Took.Round(time.Millisecond), apart, worse)
	}
}
