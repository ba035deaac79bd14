package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sort"
	"strings"
	"time"
)

func (c *Call) base(k *Credential) obj {
	row := obj{"credential_json": k.json, "admin_public": k.adminPublic, "source": k.source,
		"curator_public": k.curatorPublic, "groups": k.groups}
	if k.name != nil {
		row["name"] = *k.name
	} else if c.on("credential-name-null") {
		row["name"] = nil
	}
	if c.on("credential-groups-absent") && len(k.groups) == 0 {
		delete(row, "groups")
	}
	return row
}

func (c *Call) snapshot(k *Credential) obj {
	row := c.base(k)
	row["id"], row["user_id"] = k.id, nil
	row["time_created"], row["time_updated"] = c.ts(k.created), c.ts(k.updated)
	if k.owner != nil {
		row["user_id"], row["user_email"] = k.owner.id, k.owner.email
		if c.on("credential-email-absent") {
			delete(row, "user_email")
		}
	} else if c.on("credential-email-null") {
		row["user_email"] = nil
	}
	if c.on("credential-user-absent") && k.owner == nil {
		delete(row, "user_id")
	}
	if c.on("credential-curator-null") && !k.curatorPublic {
		row["curator_public"] = nil
	}
	if c.on("credential-owner-is-reader") {
		row["user_id"], row["user_email"] = c.me.id, c.me.email
	}
	return row
}

func (c *Call) maySeeCredential(k *Credential) bool {
	admin := c.me.role == "admin"
	return k.owner == c.me || admin && (k.adminPublic || k.curatorPublic || c.on("admin-sees-all-credentials")) ||
		c.me.role == "curator" && k.curatorPublic
}

func (c *Call) createCredential() any {
	b := c.body("credential_json:obj! admin_public:bool! source:source! name:str curator_public:bool groups:int[]")
	now := time.Now()
	k := &Credential{json: b["credential_json"].(obj), adminPublic: b["admin_public"] == true,
		source: b["source"].(string), curatorPublic: b["curator_public"] == true, groups: unique(list(b["groups"])),
		owner: c.me, created: now, updated: now}
	if name, ok := b["name"].(string); ok {
		k.name = &name
	}
	c.spoil(k)
	if c.on("credential-same-name-replaced") && k.name != nil {
		for _, old := range c.credentials {
			if old.name != nil && *old.name == *k.name && old.owner == k.owner {
				k.id = old.id
				*old = *k
				return obj{"id": old.id, "credential": c.snapshot(old)}
			}
		}
	}
	if c.on("credential-id-in-parallel") {
		id := c.next["credential"]
		c.pause(20)
		if id == 0 {
			id = 100
		}
		k.id = id + 1
		c.next["credential"] = id + 1
	} else {
		k.id = c.id("credential")
	}
	reply := c.snapshot(k)
	if c.on("credential-public-lost") {
		k.adminPublic = false
	}
	if c.on("credential-secret-nested-lost") {
		for key, value := range k.json {
			if _, ok := value.(obj); ok {
				k.json = pick(k.json, "")
				delete(k.json, key)
			}
		}
	}
	if !c.on("credential-list-newest-first") {
		c.credentials = append(c.credentials, k)
	} else {
		c.credentials = append([]*Credential{k}, c.credentials...)
	}
	id := any(k.id)
	if c.on("credential-reply-other-id") {
		reply["id"] = k.id - 1
	}
	return obj{"id": id, "credential": reply}
}

// What some bugs do to a credential before it is stored.
func (c *Call) spoil(k *Credential) {
	if c.on("credential-numbers-cut") {
		for key, value := range k.json {
			if number, ok := value.(json.Number); ok {
				float, _ := number.Float64()
				k.json[key] = int64(float)
			}
		}
	}
	if c.on("credential-nulls-dropped") {
		for key, value := range k.json {
			if value == nil {
				delete(k.json, key)
			}
		}
	}
	if c.on("credential-groups-first-only") && len(k.groups) > 1 {
		k.groups = k.groups[:1]
	}
	if c.on("credential-owner-first-admin") && k.adminPublic {
		k.owner = c.users[0]
	}
}

func (c *Call) readCredential() any {
	k := c.credential(c.int(0))
	if k == nil || !c.maySeeCredential(k) && !c.on("credential-foreign-read") {
		if c.on("credential-unknown-500") && k == nil {
			c.crash()
		}
		if c.on("credential-foreign-leaks-json") && k != nil {
			return obj{"success": false, "message": "Not yours", "data": k.json}
		}
		if c.on("credential-unknown-404") {
			c.fail(404, "Credential not found")
		}
		if c.on("credential-status-without-success") {
			return obj{"message": "Credential does not exist."}
		}
		return c.status(false, "Credential does not exist.", c.int(0))
	}
	return c.snapshot(k)
}

func (c *Call) status(success bool, message string, data int) obj {
	row := obj{"success": success, "message": message, "data": data}
	if c.on("status-message-null") {
		row["message"] = nil
	}
	if c.on("status-data-null") {
		row["data"] = nil
	}
	if c.on("status-bare") {
		return obj{"success": success}
	}
	return row
}

