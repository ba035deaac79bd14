import { startTestMock } from '../mock.js'

const mock = await startTestMock({ assume: { 'requests.coercion': 'lax', 'errors.input-and-ctx': 'always' } })

/** Changes one field of an agent. `value` is JSON as it is sent. */
async function changed(field: string, value: string): Promise<unknown> {
  const response = await fetch(`${mock.url}/api/persona/1`, {
    method: 'PATCH',
    headers: { Authorization: 'Bearer admin', 'Content-Type': 'application/json' },
    body: `{"${field}": ${value}}`
  })
  const body = JSON.parse(await response.text())
  return response.status === 200 ? body[field] : body.detail[0].type
}

describe('JSON under requests.coercion=lax is read as pydantic reads it', () => {
  test.each([
    ['true', 1],
    ['false', 0],
    ['3.0', 3],
    ['-0.0', 0],
    ['" 7 "', 7],
    ['"1.0"', 1],
    ['1.5', 'int_from_float'],
    ['"true"', 'int_parsing'],
    ['null', 'int_type'],
    ['[]', 'int_type']
  ])('an integer from %s', async (value, expected) => {
    expect(await changed('num_chunks', value)).toBe(expected)
  })

  test.each([
    ['1', true],
    ['1.0', true],
    ['0', false],
    ['0.0', false],
    ['-0.0', false],
    ['"YES"', true],
    ['"oFF"', false],
    ['2', 'bool_parsing'],
    ['-1', 'bool_parsing'],
    ['1e18', 'bool_parsing'],
    ['-9223372036854775808', 'bool_parsing'],
    ['9223372036854775808', 'bool_type'],
    ['100000000000000000000', 'bool_type'],
    ['0.5', 'bool_type'],
    ['""', 'bool_parsing'],
    ['" 1"', 'bool_parsing'],
    ['null', 'bool_type']
  ])('a boolean from %s', async (value, expected) => {
    expect(await changed('datetime_aware', value)).toBe(expected)
  })
})
