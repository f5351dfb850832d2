package checks_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"arpent/app/dev/testkit"
)

// The runbook says of every alert what it means, where to look, what to do and how to undo that. It has no
// section for an alert that was removed.
func TestEveryAlertHasARunbook(t *testing.T) {
	t.Parallel()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert               string
				Labels, Annotations map[string]string
			}
		}
	}
	testkit.NoError(t, yaml.Unmarshal([]byte(projectFile(t, "deploy/prometheus/alerts.yml")), &rules))
	sections := map[string]string{}
	for _, s := range strings.Split(projectFile(t, "docs/runbook.md"), "\n## ")[1:] {
		name, text, _ := strings.Cut(s, "\n")
		sections[name] = text
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if want := "docs/runbook.md#" + strings.ToLower(r.Alert); r.Annotations["runbook"] != want || r.Annotations["summary"] == "" {
				t.Errorf("%s leads to %q, want %s", r.Alert, r.Annotations["runbook"], want)
			}
			text := strings.ToLower(sections[r.Alert])
			delete(sections, r.Alert)
			for _, want := range []string{r.Labels["severity"] + ".", "- **means:** ", "- **look first:** ", "- **act:** ", "- **undo:** "} {
				if !strings.Contains(text, want) {
					t.Errorf("the section of %s in docs/runbook.md lacks %q", r.Alert, want)
				}
			}
		}
	}
	for name := range sections {
		t.Errorf("docs/runbook.md has a section for %s, which is no alert", name)
	}
}

// Each alert is shown by promtool to be raised by what it is for, and not while everything is in order.
func TestEveryAlertIsTested(t *testing.T) {
	t.Parallel()
	var rules struct {
		Groups []struct{ Rules []struct{ Alert string } }
	}
	var tests struct {
		Tests []struct {
			Name   string
			Alerts []struct {
				Name     string `yaml:"alertname"`
				Expected []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	for name, into := range map[string]any{"alerts.yml": &rules, "alerts_test.yml": &tests} {
		testkit.NoError(t, yaml.Unmarshal([]byte(projectFile(t, "deploy/prometheus/"+name)), into))
	}
	raised, silent := map[string]bool{}, map[string]bool{}
	for _, test := range tests.Tests {
		for _, a := range test.Alerts {
			raised[a.Name] = raised[a.Name] || len(a.Expected) > 0
			silent[a.Name] = silent[a.Name] || test.Name == "everything is in order" && len(a.Expected) == 0
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			if !raised[r.Alert] || !silent[r.Alert] {
				t.Errorf("deploy/prometheus/alerts_test.yml: %s is raised %t, is silent in order %t", r.Alert, raised[r.Alert], silent[r.Alert])
			}
		}
	}
}

// documents are the documents of the project by their names: those of
// its root and of docs, folders of it included.
func documents(t *testing.T) (names []string) {
	t.Helper()
	root := os.DirFS(testkit.Root(t))
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found := testkit.Must(fs.Glob(root, pattern))(t)
		names = append(names, found...)
	}
	if len(names) < 20 {
		t.Fatalf("%d documents found: %v", len(names), names)
	}
	return names
}

var (
	aLink     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	aHeading  = regexp.MustCompile("(?m)^#{1,4} (.*)$")
	notInLink = regexp.MustCompile(`[^\w\- ]`)
)

// A reader who follows a link in a document finds the file and the section.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, name := range documents(t) {
		for _, link := range aLink.FindAllStringSubmatch(projectFile(t, name), -1) {
			file, section, _ := strings.Cut(link[1], "#")
			if strings.Contains(file, ":") {
				continue
			}
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(testkit.Root(t), target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, link[1])
				continue
			}
			if section != "" && !slices.Contains(sections(projectFile(t, target)), section) {
				t.Errorf("%s links to %s, which has no such section", name, link[1])
			}
		}
	}
}

