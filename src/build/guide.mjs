import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { transform } from 'esbuild'
import { Marked } from 'marked'
import { build } from './notices.mjs'

/**
 * Builds dist/pages/guide from docs/: a static page for each document, in the groups and order of docs/README.md, and llms.txt.
 * Everything is relative, so that the folder works below any path of any host.
 */
export async function buildGuide(out = 'dist/pages/guide') {
  mkdirSync(out, { recursive: true })
  const groups = groupsIn(readFileSync('docs/README.md', 'utf8'))
  const pages = [{ file: 'README.md', title: 'Manual' }, ...groups.flatMap(({ pages }) => pages)]
  const sections = []
  const programs = []
  for (const [at, page] of pages.entries()) {
    const html = rendered(page, sections, programs)
    const near = { before: at > 1 ? pages[at - 1] : undefined, after: pages[at + 1] }
    writeFileSync(`${out}/${addressOf(page.file)}`, pageText({ page, html, groups, near }))
  }
  writeFileSync(`${out}/search.json`, JSON.stringify(sections))
  const { code } = await transform(`export default {\n${programs.join(',\n')}\n}\n`)
  writeFileSync(`${out}/examples.js`, code)
  await build({
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
    outdir: out,
    entryPoints: [
      { in: 'src/guide/page.ts', out: 'guide' },
      { in: 'src/guide/guide.css', out: 'guide' }
    ]
  })
  for (const name of readdirSync('docs')) if (name.endsWith('.png')) cpSync(`docs/${name}`, `${out}/${name}`)
  cpSync('src/dashboard/icon.svg', `${out}/icon.svg`)
  cpSync('dist/browser.js', `${out}/browser.js`)
  writeIfChanged('llms.txt', llmsText(groups))
}

/** The groups of pages that the contents list. */
function groupsIn(contents) {
  return contents
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      name: part.slice(0, part.indexOf('\n')),
      pages: [...part.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm)].map(([, title, file, about]) => ({
        title,
        file,
        about
      }))
    }))
}

function llmsText(groups) {
  const { name, description } = JSON.parse(readFileSync('package.json', 'utf8'))
  const lines = groups.flatMap(({ name, pages }) => [
    `## ${name}\n`,
    ...pages.map(({ title, file, about }) => `- [${title}](docs/${file}): ${about}`),
    ''
  ])
  return `# ${name}\n\n> ${description}\n\n${lines.join('\n')}`
}

function writeIfChanged(file, text) {
  if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }) !== text) writeFileSync(file, text)
}

const addressOf = (file) => (file === 'README.md' ? 'index.html' : file.replace(/\.md$/, '.html'))
const escaped = (text) => text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`)
const plain = (html) =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);|&(\w+);/g, (_, code, name) =>
      code ? String.fromCharCode(code) : ({ lt: '<', gt: '>', amp: '&', quot: '"' }[name] ?? '')
    )
/** The id that GitHub gives a heading. */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** A document as HTML. Adds what it says to the search, and its examples in JavaScript to the programs. */
function rendered({ file, title }, sections, programs) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = plain(html)
        if (depth === 1) return `<h1>${html}</h1>\n`
        return `<h${depth} id="${slug(text)}"><a href="#${slug(text)}">${html}</a></h${depth}>\n`
      },
      codespan({ text }) {
        // A short one is not broken at its hyphens.
        return `<code${text.length < 40 ? ' class="short"' : ''}>${escaped(text)}</code>`
      },
      link({ href, tokens }) {
        const to = href.replace(/^([\w-]+\.md)(#.*)?$/, (_, to, anchor = '') => addressOf(to) + anchor)
        return `<a href="${escaped(to)}">${this.parser.parseInline(tokens)}</a>`
      },
      code({ text, lang = '' }) {
        const [language = '', ...words] = lang.split(' ')
        if (language === 'output') return `<!-- output -->${escaped(text)}<!-- /output -->`
        return figure(text, language, words, programs)
      }
    }
  })
  const html = marked
    .parse(readFileSync(`docs/${file}`, 'utf8'))
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replace(/<\/figure>\s*<!-- output -->([\s\S]*?)<!-- \/output -->/g, (_, text) => `${outputOf(text)}</figure>\n`)
  // On cards, the text after the title is a sentence.
  if (file === 'README.md') return html.replace(/<\/a>: (\w?)/g, (_, first) => `</a> ${first.toUpperCase()}`)
  for (const part of html.split(/(?=<h[23] id=)/)) {
    const [, id, heading = title] = /^<h. id="(.*?)">(.*)/.exec(part) ?? []
    const text = plain(part.replace(/^<h\d.*/, ''))
      .replace(/\s+/g, ' ')
      .trim()
    sections.push({
      page: addressOf(file),
      anchor: id === undefined ? '' : `#${id}`,
      title,
      heading: plain(heading),
      text
    })
  }
  return html
}

