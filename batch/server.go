package batch

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A Server is an embedded server, with the queue in a folder.
type Server struct {
	URL string // for workers; without the token
	// Token is what clients must present; TokenFile has it.
	Token, TokenFile string
	// Moved is the port that the queue had before and that somebody else has now; 0: none.
	Moved int

	ns     *server.Server
	unlock func()
}

const (
	// Loopback is where a server listens unless it is told to be heard by others.
	Loopback = "127.0.0.1"
	// maxPayload is the largest message that the server takes, in bytes: a program with its headers, or a
	// run, packed.
	maxPayload = 32 << 20
	// starting is how long a server may take until it answers, with a queue of any length.
	starting = time.Minute
)

// Serve starts a server whose queue is in the folder dir; one process at a time has it. It listens at
// listen, HOST:PORT; "": on this machine only, at the port that it had before. Whoever connects must have
// the token, which is made with the folder.
func Serve(dir, listen string) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	s, err := serve(dir, listen)
	if err != nil {
		unlock()
		return nil, err
	}
	s.unlock = unlock
	return s, nil
}

func serve(dir, listen string) (*Server, error) {
	s := &Server{TokenFile: filepath.Join(dir, "token")}
	var err error
	if s.Token, err = secret(s.TokenFile); err != nil {
		return nil, err
	}
	host, port, err := s.address(dir, listen)
	if err != nil {
		return nil, err
	}
	s.ns, err = server.NewServer(&server.Options{
		ServerName: "fencepost", Host: host, Port: port, Authorization: s.Token,
		JetStream: true, StoreDir: dir, DisableJetStreamBanner: true,
		MaxPayload: maxPayload, MaxPending: 4 * maxPayload, NoSigs: true, NoLog: true,
	})
	if err != nil {
		return nil, err
	}
	s.ns.Start()
	if !s.ns.ReadyForConnections(starting) {
		s.ns.Shutdown()
		return nil, fmt.Errorf("the queue in %s does not open", dir)
	}
	if !s.ns.JetStreamEnabled() {
		s.ns.Shutdown()
		return nil, fmt.Errorf("the queue in %s cannot be kept there", dir)
	}
	at := s.ns.Addr().(*net.TCPAddr)
	if listen == "" {
		if err := os.WriteFile(filepath.Join(dir, "port"), []byte(strconv.Itoa(at.Port)+"\n"), 0o600); err != nil {
			s.ns.Shutdown()
			return nil, err
		}
	}
	if at.IP.IsUnspecified() {
		host = Loopback
	}
	s.URL = "nats://" + net.JoinHostPort(host, strconv.Itoa(at.Port))
	return s, nil
}

// address is where to listen.
func (s *Server) address(dir, listen string) (host string, port int, err error) {
	if listen == "" {
		b, err := os.ReadFile(filepath.Join(dir, "port"))
		if errors.Is(err, fs.ErrNotExist) {
			return Loopback, server.RANDOM_PORT, nil
		}
		if err != nil {
			return "", 0, err
		}
		if port, err = strconv.Atoi(strings.TrimSpace(string(b))); err == nil && free(Loopback, port) == nil {
			return Loopback, port, nil
		}
		s.Moved = port
		return Loopback, server.RANDOM_PORT, nil
	}
	host, service, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("want HOST:PORT, not %q", listen)
	}
	if port, err = strconv.Atoi(service); err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%q is no port", service)
	}
	if host == "" {
		host = server.DEFAULT_HOST
	}
	if port == 0 {
		return host, server.RANDOM_PORT, nil
	}
	return host, port, free(host, port)
}

// free is nil where somebody could listen: the server itself would end the process.
func free(host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// secret is the token in a file that only its owner can read, which is made where there is none.
func secret(path string) (string, error) {
	b, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(b)); err == nil && token != "" {
		return token, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	key := make([]byte, 16)
	rand.Read(key)
	token := hex.EncodeToString(key)
	return token, os.WriteFile(path, []byte(token+"\n"), 0o600)
}

// Place is the server, for this process.
func (s *Server) Place() Place { return Place{URL: s.URL, Token: s.Token, within: s.ns} }

// Close ends the server; what is in the queue stays there.
func (s *Server) Close() {
	s.ns.ShutdownJetStream() // or the server gives those who wait for jobs a moment to hear of it: their connection tells them
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	s.unlock()
}
