package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// The reply as it is on the wire.
func (t *T) wire(who, method, path, headers string) string {
	conn, err := net.Dial("tcp", strings.TrimPrefix(t.base, "http://"))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n%s\r\n",
		method, path, t.tokens[who], headers)
	text, _ := io.ReadAll(conn)
	return string(text)
}

func header(name string) func(t *T) any {
	return func(t *T) any { return t.get("ben", role).Header.Get(name) != "" }
}

func missing(t *T) any {
	r := t.get("ben", "/api/user/projects/9999/details")
	return all(r.Status, r.Text, r.Header.Get("Content-Type"))
}

func text(path string) func(t *T) any {
	return func(t *T) any { return t.get("ben", path).Text }
}

func took(t *T) any {
	begun := time.Now()
	for i := 0; i < 8; i++ {
		t.get("ben", role)
	}
	return time.Since(begun) > 50*time.Millisecond
}

func removed(t *T) any {
	r := t.do("ben", "DELETE "+agents+"8", "")
	return all(r.Status, r.Text)
}

func removedTwice(t *T) any {
	t.do("ben", "DELETE "+agents+"8", "")
	return removed(t)
}

var choicesOfReplies = []Flag{
	{"slow", "open", "Each reply takes 120 ms", took},
	{"jitter", "open", "Each reply takes up to 40 ms", took},
	{"slash-tolerant", "open", "A slash at the end of a path may be left out or added", func(t *T) any { return t.get("ben", "/api/user/projects").Status }},
	{"slash-redirect", "open", "A wrong slash at the end is redirected", func(t *T) any { return t.get("ben", "/api/user/projects").Status }},
	{"head-allowed", "open", "HEAD is answered where GET is", func(t *T) any { return t.do("ben", "HEAD "+role, "").Status }},
	{"options-200", "open", "OPTIONS is answered with 200", func(t *T) any { return t.do("ben", "OPTIONS "+role, "").Status }},
	{"method-404", "open", "A wrong method gives 404", func(t *T) any { return t.do("ben", "PATCH "+role, "{}").Status }},
	{"validate-before-role", "open", "Path values are checked before the role", func(t *T) any { return t.do("ben", "DELETE "+tools+"abc", "").Status }},
	{"lookup-before-body", "open", "Rows are looked up before the body is checked", func(t *T) any {
		return t.do("ben", "POST /api/user/projects/9999/instructions", "{").Status
	}},
	{"unauthorized-403", "7.3", "A request without a token gives 403", func(t *T) any { return t.get("", role).Status }},
	{"no-www-authenticate", "open", "401 comes without WWW-Authenticate", func(t *T) any { return t.get("", role).Header.Get("WWW-Authenticate") }},
	{"forbidden-401", "5.4, 7.3", "A call without the role gives 401", func(t *T) any { return t.get("ben", allKeys).Status }},
	{"forbidden-404", "5.4, 7.3", "Administrator paths are hidden as 404", func(t *T) any { return t.get("ben", allKeys).Status }},
	{"foreign-403", "7.3", "Rows of other users give 403 instead of 404", func(t *T) any { return t.get("ben", "/api/user/projects/4/details").Status }},
	{"error-object", "7.3", "Errors are an object error with code and message", missing},
	{"error-problem", "7.3", "Errors are application/problem+json", missing},
	{"error-text", "7.3", "Errors are plain text", missing},
	{"error-empty", "7.3", "Errors have no body", missing},
	{"more-detail", "2.16", "All validation errors have input, ctx and url", func(t *T) any { return t.get("ben", agents+"x").at("detail.0.url") }},
	{"path-loc-id", "2.16", "loc of a bad value in the path calls it id", func(t *T) any { return t.get("ben", agents+"x").at("detail.0.loc") }},
	{"half-pairs-replaced", "1", "Half of a surrogate pair becomes U+FFFD", func(t *T) any {
		return t.do("ben", "PATCH "+agents+"6", `{"name":"a\ud800b"}`).Status
	}},
	{"first-error-only", "2.16", "Only the first error of a body is given", func(t *T) any {
		return count(t.do("ada", newKey, `{}`), "detail")
	}},
	{"type-required", "1", "A JSON body without its media type gives 415", func(t *T) any {
		return t.send("ben", "POST", "/api/web-search/open-urls", "text/plain", []byte(`{"urls":["https://example.com"]}`)).Status
	}},
	{"null-refused", "4", "null for an optional field is refused", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":1,"description":null}`).Status
	}},
	{"unknown-fields-refused", "4", "Unknown fields of a body are refused", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":1,"colour":"red"}`).Status
	}},
	{"float-int", "4", "5.0 is taken as the integer 5", func(t *T) any { return t.do("ben", newChat, `{"persona_id":1.0}`).Status }},
	{"gzip", "open", "Replies are packed when the client allows", func(t *T) any {
		return strings.Contains(t.wire("ben", "GET", role, "Accept-Encoding: gzip\r\n"), "Content-Encoding")
	}},
	{"chunked", "open", "Replies come in pieces without a length", func(t *T) any {
		return strings.Contains(t.wire("ben", "GET", role, ""), "chunked")
	}},
	{"lower-case-headers", "open", "Names of headers are in lower case", func(t *T) any {
		return strings.Contains(t.wire("ben", "GET", role, ""), "\ncontent-type")
	}},
	{"type-with-charset", "1", "The media type has a charset", func(t *T) any { return t.get("ben", role).Header.Get("Content-Type") }},
	{"type-in-capitals", "1", "The media type has capitals", func(t *T) any { return t.get("ben", role).Header.Get("Content-Type") }},
	{"more-headers", "open", "Replies have headers of the server", header("X-Request-Id")},
	{"cors", "open", "Replies have headers for other origins", header("Access-Control-Allow-Origin")},
	{"close", "open", "Each connection is closed after its reply", func(t *T) any {
		return strings.Contains(strings.ToLower(t.wireKept("ben", role)), "connection: close")
	}},
	{"etag", "open", "Replies have a weak ETag", header("ETag")},
	{"set-cookie", "open", "Each reply sets a cookie", header("Set-Cookie")},
	{"extra-fields", "open", "Objects have fields that the description does not have", func(t *T) any { return t.get("ben", role).at("x_build") }},
	{"html-escape", "open", "<, > and & are escaped in JSON", text(agents + "3")},
	{"pretty", "open", "JSON is indented", text(role)},
	{"newline-at-end", "open", "JSON ends with a line end", text(role)},
	{"space-before", "open", "JSON begins with white space", text(role)},
	{"ascii", "open", "Letters beyond ASCII are escaped in JSON", func(t *T) any {
		return strings.Contains(t.get("ben", chats).Text, "Köln")
	}},
	{"delete-204", "E4, E7, E20, E28, E30, 7.3", "Deletions without a described body give 204", removed},
	{"delete-empty", "E4, E7, E20, E28, E30", "Deletions give 200 without a body", removed},
	{"delete-null", "E4, E7, E20, E28, E30", "Deletions give null", removed},
	{"delete-message", "E4, E7, E20, E28, E30", "Deletions give success and a message", removed},
	{"second-delete-200", "7.3", "A second deletion gives 200", removedTwice},
	{"second-delete-410", "7.3", "A second deletion gives 410", removedTwice},
	{"ids-high", "2", "Ids of new rows begin at two millions", func(t *T) any { id, _ := t.key("{}"); return id }},
	{"ids-with-gaps", "2", "Ids of new rows have gaps", func(t *T) any { id, _ := t.key("{}"); return id }},
	{"uuid-by-time", "2", "New UUIDs are of version 7", func(t *T) any { return t.chat("ben", `{"persona_id":1}`)[14:15] }},
	{"uuid-in-capitals", "2", "UUIDs of sessions are in capitals", func(t *T) any {
		id := t.chat("ben", `{"persona_id":1}`)
		return id == strings.ToUpper(id)
	}},
	{"time-offset", "2", "Times have an offset of two hours", func(t *T) any { return fmt.Sprint(t.get("ben", projects).at("0.created_at"))[19:] }},
	{"time-micros", "2", "Times have microseconds", func(t *T) any { return fmt.Sprint(t.get("ben", projects).at("0.created_at"))[19:] }},
	{"time-zero-offset", "2", "Times have milliseconds and +00:00", func(t *T) any { return fmt.Sprint(t.get("ben", projects).at("0.created_at"))[19:] }},
}

// Like wire, without asking for the connection to be closed.
func (t *T) wireKept(who, path string) string {
	conn, err := net.Dial("tcp", strings.TrimPrefix(t.base, "http://"))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(150 * time.Millisecond))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, t.tokens[who])
	text, _ := io.ReadAll(conn)
	return string(text)
}
