package checks_test

import (
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/config"
)

func projectFile(t *testing.T, name string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join(testkit.Root(t), name)))(t)
	return string(text)
}

func sameNames(t *testing.T, what string, got, want []string) {
	t.Helper()
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s: %s is missing", what, name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s: %s is no setting", what, name)
		}
	}
}

// documentedSettings are the names in the table of docs/settings.md, abbreviated ones written out.
func documentedSettings(t *testing.T) (out []string) {
	t.Helper()
	for row := range strings.Lines(projectFile(t, "docs/settings.md")) {
		cells := strings.SplitN(row, "|", 3)
		if len(cells) < 3 {
			continue
		}
		for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			name := found[1]
			switch {
			case strings.HasSuffix(name, "_FILE"):
			case strings.Contains(name, "{") || strings.Contains(name, "…"):
				_, end, _ := strings.Cut(strings.ReplaceAll(name, "…", "}"), "}")
				for _, provider := range []string{"GOOGLE", "GITHUB", "MICROSOFT", "GITLAB", "OIDC"} {
					out = append(out, "ARPENT_"+provider+end)
				}
			default:
				out = append(out, name)
			}
		}
	}
	return out
}

// Every setting in docs/settings.md works under docker compose too, by the same name, and no documented
// setting is without effect.
func TestSettingsAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	// Fields of every provider that only some of them look at.
	settings := slices.DeleteFunc(config.Names(billing.PaidNames()...), func(name string) bool {
		return strings.HasSuffix(name, "_NAME") && name != "ARPENT_SERVICE_NAME" && name != "ARPENT_OIDC_NAME" && name != "ARPENT_PUBLISHER_NAME" ||
			name == "ARPENT_GOOGLE_ISSUER" || name == "ARPENT_GITHUB_ISSUER"
	})
	sameNames(t, "docs/settings.md", documentedSettings(t), settings)
	fixed := []string{"ARPENT_HOST", "ARPENT_STATE_DIR"} // the container's own
	var inCompose, passed, inFiles []string
	for _, line := range regexp.MustCompile(`(?m)^      ((?:ARPENT|OTEL)_\w+|PORT):(.*)$`).FindAllStringSubmatch(projectFile(t, "docker-compose.yml"), -1) {
		name, value := line[1], strings.TrimSpace(line[2])
		if strings.HasSuffix(name, "_FILE") {
			inFiles = append(inFiles, strings.TrimSuffix(name, "_FILE"))
			continue
		}
		inCompose = append(inCompose, name)
		if slices.Contains(fixed, name) {
			continue
		}
		passed = append(passed, name)
		if value != "" && !strings.HasPrefix(value, "${"+name+":-") && !strings.HasPrefix(value, "${"+name+"-") && name != "PORT" && name != "ARPENT_DATA" { // these two are mapped
			t.Errorf("docker-compose.yml: %s cannot be set", name)
		}
	}
	sameNames(t, "docker-compose.yml", inCompose, settings)
	// The owner's address stays out of the folder that the server reads.
	sameNames(t, "docker-compose.yml, in files", append(inFiles, "ARPENT_DATABASE_OWNER_URL"),
		config.SecretNames())
	var example []string
	for _, line := range regexp.MustCompile(`(?m)^#(\w+)=$`).FindAllStringSubmatch(projectFile(t, ".env.example"), -1) {
		example = append(example, line[1])
	}
	sameNames(t, ".env.example", example,
		append(passed, "ARPENT_DATABASE_PASSWORD", "ARPENT_SERVER_PASSWORD", "ARPENT_SECRETS"))
	for _, ignore := range []string{".gitignore", ".dockerignore"} {
		if !regexp.MustCompile(`(?m)^/?\.env$`).MatchString(projectFile(t, ignore)) {
			t.Errorf("%s lets the secrets of .env out", ignore)
		}
	}
}

