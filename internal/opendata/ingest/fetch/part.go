package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
)

// part is a file that has not come whole, next to the place of the finished one. Its names begin with a dot
// and end in a way that no declaration reads.
type part struct {
	data string
	note string // the Entry that it is to have: Bytes once the length is known, SHA256 once it was verified
}

func partOf(target string) part {
	dir, name := filepath.Split(target)
	return part{filepath.Join(dir, "."+name+".part"), filepath.Join(dir, "."+name+".part.note")}
}

// readNote returns what is known of a part, and its length. A note that cannot be read is as good as none.
func (p part) readNote() (note Entry, length int64) {
	if info, err := os.Stat(p.data); err == nil {
		length = info.Size()
	}
	text, err := os.ReadFile(p.note)
	if err != nil || json.Unmarshal(text, &note) != nil {
		return Entry{}, length
	}
	return note, length
}

func (p part) writeNote(note Entry) error {
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	return ReplaceFile(p.note, text)
}

func (p part) removeFiles() error { return errors.Join(removeIfExists(p.data), removeIfExists(p.note)) }

// removeIfExists removes a file that need not be there.
func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// totalLength is the length of the whole file that an answer is of; 0: not known.
func totalLength(resp *http.Response) int64 {
	if resp.StatusCode == http.StatusPartialContent {
		var first, last, total int64
		if n, _ := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &total); n == 3 {
			return total
		}
		return 0
	}
	return max(resp.ContentLength, 0)
}

// isContinuation reports whether an answer goes from the byte we are at to the end of the file that the part
// is of. What it leaves open, such as a length that is not known, is believed.
func isContinuation(resp *http.Response, note Entry, have int64) bool {
	var first, last, total int64
	// "*" for the total ends it early
	n, _ := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &total)
	if n < 2 || first != have || n == 3 && last != total-1 {
		return false
	}
	tag := resp.Header.Get("ETag")
	return have == 0 || (n == 2 || note.Bytes == 0 || total == note.Bytes) && (tag == "" || note.ETag == "" ||
		tag == note.ETag)
}

// isSameResponse reports whether a server that knows no conditions sends the file that is there.
func isSameResponse(e Entry, resp *http.Response) bool {
	if tag := resp.Header.Get("ETag"); tag != "" || e.ETag != "" {
		return tag == e.ETag
	}
	date := resp.Header.Get("Last-Modified")
	return date != "" && date == e.LastModified && resp.ContentLength == e.Bytes
}
