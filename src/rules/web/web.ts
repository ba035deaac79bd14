import { Refusal } from '../../contract/message/refusal.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { WebContent } from '../../contract/types.gen.js'
import type { Context, Rules } from '../rule.js'
import { isPrivate, readableAddress } from './page-address.js'
import { pageText } from './page-text.js'

/** Web content: E18. No page is ever fetched. */
export const webRules: Rules<'web'> = {
  /** E18: the readable pages, in the requested order. */
  openUrls({ body }, context) {
    const named = body.urls.map((url) => url.trim()).filter((url) => url !== '')
    if (named.length === 0) throw noUrl(body.urls)
    if (named.length < body.urls.length && context.assume('web.blank-urls') === 'refused') throw blankUrl(body.urls)
    checkCount(context, named.length)
    const once = [...new Set(named)]
    const urls = once.length < named.length && context.assume('web.same-urls') === 'once' ? once : named
    return {
      results: urls.flatMap((url, position) => page(context, url, position + 1)),
      provider_type: 'service_web_crawler'
    }
  }
}

/** 2.13 */
function page(context: Context, url: string, position: number): WebContent[] {
  const choice = context.assume('web.content')
  const address = readableAddress(url)
  if (!address) return []
  if (isPrivate(address.hostname) && context.assume('web.private-addresses') === 'left-out') return []
  const content = choice === 'generated' ? pageText(address, `${context.seed} ${url}`) : ''
  const document_citation_number = context.assume('web.citation-number') === 'minus-one' ? -1 : position
  return [{ document_citation_number, content, unique_identifier_to_strip_away: url, type: 'open_url' }]
}

function noUrl(input: unknown): Invalid {
  const msg = 'Value error, urls must include at least one non-empty value'
  return new Invalid([{ type: 'value_error', loc: ['body', 'urls'], msg, input, ctx: { error: {} } }])
}

function blankUrl(urls: string[]): Invalid {
  const position = urls.findIndex((url) => url.trim() === '')
  const msg = 'Value error, a URL must not be blank'
  const [input, loc] = [urls[position], ['body', 'urls', position]]
  return new Invalid([{ type: 'value_error', loc, msg, input, ctx: { error: {} } }])
}

function checkCount(context: Context, count: number): void {
  const limit = 1000
  if (count > limit && context.assume('web.limit') !== 'none') throw new Refusal('too-many-urls', { count, limit })
}
