package testkit_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/app/dev/testkit"
)

// Two tests never see each other's rows, and each starts from the migrated schema.
func TestDatabasesAreSeparate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	one, _ := testkit.DB(t)
	begin := time.Now()
	two, url := testkit.DB(t)
	t.Logf("clone and open: %v", time.Since(begin))
	if url == "" {
		t.Fatal("no address")
	}
	_, err := one.Exec(ctx, "INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France')")
	testkit.NoError(t, err)
	var rows int
	testkit.NoError(t, two.QueryRow(ctx, "SELECT count(*) FROM geo.region").Scan(&rows))
	if rows != 0 {
		t.Errorf("the second database sees %d rows of the first", rows)
	}
	var valid bool
	if err := one.QueryRow(ctx, "SELECT ST_IsValid(ST_MakePoint(2, 48))").Scan(&valid); err != nil || !valid {
		t.Errorf("PostGIS in the test database: %v, %v", valid, err)
	}
}

// A test that kills Redis and starts it again has a server that really went away and came back.
func TestRedisCanBeKilledAndStarted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	server := testkit.NewRedis(t)
	o, err := redis.ParseURL(server.URL)
	testkit.NoError(t, err)
	o.MaxRetries = -1
	client := redis.NewClient(o)
	defer client.Close()
	testkit.NoError(t, client.Ping(ctx).Err())
	server.Kill()
	if err := client.Ping(ctx).Err(); err == nil {
		t.Fatal("the killed server answers")
	}
	server.Start()
	testkit.NoError(t, client.Ping(ctx).Err())
}
