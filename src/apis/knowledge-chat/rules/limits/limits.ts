import { missing, type Rules } from '../rule.js'

/** Token rate limits: E30. */
export const limitRules: Rules<'limits'> = {
  /** E30: a limit of any scope. */
  deleteTokenRateLimit({ path }, { rows }) {
    const limit = rows.tokenRateLimits.get(path.token_rate_limit_id)
    if (!limit) throw missing(limit, { token_rate_limit_id: path.token_rate_limit_id })
    rows.tokenRateLimits.remove(limit.id)
    return { deleted: true, id: limit.id }
  }
}
