package command_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/command"
)

// A database that gives no connection is named by its setting, without the password.
func TestExplainNamesTheSettingOfTheDatabase(t *testing.T) {
	t.Parallel()
	_, err := pgx.Connect(context.Background(), "postgres://anne:hidden@127.0.0.1:1/arpent")
	if err == nil {
		t.Fatal("port 1 answers")
	}
	text := command.Explain(err).Error()
	if !strings.Contains(text, "ARPENT_DATABASE_URL") || !strings.Contains(text, "refused") ||
		strings.Contains(text, "hidden") {
		t.Error(text)
	}
}
