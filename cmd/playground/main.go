//go:build js && wasm

// Command playground is the checker as WebAssembly, for the worker of a page: it defines a
// function fencepost(request, progress, done) there, whose request and answer are JSON texts (see
// package internal/playground), and waits.
package main

import (
	"context"
	"syscall/js"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/playground"
)

// often is how much time there is between two messages about progress.
const often = 200 * time.Millisecond

func main() {
	js.Global().Set("fencepost", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request, progress, done := args[0].String(), args[1], args[2]
		go func() {
			var last time.Time
			answer := playground.Answer(context.Background(), []byte(request), func(line string) {
				if now := time.Now(); now.Sub(last) > often {
					last = now
					progress.Invoke(line)
				}
			})
			done.Invoke(string(answer))
		}()
		return nil
	}))
	js.Global().Call("fencepostReady")
	select {}
}
