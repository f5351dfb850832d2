package producer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"arpent/internal/opendata/ingest/fetch"
)

// headBytes of a file are looked at for what it is.
const headBytes = 4 << 10

// readData asks for a text and hands it on, with the headers of the answer. A page or an exception report in
// its place is an error with its text.
func readData(
	ctx context.Context, c *fetch.Client, address string, read func(io.Reader) error) (http.Header, error) {
	resp, err := c.Get(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body := bufio.NewReaderSize(resp.Body, headBytes)
	head, _ := body.Peek(headBytes) // what ends it early shows when it is read
	if bytes.HasPrefix(bytes.TrimLeft(head, "\uFEFF \t\r\n"), []byte("<")) {
		return nil, fmt.Errorf("%s answers with %s", address, fetch.Describe(head))
	}
	return resp.Header, read(body)
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
		if err := expectDelim(in, '['); err != nil {
			return nil, err
		}
		var element json.RawMessage
		for in.More() {
			if err := in.Decode(&element); err != nil {
				return nil, markTruncated(err)
			}
			if err := each(element); err != nil {
				return nil, err
			}
		}
		if err := expectDelim(in, ']'); err != nil {
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

// addPage adds the features of another collection, and returns how many there are and its other members.
func (c *collection) addPage(r io.Reader) (int64, map[string]json.RawMessage, error) {
	before := c.features
	others, err := readMembers(r, "features", c.addFeature)
	return c.features - before, others, err
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
