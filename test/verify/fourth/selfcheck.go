package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// T is a client of one running service.
type T struct {
	base   string
	tokens map[string]string
}

// Reply is what the client sees.
type Reply struct {
	Status int
	Text   string
	Header http.Header
	json   any
}

func start(flags map[string]bool) (*T, func()) {
	service := newService(flags)
	server := httptest.NewServer(service)
	t := &T{server.URL, map[string]string{}}
	for _, u := range service.users {
		name, _, _ := strings.Cut(u.email, "@")
		if t.tokens[name] == "" {
			t.tokens[name] = u.token
		}
	}
	return t, server.Close
}

// A user's name, or "" for no token, or "raw:" and the header.
func (t *T) send(who, method, path, kind string, body []byte) *Reply {
	request, _ := http.NewRequest(method, t.base+path, bytes.NewReader(body))
	if text := strings.TrimPrefix(who, "raw:"); text != who {
		request.Header.Set("Authorization", text)
	} else if who != "" {
		request.Header.Set("Authorization", "Bearer "+t.tokens[who])
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return &Reply{Status: -1, Text: err.Error()}
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	reply := &Reply{Status: response.StatusCode, Text: string(text), Header: response.Header}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&reply.json)
	return reply
}

// do sends "METHOD path" with a JSON body.
func (t *T) do(who, what, body string) *Reply {
	method, path, _ := strings.Cut(what, " ")
	kind := ""
	if body != "" {
		kind = "application/json"
	}
	return t.send(who, method, path, kind, []byte(body))
}

func (t *T) get(who, path string) *Reply { return t.do(who, "GET "+path, "") }

// form sends fields, and files whose names begin with "@": "@files", "a.txt", "content".
func (t *T) form(who, what string, parts ...string) *Reply {
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	for i := 0; i < len(parts); {
		if strings.HasPrefix(parts[i], "@") {
			file, _ := writer.CreateFormFile(parts[i][1:], parts[i+1])
			_, _ = file.Write([]byte(parts[i+2]))
			i += 3
		} else {
			_ = writer.WriteField(parts[i], parts[i+1])
			i += 2
		}
	}
	_ = writer.Close()
	method, path, _ := strings.Cut(what, " ")
	return t.send(who, method, path, writer.FormDataContentType(), body.Bytes())
}

// at reads a value by a path like "sessions.0.id"; "*" collects from each item.
func (r *Reply) at(path string) any { return walk(r.json, strings.Split(path, ".")) }

func walk(value any, path []string) any {
	for i, part := range path {
		switch holder := value.(type) {
		case obj:
			item, ok := holder[part]
			if !ok {
				return "absent"
			}
			value = item
		case []any:
			if part == "*" {
				all := []any{}
				for _, item := range holder {
					all = append(all, walk(item, path[i+1:]))
				}
				return all
			}
			if part == "length" {
				return len(holder)
			}
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(holder) {
				return "absent"
			}
			value = holder[n]
		default:
			return "absent"
		}
	}
	return value
}

// together runs n calls at once.
func together(n int, call func(i int)) {
	var wait sync.WaitGroup
	for i := 0; i < n; i++ {
		wait.Add(1)
		go func(i int) { defer wait.Done(); call(i) }(i)
	}
	wait.Wait()
}

func all(values ...any) any { return fmt.Sprint(values...) }

func show(value any) string {
	text, _ := json.Marshal(value)
	if kept := string(text); len(kept) < 160 {
		return kept
	}
	return string(text[:160]) + "…"
}

func seen(flags map[string]bool, see func(t *T) any) string {
	t, stop := start(flags)
	defer stop()
	return strings.ReplaceAll(fmt.Sprintf("%#v", see(t)), t.base, "")
}

// Each flag must change what its requests see; the right service must show the same twice.
func selfcheck() int {
	bad, begun := 0, time.Now()
	for kind, flags := range map[string][]Flag{"bug": bugs(), "choice": choices()} {
		names := map[string]bool{}
		var mu sync.Mutex
		together(4, func(worker int) {
			for i := worker; i < len(flags); i += 4 {
				flag := flags[i]
				right := seen(nil, flag.See)
				again := seen(nil, flag.See)
				wrong := seen(map[string]bool{flag.Name: true}, flag.See)
				mu.Lock()
				if names[flag.Name] || right != again || right == wrong {
					bad++
					fmt.Printf("%s %s: twice %v, unsteady %v, unseen %v\n  right %s\n  again %s\n  with  %s\n",
						kind, flag.Name, names[flag.Name], right != again, right == wrong, show(right), show(again), show(wrong))
				}
				if os.Getenv("SHOW") != "" {
					fmt.Printf("%s %s\n  right %s\n  with  %s\n", kind, flag.Name, show(right), show(wrong))
				}
				names[flag.Name] = true
				mu.Unlock()
			}
		})
	}
	fmt.Printf("%d bugs and %d choices, %d not shown, %.0f s\n", len(bugs()), len(choices()), bad, time.Since(begun).Seconds())
	if bad > 0 {
		return 1
	}
	return 0
}
