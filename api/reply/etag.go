package reply

import (
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// New makes the answer of a finished body; its validator follows from its bytes.
func New(body []byte) Reply {
	return Reply{Body: body, ETag: ETag(xxhash.Sum64(body), "")}
}

// ETag is the weak validator of content with this hash. variant tells apart the forms in which one content is given;
// it may be empty. Weak, because the same body also goes out compressed.
func ETag(hash uint64, variant string) []byte {
	tag := make([]byte, 0, len(`W/"0123456789abcdef-"`)+len(variant))
	tag = append(tag, `W/"`...)
	tag = strconv.AppendUint(tag, hash, 16)
	if variant != "" {
		tag = append(append(tag, '-'), variant...)
	}
	return append(tag, '"')
}
