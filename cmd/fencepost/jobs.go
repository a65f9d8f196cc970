package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/batch"
)

// A batchJob is what the flags of batch say.
type batchJob struct {
	config  string
	as      choice
	vars    []*variable
	timeout limit
	memory  bytesize

	state   string
	listen  string
	place   batch.Place
	token   string // a file
	workers count
	cores   count
	lease   limit
	copies  count
	retry   bool

	output choice
	quiet  bool
}

func (j *batchJob) format() fencepost.Format { return fencepost.Format(j.output.value) }

const batchLong = `Batch runs many jobs on many workers: every FILE, and every program in a DIR and below
it, with every combination of the values of the flags. A flag takes several values with
commas in between: --model sc,tso --engine explicit,bmc -D N=2,3. Programs are
checked, and litmus tests run, as by "fencepost litmus"; --as check checks them, too.
Without a FILE, or with --config, a fencepost.yaml says what to check.

The jobs are in a queue on disk, and their results as well, under all that an answer
depends on: the program, its headers, the flags, this version of Fencepost. So the
same command goes on where it was, after Ctrl-C, kill -9 or a loss of power; what has
an answer is not done again. An UNKNOWN is, where --timeout or --memory-limit are others
than they were, or with --retry.

Every worker is a process. --workers N are started here; others join from anywhere at
any time by "fencepost worker", and can be killed at any moment: their jobs
go to others. They need no files. The server of the queue is part of this process, and
hears this machine only unless --listen says otherwise; with --nats it is one of yours
(NATS with JetStream).

On a terminal there is a table of how far it is. Otherwise there is a line for each job,
as it is done, and the table in the end.
` + exitLong

