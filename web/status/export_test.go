package status

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

func (p *Prober) Save(ctx context.Context)    { p.saveMeasurements(ctx) }
func (p *Prober) Refresh(ctx context.Context) { p.refreshHistory(ctx) }
func (p *Prober) UsePool(pool *pgxpool.Pool)  { p.o.Pool = pool }
