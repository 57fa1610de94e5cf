// Running programs from the scripts of this folder. Everything here runs on Node 20, before set-up has brought a newer one.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The top folder of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** What the person at the terminal has to know; shown without a stack. */
export class Failure extends Error {}

/**
 * Runs `body` as the whole program: a `Failure` ends it with its message, any other error with its stack.
 * @param {string} name
 * @param {() => Promise<void> | void} body
 */
export async function program(name, body) {
  try {
    await body()
  } catch (error) {
    console.error(error instanceof Failure ? `${name}: ${error.message}` : error)
    process.exitCode = 1
  }
}

/**
 * Runs a program to its end without showing what it prints, unless it fails.
 * @param {string} what the step in a person's words, for the message of a failure
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, hint?: string }} [options]
 */
export function quietly(what, file, args, options = {}) {
  const done = spawnSync(file, args, { cwd: root, encoding: 'utf8', env: options.env, maxBuffer: 1 << 28 })
  if (done.status === 0) return done.stdout
  const printed = `${done.stdout ?? ''}${done.stderr ?? ''}`.trimEnd().split('\n').slice(-40).join('\n')
  const why = done.error?.message ?? `exit ${done.status ?? done.signal}`
  throw new Failure([`${what} failed (${why})`, printed, options.hint].filter(Boolean).join('\n'))
}

/**
 * Returns what a program prints, or nothing when it is missing or fails.
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function answer(file, args, env) {
  const done = spawnSync(file, args, { cwd: root, encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] })
  return done.status === 0 ? done.stdout.trim() : undefined
}

/**
 * Runs a program, shows what it prints as it comes, and returns its exit code with the text of its standard output.
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<{ code: number, text: string }>}
 */
export function shown(file, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
    /** @type {Buffer[]} */
    const chunks = []
    child.stdout.on('data', chunk => {
      chunks.push(chunk)
      process.stdout.write(chunk)
    })
    child.on('error', reject)
    child.on('close', code => resolve({ code: code ?? 1, text: Buffer.concat(chunks).toString() }))
  })
}

/**
 * Lists the files under the given files and folders, relative to the top folder, sorted.
 * @param {string[]} paths
 * @returns {string[]}
 */
export function filesUnder(paths) {
  return paths.flatMap(path => {
    const full = join(root, path)
    const stat = statSync(full, { throwIfNoEntry: false })
    if (stat === undefined) return []
    if (stat.isFile()) return [relative(root, full)]
    return filesUnder(readdirSync(full).sort().map(name => join(path, name)))
  })
}

/**
 * Returns the SHA-256 of the given files, their names, and any further text the result depends on.
 * @param {string[]} paths
 * @param {string[]} [more]
 */
export function digest(paths, more = []) {
  const hash = createHash('sha256')
  for (const path of filesUnder(paths)) hash.update(`${path}\0`).update(readFileSync(join(root, path))).update('\0')
  for (const text of more) hash.update(`${text}\0`)
  return hash.digest('hex')
}

/** @param {string} what @param {() => void} body */
export function timed(what, body) {
  const start = performance.now()
  console.log(what)
  body()
  const seconds = (performance.now() - start) / 1000
  if (seconds > 1) console.log(`  done in ${seconds.toFixed(1)} s`)
}
