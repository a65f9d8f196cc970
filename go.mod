module github.com/fencepost-verifier/fencepost

go 1.26

require (
	github.com/go-air/gini v1.0.4
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.10
)

require github.com/inconshreveable/mousetrap v1.1.0 // indirect
