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
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arpent/billing"
	"arpent/internal/config"
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
	{"ARPENT_STATE_DIR", "Folder of the server's own files", "/var/lib/arpent"},
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
}

func newSetupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "setup FILE", Short: "Ask for the settings of a server, check them and write them to a file",
		Args: cobra.ExactArgs(1),
		Long: "Ask for the settings of a server, check them and write them to a file.\n\n" +
			"The file is for EnvironmentFile of systemd and for `.` of a shell. What it holds already is proposed, and\n" +
			"settings that are not asked for stay. An empty answer takes the proposal; - sets nothing. A secret is\n" +
			"drawn where there is none. arpent doctor checks the rest: that the database, the mail server and Stripe answer.",
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // there are no settings yet
		RunE: func(cmd *cobra.Command, args []string) error {
			return setUp(args[0], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}

// setUp asks on out, reads the answers from in, and writes the settings to the file.
func setUp(path string, in io.Reader, out io.Writer) error {
	settings, order, err := readSettings(path)
	if err != nil {
		return err
	}
	set := func(name, value string) {
		if _, is := settings[name]; !is {
			order = append(order, name)
		}
		settings[name] = value
	}
	answers := bufio.NewScanner(in)
	asked := questions
	for i := 0; i < len(asked); i++ {
		q := asked[i]
		value, err := q.answer(answers, out, settings)
		if err != nil {
			return err
		}
		set(q.name, value)
		if q.name == "ARPENT_STRIPE_KEY" && value != "" {
			asked = append(asked[:len(asked):len(asked)], stripeQuestions...)
		}
	}
	if settings["ARPENT_SECRET"] == "" && settings["ARPENT_SECRET_FILE"] == "" {
		drawn := make([]byte, 32)
		_, _ = rand.Read(drawn) // never fails
		set("ARPENT_SECRET", hex.EncodeToString(drawn))
		fmt.Fprintln(out, "ARPENT_SECRET is drawn: keep a copy of it apart from the backups.")
	}
	if err := writeSettings(path, settings, order); err != nil {
		return err
	}
	fmt.Fprintln(out, "Written to", path)
	c, err := config.Read(environment(settings), billing.PaidNames()...)
	if err != nil {
		return fmt.Errorf("%w; run arpent setup %s again", err, quoteShell(path))
	}
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
	return nil
}

// answer asks until the value is one that the server accepts.
func (q question) answer(answers *bufio.Scanner, out io.Writer, settings map[string]string) (string, error) {
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
		fault := checkSetting(q.name, value)
		if fault == nil {
			return value, nil
		}
		fmt.Fprintln(out, fault)
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

// readSettings reads a file of settings, and the order of its names. A file that does not exist has none.
func readSettings(path string) (settings map[string]string, order []string, err error) {
	settings = map[string]string{}
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read the settings: %w", err)
	}
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			return nil, nil, fmt.Errorf("read the settings: %s has a line without =: %s", path, name)
		}
		if inner, is := strings.CutPrefix(value, `"`); is {
			value = unquoter.Replace(strings.TrimSuffix(inner, `"`))
		}
		settings[name], order = value, append(order, name)
	}
	return settings, order, nil
}

// What a backslash escapes between double quotes, for a shell and for systemd.
var (
	quoter   = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")
	unquoter = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`")
)

// writeSettings replaces the file, which its user and group alone can read. Settings without a value are
// left out.
func writeSettings(path string, settings map[string]string, order []string) error {
	var text strings.Builder
	text.WriteString("# Written by arpent setup; docs/settings.md describes each setting.\n")
	for _, name := range order {
		if value := settings[name]; value != "" {
			fmt.Fprintf(&text, "%s=\"%s\"\n", name, quoter.Replace(value))
		}
	}
	draft, err := os.CreateTemp(filepath.Dir(path), ".arpent-setup-*")
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	defer os.Remove(draft.Name())
	_, err = draft.WriteString(text.String())
	err = errors.Join(err, draft.Chmod(0o640), draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// environment returns settings as os.Environ gives them.
func environment(settings map[string]string) (out []string) {
	for name, value := range settings {
		out = append(out, name+"="+value)
	}
	return out
}
