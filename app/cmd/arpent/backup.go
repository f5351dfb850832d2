package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"arpent/app"
	"arpent/app/command"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/pgdb"
	"arpent/internal/pgdb/cluster"
)

const (
	dumpSuffix   = ".dump"
	secretSuffix = ".secret" // next to the dump: the server's secret, where no setting holds it
	draftSuffix  = ".new"    // after that of a dump: it is being written
	stampLayout  = "20060102T150405Z"
	keptBackups  = 14
)

// backup is one run of arpent backup.
type backup struct {
	dir      string
	keep     int
	keepDays int // older ones are deleted, except the newest; 0: no limit by age
	noVerify bool
	out      io.Writer
}

func newBackupCommand(e *env) *cobra.Command {
	var b backup
	cmd := &cobra.Command{
		Use: "backup DIR", Args: cobra.ExactArgs(1),
		Short: "Write accounts, keys, counts and waiting mails to a file in DIR, and verify it",
		Long: "Write accounts, keys, counts and waiting mails to a file in DIR, and verify it.\n\n" +
			"The server may run. The file is restored into a PostgreSQL of its own, and its rows are counted, before\n" +
			"it counts as a backup; then the oldest are deleted beyond --keep, and those older than\n" +
			"ARPENT_PUBLISHER_LOG_DAYS, except the newest. The server's secret is copied next to it where\n" +
			"ARPENT_SECRET does not hold it. Data is not part of it: arpent load brings it back. Only the user who\n" +
			"runs this can read the files. arpent restore reads them.",
		RunE: func(cmd *cobra.Command, args []string) error {
			b.dir, b.out, b.keepDays = args[0], cmd.OutOrStdout(), e.config.Publisher.LogDays
			return b.writeVerified(cmd.Context(), e.config)
		},
	}
	cmd.Flags().IntVar(&b.keep, "keep", keptBackups, "how many backups stay in DIR at most; 0: no limit by number")
	cmd.Flags().BoolVar(&b.noVerify, "no-verify", false,
		"do not restore the file to verify it, which needs PostgreSQL and PostGIS on this machine")
	return cmd
}

// writeVerified writes a backup, verifies it and deletes those that are too old.
func (b backup) writeVerified(ctx context.Context, c config.Config) error {
	address, release, err := ownerURL(ctx, c)
	if err != nil {
		return err
	}
	defer release()
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of backups: %w", err)
	}
	path := filepath.Join(b.dir, "arpent-"+clock.Real{}.Now().UTC().Format(stampLayout)+dumpSuffix)
	draft := path + draftSuffix
	defer os.Remove(draft)
	rows, err := dumpAccounts(ctx, address, draft)
	if err != nil {
		return err
	}
	verified := "not verified"
	if !b.noVerify {
		if err := verifyDump(ctx, draft, rows); err != nil {
			return fmt.Errorf("verify the backup: %w", err)
		}
		verified = "verified by a restore"
	}
	secret, err := copySecret(c, strings.TrimSuffix(path, dumpSuffix)+secretSuffix)
	if err != nil {
		return err
	}
	if err := os.Rename(draft, path); err != nil {
		return err
	}
	total := 0
	for n := range maps.Values(rows) {
		total += n
	}
	fmt.Fprintf(b.out, "%s: %d rows of %d tables, %s\n%s\n", path, total, len(rows), verified, secret)
	if err := os.WriteFile(c.State(app.BackupMark), []byte(path+"\n"), 0o644); err != nil {
		fmt.Fprintf(b.out, "the metrics of the server do not show this backup: %v\n", err)
	}
	return b.deleteOld()
}

// ownerURL is the address of the database for the user who owns it: one that may only serve can
// neither read all that is kept nor put it back.
func ownerURL(ctx context.Context, c config.Config) (address string, release func(), err error) {
	may, err := command.MayLoad(ctx, c)
	if err != nil {
		return "", nil, err
	}
	if !may {
		return "", nil, errors.New("the user of ARPENT_DATABASE_URL may only serve: " +
			"set ARPENT_DATABASE_OWNER_URL to the address of the user who owns the schema")
	}
	return command.DatabaseURL(ctx, c, pgdb.Role(""))
}

// dumpAccounts writes what has to be kept to a file, and counts the rows of the same moment by table.
func dumpAccounts(ctx context.Context, address, path string) (rows map[string]int, err error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, command.Explain(err)
	}
	defer conn.Close(ctx)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	var moment string
	if err := tx.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&moment); err != nil {
		return nil, err
	}
	if rows, err = countRows(ctx, tx); err != nil {
		return nil, err
	}
	others, err := pgdb.Collect(ctx, tx, pgx.RowTo[string], otherSchemasSQL)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	err = runClient(ctx, address, nil, file, "pg_dump", append(others, "--format=custom", "--no-owner",
		"--no-privileges", "--snapshot="+moment, "--extension=postgis", "--exclude-table-data=geo.*",
		"--exclude-table-data=public.spatial_ref_sys")...)
	return rows, errors.Join(err, file.Sync(), file.Close())
}

