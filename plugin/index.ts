import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Context } from '@deepseek-ai/cordis'
import type * as core from '../dist/core.js'

export const name = 'jev-memory'
export const inject = ['agents', 'sessions', 'systemPrompt', 'tools', 'llm', 'credentials', 'agentDefaultModel']

/**
 * Loads and instantiates the core synchronously. Both paths resolve from `plugin/` and from `dist/`.
 *
 * @throws when the module is missing or broken, for the caller to stay inert.
 */
export function loadCore(): typeof core {
  const loaded = createRequire(import.meta.url)('../dist/core.js') as typeof core
  loaded.initSync({ module: readFileSync(new URL('../dist/core_bg.wasm', import.meta.url)) })
  return loaded
}

export function apply(_ctx: Context): void {
  try {
    loadCore()
  } catch {
    // Without its core the plugin is inert and the host boots.
  }
}
