//go:build !soak

package testkit

const soaking = false
