package reply_test

import (
	"bytes"
	"testing"

	"arpent/api/reply"
)

// A tag belongs to one content in one form under one secret, and making it costs no memory.
func TestTag(t *testing.T) {
	one, other := reply.NewTagger(bytes.Repeat([]byte{1}, 32)), reply.NewTagger(bytes.Repeat([]byte{2}, 32))
	var buffer reply.TagBuffer
	tag := func(t reply.Tagger, v reply.Version) string { return string(t.Tag(&buffer, v)) }
	body := reply.New([]byte("body")).Version
	if got := tag(one, body); len(got) != 20 || got[:3] != `W/"` || got[19] != '"' || got != tag(one, body) {
		t.Errorf("tag %s", got)
	}
	seen := map[string]bool{tag(one, body): true}
	for _, got := range []string{tag(other, body), tag(one, reply.New([]byte("Body")).Version), tag(one, reply.VersionOf(1, "")),
		tag(one, reply.VersionOf(1, "g")), tag(one, reply.VersionOf(1, "gs")), tag(one, reply.VersionOf(2, "g"))} {
		if seen[got] {
			t.Errorf("%s twice", got)
		}
		seen[got] = true
	}
	if n := testing.AllocsPerRun(100, func() { one.Tag(&buffer, body) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTag(b *testing.B) {
	one, v := reply.NewTagger(make([]byte, 32)), reply.VersionOf(1, "g")
	var buffer reply.TagBuffer
	for b.Loop() {
		one.Tag(&buffer, v)
	}
}
