// Package batch spreads work over processes and machines. Jobs go in, each under a key that is made of
// all that its answer depends on; for every key one result comes out, whatever happens to those who
// work. The queue and the results are streams of NATS JetStream (https://nats.io), of a server that
// [Serve] embeds or of one that there is. What a job is, and how it is done, this package does not know.
//
// A job is delivered at least once: to another worker, where the one that has it is not heard of for
// the time of a lease. A result is stored before the job leaves the queue, under the key, and the server
// refuses a second one; so nothing is lost, and nothing counts twice. Nothing runs twice but what was
// cut off: a job that is in the queue is not put there again, and one that has a result is not begun.
//
// Jobs that take a moment go through the queue in groups, a message for each, and so do their results, since a message
// costs as much as they do. A group whose jobs take longer, or whose worker was lost, is taken apart into its jobs.
package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"
)

// A Job is something to be done.
type Job struct {
	// Key names the answer: jobs with the same key have the same. It is of letters and digits.
	Key string `json:"key"`
	// Limits are what the answer does not depend on unless they are met. Under others, a job that has
	// come to no decision is done again.
	Limits []string `json:"limits,omitempty"`
	// Work is what is to be done.
	Work json.RawMessage `json:"-"` // beside the rest
}

// A group is the jobs of one message.
type group struct {
	Jobs []*Job `json:"jobs"`
	// Seen is true where some of them may have been in the queue already, and come out of it in the meantime.
	Seen bool `json:"seen,omitempty"`
	// Of is the group that its one job was taken out of, whose result may be there; "": none.
	Of string `json:"of,omitempty"`
}

// groupResults are those of all jobs of a group, in one message.
type groupResults struct {
	Results []*Result `json:"results"`
}

// A Result is what came of a job.
type Result struct {
	Key     string   `json:"key"`
	Limits  []string `json:"limits,omitempty"`
	Decided bool     `json:"decided"` // the answer is final
	Worker  string   `json:"worker"`  // who found out
	// Lost is how many workers have begun with the job and were never heard of again, where that is why
	// there is no answer; else 0.
	Lost int `json:"lost,omitempty"`
	// Refused says why the answer could not be passed on; empty: it is there.
	Refused string `json:"refused,omitempty"`
	// Status is what whoever did the job has to say in a number, and Answer in JSON.
	Status int             `json:"status,omitempty"`
	Answer json.RawMessage `json:"-"` // beside the rest
	// Brief is of the answer what is of use to whoever counts.
	Brief json.RawMessage `json:"brief,omitempty"`
}

// A Pulse is what a worker tells of itself from time to time.
type Pulse struct {
	Worker  string        `json:"worker"`
	Version string        `json:"version"`
	At      string        `json:"at,omitempty"` // what it is at; "": it waits
	For     time.Duration `json:"for"`          // and for how long
	Done    int           `json:"done"`         // how many jobs it has done
	// Trouble is why the queue does not take what it has to say; "": it does.
	Trouble string `json:"trouble,omitempty"`
}

// small is up to which size, in bytes, a message is not worth packing.
const small = 4 << 10

// A bulky message has parts that go beside its JSON as they are, so that nobody has to read through them.
type bulky interface{ bulk() []*json.RawMessage }

func (j *Job) bulk() []*json.RawMessage    { return []*json.RawMessage{&j.Work} }
func (r *Result) bulk() []*json.RawMessage { return []*json.RawMessage{&r.Answer} }

func (g *group) bulk() (all []*json.RawMessage) {
	for _, j := range g.Jobs {
		if j != nil { // nobody knows who has written it
			all = append(all, &j.Work)
		}
	}
	return all
}

func (g *groupResults) bulk() (all []*json.RawMessage) {
	for _, r := range g.Results {
		if r != nil {
			all = append(all, &r.Answer)
		}
	}
	return all
}

// packed is the first byte of a message that is packed; others begin with their JSON.
const packed = 'S'

// pack is v as a message: a line of JSON, then the lengths of its bulk, and that; packed where it is large.
func pack(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if v, ok := v.(bulky); ok {
		parts := v.bulk()
		sizes := make([]int, len(parts))
		for i, part := range parts {
			sizes[i] = len(*part)
		}
		line, err := json.Marshal(sizes)
		if err != nil {
			return nil, err
		}
		b = slices.Concat(b, []byte("\n"), line, []byte("\n"))
		for _, part := range parts {
			b = append(b, *part...)
		}
	}
	if len(b) <= small {
		return b, nil
	}
	return append([]byte{packed}, s2.Encode(nil, b)...), nil
}

// maxMessage bounds what a message may come to when it is unpacked, in bytes.
const maxMessage = 512 << 20

// unpack reads what [pack] has written into v.
func unpack(b []byte, v any) error {
	if len(b) > 0 && b[0] == packed {
		n, err := s2.DecodedLen(b[1:])
		if err == nil && n > maxMessage {
			err = fmt.Errorf("a message of more than %d MiB", maxMessage>>20)
		}
		if err == nil {
			b, err = s2.Decode(nil, b[1:])
		}
		if err != nil {
			return err
		}
	}
	x, ok := v.(bulky)
	if !ok {
		return json.Unmarshal(b, v)
	}
	head, rest, _ := bytes.Cut(b, []byte("\n"))
	if err := json.Unmarshal(head, v); err != nil {
		return err
	}
	var sizes []int
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	if err := json.Unmarshal(line, &sizes); err != nil {
		return err
	}
	parts := x.bulk()
	if len(parts) != len(sizes) {
		return errors.New("a message of another kind")
	}
	for i, part := range parts {
		n := sizes[i]
		if n < 0 || n > len(rest) {
			return errors.New("a message that is cut off")
		}
		*part, rest = rest[:n:n], rest[n:]
	}
	return nil
}
