package main

import (
	"net/mail"
	"strings"
)

func (c *Call) validEmail(text string) bool {
	switch {
	case c.on("invite-any-text"):
		return text != ""
	case c.on("invite-without-plus") && strings.Contains(text, "+"):
		return false
	}
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text {
		return false
	}
	_, domain, _ := strings.Cut(text, "@")
	return strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".")
}

func (c *Call) inviteUsers() any {
	b := c.body("emails:str[]!")
	emails := list(b["emails"])
	if len(emails) == 0 && c.on("invite-none-422") {
		c.invalid(c.problem([]any{"body", "emails"}, "List should have at least 1 item", "too_short", emails))
	}
	if len(emails) == 1 && c.on("invite-one-500") {
		c.crash()
	}
	fresh := 0
	for i, item := range emails {
		if c.on("invite-first-checked") && i > 0 || c.on("invite-last-checked") && i < len(emails)-1 {
			continue
		}
		if !c.validEmail(item.(string)) {
			if c.on("invite-skips-bad") && len(emails) > 1 {
				continue
			}
			if c.on("invite-bad-400") {
				c.fail(400, "Invalid email address")
			}
			c.invalid(c.problem([]any{"body", "emails", i}, "Not a valid email address", "value_error", item))
		}
	}
	for _, item := range emails {
		email := strings.ToLower(item.(string))
		if !c.invited[email] && c.userByEmail(email) == nil {
			c.invited[email] = true
			fresh++
		}
	}
	switch {
	case c.on("invite-counts-new"):
		return fresh
	case c.on("invite-count-object"):
		return obj{"invited": len(emails)}
	case c.on("invite-null"):
		return nil
	}
	return len(emails)
}

func (c *Call) deleteUser() any {
	b := c.body("user_email:str!")
	email := b["user_email"].(string)
	u := c.userByEmail(email)
	if u == nil && c.on("delete-user-case-open") {
		u = c.userByEmail(strings.ToLower(email))
	}
	if u == nil {
		if c.on("delete-user-unknown-500") {
			c.crash()
		}
	}
	if u == nil {
		c.goneAlready("User not found")
		return c.deleted()
	}
	if u == c.me {
		c.fail(400, "You can not delete yourself")
	}
	switch {
	case c.on("delete-user-nothing"):
		return c.deleted()
	case c.on("delete-user-by-name"):
		name, _, _ := strings.Cut(u.email, "@")
		for _, other := range append([]*User{}, c.users...) {
			if strings.HasPrefix(other.email, name+"@") {
				c.drop(other)
			}
		}
	case c.on("delete-user-next-too"):
		for i, other := range c.users {
			if other == u && i+1 < len(c.users) {
				c.drop(c.users[i+1])
				break
			}
		}
	case c.on("delete-user-signs-caller-out"):
		c.me.token += "-old"
	}
	c.drop(u)
	return c.deleted()
}

// Removes a user with the rows that belong to that user alone.
func (c *Call) drop(u *User) {
	c.users = without(c.users, u)
	c.sessions = filter(c.sessions, func(o *Chat) bool { return o.owner != u })
	c.files = filter(c.files, func(o *File) bool { return o.owner != u })
	c.projects = filter(c.projects, func(o *Project) bool { return o.owner != u })
	for _, k := range c.credentials {
		if k.owner == u {
			k.owner = nil
		}
	}
	for _, p := range c.personas {
		if p.owner == u {
			p.owner = nil
		}
	}
}

func (c *Call) readRole() any {
	role := c.me.role
	switch {
	case c.on("role-of-first-caller"):
		if old, ok := c.memory["role"].(string); ok {
			role = old
		}
		c.memory["role"] = role
	case c.on("role-null-for-basic") && role == "basic":
		return obj{"role": nil}
	case c.on("role-of-parallel-caller"):
		c.memory["role"] = role
		c.pause(15)
		role = c.memory["role"].(string)
	case c.on("roles-in-capitals"):
		role = strings.ToUpper(role)
	}
	return obj{"role": role}
}

func (c *Call) deleteLimit() any {
	id := c.int(0)
	if c.on("limit-above-255-404") && id > 255 {
		c.fail(404, "Limit not found")
	}
	if !c.limits[id] {
		if c.on("limit-unknown-500") {
			c.crash()
		}
		c.goneAlready("Limit not found")
		return c.deleted()
	}
	if c.on("limit-valid-422") {
		c.invalid(c.problem([]any{"path", "id"}, "Input should be a valid UUID", "uuid_parsing", id))
	}
	delete(c.limits, id)
	if c.on("limit-delete-all") {
		c.limits = map[int]bool{}
	}
	return c.deleted()
}
