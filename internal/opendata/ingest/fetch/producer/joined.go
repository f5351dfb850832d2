package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
)

const (
	headBytes    = 4 << 10
	excerptRunes = 300
)

var (
	markup = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>`)
	blanks = regexp.MustCompile(`[\s\pZ]+`)
)

// openDataBody is the body of an answer of text. A page or an exception
// report in its place is an error with its text.
func openDataBody(resp *http.Response) (io.Reader, error) {
	body := bufio.NewReaderSize(resp.Body, headBytes)
	head, _ := body.Peek(headBytes) // what ends it early shows when it is read
	if !bytes.HasPrefix(bytes.TrimLeft(head, "\uFEFF \t\r\n"), []byte("<")) {
		return body, nil
	}
	return nil, fmt.Errorf("%s answers with a page in place of data: %s", resp.Request.URL, stripMarkup(head))
}

// stripMarkup is the text of a page, without its markup.
func stripMarkup(page []byte) string {
	text := html.UnescapeString(markup.ReplaceAllString(string(page), " "))
	text = strings.TrimSpace(blanks.ReplaceAllString(text, " "))
	if runes := []rune(text); len(runes) > excerptRunes {
		return string(runes[:excerptRunes]) + "…"
	}
	return text
}

// countRows copies the records of a CSV file and counts them, the header too. A record may span lines.
func countRows(w io.Writer, r io.Reader, separator rune) (rows int64, err error) {
	records := csv.NewReader(io.TeeReader(r, w))
	records.Comma, records.FieldsPerRecord, records.LazyQuotes, records.ReuseRecord = separator, -1, true, true
	for {
		if _, err := records.Read(); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return rows, err
		}
		rows++
	}
}

// readMembers hands on the elements of an array in a JSON object, one
// after the other, and returns the other members.
func readMembers(
	r io.Reader, array string, each func(json.RawMessage) error) (map[string]json.RawMessage, error) {
	in := json.NewDecoder(r)
	if err := expectDelim(in, '{'); err != nil {
		return nil, err
	}
	others, found := map[string]json.RawMessage{}, false
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, markTruncated(err)
		}
		if name != array {
			var value json.RawMessage
			if err := in.Decode(&value); err != nil {
				return nil, markTruncated(err)
			}
			others[fmt.Sprint(name)] = value
			continue
		}
		found = true
		if err := readElements(in, each); err != nil {
			return nil, err
		}
	}
	if err := expectDelim(in, '}'); err != nil {
		return nil, err
	}
	if !found {
		return others, fmt.Errorf("it has no %s", array)
	}
	return others, nil
}

func readElements(in *json.Decoder, each func(json.RawMessage) error) error {
	if err := expectDelim(in, '['); err != nil {
		return err
	}
	var element json.RawMessage
	for in.More() {
		if err := in.Decode(&element); err != nil {
			return markTruncated(err)
		}
		if err := each(element); err != nil {
			return err
		}
	}
	return expectDelim(in, ']')
}

func expectDelim(in *json.Decoder, want json.Delim) error {
	got, err := in.Token()
	if err != nil {
		return markTruncated(err)
	}
	if got != want {
		return fmt.Errorf("it has %v in place of %v", got, want)
	}
	return nil
}

// markTruncated marks the error of a text that ends early: another attempt may bring all of it.
func markTruncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fetch.Temporary(errors.New("it was cut off"))
	}
	return err
}

// collection writes a GeoJSON feature collection.
type collection struct {
	out      *bufio.Writer
	features int64
}

func newCollection(w io.Writer) *collection { return &collection{out: bufio.NewWriter(w)} }

// addFeature writes a feature, given as JSON.
func (c *collection) addFeature(feature json.RawMessage) error {
	separator := ",\n"
	if c.features == 0 {
		separator = collectionHead
	}
	c.features++
	if _, err := c.out.WriteString(separator); err != nil {
		return err
	}
	_, err := c.out.Write(feature)
	return err
}

const collectionHead = `{"type":"FeatureCollection","features":[` + "\n"

// addPage adds the features of another collection and returns how many there are.
func (c *collection) addPage(r io.Reader) (int64, error) {
	n, _, err := c.addCollection(r)
	return n, err
}

// addCollection is addPage that returns the other members too.
func (c *collection) addCollection(r io.Reader) (n int64, others map[string]json.RawMessage, err error) {
	others, err = readMembers(r, "features", func(feature json.RawMessage) error {
		n++
		return c.addFeature(feature)
	})
	return n, others, err
}

// close ends the collection.
func (c *collection) close() error {
	end := "\n]}\n"
	if c.features == 0 {
		end = collectionHead + end
	}
	if _, err := c.out.WriteString(end); err != nil {
		return err
	}
	return c.out.Flush()
}
