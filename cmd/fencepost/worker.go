package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/batch"
)

const (
	// workerChild is the command by which the process calls itself to be a worker.
	workerChild = "worker-child"
	// ordersVariable names the environment variable that tells it what to do: a command line is for all to
	// read, and there is a token in it.
	ordersVariable = "FENCEPOST_WORKER"
	// workerGarbage is how much garbage a worker collects at a time, in percent of what it holds.
	workerGarbage = 400
)

// workerOrders are what a worker is told.
type workerOrders struct {
	Place  batch.Place
	Host   string
	Memory int64 // for a job that says nothing itself
	Idle   time.Duration

	folder string // for the models of a job; "": there is none yet
}

func (a *app) workerCommand() *cobra.Command {
	j := &batchJob{workers: count(runtime.NumCPU()), cores: 1}
	var idle limit
	cmd := &cobra.Command{
		Use:   "worker [flags] --nats URL",
		Short: "Do jobs of batches that others have begun",
		Long: `Worker starts processes that do jobs of the batches at a server: that of a "fencepost
batch", which says by what command workers come, or a NATS server of your own. They
need no files, and can be killed at any moment. When the server goes away, they wait
until it is there again. They take jobs of batches of the very same version of
Fencepost.

Who may put jobs into the queue decides what is computed here, and no more: a job reads
what it brings with it, and runs no other program.

Exit status: 0 when there were no jobs for the time of --idle, or after Ctrl-C, 2 usage
error, or the server cannot be used.`,
		Example: `  fencepost worker --nats nats://10.0.0.7:4222 --token-file token
  fencepost worker --nats tls://queue.example.org --creds batch.creds --workers 16 --idle 10m`,
		Args: files(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case j.place.URL == "":
				return errors.New("no server given: --nats URL (fencepost batch says which)")
			case j.workers == 0 || j.cores == 0:
				return errors.New("--workers, --cores: it takes one")
			}
			err := j.readToken()
			if err == nil {
				err = a.worker(cmd.Context(), j, time.Duration(idle))
			}
			if err != nil {
				fmt.Fprintln(a.stderr, "fencepost:", err)
				a.status = exitInput
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.SortFlags = false
	j.placeFlags(cmd)
	f.VarP(&j.workers, "workers", "w", "start `N` of them")
	f.Var(&j.cores, "cores", "each of them on `N` cores")
	f.Var(&j.memory, "memory-limit", "memory for each, where a job does not say: 512M, 4G; 0: a fair part of what the machine has free")
	f.Var(&idle, "idle", "end when there has been nothing to do for so long; 0: never")
	return cmd
}

// worker keeps workers until ctx ends, or they have nothing to do.
func (a *app) worker(ctx context.Context, j *batchJob, idle time.Duration) error {
	memory := int64(j.memory)
	if memory == 0 {
		memory = fencepost.DefaultMemoryLimit() / int64(j.workers)
	}
	hands, err := hands(j.place, int(j.cores), memory, idle)
	if err != nil {
		return err
	}
	if err := batch.Reach(j.place); err != nil {
		server := j.place.URL
		if u, err := url.Parse(server); err == nil {
			server = u.Redacted()
		}
		fmt.Fprintf(a.stderr, "fencepost: %s does not answer now (%v); the workers wait until it does\n", server, err)
	}
	crew := batch.Hire(int(j.workers), hands, func(s string) { fmt.Fprintln(a.stderr, "fencepost:", s) })
	defer crew.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-crew.Gone():
		return crew.Err()
	}
}

// workerChildCommand is a worker itself.
func (a *app) workerChildCommand() *cobra.Command {
	return &cobra.Command{Use: workerChild, Hidden: true, Args: files(0, 0), RunE: func(cmd *cobra.Command, _ []string) error {
		var o workerOrders
		if err := json.Unmarshal([]byte(os.Getenv(ordersVariable)), &o); err != nil {
			return fmt.Errorf("this command is for fencepost itself: %w", err)
		}
		os.Unsetenv(ordersVariable)
		ctx, cancel := batch.Until(cmd.Context(), a.stdin)
		defer cancel()
		if err := o.work(ctx); err != nil {
			fmt.Fprintln(a.stderr, err)
			a.status = exitInput
		}
		return nil
	}}
}

// work does jobs until ctx ends.
func (o *workerOrders) work(ctx context.Context) error {
	version, err := checker()
	if err != nil {
		return err
	}
	searchModels = func(string) {} // of this machine
	if os.Getenv("GOGC") == "" {
		// A job leaves little behind, and thousands follow: collecting that little over and over takes a
		// sixth of the time. A job that comes near its limit has it collected anyway.
		debug.SetGCPercent(workerGarbage)
	}
	q, err := batch.Connect(o.Place, version, true)
	if err != nil {
		return err
	}
	defer q.Close()
	defer func() {
		if o.folder != "" {
			os.Chdir(os.TempDir()) // it is where we are
			os.RemoveAll(o.folder)
		}
	}()
	w := &batch.Worker{Name: fmt.Sprintf("%s-%d", o.Host, os.Getpid()), Idle: o.Idle, Do: o.do, Label: func(j *batch.Job) string {
		var t task
		json.Unmarshal(j.Work, &t)
		return strings.Join(append([]string{t.File}, t.Flags...), " ")
	}}
	return w.Work(ctx, q)
}

// do does a job of the queue.
func (o *workerOrders) do(ctx context.Context, j *batch.Job) *batch.Result {
	var t task
	err := json.Unmarshal(j.Work, &t)
	if err != nil {
		return &batch.Result{Refused: err.Error()}
	}
	limits := j.Limits
	if o.Memory > minMemory && !hasFlag(limits, "memory-limit") {
		limits = append(limits[:len(limits):len(limits)], fmt.Sprintf("--memory-limit=%d", o.Memory))
	}
	if len(t.Models) > 0 {
		if err := o.clean(); err != nil {
			return &batch.Result{Refused: err.Error()}
		}
	}
	out := t.do(ctx, limits)
	return &batch.Result{Status: out.Status, Answer: out.Object, Brief: fencepost.BatchBrief(out.Object), Decided: out.Status == exitSafe || out.Status == exitUnsafe}
}

// clean makes an empty folder the current one: a model includes files of its job, or what is built in,
// and none that a job before has left.
func (o *workerOrders) clean() error {
	old := o.folder
	folder, err := os.MkdirTemp("", "fencepost-worker")
	if err != nil {
		return err
	}
	if o.folder = folder; old != "" {
		defer os.RemoveAll(old)
	}
	return os.Chdir(folder)
}

func hasFlag(flags []string, name string) bool {
	for _, f := range flags {
		if flagName(f) == name {
			return true
		}
	}
	return false
}
