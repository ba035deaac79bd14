import type { JournalMessage } from '../../../../contract/types.gen.js'
import { JsonText } from '../../json/json.js'
import type { Remark } from '../../json/json-lines.js'
import { Long } from '../../parts/text.js'
import { within } from './marks.js'

interface Props {
  name: 'Request' | 'Response'
  message: JournalMessage
  marks: Remark[]
  /** The URL of a request, to show its parameters. */
  url?: string
}

/** A request or a response: parameters, headers and body. */
export function Message({ name, message: { headers, body, omitted }, marks, url }: Props) {
  const isRequest = url !== undefined
  return (
    <section aria-label={name}>
      <h4 class="hidden">{name}</h4>
      {isRequest && <Parameters url={url} marks={marks} />}
      <details>
        <summary>Headers ({Object.keys(headers).length})</summary>
        <dl class="headers">
          {Object.entries(headers).map(([header, value]) => (
            <div key={header}>
              <dt>{header}</dt>
              <dd>
                <Long text={value} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {body !== undefined && (
        <JsonText
          label={`Body of the ${name.toLowerCase()}`}
          value={body}
          marks={isRequest ? within(marks, 'body') : marks}
        />
      )}
      {body === undefined && (
        <p class="quiet">{omitted === undefined ? 'No body.' : `The body is not kept: ${omitted}.`}</p>
      )}
    </section>
  )
}

/** The query parameters, with the problems of query and path. */
function Parameters({ url, marks }: { url: string; marks: Remark[] }) {
  const given = [...new URLSearchParams(url.split('?').slice(1).join('?'))]
  const inQuery = within(marks, 'query')
  const names = given.map(([name]) => name)
  const others = [...inQuery.filter(({ place }) => !names.includes(String(place[0]))), ...within(marks, 'path')]
  if (given.length + others.length === 0) return null
  return (
    <dl class="headers">
      {given.map(([name, value], at) => {
        const remarks = inQuery.filter(({ place }) => place[0] === name).map(({ text }) => text)
        return (
          <div key={at} class={remarks.length > 0 ? 'offending' : undefined}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <Long text={value} /> <span class="remark">{remarks.join('; ')}</span>
            </dd>
          </div>
        )
      })}
      {others.map(({ place, text }) => (
        <div key={place.join('.')} class="offending">
          <dt>
            <bdi>{place.join('.')}</bdi>
          </dt>
          <dd>
            <span class="remark">{text}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
