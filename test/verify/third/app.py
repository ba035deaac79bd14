"""Routing, the bearer header, roles, reading of a request and the form of errors."""

import copy
import re
import sys
import time
import traceback
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote

import reading
import seed
from forms import read_form
from store import Refused
from switches import bugs, choices


@dataclass
class Request:
    method: str
    path: str
    query: str
    headers: object
    raw: bytes
    # What the connection wrongly remembers.
    memory: dict


@dataclass
class Reply:
    status: int
    body: object = None
    headers: list = field(default_factory=list)
    media: str = 'application/json'
    # Bytes that are sent in place of the body.
    raw: bytes | None = None


@dataclass
class Operation:
    number: int
    method: str
    pattern: str
    handle: object
    path: dict
    query: dict
    body: dict | None
    form: bool
    required: tuple
    regex: object = None


@dataclass
class Call:
    service: object
    operation: Operation
    user: dict
    path: dict
    query: dict
    body: dict
    parts: list
    request: Request

    @property
    def is_admin(self):
        return self.user['role'] == 'admin'


operations: list[Operation] = []


def operation(number, method, pattern, path=None, query=None, body=None, form=False, required=()):
    def add(handle):
        expression = re.sub(r'\{(\w+)\}', r'(?P<\1>[^/]+)', pattern)
        made = Operation(number, method, pattern, handle, path or {}, query or {}, body, form, required)
        made.regex = re.compile(expression)
        operations.append(made)
        return handle

    return add


# 5.2: paths with /admin/ are administrator operations. These are not for curators either.
ONLY_ADMINS = (27, 28, 30)
CHAT = (1, 2, 3, 4)


