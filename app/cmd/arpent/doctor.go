package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"arpent/app/command"
	"arpent/auth"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/disk"
	"arpent/internal/fault"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/gdal"
	"arpent/internal/pgdb"
	"arpent/internal/pgdb/cluster"
)

const (
	doctorTimeout = 5 * time.Second // one look at another program
	// the real territory and its indexes, with room for a second copy while it is loaded again
	freeBytesMin = 2 << 30
)

// finding is one line of the doctor: what was looked at, what was seen, and the way out when it is a problem.
type finding struct {
	subject, seen, remedy string
}

func newDoctorCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check what the service needs, and say the way out of each problem",
		Args: cobra.NoArgs,
		// In place of the check every other command starts with, so that a wrong
		// setting is one finding among others.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printFindings(cmd.OutOrStdout(), examineAll(cmd.Context(), e))
		},
	}
}

// printFindings writes findings, and returns an error where there are problems among them.
func printFindings(w io.Writer, all []finding) error {
	problems := 0
	for _, f := range all {
		printFinding(w, f)
		if f.remedy != "" {
			problems++
		}
	}
	if problems > 0 {
		return fmt.Errorf("%d to fix", problems)
	}
	return nil
}

// printFinding keeps a finding on one line; errors may have several.
func printFinding(w io.Writer, f finding) {
	f.seen = strings.NewReplacer("\n\t", " ", "\n", "; ").Replace(f.seen)
	if f.remedy == "" {
		fmt.Fprintf(w, "ok       %-14s %s\n", f.subject, f.seen)
		return
	}
	fmt.Fprintf(w, "problem  %-14s %s\n%25s%s\n", f.subject, f.seen, "-> ", f.remedy)
}

func examineAll(ctx context.Context, e *env) []finding {
	var err error
	if e.config, err = command.ReadConfig(); err != nil {
		return []finding{{"configuration", err.Error(),
			"correct the variables named; the rest is looked at after that"}}
	}
	findings := []finding{examineConfiguration(e.config)}
	findings = append(findings, examineDatabase(ctx, e)...)
	findings = append(findings, examineGDAL(ctx), examineSandbox(ctx), examineData(e.config),
		examineCOG(e.config),
		examineRedis(ctx, e.config), examinePort(ctx, e.config), examineProxy(e.config), examineCollector(ctx,
			e.config),
		examineDisk(e.config), examineMail(ctx, e.config))
	findings = append(findings, examineSignIn(ctx, e.config)...)
	findings = append(findings, examineStripe(ctx, e.config)...)
	return append(findings, examineSecret(e.config), examineLegal(e.config))
}

// examineConfiguration looks at what is read without a fault and is wrong all the same.
func examineConfiguration(c config.Config) finding {
	seen := string(c.Mode) + " mode, " + c.BaseURL
	if err := command.CheckNames(); err != nil {
		return finding{"configuration", err.Error(), "the server does not start until then"}
	}
	if c.Mode == config.Production && !strings.HasPrefix(c.BaseURL, "https://") {
		return finding{"configuration", seen + ": links in mails and cookies are not protected",
			"set ARPENT_BASE_URL to the https address of the proxy (docs/operations/deploy.md)"}
	}
	return finding{subject: "configuration", seen: seen}
}

func examineDatabase(ctx context.Context, e *env) []finding {
	where := ""
	if e.config.DatabaseURL == "" {
		private, there := examinePrivate(ctx, e.config)
		if !there {
			return []finding{private}
		}
		where = private.seen + "; "
	}
	url, release, err := command.DatabaseURL(ctx, e.config, pgdb.Serve)
	if err != nil {
		return []finding{{"database", err.Error(), "see the message"}}
	}
	defer release()
	server, err := describeServer(ctx, url)
	if err != nil {
		return []finding{{"database", err.Error(), "check that the server of ARPENT_DATABASE_URL runs, and the name and password in it"}}
	}
	server.seen = where + server.seen
	schema, usable := examineSchema(ctx, e.config, url)
	if !usable {
		return []finding{server, schema}
	}
	out := []finding{server, schema}
	if e.config.DatabaseOwnerURL != "" {
		out = append(out, examineOwner(ctx, e.config))
	}
	for _, f := range snapshotFiles {
		out = append(out, f.examineSnapshot(ctx, e.config, url))
	}
	out = append(out, examineAccounts(ctx, e.config, url)...)
	return append(out, examineReplicas(ctx, e.config, url)...)
}

// examinePrivate says where the private database is, or will be, and whether it is there.
func examinePrivate(ctx context.Context, c config.Config) (private finding, there bool) {
	postgres, postgis, err := cluster.Installed(ctx)
	if err != nil {
		return finding{"database", err.Error(), "make run installs it on Debian"}, false
	}
	folder, err := cluster.Folder(ctx, c.State("pg"))
	if err != nil {
		return finding{"database", err.Error(), "see the message"}, false
	}
	_, err = os.Stat(filepath.Join(folder, "data"))
	if err != nil && c.Mode == config.Production {
		return finding{"database", "none: production mode makes no private one",
			"set ARPENT_DATABASE_URL, or ARPENT_MODE=development for a private one"}, false
	}
	if err != nil {
		return finding{subject: "database", seen: fmt.Sprintf(
			"private, PostgreSQL %s with PostGIS %s, in %s, not made yet: "+
				"the first arpent serve in development mode does", postgres, postgis, folder)}, false
	}
	return finding{subject: "database", seen: "private, in " + folder}, true
}

