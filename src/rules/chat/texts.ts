/** Up to this number, texts are found faster one by one. */
const few = 4

/** Checks whether a text contains every one of these, in one pass, however many they are. */
export function finderOf(texts: readonly string[]): (text: string) => boolean {
  return texts.length <= few ? (text) => texts.every((it) => text.includes(it)) : automatonOf(texts)
}

/** A prefix of some of the texts. */
interface Node {
  next: Map<number, Node>
  /** The longest other prefix that is a suffix of this one. */
  shorter: Node | undefined
  /** The longest whole text that is a suffix of this one, including itself. */
  whole: Node | undefined
}

/** The algorithm of Aho and Corasick. */
function automatonOf(texts: readonly string[]): (text: string) => boolean {
  const root = node()
  for (const text of texts) {
    let at = root
    for (let place = 0; place < text.length; place++) {
      const code = text.charCodeAt(place)
      const next = at.next.get(code) ?? node()
      at.next.set(code, next)
      at = next
    }
    at.whole = at
  }
  // Shortest prefixes first: a node only refers to shorter ones, which are complete.
  const nodes = [root]
  for (const at of nodes) {
    for (const [code, next] of at.next) {
      next.shorter = at === root ? root : step(at.shorter as Node, code)
      next.whole ??= next.shorter.whole
      nodes.push(next)
    }
  }
  const wanted = new Set(texts).size
  return (text) => {
    const found = new Set<Node>()
    let at = root
    for (let place = 0; place < text.length && found.size < wanted; place++) {
      at = step(at, text.charCodeAt(place))
      // If a text was found before, so were its suffixes.
      for (let whole = at.whole; whole && !found.has(whole); whole = whole.shorter?.whole) found.add(whole)
    }
    return found.size === wanted
  }
}

function step(from: Node, code: number): Node {
  for (let at = from; ; at = at.shorter) {
    const next = at.next.get(code)
    if (next || !at.shorter) return next ?? at
  }
}

function node(): Node {
  return { next: new Map(), shorter: undefined, whole: undefined }
}
