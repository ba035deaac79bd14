package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Call is one request on its way through a handler.
type Call struct {
	*Service
	w    http.ResponseWriter
	r    *http.Request
	me   *User
	area string
	args []string
}

type Failure struct {
	status int
	body   any
}

type Route struct {
	method, path, area string
	run                func(c *Call) any
}

var routes = []Route{
	{"POST", "/api/chat/create-chat-session", "chat", (*Call).createChat},
	{"GET", "/api/chat/get-user-chat-sessions", "chat", (*Call).listChats},
	{"GET", "/api/chat/search", "chat", (*Call).searchChats},
	{"DELETE", "/api/chat/delete-chat-session/{session_id:uuid}", "chat", (*Call).deleteChat},
	{"GET", "/api/persona/{persona_id:int}", "persona", (*Call).readPersona},
	{"PATCH", "/api/persona/{persona_id:int}", "persona", (*Call).patchPersona},
	{"DELETE", "/api/persona/{persona_id:int}", "persona", (*Call).deletePersona},
	{"POST", "/api/manage/credential", "credential", (*Call).createCredential},
	{"GET", "/api/manage/credential/{credential_id:int}", "credential", (*Call).readCredential},
	{"GET", "/api/manage/admin/credential", "credential", (*Call).listCredentials},
	{"GET", "/api/manage/admin/similar-credentials/{source_type:source}", "credential", (*Call).similarCredentials},
	{"PUT", "/api/manage/admin/credential/private-key/{credential_id:int}", "credential", (*Call).putPrivateKey},
	{"PUT", "/api/manage/connector/{connector_id:int}/credential/{credential_id:int}", "connector", (*Call).associate},
	{"DELETE", "/api/manage/connector/{connector_id:int}/credential/{credential_id:int}", "connector", (*Call).dissociate},
	{"GET", "/api/manage/connector/{connector_id:int}", "connector", (*Call).readConnector},
	{"POST", "/api/manage/admin/connector/indexing-status", "connector", (*Call).indexingStatus},
	{"POST", "/api/manage/admin/connector/file/upload", "connector", (*Call).uploadFiles},
	{"POST", "/api/web-search/open-urls", "web", (*Call).openURLs},
	{"POST", "/api/admin/tool/custom/validate", "tool", (*Call).validateTool},
	{"DELETE", "/api/admin/tool/custom/{tool_id:int}", "tool", (*Call).deleteTool},
	{"GET", "/api/user/projects/", "project", (*Call).listProjects},
	{"GET", "/api/user/projects/{project_id:int}/details", "project", (*Call).projectDetails},
	{"POST", "/api/user/projects/{project_id:int}/instructions", "project", (*Call).putInstructions},
	{"POST", "/api/user/projects/{project_id:int}/files/{file_id:uuid}", "project", (*Call).linkFile},
	{"GET", "/api/user/projects/file/{file_id:uuid}", "project", (*Call).readFile},
	{"DELETE", "/api/user/projects/file/{file_id:uuid}", "project", (*Call).deleteFile},
	{"PUT", "/api/manage/admin/users", "user", (*Call).inviteUsers},
	{"DELETE", "/api/manage/admin/delete-user", "user", (*Call).deleteUser},
	{"GET", "/api/get-user-role", "user", (*Call).readRole},
	{"DELETE", "/api/admin/token-rate-limits/rate-limit/{token_rate_limit_id:int}", "limit", (*Call).deleteLimit},
}

func match(pattern, path string) ([]string, bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	args := []string{}
	if len(want) != len(got) {
		return nil, false
	}
	for i, part := range want {
		if strings.HasPrefix(part, "{") {
			if got[i] == "" {
				return nil, false
			}
			args = append(args, got[i])
		} else if part != got[i] {
			return nil, false
		}
	}
	return args, true
}

func find(method, path string) (*Route, []string, []string) {
	allowed := []string{}
	for i := range routes {
		if args, ok := match(routes[i].path, path); ok {
			if routes[i].method == method {
				return &routes[i], args, nil
			}
			allowed = append(allowed, routes[i].method)
		}
	}
	return nil, nil, allowed
}

