package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

const (
	// roundRows: services that give pages end them at such numbers, and so does what was cut off at a page's
	// end.
	roundRows = 1000
	// firstLines are looked at for the separator and the number of cells of a table; a few lines may stand
	// above its header.
	firstLines = 20
)

// tableLines is what the lines of a table show of whether all of it is there.
type tableLines struct {
	count     int64 // lines, the header too
	ended     bool  // the last one ends
	separator byte
	cells     int // the most separators in one of the first lines
	last      int // separators in the last line
}

// countLines reads a table. It returns nil for one that is compressed, and for no file.
func countLines(name string) (*tableLines, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, headLength)
	head, err := in.Peek(headLength)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if isCompressed(head) {
		return nil, nil
	}
	first := bytes.SplitN(head, []byte("\n"), firstLines+1)
	t := &tableLines{separator: slices.MaxFunc([]byte(",;|\t"), func(a, b byte) int {
		return bytes.Count(first[0], []byte{a}) - bytes.Count(first[0], []byte{b})
	})}
	for _, line := range first[:min(len(first), firstLines)] {
		t.cells = max(t.cells, bytes.Count(line, []byte{t.separator}))
	}
	for more := false; ; {
		part, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, err
		}
		if len(part) == 0 && err == io.EOF {
			return t, nil
		}
		if !more {
			t.count, t.last = t.count+1, 0
		}
		t.last += bytes.Count(part, []byte{t.separator})
		t.ended = err == nil
		more = !t.ended
	}
}

// truncatedError is the error of a file that lacks its end. Another attempt may bring it.
func truncatedError(format string, args ...any) error {
	return &temporary{error: fmt.Errorf("it is cut off: "+format, args...)}
}

// checkComplete returns an error for a file that came without an error and lacks its end: the length is
// compared with what the catalogue says, and of a table the lines with the declared minimum and the edition
// that is there.
func (f *fetching) checkComplete(length int64) error {
	if want := f.item.Remote.Bytes; want > 0 && f.item.Remote.Write == nil && length < want-want/10 {
		return truncatedError("it has %d bytes, and %d by its catalogue", length, want)
	}
	if !slices.Contains([]string{".csv", ".tsv", ".txt"}, strings.ToLower(path.Ext(f.item.Path))) {
		return nil // no table whose lines can be counted
	}
	now, err := countLines(f.part.data)
	if now == nil || err != nil {
		return err
	}
	var before *tableLines
	if f.before != nil {
		if before, err = countLines(f.target); err != nil {
			return err
		}
	}
	rows := max(now.count-1, 0)
	switch {
	case !now.ended && now.last < now.cells:
		return truncatedError("its last line, number %d, has %d cells of %d", now.count, now.last+1, now.cells+1)
	case !now.ended && before != nil && before.ended:
		return truncatedError("its last line, number %d, has no end, which that of the edition before had",
			now.count)
	case rows < f.item.MinRows:
		return fmt.Errorf("it has %d rows, fewer than the %d that it must have: it is cut off, or another file",
			rows, f.item.MinRows)
	case before != nil && now.count*2 < before.count:
		return fmt.Errorf("it has %d lines, and the edition before had %d: it may be cut off, and that one is kept; "+
			"delete %s to have the new one all the same", now.count, before.count, f.target)
	}
	if rows > 0 && rows%roundRows == 0 {
		f.warning = fmt.Sprintf("%s has just %d rows, a round number: the service may end its answers there",
			f.item.Path, rows)
	}
	return nil
}
