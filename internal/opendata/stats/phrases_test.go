package stats_test

import (
	"bytes"
	"fmt"
	"testing"

	"arpent/internal/opendata/stats"
)

// Bodies come back as they were, whatever is in their texts, and take
// little room when they repeat themselves.
func TestPhrases(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	whole := 0
	for i := range 500 {
		body := fmt.Appendf(nil, `{"name":"L'Haÿ \\ \"les\" Roses %d","none":null,"list":[-%d,"a\u0026b",{"source":"INSEE, Essai","about":"a text of some length"},[]],"":{},"empty":""}`, i%7*i, i)
		bodies, whole = append(bodies, body), whole+len(body)
	}
	folded, phrases := stats.FoldAll(bodies)
	short := 0
	for i, f := range folded {
		short += len(f)
		if got := stats.Unfold([]byte("before"), f, phrases, len(bodies[i])); !bytes.Equal(got, append([]byte("before"), bodies[i]...)) {
			t.Fatalf("%s became %s", bodies[i], got)
		}
	}
	if 2*short > whole {
		t.Errorf("%d bytes of %d", short, whole)
	}
}

// Nothing that is folded is lost, JSON or not.
func FuzzPhrases(f *testing.F) {
	f.Add([]byte(`{"a":-1.5,"texte":"\\\" 12",null}`), uint8(30))
	f.Add([]byte(`"\`), uint8(1))
	f.Add([]byte(""), uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, times uint8) {
		var bodies [][]byte
		for range times {
			bodies = append(bodies, body)
		}
		folded, phrases := stats.FoldAll(bodies)
		for _, x := range folded {
			if got := stats.Unfold(nil, x, phrases, len(body)); !bytes.Equal(got, body) {
				t.Fatalf("%q became %q", body, got)
			}
		}
	})
}

// There are no more phrases than there are numbers for.
func TestPhrasesRunOut(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	for i := range 20_000 {
		for range 25 {
			bodies = append(bodies, fmt.Appendf(nil, `"a phrase of its own: %06d"`, i))
		}
	}
	folded, phrases := stats.FoldAll(bodies)
	if len(phrases) != 1<<14 {
		t.Fatalf("%d phrases", len(phrases))
	}
	for i, f := range folded {
		if got := stats.Unfold(nil, f, phrases, len(bodies[i])); !bytes.Equal(got, bodies[i]) {
			t.Fatalf("%s became %s", bodies[i], got)
		}
	}
}