// The container image of PostGIS puts schemas and extensions of its own into each database, which another
// server may not have.
const otherSchemasSQL = `
	SELECT '--exclude-schema=' || quote_ident(nspname) FROM pg_namespace
	WHERE nspname <> ALL ('{account,geo,job,public,information_schema}') AND nspname !~ '^pg_'`

const countRowsSQL = `
	SELECT schemaname || '.' || tablename,
	       (xpath('/row/n/text()', query_to_xml(
	           format('SELECT count(*) AS n FROM %I.%I', schemaname, tablename), false, true, '')))[1]::text::int
	FROM pg_tables WHERE schemaname IN ('account', 'job')`

// countRows counts the rows of each table that a backup holds.
func countRows(ctx context.Context, db pgdb.DB) (map[string]int, error) {
	rows := map[string]int{}
	_, err := pgdb.Collect(ctx, db, func(r pgx.CollectableRow) (struct{}, error) {
		var (
			table string
			n     int
		)
		err := r.Scan(&table, &n)
		rows[table] = n
		return struct{}{}, err
	}, countRowsSQL)
	if err == nil && len(rows) == 0 {
		err = errors.New("the database has no tables of accounts: run `arpent migrate`")
	}
	return rows, command.Explain(err)
}

// verifyDump restores a dump into a PostgreSQL that is made for it, and compares the number of rows.
func verifyDump(ctx context.Context, path string, want map[string]int) (err error) {
	dir, err := os.MkdirTemp("", "arpent-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o711); err != nil { // user postgres, as whom root starts it, has to pass
		return err
	}
	place, err := cluster.Folder(ctx, dir) // another one, where user postgres may not pass the folder above
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(place)) }()
	scratch, err := cluster.Start(ctx, cluster.Options{Dir: dir, Volatile: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	address := scratch.URL(cluster.Database)
	if err := restoreDump(ctx, address, path); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	got, err := countRows(ctx, conn)
	if err == nil && !maps.Equal(got, want) {
		err = fmt.Errorf("the restored rows differ by table: %v, and %v in the database", got, want)
	}
	return err
}

// restoreDump reads a dump into a database that has none of its tables: all of it or nothing.
func restoreDump(ctx context.Context, address, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return runClient(ctx, address, file, nil,
		"pg_restore", "--single-transaction", "--no-owner", "--no-comments")
}

// runClient runs a program of PostgreSQL with a database, whose address it gets by the environment: other
// users of the machine can read arguments, and a password in them.
func runClient(ctx context.Context, address string, in io.Reader, out io.Writer, name string,
	args ...string) error {
	database, environment, err := clientEnvironment(address)
	if err != nil {
		return err
	}
	var complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, name, append(args, "--dbname="+database)...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &complaints
	err = cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not installed (Debian: postgresql-client)", name)
	case err != nil:
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(complaints.String()))
	}
	return nil
}

// clientEnvironment returns the name of the database of a URL, and the variables by which programs of
// PostgreSQL find it.
func clientEnvironment(address string) (database string, environment []string, err error) {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		return "", nil, errors.New("read ARPENT_DATABASE_URL: not a PostgreSQL URL")
	}
	hosts, ports := []string{c.Host}, []string{strconv.Itoa(int(c.Port))}
	for _, f := range c.Fallbacks { // further hosts, and the same ones without TLS
		port := strconv.Itoa(int(f.Port))
		if last := len(hosts) - 1; f.Host != hosts[last] || port != ports[last] {
			hosts, ports = append(hosts, f.Host), append(ports, port)
		}
	}
	environment = []string{"PGHOST=" + strings.Join(hosts, ","), "PGPORT=" + strings.Join(ports, ","),
		"PGUSER=" + c.User, "PGPASSWORD=" + c.Password}
	u, err := url.Parse(address)
	if err != nil {
		return "", nil, errors.New("read ARPENT_DATABASE_URL: not a PostgreSQL URL")
	}
	for _, name := range []string{"sslmode", "sslrootcert", "sslcert", "sslkey"} {
		if value := u.Query().Get(name); value != "" {
			environment = append(environment, "PG"+strings.ToUpper(name)+"="+value)
		}
	}
	if attributes := u.Query().Get("target_session_attrs"); attributes != "" {
		environment = append(environment, "PGTARGETSESSIONATTRS="+attributes)
	}
	return c.Database, environment, nil
}

// copySecret copies the server's secret from the state folder, and returns where it is.
func copySecret(c config.Config, path string) (where string, err error) {
	if c.Secret != "" {
		return "the server's secret is in ARPENT_SECRET and not part of the backup: keep it in another place", nil
	}
	content, err := os.ReadFile(app.SecretPath(c))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no secret yet: the first start of the server makes one", nil
	case err != nil:
		return "", fmt.Errorf("read the server's secret: %w", err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("keep the server's secret: %w", err)
	}
	return path + ": the server's secret; keep it apart from the dump", nil
}

