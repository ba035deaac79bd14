import { faker } from '@faker-js/faker/locale/en'

/**
 * The start needs the names of people alone. All of faker is in a file of its own. The names are a text, which is read when
 * the first one is drawn: most starts draw none.
 */
export const onlyNames = {
  name: 'only-names',
  setup({ onResolve, onLoad }) {
    const { first_name: first, last_name: last } = faker.rawDefinitions.person
    const lists = [first.female, first.male, first.generic, last.generic].map(shortened)
    onResolve({ filter: /^@faker-js\// }, ({ path }) => ({ path, namespace: 'only-names' }))
    onLoad({ filter: /^/, namespace: 'only-names' }, () => ({
      contents: `const lists = ${JSON.stringify(lists)}
        ${lengthened}
        export const faker = {
          get rawDefinitions() {
            const [female, male, generic, last] = lists.map(lengthened)
            return { person: { first_name: { female, male, generic }, last_name: { generic: last } } }
          }
        }`
    }))
  }
}

/** Sorted names begin alike: each is the number of letters that it has in common with the one before, and the others. */
function shortened(names) {
  let before = ''
  return names.reduce((text, name) => {
    let same = 0
    while (same < Math.min(9, name.length) && name[same] === before[same]) same++
    before = name
    return text + same + name.slice(same)
  }, '')
}

/** The names again. The bundles have this function. */
function lengthened(text) {
  let name = ''
  return text.match(/\d\D*/g).map((part) => {
    name = name.slice(0, Number(part[0])) + part.slice(1)
    return name
  })
}
