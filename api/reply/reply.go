// Package reply is the form in which the read side returns a response body to the routes.
package reply

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Reply is a finished JSON body. Unless it is Own it is shared between requests and must not be modified.
type Reply struct {
	Body    []byte
	Version Version
	Own     bool // put together for this request: once it was sent its memory may be used again
}

// Version identifies the content of a body. It is derived from the content alone,
// the same on every instance. So it never leaves the process: a client that saw it
// could verify a guess at the content. Clients get its tag.
type Version [16]byte

// New returns the reply for a finished body; its version is a hash of the body.
func New(body []byte) Reply {
	return Reply{Body: body, Version: VersionOf(xxhash.Sum64(body), "")}
}

// VersionOf returns the version of content with this hash. variant distinguishes the
// representations of one content; it may be empty.
func VersionOf(hash uint64, variant string) (v Version) {
	binary.BigEndian.PutUint64(v[:8], hash)
	if variant != "" {
		binary.BigEndian.PutUint64(v[8:], xxhash.Sum64String(variant))
	}
	return v
}
