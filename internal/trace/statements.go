package trace

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Statements has the statements of a request recorded, and its waiting for a connection: pgx calls it.
type Statements struct{}

var (
	_ pgx.QueryTracer       = Statements{}
	_ pgx.BatchTracer       = Statements{}
	_ pgxpool.AcquireTracer = Statements{}
)

type statementKey struct{} // of the part that a statement is

// TraceQueryStart implements pgx.QueryTracer.
func (Statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn,
	q pgx.TraceQueryStartData) context.Context {
	return startStatement(ctx, "statement", q.SQL)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (Statements) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	endStatement(ctx, q.Err)
}

// TraceAcquireStart implements pgxpool.AcquireTracer.
func (Statements) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool,
	_ pgxpool.TraceAcquireStartData) context.Context {
	return startStatement(ctx, "wait for a connection", "")
}

// TraceAcquireEnd implements pgxpool.AcquireTracer.
func (Statements) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, q pgxpool.TraceAcquireEndData) {
	endStatement(ctx, q.Err)
}

// TraceBatchStart implements pgx.BatchTracer. A batch is one part: the database sends the
// answers to all of its statements together.
func (Statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn,
	q pgx.TraceBatchStartData) context.Context {
	if ctx.Value(contextKey{}) == nil {
		return ctx
	}
	var all []string
	for _, one := range q.Batch.QueuedQueries {
		all = append(all, one.SQL)
	}
	return startStatement(ctx, "batch", strings.Join(all, ";\n"))
}

// TraceBatchQuery implements pgx.BatchTracer.
func (Statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (Statements) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, q pgx.TraceBatchEndData) {
	endStatement(ctx, q.Err)
}

func startStatement(ctx context.Context, name, statement string) context.Context {
	inner, s := startSpan(ctx, name, statement)
	if s.request == nil {
		return ctx
	}
	return context.WithValue(inner, statementKey{}, s)
}

func endStatement(ctx context.Context, err error) {
	if s, recorded := ctx.Value(statementKey{}).(Span); recorded {
		s.endWithState(stateOf(err))
	}
}

// stateOf says what went wrong without the words of the database, which may repeat what somebody sent.
func stateOf(err error) string {
	var pg *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, pgx.ErrNoRows):
		return ""
	case errors.As(err, &pg):
		return pg.Code
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case errors.Is(err, context.Canceled):
		return "canceled"
	default:
		return "failed"
	}
}
