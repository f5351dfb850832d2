package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"context"
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// S3 is the files of a listing of a bucket.
type S3 struct {
	Bucket string // "https://object.files.data.gouv.fr/meteofrance"
	Prefix string
	// File is a regular expression on the rest of the key, with {departement}, which for Corsica also stands
	// for 20, its code until 1976; all that match are taken.
	File string
}

// String implements fetch.Resolver.
func (s S3) String() string { return s.Bucket + "/" + s.Prefix }

type s3Listing struct {
	XMLName   xml.Name `xml:"ListBucketResult"`
	Truncated bool     `xml:"IsTruncated"`
	Next      string   `xml:"NextMarker"`
	Contents  []struct {
		Key      string
		Modified string `xml:"LastModified"`
		Bytes    int64  `xml:"Size"`
	}
}

// Resolve implements fetch.Resolver.
func (s S3) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	pattern := s.File
	if p.Departement == "2A" || p.Departement == "2B" {
		pattern = strings.ReplaceAll(pattern, "{departement}", "(?:{departement}|20)")
	}
	file, err := compileExpression(p, pattern)
	if err != nil {
		return nil, err
	}
	var out []fetch.Remote
	var names []string
	for marker, more := "", true; more; {
		list, err := s.listPage(ctx, c, marker)
		if err != nil {
			return nil, err
		}
		last := marker
		for _, o := range list.Contents {
			last = o.Key
			name := strings.TrimPrefix(o.Key, s.Prefix)
			if names = append(names, name); file.MatchString(name) {
				address := s.Bucket + "/" + (&url.URL{Path: o.Key}).EscapedPath()
				out = append(out, fetch.Remote{Address: address, Served: path.Base(o.Key), Edition: o.Modified,
					Bytes: o.Bytes})
			}
		}
		if list.Next != "" {
			last = list.Next
		}
		more, marker = list.Truncated && last != marker, last
	}
	if len(out) == 0 {
		return nil, noFileError(s.File, "%s has no file %s; it has %s", s, file, sampleNames(names))
	}
	return out, nil
}

// listPage reads the page of a listing behind a key.
func (s S3) listPage(ctx context.Context, c *fetch.Client, marker string) (s3Listing, error) {
	query := url.Values{"prefix": {s.Prefix}, "max-keys": {"1000"}}
	if marker != "" {
		query.Set("marker", marker)
	}
	address := s.Bucket + "?" + query.Encode()
	b, err := c.Bytes(ctx, address)
	if err != nil {
		return s3Listing{}, err
	}
	var list s3Listing
	if err := xml.Unmarshal(b, &list); err != nil {
		return s3Listing{}, fmt.Errorf("read %s: %w: %s", address, err, stripMarkup(b))
	}
	return list, nil
}
