package standin

import (
	"regexp/syntax"
	"strings"
)

// example is a short text that a regular expression matches; empty for one that cannot be read.
func example(expr string) string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return ""
	}
	var out strings.Builder
	write(&out, re)
	return out.String()
}

// write adds the first of alternatives, each repetition as seldom as it may be, and of a class a character that is read easily.
func write(out *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text)
		}
		out.WriteString(text)
	case syntax.OpCharClass:
		out.WriteRune(characterOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			write(out, sub)
		}
	case syntax.OpAlternate, syntax.OpPlus:
		write(out, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			write(out, re.Sub[0])
		}
	}
}

// characterOf is a member of a class, which is given as ranges.
func characterOf(ranges []rune) rune {
	for _, wanted := range "2a_" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				return wanted
			}
		}
	}
	if len(ranges) == 0 {
		return 'x'
	}
	return ranges[0]
}
