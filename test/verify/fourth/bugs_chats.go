package main

import (
	"fmt"
	"sort"
)

func (t *T) chat(who, body string) string {
	return fmt.Sprint(t.do(who, newChat, body).at("chat_session_id"))
}

// The session of a list with this id.
func (t *T) session(who, id string) any {
	list, _ := t.get(who, chats).at("sessions").([]any)
	for _, row := range list {
		if row.(obj)["id"] == id {
			return row
		}
	}
	return "absent"
}

func count(reply *Reply, path string) any { return reply.at(path + ".length") }

func sorted(value any) []string {
	texts := []string{}
	items, _ := value.([]any)
	for _, item := range items {
		texts = append(texts, fmt.Sprint(item))
	}
	sort.Strings(texts)
	return texts
}

var bugsOfChats = []Flag{
	{"chat-agent-lost", "E1", "The persona of a new session is not stored", func(t *T) any {
		return walk(t.session("ben", t.chat("ben", `{"persona_id":3}`)), []string{"persona_id"})
	}},
	{"chat-in-foreign-project", "1, E1", "A session is put into the project of another user", func(t *T) any {
		return t.do("ben", newChat, `{"persona_id":1,"project_id":4}`).Status
	}},
	{"chat-project-lost", "1, E1", "The project of a new session is not stored", func(t *T) any {
		t.chat("ben", `{"persona_id":1,"project_id":3}`)
		return count(t.get("ben", "/api/user/projects/3/details"), "project.chat_sessions")
	}},
	{"chat-id-repeated", "2.3, E1", "Every third session gets the id of the one before", func(t *T) any {
		ids := map[string]bool{}
		for i := 0; i < 6; i++ {
			ids[t.chat("ben", `{"persona_id":1}`)] = true
		}
		return len(ids)
	}},
	{"chat-one-per-agent", "E1, E2", "A new session removes a session with the same persona that is younger than a minute", func(t *T) any {
		t.chat("ben", `{"persona_id":1}`)
		t.chat("ben", `{"persona_id":1}`)
		return count(t.get("ben", chats), "sessions")
	}},
	{"chat-create-lost-in-parallel", "E1, E2", "Sessions created at the same time get lost", func(t *T) any {
		together(6, func(int) { t.chat("ben", `{"persona_id":1}`) })
		return count(t.get("ben", chats), "sessions")
	}},
	{"chat-name-null", "2.3", "A session without a name has null as its name", func(t *T) any {
		return walk(t.session("ben", t.chat("ben", `{"persona_id":1}`)), []string{"name"})
	}},
	{"chat-created-moves", "2.3", "time_created is the time of the request", func(t *T) any {
		first := t.get("bea", chats).at("sessions.0.time_created")
		wait(1100)
		return first == t.get("bea", chats).at("sessions.0.time_created")
	}},
	{"chats-shared-of-others", "1, E2", "Shared sessions of other users are listed", func(t *T) any { return count(t.get("bea", chats), "sessions") }},
	{"chats-cached-across-users", "1, E2", "Every fourth list is the list of the caller before", func(t *T) any {
		for i := 0; i < 3; i++ {
			t.get("ben", chats)
		}
		return count(t.get("bea", chats), "sessions")
	}},
	{"chats-stale-after-create", "E1, E2", "A new session is missing in the list at first", func(t *T) any {
		t.chat("ada", `{"persona_id":1}`)
		return count(t.get("ada", chats), "sessions")
	}},
	{"chats-same-name-once", "E2", "Of sessions with the same name one is listed", func(t *T) any {
		t.chat("ada", `{"persona_id":1,"description":"Twin"}`)
		t.chat("ada", `{"persona_id":1,"description":"Twin"}`)
		return count(t.get("ada", chats), "sessions")
	}},
	{"chats-null-when-none", "E2", "sessions is null for a user without sessions", func(t *T) any { return t.get("dan", chats).at("sessions") }},
	{"search-query-ignored", "E3", "The query of a search is ignored", func(t *T) any {
		return t.get("ben", search+"?query=budget").at("groups.*.chats.*.name")
	}},
	{"search-of-all-users", "1, E3", "A search with a query finds sessions of all users", func(t *T) any {
		return t.get("ben", search+"?query=budget").at("groups.*.chats.*.name")
	}},
	{"search-nothing-without-query", "E3", "A search without a query finds nothing", func(t *T) any { return count(t.get("ben", search), "groups") }},
	{"search-pages-overlap", "E3", "The second page begins with the last row of the first", func(t *T) any {
		return t.get("ben", search+"?page=2").at("groups.*.chats.*.name")
	}},
	{"search-more-at-end", "E3", "has_more is true on a last page that is full", func(t *T) any {
		return t.get("ben", search+"?page_size=15").at("has_more")
	}},
	{"search-item-updated", "2.3", "Search items have time_updated", func(t *T) any {
		return t.get("ben", search).at("groups.0.chats.0.time_updated") == "absent"
	}},
	{"search-in-two-groups", "E3", "A session of today is in two groups", func(t *T) any {
		t.chat("dan", `{"persona_id":1}`)
		return count(t.get("dan", search), "groups")
	}},
	{"chat-delete-twice-500", "E4", "A second deletion crashes", func(t *T) any {
		id := t.chat("ben", `{"persona_id":1}`)
		t.do("ben", "DELETE /api/chat/delete-chat-session/"+id, "")
		return t.do("ben", "DELETE /api/chat/delete-chat-session/"+id, "").Status
	}},
	{"chat-delete-foreign", "1, E4", "A session of another user can be deleted", func(t *T) any {
		t.do("bea", "DELETE /api/chat/delete-chat-session/"+seedUUID("chat Hiring"), "")
		return count(t.get("ben", chats), "sessions")
	}},
	{"chat-delete-nothing-in-project", "E4", "A session in a project is not deleted", func(t *T) any {
		t.do("ben", "DELETE /api/chat/delete-chat-session/"+seedUUID("chat Launch mail"), "")
		return count(t.get("ben", "/api/user/projects/1/details"), "project.chat_sessions")
	}},
	{"chat-delete-hides-for-a-second", "E4", "A deleted session comes back after a second", func(t *T) any {
		t.do("ben", "DELETE /api/chat/delete-chat-session/"+seedUUID("chat Hiring"), "")
		wait(1100)
		return count(t.get("ben", chats), "sessions")
	}},
	{"chat-delete-same-name", "E4", "The caller's sessions with the same name are deleted too", func(t *T) any {
		one := t.chat("ben", `{"persona_id":1,"description":"Twin"}`)
		t.chat("ben", `{"persona_id":1,"description":"Twin"}`)
		t.do("ben", "DELETE /api/chat/delete-chat-session/"+one, "")
		return count(t.get("ben", chats), "sessions")
	}},
}
