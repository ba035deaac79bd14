"""The register of switches: bugs that break the description, and choices that it leaves open."""

import re
from dataclasses import dataclass


@dataclass
class Switch:
    name: str
    kind: str
    section: str
    says: str
    # The operation that shows it; the self-check plays the probe of this operation.
    op: int = 0
    # Another probe than that of the operation.
    probe: str = ''
    # Changes a finished reply: out(reply, call).
    out: object = None
    # Does `out` also see replies other than 200?
    always: bool = False
    # Operations whose replies `out` sees; the default is `op`, or all when there is none.
    ops: tuple = ()
    # Request fields that are not checked: 'field'.
    lax: tuple = ()
    # The operation runs without the lock.
    race: bool = False
    ledger: str | None = None
    value: str | None = None

    def sees(self, number):
        wanted = self.ops or ((self.op,) if self.op else ())
        return not wanted or number in wanted


bugs: dict[str, Switch] = {}
choices: dict[str, Switch] = {}


def bug(name, kind, section, says, **rest):
    add(bugs, Switch(name, kind, section, says, **rest))


def choice(name, kind, ledger, value, section, says, **rest):
    add(choices, Switch(name, kind, section, says, ledger=ledger, value=value, **rest))


def add(register, switch):
    if switch.name in bugs or switch.name in choices:
        raise ValueError(f'{switch.name} is there twice')
    register[switch.name] = switch


def listing():
    def common(it):
        operation = f'E{it.op}' if it.op else None
        return {'name': it.name, 'says': it.says, 'section': it.section, 'kind': it.kind, 'operation': operation}

    return {
        'bugs': [common(it) for it in bugs.values()],
        'choices': [{**common(it), 'ledger': it.ledger, 'value': it.value} for it in choices.values()],
    }


# What a switch does to a reply.


def places(reply, path):
    """Every (holder, key) that a path such as `sessions[].id` names in the body."""
    found = [(reply.__dict__, 'body')]
    for step in re.findall(r'\[\]|[^.\[\]]+', path):
        deeper = []
        for holder, key in found:
            value = holder[key]
            if step == '[]' and isinstance(value, list):
                deeper += [(value, index) for index in range(len(value))]
            elif step != '[]' and isinstance(value, dict) and step in value:
                deeper.append((value, step))
        found = deeper
    return found


def at(path, change):
    def out(reply, call):
        for holder, key in places(reply, path):
            holder[key] = change(holder[key])

    return out


def drop(*paths):
    def out(reply, call):
        for path in paths:
            for holder, key in places(reply, path):
                del holder[key]

    return out


def fill(path, value):
    """Adds a field where there is none."""
    parent, _, name = path.rpartition('.')

    def out(reply, call):
        for holder, key in places(reply, parent):
            if isinstance(holder[key], dict):
                holder[key].setdefault(name, value)

    return out


def rename(path, name):
    def out(reply, call):
        for holder, key in places(reply, path):
            changed = {name if it == key else it: value for it, value in holder.items()}
            holder.clear()
            holder.update(changed)

    return out


def status(number):
    def out(reply, call):
        reply.status = number

    return out


def media(name):
    def out(reply, call):
        reply.media = name

    return out


def header(name, value):
    def out(reply, call):
        reply.headers.append((name, value))

    return out
