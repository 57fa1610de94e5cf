/** Instances of the WebAssembly module. One that trapped is never used again: its memory may be in any state. */
import { readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip, gunzipSync } from 'node:zlib'
import type * as Module from '../dist/core.js'
import { messageOf } from './calls.ts'

export type Instance = typeof Module

interface Compiled { readonly compiled: unique symbol }
/** What is used of it; the types of Node leave it to those of browsers. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => Compiled
    Instance: new (module: Compiled, imports: object) => object
    compile: (bytes: Uint8Array) => Promise<Compiled>
  }
}

// The same paths hold from `plugin/` and from `dist/`.
const GLUE = new URL('../dist/core.js', import.meta.url)
const WASM = new URL('../dist/core_bg.wasm', import.meta.url)
/** What no session needs before its first block; a quick build has none. */
const REST = new URL('../dist/core_rest.wasm.gz', import.meta.url)
/** Where the module lies, for a message. */
export const MODULE_PATH = fileURLToPath(WASM)

const broken = new WeakSet<Instance>()
let newest: Instance | undefined
let loads = 0
let rest: Compiled | undefined
let isDivided = false

/**
 * Returns an instance without leaving the event loop. Mounts of one process share it.
 *
 * @throws when the module is missing or broken, or the newest instance trapped.
 */
export function loadSync(): Instance {
  if (newest && !broken.has(newest)) return newest
  if (newest) throw new Error('it trapped, and no fresh one is loaded yet')
  const instance = createRequire(import.meta.url)(fileURLToPath(GLUE)) as Instance
  start(instance)
  return instance
}

/** Returns a fresh instance of the same bytes. */
export async function loadFresh(): Promise<Instance> {
  // A module is evaluated once per address.
  const instance = await import(`${GLUE.href}?instance=${++loads}`) as Instance
  start(instance)
  return instance
}

export const isBroken = (instance: Instance): boolean => broken.has(instance)

/** Takes an instance out of use and returns what it says of its panic. */
export function condemn(instance: Instance): string {
  broken.add(instance)
  try { return instance.lastPanic() } catch { return '' } // Too broken to say.
}

/**
 * Starts an instance: its first part at once, the second when it is first called. Returns the raw exports.
 *
 * @throws when one of the two is not there, or the first is broken.
 */
export function start(instance: Instance): object {
  const first: object = instance.initSync({ module: readFileSync(WASM) })
  isDivided = 'rest' in first
  if (isDivided) {
    // Said now, not in the middle of a turn.
    statSync(REST)
    instance.onRest(() => {
      rest ??= new WebAssembly.Module(gunzipSync(readFileSync(REST)))
      new WebAssembly.Instance(rest, { first })
    })
  }
  newest = instance
  return first
}

/** Compiles the second part beside the event loop, for when it is first called. Never rejects; returns what is wrong with it, if anything is. */
export async function prepare(): Promise<string> {
  if (!isDivided) return ''
  try { rest ??= await WebAssembly.compile(await promisify(gunzip)(await readFile(REST))) } catch (error) {
    return `the second part of the core at ${fileURLToPath(REST)} cannot be loaded (${messageOf(error)}); run npm run build, or install the package again`
  }
  return ''
}
