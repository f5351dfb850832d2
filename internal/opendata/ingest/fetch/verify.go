package fetch

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"html"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// fileKind is what is known of the content of files by the end of their name.
type fileKind struct {
	suffixes      []string
	magic         []string // one of them begins the file; nil: it is text
	firstChars    string   // text: one of these characters begins it
	checkComplete func(f *os.File, length int64) error
}

const zipMagic, emptyZip, oldOffice = "PK\x03\x04", "PK\x05\x06", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"

// kinds are in the order in which they are tried.
var kinds = []fileKind{
	{suffixes: []string{".zip"}, magic: []string{zipMagic, emptyZip}, checkComplete: checkZip},
	// The name often says the other.
	{suffixes: []string{".xlsx", ".xls", ".ods"}, magic: []string{zipMagic, oldOffice}, checkComplete: checkZip},
	{suffixes: []string{".7z"}, magic: []string{"7z\xBC\xAF\x27\x1C"}, checkComplete: check7z},
	{suffixes: []string{".7z.001"}, magic: []string{"7z\xBC\xAF\x27\x1C"}},
	{suffixes: []string{".gz", ".tgz"}, magic: []string{"\x1F\x8B"}, checkComplete: checkGzip},
	{suffixes: []string{".bz2"}, magic: []string{"BZh"}},
	{suffixes: []string{".gpkg"}, magic: []string{"SQLite format 3\x00"}, checkComplete: checkSQLite},
	{suffixes: []string{".tif", ".tiff"}, magic: []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}},
	{suffixes: []string{".json", ".geojson"}, firstChars: "{[", checkComplete: checkEnding("}", "]")},
	{suffixes: []string{".jsonl", ".ndjson"}, firstChars: "{["},
}

// headLength is how much of a file is looked at to recognize it.
const headLength = 64 << 10

