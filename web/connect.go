package web

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
)

// tool is the description of a tool on the pages. The tool itself is declared by package mcp.
type tool struct {
	name, operation, takes  string // operation: the path of the REST operation; takes: its parameters
	gives                   string // its result, for the documentation
	french, english         string // what it does, in plain words
	frenchAsks, englishAsks string // a question that calls it
}

var tools = []tool{
	{"search_address", "/adresses", "q, limit, lat, lon", "Addresses, streets, localities and communes, best first, with commune code and coordinates.",
		"Trouver une adresse, un lieu-dit ou une commune", "Find an address, a locality or a commune",
		"Où se trouve le 12, allée des Roses à Bondy\u00a0?", "Where is 12 allée des Roses in Bondy?"},
	{"find_commune", "/communes", "lat, lon, include", "The commune that contains a point.",
		"Dire dans quelle commune tombe un point", "Tell which commune a point falls in",
		"Dans quelle commune se trouve le point 45,7640\u00a0; 4,8357\u00a0?", "Which commune is the point 45.7640, 4.8357 in?"},
	{"get_commune", "/communes/{code}", "code, include", "A commune with its statistics.",
		"Décrire une commune, chiffres compris", "Describe a commune, figures included",
		"Comment la population de Bondy a-t-elle évolué\u00a0?", "How has the population of Bondy changed?"},
	{"list_communes", "/communes", "departement", "Code and name of the communes of a département, overseas ones included.",
		"Énumérer les communes d’un département", "List the communes of a département",
		"Quelles communes compte la Seine-Saint-Denis\u00a0?", "Which communes are there in Seine-Saint-Denis?"},
	{"get_departement", "/departements/{code}", "code, include", "A département with its statistics, on request its communes.",
		"Décrire un département, chiffres compris", "Describe a département, figures included",
		"Quel est le taux de pauvreté du Finistère, et son rang\u00a0?", "What is the poverty rate of Finistère, and its rank?"},
	{"list_departements", "/departements", "region", "Code and name of the départements, on request of one région.",
		"Énumérer les départements, d’une région ou de toutes", "List the départements, of one région or of all",
		"Quels départements composent l’Occitanie\u00a0?", "Which départements make up Occitanie?"},
	{"get_region", "/regions/{code}", "code, include", "A région with its statistics, on request its départements.",
		"Décrire une région, chiffres compris", "Describe a région, figures included",
		"Combien de communes et d’habitants compte la Bretagne\u00a0?", "How many communes and inhabitants has Brittany?"},
	{"list_regions", "/regions", "", "Code and name of the 18 régions.",
		"Énumérer les régions", "List the régions",
		"Quelles sont les régions de France, avec leur code\u00a0?", "What are the régions of France, with their codes?"},
	{"get_parcel_at_point", "/parcelles", "lat, lon, include", "The cadastral parcel at a point.",
		"Trouver la parcelle cadastrale d’un point", "Find the cadastral parcel at a point",
		"Sur quelle parcelle se trouve le point 48,9024\u00a0; 2,4834\u00a0?", "Which parcel is at the point 48.9024, 2.4834?"},
	{"get_parcel", "/parcelles/{idu}", "idu, include", "A cadastral parcel by its reference (IDU).",
		"Lire une parcelle par sa référence cadastrale", "Read a parcel by its cadastral reference",
		"Quelle est la contenance de la parcelle 930100000A0224\u00a0?", "What is the recorded area of parcel 930100000A0224?"},
	{"get_parcel_enrichments", "/parcelles/{idu}/enrichments", "idu", "Everything public that bears on one parcel.",
		"Réunir tout ce qui concerne une parcelle\u00a0: risques, urbanisme, ventes, services", "Gather all that bears on a parcel: risks, planning, sales, services",
		"Quels risques et quelles règles d’urbanisme pèsent sur cette parcelle\u00a0?", "Which risks and planning rules apply to this parcel?"},
}

// Tools returns the names of the tools, as listed on the pages.
func Tools() []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.name
	}
	return names
}

// ToolTakes returns the parameters of a tool, as listed in the documentation.
func ToolTakes(name string) []string {
	for _, t := range tools {
		if t.name == name && t.takes != "" {
			return strings.Split(t.takes, ", ")
		}
	}
	return nil
}

// server is the address and the short name that an assistant is configured with.
type server struct{ url, name string }

func (v view) server() server { return server{v.baseURL + "/mcp", shortName(v.name)} }

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
	loopback = u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || err == nil && host.IsLoopback()
	return loopback, u.Scheme != "https"
}

// object is a JSON object with ordered members.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// indented returns the object as an indented file.
func indented(o object) string {
	text, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

func (s server) claudeCode() string {
	return "claude mcp add --transport http " + s.name + " " + s.url
}

func (s server) claudeCodeKey() string {
	return "claude mcp add --transport http " + s.name + " " + s.url + " \\\n  --header \"X-API-Key: $ARPENT_KEY\""
}

func (s server) vsCode() string {
	return indented(object{{"servers", object{{s.name, object{{"type", "http"}, {"url", s.url}}}}}})
}

// vsCodeCommand is quoted so that sh and cmd read the same.
func (s server) vsCodeCommand() string {
	text, err := json.Marshal(object{{"name", s.name}, {"type", "http"}, {"url", s.url}})
	if err != nil {
		panic(err) // strings always encode
	}
	return `code --add-mcp "` + strings.ReplaceAll(string(text), `"`, `\"`) + `"`
}

func (s server) cursor() string {
	return indented(object{{"mcpServers", object{{s.name, object{{"url", s.url}}}}}})
}

// mcpRemote only accepts http to this machine, unless --allow-http is set.
func (s server) mcpRemote() string {
	args := []string{"-y", "mcp-remote@latest", s.url}
	if loopback, plain := s.reach(); plain && !loopback {
		args = append(args, "--allow-http")
	}
	return indented(object{{"mcpServers", object{{s.name, object{{"command", "npx"}, {"args", args}}}}}})
}

func (s server) header(key string) string {
	return indented(object{{"mcpServers", object{{s.name, object{{"type", "http"}, {"url", s.url}, {"headers", object{{"X-API-Key", key}}}}}}}})
}

func (s server) curl() string {
	return "curl -H \"X-API-Key: $ARPENT_KEY\" -H \"Content-Type: application/json\" \\\n" +
		"  -H \"Accept: application/json, text/event-stream\" \\\n" +
		"  -d '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}' \\\n  " + s.url
}
