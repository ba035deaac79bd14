package main

import (
	"crypto/rand"
	"crypto/sha1"
	"fmt"
	"sync"
	"time"
)

type obj = map[string]any

type User struct {
	id, email, role, token string
	active                 bool
}

type Chat struct {
	id, name, shared, model string
	owner                   *User
	persona, project        int
	incognito               bool
	created, updated        time.Time
}

// A persona keeps the fields of the PATCH body under their own names.
type Persona struct {
	id               int
	owner            *User
	builtin, visible bool
	f                obj
}

type Tool struct {
	id                      int
	name, display, code     string
	owner                   *User
	enabled, chat, creation bool
}

type DocumentSet struct {
	id         int
	name, text string
	pairs      []int
	public     bool
}

type Credential struct {
	id                         int
	name                       *string
	json                       obj
	source                     string
	adminPublic, curatorPublic bool
	groups                     []any
	owner                      *User
	created, updated           time.Time
}

type Connector struct {
	id                 int
	name, source, kind string
	config             obj
	refresh, prune     int
	credentials        []int
	created, updated   time.Time
}

type Pair struct {
	id, credential         int
	connector              *Connector
	name, access           string
	last, finished         string
	docs, latest           int
	repeated, editable     bool
	success                time.Time
	groups                 []any
	becomesSuccessAt       time.Time
	active, justAssociated bool
}

type Project struct {
	id                       int
	name, text, instructions string
	owner                    *User
	created                  time.Time
	files                    []string
}

type File struct {
	id, name, blob, status, kind, chat string
	owner                              *User
	created, accessed                  time.Time
	tokens, chunks                     int
	gone                               time.Time
}

type Service struct {
	mu          sync.Mutex
	flags       map[string]bool
	started     time.Time
	users       []*User
	sessions    []*Chat
	personas    []*Persona
	tools       []*Tool
	labels      []string
	sets        []*DocumentSet
	credentials []*Credential
	connectors  []*Connector
	pairs       []*Pair
	projects    []*Project
	files       []*File
	limits      map[int]bool
	invited     map[string]bool
	next        map[string]int
	memory      obj // what some bugs keep between two requests
	calls       map[string]int
	uuids       int
}

func (s *Service) on(name string) bool { return s.flags[name] }

// The next id of a kind of row.
func (s *Service) id(kind string) int {
	if s.next[kind] == 0 {
		s.next[kind] = 100
		if s.on("ids-high") {
			s.next[kind] = 2000000
		}
	}
	s.next[kind]++
	if s.on("ids-with-gaps") {
		s.next[kind] += 6
	}
	return s.next[kind]
}

func uuidFrom(bytes []byte, version byte) string {
	b := append([]byte{}, bytes[:16]...)
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func (s *Service) uuid() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	if s.on("uuid-by-time") {
		ms := time.Now().UnixMilli()
		for i := 5; i >= 0; i-- {
			b[i] = byte(ms)
			ms >>= 8
		}
		return uuidFrom(b, 7)
	}
	return uuidFrom(b, 4)
}

func seedUUID(name string) string {
	sum := sha1.Sum([]byte(name))
	return uuidFrom(sum[:], 4)
}

func (s *Service) ts(t time.Time) string {
	t = t.UTC()
	switch {
	case s.on("time-offset"):
		return t.In(time.FixedZone("", 2*3600)).Format("2006-01-02T15:04:05-07:00")
	case s.on("time-micros"):
		return t.Format("2006-01-02T15:04:05.000000Z")
	case s.on("time-zero-offset"):
		return t.Format("2006-01-02T15:04:05.000+00:00")
	}
	return t.Format(time.RFC3339)
}

func (s *Service) userBy(is func(u *User) bool) *User {
	for _, u := range s.users {
		if is(u) {
			return u
		}
	}
	return nil
}

func (s *Service) userByEmail(email string) *User {
	return s.userBy(func(u *User) bool { return u.email == email })
}

func (s *Service) credential(id int) *Credential {
	for _, c := range s.credentials {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (s *Service) connector(id int) *Connector {
	for _, c := range s.connectors {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (s *Service) persona(id int) *Persona {
	for _, p := range s.personas {
		if p.id == id {
			return p
		}
	}
	return nil
}

func (s *Service) tool(id int) *Tool {
	for _, t := range s.tools {
		if t.id == id {
			return t
		}
	}
	return nil
}

func (s *Service) project(id int) *Project {
	for _, p := range s.projects {
		if p.id == id {
			return p
		}
	}
	return nil
}

func (s *Service) file(id string) *File {
	for _, f := range s.files {
		if f.id == id {
			return f
		}
	}
	return nil
}

func without[V comparable](list []V, value V) []V {
	kept := []V{}
	for _, item := range list {
		if item != value {
			kept = append(kept, item)
		}
	}
	return kept
}

func has[V comparable](list []V, value V) bool {
	for _, item := range list {
		if item == value {
			return true
		}
	}
	return false
}

func filter[V any](list []V, keep func(V) bool) []V {
	kept := []V{}
	for _, item := range list {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}