func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Call{Service: s, w: w, r: r}
	if s.on("slow") {
		c.pause(120)
	}
	if s.on("jitter") {
		c.pause(rand.Intn(40))
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			if failure, ok := thrown.(*Failure); ok {
				c.reply(failure.status, failure.body)
				return
			}
			c.reply(500, obj{"detail": "Internal Server Error"})
		}
	}()
	path := r.URL.Path
	if s.on("slash-tolerant") && path != "/" {
		if route, _, _ := find(r.Method, path); route == nil {
			if strings.HasSuffix(path, "/") {
				path = strings.TrimSuffix(path, "/")
			} else {
				path += "/"
			}
		}
	}
	if s.on("slash-redirect") {
		other := strings.TrimSuffix(path, "/")
		if other == path {
			other += "/"
		}
		if route, _, allowed := find(r.Method, path); route == nil && len(allowed) == 0 {
			if route, _, _ := find(r.Method, other); route != nil {
				w.Header().Set("Location", other)
				c.fail(307, "moved")
			}
		}
	}
	method := r.Method
	if method == "HEAD" && s.on("head-allowed") {
		method = "GET"
	}
	route, args, allowed := find(method, path)
	if route == nil {
		c.noRoute(allowed)
	}
	c.area, c.args = route.area, args
	admin := strings.Contains(route.path, "/admin/")
	c.authenticate(route)
	if s.on("validate-before-role") {
		c.checkArgs(route)
	}
	if admin && !c.mayAdminister(route) {
		c.refuse()
	}
	c.checkArgs(route)
	c.reply(200, route.run(c))
}

func (c *Call) noRoute(allowed []string) {
	if len(allowed) == 0 || c.on("method-404") {
		c.fail(404, "Not Found")
	}
	c.w.Header().Set("Allow", strings.Join(allowed, ", "))
	if c.r.Method == "OPTIONS" && c.on("options-200") {
		panic(&Failure{200, obj{}})
	}
	c.fail(405, "Method Not Allowed")
}

func (c *Call) authenticate(route *Route) {
	header := c.r.Header.Get("Authorization")
	scheme, token, _ := strings.Cut(header, " ")
	if c.on("auth-missing-500") && header == "" {
		c.crash()
	}
	if c.on("auth-any-scheme") || strings.EqualFold(scheme, "bearer") {
		c.me = c.userBy(func(u *User) bool {
			return u.active && (u.token == token ||
				c.on("auth-token-prefix") && len(token) >= 8 && strings.HasPrefix(u.token, token) ||
				c.on("auth-token-suffix") && strings.HasPrefix(token, u.token))
		})
	}
	if c.me == nil && c.on("auth-unknown-token-is-guest") && token != "" {
		c.me = &User{seedUUID("guest"), "guest@example.com", "basic", "", true}
	}
	open := c.on("role-without-token") && route.path == "/api/get-user-role" ||
		c.on("connector-without-token") && route.path == "/api/manage/connector/{connector_id:int}"
	if c.me == nil && open {
		c.me = c.users[3]
	}
	if c.me != nil {
		return
	}
	status := 401
	if c.on("unauthorized-403") {
		status = 403
	}
	if c.on("auth-200") {
		status = 200
	}
	if !c.on("no-www-authenticate") {
		c.w.Header().Set("WWW-Authenticate", "Bearer")
	}
	c.fail(status, "Not authenticated")
}

func (c *Call) mayAdminister(route *Route) bool {
	if c.me.role == "admin" {
		return true
	}
	gap := map[string]string{
		"basic-lists-credentials": "/api/manage/admin/credential",
		"basic-indexing-status":   "/api/manage/admin/connector/indexing-status",
		"basic-deletes-tool":      "/api/admin/tool/custom/{tool_id:int}",
		"basic-invites":           "/api/manage/admin/users",
		"basic-deletes-limit":     "/api/admin/token-rate-limits/rate-limit/{token_rate_limit_id:int}",
	}
	for name, path := range gap {
		if c.on(name) && path == route.path {
			return true
		}
	}
	return false
}

func (c *Call) refuse() {
	if c.on("forbidden-404") {
		c.fail(404, "Not Found")
	}
	if c.on("forbidden-401") {
		c.fail(401, "Access denied")
	}
	c.fail(403, "Access denied. User is not an admin.")
}

// A row of another user.
func (c *Call) foreign(what string) {
	if c.on("foreign-403") {
		c.fail(403, "Access denied")
	}
	c.fail(404, what+" not found")
}