func (a *app) batchCommand() *cobra.Command {
	j := &batchJob{timeout: limit(5 * time.Minute), state: ".fencepost-batch", workers: count(runtime.NumCPU()), cores: 1, lease: limit(10 * time.Second), copies: 1,
		as:     choice{what: "command", value: "auto", known: []string{"auto", "check", "litmus"}},
		output: choice{what: "output format", value: string(fencepost.Text), known: words(fencepost.Text, fencepost.JSON)}}
	cmd := &cobra.Command{
		Use:   "batch [flags] [DIR|FILE...]",
		Short: "Run thousands of jobs on many processes and machines, and go on where they were",
		Long:  batchLong,
		Example: `  fencepost batch --model sc,tso examples
  fencepost batch --workers 8 --model tso --engine explicit,bmc -D N=2,3,4 locks/
  fencepost batch --workers 0 --listen 0.0.0.0:4222 -o json tests/ > results.jsonl
  fencepost batch --nats tls://queue.example.org --creds batch.creds tests/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, root, err := j.settings(cmd, args)
			if err != nil {
				return err
			}
			a.status, err = a.batch(cmd.Context(), j, settings, root)
			var diag *fencepost.Diagnostic
			var usage *batchUsage
			switch {
			case errors.As(err, &usage):
				return usage.err
			case err != nil && (errors.As(err, &diag) || errors.As(err, new(*fencepost.StoppedError)) || errors.As(err, new(*outputError))):
				a.status = a.fail("", fencepost.Text, err)
			case err != nil:
				fmt.Fprintln(a.stderr, "fencepost:", err)
				a.status = exitInput
			}
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&j.workers, "workers", "w", "start `N` workers here; 0: others will come")
	f.Var(&j.cores, "cores", "each of them on `N` cores")
	f.Var(&j.timeout, "timeout", "stop after that time, for each job: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for a worker: 512M, 4G; 0: a fair part of what the machine has free")
	f.StringVar(&j.state, "state", j.state, "keep the queue and the results in `DIR`")
	f.StringVar(&j.listen, "listen", "", "let workers come from elsewhere to `HOST:PORT`; unencrypted (default: this machine only)")
	j.placeFlags(cmd)
	f.Var(&j.copies, "replicas", "hold the queue on `N` servers of a cluster (--nats)")
	f.Var(&j.lease, "lease", "give the job of a worker that is not heard of for so long to another")
	f.BoolVar(&j.retry, "retry", false, "do again what came to no answer, or to an error")
	f.VarP(&j.output, "output", "o", "output format")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the table only (text)")
	f.StringVar(&j.config, "config", "", "do what a `FILE` in YAML says")
	f.Var(&j.as, "as", "what is done with a file; auto: litmus tests are run, and others checked")
	j.vars = variables(f, a.checkCommand().Flags())
	completeChoices(cmd)
	return cmd
}

// placeFlags adds the flags about where the server is.
func (j *batchJob) placeFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&j.place.URL, "nats", "", "the server is at `URL`: nats://HOST:PORT, tls://.., with USER:PASSWORD@ or TOKEN@ in it")
	f.StringVar(&j.token, "token-file", "", "get in by the token in `FILE`")
	f.StringVar(&j.place.Credentials, "creds", "", "get in by the credentials in `FILE`, as NATS has them")
}

// reads the token, where it is in a file.
func (j *batchJob) readToken() error {
	if j.token == "" {
		return nil
	}
	b, err := os.ReadFile(j.token)
	if err != nil {
		return fencepost.Unreadable(j.token, err)
	}
	j.place.Token = strings.TrimSpace(string(b))
	return nil
}

// A batchUsage is an error in the command line.
type batchUsage struct{ err error }

func (u *batchUsage) Error() string { return u.err.Error() }

// settings is what to do, and the folder that the files are named from.
func (j *batchJob) settings(cmd *cobra.Command, args []string) (all []setting, root string, err error) {
	switch {
	case j.lease < limit(time.Second):
		return nil, "", errors.New("--lease: a worker needs a second to be heard of")
	case j.place.URL != "" && (j.listen != "" || cmd.Flags().Changed("state")):
		return nil, "", errors.New("--nats: the server has its own address and state; leave out --listen and --state")
	case j.place.URL == "" && (j.token != "" || j.place.Credentials != "" || j.copies > 1):
		return nil, "", errors.New("--token-file, --creds and --replicas are about a server of yours: name it with --nats")
	case j.cores == 0:
		return nil, "", errors.New("--cores: a worker needs one")
	case j.listen != "" && !strings.Contains(j.listen, ":"):
		return nil, "", fmt.Errorf("--listen: want HOST:PORT, not %q", j.listen)
	}
	flags := choices(j.vars)
	if len(args) > 0 && j.config == "" {
		root = "."
		if info, err := os.Stat(args[0]); err == nil && info.IsDir() && len(args) == 1 {
			root = args[0]
		}
		return []setting{{flags: flags, files: args}}, root, nil
	}
	if len(args) > 0 {
		return nil, "", errors.New("--config: the files stand there; leave out " + args[0])
	}
	path := j.config
	if path == "" {
		if path = configName; !exists(path) {
			return nil, "", errors.New("no file given")
		}
	}
	check := (&app{}).checkCommand().Flags()
	if all, err = readConfig(path, check); err == nil {
		err = doable(all)
	}
	for i := range all {
		all[i].flags = slices.Concat(flags, all[i].flags)
	}
	return all, filepath.Dir(path), err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A jobMaker makes jobs of tasks. Those of one file follow one another, with the same texts, which are written once.
type jobMaker struct {
	texts texts
	json  []byte // them
}

// job is a task as work, under all that its answer depends on, as a number.
func (m *jobMaker) job(t *task, limits []string) (*batch.Job, error) {
	version, err := checker()
	if err != nil {
		return nil, err
	}
	if m.json == nil || !maps.Equal(t.Texts, m.texts) {
		if m.json, err = t.Texts.MarshalJSON(); err != nil {
			return nil, err
		}
		m.texts = t.Texts
	}
	rest := *t
	rest.Texts = nil
	work, err := json.Marshal(&rest)
	if err != nil {
		return nil, err
	}
	work = slices.Concat(work[:len(work)-1], []byte(`,"texts":`), m.json, []byte("}"))
	h := sha256.New()
	fmt.Fprintf(h, "%q ", version)
	h.Write(work)
	return &batch.Job{Key: hex.EncodeToString(h.Sum(nil)), Limits: limits, Work: work}, nil
}

// makeJobs is [jobMaker.job] of all tasks, side by side: until it is done the workers have nothing to do.
func makeJobs(tasks []*task, limits [][]string) ([]*batch.Job, error) {
	jobs, errs := make([]*batch.Job, len(tasks)), make([]error, len(tasks))
	var wg sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for k := range n {
		wg.Go(func() {
			var m jobMaker
			for i := k * len(tasks) / n; i < (k+1)*len(tasks)/n; i++ {
				jobs[i], errs[i] = m.job(tasks[i], limits[i])
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// A batchRun is a batch that is at work.
type batchRun struct {
	a        *app
	j        *batchJob
	q        *batch.Queue
	board    *board
	sum      fencepost.BatchSummary
	begun    time.Time
	jobs     map[string]*fencepost.BatchJob // by key; those without a result
	statuses map[int]bool
}

// batch does the jobs. An error is one of the surroundings.
func (a *app) batch(ctx context.Context, j *batchJob, settings []setting, root string) (status int, err error) {
	if err := j.readToken(); err != nil {
		return 0, err
	}
	r := &batchRun{a: a, j: j, begun: time.Now(), jobs: map[string]*fencepost.BatchJob{}, statuses: map[int]bool{exitSafe: true}}
	r.sum.Place = root
	go checker() // beside the reading: it may have to read this program
	todo, err := r.find(settings, root)
	if err != nil {
		return 0, err
	}
	own := j.place.URL == ""
	if own {
		s, err := batch.Serve(j.state, j.listen)
		if err != nil {
			return 0, fmt.Errorf("--state %s: %w", j.state, err)
		}
		defer s.Close()
		j.place = s.Place()
		r.greet(s)
	}
	version, err := checker()
	if err != nil {
		return 0, err
	}
	r.q, err = batch.Open(ctx, j.place, batch.Options{Version: version, Lease: time.Duration(j.lease), Replicas: int(j.copies)})
	if err != nil {
		return 0, fmt.Errorf("the server of the queue: %w", err)
	}
	defer r.q.Close()
	if own {
		if _, err := r.q.Withdraw(ctx, groups(todo)...); err != nil {
			return 0, fmt.Errorf("the queue: %w", err)
		}
	}
	r.board = newBoard(a, &r.sum, version)
	defer r.board.close()
	r.q.Trouble(func(why string) {
		r.board.note("the queue takes nothing at the moment (" + why + "); is the disk full?")
	})
	if err := r.q.Pulses(r.board.pulse); err != nil {
		return 0, err
	}
	return r.work(ctx, todo)
}

// greet says how workers come.
func (r *batchRun) greet(s *batch.Server) {
	if s.Moved > 0 {
		fmt.Fprintf(r.a.stderr, "fencepost: somebody else has port %d, which the queue had; workers from before will not find it\n", s.Moved)
	}
	if r.j.workers == 0 || r.j.listen != "" {
		fmt.Fprintf(r.a.stderr, "fencepost: workers come by\n  fencepost worker --nats %s --token-file %s\n", s.URL, s.TokenFile)
	}
}

// find makes the jobs.
func (r *batchRun) find(settings []setting, root string) (todo []*batch.Job, err error) {
	said := map[string]bool{}
	warn := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			fmt.Fprintln(r.a.stderr, "fencepost: "+text)
		}
	}
	x := &finder{root: root, texts: map[string]string{}, warn: warn, limits: []string{"--timeout=" + given(&r.j.timeout)}}
	if r.j.memory > 0 {
		x.limits = append(x.limits, "--memory-limit="+r.j.memory.String())
	}
	if r.j.as.value != "auto" {
		x.command = r.j.as.value
	}
	var tasks []*task
	var limits [][]string
	err = x.of(settings, func(t *task, l []string) error {
		tasks, limits = append(tasks, t), append(limits, l)
		return nil
	})
	var jobs []*batch.Job
	if err == nil {
		jobs, err = makeJobs(tasks, limits)
	}
	for i, job := range jobs {
		if r.jobs[job.Key] != nil {
			continue
		}
		b, t := &fencepost.BatchJob{}, tasks[i]
		b.Command, b.File, b.Flags, b.Key = t.Command, t.File, t.Flags, job.Key
		r.jobs[job.Key] = b
		r.sum.Expect(&b.Job)
		todo = append(todo, job)
	}
	var diag *fencepost.Diagnostic
	if err != nil && !errors.As(err, &diag) {
		err = &batchUsage{err}
	}
	return todo, err
}

// work puts the jobs that have no result into the queue, and waits for the results.
func (r *batchRun) work(ctx context.Context, todo []*batch.Job) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var crew *batch.Crew
	defer func() {
		if crew != nil {
			crew.Stop()
		}
	}()
	wanted := map[string]*batch.Job{}
	for _, j := range todo {
		wanted[j.Key] = j
	}
	var again []string // results that are none any more
	var failed error
	fresh := false // what comes now is new
	err := r.q.Results(ctx, func(res *batch.Result) bool {
		switch {
		case res == nil:
			fresh = true
			if crew, failed = r.submit(ctx, cancel, todo, again); failed != nil {
				return false
			}
		case r.jobs[res.Key] == nil: // of another batch
		case !fresh && (r.j.retry && !res.Decided || res.Again(wanted[res.Key].Limits)):
			again = append(again, res.Key)
		default:
			r.done(res, !fresh)
		}
		if failed = r.board.broken(); failed != nil {
			return false
		}
		return len(r.jobs) > 0 || !fresh
	})
	if err == nil {
		err = failed
	}
	if cause := context.Cause(ctx); len(r.jobs) > 0 && err == nil && cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if len(r.jobs) > 0 {
		r.statuses[exitUnknown] = true
		r.sum.Reason = "stopped " + fencepost.Because(ctx) + "; the same command goes on"
		if err != nil {
			r.sum.Reason = err.Error()
		}
	}
	r.board.close()
	r.sum.Elapsed = time.Since(r.begun)
	style := r.style()
	if e := r.sum.Print(r.a.stdout, style); e != nil && err == nil {
		err = &outputError{err: e}
	}
	r.a.end(r.statuses)
	return r.a.status, err
}

func (r *batchRun) style() fencepost.Style {
	return fencepost.Style{Format: r.j.format(), Width: width(r.a.stdout), Colour: colour(r.a.stdout)}
}

// submit puts the jobs into the queue, once it is known which have results, and hires workers.
func (r *batchRun) submit(ctx context.Context, cancel context.CancelCauseFunc, todo []*batch.Job, again []string) (*batch.Crew, error) {
	for _, key := range again {
		if err := r.q.Forget(ctx, key); err != nil {
			return nil, err
		}
	}
	if len(r.jobs) == 0 {
		return nil, nil
	}
	var c *batch.Crew
	if r.j.workers > 0 {
		n := min(int(r.j.workers), len(r.jobs))
		hands, err := hands(r.j.place, int(r.j.cores), fencepost.DefaultMemoryLimit()/int64(n), 0)
		if err != nil {
			return nil, err
		}
		c = batch.Hire(n, hands, r.board.note)
		go func() {
			<-c.Gone()
			if err := c.Err(); err != nil {
				cancel(err)
			}
		}()
	}
	s := r.q.Submit(ctx)
	for _, group := range groups(todo) {
		left := 0
		for _, j := range group {
			if r.jobs[j.Key] != nil {
				left++
			}
		}
		if left == 0 {
			continue
		}
		large, err := s.AddAll(group, left < len(group))
		if err != nil {
			return c, fmt.Errorf("the queue: %w", err)
		}
		for j, err := range large {
			if r.jobs[j.Key] != nil {
				r.done(&batch.Result{Key: j.Key, Refused: err.Error()}, false)
			}
		}
	}
	if err := s.Wait(); err != nil && ctx.Err() == nil {
		return c, fmt.Errorf("the queue: %w", err)
	}
	return c, nil
}

const (
	mostGrouped = 64        // jobs in a message
	largeGroup  = 128 << 10 // bytes in one, from which on there are no more jobs in it
	// fewestGroups is how many messages there are at least, if there are as many jobs: workers share them.
	fewestGroups = 64
	// lastGroups is how many there are at least of the jobs that are left, at any time: in the end nobody has many of them.
	lastGroups = 16
)

// groups cuts the jobs of a batch into those that go through the queue together. It does so in the same way whatever is
// left to do, so that the queue knows the groups again.
func groups(all []*batch.Job) (cut [][]*batch.Job) {
	for rest := all; len(rest) > 0; {
		most := max(min(len(all)/fewestGroups, mostGrouped, len(rest)/lastGroups), 1)
		n := 0
		for size := 0; n < most && size < largeGroup; n++ {
			size += len(rest[n].Work)
		}
		cut, rest = append(cut, rest[:n]), rest[n:]
	}
	return cut
}

// done takes in a result.
func (r *batchRun) done(res *batch.Result, kept bool) {
	b := r.jobs[res.Key]
	delete(r.jobs, res.Key)
	b.Worker, b.Kept = res.Worker, kept
	o := &outcome{Status: exitInput}
	var problem error
	switch {
	case res.Lost > 0:
		problem = fmt.Errorf("%d workers have begun with it, and were not heard of again; --retry tries others", res.Lost)
		o.Status = exitUnknown
	case res.Refused != "":
		problem = errors.New("the server does not take it: " + res.Refused)
	default:
		o.Status, o.Object = res.Status, res.Answer
		if r.j.quiet || r.j.format() == fencepost.Text { // JSON passes the answer on: it had better be one
			b.Brief = res.Brief
		}
	}
	if problem != nil {
		var out strings.Builder
		fencepost.PrintError(&out, b.File, problem)
		o.Object = json.RawMessage(strings.TrimSpace(out.String()))
	}
	b.Result = o.Object
	if b.Verdict() == "-" { // the model is for others
		o.Status = exitSafe
	}
	r.statuses[o.Status] = true
	r.board.add(b)
	if r.j.quiet || kept && r.j.format() == fencepost.Text {
		return
	}
	r.board.print(func() error { return b.Print(r.a.stdout, r.style()) })
}

// hands is the command of a worker, for [batch.Hire].
func hands(p batch.Place, cores int, memory int64, idle time.Duration) (command func() *exec.Cmd, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	orders, err := json.Marshal(workerOrders{Place: p, Host: host, Memory: memory, Idle: idle})
	if err != nil {
		return nil, err
	}
	return func() *exec.Cmd {
		cmd := exec.Command(self, workerChild)
		cmd.Env = append(os.Environ(), ordersVariable+"="+string(orders), fmt.Sprintf("GOMAXPROCS=%d", cores))
		return cmd
	}, nil
}
