package public_test

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/web"
	"arpent/web/public"
)

// newNamedApp serves the pages of a server with that name and address.
func newNamedApp(name, base string) *fiber.App {
	app := fiber.New()
	public.New(public.Options{Site: web.New(web.Options{ServiceName: name, BaseURL: base}), Plans: billing.Plans()}).Register(app)
	return app
}

var codeBlock = regexp.MustCompile(`(?s)<code id="([^"]+)">(.*?)</code>`)

// pasteTexts are what a page offers to copy, by their id.
func pasteTexts(t *testing.T, app *fiber.App, path string) map[string]string {
	t.Helper()
	res, body := getPage(t, app, path, "")
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d", path, res.StatusCode)
	}
	found := map[string]string{}
	for _, m := range codeBlock.FindAllStringSubmatch(body, -1) {
		if _, twice := found[m[1]]; twice {
			t.Errorf("%s: two texts have the id %s, and one button copies the other's", path, m[1])
		}
		found[m[1]] = html.UnescapeString(m[2])
	}
	return found
}

// What is pasted works as it is: it names this server's address, and a configuration
// is JSON of the form that its program reads.
func TestTextsToPaste(t *testing.T) {
	t.Parallel()
	const address = "https://parcelles.exemple.fr/mcp"
	for _, lang := range []string{"fr", "en"} {
		found := pasteTexts(t, newNamedApp("Mes Parcelles", "https://parcelles.exemple.fr"), "/connect?lang="+lang)
		for id, want := range map[string]string{
			"address": address, "claude-address": address, "chatgpt-address": address, "le-chat-address": address,
			"claude-code-add": "claude mcp add --transport http mes-parcelles " + address,
			"claude-code-key": "claude mcp add --transport http mes-parcelles " + address + " \\\n  --header \"X-API-Key: $ARPENT_KEY\"",
			"vs-code-command": `code --add-mcp "{\"name\":\"mes-parcelles\",\"type\":\"http\",\"url\":\"` + address + `\"}"`,
		} {
			if found[id] != want {
				t.Errorf("%s in %s: %q, want %q", id, lang, found[id], want)
			}
		}
		for id, path := range map[string][]string{
			"vs-code-file":    {"servers", "mes-parcelles", "url"},
			"cursor-file":     {"mcpServers", "mes-parcelles", "url"},
			"header-file":     {"mcpServers", "mes-parcelles", "url"},
			"mcp-remote-file": {"mcpServers", "mes-parcelles", "args"},
		} {
			var at any
			if err := json.Unmarshal([]byte(found[id]), &at); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			for _, name := range path {
				object, _ := at.(map[string]any)
				at = object[name]
			}
			if list, ok := at.([]any); ok && len(list) > 0 {
				at = list[len(list)-1]
			}
			if at != address {
				t.Errorf("%s names %v", id, at)
			}
		}
		for id, text := range found {
			if !strings.Contains(text, address) {
				t.Errorf("%s does not name the address: %q", id, text)
			}
		}
	}
}

// The page warns when hosted assistants cannot reach the server, and only then.
func TestReachIsSaid(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:8080": "only reachable from this machine", "http://localhost:8080": "only reachable from this machine", "https://[::1]": "only reachable from this machine",
		"http://parcelles.exemple.fr": "not https", "https://parcelles.exemple.fr": "",
	} {
		_, body := getPage(t, newNamedApp("Arpent", base), "/connect?lang=en", "")
		for _, said := range []string{"only reachable from this machine", "not https"} {
			if strings.Contains(body, said) != (said == want) {
				t.Errorf("%s: %q is said: %t", base, said, strings.Contains(body, said))
			}
		}
	}
	if found := pasteTexts(t, newNamedApp("Arpent", "http://10.1.2.3"), "/connect"); !strings.Contains(found["mcp-remote-file"], "--allow-http") {
		t.Error("mcp-remote refuses http to another machine without --allow-http")
	}
	if found := pasteTexts(t, newNamedApp("Arpent", "http://127.0.0.1:8080"), "/connect"); strings.Contains(found["mcp-remote-file"], "--allow-http") {
		t.Error("mcp-remote needs no flag for http to this machine")
	}
}

// Every tool is explained in both languages and in the documentation, and programs that read text find them.
func TestToolsAreExplained(t *testing.T) {
	t.Parallel()
	if names := slices.Sorted(slices.Values(public.Tools())); len(names) != 11 || len(slices.Compact(names)) != 11 {
		t.Errorf("%d tools: %v", len(names), names)
	}
	app := newTestApp(testStatus())
	for _, path := range []string{"/connect?lang=fr", "/connect?lang=en", "/docs/assistants?lang=fr", "/docs/assistants?lang=en", "/llms.txt"} {
		_, body := getPage(t, app, path, "")
		for _, name := range public.Tools() {
			if !strings.Contains(body, name) {
				t.Errorf("%s does not explain %s", path, name)
			}
		}
		if !strings.Contains(body, "https://api.example.org/mcp") {
			t.Errorf("%s does not give the address", path)
		}
	}
	_, text := getPage(t, app, "/llms.txt", "")
	for _, link := range regexp.MustCompile(`\]\(https://api\.example\.org(/[^)]*)\)`).FindAllStringSubmatch(text, -1) {
		if path := link[1]; !strings.HasPrefix(path, "/docs/reference") && path != "/openapi.json" && path != "/coverage.json" && path != "/status.json" && path != "/llms-full.txt" && path != "/api/v1" && path != "/mcp" {
			checkLinkExists(t, app, path)
		}
	}
}
