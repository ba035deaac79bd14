package main

import "time"

const (
	role     = "/api/get-user-role"
	chats    = "/api/chat/get-user-chat-sessions"
	newChat  = "POST /api/chat/create-chat-session"
	search   = "/api/chat/search"
	projects = "/api/user/projects/"
	newKey   = "POST /api/manage/credential"
	allKeys  = "/api/manage/admin/credential"
	statuses = "POST /api/manage/admin/connector/indexing-status"
	upload   = "POST /api/manage/admin/connector/file/upload"
	openUrls = "POST /api/web-search/open-urls"
	validate = "POST /api/admin/tool/custom/validate"
	invite   = "PUT /api/manage/admin/users"
	dropUser = "DELETE /api/manage/admin/delete-user"
	agents   = "/api/persona/"
	tools    = "/api/admin/tool/custom/"
	limits   = "/api/admin/token-rate-limits/rate-limit/"
)

func wait(ms int) { time.Sleep(time.Duration(ms) * time.Millisecond) }

var bugsOfAccess = []Flag{
	{"auth-any-scheme", "5.1", "The scheme of the Authorization header is not looked at: Basic with a token passes", func(t *T) any {
		return t.do("raw:Basic "+t.tokens["ben"], "GET "+role, "").Status
	}},
	{"auth-token-prefix", "5.1", "The first characters of a token pass as the whole", func(t *T) any {
		return t.do("raw:Bearer "+t.tokens["ben"][:16], "GET "+role, "").Status
	}},
	{"auth-token-suffix", "5.1", "A token with characters added at its end still passes", func(t *T) any {
		return t.do("raw:Bearer "+t.tokens["ben"]+"x", "GET "+role, "").Status
	}},
	{"auth-unknown-token-is-guest", "5.1", "An unknown token makes the caller a guest instead of being refused", func(t *T) any {
		return t.do("raw:Bearer nonsense", "GET "+projects, "").Status
	}},
	{"auth-missing-500", "5.1", "A request without the header crashes", func(t *T) any { return t.get("", chats).Status }},
	{"auth-200", "5.1", "A request without a token gets status 200 with an error in the body", func(t *T) any { return t.get("", chats).Status }},
	{"role-without-token", "5.1, E29", "The role is given without a token", func(t *T) any { return t.get("", role).Status }},
	{"connector-without-token", "5.1, E15", "A connector is read without a token", func(t *T) any {
		return t.get("", "/api/manage/connector/1").Status
	}},
	{"basic-lists-credentials", "5.2, E10", "A basic user lists the credentials of administrators", func(t *T) any { return t.get("ben", allKeys).Status }},
	{"basic-indexing-status", "5.2, E16", "A basic user reads the indexing status", func(t *T) any { return t.do("ben", statuses, "{}").Status }},
	{"basic-deletes-tool", "5.2, E20", "A basic user deletes a custom tool", func(t *T) any { return t.do("ben", "DELETE "+tools+"3", "").Status }},
	{"basic-invites", "5.2, E27", "A basic user invites users", func(t *T) any {
		return t.do("ben", invite, `{"emails":["new@example.com"]}`).Status
	}},
	{"basic-deletes-limit", "5.2, E30", "A basic user deletes a token limit", func(t *T) any { return t.do("ben", "DELETE "+limits+"1", "").Status }},
	{"error-loc-text", "2.16", "loc of a validation error is a dotted text instead of a list", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":"x"}`).at("detail.0.loc")
	}},
	{"error-detail-text", "2.16", "detail of a validation error is a text", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":"x"}`).at("detail.0")
	}},
	{"chat-error-without-ctx", "2.16", "Validation errors of the chat area lack input and ctx", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":"x"}`).at("detail.0.ctx")
	}},
	{"invalid-400", "7.1", "The project area answers invalid requests with 400", func(t *T) any {
		return t.do("ben", "POST /api/user/projects/1/instructions", `{"instructions":4}`).Status
	}},
	{"errors-as-html", "1, 2.16", "Validation errors have the type text/html", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":"x"}`).Header.Get("Content-Type")
	}},
	{"reply-as-text", "1", "Replies of the project area have the type text/plain", func(t *T) any {
		return t.get("ben", projects).Header.Get("Content-Type")
	}},
	{"persona-id-text-500", "7.1, E5", "A persona id that is not a number crashes", func(t *T) any { return t.get("ben", agents+"abc").Status }},
	{"file-id-text-500", "7.1, E25", "A file id that is not a UUID crashes", func(t *T) any {
		return t.get("ben", "/api/user/projects/file/abc").Status
	}},
	{"chat-id-text-404", "7.1, E4", "A session id that is not a UUID gives 404 instead of 422", func(t *T) any {
		return t.do("ben", "DELETE /api/chat/delete-chat-session/abc", "").Status
	}},
	{"limit-id-text-500", "7.1, E30", "A limit id that is not a number crashes", func(t *T) any {
		return t.do("ada", "DELETE "+limits+"abc", "").Status
	}},
	{"broken-json-500", "7.1", "A body that is no JSON crashes the connector area", func(t *T) any { return t.do("ada", statuses, `{"a":`).Status }},
	{"list-body-500", "7.1, E6", "A body that is a list crashes the change of a persona", func(t *T) any {
		return t.do("ada", "PATCH "+agents+"3", `[]`).Status
	}},
	{"lists-first-item-checked", "7.1", "Only the first item of a list is checked for its type", func(t *T) any {
		return t.do("ada", statuses, `{"access_type_filters":["public","secret"]}`).Status
	}},
	{"numbers-as-text", "7.1, E6", "A number is taken where the persona needs a text", func(t *T) any {
		return t.do("ada", "PATCH "+agents+"3", `{"description":12}`).Status
	}},
	{"any-is-true", "7.1, E8", "A text in admin_public counts as true", func(t *T) any {
		return t.do("ada", newKey, `{"credential_json":{},"admin_public":"no","source":"web"}`).Status
	}},
	{"persona-int-cut", "7.1, E6", "A fraction in an integer field is cut silently", func(t *T) any {
		return t.do("ada", "PATCH "+agents+"3", `{"num_chunks":7.9}`).Status
	}},
	{"object-as-list-500", "7.1, E19", "A definition that is a list crashes", func(t *T) any {
		return t.do("ada", validate, `{"definition":[]}`).Status
	}},
	{"indexing-any-status", "2.2, E16", "An unknown status is taken as a filter", func(t *T) any {
		return t.do("ada", statuses, `{"last_status_filters":["done"]}`).Status
	}},
	{"credential-any-source", "2.1, E8", "A credential is stored with a source that does not exist", func(t *T) any {
		return t.do("ada", newKey, `{"credential_json":{},"admin_public":true,"source":"carrier_pigeon"}`).Status
	}},
	{"similar-any-source", "2.1, E11", "A source that does not exist gives an empty list instead of 422", func(t *T) any {
		return t.get("ada", "/api/manage/admin/similar-credentials/carrier_pigeon").Status
	}},
	{"urls-empty-accepted", "8.1, E18", "An empty list of addresses is accepted", func(t *T) any {
		return t.do("ben", openUrls, `{"urls":[]}`).Status
	}},
}
