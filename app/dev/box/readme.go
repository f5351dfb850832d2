package box

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	written = slices.SortedFunc(slices.Values(written), func(a, b Written) int {
		return strings.Compare(a.Path, b.Path)
	})
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

// DescribeOutlines returns the file of outlines, which BuildOutlines made, as one of the written ones.
func DescribeOutlines(folder string) (Written, error) {
	info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(OutlinesFile)))
	if err != nil {
		return Written{}, fmt.Errorf("find the outlines of the box: %w", err)
	}
	return Written{Path: OutlinesFile, Bytes: int(info.Size()), File: File{
		Title: "Outlines of the communes, mainland départements and régions, and of the arrondissements of Paris, Lyon and Marseille", Producer: "IGN; Etalab",
		Licence: openLicence, Edition: "2025; 2018 for 9 départements (12, 21, 22, 24, 29, 50, 63, 64, 71)",
		Extent:     country,
		Found:      "AzukiGPT/elections-municipales-2026, public/geo/; gregoiredavid/france-geojson, departements/",
		Checked:    "34 875 communes, 96 départements and 18 régions of the COG 2026, 45 arrondissements",
		Conversion: "generalised by 20 m on shared borders; one topology in TopoJSON",
	}}, nil
}
