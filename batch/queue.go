package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The names of what is on the server. A subject is one of these, a version and a key; that of a job has its
// limits in between.
const (
	jobsOf  = "fencepost-jobs"
	results = "fencepost-results"
	strikes = "fencepost-strikes" // which jobs were begun again, and not ended
	pulses  = "fencepost-pulse"
)

// A Place is a server, and how to get in.
type Place struct {
	URL         string // may have a user and a password, or a token, in it
	Token       string // "": none
	Credentials string // a file of NATS; "": none

	within *server.Server // it is in this process; nil: who knows
}

// Options are what is said of a queue when it is opened.
type Options struct {
	// Version is of what does the jobs: workers take jobs of their own version only, and see results of it
	// only.
	Version string
	// Lease is how long a worker may not be heard of until its job goes to another.
	Lease time.Duration
	// Replicas is how many servers of a cluster hold the queue; 0: one.
	Replicas int
}

// A Queue is a connection to the jobs and the results of one version.
type Queue struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	version string // as a part of subjects
	named   string // as people know it
	used    bool   // there were jobs when it was opened, which somebody may work on

	mu      sync.Mutex
	grouped map[string]string // the groups of results, by key
	told    map[string]bool   // the keys of those that [Queue.Results] has told
	trouble string            // why the server has not taken a message for a while; "": it takes them
	tell    func(string)
}

// Connect goes to a server, which may be one that does not answer yet where patient is true.
func Connect(p Place, version string, patient bool) (*Queue, error) {
	opts := []nats.Option{nats.Name("fencepost"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.RetryOnFailedConnect(patient), nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})} // who calls is told
	if p.Token != "" {
		opts = append(opts, nats.Token(p.Token))
	}
	if p.Credentials != "" {
		opts = append(opts, nats.UserCredentials(p.Credentials))
	}
	if p.within != nil {
		opts = append(opts, nats.InProcessServer(p.within))
	}
	conn, err := nats.Connect(p.URL, opts...)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(256))
	if err != nil {
		conn.Close()
		return nil, err
	}
	h := sha256.Sum256([]byte(version))
	return &Queue{conn: conn, js: js, version: hex.EncodeToString(h[:8]), named: version}, nil
}

// Reach is why a server does not answer now; nil where it does.
func Reach(p Place) error {
	q, err := Connect(p, "", false)
	if err == nil {
		q.Close()
	}
	return err
}

// Close leaves the server.
func (q *Queue) Close() { q.conn.Close() }

func (q *Queue) subject(of, key string) string { return of + "." + q.version + "." + key }

