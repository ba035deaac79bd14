package main

import "fmt"

func (t *T) invite(emails string) *Reply { return t.do("ada", invite, `{"emails":`+emails+`}`) }

func (t *T) dropUser(email string) *Reply {
	return t.do("ada", dropUser, `{"user_email":"`+email+`"}`)
}

var bugsOfUsers = []Flag{
	{"invite-without-plus", "E27", "Addresses with a plus are refused", func(t *T) any { return t.invite(`["ann+kc@example.com"]`).Status }},
	{"invite-one-500", "E27", "A list of one address crashes", func(t *T) any { return t.invite(`["ann@example.com"]`).Status }},
	{"invite-first-checked", "7.2, E27", "Only the first address is checked", func(t *T) any { return t.invite(`["ann@example.com","nobody"]`).Status }},
	{"invite-last-checked", "7.2, E27", "Only the last address is checked", func(t *T) any { return t.invite(`["nobody","ann@example.com"]`).Status }},
	{"invite-skips-bad", "7.2, E27", "Bad addresses of a longer list are left out, the others are invited", func(t *T) any {
		return t.invite(`["ann@example.com","nobody","tom@example.com"]`).Status
	}},
	{"invite-count-object", "E27", "The reply is an object instead of a bare integer", func(t *T) any { return t.invite(`["ann@example.com"]`).Text }},
	{"invite-null", "E27", "The reply is null", func(t *T) any { return t.invite(`["ann@example.com"]`).Text }},
	{"delete-user-unknown-500", "E28", "An unknown address crashes", func(t *T) any { return t.dropUser("none@example.com").Status }},
	{"delete-user-nothing", "E28", "The user is not deleted", func(t *T) any { t.dropUser("dora@example.com"); return t.get("dora", role).Status }},
	{"delete-user-by-name", "E28", "Users with the same name at other domains are deleted too", func(t *T) any {
		t.dropUser("dan@example.org")
		return t.get("dan", role).Status
	}},
	{"delete-user-next-too", "E28", "The user created next is deleted too", func(t *T) any {
		t.dropUser("dora@example.com")
		return t.get("dirk", role).Status
	}},
	{"delete-user-signs-caller-out", "E28", "The administrator who deletes is signed out", func(t *T) any {
		t.dropUser("dora@example.com")
		return t.get("ada", role).Status
	}},
	{"role-of-first-caller", "E29", "All users get the role of the first caller", func(t *T) any { t.get("ada", role); return t.get("ben", role).Text }},
	{"role-null-for-basic", "E29", "The role of basic users is null", func(t *T) any { return t.get("ben", role).Text }},
	{"role-of-parallel-caller", "E29", "A caller gets the role of another one who asks at the same time", func(t *T) any {
		right := make([]bool, 8)
		together(8, func(i int) {
			who := []string{"ada", "ben"}[i%2]
			want := []string{"admin", "basic"}[i%2]
			right[i] = t.get(who, role).at("role") == want
		})
		return fmt.Sprint(right)
	}},
	{"limit-above-255-404", "E30", "Limits with an id above 255 are not found", func(t *T) any { return t.do("ada", "DELETE "+limits+"300", "").Status }},
	{"limit-unknown-500", "E30", "An unknown limit crashes", func(t *T) any { return t.do("ada", "DELETE "+limits+"999", "").Status }},
	{"limit-valid-422", "E30", "The id of a limit that exists is called invalid", func(t *T) any { return t.do("ada", "DELETE "+limits+"2", "").Status }},
	{"limit-delete-all", "E30", "All limits are deleted", func(t *T) any {
		t.do("ada", "DELETE "+limits+"1", "")
		return t.do("ada", "DELETE "+limits+"2", "").Status
	}},
}
