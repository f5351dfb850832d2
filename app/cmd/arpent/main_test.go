package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// Whoever reports a fault can say which version has it, also when the configuration is why nothing starts.
func TestVersion(t *testing.T) { // not parallel: commands read the environment
	t.Setenv("PORT", "nine")
	out, err := arpent(t, "", "version")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, out, "arpent ", runtime.Version())
	built := []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}, {Key: "vcs.revision", Value: "47a3f35"}, {Key: "vcs.modified", Value: "true"}}
	for want, got := range map[string]buildVersion{
		"arpent v1.2-3-g47a3f35, go1.26.0":                             versionOf("v1.2-3-g47a3f35", &debug.BuildInfo{GoVersion: "go1.26.0"}),
		"arpent v1.2 (commit 47a3f35, modified), go1.26.0 linux/arm64": versionOf("v1.2", &debug.BuildInfo{GoVersion: "go1.26.0", Settings: built}),
		"arpent 47a3f35, modified, go1.26.0 linux/arm64":               versionOf("", &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}, Settings: built}),
		"arpent unknown, go1.26.0":                                     versionOf("", &debug.BuildInfo{GoVersion: "go1.26.0"}),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
