package main

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arpent/billing"
	"arpent/internal/config"
	"arpent/internal/fault"
)

// question is a setting that setup asks for.
type question struct {
	name, ask, proposal string
}

// questions are those of one server with its database, in the order of docs/install.md. All other settings
// have defaults that fit it.
var questions = []question{
	{"ARPENT_BASE_URL", "Public address, https://…", ""},
	{"ARPENT_HOST", "Address to listen on, behind the proxy", "127.0.0.1"},
	{"ARPENT_TRUSTED_PROXIES", "Address of the proxy", "127.0.0.1"},
	{"ARPENT_DATABASE_URL", "Database", "postgres://arpent@/arpent?host=/run/postgresql"},
	{"ARPENT_STATE_DIR", "Folder of the server's own files", unitStateDir},
	{"ARPENT_OPERATORS", "Mail addresses of the operators, separated by commas", ""},
	{"ARPENT_SMTP_URL", "Mail server, smtp://user:password@host:587", ""},
	{"ARPENT_MAIL_FROM", "Sender of mails", ""},
	{"ARPENT_CONTACT_EMAIL", "Contact address, shown to users", ""},
	{"ARPENT_PUBLISHER_NAME", "Publisher: name and legal form", ""},
	{"ARPENT_PUBLISHER_ADDRESS", "Publisher: postal address", ""},
	{"ARPENT_PUBLISHER_PHONE", "Publisher: phone", ""},
	{"ARPENT_PUBLISHER_REGISTRATION", "Publisher: number in a register of companies, if any", ""},
	{"ARPENT_PUBLISHER_VAT", "Publisher: VAT number, if plans are sold", ""},
	{"ARPENT_PUBLISHER_DIRECTOR", "Publisher: director of publication", ""},
	{"ARPENT_PUBLISHER_HOST", "Hosting company: name, address, phone", ""},
	{"ARPENT_PUBLISHER_LOG_DAYS", "Days after which logs and backups are deleted", "90"},
	{"ARPENT_STRIPE_KEY", "Stripe: key; empty: no plans are sold", ""},
}

// stripeQuestions follow where there is a key.
var stripeQuestions = []question{
	{"ARPENT_STRIPE_WEBHOOK_SECRET", "Stripe: secret of the webhook", ""},
	{"ARPENT_STRIPE_PRICE_STANDARD", "Stripe: price of the plan standard", ""},
	{"ARPENT_STRIPE_PRICE_PRO", "Stripe: price of the plan pro", ""},
	{"ARPENT_STRIPE_PRICE_STANDARD_YEARLY", "Stripe: price of a year of the plan standard; empty: sold by the month alone", ""},
	{"ARPENT_STRIPE_PRICE_PRO_YEARLY", "Stripe: price of a year of the plan pro; empty: sold by the month alone", ""},
	{"ARPENT_STRIPE_PRICE_RESERVE", "Stripe: price of a request of a reserve; empty: none is sold", ""},
}

func newSetupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "setup FILE", Short: "Ask for the settings of a server, check them and write them to a file",
		Args: cobra.ExactArgs(1),
		Long: "Ask for the settings of a server, check them and write them to a file.\n\n" +
			"The file is for EnvironmentFile of systemd and for `.` of a shell. What it holds already is proposed, and\n" +
			"all else in it stays. A secret that another file holds (NAME_FILE) is not asked for. An empty answer takes\n" +
			"the proposal; - sets nothing. A secret is drawn where there is none. arpent doctor checks the rest: that the\n" +
			"database, the mail server and Stripe answer.",
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // there are no settings yet
		RunE: func(cmd *cobra.Command, args []string) error {
			return setUp(args[0], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// setUp asks on out, reads the answers from in, and writes the settings to the file.
func setUp(path string, in io.Reader, out io.Writer) error {
	file, err := readSettings(path)
	if err != nil {
		return err
	}
	answers, asked := bufio.NewScanner(in), questions
	for i := 0; i < len(asked); i++ {
		q := asked[i]
		inFile := file.settings[q.name+"_FILE"] != ""
		if !inFile {
			if file.settings[q.name], err = q.askValue(answers, out, file.settings); err != nil {
				return err
			}
		}
		if q.name == "ARPENT_STRIPE_KEY" && (inFile || file.settings[q.name] != "") {
			asked = append(asked[:len(asked):len(asked)], stripeQuestions...)
		}
	}
	draws := file.settings["ARPENT_SECRET"] == "" && file.settings["ARPENT_SECRET_FILE"] == ""
	if draws {
		drawn := make([]byte, 32)
		_, _ = rand.Read(drawn) // never fails
		file.settings["ARPENT_SECRET"] = hex.EncodeToString(drawn)
	}
	var environ []string
	for name, value := range file.settings {
		environ = append(environ, name+"="+value)
	}
	c, err := config.Read(environ, billing.PaidNames()...)
	if err = errors.Join(err, config.CheckNames(environ, billing.PaidNames()...)); err != nil {
		return fmt.Errorf("%w; nothing is written: run arpent setup %s again", err, quoteShell(path))
	}
	if err := file.replaceFile(path); err != nil {
		return err
	}
	fmt.Fprintln(out, "Written to", path)
	if draws {
		fmt.Fprintln(out, "ARPENT_SECRET is drawn: keep a copy of it apart from the backups.")
	}
	explainSettings(out, c)
	return nil
}

// explainSettings says what a public server lacks, and what has to be done outside of the file.
func explainSettings(out io.Writer, c config.Config) {
	missing := c.MissingLegal()
	if c.SMTPURL == "" {
		missing = append(missing, "ARPENT_SMTP_URL")
	}
	if len(c.Operators) == 0 {
		missing = append(missing, "ARPENT_OPERATORS")
	}
	if len(missing) > 0 {
		fmt.Fprintln(out, "Still missing for a public server:", strings.Join(missing, ", "))
	}
	if c.RehearsesSales() {
		fmt.Fprintln(out, rehearsalText)
	}
	if c.StateDir != unitStateDir {
		fmt.Fprintf(out, "The units of systemd may write to %s alone: systemctl edit arpent arpent-backup arpent-update\n"+
			"and add to each:\n[Service]\nReadWritePaths=%s\n", unitStateDir, c.StateDir)
	}
}

// unitStateDir is StateDirectory of the units in deploy/systemd.
const unitStateDir = "/var/lib/arpent"

// askValue asks until the value is one that the server accepts.
func (q question) askValue(answers *bufio.Scanner, out io.Writer, settings map[string]string) (string, error) {
	held, is := settings[q.name]
	proposal := q.proposal
	if is {
		proposal = held
	}
	shown := proposal
	if showsPassword(q.name, shown) && shown != "" {
		shown = "as it is"
	}
	for {
		fmt.Fprintf(out, "%s (%s) [%s]: ", q.ask, q.name, shown)
		if !answers.Scan() {
			return "", cmp.Or(answers.Err(), errors.New("the answers end here; nothing is written"))
		}
		value := strings.TrimSpace(answers.Text())
		switch value {
		case "":
			value = proposal
		case "-":
			value = ""
		}
		problem := checkSetting(q.name, value)
		if problem == nil {
			return value, nil
		}
		fmt.Fprintln(out, problem)
	}
}

// checkSetting reports what the server would say about one setting alone.
func checkSetting(name, value string) error {
	if value == "" || strings.HasPrefix(name, "ARPENT_STRIPE_") { // those are checked together at the end
		return nil
	}
	_, err := config.Read([]string{name + "=" + value, "ARPENT_MODE=production"})
	if err == nil && name == "ARPENT_BASE_URL" && !strings.HasPrefix(value, "https://") {
		return errors.New("a public address begins with https://")
	}
	return err
}

// showsPassword reports whether a setting is a secret, or an address with a password.
func showsPassword(name, value string) bool {
	if u, err := url.Parse(value); err == nil && u.Scheme != "" {
		_, has := u.User.Password()
		return has
	}
	return slices.Contains(config.SecretNames(), name)
}

// settingsFile is a file of settings.
type settingsFile struct {
	lines    []string          // as they are written, without the line end
	held     map[string]string // what the lines say
	settings map[string]string // what is to be written
}

// readSettings reads a file of settings. One that does not exist has none. Lines that set nothing are kept,
// and values in forms that a shell and systemd may read differently are refused.
func readSettings(path string) (settingsFile, error) {
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return settingsFile{}, fmt.Errorf("read the settings: %w", err)
	}
	file, known := settingsFile{held: map[string]string{}}, config.Names(billing.PaidNames()...)
	for line := range strings.Lines(string(content)) {
		line = strings.TrimRight(line, "\r\n")
		file.lines = append(file.lines, line)
		name, text, is := cutSetting(line)
		if !is {
			continue
		}
		file.held[name], is = unquoteValue(text)
		if !is && slices.Contains(known, strings.TrimSuffix(name, "_FILE")) {
			return settingsFile{}, fmt.Errorf("read the settings: in %s, write the value of %s on one line between "+
				"double quotes, with a backslash before each of \" \\ $ `", path, name)
		}
	}
	file.settings = maps.Clone(file.held)
	return file, nil
}

var settingLine = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*?)\s*$`)

// cutSetting returns the name that a line sets and what it sets it to.
func cutSetting(line string) (name, text string, is bool) {
	parts := settingLine.FindStringSubmatch(line)
	if parts == nil {
		return "", "", false
	}
	return parts[1], parts[2], true
}

var (
	doubleQuoted = regexp.MustCompile("^\"((?:[^\"\\\\$`]|\\\\[\"\\\\$`])*)\"$")
	singleQuoted = regexp.MustCompile(`^'([^']*)'$`)
)

