package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	switch os.Getenv("FENCEPOST_TEST_WORKER") {
	case "ends":
		fmt.Fprintln(os.Stderr, "no use")
		os.Exit(7)
	case "ends once":
		if f, err := os.OpenFile(os.Getenv("FENCEPOST_TEST_MARK"), os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			f.Close()
			os.Exit(9)
		}
		ctx, _ := Until(context.Background(), os.Stdin)
		<-ctx.Done()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const lease = 500 * time.Millisecond

// A site is a server with those who use it.
type site struct {
	*testing.T
	dir string
	s   *Server

	mu   sync.Mutex
	runs map[string]int // how often each job was begun
}

func newSite(t *testing.T) *site {
	x := &site{T: t, dir: t.TempDir(), runs: map[string]int{}}
	x.serve()
	t.Cleanup(func() { x.s.Close() })
	return x
}

func (x *site) serve() {
	x.Helper()
	s, err := Serve(x.dir, "")
	if err != nil {
		x.Fatal(err)
	}
	x.s = s
}

func (x *site) place() Place { return Place{URL: x.s.URL, Token: x.s.Token} }

func (x *site) open() *Queue {
	x.Helper()
	q, err := Open(x.Context(), x.place(), Options{Version: "v", Lease: lease})
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(q.Close)
	return q
}

// work is a worker, until stop.
func (x *site) work(name string, do func(ctx context.Context, key string) bool) (q *Queue, stop func()) {
	x.Helper()
	q, err := Connect(x.place(), "v", true)
	if err != nil {
		x.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Worker{Name: name, Label: func(j *Job) string { return j.Key }, Do: func(ctx context.Context, j *Job) *Result {
		x.mu.Lock()
		x.runs[j.Key]++
		x.mu.Unlock()
		return &Result{Decided: do == nil || do(ctx, j.Key), Answer: json.RawMessage(fmt.Sprintf("%q", name))}
	}}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := w.Work(ctx, q); err != nil {
			x.Error(err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); wg.Wait(); q.Close() })
	x.Cleanup(stop)
	return q, stop
}

// lose is n workers, one after the other, each of which is lost when it begins with a job of that key, as if it were
// killed: it can say nothing any more. They are waited for after end.
func (x *site) lose(n int, key string) (end func()) {
	x.Helper()
	forever, gone := make(chan bool), make(chan bool)
	for i := range n {
		var me *Queue
		me, _ = x.work(fmt.Sprint("w", i), func(_ context.Context, k string) bool {
			if k == key {
				me.conn.Close()
				gone <- true
				<-forever
			}
			return true
		})
		<-gone
	}
	return func() { close(forever) }
}

func (x *site) submit(q *Queue, keys []string) {
	x.Helper()
	s := q.Submit(x.Context())
	for _, k := range keys {
		if err := s.Add(&Job{Key: k, Work: json.RawMessage(`{"text":"` + strings.Repeat(k, 3) + `"}`)}); err != nil {
			x.Fatal(err)
		}
	}
	if err := s.Wait(); err != nil {
		x.Fatal(err)
	}
}

// results waits for as many of them.
func (x *site) results(q *Queue, n int) map[string]*Result {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.Context(), 30*time.Second)
	defer cancel()
	all := map[string]*Result{}
	err := q.Results(ctx, func(r *Result) bool {
		if r != nil {
			if all[r.Key] != nil {
				x.Errorf("%s counts twice", r.Key)
			}
			all[r.Key] = r
		}
		return len(all) < n
	})
	if err != nil || ctx.Err() != nil {
		x.Fatalf("%d of %d: %v %v", len(all), n, err, ctx.Err())
	}
	return all
}

func keys(n int) (ks []string) {
	for i := range n {
		ks = append(ks, fmt.Sprintf("k%03d", i))
	}
	return ks
}

