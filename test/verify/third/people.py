"""E27 to E30: invites, users, roles and token limits."""

import re

from app import operation
from reading import Invalid, Reader, integer, many, text
from store import Refused

EMAIL = re.compile(r'[^@\s,;<>"]+@[^@\s,;<>"]+\.[^@\s.,;<>"]+')


@operation(27, 'PUT', '/api/manage/admin/users', body={'emails': many(text)}, required=('emails',))
def invite(call):
    service, on = call.service, call.service.on
    emails = [str(it) for it in call.body.get('emails', [])]
    good = [it for it in emails if EMAIL.fullmatch(it)]
    checked = emails[:1] if on('e27-checks-the-first') else [] if on('e27-checks-none') else emails
    bad = [it for it in checked if not EMAIL.fullmatch(it)]
    if bad and on('e27-skips-the-bad'):
        bad, emails = [], good
    if bad:
        if on('e27-invites-until-the-bad'):
            for it in emails[: emails.index(bad[0])]:
                add(service, it)
        if service.chose('bad-invite-422'):
            reader = Reader(service)
            reader.wrong(['body', 'emails', emails.index(bad[0])], 'value_error', 'Value error, not an email', bad[0])
            raise Invalid(reader.problems)
        raise Refused(409 if service.chose('bad-invite-409') else 400, f'{bad[0]} is not an email address')
    before = len(service.invited)
    for it in emails:
        add(service, it)
    if service.chose('counts-the-new'):
        return len(service.invited) - before
    return len(emails) if service.chose('counts-the-sent') else len(service.invited)


def add(service, email):
    if email.lower() not in service.invited:
        service.invited.append(email.lower())


@operation(
    28, 'DELETE', '/api/manage/admin/delete-user', body={'user_email': text}, required=('user_email',)
)
def delete_user(call):
    service, on = call.service, call.service.on
    email = str(call.body.get('user_email', ''))
    user = next((it for it in service.users.values() if it['email'] == email), None)
    if not user:
        if service.chose('delete-again-is-fine'):
            return None
        raise service.missing('User')
    if user['id'] == call.user['id'] and not service.chose('may-delete-oneself'):
        raise Refused(400, 'You cannot delete yourself')
    if service.chose('active-users-stay') and user['role'] != 'gone':
        raise Refused(400, 'Deactivate the user first')
    if on('e28-kept'):
        return None
    if on('e28-takes-the-caller'):
        user = call.user
    at = list(service.users).index(user['id'])
    later = list(service.users.values())[at + 1 : at + 2]
    service.remove_user(user['id'])
    if on('e28-takes-the-next') and later:
        service.remove_user(later[0]['id'])
    return None


ROLES = {'admin': 'global_admin', 'basic': 'member', 'curator': 'editor'}


@operation(29, 'GET', '/api/get-user-role')
def get_role(call):
    service, role = call.service, call.user['role']
    if service.on('e29-role-of-the-first-caller'):
        role = service.memory.setdefault('role', role)
    return {'role': ROLES[role] if service.chose('other-roles') else role}


@operation(
    30,
    'DELETE',
    '/api/admin/token-rate-limits/rate-limit/{token_rate_limit_id}',
    path={'token_rate_limit_id': integer},
)
def delete_limit(call):
    service, limit_id = call.service, call.path['token_rate_limit_id']
    if limit_id not in service.limits:
        if service.chose('delete-again-is-fine') or isinstance(limit_id, str):
            return None
        raise service.missing('Token rate limit')
    if service.on('e30-kept'):
        return None
    del service.limits[limit_id]
    if service.on('e30-takes-the-next'):
        service.limits.pop(limit_id + 1, None)
    if service.on('e30-takes-all'):
        service.limits.clear()
    return None
