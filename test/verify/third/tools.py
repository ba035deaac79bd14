"""E18 to E20: page contents and custom tools."""

import re
from urllib.parse import urlsplit

from app import operation
from reading import Invalid, Reader, free, integer, many, text

METHODS = ('get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace')


def is_url(url):
    try:
        parts = urlsplit(url)
        return parts.scheme in ('http', 'https') and bool(parts.hostname)
    except ValueError:
        return False


@operation(18, 'POST', '/api/web-search/open-urls', body={'urls': many(text, 1)}, required=('urls',))
def open_urls(call):
    service, urls = call.service, call.body.get('urls', [])
    if not isinstance(urls, list):
        urls = [urls]
    urls = [str(it) for it in urls]
    if service.chose('bad-urls-422'):
        reader = Reader(service)
        for index, url in enumerate(urls):
            if not is_url(url):
                reader.wrong(['body', 'urls', index], 'url_parsing', 'Input should be a valid URL', url)
        if reader.problems:
            raise Invalid(reader.problems)
    if not service.chose('bad-urls-without-content'):
        urls = [it for it in urls if is_url(it) and not urlsplit(it).hostname.endswith('.invalid')]
    if service.chose('same-url-once'):
        urls = list(dict.fromkeys(urls))
    if service.on('e18-first-only'):
        urls = urls[:1]
    first = 0 if service.chose('citations-from-0') else 1
    results = [
        {
            'document_citation_number': number,
            'content': content_of(service, url),
            'unique_identifier_to_strip_away': service.new_uuid() if service.chose('identifiers-are-ids') else url,
            'type': 'open_url',
        }
        for number, url in enumerate(urls, first)
    ]
    return {'results': results, 'provider_type': 'service_web_crawler'}


def content_of(service, url):
    if service.chose('no-contents') or not is_url(url) or urlsplit(url).hostname.endswith('.invalid'):
        return ''
    host, path = urlsplit(url).hostname, urlsplit(url).path
    content = f'Page {path or "/"} of {host}.\n\nIt says “good morning”.'
    return f'<p>{content}</p>' if service.chose('contents-as-html') else content


@operation(19, 'POST', '/api/admin/tool/custom/validate', body={'definition': free}, required=('definition',))
def validate_tool(call):
    service, reader = call.service, Reader(call.service)
    definition = call.body.get('definition', {})
    paths = definition.get('paths') if isinstance(definition, dict) else None
    if not isinstance(paths, dict):
        if service.on('e19-definition-of-any-kind'):
            return {'methods': []}
        if not (paths is None and service.chose('definition-without-paths')):
            reader.wrong(['body', 'definition', 'paths'], 'value_error', 'Value error, paths is needed', paths)
            raise Invalid(reader.problems)
        paths = {}
    methods = []
    for path, item in paths.items():
        found = [it for it in (item if isinstance(item, dict) else {}) if it in METHODS]
        if service.on('e19-one-method-per-path'):
            found = found[:1]
        for method in found:
            spec = item[method] if isinstance(item[method], dict) else {}
            name = spec.get('operationId')
            if not isinstance(name, str):
                if not service.chose('names-made-up'):
                    reader.wrong(
                        ['body', 'definition', 'paths', path, method], 'value_error', 'Value error, no operationId',
                        spec
                    )
                    continue
                name = re.sub(r'\W+', '_', f'{method}_{path}').strip('_')
            methods.append({
                'name': name,
                'summary': spec.get('summary') or spec.get('description') or '',
                'path': path,
                'method': method.upper() if service.chose('methods-in-capitals') else method,
                'spec': {**item, 'path': path} if service.chose('spec-of-the-path') else spec,
            })
    if reader.problems:
        raise Invalid(reader.problems)
    return {'methods': methods}


@operation(20, 'DELETE', '/api/admin/tool/custom/{tool_id}', path={'tool_id': integer})
def delete_tool(call):
    service, tool_id = call.service, call.path['tool_id']
    if tool_id not in service.tools:
        if service.chose('delete-again-is-fine') or isinstance(tool_id, str):
            return None
        raise service.missing('Tool')
    if service.on('e20-kept'):
        return None
    del service.tools[tool_id]
    for persona in list(service.personas.values()):
        if tool_id in persona['tool_ids']:
            if service.on('e20-takes-its-personas'):
                del service.personas[persona['id']]
            elif service.on('e20-takes-all-tools-of-a-persona'):
                persona['tool_ids'] = []
            else:
                persona['tool_ids'] = [it for it in persona['tool_ids'] if it != tool_id]
    return None
