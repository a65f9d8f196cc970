//go:build playground

package main

import (
	_ "embed"

	"github.com/fencepost-verifier/fencepost/internal/playground"
)

// What "fencepost serve --export embed" leaves; see docs/playground.md.
var (
	//go:embed embed/fencepost.wasm.gz
	wasmModule []byte
	//go:embed embed/wasm_exec.js
	wasmExec []byte
)

// embeddedWasm is the checker of the page where it is part of this binary.
func embeddedWasm() *playground.Wasm { return &playground.Wasm{Module: wasmModule, Exec: wasmExec} }
