#!/usr/bin/env python3
"""A service of the interface in plain Python, for the proof of verify. It shares nothing with the mock.

    python3 service.py [--port N] [--bug NAME]... [--choice NAME]... | --list
"""

import sys

# The directory of the sources stays clean.
sys.dont_write_bytecode = True

import argparse  # noqa: E402
import json  # noqa: E402
import threading  # noqa: E402

import seed  # noqa: E402
import switches  # noqa: E402
import bugs_a  # noqa: E402, F401
import bugs_b  # noqa: E402, F401
import bugs_c  # noqa: E402, F401
import choices_a  # noqa: E402, F401
import choices_b  # noqa: E402, F401
import agents  # noqa: E402, F401
import chat  # noqa: E402, F401
import connectors  # noqa: E402, F401
import credentials  # noqa: E402, F401
import people  # noqa: E402, F401
import projects  # noqa: E402, F401
import tools  # noqa: E402, F401
from store import Service  # noqa: E402
from wire import Server  # noqa: E402


def start(bugs=(), choices=(), port=0):
    """A running server; `server_port` is its port, and `shutdown()` stops it."""
    server = Server(Service(bugs, choices), port)
    threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.05}, daemon=True).start()
    return server


def disposable():
    """Rows that a test may change and delete."""
    return {
        'persona': list(range(7, 15)),
        'connector': list(range(17, 25)),
        'credential': list(range(8, 15)),
        'tool': list(range(7, 15)),
        'limit': list(range(1, 11)),
        'file': [seed.file_id(number) for number in range(9, 17)],
        'project': [14, 16, 2],
        'user': [f'{name}@atelier.example' for name in ('dina', 'emil', 'fay', 'gus', 'hana', 'ivo')],
    }


def main():
    parser = argparse.ArgumentParser(description='A service of the interface, with bugs and choices.')
    parser.add_argument('--port', type=int, default=0)
    parser.add_argument('--bug', action='append', default=[])
    parser.add_argument('--choice', action='append', default=[])
    parser.add_argument('--list', action='store_true')
    given = parser.parse_args()
    if given.list:
        print(json.dumps(switches.listing(), indent=1, ensure_ascii=False))
        return
    try:
        server = start(given.bug, given.choice, given.port)
    except ValueError as error:
        parser.error(str(error))
    ready = {
        'port': server.server_port,
        'adminToken': seed.ADMIN_TOKEN,
        'userToken': seed.USER_TOKEN,
        'curatorToken': seed.CURATOR_TOKEN,
        'disposable': disposable(),
        'known': {'file': [seed.file_id(number) for number in (5, 6, 7)]},
    }
    print(json.dumps(ready), flush=True)
    # The parent closes our input when it ends, also when it is killed.
    sys.stdin.read()
    server.shutdown()


if __name__ == '__main__':
    main()
