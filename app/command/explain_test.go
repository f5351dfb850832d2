package command_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/command"
	"arpent/app/dev/testkit"
)

// A database that gives no connection is named by its setting, without the password.
func TestExplainNamesTheSettingOfTheDatabase(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Timeout)
	defer cancel()
	_, err := pgx.Connect(ctx, "postgres://anne:hidden@127.0.0.1:1/arpent")
	if err == nil {
		t.Fatal("port 1 answers")
	}
	text := command.Explain(fmt.Errorf("read the plans: %w", err)).Error()
	if !strings.Contains(text, "ARPENT_DATABASE_URL") || !strings.Contains(text, "read the plans") || !strings.Contains(text, "refused") ||
		strings.Contains(text, "hidden") {
		t.Error(text)
	}
}
