package snapshot

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sys/unix"
)

// Writer writes the sections of a file, one after the other.
type Writer struct {
	file     *os.File
	out      *bufio.Writer
	hash     *xxhash.Digest
	at       uint64
	sections []section
}

// newWriter begins a file, which is empty, with the section that names what it is built from.
func newWriter(f *os.File, source string) (*Writer, error) {
	w := &Writer{file: f, out: bufio.NewWriterSize(f, 1<<20), hash: xxhash.New()}
	if _, err := w.Write(make([]byte, headerSize)); err != nil {
		return nil, err
	}
	return w, Put(w, sourceSection, []byte(source))
}

// Begin starts a section. What is written until the next one is it.
func (w *Writer) Begin(name string) error {
	if err := w.endSection(); err != nil {
		return err
	}
	if name == "" || len(name) > nameSize {
		return fmt.Errorf("begin section %q: the name must have 1 to %d bytes", name, nameSize)
	}
	w.sections = append(w.sections, section{name: name, offset: w.at})
	w.hash.Reset()
	return nil
}

// endSection closes the section that is being written, if there is one.
func (w *Writer) endSection() error {
	if len(w.sections) == 0 {
		return nil
	}
	s := &w.sections[len(w.sections)-1]
	s.size = w.Length()
	_, err := w.Write(make([]byte, Padded(w.at)-w.at))
	s.hash = w.hash.Sum64()
	return err
}

// Length is the number of bytes of the section that is being written.
func (w *Writer) Length() uint64 { return w.at - w.sections[len(w.sections)-1].offset }

// Write adds to the section that was begun.
func (w *Writer) Write(b []byte) (int, error) {
	_, _ = w.hash.Write(b) // it never fails
	n, err := w.out.Write(b)
	w.at += uint64(n)
	return n, err
}

// Put writes a whole section. Values must be of a fixed size and hold no pointers.
func Put[T any](w *Writer, name string, values []T) error {
	if err := w.Begin(name); err != nil {
		return err
	}
	_, err := w.Write(Bytes(values))
	return err
}

// finishFile writes the section table and then the header: a file without a header is refused.
func (w *Writer) finishFile(f Format) error {
	if err := w.endSection(); err != nil {
		return err
	}
	if len(w.sections) > maxSections || len(f.Kind) > kindSize {
		return fmt.Errorf("write snapshot %q: %d sections; at most %d, and %d bytes of kind, are possible", f.Kind,
			len(w.sections), maxSections, kindSize)
	}
	var table []byte
	for _, s := range w.sections {
		table = s.appendEntry(table)
	}
	tableOffset := w.at
	if _, err := w.Write(table); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	if _, err := w.file.WriteAt(encodeHeader(f, table, tableOffset), 0); err != nil {
		return err
	}
	return w.file.Sync()
}

// Write puts a new file in the place of the one at path, if there is one. Readers of that one keep it. Of two
// who write at the same time the last one to finish stays. When build fails, nothing has changed.
func Write(path string, f Format, source string, build func(*Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	removeAbandoned(path)
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // nothing to remove once it is renamed
	if err := errors.Join(writeLocked(file, f, source, build), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path)) // its entry reaches the disk too
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// writeLocked locks file, which is empty, writes a snapshot to it and syncs it to disk. The lock ends when
// the caller closes file.
func writeLocked(file *os.File, f Format, source string, build func(*Writer) error) error {
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	w, err := newWriter(file, source)
	if err != nil {
		return err
	}
	if err := build(w); err != nil {
		return err
	}
	return w.finishFile(f)
}

// abandonedAfter is more than the moment between making a file and locking it.
const abandonedAfter = time.Minute

// removeAbandoned removes what processes that were killed while writing left behind.
// One that is writing holds its file locked.
func removeAbandoned(path string) {
	left, err := filepath.Glob(path + ".new-*")
	if err != nil {
		return
	}
	for _, name := range left {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if st, err := f.Stat(); err == nil && time.Since(st.ModTime()) > abandonedAfter && unix.Flock(int(f.Fd()),
			unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.Remove(name) // the next writer tries again
		}
		_ = f.Close()
	}
}
