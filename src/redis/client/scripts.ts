/** The scripts that the engine runs. Each is one atomic step. */

const last = `local e = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local last = e[1] and e[1][1] or ''
`

/** The last claim of the stream. */
const own = `local own = string.match(last, '^%d+') .. '-0'
local claim = redis.call('XRANGE', KEYS[1], own, own)
claim = claim[1] and claim[1][2][2] or ''
`

/** The engine's time, also in milliseconds. */
const time = `local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`

/** Refuses a writer that does not know the last entry. */
const fence = `${last}if last ~= ARGV[1] then return redis.error_reply('FENCED ' .. last) end
`

/**
 * A full engine refuses commands that need memory, but only until a script has changed something. This command does so. Then
 * the script can free memory, and do what every process needs.
 */
const evenIfFull = (key: string) => `redis.call('PERSIST', ${key})
`

const keep = (ttl: string) => `if ${ttl} ~= '0' then redis.call('PEXPIRE', KEYS[1], ${ttl}) end
`

/** The lives that have their leases, each with its address. `nodes`: the key of all. Their own keys begin with `of`. */
const readLives = (nodes: string, of: string) => `local lives = {}
for _, life in ipairs(redis.call('ZRANGE', ${nodes}, 0, -1)) do
  local address = redis.call('GET', ${of} .. life)
  if address then lives[#lives + 1] = {life, address} else redis.call('ZREM', ${nodes}, life) end
end
`

/** KEYS: those of all lives. ARGV: what the keys of lives begin with. */
const lives = `${readLives('KEYS[1]', 'ARGV[1]')}return lives`

/** The last id, the claim, and whether its life has freed the stream since. Empty: there is no stream. */
const look = `${last}if last == '' then return {} end
${own}return {last, claim, e[1][2][1] == 'free' and 1 or 0}`

/**
 * Claims a stream whose last id is still the known one. ARGV: that id, the claim, the time to live, 1 if its entries belong to
 * an earlier era. Returns the id of the claim, the engine's time and all entries, or only the last id if another process was
 * faster. An id begins with the time, so no two claims have the same one, even if the stream was deleted in between.
 */
const claim = `local all = redis.call('XRANGE', KEYS[1], '-', '+')
local last = all[#all] and all[#all][1] or ''
if last ~= ARGV[1] then return {last} end
${time}local epoch = math.max(now, 1 + tonumber(string.match(last, '^%d+') or '0'))
${evenIfFull('KEYS[1]')}local id = string.format('%.0f-0', epoch)
redis.call('XADD', KEYS[1], id, 'own', ARGV[2])
if ARGV[4] == '1' then
  redis.call('XTRIM', KEYS[1], 'MINID', id)
  all = {}
end
${keep('ARGV[3]')}return {id, t, all}`

/**
 * Adds an entry to each stream. ARGV: the time to live, then the predecessor, the id, the field and the value of each. Returns
 * a text for each: empty, or why nothing was added. Entries with a field other than r are added even if the engine is full. A
 * stream has 4 kB of spare memory. One that is handed back, and may sleep for long, is rewritten to free it.
 */
const append = `local results = {}
for i, key in ipairs(KEYS) do
  local at = 4 * i - 2
  local e = redis.pcall('XREVRANGE', key, '+', '-', 'COUNT', 1)
  local last = e[1] and e[1][1] or ''
  if not e.err and last ~= ARGV[at] then
    results[i] = 'FENCED ' .. last
  else
    if ARGV[at + 2] ~= 'r' and not e.err then ${evenIfFull('key')}    end
    local added = e.err and e or redis.pcall('XADD', key, ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
    results[i] = type(added) == 'table' and added.err or ''
    if results[i] == '' and ARGV[1] ~= '0' then redis.pcall('PEXPIRE', key, ARGV[1]) end
    if results[i] == '' and ARGV[at + 2] == 'free' and redis.call('XLEN', key) <= 32 then
      redis.pcall('RESTORE', key, ARGV[1], redis.call('DUMP', key), 'REPLACE')
    end
  end
end
return results`

