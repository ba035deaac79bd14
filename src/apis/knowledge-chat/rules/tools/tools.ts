import type { Rows } from '../../types.gen.js'
import { methodsOf } from '../connectors/definition.js'
import { removeTool } from '../indexing/removal.js'
import { canSee } from '../personas/visibility.js'
import { type Context, changesAll, missing, Refusal, type Rules } from '../rule.js'

/** Custom tools: E19 and E20. */
export const toolRules: Rules<'tools'> = {
  /** E19: nothing is stored. */
  validateTool({ body }) {
    const methods = methodsOf(body.definition)
    if (typeof methods === 'string') throw new Refusal('bad-definition', { text: methods })
    return { methods }
  },

  /** E20 */
  deleteTool({ path }, context) {
    const { rows, user } = context
    const tool = rows.tools.get(path.tool_id)
    if (!tool) throw missing(tool, path)
    if (tool.in_code_tool_id !== null && context.assume('tool.builtin') === 'refused') throw new Refusal('builtin')
    if (tool.user_id !== user.id && !changesAll(context)) {
      const isReadable = [...rows.personas.where('byTool', tool.id)].some((persona) => canSee(context, persona))
      throw new Refusal(isReadable ? 'read-only' : 'not-owner')
    }
    if (isInUse(context, tool)) throw new Refusal('in-use')
    removeTool(context, tool)
    return { deleted: true, id: tool.id }
  }
}

/** Whether agents use the tool, which prevents its deletion. */
function isInUse(context: Context, tool: Rows['tools']): boolean {
  const [persona] = context.rows.personas.where('byTool', tool.id)
  return persona !== undefined && context.assume('tool.deletion') === 'refused'
}
