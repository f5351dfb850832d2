package auth_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/ident"
	"arpent/auth"
)

// What has to be done before an account goes is done with it or not at all: an account whose subscription could not be
// kept to be ended stays, and so does its subscription.
func TestDeletionWaitsForWhatComesBefore(t *testing.T) {
	w := newWorld(t)
	refusal := errors.New("not now")
	var seen []ident.AccountID
	s := auth.New(auth.Options{DB: w.pool, Clock: w.clock, Secret: make([]byte, 32),
		BeforeDelete: func(ctx context.Context, tx pgx.Tx, account ident.AccountID) error {
			var there bool
			if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM account.account WHERE id = $1)`, account).Scan(&there); err != nil || !there {
				t.Errorf("the account is gone already: %v", err)
			}
			if seen = append(seen, account); len(seen) == 1 {
				return refusal
			}
			return nil
		}})
	sess, _ := w.join(jeanne)
	if err := s.Delete(t.Context(), sess, home); !errors.Is(err, refusal) {
		t.Errorf("%v", err)
	}
	var left int
	count := func() int {
		t.Helper()
		if err := w.pool.QueryRow(t.Context(), `SELECT count(*) FROM account.account`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		return left
	}
	if count() != 1 {
		t.Error("the account is gone")
	}
	if err := s.Delete(t.Context(), sess, home); err != nil || count() != 0 || len(seen) != 2 || seen[0] != sess.Account {
		t.Errorf("%v, %d left, %v", err, left, seen)
	}
}
