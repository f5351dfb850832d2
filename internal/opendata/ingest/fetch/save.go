package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// newEntry is what is known of the file before it is asked for.
func (f *fetching) newEntry() Entry {
	r := f.item.Remote
	return Entry{Path: f.item.Path, Sources: f.item.Sources, Address: r.Address, Edition: r.Edition,
		Checksum: r.Sum.formatChecksum(), Licence: f.item.Licence}
}

// appendToPart writes what comes behind the first have bytes of the
// part. coming is how much that is; 0: not known.
func (f *fetching) appendToPart(note Entry, have, coming int64, write func(io.Writer) error) error {
	dir := filepath.Dir(f.target)
	left, err := f.client.o.Free(dir)
	if err != nil {
		return fmt.Errorf("free space of %s: %w", dir, err)
	}
	if left < coming {
		return fmt.Errorf("the disk of %s lacks %d MiB: %d MiB are to come and %d MiB are free", dir,
			(coming-left+1<<20-1)>>20, (coming+1<<20-1)>>20, left>>20)
	}
	file, err := os.OpenFile(f.part.data, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Truncate(have); err != nil {
		return err
	}
	if _, err := file.Seek(have, io.SeekStart); err != nil {
		return err
	}
	if err := f.part.writeNote(note); err != nil { // not before the part of another edition is gone
		return err
	}
	total := int64(0)
	if coming > 0 {
		total = have + coming
	}
	f.progress.Start(f.item.Path, have, total)
	if err := write(&partWriter{file, f}); err != nil {
		return err
	}
	return file.Sync()
}

// partWriter is a part that grows.
type partWriter struct {
	file *os.File
	of   *fetching
}

// Write implements io.Writer.
func (r *partWriter) Write(p []byte) (int, error) {
	n, err := r.file.Write(p)
	r.of.progress.Add(r.of.item.Path, int64(n))
	return n, err
}

// finishPart checks a part that has come whole and puts it in its place. One that is not what it should be is
// removed; if it was made of several answers, they may not have been of one file, and it is worth another
// attempt. A part with the content of the file that is there changes nothing.
func (f *fetching) finishPart(note Entry) (State, error) {
	sum, length, err := verifyFile(f.part.data, f.item.Path, f.item.Remote.Sum)
	if err == nil && note.Bytes > 0 && length != note.Bytes {
		err = fmt.Errorf("it has %d bytes of %d", length, note.Bytes)
	}
	if err == nil {
		err = f.checkComplete(length)
	}
	if err != nil {
		if f.resumed {
			err = &temporary{error: err}
		}
		return Failed, errors.Join(err, f.part.removeFiles())
	}
	note.SHA256, note.Bytes, note.FetchedAt = sum, length, f.client.Now().UTC()
	note.CheckedAt = note.FetchedAt
	if f.before != nil && f.before.SHA256 == sum {
		note.FetchedAt = f.before.FetchedAt
		return Unchanged, errors.Join(f.part.removeFiles(), f.confirmEntry(note))
	}
	if err := f.part.writeNote(note); err != nil {
		return Failed, err
	}
	if err := os.Rename(f.part.data, f.target); err != nil {
		return Failed, err
	}
	if err := errors.Join(f.recordEntry(note), f.recordForMirror()); err != nil {
		return Failed, err
	}
	return Fetched, nil
}

// recordEntry enters a file that is in its place.
func (f *fetching) recordEntry(note Entry) error {
	if err := f.manifest.Put(note); err != nil {
		return err
	}
	return f.part.removeFiles()
}

// confirmEntry enters that the file that is there is the producer's today.
func (f *fetching) confirmEntry(e Entry) error {
	now := f.newEntry()
	e.CheckedAt, e.Sources, e.Licence = f.client.Now().UTC(), now.Sources, now.Licence
	e.Edition, e.Checksum = cmp.Or(now.Edition, e.Edition), cmp.Or(now.Checksum, e.Checksum)
	if err := f.manifest.Put(e); err != nil {
		return err
	}
	return f.recordForMirror()
}

// recordForMirror puts the file into the folder of a mirror, if one is being filled.
func (f *fetching) recordForMirror() error {
	address := f.item.Remote.Address
	if f.item.Remote.Write != nil {
		address += joinedSuffix
	}
	if err := f.client.recordFile(address, f.target); err != nil {
		return fmt.Errorf("keep it for the mirror: %w", err)
	}
	return nil
}