/** Replaces all entries by a claim and a whole state. ARGV: the predecessor, the time to live, the ids, the life, the state. */
const compact = `${fence}${evenIfFull('KEYS[1]')}redis.call('XADD', KEYS[1], ARGV[3], 'own', ARGV[5])
redis.call('XADD', KEYS[1], ARGV[4], 'r', ARGV[6])
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[3])
${keep('ARGV[2]')}return 1`

/** Deletes a stream without a state. ARGV: the predecessor. */
const remove = `${fence}return redis.call('DEL', KEYS[1])`

/**
 * Begins or renews the lease of a life. KEYS: that of the life, those of all lives, the eras, the lost sandboxes. ARGV: its
 * address, milliseconds, NX or XX, the life, the milliseconds of an era. Returns JSON: when the engine was first used; if the
 * lease continues, also the engine's time, the eras, whether this call began one, all lives with their addresses, and why it
 * takes no changes.
 */
const lease = `local born = tonumber(redis.call('HGET', KEYS[3], 'born') or '0')
local set = redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], ARGV[3])
local problem = type(set) == 'table' and set.err or ''
if problem ~= '' then
  ${evenIfFull('KEYS[1]')}  set = redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], ARGV[3])
end
if not set then return cjson.encode({born = born}) end
${time}if born == 0 then
  born = now
  redis.call('HSET', KEYS[3], 'born', string.format('%.0f', now))
end
redis.call('ZADD', KEYS[2], 'NX', now, ARGV[4])
local function era(field) return tonumber(redis.call('HGET', KEYS[3], field) or '0') end
local every = tonumber(ARGV[5])
local begun = false
if every > 0 then
  local due = era('next')
  if due == 0 or era('every') ~= every then
    redis.call('HSET', KEYS[3], 'next', now + every, 'every', every)
  elseif now >= due then
    redis.call('HSET', KEYS[3], 'all', math.max(now, era('all') + 1, era('others') + 1), 'next', due + (math.floor((now - due) / every) + 1) * every)
    begun = true
  end
end
${readLives('KEYS[2]', 'string.sub(KEYS[1], 1, -1 - #ARGV[4])')}local eras = {
  all = era('all'),
  others = era('others'),
  next = every > 0 and era('next') or 0,
  emptied = era('emptied'),
  lost = redis.call('SCARD', KEYS[4])
}
return cjson.encode({born = born, time = t, eras = eras, begun = begun, lives = lives, problem = problem})`

/** Begins an era. KEYS: the eras, the lost sandboxes. ARGV: all, or others. It is later than every one before it. */
const begin = `${evenIfFull('KEYS[1]')}${time}for _, field in ipairs({'all', 'others'}) do
  now = math.max(now, 1 + tonumber(redis.call('HGET', KEYS[1], field) or '0'))
end
redis.call('HSET', KEYS[1], ARGV[1], now)
local isDefaultLost = ARGV[1] == 'others' and redis.call('SISMEMBER', KEYS[2], 'default') == 1
redis.call('DEL', KEYS[2])
if isDefaultLost then redis.call('SADD', KEYS[2], 'default') end
return 1`

/** Records that the engine has lost its data. KEYS: the eras, the lost sandboxes. ARGV: the time to live, their names. */
const lose = `${time}redis.call('HSET', KEYS[1], 'emptied', now)
for at = 2, #ARGV do redis.call('SADD', KEYS[2], ARGV[at]) end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1`

/** Deletes a stream of an earlier era. ARGV: the era. Returns the number of sandboxes in it; -1 if it belongs to the era. */
const sweep = `${last}if last == '' then return 0 end
${own}local era = tonumber(string.match(claim, ' (%d+)$') or '0')
if era >= tonumber(ARGV[1]) then return -1 end
local count = redis.call('XLEN', KEYS[1]) > 1 and 1 or 0
redis.call('DEL', KEYS[1])
return count`

/**
 * Sets the agreed start, unless another one is set and processes use it. KEYS: the start, those of all lives. ARGV: the start,
 * what the keys of lives begin with. Returns the valid one.
 */
const agree = `local now = redis.call('GET', KEYS[1])
if now == ARGV[1] then return now end
${readLives('KEYS[2]', 'ARGV[2]')}if now and #lives > 0 then return now end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]`

export const scripts = { lives, look, claim, append, compact, remove, lease, begin, lose, sweep, agree }
