package main

import (
	"fmt"
	"strings"
)

// Changes agent 6 of Ben and reads a field afterwards.
func (t *T) patched(body, field string) any {
	t.do("ben", "PATCH "+agents+"6", body)
	return t.get("ben", agents+"6").at(field)
}

var bugsOfPersonas = []Flag{
	{"agent-private-read-by-all", "2.7, E5", "An agent that is not public is read by users it is not shared with", func(t *T) any {
		return t.get("ben", agents+"4").Status
	}},
	{"agent-private-patched-by-all", "2.7, E6", "A private agent of another user can be changed by anyone who knows its id", func(t *T) any {
		return t.do("bea", "PATCH "+agents+"7", `{"name":"Mine"}`).Status
	}},
	{"agent-unknown-500", "E5", "An unknown agent crashes the read", func(t *T) any { return t.get("ben", agents+"99999").Status }},
	{"agent-read-stale", "E5, E6", "A read within a second repeats the read before", func(t *T) any {
		t.get("ben", agents+"6")
		return t.patched(`{"name":"Fresh"}`, "name")
	}},
	{"agent-owner-leaks-token", "2.7", "The owner of an agent carries an access token", func(t *T) any {
		return t.get("ben", agents+"3").at("owner.access_token") == "absent"
	}},
	{"agent-users-as-ids", "2.7", "users of an agent are bare ids", func(t *T) any { return t.get("ben", agents+"2").at("users.0") }},
	{"agent-labels-null-when-none", "2.7", "labels is null for an agent without labels", func(t *T) any { return t.get("ben", agents+"1").at("labels") }},
	{"agent-date-missing-on-read", "2.7, E5", "search_start_date is in the reply to the change alone", func(t *T) any {
		return t.patched(`{"search_start_date":"2026-01-05T10:30:00Z"}`, "search_start_date")
	}},
	{"agent-tool-default-null", "2.8", "default_enabled of a tool is null", func(t *T) any { return t.get("ben", agents+"1").at("tools.0.default_enabled") }},
	{"patch-half-done", "E6, 7", "A change that is refused for an unknown tool has stored the texts already", func(t *T) any {
		return t.patched(`{"name":"Half","tool_ids":[999]}`, "name")
	}},
	{"patch-lost-in-parallel", "E6", "Of two changes of different fields at the same time one is lost", func(t *T) any {
		bodies := []string{`{"name":"Both"}`, `{"description":"Both"}`, `{"task_prompt":"Both"}`, `{"system_prompt":"Both"}`}
		together(4, func(i int) { t.do("ben", "PATCH "+agents+"6", bodies[i]) })
		r := t.get("ben", agents+"6")
		return all(r.at("name"), r.at("description"), r.at("task_prompt"), r.at("system_prompt")) == all("Both", "Both", "Both", "Both")
	}},
	{"patch-not-stored", "E6", "Every second change is in the reply and not stored", func(t *T) any {
		t.patched(`{"name":"One"}`, "name")
		return t.patched(`{"name":"Two"}`, "name")
	}},
	{"patch-reply-old", "E6", "The reply to a change shows the agent before it", func(t *T) any {
		return t.do("ben", "PATCH "+agents+"6", `{"name":"New"}`).at("name")
	}},
	{"patch-takes-ownership", "2.7, E6", "The caller who changes an agent becomes its owner", func(t *T) any {
		t.do("ada", "PATCH "+agents+"6", `{"name":"Of Ada"}`)
		return t.get("ben", agents+"6").at("owner.email")
	}},
	{"patch-unknown-label-500", "E6", "A label that does not exist crashes the change", func(t *T) any {
		return t.do("ben", "PATCH "+agents+"6", `{"label_ids":[77]}`).Status
	}},
	{"patch-shared-record", "E6", "The description of one agent is set on all agents of its owner", func(t *T) any {
		t.patched(`{"description":"Only here"}`, "description")
		return t.get("ben", agents+"7").at("description")
	}},
	{"patch-resets-starters", "E6", "A change of another field empties the starter messages", func(t *T) any {
		return t.patched(`{"name":"New"}`, "starter_messages.length")
	}},
	{"patch-image-kept", "E6", "remove_image does not remove the image", func(t *T) any { return t.patched(`{"remove_image":true}`, "uploaded_image_id") }},
	{"patch-tools-appended", "E6", "tool_ids are added to the tools instead of replacing them", func(t *T) any {
		return t.patched(`{"tool_ids":[3]}`, "tools.*.id")
	}},
	{"patch-empty-list-ignored", "E6", "An empty list does not clear the field", func(t *T) any { return t.patched(`{"label_ids":[]}`, "labels") }},
	{"patch-groups-lost", "E6", "groups are not stored", func(t *T) any { return t.patched(`{"groups":[2,3]}`, "groups") }},
	{"patch-starters-reversed", "E6", "Starter messages are stored in reverse order", func(t *T) any {
		return t.patched(`{"starter_messages":[{"name":"a","message":"1"},{"name":"b","message":"2"}]}`, "starter_messages.*.name")
	}},
	{"patch-task-into-system", "E6", "task_prompt is stored as system_prompt", func(t *T) any { return t.patched(`{"task_prompt":"Be brief"}`, "task_prompt") }},
	{"patch-empty-text-ignored", "E6", "An empty text does not replace a text", func(t *T) any { return t.patched(`{"description":""}`, "description") }},
	{"patch-zero-ignored", "E6", "Zero counts as not given", func(t *T) any { return t.patched(`{"num_chunks":0}`, "num_chunks") }},
	{"patch-false-ignored", "E6", "false counts as not given", func(t *T) any { return t.patched(`{"datetime_aware":false}`, "datetime_aware") }},
	{"patch-chunks-at-most-50", "E6", "num_chunks above 50 is stored as 50 without a word", func(t *T) any { return t.patched(`{"num_chunks":80}`, "num_chunks") }},
	{"patch-public-too-late", "E6", "is_public changes almost a second after the reply", func(t *T) any { return t.patched(`{"is_public":false}`, "is_public") }},
	{"patch-name-cut-in-bytes", "E6", "A name is cut after 40 bytes", func(t *T) any {
		return t.patched(`{"name":"`+strings.Repeat("ü", 25)+`"}`, "name")
	}},
	{"patch-description-cut", "E6", "A description is cut after 255 characters", func(t *T) any {
		return len(fmt.Sprint(t.patched(`{"description":"`+strings.Repeat("a", 300)+`"}`, "description")))
	}},
	{"patch-prompt-escaped", "E6", "The system prompt is stored with HTML escapes", func(t *T) any {
		return t.patched(`{"system_prompt":"a < b & \"c\""}`, "system_prompt")
	}},
	{"persona-date-zone-lost", "E6", "The offset of search_start_date is dropped: the time is another one", func(t *T) any {
		return t.patched(`{"search_start_date":"2026-01-05T10:30:00+03:00"}`, "search_start_date")
	}},
	{"agent-delete-nothing", "E7", "An agent with tools is not deleted", func(t *T) any {
		t.do("ben", "DELETE "+agents+"8", "")
		return t.get("ben", agents+"8").Status
	}},
	{"agent-delete-takes-chats", "E7, E2", "The sessions with a deleted agent are deleted as well", func(t *T) any {
		t.chat("ben", `{"persona_id":8}`)
		t.do("ben", "DELETE "+agents+"8", "")
		return count(t.get("ben", chats), "sessions")
	}},
	{"agent-delete-takes-tools", "E7, E5", "The tools of a deleted agent are deleted as well", func(t *T) any {
		t.do("ben", "DELETE "+agents+"8", "")
		return t.get("ben", agents+"3").at("tools.*.id")
	}},
	{"agent-delete-takes-next", "E7", "Agents of the same owner with a higher id are deleted as well", func(t *T) any {
		t.do("ben", "DELETE "+agents+"7", "")
		return t.get("ben", agents+"8").Status
	}},
}
