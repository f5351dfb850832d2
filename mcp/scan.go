package mcp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Reading a short message with encoding/json takes as long as finding a commune. Once a text is known to be valid JSON, its
// members are found by looking for where each value ends.

// members gives the members of a JSON object to visit, in their order; false: it is no object. The text is valid JSON.
func members(text []byte, visit func(name string, value json.RawMessage)) bool {
	i := skipBlank(text, 0)
	if i == len(text) || text[i] != '{' {
		return false
	}
	for i++; ; {
		i = skipBlank(text, i)
		switch text[i] {
		case '}':
			return true
		case ',':
			i++
			continue
		}
		end := valueEnd(text, i)
		name := unquote(text[i:end])
		i = skipBlank(text, skipBlank(text, end)+1) // behind the colon
		end = valueEnd(text, i)
		visit(name, text[i:end])
		i = end
	}
}

func skipBlank(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// valueEnd is where the value that begins at i ends.
func valueEnd(text []byte, i int) int {
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch text[i] {
			case '"':
				i = stringEnd(text, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(text) && text[i] != ',' && text[i] != '}' && text[i] != ']' && text[i] > ' ' {
		i++
	}
	return i
}

func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// unquote is the text of a JSON text; empty for any other value.
func unquote(value []byte) string {
	var text string
	if inside, ok := bytes.CutPrefix(value, []byte{'"'}); ok && bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside[:len(inside)-1])
	}
	if len(value) < 2 || value[0] != '"' || json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}
