//go:build race

package geocode_test

// racing says that the tests run under the race detector, ten times slower: what goes through all
// communes of France takes a sample of them then.
const racing = true
