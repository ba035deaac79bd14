import { faker } from '@faker-js/faker/locale/en'

/** The start needs the names of people alone. All of faker is in a file of its own. */
export const onlyNames = {
  name: 'only-names',
  setup({ onResolve, onLoad }) {
    const { first_name, last_name } = faker.rawDefinitions.person
    const person = { first_name, last_name: { generic: last_name.generic } }
    onResolve({ filter: /^@faker-js\// }, ({ path }) => ({ path, namespace: 'only-names' }))
    // A text, which is read when the first name is drawn: a start mostly needs none.
    onLoad({ filter: /^/, namespace: 'only-names' }, () => ({
      contents: `export const faker = {
        get rawDefinitions() { return JSON.parse(${JSON.stringify(JSON.stringify({ person }))}) }
      }`
    }))
  }
}
