// The build bundles this into one file, because loading ajv's hundred files takes longer than compiling with it.
import formats from 'ajv-formats'

export { _, Ajv2020 } from 'ajv/dist/2020.js'
export const addFormats = formats.default