// TestOnce: what is there is not done again, however often it is asked for.
func TestOnce(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	ks := keys(100)
	x.submit(q, ks)
	x.submit(q, ks) // while it is in the queue
	for i := range 3 {
		x.work(fmt.Sprint("w", i), nil)
	}
	got := x.results(q, len(ks))
	x.submit(q, append(ks, "new")) // with their results there
	x.results(q, len(ks)+1)
	if !slices.Equal(slices.Sorted(maps.Keys(got)), ks) {
		t.Errorf("results of %v", slices.Sorted(maps.Keys(got)))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for k, n := range x.runs {
		if n != 1 {
			t.Errorf("%s ran %d times", k, n)
		}
	}
}

// TestLost: the job of a worker that is heard of no more goes to another one.
func TestLost(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	begun := make(chan bool, 1)
	forever := make(chan bool)
	defer close(forever)
	first, _ := x.work("first", func(context.Context, string) bool { begun <- true; <-forever; return true })
	x.submit(q, keys(1))
	<-begun
	first.conn.Close() // as if it were killed: it can say nothing any more
	x.work("second", nil)
	if r := x.results(q, 1)["k000"]; r.Worker != "second" {
		t.Errorf("done by %s", r.Worker)
	}
}

// TestSlow: a worker that has been taken for lost may come to an end; that does not count.
func TestSlow(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	begun, on, ended := make(chan bool, 1), make(chan bool), make(chan bool, 1)
	first, _ := x.work("first", func(context.Context, string) bool {
		begun <- true
		<-on
		ended <- true
		return true
	})
	x.submit(q, keys(1))
	<-begun
	first.conn.ForceReconnect()
	x.s.Close() // and no word comes through
	x.serve()
	q2 := x.open()
	close(on)
	<-ended
	x.work("second", nil)
	x.results(q2, 1)
	x.submit(q2, []string{"more"})
	x.results(q2, 2)
}

// TestStrikes: a job that is the end of every worker is given up.
func TestStrikes(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	x.submit(q, []string{"bad", "good"})
	defer x.lose(maxStrikes+1, "bad")()
	x.work("last", nil)
	all := x.results(q, 2)
	if r := all["bad"]; r.Lost != maxStrikes+1 || r.Decided {
		t.Errorf("%+v", r)
	}
	if r := all["good"]; r.Lost != 0 || !r.Decided {
		t.Errorf("%+v", r)
	}
	if !all["bad"].Again([]string{"more time"}) || all["bad"].Again(nil) || all["good"].Again([]string{"more time"}) {
		t.Error("what is to be done again")
	}
	if err := q.Forget(t.Context(), "bad"); err != nil {
		t.Fatal(err)
	}
	x.submit(q, []string{"bad"})
	if r := x.results(q, 2)["bad"]; !r.Decided {
		t.Errorf("%+v", r)
	}
}

// TestRestart: the queue is there again after the server, and those who work go on.
func TestRestart(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	ks := keys(60)
	x.submit(q, ks)
	block := make(chan bool)
	for i := range 2 {
		x.work(fmt.Sprint("w", i), func(ctx context.Context, key string) bool {
			if key >= "k030" {
				<-block
			}
			return true
		})
	}
	x.results(q, 30)
	q.Close()
	x.s.Close()
	close(block) // their results find no server
	x.serve()
	q = x.open()
	x.submit(q, ks)
	x.results(q, len(ks))
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range ks {
		if x.runs[k] == 0 {
			t.Errorf("%s did not run", k)
		}
	}
}

// TestRelease: nothing waits behind a job that takes long while somebody has nothing to do.
func TestRelease(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	ks := keys(200)
	on := make(chan bool)
	x.submit(q, ks[:150])
	x.work("busy", func(_ context.Context, key string) bool {
		if key == "k100" { // by now it takes many at a time
			<-on
		}
		return true
	})
	x.results(q, 100)
	x.work("free", nil)
	x.submit(q, ks[150:])
	x.results(q, len(ks)-1)
	close(on)
	x.results(q, len(ks))
}

// groups puts the jobs of the keys into the queue, n in a message.
func (x *site) groups(q *Queue, keys []string, n int) {
	x.Helper()
	s := q.Submit(x.Context())
	for part := range slices.Chunk(keys, n) {
		var jobs []*Job
		for _, k := range part {
			jobs = append(jobs, &Job{Key: k, Work: json.RawMessage(`{}`)})
		}
		if large, err := s.AddAll(jobs, false); err != nil || len(large) > 0 {
			x.Fatal(large, err)
		}
	}
	if err := s.Wait(); err != nil {
		x.Fatal(err)
	}
}

func (x *site) ranOnce() {
	x.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for k, n := range x.runs {
		if n != 1 {
			x.Errorf("%s ran %d times", k, n)
		}
	}
}

// TestGroups: what is there is not done again, and what one group has left undone because of a slow job goes to others.
func TestGroups(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	ks := keys(100)
	on := make(chan bool)
	x.groups(q, ks, 20)
	x.groups(q, ks, 20) // while it is in the queue
	for i := range 2 {
		x.work(fmt.Sprint("w", i), func(_ context.Context, key string) bool {
			if key == "k043" {
				<-on
			}
			return true
		})
	}
	x.results(q, len(ks)-1) // all but one
	x.groups(q, ks, 20)     // with their results there, and one at work
	close(on)
	got := x.results(q, len(ks))
	x.groups(q, append(ks, "new"), 20)
	x.results(q, len(ks)+1)
	if !slices.Equal(slices.Sorted(maps.Keys(got)), ks) {
		t.Errorf("results of %v", slices.Sorted(maps.Keys(got)))
	}
	x.ranOnce()
	// One of a group is to be done again, and the others keep their results.
	if err := q.Forget(t.Context(), "k003"); err != nil {
		t.Fatal(err)
	}
	x.results(q, len(ks))
	x.groups(q, ks, 20)
	x.results(q, len(ks)+1)
	x.mu.Lock()
	defer x.mu.Unlock()
	for k, n := range x.runs {
		if want := map[bool]int{true: 2, false: 1}[k == "k003"]; n != want {
			t.Errorf("%s ran %d times", k, n)
		}
	}
}

// TestGroupLost: of a group whose worker is lost, nothing is, and nothing counts twice; one that ends every worker
// takes no other with it.
func TestGroupLost(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	x.groups(q, keys(10), 10)
	defer x.lose(maxStrikes+2, "k004")()
	x.work("last", nil)
	all := x.results(q, 10)
	for _, k := range keys(10) {
		if r := all[k]; r == nil || r.Decided != (k != "k004") || (r.Lost > 0) != (k == "k004") {
			t.Errorf("%s: %+v", k, r)
		}
	}
}

// TestVersions: a worker of another version takes no job of ours.
func TestVersions(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	other, err := Open(t.Context(), x.place(), Options{Version: "other", Lease: lease})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	q := x.open()
	seen := make(chan string, 100)
	if err := other.Pulses(func(p *Pulse) { seen <- p.Version }); err != nil {
		t.Fatal(err)
	}
	x.submit(other, []string{"a"})
	x.submit(q, []string{"b"})
	x.work("w", nil)
	if r := x.results(q, 1); r["b"] == nil {
		t.Error(r)
	}
	if v := <-seen; v != "v" {
		t.Errorf("a worker of %s is heard of", v)
	}
	if n, err := q.Withdraw(t.Context(), []*Job{{Key: "b"}}); n != 1 || err != nil {
		t.Errorf("%d jobs withdrawn, not one: %v", n, err)
	}
}

// TestNoServer: a worker that is to go home says that there is no server.
func TestNoServer(t *testing.T) {
	t.Parallel()
	q, err := Connect(Place{URL: "nats://127.0.0.1:1"}, "v", true)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	w := &Worker{Idle: time.Millisecond}
	if err := w.Work(t.Context(), q); !errors.Is(err, errNoServer) {
		t.Error(err)
	}
}

// TestSizes: what the server does not take is said.
func TestSizes(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	q := x.open()
	noise := func(n int) json.RawMessage {
		var b strings.Builder
		b.WriteByte('"')
		for v := uint64(1); b.Len() < n; {
			v = v*6364136223846793005 + 1442695040888963407
			fmt.Fprintf(&b, "%016x", v)
		}
		b.WriteByte('"')
		return json.RawMessage(b.String())
	}
	var large *TooLarge
	if err := q.Submit(t.Context()).Add(&Job{Key: "k", Work: noise(3 * maxPayload)}); !errors.As(err, &large) {
		t.Errorf("got %v", err)
	}
	for _, n := range []int{10, 10 * small} {
		b, err := pack(&Job{Key: "k", Work: noise(n)})
		if err != nil {
			t.Fatal(err)
		}
		var j Job
		if err := unpack(b, &j); err != nil || len(j.Work) < n {
			t.Errorf("%d: %v", n, err)
		}
	}
	if err := unpack([]byte("nonsense"), new(Job)); err == nil {
		t.Error("nonsense is taken")
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	x := newSite(t)
	if _, err := Serve(x.dir, ""); err == nil || !strings.Contains(err.Error(), "another batch") {
		t.Errorf("two have one queue: %v", err)
	}
	if _, err := Connect(Place{URL: x.s.URL, Token: "guess"}, "v", false); err == nil {
		t.Error("the token is not asked for")
	}
	if !strings.HasPrefix(x.s.URL, "nats://127.0.0.1:") {
		t.Errorf("it listens at %s", x.s.URL)
	}
	for _, file := range []string{"token", "port"} {
		if info, err := os.Stat(filepath.Join(x.dir, file)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	url, token := x.s.URL, x.s.Token
	x.s.Close()
	x.serve()
	if x.s.URL != url || x.s.Token != token {
		t.Errorf("%s after %s", x.s.URL, url)
	}
	for _, listen := range []string{"nonsense", "127.0.0.1:x", strings.TrimPrefix(url, "nats://")} {
		if _, err := Serve(t.TempDir(), listen); err == nil {
			t.Errorf("--listen %s is taken", listen)
		}
	}
}

// TestCrew: those that are lost have successors, unless none of them begins.
func TestCrew(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "mark")
	command := func(does string) func() *exec.Cmd {
		return func() *exec.Cmd {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), "FENCEPOST_TEST_WORKER="+does, "FENCEPOST_TEST_MARK="+mark)
			return cmd
		}
	}
	c := Hire(1, command("ends"), func(string) {})
	<-c.Gone()
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "exit status 7: no use") {
		t.Error(err)
	}
	said := make(chan string, 10)
	c = Hire(1, command("ends once"), func(s string) { said <- s })
	if s := <-said; !strings.Contains(s, "exit status 9") {
		t.Error(s)
	}
	c.Stop()
	if c.Err() != nil {
		t.Error(c.Err())
	}
}
