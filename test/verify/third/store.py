"""The rows of the service: plain dicts under one lock."""

import random
import threading
import time
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone

import seed
from switches import bugs, choices

# How long a file is worked on after it is linked, and how long a deleted one can still be read.
WORK = 1.2
DELETING = 1.0


class Refused(Exception):
    """A request that is answered with an error other than a 422."""

    def __init__(self, status, detail, is_missing=False):
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.is_missing = is_missing


class Service:
    def __init__(self, bug_names=(), choice_names=()):
        for name in bug_names:
            if name not in bugs:
                raise ValueError(f'no bug is called {name}')
        for name in choice_names:
            if name not in choices:
                raise ValueError(f'no choice is called {name}')
        self.active = set(bug_names) | set(choice_names)
        self.lock = threading.RLock()
        # New ids are the same at each start, so that two runs can be compared.
        self.random = random.Random(3)
        self.start = time.time()
        # What a service wrongly remembers between requests.
        self.memory = {}
        seed.fill(self)
        self.last_id = 1000 if self.chose('ids-from-1000') else 100

    def on(self, name):
        if name not in bugs:
            raise KeyError(name)
        return name in self.active

    def chose(self, name):
        if name not in choices:
            raise KeyError(name)
        return name in self.active

    def gap(self, name):
        """Time between a check and the act, in which another request may come."""
        if self.on(name):
            time.sleep(0.06)

    @contextmanager
    def guard(self, number):
        """Operations that race do not take the lock."""
        if any(bugs[it].race and bugs[it].sees(number) for it in bugs.keys() & self.active):
            yield
        else:
            with self.lock:
                yield

    def next_id(self):
        self.last_id += 17 if self.chose('ids-with-gaps') else 1
        return self.last_id

    def new_uuid(self):
        if self.chose('uuids-of-version-1'):
            # Version 1 has the time in it.
            return str(uuid.uuid1(node=0x0242AC120002, clock_seq=self.random.getrandbits(14)))
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def time(self, moment):
        """A moment as the replies show it."""
        at = datetime.fromtimestamp(moment, UTC)
        if self.chose('times-of-berlin'):
            return at.astimezone(timezone(timedelta(hours=1))).isoformat(timespec='milliseconds')
        if self.chose('times-in-seconds'):
            return at.strftime('%Y-%m-%dT%H:%M:%SZ')
        if self.chose('times-with-plus'):
            return at.isoformat(timespec='microseconds')
        return at.strftime('%Y-%m-%dT%H:%M:%S.') + f'{at.microsecond // 1000:03d}Z'

    def missing(self, what, status=404):
        """The error for a row that is not there, or that is another user's."""
        return Refused(status, f'{what} not found', is_missing=True)

    def foreign(self, what):
        if self.chose('foreign-403'):
            return Refused(403, f'{what} belongs to somebody else')
        return self.missing(what)

    def user_of_token(self, token):
        return next((it for it in self.users.values() if it['token'] == token), None)

    # Files, whose status moves with time.

    def settle(self, file):
        """Moves a file on by the clock."""
        now = time.time()
        if file['status'] == 'PROCESSING' and now >= file['ready_at'] and not self.chose('files-stay-in-processing'):
            file['status'] = file['ends_as']
        if file['status'] == 'DELETING' and now >= file['gone_at']:
            self.files.pop(file['id'], None)
        return file

    def file(self, file_id):
        row = self.files.get(file_id)
        if row:
            self.settle(row)
        return self.files.get(file_id)

    def work_on(self, file):
        if file['status'] not in ('COMPLETED', 'PROCESSING') or self.chose('files-done-at-once'):
            return
        file['status'] = 'PROCESSING'
        wait = 4 * WORK if self.chose('files-slow') else WORK
        file['ready_at'] = max(file['ready_at'], time.time() + wait)

    def remove_user(self, user_id):
        del self.users[user_id]
        for rows in (self.sessions, self.files, self.projects):
            for key in [key for key, row in rows.items() if row['user_id'] == user_id]:
                del rows[key]
        self.links = [it for it in self.links if it[0] in self.projects and it[1] in self.files]
        for persona in self.personas.values():
            persona['users'] = [it for it in persona['users'] if it != user_id]
            if persona['owner'] == user_id:
                persona['owner'] = None
