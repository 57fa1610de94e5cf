/** Instances of the WebAssembly module. One that trapped is never used again: its memory may be in any state. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type * as Module from '../dist/core.js'

export type Instance = typeof Module

// The same paths hold from `plugin/` and from `dist/`.
const GLUE = new URL('../dist/core.js', import.meta.url)
const WASM = new URL('../dist/core_bg.wasm', import.meta.url)
/** Where the module lies, for a message. */
export const MODULE_PATH = fileURLToPath(WASM)

const broken = new WeakSet<Instance>()
let newest: Instance | undefined
let loads = 0

/**
 * Returns an instance without leaving the event loop. Mounts of one process share it.
 *
 * @throws when the module is missing or broken, or the newest instance trapped.
 */
export function loadSync(): Instance {
  const instance = newest ?? createRequire(import.meta.url)(fileURLToPath(GLUE)) as Instance
  if (broken.has(instance)) throw new Error('it trapped, and no fresh one is loaded yet')
  return start(instance)
}

/** Returns a fresh instance of the same bytes. */
export async function loadFresh(): Promise<Instance> {
  // A module is evaluated once per address.
  return start(await import(`${GLUE.href}?instance=${++loads}`) as Instance)
}

export const isBroken = (instance: Instance): boolean => broken.has(instance)

/** Takes an instance out of use and returns what it says of its panic. */
export function condemn(instance: Instance): string {
  broken.add(instance)
  try { return instance.lastPanic() } catch { return '' } // Too broken to say.
}

function start(instance: Instance): Instance {
  instance.initSync({ module: readFileSync(WASM) })
  newest = instance
  return instance
}
