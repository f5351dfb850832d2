//go:build !race

package geocode_test

const racing = false
