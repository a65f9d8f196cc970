package batch

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxStrikes is how many workers may begin with a job, after the first, and never be heard of again.
	maxStrikes = 4
	// stretch is for about how long a worker has jobs at hand, so that it does not wait for the server after
	// each, where that takes no longer itself; maxHeld is how many at most.
	stretch = 25 * time.Millisecond
	maxHeld = 64
	// share is which part of the groups in the queue a worker takes at a time at most: in the end there is
	// one for everybody.
	share = 4
	// long is from when on a job is a long one.
	long = 200 * time.Millisecond
	// tick is how often a worker looks about.
	tick = 100 * time.Millisecond
	// beat is how often a worker tells what it is at.
	beat = time.Second
	// waiting is for how long a worker waits for jobs until it asks again.
	waiting = 10 * time.Second
)

// A Worker does jobs, one at a time.
type Worker struct {
	Name string
	// Do does a job and is what came of it. Where ctx has ended, that does not count.
	Do func(ctx context.Context, j *Job) *Result
	// Label is what people call a job.
	Label func(j *Job) string
	// Idle is how long to wait for a job before it goes home; 0: for ever.
	Idle time.Duration

	q                *Queue
	results, strikes jetstream.Stream
	lease            time.Duration

	mu    sync.Mutex
	held  []*held   // groups of jobs that were taken, and are neither out of the queue nor given back
	at    *held     // the one that it is at
	begun time.Time // it
	since time.Time // the job
	job   *Job
	mean  time.Duration // how long groups take
	trip  time.Duration // how long it takes to get some
	left  int           // how many there were in the queue then
	of    string        // the name of the group that it is at
	rest  []*Job        // of it, not begun
	ended []ended       // jobs of it, with results that are not on their way
	sent  []stored      // results of it that are
	given sync.WaitGroup
	kept  bool // some of it could not be given back
	done  int
	last  time.Time // when it had something to do
	next  chan bool // something has changed: there may be room for more
}

// A held message is one that the server believes to be worked on.
type held struct {
	msg   jetstream.Msg
	begun bool
}

// Work does jobs until ctx ends. A server that goes away is waited for.
func (w *Worker) Work(ctx context.Context, q *Queue) error {
	ctx, cancel := context.WithCancel(ctx)
	w.q, w.last, w.next = q, time.Now(), make(chan bool, 1)
	defer q.conn.FlushTimeout(pause) // what was given back
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	todo := make(chan *held, maxHeld)
	var failed error
	wg.Go(func() {
		defer close(todo)
		failed = w.fetch(ctx, todo)
	})
	wg.Go(func() { w.beats(ctx) })
	for h := range todo {
		if !w.begin(h) {
			continue // it was given back
		}
		if ctx.Err() != nil {
			h.msg.Nak()
			continue
		}
		all, ok := w.group(ctx, h)
		w.end(h, ok)
		if ok {
			wg.Go(func() { w.settle(ctx, h, all) })
		}
	}
	return failed
}

// begin is false where the job was given back in the meantime.
func (w *Worker) begin(h *held) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.held, h) {
		return false
	}
	h.begun, w.at, w.begun, w.since = true, h, time.Now(), time.Now()
	return true
}

// end is the end of the job that the worker is at. It is held until its result is stored.
func (w *Worker) end(h *held, ok bool) {
	w.mu.Lock()
	if ok {
		w.mean = (3*w.mean + time.Since(w.begun)) / 4
	}
	w.at, w.job, w.rest, w.last = nil, nil, nil, time.Now()
	w.mu.Unlock()
	if !ok {
		w.drop(h)
	}
	w.changed()
}

func (w *Worker) changed() {
	select {
	case w.next <- true:
	default:
	}
}

// drop forgets a job.
func (w *Worker) drop(h *held) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = slices.DeleteFunc(w.held, func(x *held) bool { return x == h })
}

// room is how many groups the worker should take beside those that it has, and for how long to wait
// for one.
func (w *Worker) room() (n int, patience time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ahead := 0
	for _, h := range w.held {
		if !h.begun {
			ahead++
		}
	}
	most := w.most()
	switch {
	case w.at == nil && ahead == 0:
		return max(most, 1), waiting
	case w.at != nil && !w.slow() && ahead < most && ahead <= most/2:
		return most - ahead, 0
	}
	return 0, 0
}

