package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/fencepost-verifier/fencepost"
)

// patience is how long work has to come to an end by itself, and to say what it knows,
// once it has been interrupted; lastPatience, before the process ends without it.
const (
	patience     = 300 * time.Millisecond
	lastPatience = 500 * time.Millisecond
	readingMore  = 100 * time.Millisecond // than the time limit, for what reads the program
)

// interruptible is what f gives, or a [fencepost.StoppedError] where ctx ends and f does not heed that
// for so long: what reads standard input or a pipe may wait for ever.
func interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
		panic any
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			a.panic = recover()
			done <- a
		}()
		a.value, a.err = f()
	}()
	took := func(a answer) (T, error) {
		if a.panic != nil {
			panic(a.panic)
		}
		return a.value, a.err
	}
	select {
	case a := <-done:
		return took(a)
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return took(a)
	case <-time.After(patience):
		var none T
		return none, &fencepost.StoppedError{Why: fencepost.Because(ctx)}
	}
}

// load reads a program; the file "-" is standard input.
func (a *app) load(ctx context.Context, file string, d defines) (*fencepost.Program, error) {
	return interruptible(ctx, func() (*fencepost.Program, error) {
		if a.texts != nil {
			return a.texts.open(file, d.set)
		}
		if file == "-" {
			return fencepost.Read(fencepost.Stdin, a.stdin, d.set)
		}
		return fencepost.Load(file, d.set)
	})
}

// loadModel reads a memory model.
func loadModel(ctx context.Context, m fencepost.Model) (*fencepost.ModelDefinition, error) {
	return interruptible(ctx, func() (*fencepost.ModelDefinition, error) { return fencepost.LoadModel(m) })
}

// endSoon ends the process a while after ctx, if it does not end by itself.
func endSoon(ctx context.Context) {
	context.AfterFunc(ctx, func() {
		time.Sleep(lastPatience)
		fmt.Fprintln(os.Stderr, "fencepost: stopped "+fencepost.Because(ctx))
		os.Exit(exitUnknown)
	})
}