// deleteOld deletes the oldest backups beyond those that stay, those that are older than the privacy page
// promises, and what runs that were killed have left. The newest one stays, whatever its age.
func (b backup) deleteOld() error {
	drafts, err := filepath.Glob(filepath.Join(b.dir, "arpent-*Z"+dumpSuffix+draftSuffix))
	if err != nil {
		return err
	}
	for _, draft := range drafts {
		if err := os.Remove(draft); err != nil {
			return fmt.Errorf("delete half a backup: %w", err)
		}
	}
	dumps, err := filepath.Glob(filepath.Join(b.dir, "arpent-*Z"+dumpSuffix))
	if err != nil || len(dumps) == 0 {
		return err
	}
	slices.Sort(dumps) // by time
	surplus := 0
	if b.keep > 0 {
		surplus = max(len(dumps)-b.keep, 0)
	}
	if b.keepDays > 0 {
		oldest := clock.Real{}.Now().UTC().AddDate(0, 0, -b.keepDays).Format(stampLayout)
		expired, _ := slices.BinarySearch(dumps, filepath.Join(b.dir, "arpent-"+oldest+dumpSuffix))
		surplus = max(surplus, min(expired, len(dumps)-1))
	}
	for _, old := range dumps[:surplus] {
		if err := os.Remove(old); err != nil {
			return fmt.Errorf("delete an old backup: %w", err)
		}
		err := os.Remove(strings.TrimSuffix(old, dumpSuffix) + secretSuffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("delete the secret of an old backup: %w", err)
		}
		fmt.Fprintln(b.out, "deleted", old)
	}
	return nil
}

func newRestoreCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Restore a backup into a new database", Args: cobra.ExactArgs(1),
		Long: "Restore a backup into a new database, the one of ARPENT_DATABASE_URL.\n\n" +
			"All servers are stopped. The database has PostGIS and no tables of accounts; docs/operations/backup.md\n" +
			"says how to make it. The secret next to the file goes to the state folder, after one that is there. The\n" +
			"schema is brought up to date; arpent load is next.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return restoreBackup(cmd.Context(), e.config, args[0], cmd.OutOrStdout())
		},
	}
}

func restoreBackup(ctx context.Context, c config.Config, path string, out io.Writer) error {
	address, release, err := ownerURL(ctx, c)
	if err != nil {
		return err
	}
	defer release()
	if err := checkEmpty(ctx, address); err != nil {
		return err
	}
	if err := restoreDump(ctx, address, path); err != nil {
		return fmt.Errorf("%w; the database is as it was", err)
	}
	secret, err := putSecret(c, strings.TrimSuffix(path, dumpSuffix)+secretSuffix)
	if err != nil {
		return err
	}
	if err := command.Migrate(ctx, c); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	rows, err := countRows(ctx, conn)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "restored: %d accounts, %d keys\n%s\n"+
		"next: arpent load, then arpent serve; with Stripe, arpent billing reconcile\n",
		rows["account.account"], rows["account.api_key"], secret)
	return nil
}

// checkEmpty refuses a database that has accounts already: a restore adds to none and replaces none.
func checkEmpty(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return command.Explain(err)
	}
	defer conn.Close(ctx)
	var used, postgis bool
	err = conn.QueryRow(ctx,
		`SELECT to_regnamespace('account') IS NOT NULL,
			EXISTS (SELECT FROM pg_extension WHERE extname = 'postgis')`).
		Scan(&used, &postgis)
	switch {
	case err != nil:
		return err
	case used:
		return errors.New("the database has tables of accounts already: stop the servers, keep it under another " +
			"name, and make a new one (docs/operations/backup.md)")
	case !postgis:
		return errors.New("PostGIS is not in the database: " + command.CreatePostGIS)
	}
	return nil
}

// putSecret puts the secret of a backup into the state folder, and returns what was done.
func putSecret(c config.Config, path string) (done string, err error) {
	content, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no secret is next to the file: set ARPENT_SECRET to that of the server, or second factors are lost",
			nil
	case err != nil:
		return "", fmt.Errorf("read the secret of the backup: %w", err)
	}
	place := app.SecretPath(c)
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return "", err
	}
	file, err := os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return addSecret(place, string(content))
	}
	if err != nil {
		return "", fmt.Errorf("put the server's secret back: %w", err)
	}
	_, err = file.Write(content)
	return place + " has the server's secret", errors.Join(err, file.Sync(), file.Close())
}

// addSecret adds the secret of a backup to those of the state folder, which stay the first ones: what it has
// sealed and signed can be read again.
func addSecret(place, secret string) (done string, err error) {
	held, err := os.ReadFile(place)
	if err != nil {
		return "", fmt.Errorf("read the server's secret: %w", err)
	}
	all, added := app.MergeSecrets(string(held), secret)
	if !added {
		return place + " has the server's secret already", nil
	}
	if err := writeFileAtomic(place, all, 0o600); err != nil {
		return "", fmt.Errorf("add the server's secret: %w", err)
	}
	return place + " has the secret of the backup in addition to its own", nil
}
