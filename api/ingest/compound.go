package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/richardlehane/mscfb"
)

// compoundMagic begins the files that old office programs write: a small file system of sectors in one file.
var compoundMagic = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// The streams that hold a workbook: that of Excel since 97, and that of the versions before.
const (
	workbookStream    = "Workbook"
	oldWorkbookStream = "Book"
)

// maxCompoundBytes bounds an .xls file. The library walks its directory by recursion, so that a larger one could
// exhaust the stack.
const maxCompoundBytes = 256 << 20

// openWorkbook opens the workbook in an .xls file, once all of its sectors are known to be there.
func openWorkbook(content *localFile) (found *mscfb.File, err error) {
	defer damaged(&err)
	if content.size > maxCompoundBytes {
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
	case found.Size > content.size: // a chain that runs in a circle ends there, too
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