// most is how many groups it should have that are not begun: for the time that it takes to get others, and none where
// there are few left, or each takes long.
func (w *Worker) most() int {
	if w.mean == 0 || w.mean > tick {
		return 0
	}
	n := (max(stretch, 2*w.trip) + w.mean - 1) / w.mean
	return min(int(n), w.left/share, maxHeld)
}

// slow is whether a job takes long, or its group does.
func (w *Worker) slow() bool {
	return w.at != nil && (time.Since(w.since) > long || time.Since(w.begun) > long*5/2)
}

// fetch sees to it that the worker has something to do.
func (w *Worker) fetch(ctx context.Context, todo chan<- *held) error {
	consumer, err := w.consumer(ctx)
	for err == nil && ctx.Err() == nil {
		n, patience := w.room()
		if n == 0 {
			select {
			case <-w.next:
			case <-ctx.Done():
			}
			continue
		}
		w.mu.Lock()
		idle := time.Since(w.last)
		w.mu.Unlock()
		if patience > 0 && w.Idle > 0 {
			if idle >= w.Idle {
				return nil
			}
			patience = min(patience, max(w.Idle-idle, pause))
		}
		got, problem := w.take(ctx, consumer, n, patience)
		w.mu.Lock()
		w.held = append(w.held, got...)
		w.mu.Unlock()
		for _, h := range got {
			todo <- h // there is room for all
		}
		switch {
		case errors.Is(problem, jetstream.ErrConsumerNotFound) || errors.Is(problem, jetstream.ErrConsumerDeleted):
			consumer, err = w.consumer(ctx)
		case problem != nil:
			wait(ctx, pause)
		}
	}
	return err
}

// take takes up to n groups; where there is none, it waits for one.
func (w *Worker) take(ctx context.Context, c jetstream.Consumer, n int, patience time.Duration) (got []*held, err error) {
	left := 0
	all := func(b jetstream.MessageBatch, err error) error {
		if err != nil {
			return err
		}
		for m := range b.Messages() {
			got = append(got, &held{msg: m})
			if meta, err := m.Metadata(); err == nil {
				left = int(min(meta.NumPending, math.MaxInt32))
			}
		}
		return b.Error()
	}
	began := time.Now()
	err = all(c.FetchNoWait(n))
	trip := time.Since(began)
	if err == nil && len(got) == 0 && patience > 0 {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if err = all(c.Fetch(1, jetstream.FetchContext(ctx))); ctx.Err() != nil {
			err = nil
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trip, w.left = trip, left
	return got, err
}

// errNoServer is the error of a worker that has not found the server.
var errNoServer = errors.New("no server answers")

// consumer waits for the queue to be there.
func (w *Worker) consumer(ctx context.Context) (jetstream.Consumer, error) {
	began := time.Now()
	for {
		c, err := w.q.js.Consumer(ctx, jobsOf, w.q.version)
		if err == nil {
			w.mu.Lock()
			w.lease = c.CachedInfo().Config.AckWait
			w.mu.Unlock()
			w.results, err = w.q.js.Stream(ctx, results)
		}
		if err == nil {
			w.strikes, err = w.q.js.Stream(ctx, strikes)
		}
		if err == nil {
			return c, nil
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil
		case fatal(err) && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound):
			return nil, err
		case w.Idle > 0 && time.Since(began) > w.Idle && !w.q.conn.IsConnected():
			return nil, errNoServer
		case w.Idle > 0 && time.Since(began) > w.Idle:
			return nil, err
		}
		wait(ctx, 2*pause)
	}
}

// A stored result is one that is under way to the server.
type stored struct {
	subject string
	text    []byte
	sent    jetstream.PubAckFuture
}

// group does the jobs of a message, but for those that have been done. It returns the results, on their way; ok is
// false where the message was given back, or thrown away.
func (w *Worker) group(ctx context.Context, h *held) (all []stored, ok bool) {
	var g group
	if err := unpack(h.msg.Data(), &g); err != nil || len(g.Jobs) == 0 || slices.Contains(g.Jobs, nil) {
		h.msg.Term() // nobody can do that
		return nil, false
	}
	name := g.Of
	if len(g.Jobs) > 1 {
		name = groupName(g.Jobs)
	}
	if name != "" && (g.Seen || redelivered(h.msg)) && w.known(ctx, "group."+name) {
		h.msg.Ack()
		return nil, false
	}
	if len(g.Jobs) > 1 && redelivered(h.msg) { // one of them may have been the end of a worker
		if w.give(ctx, g.Jobs, name) {
			h.msg.Ack()
		} else {
			h.msg.NakWithDelay(pause)
		}
		return nil, false
	}
	w.mu.Lock()
	w.rest, w.of, w.kept, w.ended, w.sent = g.Jobs, name, false, nil, nil
	w.mu.Unlock()
	defer w.given.Wait()
	for j := w.following(); j != nil; j = w.following() {
		if err := w.one(ctx, h, &g, j); err != nil && !errors.Is(err, errDone) {
			w.mu.Lock()
			w.send()
			w.mu.Unlock()
			return nil, false
		}
		if w.late() { // others may have nothing to do
			w.part(ctx)
		}
	}
	w.given.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(g.Jobs); n == 1 || len(w.ended) < n || !w.sendGroup(name) {
		w.send()
	}
	if w.kept {
		h.msg.NakWithDelay(pause)
	}
	return w.sent, !w.kept
}

// following is the next job of the group; nil: there is none.
func (w *Worker) following() *Job {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) == 0 {
		return nil
	}
	j := w.rest[0]
	w.rest, w.since = w.rest[1:], time.Now()
	return j
}

