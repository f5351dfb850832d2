package spreadsheet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"
)

// Kinds of the records that an .xls file is made of.
const (
	biffFormula    = 0x0006
	biffEnd        = 0x000A
	biffDate1904   = 0x0022
	biffEncrypted  = 0x002F
	biffContinue   = 0x003C
	biffSheet      = 0x0085
	biffManyRK     = 0x00BD
	biffRichText   = 0x00D6
	biffStyle      = 0x00E0
	biffShared     = 0x00FC
	biffSharedText = 0x00FD
	biffNumber     = 0x0203
	biffText       = 0x0204
	biffBoolean    = 0x0205
	biffResult     = 0x0207
	biffRK         = 0x027E
	biffFormat     = 0x041E
	biffBegin      = 0x0809
)

var errBIFF = errors.New("the file is damaged: a record of it makes no sense")

// biffReader reads the records of a stream one by one.
type biffReader struct {
	in   *bufio.Reader
	kind uint16
	data []byte // of the current record, valid until the next is read
}

func newBIFFReader(in io.Reader) *biffReader {
	return &biffReader{in: bufio.NewReaderSize(in, readBufferBytes)}
}

func (b *biffReader) next() error {
	head := make([]byte, 4)
	if _, err := io.ReadFull(b.in, head); err != nil {
		return cutBIFF(err)
	}
	b.kind = binary.LittleEndian.Uint16(head)
	length := int(binary.LittleEndian.Uint16(head[2:]))
	if cap(b.data) < length {
		b.data = make([]byte, length)
	}
	b.data = b.data[:length]
	_, err := io.ReadFull(b.in, b.data)
	return cutBIFF(err)
}

func cutBIFF(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is cut off: its end is missing")
	}
	return err
}

// continued reports whether the next record goes on with the current one.
func (b *biffReader) continued() bool {
	head, err := b.in.Peek(2)
	return err == nil && binary.LittleEndian.Uint16(head) == biffContinue
}

// biffTexts reads texts out of a record, and out of those that go on with it. What goes wrong sets err.
type biffTexts struct {
	b    *biffReader
	left []byte // of the current record
	err  error
}

// take cuts bytes off that are in one piece.
func (t *biffTexts) take(n int) []byte {
	if len(t.left) == 0 && n > 0 {
		t.nextRecord()
	}
	if t.err == nil && n > len(t.left) {
		t.err = errBIFF
	}
	if t.err != nil {
		return make([]byte, n)
	}
	out := t.left[:n]
	t.left = t.left[n:]
	return out
}

func (t *biffTexts) nextRecord() {
	if t.err != nil {
		return
	}
	if !t.b.continued() {
		t.err = errBIFF
		return
	}
	t.err = t.b.next()
	t.left = t.b.data
}

// pass leaves bytes out, of however many records.
func (t *biffTexts) pass(n int) {
	for n > 0 && t.err == nil {
		if len(t.left) == 0 {
			t.nextRecord()
			continue
		}
		cut := min(n, len(t.left))
		n, t.left = n-cut, t.left[cut:]
	}
}

// text reads a text whose length is in the one or two bytes before it.
func (t *biffTexts) text(lengthBytes int) string {
	length := t.take(lengthBytes)
	if lengthBytes == 1 {
		return t.letters(int(length[0]))
	}
	return t.letters(int(binary.LittleEndian.Uint16(length)))
}

// letters reads a text of so many letters. Where it goes on in the next record it says anew whether they have one byte
// or two.
func (t *biffTexts) letters(length int) string {
	flags := t.take(1)[0]
	runs, extra := 0, 0
	if flags&0x08 != 0 {
		runs = 4 * int(binary.LittleEndian.Uint16(t.take(2)))
	}
	if flags&0x04 != 0 {
		extra = int(binary.LittleEndian.Uint32(t.take(4)))
	}
	var units []byte
	for length > 0 && t.err == nil {
		if len(t.left) == 0 {
			flags = t.take(1)[0]
			continue
		}
		if flags&0x01 == 0 {
			n := min(length, len(t.left))
			for _, c := range t.take(n) {
				units = append(units, c, 0)
			}
			length -= n
			continue
		}
		n := min(length, len(t.left)/2)
		if n == 0 {
			t.err = errBIFF
			break
		}
		units = append(units, t.take(2*n)...)
		length -= n
	}
	t.pass(runs + extra)
	return utf16Text(units)
}

func utf16Text(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// compoundMagic begins the files that old office programs write: a small file system of sectors in one file.
var compoundMagic = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

func isXLS(content io.ReaderAt) bool { return begins(content, compoundMagic) }

// The streams that hold a workbook: that of Excel since 97, and that of the versions before.
const (
	workbookStream    = "Workbook"
	oldWorkbookStream = "Book"
)

// maxCompoundBytes bounds an .xls file. The library walks its directory by recursion, so that a larger one could
// exhaust the stack.
const maxCompoundBytes = 256 << 20

// openWorkbook opens the workbook in an .xls file, once all of its sectors are known to be there.
func openWorkbook(content io.ReaderAt, size int64) (found *mscfb.File, err error) {
	defer damaged(&err)
	if size > maxCompoundBytes {
		return nil, fmt.Errorf("it is an .xls file of more than %d MiB: save it as .xlsx", maxCompoundBytes>>20)
	}
	streams, err := mscfb.New(content)
	if err != nil {
		return nil, compoundError(err)
	}
	for _, f := range streams.File {
		if strings.EqualFold(f.Name, workbookStream) || found == nil && strings.EqualFold(f.Name, oldWorkbookStream) {
			found = f
		}
	}
	switch {
	case found == nil:
		return nil, errors.New("it is no spreadsheet: it holds no workbook")
	case found.Size > size: // a chain that runs in a circle ends there, too
		return nil, errors.New("the file is cut off: its workbook is larger than itself")
	}
	if _, err := io.Copy(io.Discard, found); err != nil {
		return nil, compoundError(err)
	}
	if _, err := found.Seek(0, io.SeekStart); err != nil {
		return nil, compoundError(err)
	}
	return found, nil
}

// compoundError reports a sector beyond the end of the file as a file that is cut off.
func compoundError(err error) error {
	if strings.Contains(err.Error(), io.EOF.Error()) {
		return fmt.Errorf("the file is cut off: sectors of it are missing: %w", err)
	}
	return fmt.Errorf("the file is damaged: %w", err)
}

// damaged turns what the library does with bytes that make no sense into an error.
func damaged(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the file is damaged: %v", cause)
	}
}
