package mcp

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"arpent/api"
	"arpent/app/base/fault"
)

// read turns the arguments of a call into the parameters of its operation. All are handed on as the texts that a REST
// request would have, so that the operation alone judges them, with the same words; what no text stands for is a fault.
// Arguments that the tool does not know are passed over, as unknown parameters are.
func (t *tool) read(arguments json.RawMessage, ask *api.Ask) {
	ask.Path, ask.Query = url.Values{}, url.Values{}
	var include json.RawMessage
	members(arguments, func(name string, value json.RawMessage) {
		if name == "include" {
			include = value
		} else if p := t.param(name); p != nil && string(value) != "null" {
			readArgument(p, value, ask)
		}
	})
	t.readInclude(include, ask)
}

func (t *tool) param(name string) *api.Param {
	for i := range t.params {
		if t.params[i].Name == name {
			return &t.params[i]
		}
	}
	return nil
}

func readArgument(p *api.Param, value json.RawMessage, ask *api.Ask) {
	text, plain := plainText(value)
	switch {
	case !plain:
		ask.Fault = fault.Invalid("%s is %q; expected %s", p.Name, fault.Excerpt(string(value)), p.Expected)
	case p.In == "path":
		ask.Path.Set(p.Name, text)
	default:
		ask.Query.Set(p.Name, text)
	}
}

// plainText is the text of a JSON text or number, as it was written.
func plainText(value json.RawMessage) (text string, ok bool) {
	switch value[0] {
	case '"':
		return unquote(value), true
	case '{', '[', 't', 'f':
		return "", false
	default:
		return string(value), true
	}
}

// readInclude takes a list of values, or one text with commas as in a URL.
func (t *tool) readInclude(value json.RawMessage, ask *api.Ask) {
	var names []string
	if len(value) > 0 && string(value) != "null" {
		var list []json.RawMessage
		if value[0] != '[' {
			list = []json.RawMessage{value}
		} else if err := json.Unmarshal(value, &list); err != nil {
			list = nil
		}
		for _, v := range list {
			text, plain := plainText(v)
			if !plain {
				text = string(v) // which is no value that there is
			}
			names = append(names, text)
		}
	}
	for _, name := range t.always {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		ask.Query.Set("include", strings.Join(names, ","))
	}
}

// addressOf is the REST address that answers the same as an ask.
func addressOf(t *tool, ask *api.Ask) string {
	address := api.Root + t.operation.Path
	for name := range ask.Path {
		address = strings.ReplaceAll(address, "{"+name+"}", url.PathEscape(ask.Path.Get(name)))
	}
	if len(ask.Query) > 0 {
		address += "?" + ask.Query.Encode()
	}
	return address
}
