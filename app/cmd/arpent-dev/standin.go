package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"arpent/api/topic"
	"arpent/app/base/config"
	"arpent/app/dev/standin"
)

const (
	standInHeaderTimeout = 10 * time.Second
	standInDrainTimeout  = 5 * time.Second
)

func newStandInCommand(e *env) *cobra.Command {
	var port uint16
	cmd := &cobra.Command{
		Use: "standin", Short: "Serve the files of ARPENT_DATA in place of the producers of open data", Args: cobra.NoArgs,
		Long: "Answers on 127.0.0.1 as the producers would, with the files of ARPENT_DATA under their official addresses: where the producers\n" +
			"cannot be reached, arpent fetch is tried with ARPENT_MIRROR set to its address. For development only: it has what the folder has,\n" +
			"a département of which there is one commune has that commune alone, and everything else answers 404.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.config.Mode != config.Development {
				return errors.New("the stand-in for the producers is for ARPENT_MODE=development: production asks the producers themselves")
			}
			s, err := standin.New(topic.Sources(), e.config.DataDir, time.Now())
			if err != nil {
				return err
			}
			return serveStandIn(cmd.Context(), cmd.OutOrStdout(), s, net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
		},
	}
	cmd.Flags().Uint16Var(&port, "port", 0, "port on 127.0.0.1; 0: any that is free")
	return cmd
}

// serveStandIn serves until ctx is done, and then logs what each host was asked.
func serveStandIn(ctx context.Context, out io.Writer, s *standin.StandIn, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: standInHeaderTimeout}
	fmt.Fprintf(out, "\n  A STAND-IN for the producers of open data, for development only, is at http://%[1]s\n\n  Fetch from it with\n"+
		"    export ARPENT_MIRROR=http://%[1]s\n\n", listener.Addr())
	stopped := context.AfterFunc(ctx, func() {
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), standInDrainTimeout)
		defer cancel()
		if err := server.Shutdown(drain); err != nil {
			slog.Warn("stand-in not drained", "error", err)
		}
	})
	defer stopped()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	for _, c := range s.Counts() {
		slog.Info("stand-in asked", "host", c.Host, "requests", c.Requests, "missing", c.Missing, "bytes", c.Bytes, "file_bytes", c.FileBytes)
	}
	return nil
}
