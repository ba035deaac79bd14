"""Reads multipart/form-data (RFC 7578)."""

import re
from dataclasses import dataclass


@dataclass
class Part:
    name: str
    filename: str | None
    media: str
    content: bytes


def boundary_of(content_type):
    kind, _, rest = content_type.partition(';')
    if kind.strip().lower() != 'multipart/form-data':
        return None
    found = re.search(r'boundary=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))', rest, re.I)
    return (found[1] or found[2]) if found else None


def parameter(header, name):
    """A parameter of Content-Disposition; browsers write `"` in it as %22."""
    found = re.search(rf';\s*{name}=(?:"((?:[^"\\]|\\.)*)"|([^;]*))', header, re.I)
    if not found:
        return None
    value = found[1] if found[1] is not None else found[2].strip()
    return re.sub(r'\\(["\\])', r'\1', value).replace('%22', '"')


def read_form(raw, content_type, service):
    """The parts in their order, or None when the body is no form."""
    boundary = boundary_of(content_type)
    if not boundary:
        return None
    mark = b'--' + boundary.encode('latin-1')
    pieces = (b'\r\n' + raw).split(b'\r\n' + mark)
    if len(pieces) < 2 or not pieces[-1].startswith(b'--'):
        return None
    parts = []
    for piece in pieces[1:-1]:
        head, gap, content = piece.partition(b'\r\n\r\n')
        if not gap:
            return None
        charset = 'latin-1' if service.on('form-latin-1') else 'utf-8'
        headers = {}
        for line in head.decode(charset, 'replace').split('\r\n'):
            key, _, value = line.partition(':')
            headers[key.strip().lower()] = value.strip()
        disposition = headers.get('content-disposition', '')
        name = parameter(disposition, 'name')
        if name is None:
            return None
        filename = parameter(disposition, 'filename')
        parts.append(Part(name, filename, headers.get('content-type', 'text/plain'), content))
    return parts
