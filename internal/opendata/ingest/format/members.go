package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
)

// openMembers reads the tables of an archive that the declaration means by Member, one after the other. A file that is
// no archive is read as it is.
func openMembers(in input) (Reader, error) {
	in.spec.AllMembers = false
	names, err := in.listMembers()
	if err != nil {
		return nil, err
	}
	if names == nil {
		return openCSV(in)
	}
	r := &membersReader{in: in, left: names}
	if err := r.openNext(); err != nil {
		return nil, err
	}
	return r, nil
}

// listMembers lists the members that are meant, in alphabetical order; nil: the file is no archive.
func (in input) listMembers() ([]string, error) {
	f, buffered, err := openBuffered(in.path, func(int64) {})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start, _ := buffered.Peek(len(sevenZipMagic)) // a file that is shorter is no archive
	a, err := openArchive(in.path, start, func(int64) {})
	if a == nil || err != nil {
		return nil, err
	}
	defer a.Close()
	names, err := in.wantedMembers(a.fieldNames())
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: none of its %d members fits %q", errNoMember, len(a.members), in.spec.Member)
	}
	slices.Sort(names)
	picked := slices.DeleteFunc(slices.Clone(a.members), func(m member) bool { return !slices.Contains(names, m.name) })
	return names, a.checkMembers(picked)
}

// membersReader reads members of an archive one after the other.
type membersReader struct {
	in      input
	left    []string // that are not open yet
	name    string   // of the open one
	current Reader   // nil: none is open
}

// openNext closes the open member and opens the next one.
func (r *membersReader) openNext() error {
	if err := r.Close(); err != nil {
		return err
	}
	one := r.in
	r.name, r.left = r.left[0], r.left[1:]
	one.spec.Member = "^" + regexp.QuoteMeta(r.name) + "$"
	next, err := openCSV(one)
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	r.current = next
	return nil
}

// Next implements Reader. Errors name the member that they are of.
func (r *membersReader) Next() (Record, error) {
	for r.current != nil {
		rec, err := r.current.Next()
		var bad *RecordError
		switch {
		case errors.As(err, &bad):
			return rec, &RecordError{bad.Line, "in " + r.name + ": " + bad.Reason}
		case err == nil:
			return rec, nil
		case err != io.EOF:
			return rec, fmt.Errorf("%s: %w", r.name, err)
		case len(r.left) == 0:
			return rec, io.EOF
		}
		if err := r.openNext(); err != nil {
			return Record{}, err
		}
	}
	return Record{}, os.ErrClosed
}

func (r *membersReader) Projection() int { return 0 }

// Close implements Reader.
func (r *membersReader) Close() error {
	open := r.current
	if open == nil {
		return nil
	}
	r.current = nil
	return open.Close()
}