// verifyFile checks that a file is whole and what its name says, and returns
// its SHA-256 in hexadecimal and its length.
func verifyFile(file, name string, want Checksum) (sha256Hex string, length int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headLength))
	if err != nil {
		return "", 0, err
	}
	if err := Recognize(head, name); err != nil {
		return "", 0, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	kinds := map[string]hash.Hash{"": sum, "md5": md5.New(), "sha1": sha1.New(), "sha256": sha256.New()}
	theirs := kinds[want.Kind]
	if theirs == nil {
		return "", 0, fmt.Errorf("the catalogue's checksum is of the unknown kind %q", want.Kind)
	}
	all := io.Writer(sum)
	if want.Kind != "" {
		all = io.MultiWriter(sum, theirs)
	}
	if length, err = io.Copy(all, f); err != nil {
		return "", 0, err
	}
	if want.Kind != "" && !strings.EqualFold(hex.EncodeToString(theirs.Sum(nil)), want.Hex) {
		return "", 0, fmt.Errorf("its %s is %x, and %s in the catalogue: "+
			"the file has changed since, or was damaged", want.Kind, theirs.Sum(nil), want.Hex)
	}
	if k := kindOf(name); k.checkComplete != nil && !(k.magic == nil && isCompressed(head)) {
		if err := k.checkComplete(f, length); err != nil {
			return "", 0, fmt.Errorf("it is cut off or damaged: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), length, nil
}

func kindOf(name string) fileKind {
	name = strings.ToLower(name)
	for _, k := range kinds {
		if slices.ContainsFunc(k.suffixes, func(s string) bool { return strings.HasSuffix(name, s) }) {
			return k
		}
	}
	return fileKind{}
}

// isCompressed reports whether text is compressed, which the loader sees by itself.
func isCompressed(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x1F\x8B")) || bytes.HasPrefix(head, []byte(zipMagic))
}

// Recognize returns an error when the beginning of a file is not what its name says: above all when a server
// sent a page or an error message in its place, with a status of success.
func Recognize(head []byte, name string) error {
	if len(head) == 0 {
		return errors.New("it is empty")
	}
	k := kindOf(name)
	if k.magic != nil {
		if slices.ContainsFunc(k.magic, func(m string) bool { return bytes.HasPrefix(head, []byte(m)) }) {
			return nil
		}
		return fmt.Errorf("expected a file of type %s, got %s", path.Ext(name), Describe(head))
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	if isCompressed(head) || len(text) == 0 {
		return nil
	}
	first := string(text[:1])
	object := strings.Contains("{[", first)
	var members map[string]json.RawMessage
	isError := json.Unmarshal(text, &members) == nil && slices.ContainsFunc(
		[]string{"error", "errors", "error_code", "errorCode", "exception", "exceptions"},
		func(name string) bool { return members[name] != nil })
	switch {
	case first == "<", // pages, and the exceptions of geographic services
		k.firstChars != "" && !strings.Contains(k.firstChars, first),
		k.firstChars == "" && object && json.Valid(text),
		isError: // a whole object that says what went wrong
		return fmt.Errorf("unexpected content: %s", Describe(head))
	}
	return nil
}

var (
	markup = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>`)
	blanks = regexp.MustCompile(`[\s\pZ]+`)
)

const excerptRunes = 300

// Describe says what the beginning of a file looks like, for an error: of a page or an exception report its
// text, without the markup.
func Describe(head []byte) string {
	raw := strings.TrimSpace(strings.TrimPrefix(string(head), "\uFEFF"))
	what, text := "something that begins with", raw
	switch {
	case strings.HasPrefix(raw, "<"):
		what = "a page or message"
		text = html.UnescapeString(markup.ReplaceAllString(raw, " "))
		text = strings.TrimSpace(blanks.ReplaceAllString(text, " "))
		if text == "" {
			text = raw
		}
	case strings.HasPrefix(raw, "{"):
		what = "a message"
	}
	if runes := []rune(text); len(runes) > excerptRunes {
		text = string(runes[:excerptRunes]) + "…"
	}
	return fmt.Sprintf("%s: %q", what, text)
}

// checkZip reads the directory at the end. A workbook of the old form has no end that shows.
func checkZip(f *os.File, length int64) error {
	var head [len(oldOffice)]byte
	if _, err := f.ReadAt(head[:], 0); err == nil && string(head[:]) == oldOffice {
		return nil
	}
	_, err := zip.NewReader(f, length)
	return err
}

// checkSQLite compares the length with the number of pages, which the header says.
func checkSQLite(f *os.File, length int64) error {
	var head [100]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("it has %d bytes, less than its header", length)
	}
	size := int64(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 64 << 10
	}
	pages := int64(binary.BigEndian.Uint32(head[28:]))
	// old writers leave another count of pages
	isCurrent := binary.BigEndian.Uint32(head[24:]) == binary.BigEndian.Uint32(head[92:])
	if isCurrent && length < size*pages {
		return fmt.Errorf("it has %d bytes of %d", length, size*pages)
	}
	return nil
}

// checkGzip reads all of it: only its end says that nothing is missing.
func checkGzip(f *os.File, _ int64) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, z)
	return err
}

// check7z compares the length with the place of the directory, which the first 32 bytes say.
func check7z(f *os.File, length int64) error {
	var head [32]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return err
	}
	end := int64(len(head)) + int64(binary.LittleEndian.Uint64(head[12:])) +
		int64(binary.LittleEndian.Uint64(head[20:]))
	if length < end || end < 0 {
		return fmt.Errorf("it has %d bytes of %d", length, end)
	}
	return nil
}

// checkEnding checks the last characters but for blanks.
func checkEnding(ends ...string) func(*os.File, int64) error {
	return func(f *os.File, length int64) error {
		tail := make([]byte, min(length, 256))
		if _, err := f.ReadAt(tail, length-int64(len(tail))); err != nil {
			return err
		}
		tail = bytes.TrimSpace(tail)
		if !slices.ContainsFunc(ends, func(end string) bool { return bytes.HasSuffix(tail, []byte(end)) }) {
			return fmt.Errorf("it ends in %q", tail[max(0, len(tail)-20):])
		}
		return nil
	}
}