const describeServerSQL = `
	SELECT current_setting('server_version'),
	       coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'postgis'), '')`

func describeServer(ctx context.Context, url string) (finding, error) {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return finding{}, fmt.Errorf("does not answer: %w", err) // pgx leaves the password out
	}
	defer conn.Close(ctx)
	var postgres, postgis string
	if err := conn.QueryRow(ctx, describeServerSQL).Scan(&postgres, &postgis); err != nil {
		return finding{}, fmt.Errorf("read the PostgreSQL and PostGIS versions: %w", err)
	}
	if postgis == "" {
		return finding{"database", "PostgreSQL " + postgres + " without PostGIS",
			"install PostGIS on the server (Debian: postgresql-postgis)"}, nil
	}
	return finding{subject: "database", seen: "answers: PostgreSQL " + postgres + ", PostGIS " + postgis}, nil
}

// examineSchema also reports whether the tables can be read by this version.
func examineSchema(ctx context.Context, c config.Config, url string) (schema finding, usable bool) {
	pending, err := pgdb.Pending(ctx, url, command.Tables())
	switch {
	case err != nil:
		return finding{"schema", command.Explain(err).Error(), "see the message"}, false
	case pending && c.Mode == config.Production:
		return finding{"schema", "older than this version", "run arpent migrate"}, false
	case pending:
		return finding{subject: "schema", seen: "older than this version; arpent serve brings it up to date in development mode"}, false
	default:
		return finding{subject: "schema", seen: "up to date"}, true
	}
}

// examineOwner reports whether the user who migrates and loads can: a server serves without.
func examineOwner(ctx context.Context, c config.Config) finding {
	const subject = "database owner"
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.DatabaseOwnerURL.Reveal())
	if err != nil {
		return finding{subject, "cannot sign in: " + err.Error(),
			"correct the user and the password in ARPENT_DATABASE_OWNER_URL"}
	}
	defer conn.Close(ctx)
	var owns bool
	err = conn.QueryRow(ctx, "SELECT has_database_privilege(current_database(), 'CREATE')").Scan(&owns)
	switch {
	case err != nil:
		return finding{subject, err.Error(), "see the message"}
	case !owns:
		return finding{subject, "may not create tables",
			"name in ARPENT_DATABASE_OWNER_URL the user who owns the database"}
	}
	return finding{subject: subject, seen: "may migrate and load"}
}

// examineAccounts looks at the accounts of operators and at the addresses of all.
func examineAccounts(ctx context.Context, c config.Config, url string) []finding {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 1, AppName: "arpent doctor", Role: pgdb.Serve})
	if err != nil {
		return []finding{{"accounts", err.Error(), "see the message"}}
	}
	defer pool.Close()
	accounts := auth.NewAccounts(pool, clock.Real{})
	out := []finding{examineAddresses(ctx, accounts)}
	if len(c.Operators) > 0 {
		out = append(out, examineOperators(ctx, accounts, c.Operators))
	}
	return out
}

// examineOperators looks for operators who cannot open the pages /admin.
func examineOperators(ctx context.Context, accounts *auth.Accounts, operators []string) finding {
	const subject = "operators"
	var without, unconfirmed []string
	for _, email := range operators {
		a, err := accounts.ByEmail(ctx, email)
		switch {
		case err != nil && fault.From(err).Code == fault.NotFound:
			without = append(without, email)
		case err != nil:
			return finding{subject, err.Error(), "see the message"}
		case !a.Confirmed():
			unconfirmed = append(unconfirmed, email)
		}
	}
	switch {
	case len(without) > 0:
		return finding{subject, "no account: " + strings.Join(without, ", "),
			"run arpent account create --email " + quoteShell(without[0]) +
				" --plan free --confirmed, or correct ARPENT_OPERATORS"}
	case len(unconfirmed) > 0:
		return finding{subject, "address not confirmed: " + strings.Join(unconfirmed, ", "),
			"have them confirm it by the link in the mail; the pages /admin are closed to them until then"}
	}
	return finding{subject: subject, seen: "all have accounts: " + strings.Join(operators, ", ")}
}

// examineAddresses looks for accounts whose address has not the form in which addresses are compared: their
// owners cannot sign in by it.
func examineAddresses(ctx context.Context, accounts *auth.Accounts) finding {
	const subject = "accounts"
	faults, err := accounts.AddressFaults(ctx)
	switch {
	case err != nil:
		return finding{subject, err.Error(), "see the message"}
	case len(faults) == 0:
		return finding{subject: subject, seen: "all addresses have the form in which they are compared"}
	}
	var texts []string
	for _, f := range faults {
		texts = append(texts, f.String())
	}
	return finding{subject, strings.Join(texts, "; "),
		"ask the owner for another address, and set it by arpent account address --account N --email …"}
}