/** An output with marked statuses, as `page.ts` shows it too. */
function outputOf(text) {
  const lines = text.replace(
    /^([1-5])\d\d [A-Z].*$/gm,
    (line, kind) => `<b class="${kind < 4 ? 'good' : 'bad'}">${line}</b>`
  )
  return `\n<output><pre tabindex="0">${lines}</pre></output>`
}

const captions = {
  sh: 'Run in a terminal',
  powershell: 'PowerShell',
  js: 'JavaScript',
  ts: 'TypeScript',
  py: 'Python',
  json: 'JSON',
  yaml: 'YAML',
  text: 'Text'
}

/** Code with a caption. `run` lets the page run it, `file=<name>` names its file. */
function figure(text, language, words, programs) {
  const isRun = words.includes('run')
  const file = words.find((it) => it.startsWith('file='))?.slice(5)
  const isProgram = isRun && language === 'js'
  if (isProgram) {
    const body = text.replace(/^import \{ createMock \} from 'knowledge-chat-mock'\n/m, '')
    programs.push(`${programs.length}: async ({ createMock, console }) => {\n${body}\n}`)
  }
  const attributes = `${isRun ? ` data-run="${language}"` : ''}${isProgram ? ` data-number="${programs.length - 1}"` : ''}`
  const caption = file ?? (isRun && language === 'sh' ? 'curl' : (captions[language] ?? language))
  return `<figure${attributes}><figcaption><span>${caption}</span></figcaption>
<pre tabindex="0"><code>${highlighted(text, language)}</code></pre></figure>\n`
}

/** Marks comments, texts and keywords. */
function highlighted(text, language) {
  const comment = ['js', 'ts'].includes(language) ? '\\/\\/.*' : '(?<![^\\s])#.*'
  const keywords = ['js', 'ts', 'py'].includes(language)
    ? '\\b(?:import|from|export|default|const|let|await|async|function|return|new|for|of|if|try|finally|def|with|yield|as|assert)\\b'
    : '$^'
  return text
    .split(new RegExp(`(${comment})|('[^'\\n]*'|"[^"\\n]*"|\`[^\`]*\`)|(${keywords})`, 'g'))
    .map((part, at) => {
      const kind = [undefined, 'c', 's', 'k'][at % 4]
      return part === undefined ? '' : kind ? `<span class="${kind}">${escaped(part)}</span>` : escaped(part)
    })
    .join('')
}

function pageText({ page, html, groups, near: { before, after } }) {
  const isHome = page.file === 'README.md'
  const link = ({ file, title }) =>
    `<a href="${addressOf(file)}"${file === page.file ? ' aria-current="page"' : ''}>${title}</a>`
  const parts = [...html.matchAll(/<h2 id="(.*?)">(.*)<\/h2>/g)].map(
    ([, id, heading]) => `<li><a href="#${id}">${heading.replace(/<.*?>/g, '')}</a></li>`
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isHome ? 'Manual' : page.title} · knowledge-chat-mock</title>
<meta name="description" content="${escaped(page.about ?? 'The manual of knowledge-chat-mock')}">
<link rel="icon" href="./icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="./guide.css">
<script src="./guide.js" type="module"></script>
</head>
<body${isHome ? ' class="home"' : ''}>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="index.html"><img src="icon.svg" alt="" width="24" height="24">knowledge-chat-mock</a>
<search><input type="search" aria-label="Search the manual" placeholder="Search ( / )" autocomplete="off"><div id="results" hidden></div></search>
<button class="menu" popovertarget="contents">Contents</button>
</header>
<nav id="contents" aria-label="Contents" popover>
${groups.map(({ name, pages }) => `<h2>${name}</h2>\n<ul>${pages.map((it) => `<li>${link(it)}</li>`).join('')}</ul>`).join('\n')}
</nav>
<main id="main" tabindex="-1">
<article>
${html}</article>
<footer>${before ? `<span>Before: ${link(before)}</span>` : ''}${after ? `<span>Next: ${link(after)}</span>` : ''}</footer>
</main>
${parts.length > 1 && !isHome ? `<aside aria-label="On this page"><h2>On this page</h2><ul>${parts.join('')}</ul></aside>` : ''}
</body>
</html>
`
}
