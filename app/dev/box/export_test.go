package box

import "bytes"

// FullFileOf returns the file that each file of the box is made from, by path in the box.
func FullFileOf(from []string, files []File) (map[string]string, error) {
	full, err := listFiles(from)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range files {
		matches, err := f.findMatches(full)
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			out[m.to] = m.name
		}
	}
	return out, nil
}

// ReadTable returns the columns and the rows of a delimited file.
func ReadTable(content []byte) (header []string, rows [][]string, err error) {
	separator := ','
	if first, _, _ := bytes.Cut(content, []byte("\n")); bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		separator = ';'
	}
	t, err := parseTable(content, separator)
	return t.header, t.rows, err
}

// ReadFile returns the content of a file, without its gzip compression.
var ReadFile = readFile

// Conversions of small files.
var (
	Columns        = keepColumns
	Members        = keepListMembers
	Properties     = keepProperties
	MunicipalLists = municipalLists
)