// Open is [Connect] for whoever puts jobs into the queue, which is made where it is not there.
func Open(ctx context.Context, p Place, o Options) (*Queue, error) {
	q, err := Connect(p, o.Version, false)
	if err != nil {
		return nil, err
	}
	err = q.make(ctx, o)
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// make makes the streams, and the consumer by which workers get their jobs.
func (q *Queue) make(ctx context.Context, o Options) error {
	stream := func(name string, c jetstream.StreamConfig) error {
		c.Name, c.Subjects, c.Storage, c.Replicas = name, []string{name + ".>"}, jetstream.FileStorage, max(o.Replicas, 1)
		_, err := q.js.CreateOrUpdateStream(ctx, c)
		if err != nil {
			return fmt.Errorf("the stream %s: %w", name, err)
		}
		return nil
	}
	if err := stream(results, jetstream.StreamConfig{MaxMsgsPerSubject: 1, AllowDirect: true}); err != nil {
		return err
	}
	if err := stream(strikes, jetstream.StreamConfig{MaxMsgsPerSubject: 2 * maxStrikes}); err != nil {
		return err
	}
	if err := stream(jobsOf, jetstream.StreamConfig{Retention: jetstream.WorkQueuePolicy}); err != nil {
		return err
	}
	s, err := q.js.Stream(ctx, jobsOf)
	if err != nil {
		return err
	}
	q.used = q.used || s.CachedInfo().State.Msgs > 0
	_, err = q.js.CreateOrUpdateConsumer(ctx, jobsOf, jetstream.ConsumerConfig{
		Durable: q.version, FilterSubject: q.subject(jobsOf, ">"), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: o.Lease, MaxAckPending: -1, MaxDeliver: -1,
	})
	if err != nil {
		return fmt.Errorf("the consumer of jobs: %w", err)
	}
	return nil
}

// A Submission puts jobs into the queue.
type Submission struct {
	q   *Queue
	ctx context.Context
	// seen is whether jobs were there before: somebody may be about to have done one of ours.
	seen bool
	wg   sync.WaitGroup
	mu   sync.Mutex
	err  error
}

// jobSubject is that of a job: one job may be in the queue under several limits.
func (q *Queue) jobSubject(j *Job) string {
	h := sha256.Sum256([]byte(strings.Join(j.Limits, "\n")))
	return q.subject(jobsOf, hex.EncodeToString(h[:4])+"."+j.Key)
}

// groupSubject is that of several jobs, which are always the same ones.
func (q *Queue) groupSubject(jobs []*Job) string {
	if len(jobs) == 1 {
		return q.jobSubject(jobs[0])
	}
	return q.subject(jobsOf, "group."+groupName(jobs))
}

// groupName tells a group from others.
func groupName(jobs []*Job) string {
	h := sha256.New()
	for _, j := range jobs {
		fmt.Fprintf(h, "%q %q\n", j.Key, j.Limits)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Submit begins to put jobs into the queue.
func (q *Queue) Submit(ctx context.Context) *Submission {
	s := &Submission{q: q, ctx: ctx, seen: q.used}
	q.used = true
	return s
}

// there is true of the error about a message whose subject has one already.
func there(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// Add puts a job into the queue, unless it is there already.
func (s *Submission) Add(j *Job) error { return s.add(&group{Jobs: []*Job{j}, Seen: s.seen}) }

// AddAll is Add for jobs that take a moment each, some of which may have results, and are not done then. The same
// group is there once, whoever adds it again. It returns those that are too large for the queue.
func (s *Submission) AddAll(jobs []*Job, results bool) (large map[*Job]*TooLarge, err error) {
	var size *TooLarge
	if err = s.add(&group{Jobs: jobs, Seen: s.seen || results}); !errors.As(err, &size) {
		return nil, err
	}
	large = map[*Job]*TooLarge{}
	if len(jobs) == 1 {
		large[jobs[0]] = size
		return large, nil
	}
	half := len(jobs) / 2
	for _, part := range [][]*Job{jobs[:half], jobs[half:]} {
		more, err := s.AddAll(part, results)
		if err != nil {
			return nil, err
		}
		maps.Copy(large, more)
	}
	return large, nil
}

func (s *Submission) add(g *group) error {
	b, err := pack(g)
	if err != nil {
		return err
	}
	if most := s.q.conn.MaxPayload(); int64(len(b)) > most-small {
		return &TooLarge{int64(len(b)), most}
	}
	subject := s.q.groupSubject(g.Jobs)
	sent, err := s.q.js.PublishAsync(subject, b, jetstream.WithExpectLastSequencePerSubject(0))
	if err != nil {
		return s.again(subject, b)
	}
	s.wg.Go(func() {
		select {
		case <-sent.Ok():
		case err := <-sent.Err():
			if !there(err) {
				err = s.again(subject, b)
				s.mu.Lock()
				s.err = errors.Join(s.err, err)
				s.mu.Unlock()
			}
		case <-s.ctx.Done():
		}
	})
	return nil
}

// again sends a message until it has arrived.
func (s *Submission) again(subject string, b []byte) error {
	return s.q.publish(s.ctx, subject, b)
}

// Wait is nil when all jobs are in the queue.
func (s *Submission) Wait() error {
	s.wg.Wait()
	if s.err == nil {
		return s.ctx.Err()
	}
	return s.err
}

// A TooLarge is a message that the server does not take.
type TooLarge struct{ Size, Most int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("a message of %d KiB, and the server takes %d (max_payload)", e.Size>>10, e.Most>>10)
}

// pause is for how long to wait for a server that does not answer.
const pause = 200 * time.Millisecond

// publish sends a message until the server has stored it, or has one of that subject, or ctx ends.
func (q *Queue) publish(ctx context.Context, subject string, b []byte) error {
	defer q.stuck("")
	for began := time.Now(); ; {
		_, err := q.js.Publish(ctx, subject, b, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(1))
		switch {
		case err == nil || there(err):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, nats.ErrMaxPayload):
			return &TooLarge{int64(len(b)), q.conn.MaxPayload()}
		case fatal(err):
			return err
		case time.Since(began) > patience:
			q.stuck(err.Error())
		}
		wait(ctx, pause)
	}
}

// patience is for how long the server may not take a message until people are told.
const patience = time.Second

// stuck says why the server does not take messages; "": it does.
func (q *Queue) stuck(why string) {
	q.mu.Lock()
	news := why != "" && q.trouble == ""
	q.trouble = why
	tell := q.tell
	q.mu.Unlock()
	if news && tell != nil {
		tell(why)
	}
}

// Stuck is why the server does not take messages; "": it does.
func (q *Queue) Stuck() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.trouble
}

// Trouble has f told when the server has not taken a message for a while, and why.
func (q *Queue) Trouble(f func(why string)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tell = f
}

// fatal is true of an error that does not go away: the server has answered, and says no.
func fatal(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code != 503 || errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrConnectionClosed)
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// Results calls yield with the results that there are, then with nil once, and then with each that comes,
// until ctx ends or yield is false. There is one for each key.
func (q *Queue) Results(ctx context.Context, yield func(*Result) bool) error {
	c, err := q.js.OrderedConsumer(ctx, results, jetstream.OrderedConsumerConfig{FilterSubjects: []string{q.subject(results, ">")}})
	if err != nil {
		return err
	}
	info, err := c.Info(ctx)
	if err != nil {
		return err
	}
	first := info.NumPending // of those that are there
	if first == 0 && !yield(nil) {
		return nil
	}
	messages, err := c.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	q.mu.Lock()
	q.told = map[string]bool{}
	q.mu.Unlock()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, jetstream.ErrMsgIteratorClosed):
			return err
		case err != nil:
			wait(ctx, pause)
			continue
		}
		for _, r := range q.resultsOf(m) {
			if q.first(r.Key) && !yield(r) {
				return nil
			}
		}
		if first > 0 {
			if first--; first == 0 && !yield(nil) {
				return nil
			}
		}
	}
}

