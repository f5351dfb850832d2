package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// localFile is a file that can be read from any place in it.
type localFile struct {
	*os.File
	size int64
	temp bool // it is a copy, which goes when it is closed
}

func (f *localFile) Close() error {
	err := f.File.Close()
	if f.temp {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// begins tells whether the content is of the format that begins so.
func (f *localFile) begins(start []byte) bool {
	head := make([]byte, len(start))
	_, err := f.ReadAt(head, 0)
	return err == nil && bytes.Equal(head, start)
}

// openLocal opens a file that is. What has a compression or an archive around it is copied to a temporary file first.
func openLocal(path, member, usual string, is func(*localFile) bool, add func(int64)) (*localFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	plain := &localFile{File: f, size: fileSize(f)}
	if is(plain) {
		add(plain.size)
		return plain, nil
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	in, err := openStream(path, member, usual, add)
	if err != nil {
		return nil, err
	}
	content, err := copied(in)
	if err = errors.Join(err, in.Close()); err != nil {
		if content != nil {
			err = errors.Join(err, content.Close())
		}
		return nil, err
	}
	return content, nil
}

// copied writes a stream into a temporary file.
func copied(in io.Reader) (*localFile, error) {
	f, err := os.CreateTemp("", "arpent-load-")
	if err != nil {
		return nil, err
	}
	content := &localFile{File: f, temp: true}
	content.size, err = io.Copy(f, io.LimitReader(in, maxUnpackBytes+1))
	if err == nil && content.size > maxUnpackBytes {
		err = fmt.Errorf("it unpacks to more than %d GiB", int64(maxUnpackBytes)>>30)
	}
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return content, nil
}
