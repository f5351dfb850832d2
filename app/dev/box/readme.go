package box

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed readme.md
var introduction string

// Readme returns the page that names each file of the box: its producer, licence, edition and extent,
// where the full file was found, against which official total it was checked, and what was done to it.
func Readme(written []Written) []byte {
	var out bytes.Buffer
	out.WriteString(strings.TrimSpace(introduction))
	out.WriteString("\n\n| File | kB | Data | Producer | Licence | Edition | Extent | Found in | Checked against | What was done |\n" +
		"|---|--:|---|---|---|---|---|---|---|---|\n")
	total := 0
	for _, w := range written {
		total += w.Bytes
		done := w.Conversion
		if done == "" {
			done = "as found"
		}
		fmt.Fprintf(&out, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", w.Path,
			(w.Bytes+500)/1000, w.Title, w.Producer, w.Licence,
			w.Edition, w.Extent, w.Found, w.Checked, done)
	}
	fmt.Fprintf(&out, "\n%d files, %.1f MB.\n", len(written), float64(total)/1e6)
	return out.Bytes()
}