// first is whether no result of a key has been told: a worker that was taken for lost may have one, too.
func (q *Queue) first(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	told := q.told[key]
	q.told[key] = true
	return !told
}

// resultsOf reads a message; what cannot be read is no result.
func (q *Queue) resultsOf(m jetstream.Msg) []*Result {
	at := strings.Split(m.Subject(), ".")
	if at[len(at)-2] != "group" {
		var r Result
		if unpack(m.Data(), &r) != nil {
			return nil
		}
		return []*Result{&r}
	}
	var g groupResults
	if unpack(m.Data(), &g) != nil {
		return nil
	}
	g.Results = slices.DeleteFunc(g.Results, func(r *Result) bool { return r == nil })
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range g.Results {
		if q.grouped == nil {
			q.grouped = map[string]string{}
		}
		q.grouped[r.Key] = at[len(at)-1]
	}
	return g.Results
}

// ungroup takes the result of a group apart, so that those of its jobs can be dropped.
func (q *Queue) ungroup(ctx context.Context, name string) error {
	s, err := q.js.Stream(ctx, results)
	if err != nil {
		return err
	}
	subject := q.subject(results, "group."+name)
	m, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var g groupResults
	if err := unpack(m.Data, &g); err != nil {
		return err
	}
	for _, r := range g.Results {
		b, err := pack(r)
		if err == nil {
			err = q.publish(ctx, q.subject(results, r.Key), b)
		}
		if err != nil {
			return err
		}
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(subject))
}

// Forget drops the result of a job, so that it can have another one, and what is left of the job: that it is
// done may not have been heard.
func (q *Queue) Forget(ctx context.Context, key string) error {
	q.mu.Lock()
	group := q.grouped[key]
	delete(q.told, key)
	q.mu.Unlock()
	if group != "" {
		if err := q.ungroup(ctx, group); err != nil {
			return err
		}
	}
	for of, key := range map[string]string{results: key, strikes: key, jobsOf: "*." + key} {
		s, err := q.js.Stream(ctx, of)
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(q.subject(of, key)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Withdraw takes all messages out of the queue that were there when it was opened, or that came by way of q, but those of
// these groups and of their jobs, of whatever version.
func (q *Queue) Withdraw(ctx context.Context, but ...[]*Job) (n int, err error) {
	if !q.used {
		return 0, nil
	}
	s, err := q.js.Stream(ctx, jobsOf)
	if err != nil {
		return 0, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(jobsOf+".>"))
	if err != nil {
		return 0, err
	}
	keep := map[string]bool{}
	for _, jobs := range but {
		keep[q.groupSubject(jobs)] = true
		for _, j := range jobs {
			keep[q.jobSubject(j)] = true // of a group that was taken apart
		}
	}
	for subject := range info.State.Subjects {
		if keep[subject] {
			continue
		}
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Pulses calls f with what workers tell of themselves, of all versions. The calls come one by one.
func (q *Queue) Pulses(f func(*Pulse)) error {
	_, err := q.conn.Subscribe(pulses+".>", func(m *nats.Msg) {
		var p Pulse
		if unpack(m.Data, &p) == nil {
			f(&p)
		}
	})
	return err
}

// Again is whether a result is none under limits: it is undecided, and was so under others.
func (r *Result) Again(limits []string) bool { return !r.Decided && !slices.Equal(r.Limits, limits) }