class App:
    def __init__(self, service):
        self.service = service
        self.recent = []

    def answer(self, request):
        service = self.service
        found, allowed = self.find(request)
        if self.is_busy():
            return self.error(429, 'Too many requests', headers=[('Retry-After', '1')])
        if found is None:
            return self.unrouted(request, allowed)
        chosen, values = found
        if service.on('no-token-then-200') and not request.headers.get('Authorization'):
            return Reply(200, {'detail': 'Not authenticated'})
        try:
            reply = self.run(chosen, values, request)
        except reading.Invalid as invalid:
            reply = self.invalid(chosen, invalid.problems)
        except Refused as refused:
            reply = self.refused(refused)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            reply = self.error(500, 'Internal server error')
        return self.switched(chosen, reply, request)

    def is_busy(self):
        if not self.service.chose('rate-of-60-a-second'):
            return False
        now = time.time()
        self.recent = [it for it in self.recent if it > now - 1] + [now]
        return len(self.recent) > 60

    def find(self, request):
        path, method = request.path, request.method
        if self.service.chose('slash-served') and path.endswith('/user/projects'):
            path += '/'
        if self.service.chose('doubled-slashes-are-one'):
            path = re.sub('//+', '/', path)
        allowed = []
        for it in operations:
            match = it.regex.fullmatch(path)
            if not match:
                continue
            if it.method == method or (it.method == 'GET' and method == 'HEAD' and not self.service.chose('no-head')):
                return (it, {name: unquote(value) for name, value in match.groupdict().items()}), allowed
            allowed.append(it.method)
        return None, allowed

    def unrouted(self, request, allowed):
        if allowed and request.method == 'OPTIONS' and self.service.chose('answers-options'):
            return Reply(204, None, [('Allow', ', '.join(allowed)), ('Access-Control-Allow-Origin', '*')])
        if allowed:
            return self.error(405, 'Method not allowed', headers=[('Allow', ', '.join(sorted(set(allowed))))])
        if request.path == '/api/user/projects' and not self.service.chose('slash-404'):
            query = f'?{request.query}' if request.query else ''
            return Reply(307, None, [('Location', f'/api/user/projects/{query}')], raw=b'')
        return self.error(404, 'Not found')

    def run(self, chosen, values, request):
        service = self.service
        if service.chose('json-before-token') and chosen.body is not None and request.raw:
            reading.read_json(request.raw, reading.Reader(service))
        user = self.user_of(request)
        if service.on('caller-of-the-connection'):
            user = request.memory.setdefault('user', user) or user
        if user is None and f'open-e{chosen.number}' in service.active:
            user = service.users[seed.ADA]
        if user is None and service.on('e23-works-before-the-token') and chosen.number == 23:
            self.work(chosen, values, request, service.users[seed.ADA])
        if user is None:
            return self.unauthenticated()
        if service.on('one-caller-for-all'):
            # A field of the service that every request writes.
            service.memory['caller'] = user
            time.sleep(0.03)
            user = service.memory['caller']
        if service.chose('role-after-validation'):
            self.read(chosen, values, request)
        self.check_role(chosen, user)
        return self.work(chosen, values, request, user)

    def unauthenticated(self):
        if self.service.chose('unauthenticated-403'):
            return self.error(403, 'Access denied. User is not authenticated.')
        no_challenge = self.service.chose('no-challenge')
        return self.error(401, 'Not authenticated', headers=[] if no_challenge else [('WWW-Authenticate', 'Bearer')])

    def user_of(self, request):
        service = self.service
        scheme, _, token = request.headers.get('Authorization', '').strip().partition(' ')
        token = token.strip()
        exact = service.chose('scheme-in-one-spelling')
        if service.on('token-without-scheme') and not token:
            return service.user_of_token(scheme)
        if service.on('basic-scheme') and scheme.lower() == 'basic':
            scheme = 'Bearer'
        if (scheme if exact else scheme.lower()) != ('Bearer' if exact else 'bearer') or not token:
            return None
        return service.user_of_token(token)

    def check_role(self, chosen, user):
        role, number = user['role'], chosen.number
        if '/admin/' not in chosen.pattern or role == 'admin' or f'basic-may-e{number}' in self.service.active:
            return
        if role == 'curator' and number not in ONLY_ADMINS and not self.service.chose('admins-only'):
            return
        raise Refused(403, 'This is an operation for administrators')

    def work(self, chosen, values, request, user):
        call = self.read(chosen, values, request)
        call.user = user
        with self.service.guard(chosen.number):
            reply = chosen.handle(call)
        return reply if isinstance(reply, Reply) else Reply(200, reply)

    def read(self, chosen, values, request):
        service = self.service
        lax = {name for it in bugs.keys() & service.active if bugs[it].op == chosen.number for name in bugs[it].lax}
        reader = reading.Reader(service, lax)
        path = reading.read_fields(chosen.path, chosen.path, values, ['path'], reader, is_text=True)
        given = {name: them[-1] for name, them in parse_qs(request.query, keep_blank_values=True).items()}
        query = reading.read_fields(chosen.query, (), given, ['query'], reader, is_text=True)
        body, parts = {}, []
        if chosen.form:
            parts = self.read_parts(chosen, request, reader)
        elif chosen.body is not None:
            body = self.read_body(chosen, request, reader)
        if reader.problems:
            if service.on('e6-half-written') and chosen.number == 6 and 'persona_id' in path:
                row = service.personas.get(path['persona_id'])
                good = {key: it for key, it in body.items() if key in ('name', 'description', 'task_prompt')}
                (row or {}).update({key: it for key, it in good.items() if it is not reading.NOTHING})
            raise reading.Invalid(reader.problems)
        return Call(service, chosen, {}, path, query, body, parts, request)

    def read_body(self, chosen, request, reader):
        service = self.service
        media = request.headers.get('Content-Type', 'application/json').split(';')[0].strip().lower()
        if service.chose('json-only-as-json') and media != 'application/json' and request.raw:
            raise Refused(415, 'Send application/json')
        if not request.raw:
            if service.chose('no-body-is-empty'):
                return reading.read_fields(chosen.body, chosen.required, {}, ['body'], reader)
            reader.wrong(['body'], 'missing', 'Field required', None)
            return {}
        body = reading.read_json(request.raw, reader)
        if not isinstance(body, dict):
            reader.wrong(['body'], 'model_attributes_type', 'Input should be a valid dictionary', body)
            return {}
        required = () if service.on('e18-urls-may-be-missing') and chosen.number == 18 else chosen.required
        if service.chose('nothing-required'):
            required = tuple(it for it in required if it == 'urls')
        if service.chose('persona-required') and chosen.number == 1:
            required = ('persona_id',)
        if service.chose('patch-requires-name') and chosen.number == 6:
            required = ('name',)
        return reading.read_fields(chosen.body, required, body, ['body'], reader)

    def read_parts(self, chosen, request, reader):
        parts = read_form(request.raw, request.headers.get('Content-Type', ''), self.service)
        if parts is None:
            if self.service.on('e17-no-form-500') and chosen.number == 17:
                raise RuntimeError('no form')
            reader.wrong(['body'], 'form_invalid', 'Input should be multipart/form-data', None)
            return []
        required = chosen.required
        if self.service.chose('form-requires-all') and chosen.number == 12:
            required = ('name', *required)
        if self.service.chose('nothing-required') and chosen.number == 12:
            required = ()
        if self.service.on('e17-no-files') and chosen.number == 17:
            required = ()
        names = {it.name for it in parts}
        for name in required:
            if name not in names:
                reader.wrong(['body', name], 'missing', 'Field required', None)
        return parts

    # Errors.

    def invalid(self, chosen, problems):
        service = self.service
        with_input = chosen.number in CHAT or service.chose('input-everywhere')
        wanted = problems[:1] if service.chose('first-problem-only') else problems
        detail = []
        for it in wanted:
            item = {'type': it['type'], 'loc': it['loc'], 'msg': it['msg']}
            if service.chose('own-words'):
                item = {'loc': it['loc'], 'msg': f'{it["loc"][-1]} does not fit', 'type': 'value_error'}
            if with_input:
                item |= {'input': it['input'], 'ctx': it['ctx']}
            detail.append(item)
        return Reply(422, {'detail': detail})

    def refused(self, refused):
        status = refused.status
        if refused.is_missing and self.service.chose('missing-400'):
            return Reply(400, {'message': refused.detail})
        if refused.is_missing and self.service.chose('missing-410'):
            status = 410
        if status == 403 and self.service.chose('forbidden-is-404'):
            return self.error(404, 'Not found')
        return self.error(status, refused.detail)

    def error(self, status, detail, headers=()):
        chose = self.service.chose
        reply = Reply(status, {'detail': detail}, list(headers))
        if chose('errors-under-error'):
            reply.body = {'error': detail}
        if chose('errors-nested'):
            reply.body = {'error': {'code': status, 'message': detail}}
        if chose('errors-with-code'):
            reply.body = {'detail': detail, 'error_code': f'E_{status}'}
        if chose('errors-problem'):
            reply.body = {'type': 'about:blank', 'title': detail, 'status': status}
            reply.media = 'application/problem+json'
        if chose('errors-empty'):
            reply.raw = b''
        if chose('errors-plain-text'):
            reply.raw, reply.media = detail.encode(), 'text/plain; charset=utf-8'
        if chose('errors-html'):
            reply.raw, reply.media = f'<h1>{status}</h1><p>{detail}</p>'.encode(), 'text/html; charset=utf-8'
        return reply

    def switched(self, chosen, reply, request):
        """The reply as the switches that are on change it."""
        changed = False
        for register in (choices, bugs):
            for name in sorted(register.keys() & self.service.active):
                it = register[name]
                if not it.out or not it.sees(chosen.number) or not (reply.status == 200 or it.always):
                    continue
                if not changed:
                    # A reply may hold rows of the store.
                    reply.body = copy.deepcopy(reply.body)
                    changed = True
                it.out(reply, request)
        return reply