// unquoteValue returns the value that a shell and systemd read.
func unquoteValue(text string) (value string, ok bool) {
	if parts := doubleQuoted.FindStringSubmatch(text); parts != nil {
		return unquoter.Replace(parts[1]), true
	}
	if parts := singleQuoted.FindStringSubmatch(text); parts != nil {
		return parts[1], true
	}
	return text, !strings.ContainsAny(text, "\"'\\$` \t&;|<>()~")
}

// What a backslash escapes between double quotes, for a shell and for systemd.
var (
	quoter   = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")
	unquoter = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`")
)

// replaceFile replaces the file, which its user and group alone can read. Lines that set nothing, or what did
// not change, stay as they are; settings without a value are left out.
func (f settingsFile) replaceFile(path string) error {
	lines := f.lines
	if len(lines) == 0 {
		lines = []string{"# Written by arpent setup; docs/settings.md describes each setting."}
	}
	for _, name := range config.Names(billing.PaidNames()...) {
		if _, is := f.held[name]; !is && f.settings[name] != "" {
			lines = append(lines, name+"=")
		}
	}
	var text strings.Builder
	for _, line := range lines {
		name, _, is := cutSetting(line)
		value := f.settings[name]
		switch held, was := f.held[name]; {
		case !is || was && value == held:
			text.WriteString(line + "\n")
		case value != "":
			fmt.Fprintf(&text, "%s=\"%s\"\n", name, quoter.Replace(value))
		}
	}
	return fault.Wrap("write the settings", writeFileAtomic(path, text.String(), 0o640))
}

// writeFileAtomic replaces a file, or makes it: readers see the former content or all of the new one.
func writeFileAtomic(path, content string, mode fs.FileMode) error {
	draft, err := os.CreateTemp(filepath.Dir(path), ".arpent-*")
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name()) // nothing to remove once it is renamed
	_, err = draft.WriteString(content)
	if err = errors.Join(err, draft.Chmod(mode), draft.Sync(), draft.Close()); err != nil {
		return err
	}
	return os.Rename(draft.Name(), path)
}
