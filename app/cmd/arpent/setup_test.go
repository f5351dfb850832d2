package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The first settings of a server are asked for one by one, wrong ones at once, and what a public server still
// lacks is named; the file means the same to a shell, and asking again changes nothing. Otherwise an operator
// would find each fault by a start that fails.
func TestSetup(t *testing.T) { // not parallel: commands read the environment
	file := filepath.Join(t.TempDir(), "arpent.env")
	if err := os.WriteFile(file, []byte("# mine\nARPENT_LOG_LEVEL=warn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := []string{"arpent.example", "http://arpent.example",
		"https://arpent.example"} // the third is accepted
	for _, q := range questions[1:] {
		switch q.name {
		case "ARPENT_OPERATORS":
			answers = append(answers, "no address", "op@example.org")
		case "ARPENT_PUBLISHER_NAME":
			answers = append(answers, `Le "Cadastre" à $5 SAS`)
		case "ARPENT_SMTP_URL":
			answers = append(answers, "smtp://u:hidden@mail.example:587")
		default:
			answers = append(answers, "")
		}
	}
	out, err := runArpent(t, strings.Join(answers, "\n")+"\n", "setup", file)
	if err != nil {
		t.Fatal(err, out)
	}
	expectParts(t, out, `ARPENT_BASE_URL: is "arpent.example"`, "begins with https://",
		`"no address" is not an e-mail address`,
		"ARPENT_SECRET is drawn", "Still missing for a public server: ARPENT_PUBLISHER_ADDRESS,",
		"ARPENT_CONTACT_EMAIL")
	settings, _, err := readSettings(file)
	if err != nil || settings["ARPENT_LOG_LEVEL"] != "warn" || len(settings["ARPENT_SECRET"]) != 64 ||
		settings["ARPENT_PUBLISHER_NAME"] != `Le "Cadastre" à $5 SAS` {
		t.Errorf("%v: %q", err, settings)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	said, err := exec.CommandContext(t.Context(), "sh", "-c",
		`. "$1"; printf %s "$ARPENT_PUBLISHER_NAME|$ARPENT_LOG_LEVEL"`, "sh", file).Output()
	if want := `Le "Cadastre" à $5 SAS|warn`; err != nil || string(said) != want {
		t.Errorf("a shell reads %q, want %q (%v)", said, want, err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err = runArpent(t, strings.Repeat("\n", len(questions)), "setup", file)
	if after, _ := os.ReadFile(file); err != nil || string(after) != string(before) || strings.Contains(out,
		"hidden") {
		t.Errorf("asked again: %v\n%s\n%s", err, out, after)
	}
	if _, err := runArpent(t, "\n", "setup", file); err == nil || !strings.Contains(err.Error(),
		"nothing is written") {
		t.Errorf("answers that end: %v", err)
	}
}
