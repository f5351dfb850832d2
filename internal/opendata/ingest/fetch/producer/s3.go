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
	File   string // regular expression on the rest of the key, with {departement}; all that match are taken
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
	file, err := compileExpression(p, s.File)
	if err != nil {
		return nil, err
	}
	var out []fetch.Remote
	var names []string
	for marker, more := "", true; more; {
		query := url.Values{"prefix": {s.Prefix}, "max-keys": {"1000"}}
		if marker != "" { // the key that the page is behind
			query.Set("marker", marker)
		}
		address := s.Bucket + "?" + query.Encode()
		b, err := c.Bytes(ctx, address)
		if err != nil {
			return nil, err
		}
		var list s3Listing
		if err := xml.Unmarshal(b, &list); err != nil {
			return nil, fmt.Errorf("read %s: %w: %s", address, err, fetch.Describe(b))
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
