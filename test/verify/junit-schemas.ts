import { type SaxesOptions, SaxesParser, type SaxesTagPlain } from 'saxes'

/** What a schema says of an element: its attributes (with `!`: required), its children in order, and whether it has text. */
interface Rule {
  attributes: Record<string, RegExp>
  /** Of the children's names, each followed by a blank. */
  children: RegExp
  text?: true
}

export type Schema = Record<string, Rule>

const any = /^/
const token = /\S/
const int = /^\d{1,9}$/
const decimal = /^\d+(\.\d+)?$/
const leaf = /^$/
const told = { attributes: { message: any, 'type!': any }, children: leaf, text: true } as const
const property = { attributes: { 'name!': token, 'value!': any }, children: leaf }
const output = { attributes: {}, children: leaf, text: true } as const

/** The rules of Ant's reports, as the common JUnit.xsd has them. */
export const ant: Schema = {
  testsuites: { attributes: {}, children: /^(testsuite )*$/ },
  testsuite: {
    attributes: {
      'id!': int,
      'package!': any,
      'name!': token,
      'timestamp!': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/,
      'hostname!': token,
      'tests!': int,
      'failures!': int,
      'errors!': int,
      'time!': decimal,
      skipped: int
    },
    children: /^properties (testcase )*system-out system-err $/
  },
  properties: { attributes: {}, children: /^(property )*$/ },
  property,
  testcase: {
    attributes: { 'name!': any, 'classname!': any, 'time!': decimal },
    children: /^((skipped|error|failure) )?$/
  },
  skipped: { attributes: { message: any, type: any }, children: leaf, text: true },
  error: told,
  failure: told,
  'system-out': output,
  'system-err': output
}

const surefire = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/
const loose = { attributes: { message: any, type: any }, children: leaf, text: true } as const

/** The rules of Jenkins' xunit plugin, junit-10.xsd, as far as a report uses them. */
export const jenkins: Schema = {
  testsuites: {
    attributes: { name: any, time: surefire, tests: any, failures: any, errors: any },
    children: /^(testsuite )*$/
  },
  testsuite: {
    attributes: {
      'name!': any,
      'tests!': any,
      'failures!': any,
      'errors!': any,
      time: surefire,
      ...{
        group: any,
        skipped: any,
        timestamp: any,
        hostname: any,
        id: any,
        package: any,
        file: any,
        log: any,
        url: any
      }
    },
    children: /^((testsuite|properties|testcase|system-out|system-err) )*$/
  },
  properties: { attributes: {}, children: /^(property )*$/ },
  property,
  testcase: {
    attributes: { 'name!': any, time: any, classname: any, group: any },
    children: /^((skipped|error|failure|system-out|system-err) )*$/
  },
  skipped: loose,
  error: loose,
  failure: loose,
  'system-out': output,
  'system-err': output
}

export interface Element {
  name: string
  attributes: Record<string, string>
  children: Element[]
  text: string
}

/** Throws where it is no well-formed XML. */
export function parsed(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new SaxesParser<SaxesOptions>({})
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    const { name, attributes } = tag as SaxesTagPlain
    const element: Element = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('closetag', () => open.pop())
  parser.write(xml).close()
  return root.children[0] as Element
}

/** What breaks a schema. */
export function breaches(schema: Schema, element: Element): string[] {
  const { name, attributes, children, text } = element
  const rule = schema[name]
  if (!rule) return [`${name} is unknown`]
  const known = Object.keys(rule.attributes).map((it) => it.replace('!', ''))
  const names = children.map((it) => `${it.name} `).join('')
  return [
    ...Object.entries(rule.attributes).flatMap(([key, pattern]) => {
      const value = attributes[key.replace('!', '')]
      if (value === undefined) return key.endsWith('!') ? [`${name} has no ${key}`] : []
      return pattern.test(value) ? [] : [`${name} ${key} is ${value}`]
    }),
    ...Object.keys(attributes).flatMap((key) => (known.includes(key) ? [] : [`${name} has the attribute ${key}`])),
    ...(rule.children.test(names) ? [] : [`${name} holds ${names}`]),
    ...(rule.text || text.trim() === '' ? [] : [`${name} holds text`]),
    ...children.flatMap((child) => breaches(schema, child))
  ]
}