// A database of the compose file has no known password: without a password nothing starts, with a sentence
// that says what to set. The server connects as a user that owns nothing.
func TestComposeHasNoDefaultPassword(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Environment map[string]string
			Volumes     []string
		}
	}
	testkit.NoError(t, yaml.Unmarshal([]byte(projectFile(t, "docker-compose.yml")), &compose))
	database := compose.Services["database"]
	for name, of := range map[string]string{"POSTGRES_PASSWORD": "ARPENT_DATABASE_PASSWORD", "SERVER_PASSWORD": "ARPENT_SERVER_PASSWORD"} {
		if got := database.Environment[name]; !strings.HasPrefix(got, "${"+of+":?set "+of+" in .env") {
			t.Errorf("%s is %q: it starts without one", name, got)
		}
	}
	if !slices.ContainsFunc(database.Volumes, func(v string) bool {
		return strings.HasPrefix(v, "./deploy/database/server-user.sh:/docker-entrypoint-initdb.d/") && strings.HasSuffix(v, ":ro")
	}) {
		t.Error("the user of the server is not made")
	}
	for name, service := range compose.Services {
		if url := service.Environment["ARPENT_DATABASE_URL"]; name == "app" && !strings.Contains(url, "//arpent_server:${ARPENT_SERVER_PASSWORD}@") {
			t.Errorf("%s connects as %q", name, url)
		}
		for setting, value := range service.Environment {
			if regexp.MustCompile(`PASSWORD:?-`).MatchString(value) || regexp.MustCompile(`//\w+:\w+@`).MatchString(value) {
				t.Errorf("%s: %s has a password by default: %s", name, setting, value)
			}
		}
	}
}

// Code that gets into the server's container cannot change the data that is served, nor the schema: the
// password of the owner of the database is not in it.
func TestServerDoesNotHaveTheOwnersPassword(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct{ Environment map[string]string }
	}
	testkit.NoError(t, yaml.Unmarshal([]byte(projectFile(t, "docker-compose.yml")), &compose))
	for name, service := range compose.Services {
		for setting, value := range service.Environment {
			isOwner := setting == "ARPENT_DATABASE_OWNER_URL" || strings.Contains(value, "ARPENT_DATABASE_PASSWORD")
			if isOwner && name != "migrate" && name != "load" && name != "database" {
				t.Errorf("%s has %s", name, setting)
			}
		}
	}
	if compose.Services["load"].Environment["ARPENT_DATABASE_OWNER_URL"] == "" {
		t.Error("no service can load")
	}
}

// Under docker compose visitors are limited by their own addresses behind a proxy on the machine, and
// clients cannot spoof one: the gateway alone is trusted, and only the machine itself reaches the port.
func TestComposeTrustsTheGatewayAlone(t *testing.T) {
	t.Parallel()
	text := projectFile(t, "docker-compose.yml")
	value := func(pattern string) string {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("nothing matches %s", pattern)
		}
		return found[1]
	}
	gateway := value(`(?m)^ +gateway: (\S+)$`)
	if trusted := value(`ARPENT_TRUSTED_PROXIES:-([^}]*)}`); trusted != gateway {
		t.Errorf("%s is trusted, the gateway is %s", trusted, gateway)
	}
	subnet, err := netip.ParsePrefix(value(`(?m)^ +- subnet: (\S+)$`))
	if address, err2 := netip.ParseAddr(gateway); err != nil || err2 != nil || !subnet.Contains(address) {
		t.Errorf("%s is not in %s", gateway, subnet)
	}
	for _, port := range regexp.MustCompile(`(?m)^      - "(.*:\d+)"$`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(port[1], "127.0.0.1:") {
			t.Errorf("published to the network: %s", port[1])
		}
	}
}

// An attacker inside the service is an unprivileged user of a read-only container that cannot gain rights.
func TestContainersAreConfined(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			CapAdd      []string `yaml:"cap_add"`
			SecurityOpt []string `yaml:"security_opt"`
			Privileged  bool
			MemLimit    string `yaml:"mem_limit"`
			Logging     struct{ Options map[string]string }
		}
	}
	testkit.NoError(t, yaml.Unmarshal([]byte(projectFile(t, "docker-compose.yml")), &compose))
	for name, s := range compose.Services {
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || s.Privileged {
			t.Errorf("%s keeps or gains rights: %+v", name, s)
		}
		if s.MemLimit == "" || s.Logging.Options["max-size"] == "" || s.Logging.Options["max-file"] == "" {
			t.Errorf("%s can take all memory, or fill the disk with its log: %+v", name, s)
		}
		if own := name == "app" || name == "migrate" || name == "load"; own && (!s.ReadOnly || len(s.CapAdd) > 0) {
			t.Errorf("%s can be written to, or has rights: %+v", name, s)
		}
	}
	testkit.Want(t, len(compose.Services), 5, "services")
	for stage := range strings.SplitSeq(projectFile(t, "Dockerfile"), "\nFROM ") {
		if strings.Contains(stage, "\nENTRYPOINT ") && !strings.Contains(stage, "\nUSER arpent\n") {
			t.Errorf("runs as root:\n%s", stage)
		}
	}
}