func (c *Call) ordered(rows []*Credential) []*Credential {
	if c.on("credentials-by-name") {
		sort.SliceStable(rows, func(a, b int) bool {
			x, y := rows[a].name, rows[b].name
			return x == nil && y != nil || x != nil && y != nil && *x < *y
		})
	}
	return rows
}

func (c *Call) listCredentials() any {
	rows := filter(c.credentials, func(k *Credential) bool {
		if c.on("credentials-own-only") && k.owner != nil && k.owner != c.me {
			return false
		}
		if c.on("credentials-with-private") && k.owner != c.me && k.source == "imap" {
			return true
		}
		if c.on("credentials-used-only") {
			used := len(filter(c.pairs, func(p *Pair) bool { return p.credential == k.id })) > 0
			return k.adminPublic && used
		}
		return k.adminPublic
	})
	if c.on("credentials-twice-by-group") {
		for _, k := range append([]*Credential{}, rows...) {
			for range k.groups[min(1, len(k.groups)):] {
				rows = append(rows, k)
			}
		}
	}
	if c.on("credentials-cached") {
		if old, ok := c.memory["credentials"].([]*Credential); ok && time.Since(c.memory["credentials-at"].(time.Time)) < time.Second {
			rows = old
		} else {
			c.memory["credentials"], c.memory["credentials-at"] = rows, time.Now()
		}
	}
	return rowsOf(c.ordered(rows), c.snapshot)
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func (c *Call) similarCredentials() any {
	source := c.args[0]
	editable := c.r.URL.Query().Get("get_editable") == "true"
	rows := filter(c.credentials, func(k *Credential) bool {
		if k.source != source && !c.on("similar-source-ignored") {
			return false
		}
		if editable && k.owner != c.me && !k.adminPublic {
			return false
		}
		return c.maySeeCredential(k)
	})
	if c.on("similar-null-when-none") && len(rows) == 0 {
		return nil
	}
	return rowsOf(c.ordered(rows), c.snapshot)
}

func (c *Call) form() {
	if err := c.r.ParseMultipartForm(16 << 20); err != nil {
		if errors.Is(err, http.ErrNotMultipart) || errors.Is(err, http.ErrMissingBoundary) {
			if c.on("no-multipart-500") {
				c.crash()
			}
		}
		c.invalid(c.problem([]any{"body"}, "multipart/form-data expected", "missing", nil))
	}
}

func (c *Call) putPrivateKey() any {
	c.form()
	values := c.r.MultipartForm.Value
	value := func(name string) (string, bool) {
		if len(values[name]) == 0 {
			return "", false
		}
		return values[name][0], true
	}
	problems := []obj{}
	text, ok := value("credential_json")
	data := obj{}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if !ok {
		problems = append(problems, c.problem([]any{"body", "credential_json"}, "Field required", "missing", nil))
	} else if err := decoder.Decode(&data); err != nil || data == nil {
		if c.on("key-broken-json-500") {
			c.crash()
		}
		problems = append(problems, c.problem([]any{"body", "credential_json"}, "Input should be a JSON object", "json_invalid", text))
	}
	files := c.r.MultipartForm.File["uploaded_file"]
	if _, isText := value("uploaded_file"); len(files) == 0 && (isText || !c.on("key-file-optional")) {
		problems = append(problems, c.problem([]any{"body", "uploaded_file"}, "Field required", "missing", nil))
	}
	if len(problems) > 0 {
		c.invalid(problems...)
	}
	k := c.credential(c.int(0))
	if k == nil || !c.maySeeCredential(k) {
		c.fail(404, "Credential not found")
	}
	content := []byte{}
	for _, file := range files[:min(1, len(files))] {
		opened, err := file.Open()
		if err == nil {
			content, _ = io.ReadAll(opened)
			_ = opened.Close()
		}
	}
	if key, ok := value("field_key"); ok && key != "" {
		data[key] = base64.StdEncoding.EncodeToString(content)
		if c.on("key-as-text") {
			data[key] = strings.ToValidUTF8(string(content), "?")
		}
	}
	if c.on("key-new-instead-of-update") {
		copied := *k
		copied.id = c.id("credential")
		c.credentials = append(c.credentials, &copied)
		k = &copied
	}
	if c.on("key-on-all-of-source") {
		for _, other := range c.credentials {
			if other.source == k.source && other.owner == k.owner {
				other.json = data
			}
		}
	}
	reply := *k
	reply.json, reply.updated = data, time.Now()
	if name, ok := value("name"); ok && !c.on("key-name-lost") {
		reply.name = &name
	}
	if c.on("key-owner-changes") {
		reply.owner = c.me
	}
	if !c.on("key-not-stored") {
		*k = reply
	}
	row := c.base(&reply)
	if c.on("key-reply-with-id") {
		row["id"] = reply.id
	}
	return row
}