// sections are the names under which links reach the headings of a document.
func sections(text string) (names []string) {
	for _, heading := range aHeading.FindAllStringSubmatch(text, -1) {
		names = append(names, strings.ReplaceAll(notInLink.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-"))
	}
	return names
}

// An operator who searches the log for a message that the documents name finds it under that text.
func TestDocumentsNameMessagesThatThereAre(t *testing.T) {
	t.Parallel()
	source := ""
	for _, folder := range []string{"api", "internal/opendata/ingest", "app", "internal/disk", "internal/pgdb", "billing/meter", "billing/meter/shared", "portal/pages"} {
		source += sourcesOf(t, filepath.Join(testkit.Root(t), folder), false)
	}
	named := 0
	text := ""
	for _, name := range documents(t) {
		text += projectFile(t, name)
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, list := range regexp.MustCompile("((?:`[a-z][^`]* [^`]*`[^`.;]{0,8} )+)in the log|in the log \\(`[^`]+`").FindAllString(text, -1) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
			if named++; !strings.Contains(source, `"`+m[1]) {
				t.Errorf("the documents name %q, which is no message of the log", m[1])
			}
		}
	}
	if named < 11 {
		t.Errorf("%d messages found: the form of the documents has changed", named)
	}
}

var (
	namedTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")
	aTest     = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// What a document says is held by a test is: the test is there, under that name.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	eachFile(t, os.DirFS(testkit.Root(t)), isTestFile, func(_, text string) {
		for _, m := range aTest.FindAllStringSubmatch(text, -1) {
			there[m[1]] = true
		}
	})
	for _, name := range documents(t) {
		named := namedTest.FindAllStringSubmatch(projectFile(t, name), -1)
		for _, m := range named {
			if !there[m[1]] {
				t.Errorf("%s names %s, which there is not", name, m[1])
			}
		}
		if name == "docs/threat-model.md" && len(named) < 100 {
			t.Errorf("%s names %d tests only", name, len(named))
		}
	}
}

// Every section of ASVS 5.0 and every risk of the API Security Top 10 has a line, and a line that is met
// names the test of it.
func TestThreatModelIsComplete(t *testing.T) {
	t.Parallel()
	text := projectFile(t, "docs/threat-model.md")
	// How many sections each chapter of ASVS 5.0 has, from the first.
	for chapter, sections := range []int{5, 4, 7, 4, 4, 8, 6, 4, 2, 7, 7, 3, 4, 3, 4, 5, 3} {
		for section := range sections {
			line(t, text, "V"+itoa(chapter+1)+"."+itoa(section+1))
		}
	}
	for risk := range 10 {
		line(t, text, "API"+itoa(risk+1))
	}
}

func itoa(n int) string {
	return strings.TrimLeft(string([]byte{byte('0' + n/10), byte('0' + n%10)}), "0")
}

// line checks the row of a section: its state is one of four, and met names a test.
func line(t *testing.T, text, id string) {
	t.Helper()
	row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(id) + ` [^|]*\| (met|partly|open|not applicable) \| (.*) \|$`).FindStringSubmatch(text)
	switch {
	case row == nil:
		t.Errorf("docs/threat-model.md has no line of %s with its state", id)
	case row[1] == "met" && !namedTest.MatchString(row[2]):
		t.Errorf("%s is met, and names no test", id)
	case row[1] == "partly" && (!namedTest.MatchString(row[2]) || !strings.Contains(row[2], "Open: ")):
		t.Errorf("%s is met in part: it has to name a test, and what is open", id)
	case len(row[2]) < 20:
		t.Errorf("%s gives no reason", id)
	}
}

var (
	aStep     = regexp.MustCompile("(?m)^[0-9]+\\. `([^`]+\\.go)`: (.*)$")
	aFunction = regexp.MustCompile("`([A-Za-z]+)`(?: of `([^`]+\\.go)`)?")
)

// A reader who follows a path of the architecture finds each function in the file that the step names.
func TestArchitectureNamesFunctionsThatExist(t *testing.T) {
	t.Parallel()
	found := 0
	for _, step := range aStep.FindAllStringSubmatch(projectFile(t, "docs/architecture.md"), -1) {
		for _, name := range aFunction.FindAllStringSubmatch(step[2], -1) {
			file := step[1]
			if name[2] != "" {
				file = name[2]
			}
			found++
			declared := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + name[1] + `[(\[]`)
			if !declared.MatchString(projectFile(t, file)) {
				t.Errorf("docs/architecture.md: %s has no function %s", file, name[1])
			}
		}
	}
	if found < 60 {
		t.Errorf("%d functions found: the form of the document has changed", found)
	}
}

// A newcomer reads the first documents to their end: they stay short, and the rest is behind their links.
func TestFirstDocumentsAreShort(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"README.md", "docs/development.md"} {
		if lines := strings.Count(projectFile(t, name), "\n"); lines > 150 {
			t.Errorf("%s has %d lines, at most 150", name, lines)
		}
	}
}