func examineGDAL(ctx context.Context) finding {
	const wayOut = "install GDAL (Debian: gdal-bin); only loading needs it, serving does not"
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	version, err := exec.CommandContext(ctx, "ogr2ogr", "--version").Output()
	busy := finding{"gdal", fmt.Sprintf("did not answer within %s", doctorTimeout),
		"the machine is busy: run arpent doctor again"}
	if ctx.Err() != nil {
		return busy
	}
	if err != nil {
		return finding{"gdal", "ogr2ogr cannot be run: " + err.Error(), wayOut}
	}
	drivers, err := gdal.Drivers(ctx)
	if ctx.Err() != nil {
		return busy
	}
	if err != nil {
		return finding{"gdal", err.Error(), wayOut}
	}
	for _, format := range []string{"GPKG", "ESRI Shapefile", "GeoJSONSeq", "GTiff", "AAIGrid", "ENVI", "XLSX",
		"XLS", "CSV"} {
		if !slices.Contains(drivers, format) {
			return finding{"gdal", "this build of GDAL does not have the driver " + format, wayOut}
		}
	}
	return finding{subject: "gdal", seen: strings.TrimSpace(string(version))}
}

// examineSandbox says what a hostile file could reach through a hole in GDAL.
func examineSandbox(ctx context.Context) finding {
	const subject = "gdal's reach"
	protection, err := gdal.Probe(ctx)
	switch {
	case err != nil:
		return finding{subject, err.Error(), "see the message"}
	case !protection.Files || !protection.Network:
		return finding{subject, protection.String(),
			"load on Linux 5.13 or newer, in a container that allows landlock and seccomp"}
	default:
		return finding{subject: subject, seen: protection.String()}
	}
}

func examineData(c config.Config) finding {
	if err := command.CheckData(c); err != nil {
		return finding{"data", err.Error(), "correct ARPENT_DATA, or unset it"}
	}
	fetched, err := fetch.ReadManifest(command.Downloads(c))
	if err != nil {
		return finding{"data", err.Error(), "see that " + command.Downloads(c) + " can be read"}
	}
	seen := "no starter data"
	if box := config.Box(); box != "" {
		seen = "starter data in " + box
	}
	if c.DataDir != "" {
		seen += "; further files in " + c.DataDir + " (ARPENT_DATA)"
	}
	if len(fetched) > 0 {
		seen += fmt.Sprintf("; files fetched into %s: %d", command.Downloads(c), len(fetched))
	}
	return finding{subject: "data", seen: seen}
}

// examineCOG looks for a file of the names and codes, without which nothing can be loaded.
func examineCOG(c config.Config) finding {
	name, err := command.Loader(c, nil).FileOf(command.NamesAndCodes)
	if err != nil {
		return finding{"commune codes", err.Error(),
			"run arpent fetch core, or start the program in a folder with the starter data in data/"}
	}
	return finding{subject: "commune codes", seen: name}
}

// examinePort takes the port for a moment; when it is in use, a running arpent there is no problem.
func examinePort(ctx context.Context, c config.Config) finding {
	address := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	listener, err := net.Listen("tcp", address)
	if err == nil {
		listener.Close()
		return finding{subject: "port", seen: address + " is free"}
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return finding{"port", err.Error(), "set ARPENT_HOST and PORT to an address of this machine that may be used"}
	}
	if isServing(ctx, c) {
		return finding{subject: "port", seen: address + " is taken by a running server that answers /healthz"}
	}
	return finding{"port", address + " is taken by another program", "set PORT to a free one"}
}

func isServing(ctx context.Context, c config.Config) bool {
	host := cmp.Or(c.Host, "127.0.0.1")
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host,
		strconv.Itoa(int(c.Port)))+"/healthz", nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// examineDisk looks at the file system of the state folder, or of the nearest folder above that is there.
func examineDisk(c config.Config) finding {
	dir, err := filepath.Abs(c.StateDir)
	if err != nil {
		return finding{"disk", err.Error(), "set ARPENT_STATE_DIR"}
	}
	free, _, err := disk.Space(dir)
	for errors.Is(err, os.ErrNotExist) && dir != "/" {
		dir = filepath.Dir(dir)
		free, _, err = disk.Space(dir)
	}
	if err != nil {
		return finding{"disk", dir + ": " + err.Error(), "set ARPENT_STATE_DIR to a folder that can be used"}
	}
	tried, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return finding{"disk", "cannot be written to: " + err.Error(),
			"set ARPENT_STATE_DIR to a folder that this user may write to"}
	}
	tried.Close()
	if err := os.Remove(tried.Name()); err != nil {
		return finding{"disk", err.Error(), "remove it"}
	}
	seen := fmt.Sprintf("%.1f GiB free at %s", float64(free)/(1<<30), dir)
	if free < freeBytesMin {
		return finding{"disk", seen, "free some space, or set ARPENT_STATE_DIR to another disk"}
	}
	return finding{subject: "disk", seen: seen}
}
