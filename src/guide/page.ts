import { type Create, type Program, runExample } from './example.js'
import { find, type Section } from './search.js'

for (const figure of document.querySelectorAll<HTMLElement>('figure')) {
  const caption = figure.querySelector('figcaption') as HTMLElement
  const code = figure.querySelector('code') as HTMLElement
  if (figure.dataset.run) caption.append(button('Run', () => run(figure, code)))
  const copy = button('Copy', async () => {
    // Only https and localhost have a clipboard.
    if (!navigator.clipboard) return getSelection()?.selectAllChildren(code)
    await navigator.clipboard.writeText(code.textContent ?? '')
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy'
    }, 1500)
  })
  caption.append(copy)
}

function button(text: string, act: () => Promise<void>): HTMLButtonElement {
  const element = document.createElement('button')
  element.textContent = text
  element.className = text.toLowerCase()
  element.addEventListener('click', () => act())
  return element
}

/** Loads the mock on the first run. */
async function run(figure: HTMLElement, code: HTMLElement): Promise<void> {
  const output = figure.querySelector('output') ?? figure.appendChild(document.createElement('output'))
  const pre = document.createElement('pre')
  pre.tabIndex = 0
  output.replaceChildren(pre)
  figure.dataset.state = 'running'
  try {
    const { createMock } = (await load('browser.js')) as { createMock: Create }
    const { number } = figure.dataset
    const example = number === undefined ? (code.textContent ?? '') : await programOf(number)
    await runExample(example, createMock, (text) => {
      for (const line of text.split(/(?<=\n)/)) pre.append(isStatus(line) ? statusLine(line) : line)
    })
    figure.dataset.state = 'done'
  } catch (error) {
    pre.append((error as Error).message)
    figure.dataset.state = 'failed'
  }
}

/** The policy of the page forbids code from texts, so the build has put the programs into a script. */
async function programOf(number: string): Promise<Program> {
  const { default: programs } = (await load('examples.js')) as { default: Record<string, Program> }
  return programs[number] as Program
}

function load(file: string): Promise<unknown> {
  return import(new URL(file, document.baseURI).href)
}

const isStatus = (line: string) => /^[1-5]\d\d [A-Z]/.test(line)

function statusLine(line: string): HTMLElement {
  const element = document.createElement('b')
  element.className = line.startsWith('2') || line.startsWith('3') ? 'good' : 'bad'
  element.textContent = line
  return element
}

const input = document.querySelector('input') as HTMLInputElement
const results = document.querySelector('#results') as HTMLElement
let sections: Promise<Section[]> | undefined

async function search(): Promise<void> {
  sections ??= fetch(new URL('search.json', document.baseURI)).then((response) => response.json())
  const matches = find(await sections, input.value)
  results.replaceChildren(
    ...matches.map(({ page, anchor, title, heading, snippet }) => {
      const link = document.createElement('a')
      link.href = `${page}${anchor}`
      const where = document.createElement('b')
      where.textContent = heading === title ? title : `${title}: ${heading}`
      link.append(where, snippet)
      return link
    })
  )
  if (matches.length === 0 && input.value.trim()) results.textContent = 'Nothing has all of these words.'
  results.hidden = input.value.trim() === ''
}

input.addEventListener('input', search)
input.addEventListener('focus', search)
document.addEventListener('click', ({ target }) => {
  if (!(target as Element).closest('search') || (target as Element).closest('#results a')) results.hidden = true
})
document.addEventListener('keydown', (event) => {
  const { key, target } = event
  const links = [...results.querySelectorAll('a')]
  const at = links.indexOf(target as HTMLAnchorElement)
  if (key === '/' && target !== input) input.focus()
  else if (key === 'Escape') results.hidden = true
  else if (key === 'Enter' && target === input) links[0]?.click()
  else if (key === 'ArrowDown' && (at >= 0 || target === input)) links[at + 1]?.focus()
  else if (key === 'ArrowUp' && at >= 0) (links[at - 1] ?? input).focus()
  else return
  event.preventDefault()
})
