package public

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"

	"arpent/api"
)

// tools are those that the pages list.
var tools = api.Tools()

// Tools returns the names of the tools, as listed on the pages.
func Tools() []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

// ToolTakes returns the parameters of a tool, as listed in the documentation.
func ToolTakes(name string) []string {
	for i := range tools {
		if tools[i].Name == name {
			return tools[i].ArgumentNames()
		}
	}
	return nil
}

// server is the address and the short name that an assistant is configured with.
type server struct{ url, name string }

func (v view) mcpServer() server { return server{v.BaseURL() + "/mcp", shortName(v.Name())} }

// shortName is the name of the service in configuration files and command lines.
func shortName(service string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, service), "-")
	if name == "" {
		return "arpent"
	}
	return name
}

// reach reports who can reach the address: only this machine, or only assistants that do not require https.
func (s server) reach() (loopback, plain bool) {
	u, err := url.Parse(s.url)
	if err != nil {
		return false, false
	}
	host, err := netip.ParseAddr(u.Hostname())
	loopback = u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || err == nil &&
		host.IsLoopback()
	return loopback, u.Scheme != "https"
}

// entry is the configuration of one server, in the order of its members.
type entry struct {
	Name    string            `json:"name,omitempty"`
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
}

// configFile is a configuration file with the entry in a group.
func (s server) configFile(group string, e entry) string {
	return string(mustEncode(json.MarshalIndent(map[string]map[string]entry{group: {s.name: e}}, "", "  ")))
}

func mustEncode(text []byte, err error) []byte {
	if err != nil {
		panic(err) // strings always encode
	}
	return text
}

func (s server) claudeCode() string {
	return "claude mcp add --transport http " + s.name + " " + s.url
}

func (s server) claudeCodeKey() string {
	return s.claudeCode() + " \\\n  --header \"X-API-Key: $ARPENT_KEY\""
}

func (s server) vsCode() string { return s.configFile("servers", entry{Type: "http", URL: s.url}) }

// vsCodeCommand is quoted so that sh and cmd read the same.
func (s server) vsCodeCommand() string {
	text := mustEncode(json.Marshal(entry{Name: s.name, Type: "http", URL: s.url}))
	return `code --add-mcp "` + strings.ReplaceAll(string(text), `"`, `\"`) + `"`
}

func (s server) cursorConfig() string { return s.configFile("mcpServers", entry{URL: s.url}) }

// mcpRemote only accepts http to this machine, unless --allow-http is set.
func (s server) mcpRemote() string {
	args := []string{"-y", "mcp-remote@latest", s.url}
	if loopback, plain := s.reach(); plain && !loopback {
		args = append(args, "--allow-http")
	}
	return s.configFile("mcpServers", entry{Command: "npx", Args: args})
}

func (s server) headerConfig(key string) string {
	return s.configFile("mcpServers", entry{Type: "http", URL: s.url,
		Headers: map[string]string{"X-API-Key": key}})
}

func (s server) curlCommand() string {
	return "curl -H \"X-API-Key: $ARPENT_KEY\" -H \"Content-Type: application/json\" \\\n" +
		"  -H \"Accept: application/json, text/event-stream\" \\\n" +
		"  -d '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}' \\\n  " + s.url
}
