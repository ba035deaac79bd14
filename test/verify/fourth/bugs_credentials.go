package main

import "fmt"

const keyBody = `{"credential_json":%s,"admin_public":true,"source":"web","name":"New","groups":[2,1],"curator_public":true}`

func (t *T) key(json string) (string, *Reply) {
	made := t.do("ada", newKey, fmt.Sprintf(keyBody, json))
	id := fmt.Sprint(made.at("id"))
	return id, t.get("ada", "/api/manage/credential/"+id)
}

func (t *T) put(id string, parts ...string) *Reply {
	return t.form("ada", "PUT /api/manage/admin/credential/private-key/"+id, parts...)
}

func ids(reply *Reply) []string { return sorted(reply.at("*.id")) }

var keyParts = []string{"name", "Renamed", "credential_json", `{"user":"u2"}`, "field_key", "private_key", "@uploaded_file", "key.pem", "KEY\nLINE\n"}

var bugsOfCredentials = []Flag{
	{"credential-curator-null", "2.4", "curator_public is null instead of false", func(t *T) any {
		return t.get("ada", "/api/manage/credential/1").at("curator_public")
	}},
	{"credential-user-absent", "2.4", "user_id is absent for a credential without a user", func(t *T) any {
		return t.get("ada", "/api/manage/credential/3").at("user_id")
	}},
	{"credential-owner-is-reader", "2.4", "user_id is the reader instead of the owner", func(t *T) any {
		return t.get("abe", "/api/manage/credential/1").at("user_email")
	}},
	{"credential-same-name-replaced", "E8", "A credential with the name of another one replaces it", func(t *T) any {
		one, _ := t.key(`{"a":1}`)
		t.key(`{"a":2}`)
		return t.get("ada", "/api/manage/credential/"+one).at("credential_json")
	}},
	{"credential-id-in-parallel", "2.4, E8", "Credentials created at the same time get the same id", func(t *T) any {
		made := make([]string, 5)
		together(5, func(i int) { made[i], _ = t.key(`{}`) })
		different := map[string]bool{}
		for _, id := range made {
			different[id] = true
		}
		return len(different)
	}},
	{"credential-public-lost", "E8", "admin_public is in the reply and not stored", func(t *T) any {
		_, read := t.key(`{}`)
		return read.at("admin_public")
	}},
	{"credential-secret-nested-lost", "E8", "Objects within credential_json are dropped after the reply", func(t *T) any {
		_, read := t.key(`{"a":{"b":1}}`)
		return read.at("credential_json")
	}},
	{"credential-reply-other-id", "E8", "The id within credential differs from id", func(t *T) any {
		made := t.do("ada", newKey, fmt.Sprintf(keyBody, "{}"))
		return made.at("id") == made.at("credential.id")
	}},
	{"credential-numbers-cut", "E8", "Fractions and large numbers in credential_json are cut", func(t *T) any {
		_, read := t.key(`{"rate":1.5,"big":12345678901234567890}`)
		return read.at("credential_json")
	}},
	{"credential-nulls-dropped", "E8", "null values of credential_json are dropped", func(t *T) any {
		_, read := t.key(`{"proxy":null,"a":1}`)
		return read.at("credential_json")
	}},
	{"credential-groups-first-only", "E8", "Only the first of the groups is stored", func(t *T) any {
		_, read := t.key(`{}`)
		return read.at("groups")
	}},
	{"credential-owner-first-admin", "E8", "A public credential belongs to the first administrator", func(t *T) any {
		return t.do("abe", newKey, fmt.Sprintf(keyBody, "{}")).at("credential.user_email")
	}},
	{"credential-foreign-read", "2.4, 5.2, E9", "The private credential of a user is read by another user", func(t *T) any {
		return t.get("bea", "/api/manage/credential/4").at("credential_json")
	}},
	{"credential-foreign-leaks-json", "2.5, E9", "The refusal of a foreign credential carries its secret", func(t *T) any {
		return t.get("bea", "/api/manage/credential/4").at("data")
	}},
	{"credential-unknown-500", "E9", "An unknown credential crashes", func(t *T) any { return t.get("ada", "/api/manage/credential/99999").Status }},
	{"credential-status-without-success", "2.5, E9", "The status reply lacks success", func(t *T) any {
		return t.get("ada", "/api/manage/credential/99999").at("success")
	}},
	{"credentials-own-only", "E10", "Only the caller's own public credentials are listed", func(t *T) any { return ids(t.get("ada", allKeys)) }},
	{"credentials-with-private", "E10", "The list of public credentials has private ones of other users", func(t *T) any { return ids(t.get("ada", allKeys)) }},
	{"credentials-used-only", "E10", "Credentials without a connector are missing in the list", func(t *T) any {
		t.key(`{}`)
		return len(ids(t.get("ada", allKeys)))
	}},
	{"credentials-twice-by-group", "E10", "A credential in two groups is listed twice", func(t *T) any { return ids(t.get("ada", allKeys)) }},
	{"credentials-cached", "E8, E10", "The list stays as it was for a second", func(t *T) any {
		t.get("ada", allKeys)
		t.key(`{}`)
		return len(ids(t.get("ada", allKeys)))
	}},
	{"similar-source-ignored", "E11", "Credentials of other sources count as similar", func(t *T) any {
		return ids(t.get("ada", "/api/manage/admin/similar-credentials/imap"))
	}},
	{"similar-null-when-none", "E11", "No similar credentials: null instead of an empty list", func(t *T) any {
		return t.get("ada", "/api/manage/admin/similar-credentials/user_file").Text
	}},
	{"no-multipart-500", "7.1, E12, E17", "A JSON body instead of a form crashes", func(t *T) any { return t.do("ada", upload, "{}").Status }},
	{"key-broken-json-500", "7.1, E12", "credential_json that is no JSON crashes", func(t *T) any {
		return t.put("1", "credential_json", "{a", "@uploaded_file", "a.pem", "x").Status
	}},
	{"key-new-instead-of-update", "E12", "A new credential is made instead of changing the one", func(t *T) any {
		t.put("1", keyParts...)
		return t.get("ada", "/api/manage/credential/1").at("name")
	}},
	{"key-on-all-of-source", "E12", "All credentials of the owner with the same source get the key", func(t *T) any {
		id, _ := t.key(`{"own":1}`)
		t.put("1", keyParts...)
		return t.get("ada", "/api/manage/credential/"+id).at("credential_json")
	}},
	{"key-name-lost", "E12", "The name of the form is not stored", func(t *T) any { return t.put("1", keyParts...).at("name") }},
	{"key-owner-changes", "2.4, E12", "The caller who puts a key becomes the owner", func(t *T) any {
		t.put("2", keyParts...)
		return t.get("ada", "/api/manage/credential/2").at("user_email")
	}},
	{"key-not-stored", "E12", "The new key is in the reply and not stored", func(t *T) any {
		t.put("1", keyParts...)
		return t.get("ada", "/api/manage/credential/1").at("credential_json")
	}},
}