func (w *Worker) late() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.slow()
}

// part puts the jobs of the group that are not begun into the queue, for whoever comes.
func (w *Worker) part(ctx context.Context) {
	w.mu.Lock()
	rest, of := w.rest, w.of
	w.rest = nil
	w.mu.Unlock()
	if !w.give(ctx, rest, of) {
		w.mu.Lock()
		w.kept = true
		w.mu.Unlock()
	}
}

// give puts each of the jobs of a group into the queue, by itself. One that is there has stayed there since it was given
// before.
func (w *Worker) give(ctx context.Context, jobs []*Job, of string) bool {
	for _, j := range jobs {
		b, err := pack(&group{Jobs: []*Job{j}, Seen: true, Of: of})
		if err != nil || w.q.publish(ctx, w.q.jobSubject(j), b) != nil {
			return false
		}
	}
	return true
}

// one does a job of a group. After an error the message was given back, unless that is only that the job has been done.
func (w *Worker) one(ctx context.Context, h *held, g *group, j *Job) error {
	subject := w.q.subject(results, j.Key)
	lost, err := w.before(ctx, h, g, j, subject)
	switch {
	case errors.Is(err, errDone):
		return err
	case err != nil:
		h.msg.NakWithDelay(pause)
		return err
	}
	r := &Result{Lost: lost}
	if lost == 0 {
		w.mu.Lock()
		w.job = j
		w.mu.Unlock()
		r = w.Do(ctx, j)
	}
	if err := ctx.Err(); err != nil {
		// It was ended, and nothing is wrong with the job.
		h.msg.Nak()
		if redelivered(h.msg) {
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), pause)
			defer cancel()
			w.strikes.Purge(last, jetstream.WithPurgeSubject(w.q.subject(strikes, j.Key)))
		}
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done++
	w.ended = append(w.ended, ended{j, r, subject})
	return nil
}

// An ended job has a result.
type ended struct {
	j       *Job
	r       *Result
	subject string
}

// send sends the results of jobs that have ended, as many at a time as there are: each by itself would take the server as long
// as all of them.
func (w *Worker) send() {
	for _, e := range w.ended {
		w.sent = append(w.sent, w.sendOne(e.j, e.r, e.subject))
	}
	w.ended = nil
}

// sendGroup sends the results of all jobs of a group; false: they are too large together.
func (w *Worker) sendGroup(name string) bool {
	var g groupResults
	for _, e := range w.ended {
		e.r.Key, e.r.Limits, e.r.Worker = e.j.Key, e.j.Limits, w.Name
		g.Results = append(g.Results, e.r)
	}
	text, err := pack(&g)
	if err != nil || int64(len(text)) > w.q.conn.MaxPayload()-small {
		return false
	}
	s := stored{subject: w.q.subject(results, "group."+name), text: text}
	s.sent, _ = w.q.js.PublishAsync(s.subject, text, jetstream.WithExpectLastSequencePerSubject(0))
	w.sent, w.ended = append(w.sent, s), nil
	return true
}

// known is whether there is a result under a name.
func (w *Worker) known(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, w.lease)
	defer cancel()
	_, err := w.results.GetLastMsgForSubject(ctx, w.q.subject(results, name))
	return err == nil
}

