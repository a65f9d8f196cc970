package fencepost_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/fencepost-verifier/fencepost"
)

func Example() {
	p, err := fencepost.Load("examples/dekker.imp")
	if err != nil {
		log.Fatal(err) // file, line, column, and a suggestion
	}
	for _, m := range []fencepost.Model{fencepost.SC, fencepost.TSO} {
		r, err := fencepost.Check(context.Background(), p, fencepost.Under(m))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m, r.Verdict())
	}
	// Output:
	// sc SAFE
	// tso UNSAFE
}

const storeBuffering = `
program StoreBuffer
variables x = y = 0

process P0
  local r
begin x := 1; r := y end

process P1
  local r
begin y := 1; r := x end

~exists P0.r = 0 & P1.r = 0
`

// The run that breaks a program can be stepped through.
func ExampleCheck() {
	p, err := fencepost.Read("sb.imp", strings.NewReader(storeBuffering))
	if err != nil {
		log.Fatal(err)
	}
	r, err := fencepost.Check(context.Background(), p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict())
	for _, step := range r.Run().Steps {
		fmt.Println(p.Threads[step.Thread].Name, step.Text)
	}
	// Output:
	// UNSAFE
	// P0 x := 1 (buffered)
	// P0 r <- y = 0
	// P1 y := 1 (buffered)
	// P1 r <- x = 0
	// P1 flush y := 1
	// P0 flush x := 1
}

func ExampleFinalStates() {
	p, err := fencepost.Read("sb.imp", strings.NewReader(storeBuffering))
	if err != nil {
		log.Fatal(err)
	}
	s, err := fencepost.FinalStates(context.Background(), p, fencepost.Under(fencepost.SC))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(s)
	// Output:
	// States 3
	// P0.r=0; P1.r=1; x=1; y=1;
	// P0.r=1; P1.r=0; x=1; y=1;
	// P0.r=1; P1.r=1; x=1; y=1;
}

func ExampleRobust() {
	p, err := fencepost.Load("examples/peterson-fenced.imp")
	if err != nil {
		log.Fatal(err)
	}
	r, err := fencepost.Robust(context.Background(), p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict() == fencepost.IsSafe)
	// Output: true
}

func ExampleFences() {
	p, err := fencepost.Load("examples/dekker.imp")
	if err != nil {
		log.Fatal(err)
	}
	r, err := fencepost.Fences(context.Background(), p, fencepost.FenceSearch{Goal: fencepost.Safety})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Sets[0].Fences {
		for _, t := range f.Threads {
			fmt.Println("a fence for", p.Threads[t].Name)
		}
	}
	fmt.Println("verified:", r.Verified())
	// Output:
	// a fence for P0
	// a fence for P0
	// a fence for P1
	// a fence for P1
	// verified: true
}

func ExampleConvert() {
	p, err := fencepost.Read("sb.imp", strings.NewReader(storeBuffering))
	if err != nil {
		log.Fatal(err)
	}
	if err := fencepost.Convert(os.Stdout, p, fencepost.Listing); err != nil {
		log.Fatal(err)
	}
}
