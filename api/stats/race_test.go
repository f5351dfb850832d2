//go:build race

package stats_test

// racing says that the tests run under the race detector, ten times slower. The national files are read by one goroutine,
// in which it has nothing to find: they are judged without it.
const racing = true
