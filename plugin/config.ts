/** The row's config as it crosses to the core, and what the shim keeps of it: the folder, and the key, which never crosses. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The keys the shim must know by itself. */
interface Given { dataDir?: unknown, registerTools?: unknown, jev?: { apiKey?: unknown, apiKeyEnv?: unknown } | null }

/** The name of Jev's key where the config gives none. */
const JEV_KEY = 'TYPESAFE_API_KEY'

/** The config as plain JSON; a path in it is made absolute, and a key is taken out. */
export function plain(config: unknown): unknown {
  try {
    const value = JSON.parse(JSON.stringify(config ?? {})) as unknown
    const { dataDir, jev } = given(value)
    // One that is no text crosses, to be named as a wrong value.
    if (typeof jev?.apiKey === 'string') delete jev.apiKey
    return typeof dataDir === 'string' ? { ...given(value), dataDir: dataDirOf(config) } : value
  } catch { return 'a value that is not JSON' }
}

/** The keys that the config itself holds, by the name they are asked for. */
export function keysOf(config: unknown): Map<string, string> {
  const { apiKey, apiKeyEnv } = given(config).jev ?? {}
  if (typeof apiKey !== 'string') return new Map()
  return new Map([[typeof apiKeyEnv === 'string' && apiKeyEnv !== '' ? apiKeyEnv : JEV_KEY, apiKey]])
}

export const given = (config: unknown): Given => typeof config === 'object' && config !== null ? config : {}

/** The host's home folder, found as the host finds it. */
export const homeOf = (): string => resolve(expanded(process.env.DSH_HOME?.trim() ? process.env.DSH_HOME : join(homedir(), '.dsh')))

/** The data folder: the config's, else the one in the host's home. */
export function dataDirOf(config: unknown): string {
  const { dataDir } = given(config)
  return resolve(homeOf(), typeof dataDir === 'string' && dataDir !== '' ? expanded(dataDir) : 'jev-memory')
}

const expanded = (path: string): string => /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path