func (w *Worker) sendOne(j *Job, r *Result, subject string) stored {
	r.Key, r.Limits, r.Worker = j.Key, j.Limits, w.Name
	text, err := pack(r)
	if most := w.q.conn.MaxPayload(); err == nil && int64(len(text)) > most-small {
		err = &TooLarge{int64(len(text)), most}
	}
	if err != nil {
		text, _ = pack(&Result{Key: r.Key, Limits: r.Limits, Worker: r.Worker, Refused: err.Error()})
	}
	s := stored{subject: subject, text: text}
	s.sent, _ = w.q.js.PublishAsync(subject, text, jetstream.WithExpectLastSequencePerSubject(0))
	return s
}

func redelivered(m jetstream.Msg) bool {
	meta, err := m.Metadata()
	return err == nil && meta.NumDelivered > 1
}

var errDone = errors.New("there is a result")

// before sees to it that a job is not done that has a result, or that has been the end of too many
// workers: then lost is how many.
func (w *Worker) before(ctx context.Context, h *held, g *group, j *Job, subject string) (lost int, err error) {
	if !g.Seen && !redelivered(h.msg) {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.lease)
	defer cancel()
	if _, err := w.results.GetLastMsgForSubject(ctx, subject); err == nil {
		return 0, errDone
	} else if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, err
	}
	if !redelivered(h.msg) {
		return 0, nil
	}
	strike := w.q.subject(strikes, j.Key)
	info, err := w.strikes.Info(ctx, jetstream.WithSubjectFilter(strike))
	if err != nil {
		return 0, err
	}
	if n := int(info.State.Subjects[strike]); n >= maxStrikes {
		return n + 1, nil
	}
	_, err = w.q.js.Publish(ctx, strike, nil)
	return 0, err
}

// settle waits until results are stored, and takes their jobs out of the queue.
func (w *Worker) settle(ctx context.Context, h *held, all []stored) {
	defer w.drop(h)
	for _, s := range all {
		if !w.arrived(ctx, s) && w.q.publish(ctx, s.subject, s.text) != nil {
			return
		}
	}
	h.msg.Ack()
}

// arrived is whether a result is known to be stored, after a while.
func (w *Worker) arrived(ctx context.Context, s stored) bool {
	if s.sent == nil {
		return false
	}
	select {
	case <-s.sent.Ok():
		return true
	case err := <-s.sent.Err():
		return there(err)
	case <-ctx.Done():
	case <-time.After(waiting):
	}
	return false
}

// beats tells the server, as long as the worker lives, that its jobs are worked on, gives back those that
// wait behind one that takes long, and tells people what it is at.
func (w *Worker) beats(ctx context.Context) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	renewed, told := time.Now(), time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		w.release(ctx)
		w.mu.Lock()
		lease := w.lease
		w.mu.Unlock()
		if lease > 0 && time.Since(renewed) > lease/4 {
			renewed = time.Now()
			w.renew()
		}
		if time.Since(told) >= beat {
			told = time.Now()
			w.tell()
		}
	}
}

// renew says that the jobs are worked on.
func (w *Worker) renew() {
	w.mu.Lock()
	all := slices.Clone(w.held)
	w.mu.Unlock()
	for _, h := range all {
		h.msg.InProgress()
	}
}

// release gives back the jobs that have not begun, where the one before them takes long.
func (w *Worker) release(ctx context.Context) {
	w.mu.Lock()
	var back []*held
	var rest []*Job
	of := w.of
	if w.slow() {
		w.send()
		if rest = w.rest; len(rest) > 0 {
			w.rest = nil
			w.given.Add(1)
		}
		w.held = slices.DeleteFunc(w.held, func(h *held) bool {
			if !h.begun {
				back = append(back, h)
			}
			return !h.begun
		})
	}
	w.mu.Unlock()
	for _, h := range back {
		h.msg.Nak()
	}
	if len(rest) > 0 {
		go func() { // the server may not answer, and there is more to tell
			defer w.given.Done()
			if !w.give(ctx, rest, of) {
				w.mu.Lock()
				w.kept = true
				w.mu.Unlock()
			}
		}()
	}
}

// tell tells what the worker is at.
func (w *Worker) tell() {
	w.mu.Lock()
	p := Pulse{Worker: w.Name, Version: w.q.named, Done: w.done, Trouble: w.q.Stuck()}
	if w.job != nil {
		p.At, p.For = w.Label(w.job), time.Since(w.since)
	}
	w.mu.Unlock()
	if b, err := pack(p); err == nil {
		w.q.conn.Publish(w.q.subject(pulses, "worker"), b)
	}
}
