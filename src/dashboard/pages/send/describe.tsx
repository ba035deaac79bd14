import { type ComponentChildren, createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import type { AssumptionEntry } from '../../../engine/contract/types.gen.js'
import { ChoiceInForce } from '../assumptions.js'
import { hasControl } from '../client.js'
import { JsonText } from '../json/view.js'
import { answerNext, NextTime } from '../next-time.js'
import { type DocumentedParameter, examplesOf, type Operation } from '../operations.js'
import { Button } from '../parts/actions.js'
import { SelectField } from '../parts/fields.js'
import { Head } from '../parts/page.js'
import { count, Lazy, Long, Status } from '../parts/text.js'
import { href } from '../route.js'
import { fieldOf, fieldsIn, type JsonSchema, reached, type SchemaField, type Schemas, sampleOf } from './schema.js'

/** An assumption as the document has it. Only the control API knows what is needed to change it. */
type Assumption = Pick<AssumptionEntry, 'question' | 'choice' | 'choices'> & Partial<AssumptionEntry>

export const Ledger = createContext<Record<string, Assumption>>({})

export function Summary({ operation: { id, code, method, path, summary } }: { operation: Operation }) {
  const toBench = () => {
    const bench = document.querySelector('.bench')
    bench?.scrollIntoView()
    bench?.querySelector<HTMLElement>('[type=submit]')?.focus({ preventScroll: true })
  }
  return (
    <header class="summary">
      <Head title={summary || id} />
      <p class="endpoint panel">
        <Method name={method} /> <bdi class="code">{path}</bdi>
      </p>
      <p class="facts quiet">
        <span>
          <code>{id}</code> {code}
        </span>
        {hasControl.value && <a href={href('requests', [], { q: `op:${id}` })}>Its exchanges</a>}
        {hasControl.value && <a href={href('assumptions', [], { of: id })}>Its assumptions</a>}
        <Button class="more" text="Send it" run={toBench} />
      </p>
      {hasControl.value && <NextTime target={{ operation: id }} />}
    </header>
  )
}

export function Description({ operation, schemas }: { operation: Operation; schemas: Schemas }) {
  const { id, about, documented } = operation
  const { parameters = [], requestBody, responses } = documented
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const body = content && (content.schema ?? {})
  const first = Object.keys(responses).find((status) => status.startsWith('2'))
  return (
    <article class="description" aria-label={id}>
      <Markdown text={about} />
      {parameters.length > 0 && <h2>Parameters</h2>}
      <FieldTable label="Parameters" fields={parameters.map((it) => parameterField(it, schemas))} />
      {body && (
        <>
          <h2>
            Body <Kind type={type} schema={body} schemas={schemas} />
          </h2>
          <FieldTable
            label="Fields of the body"
            fields={fieldsIn(body, schemas, 'readOnly')}
            assumed={requestBody?.['x-assumed']}
          />
        </>
      )}
      <h2>Documented answers</h2>
      {Object.entries(responses).map(([status, response]) => (
        <Response key={status} {...{ operation, status, response, schemas }} isOpen={status === first} />
      ))}
      <Elsewhere operation={operation} schemas={schemas} />
    </article>
  )
}

export function Method({ name }: { name: string }) {
  return <span class={`method ${name.toLowerCase()}`}>{name}</span>
}

function parameterField(parameter: DocumentedParameter, schemas: Schemas): SchemaField {
  const { name, in: place, required, description, schema = {}, 'x-assumed': assumed = [] } = parameter
  const own = { ...schema, ...(description !== undefined && { description }) }
  const field = fieldOf(name, own, schemas, required)
  return { ...field, bounds: [`in the ${place}`, ...field.bounds], assumed: [...field.assumed, ...assumed] }
}

function Kind({ type, schema, schemas }: { type: string | undefined; schema: JsonSchema; schemas: Schemas }) {
  return (
    <span class="quiet">
      {type}, {fieldOf('', schema, schemas).type}
    </span>
  )
}

/** The assumptions that no field and no status names. */
function Elsewhere({ operation: { assumed, documented }, schemas }: { operation: Operation; schemas: Schemas }) {
  const { parameters, requestBody, responses } = documented
  const ids = new Set(reached([parameters, requestBody, responses], schemas).flatMap((it) => it.assumed))
  const others = assumed.filter((id) => !ids.has(id))
  if (others.length === 0) return null
  return (
    <>
      <h2>Other assumptions</h2>
      <Assumed ids={others} />
    </>
  )
}

/** More assumptions than these are folded. One of more fields than that is shown once, above them. */
const few = 3

function Assumed({ ids = [], isFolded = true }: { ids?: readonly string[] | undefined; isFolded?: boolean }) {
  const ledger = useContext(Ledger)
  const entries = [...new Set(ids)].flatMap((id) => (ledger[id] ? [[id, ledger[id]] as const] : []))
  if (entries.length === 0) return null
  if (isFolded && entries.length > few)
    return <Lazy summary={count(entries.length, 'assumption')}>{() => <Assumed ids={ids} isFolded={false} />}</Lazy>
  return (
    <ul class="assumed">
      {entries.map(([id, entry]) => (
        <li key={id}>
          <Lazy summary={[<code key={id}>{id}</code>, ` ${entry.choice}`]}>
            {() => (
              <>
                <p>{entry.question}</p>
                <p class="quiet">{entry.choices[entry.choice]}</p>
                {entry.id !== undefined && <ChoiceInForce entry={entry as AssumptionEntry} />}
              </>
            )}
          </Lazy>
        </li>
      ))}
    </ul>
  )
}

type FieldTableProps = { label: string; fields: readonly SchemaField[]; assumed?: readonly string[] | undefined }

function FieldTable({ label, fields, assumed = [] }: FieldTableProps) {
  if (fields.length === 0) return <Assumed ids={assumed} />
  const all = fields.flatMap(({ assumed }) => assumed)
  const shared = new Set(all.filter((id) => all.filter((it) => it === id).length > few))
  return (
    <>
      <Assumed ids={[...assumed, ...shared]} />
      <div class="panel">
        <table class="schema">
          <caption class="hidden">{label}</caption>
          <thead class="hidden">
            <tr>
              {['Name', 'Type', 'Required', 'Bounds', 'Description'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field, at) => (
              <FieldRows key={`${field.name} ${at}`} {...{ field, shared }} depth={0} isLone={fields.length < 3} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

type FieldRowsProps = { field: SchemaField; shared: ReadonlySet<string>; depth: number; isLone?: boolean }

/**
 * A field of a table, and those in it. At first, the inner ones are shown if there are few, or hardly any others. `shared`: the
 * assumptions that are shown above the table.
 */
function FieldRows({ field, shared, depth, isLone = false }: FieldRowsProps) {
  const { name, type, isRequired, isNullable, bounds, description, assumed } = field
  const inner = field.inner()
  const [isOpen, open] = useState(depth === 0 && (isLone || inner.length < 5))
  return (
    <>
      <tr style={{ '--depth': depth }}>
        <th scope="row">
          <code>{name}</code>
        </th>
        <td>
          {type}
          {isNullable && ' or null'}
        </td>
        <td>{isRequired && <span class="required">required</span>}</td>
        <td>
          <Long text={bounds.join(', ')} />
        </td>
        <td class="about">
          {description !== '' && <Markdown text={description} />}
          <Assumed ids={assumed.filter((id) => !shared.has(id))} />
          {inner.length > 0 && (
            <Button
              class="more"
              text={`${isOpen ? 'Hide' : 'Show'} ${count(inner.length, 'field')}`}
              about={`of ${name}`}
              aria-expanded={isOpen}
              run={() => open(!isOpen)}
            />
          )}
        </td>
      </tr>
      {isOpen &&
        inner.map((it, at) => <FieldRows key={`${it.name} ${at}`} field={it} shared={shared} depth={depth + 1} />)}
    </>
  )
}

type Answer = Operation['documented']['responses'][string]
type ResponseProps = { operation: Operation; status: string; response: Answer; schemas: Schemas; isOpen: boolean }

function Response({ operation, status, response, schemas, isOpen }: ResponseProps) {
  const { description = '', content = {}, 'x-assumed': assumed } = response
  const [type, body] = Object.entries(content)[0] ?? []
  const examples = body ? examplesOf(body) : []
  const [chosen, choose] = useState('0')
  const [, example] = examples[Number(chosen)] ?? []
  const schema = body?.schema ?? {}
  const isSample = example === undefined && /json/i.test(type ?? '') && Object.keys(schema).length > 0
  const shown = () => (isSample ? sampleOf(schema, schemas, 'writeOnly') : example)
  const isNumber = /^\d+$/.test(status)
  const force = () => {
    const answer = { status: Number(status), ...(example !== undefined && { body: example }) }
    return answerNext({ operation: operation.id }, { ...answer, times: 1 }, `with ${status}`)
  }
  return (
    <section class="response panel" aria-label={`Documented ${status}`}>
      <h3>
        {isNumber ? <Status status={Number(status)} /> : <span class="tag plain">{status}</span>}
        <span>{description}</span>
      </h3>
      {isNumber && Number(status) >= 400 && hasControl.value && (
        <Button text="Make it happen" aria-label={`Make it happen: ${status}`} run={force} />
      )}
      <Assumed ids={assumed} />
      {body && (
        <Lazy
          isOpen={isOpen}
          summary={['Example and fields · ', <Kind key="kind" type={type} schema={schema} schemas={schemas} />]}
        >
          {() => (
            <>
              {examples.length > 1 && (
                <div class="line">
                  <SelectField
                    label="Example"
                    value={chosen}
                    onChange={choose}
                    options={examples.map(([name], at) => [String(at), name] as const)}
                  />
                </div>
              )}
              {isSample && <p class="quiet">The document has no example. This one follows its schema:</p>}
              {shown() !== undefined && <JsonText value={shown()} label={`Example of ${status}`} />}
              <FieldTable label={`Fields of ${status}`} fields={fieldsIn(schema, schemas, 'writeOnly')} />
            </>
          )}
        </Lazy>
      )}
    </section>
  )
}

/** The Markdown that descriptions use: paragraphs, headings, lists, code, emphasis and links. Anything else stays text. */
export function Markdown({ text }: { text: string }) {
  return (
    <div class="markdown">
      {text
        .split(/^```.*$/m)
        .map((part, at) =>
          at % 2 === 1 ? (
            <pre key={at}>{part.trim()}</pre>
          ) : (
            part.split('\n\n').map((it, i) => <Block key={i} text={it.trim()} />)
          )
        )}
    </div>
  )
}

function Block({ text }: { text: string }) {
  const [before = '', ...items] = text.split(/^(?:[-*+]|\d+\.) /m)
  if (items.length === 0) {
    if (text === '') return null
    return <p>{/^#+ /.test(text) ? <strong>{text.replace(/^#+ /, '')}</strong> : inline(text)}</p>
  }
  return (
    <>
      <Block text={before.trim()} />
      <ul>
        {items.map((item, at) => (
          <li key={at}>{inline(item.trim())}</li>
        ))}
      </ul>
    </>
  )
}

/** Marked parts, also those without an end, so that no text takes more than linear time. */
const marks = /(`[^`]*`?|\*\*[^*]*(?:\*\*)?|\*[^*]*\*?|\[[^\]]*\]?(?:\([^)]*\)?)?)/

function inline(text: string): ComponentChildren[] {
  return text.split(marks).map((part, at) => {
    const inner = (mark: string) => {
      const isWhole = part.startsWith(mark) && part.endsWith(mark) && part.length > 2 * mark.length
      return isWhole && part[mark.length] !== ' ' ? part.slice(mark.length, -mark.length) : undefined
    }
    if (at % 2 === 0) return part
    if (inner('`')) return <code key={at}>{inner('`')}</code>
    if (inner('**')) return <strong key={at}>{inner('**')}</strong>
    if (inner('*')) return <em key={at}>{inner('*')}</em>
    const [, label, address] = /^\[([^\]]+)\]\((https?:[^)]+)\)$/.exec(part) ?? []
    return address === undefined ? part : <a href={address}>{label}</a>
  })
}
