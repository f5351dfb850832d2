package fault

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// unavailableClasses are the beginnings of the codes with which PostgreSQL refuses
// every client for now: a connection that broke, no place for one more or on the
// disk, a shutdown or a start under way, a standby that only reads.
var unavailableClasses = []string{"08", "53", "57P", "25006"}

// isUnavailable reports whether err means that a dependency did not answer, or
// answers no client at the moment.
func isUnavailable(err error) bool {
	var (
		connect *pgconn.ConnectError
		network *net.OpError
		pg      *pgconn.PgError
	)
	if errors.As(err, &pg) && !errors.As(err, &connect) {
		return slices.ContainsFunc(unavailableClasses, func(class string) bool {
			return strings.HasPrefix(pg.Code, class)
		})
	}
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		pgconn.SafeToRetry(err)
}
