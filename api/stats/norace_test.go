//go:build !race

package stats_test

const racing = false
