package stats_test

import (
	"bytes"
	"fmt"
	"testing"

	"arpent/api/stats"
)

// Bodies come back as they were, whatever is in their texts, and take little room when they repeat themselves.
func TestPhrases(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	whole := 0
	for i := range 500 {
		body := fmt.Appendf(nil, `{"name":"L'Haÿ \\ \"les\" Roses %d","none":null,"list":[-%d,"a\u0026b",{"source":"INSEE, Essai"},[]],"":{},"empty":""}`, i%7*i, i)
		bodies, whole = append(bodies, body), whole+len(body)
	}
	folded, phrases, err := stats.FoldAll(bodies)
	if err != nil {
		t.Fatal(err)
	}
	short := 0
	for i, f := range folded {
		short += len(f)
		if got := stats.Unfold([]byte("before"), f, phrases); !bytes.Equal(got, append([]byte("before"), bodies[i]...)) {
			t.Fatalf("%s became %s", bodies[i], got)
		}
	}
	if 2*short > whole {
		t.Errorf("%d bytes of %d", short, whole)
	}
	for _, bad := range []string{"{\n}", "\"a\x01\""} {
		if _, _, err := stats.FoldAll([][]byte{[]byte(bad)}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// There are no more phrases than there are numbers for.
func TestPhrasesRunOut(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	for i := range 9000 {
		for range 25 {
			bodies = append(bodies, fmt.Appendf(nil, `"phrase %c%c%c%c"`, 'a'+i%10, 'a'+i/10%10, 'a'+i/100%10, 'a'+i/1000))
		}
	}
	folded, phrases, err := stats.FoldAll(bodies)
	if err != nil || len(phrases) != 1<<13 {
		t.Fatalf("%d phrases, %v", len(phrases), err)
	}
	for i, f := range folded {
		if got := stats.Unfold(nil, f, phrases); !bytes.Equal(got, bodies[i]) {
			t.Fatalf("%s became %s", bodies[i], got)
		}
	}
}
