package main

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var uuidPattern = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// encoding/json puts U+FFFD in the place of half a surrogate pair.
var (
	wholePair = regexp.MustCompile(`\\\\|(?i:\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})`)
	halfPair  = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// The sources that name no product, and some that do.
var sources = []string{"ingestion_api", "web", "file", "not_applicable", "mock_connector", "user_file", "imap",
	"slack", "github", "gitlab", "jira", "confluence", "gmail", "google_drive", "notion", "zendesk", "salesforce"}

var enums = map[string][]string{
	"source": sources,
	"access": {"public", "private", "sync"},
	"status": {"not_started", "in_progress", "success", "canceled", "failed", "completed_with_errors"},
	"op":     {">", "<", "="},
}

func (c *Call) problem(loc []any, msg, kind string, input any) obj {
	row := obj{"loc": loc, "msg": msg, "type": kind}
	if c.area == "chat" && !c.on("chat-error-without-ctx") || c.on("more-detail") {
		row["input"], row["ctx"] = input, obj{"error": msg}
	}
	if c.on("more-detail") {
		row["url"] = "https://errors.example.com/" + kind
	}
	return row
}

func (c *Call) invalid(problems ...obj) {
	if c.on("first-error-only") {
		problems = problems[:1]
	}
	for _, row := range problems {
		if c.on("error-loc-text") {
			parts := []string{}
			for _, part := range row["loc"].([]any) {
				parts = append(parts, toText(part))
			}
			row["loc"] = strings.Join(parts, ".")
		}
	}
	var body any = obj{"detail": problems}
	if c.on("error-detail-text") {
		body = obj{"detail": problems[0]["msg"]}
	}
	if c.on("invalid-400") && c.area == "project" {
		panic(&Failure{400, body})
	}
	panic(&Failure{422, body})
}

func toText(value any) string {
	text, _ := json.Marshal(value)
	return strings.Trim(string(text), `"`)
}

func (c *Call) checkArgs(route *Route) {
	parts := []string{}
	for _, part := range strings.Split(route.path, "/") {
		if strings.HasPrefix(part, "{") {
			parts = append(parts, strings.Trim(part, "{}"))
		}
	}
	for i, part := range parts {
		name, kind, _ := strings.Cut(part, ":")
		if c.on("path-loc-id") {
			name = "id"
		}
		arg := c.args[i]
		switch kind {
		case "int":
			if _, err := strconv.ParseInt(arg, 10, 64); err != nil {
				if c.on("persona-id-text-500") && c.area == "persona" || c.on("limit-id-text-500") && c.area == "limit" {
					c.crash()
				}
				c.invalid(c.problem([]any{"path", name}, "Input should be a valid integer", "int_parsing", arg))
			}
		case "uuid":
			if !uuidPattern.MatchString(arg) {
				if c.on("file-id-text-500") && c.area == "project" {
					c.crash()
				}
				if c.on("chat-id-text-404") && c.area == "chat" {
					c.fail(404, "Not found")
				}
				c.invalid(c.problem([]any{"path", name}, "Input should be a valid UUID", "uuid_parsing", arg))
			}
			c.args[i] = strings.ToLower(arg)
		case "source":
			if !has(sources, arg) && !c.on("similar-any-source") {
				c.invalid(c.problem([]any{"path", name}, "Input should be a document source", "enum", arg))
			}
		}
	}
}

func (c *Call) int(i int) int {
	n, _ := strconv.Atoi(c.args[i])
	return n
}

// The body by a list of "name:type", "!" for required, "[]" for a list, "+" for a list that is not empty.
func (c *Call) body(spec string) obj {
	text := c.readAll()
	if c.on("type-required") && len(text) > 0 && !strings.Contains(c.r.Header.Get("Content-Type"), "json") {
		c.fail(415, "Unsupported Media Type")
	}
	if halfPair.Match(wholePair.ReplaceAll(text, nil)) && !c.on("half-pairs-replaced") {
		c.invalid(c.problem([]any{"body"}, "Half of a surrogate pair", "json_invalid", obj{}))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	if err == nil {
		if _, more := decoder.Token(); more != io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	if err != nil {
		if c.on("broken-json-500") && c.area == "connector" {
			c.crash()
		}
		c.invalid(c.problem([]any{"body", 0}, "JSON decode error", "json_invalid", obj{}))
	}
	body, ok := value.(obj)
	if !ok {
		if c.on("list-body-500") && c.area == "persona" {
			c.crash()
		}
		c.invalid(c.problem([]any{"body"}, "Input should be an object", "model_attributes_type", value))
	}
	return c.check(body, spec)
}

func (c *Call) check(body obj, spec string) obj {
	problems, checked := []obj{}, obj{}
	knownNames := map[string]bool{}
	for _, field := range strings.Fields(spec) {
		name, kind, _ := strings.Cut(field, ":")
		knownNames[name] = true
		required := strings.HasSuffix(kind, "!")
		kind = strings.TrimSuffix(kind, "!")
		value, given := body[name]
		loc := []any{"body", name}
		if given && value == nil && !required && !c.on("null-refused") {
			given = false
		}
		if !given {
			if required {
				problems = append(problems, c.problem(loc, "Field required", "missing", body))
			}
			continue
		}
		value, rows := c.checkValue(loc, kind, value)
		problems = append(problems, rows...)
		checked[name] = value
	}
	if c.on("unknown-fields-refused") {
		for name := range body {
			if !knownNames[name] {
				problems = append(problems, c.problem([]any{"body", name}, "Extra inputs are not permitted", "extra_forbidden", body[name]))
			}
		}
	}
	if len(problems) > 0 {
		c.invalid(problems...)
	}
	return checked
}

func (c *Call) checkValue(loc []any, kind string, value any) (any, []obj) {
	bad := func(msg, kind string) (any, []obj) {
		return nil, []obj{c.problem(loc, msg, kind, value)}
	}
	if strings.HasSuffix(kind, "[]") || strings.HasSuffix(kind, "[]+") {
		list, ok := value.([]any)
		if !ok {
			return bad("Input should be a valid list", "list_type")
		}
		if strings.HasSuffix(kind, "+") && len(list) == 0 && !c.on("urls-empty-accepted") {
			return bad("List should have at least 1 item", "too_short")
		}
		items, problems := []any{}, []obj{}
		for i, item := range list {
			at := append(append([]any{}, loc...), i)
			checked, rows := c.checkValue(at, strings.TrimRight(kind, "[]+"), item)
			if c.on("lists-first-item-checked") && i > 0 && len(rows) > 0 {
				checked, rows = item, nil
			}
			items, problems = append(items, checked), append(problems, rows...)
		}
		return items, problems
	}
	switch kind {
	case "str":
		if _, ok := value.(string); !ok {
			if c.on("numbers-as-text") && c.area == "persona" {
				return toText(value), nil
			}
			return bad("Input should be a valid string", "string_type")
		}
	case "bool":
		if _, ok := value.(bool); !ok {
			if c.on("any-is-true") && c.area == "credential" {
				return true, nil
			}
			return bad("Input should be a valid boolean", "bool_type")
		}
	case "int":
		number, ok := value.(json.Number)
		n, err := strconv.Atoi(string(number))
		if ok && err != nil && (c.on("float-int") || c.on("persona-int-cut") && c.area == "persona") {
			float, _ := number.Float64()
			if c.on("persona-int-cut") || float == float64(int(float)) {
				n, err = int(float), nil
			}
		}
		if !ok || err != nil {
			return bad("Input should be a valid integer", "int_type")
		}
		return n, nil
	case "obj":
		if _, ok := value.(obj); !ok {
			if c.on("object-as-list-500") && c.area == "tool" {
				c.crash()
			}
			return bad("Input should be an object", "dict_type")
		}
	case "uuid":
		text, ok := value.(string)
		if !ok || !uuidPattern.MatchString(text) {
			return bad("Input should be a valid UUID", "uuid_parsing")
		}
		return strings.ToLower(text), nil
	case "date":
		text, _ := value.(string)
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
			if t, err := time.Parse(layout, text); err == nil {
				if c.on("persona-date-zone-lost") {
					t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
				}
				return t, nil
			}
		}
		return bad("Input should be a valid datetime", "datetime_parsing")
	case "starter":
		row, ok := value.(obj)
		name, text := "", ""
		if ok {
			name, ok = row["name"].(string)
		}
		if ok {
			text, ok = row["message"].(string)
		}
		if !ok {
			return bad("Input should be a starter message", "model_type")
		}
		return obj{"name": name, "message": text}, nil
	default:
		text, ok := value.(string)
		if !ok || !has(enums[kind], text) {
			if c.on("indexing-any-status") && kind == "status" {
				return value, nil
			}
			if c.on("credential-any-source") && kind == "source" {
				return toText(value), nil
			}
			return bad("Input should be one of "+strings.Join(enums[kind], ", "), "enum")
		}
	}
	return value, nil
}
