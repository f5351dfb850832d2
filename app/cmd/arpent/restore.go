package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"arpent/app/command"
	"arpent/internal/config"
)

func newRestoreCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Restore a backup into a new database", Args: cobra.ExactArgs(1),
		Long: "Restore a backup into a new database, the one of ARPENT_DATABASE_URL.\n\n" +
			"All servers are stopped. The database has PostGIS and no tables of accounts; docs/operations/backup.md\n" +
			"says how to make it. The secret next to the file goes to the state folder where there is none. The schema\n" +
			"is brought up to date; arpent load is next.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return restore(cmd.Context(), e.config, args[0], cmd.OutOrStdout())
		},
	}
}

func restore(ctx context.Context, c config.Config, path string, out io.Writer) error {
	address, release, err := ownerURL(ctx, c)
	if err != nil {
		return err
	}
	defer release()
	if err := checkEmpty(ctx, address); err != nil {
		return err
	}
	if err := restoreDump(ctx, address, path); err != nil {
		return fmt.Errorf("%w; make the database anew before the next attempt (docs/operations/backup.md)", err)
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
	place := c.State("secret")
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return "", err
	}
	file, err := os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return place + " stays as it is; the secret of the backup is " + path, nil
	}
	if err != nil {
		return "", fmt.Errorf("put the server's secret back: %w", err)
	}
	_, err = file.Write(content)
	return place + " has the server's secret", errors.Join(err, file.Sync(), file.Close())
}