// What the page on privacy promises of logs is what the files of deploy/ do: the journal deletes them after
// the days that arpent setup proposes and drops no line of a busy server, and the proxies write no addresses
// of clients.
func TestLogsAreKeptAsPromised(t *testing.T) {
	t.Parallel()
	proposed := regexp.MustCompile(`"ARPENT_PUBLISHER_LOG_DAYS", "[^"]+", "(\d+)"`).FindStringSubmatch(
		projectFile(t, "app/cmd/arpent/setup.go"))
	if proposed == nil {
		t.Fatal("arpent setup proposes no number of days")
	}
	for name, line := range map[string]string{
		"deploy/systemd/journald-arpent.conf": "MaxRetentionSec=" + proposed[1] + "day\nMaxFileSec=1day",
		"deploy/systemd/arpent.service":       "LogRateLimitIntervalSec=0",
		"deploy/nginx/arpent.conf":            "    access_log off;",
	} {
		if !strings.Contains(projectFile(t, name), "\n"+line) {
			t.Errorf("%s lacks %q", name, line)
		}
	}
	command := regexp.MustCompile(`(?s)\(\. /etc/arpent/arpent\.env; .*?> (\S+)\n`).FindStringSubmatch(projectFile(t, "docs/install.md"))
	if command == nil {
		t.Fatal("docs/install.md does not write the number of days into the file of the journal")
	}
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "env"), []byte("ARPENT_PUBLISHER_LOG_DAYS=\"30\"\n"), 0o600))
	script := strings.NewReplacer("/etc/arpent/arpent.env", filepath.Join(dir, "env"), command[1], filepath.Join(dir, "written"),
		"/usr/local/share/arpent", testkit.Root(t)).Replace(command[0])
	if out, err := exec.CommandContext(t.Context(), "sh", "-ec", script).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", script, err, out)
	}
	if written, err := os.ReadFile(filepath.Join(dir, "written")); err != nil || !strings.Contains(string(written), "\nMaxRetentionSec=30day\n") {
		t.Errorf("with 30 days the journal keeps: %s, %v", written, err)
	}
	if regexp.MustCompile(`(?m)^\s*log\b`).MatchString(projectFile(t, "deploy/caddy/Caddyfile")) {
		t.Error("the Caddyfile writes an access log")
	}
}

// The image holds the starter data that the program reads and no package of the build, and is built from
// files that exist.
func TestImage(t *testing.T) {
	t.Parallel()
	text := projectFile(t, "Dockerfile")
	stages := strings.Split(text, "\nFROM ")
	last := stages[len(stages)-1]
	if strings.Contains(text, "npm") || !strings.Contains(last, "\nCOPY data ./data\n") {
		t.Errorf("the image holds packages, or lacks the starter data:\n%s", last)
	}
	if !regexp.MustCompile(` postgresql-client\b`).MatchString(last) {
		t.Error("arpent backup and restore lack pg_dump and pg_restore in the image")
	}
	if regexp.MustCompile(`(?m)^/?data/?$`).MatchString(projectFile(t, ".dockerignore")) {
		t.Error("docker build does not get the starter data")
	}
	for _, line := range regexp.MustCompile(`(?m)^COPY ((?:[\w./@-]+ )+)\S+$`).FindAllStringSubmatch(text, -1) {
		for name := range strings.FieldsSeq(line[1]) {
			if _, err := os.Stat(filepath.Join(testkit.Root(t), strings.TrimPrefix(name, "/src/"))); err != nil {
				t.Error(err)
			}
		}
	}
}