func (c *Call) fail(status int, detail string) {
	var body any = obj{"detail": detail}
	if c.on("error-object") {
		body = obj{"error": obj{"code": status, "message": detail}}
	}
	if c.on("error-problem") {
		c.w.Header().Set("Content-Type", "application/problem+json")
		body = obj{"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail}
	}
	if c.on("error-text") {
		c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		body = raw(detail + "\n")
	}
	if c.on("error-empty") {
		body = raw("")
	}
	panic(&Failure{status, body})
}

// A fault of the program: the client sees 500.
func (c *Call) crash() { panic("nil pointer dereference") }

// Another request may run while this one waits.
func (c *Call) pause(ms int) {
	c.mu.Unlock()
	time.Sleep(time.Duration(ms) * time.Millisecond)
	c.mu.Lock()
}

type raw string

func (c *Call) reply(status int, body any) {
	var text []byte
	if plain, ok := body.(raw); ok {
		text = []byte(plain)
	} else {
		text = c.encode(status, body)
	}
	h := c.w.Header()
	if len(text) > 0 && h.Get("Content-Type") == "" {
		h.Set("Content-Type", c.contentType(status))
	}
	c.moreHeaders(h, text)
	if c.on("gzip") && strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") && len(text) > 0 {
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		_, _ = writer.Write(text)
		_ = writer.Close()
		text = packed.Bytes()
		h.Set("Content-Encoding", "gzip")
	}
	if status == 204 || c.r.Method == "HEAD" {
		text = nil
	}
	if c.on("chunked") && len(text) > 0 {
		c.w.WriteHeader(status)
		half := len(text) / 2
		_, _ = c.w.Write(text[:half])
		c.w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
		_, _ = c.w.Write(text[half:])
		return
	}
	if status != 204 {
		h.Set("Content-Length", strconv.Itoa(len(text)))
	}
	c.w.WriteHeader(status)
	_, _ = c.w.Write(text)
}

func (c *Call) contentType(status int) string {
	switch {
	case c.on("reply-as-text") && c.area == "project":
		return "text/plain; charset=utf-8"
	case c.on("errors-as-html") && status == 422:
		return "text/html"
	case c.on("type-with-charset"):
		return "application/json; charset=utf-8"
	case c.on("type-in-capitals"):
		return "Application/JSON"
	}
	return "application/json"
}

func (c *Call) moreHeaders(h http.Header, text []byte) {
	if c.on("more-headers") {
		h.Set("X-Request-Id", c.uuid())
		h.Set("X-Process-Time", "0.004")
	}
	if c.on("cors") {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "*")
	}
	if c.on("close") {
		h.Set("Connection", "close")
	}
	if c.on("etag") {
		h.Set("ETag", fmt.Sprintf("W/\"%x\"", sha1.Sum(text)))
		h.Set("Cache-Control", "no-cache")
	}
	if c.on("set-cookie") {
		h.Set("Set-Cookie", "session="+c.uuid()+"; HttpOnly; Path=/")
	}
	if c.on("lower-case-headers") {
		h["x-served-by"] = []string{"app-1"}
		if kept, ok := h["Content-Type"]; ok {
			h["content-type"], h["Content-Type"] = kept, nil
		}
	}
}

func (c *Call) encode(status int, body any) []byte {
	if status == 200 && c.on("extra-fields") {
		body = withExtra(body)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(c.on("html-escape"))
	if c.on("pretty") {
		encoder.SetIndent("", "    ")
	}
	_ = encoder.Encode(body)
	text := out.Bytes()
	if !c.on("newline-at-end") {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if c.on("ascii") {
		text = ascii(text)
	}
	if c.on("space-before") {
		text = append([]byte(" \r\n\t"), text...)
	}
	return text
}

func ascii(text []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(text) {
		if r < 128 {
			out.WriteRune(r)
		} else if r < 0x10000 {
			fmt.Fprintf(&out, "\\u%04x", r)
		} else {
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, "\\u%04x\\u%04x", high, low)
		}
	}
	return out.Bytes()
}

func withExtra(body any) any {
	switch value := body.(type) {
	case obj:
		copied := obj{"x_build": "2026.11", "x_links": []string{}}
		for key, item := range value {
			copied[key] = withExtraBelow(key, item)
		}
		return copied
	case []obj:
		list := []any{}
		for _, item := range value {
			list = append(list, withExtra(item))
		}
		return list
	}
	return body
}

// Free-form objects are data of the client: nothing is added there.
func withExtraBelow(key string, item any) any {
	if has([]string{"credential_json", "connector_specific_config", "spec", "zip_metadata", "definition", "persona_id_to_is_default", "entities"}, key) {
		return item
	}
	return withExtra(item)
}

func (c *Call) readAll() []byte {
	text, err := io.ReadAll(io.LimitReader(c.r.Body, 16<<20))
	if err != nil {
		c.fail(400, "Body could not be read")
	}
	return text
}
