#!/usr/bin/env python3
"""Plays a request or more for each switch, and looks that it differs from the right service.

It also looks at the shape of every reply of the right service and of each choice, and at the rules of the description
on the right service (right.py).

    python3 selfcheck.py [NAME]...
"""

import sys

sys.dont_write_bytecode = True

import collections  # noqa: E402
import contextlib  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402

import probes_a  # noqa: E402
import probes_b  # noqa: E402
import probes_c  # noqa: E402
import right  # noqa: E402
import service  # noqa: E402
import switches  # noqa: E402
from client import Client  # noqa: E402

PROBES = {
    name: it
    for module in (probes_a, probes_b, probes_c)
    for name, it in vars(module).items()
    if callable(it) and getattr(it, '__module__', '') == module.__name__ and it.__code__.co_argcount == 1
}


def played(probe, bugs=(), choices=()):
    """The transcript of a probe on a new service, and the replies that have a wrong shape."""
    server = service.start(bugs, choices)
    client = Client(server.server_port)
    try:
        PROBES[probe](client)
    except Exception as error:
        # A probe may fail where it needs what the bug has taken away.
        client.note('failed', type(error).__name__)
    finally:
        server.shutdown()
        server.server_close()
    # As JSON, since in Python True is 1.
    return [json.dumps(it) for it in client.transcript], client.wrong


def first_difference(left, right_one):
    for one, other in zip(left, right_one, strict=False):
        if one != other:
            return f'{one[:700]}\n    {other[:700]}'
    return f'{len(left)} and {len(right_one)} notes'


def has_failed(note):
    parts = json.loads(note)
    return parts[0] == 'failed' or (len(parts) > 2 and parts[2] == 500)


def main():
    names = sys.argv[1:]
    failures = []
    plain = {}
    everything = {**switches.bugs, **switches.choices}
    chosen = {name: it for name, it in everything.items() if not names or name in names}
    for name in sorted({probe_of(it) for it in chosen.values()}):
        plain[name], wrong = played(name)
        failures += [f'right service, {name}: {it}' for it in wrong]
        failures += [f'right service, {name}: {it}' for it in plain[name] if has_failed(it)]
        again, _ = played(name)
        if again != plain[name]:
            failures.append(f'right service, {name}: differs from itself\n    {first_difference(plain[name], again)}')
    for name, it in chosen.items():
        is_bug = name in switches.bugs
        # A bug may well crash the handler, and that is logged.
        with contextlib.redirect_stderr(io.StringIO()):
            found, wrong = played(probe_of(it), *(([name], []) if is_bug else ([], [name])))
        if found == plain[probe_of(it)]:
            failures.append(f'{name}: no difference ({probe_of(it)})')
        elif names:
            print(f'{name}:\n    {first_difference(plain[probe_of(it)], found)}')
        if not is_bug:
            failures += [f'{name}: {problem}' for problem in wrong]
        if '500' not in it.says:
            failures += [f'{name}: {note[:300]}' for note in found if has_failed(note)]
    if not names:
        failures += [f'right service: {it}' for it in right.failures(service.start)]
    for it in failures:
        print(it)
    counts = collections.Counter('bugs' if it in switches.bugs else 'choices' for it in chosen)
    print(f'{counts["bugs"]} bugs and {counts["choices"]} choices, {len(failures)} failures')
    sys.exit(1 if failures else 0)


def probe_of(switch):
    return switch.probe or f'e{switch.op}'


if __name__ == '__main__':
    main()
