// Package reply holds the form in which the read side hands an answer to the routes.
package reply

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Reply is a finished JSON body. It is shared between requests: nobody modifies it.
type Reply struct {
	Body    []byte
	Version Version
}

// Version names the content of a body. It follows from the content alone, the same on every instance. So it never
// leaves the process: whoever saw it could check a guess at the content. What callers get is its tag.
type Version [16]byte

// New makes the answer of a finished body; its version follows from its bytes.
func New(body []byte) Reply {
	return Reply{Body: body, Version: VersionOf(xxhash.Sum64(body), "")}
}

// VersionOf is the version of content with this hash. variant tells apart the forms in which one content is given; it
// may be empty.
func VersionOf(hash uint64, variant string) (v Version) {
	binary.BigEndian.PutUint64(v[:8], hash)
	if variant != "" {
		binary.BigEndian.PutUint64(v[8:], xxhash.Sum64String(variant))
	}
	return v
}
