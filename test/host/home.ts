/**
 * A host home of our own in a temporary folder, and the host's processes started in it.
 *
 * Processes are started from `process.execPath` with the host's own entry file, never through a package manager's shim:
 * a shim does not pass signals on, and it exports `NODE_PATH`, which hides missing modules.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, existsSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const REPOSITORY = realpathSync(fileURLToPath(new URL('../../', import.meta.url)))
const HOST_BIN = fileURLToPath(new URL('./node_modules/@deepseek-ai/dsh/lib/bin.js', import.meta.url))

/** One line of the ledger, as read from disk. */
export type Row = Record<string, unknown> & { kind: string }

/** A row of a patch layer. */
export interface PatchRow { id: string, name: string, config?: unknown }

/** Anything a test gives to be undone at its end. `TestContext` of `node:test` is one. */
export interface Scope { after(undo: () => unknown): void }

export interface Ended { code: number | null, signal: string | null, stdout: string, stderr: string }

/** Settles like `promise`, or rejects after `limitMs`. */
export async function within<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => { reject(new Error(`no ${what} within ${limitMs} ms`)) }, limitMs)
  try { return await Promise.race([promise, late]) } finally { clearTimeout(timer) }
}

/** Polls `ready` until it gives a value that is neither undefined nor false. */
export async function eventually<T>(ready: () => T | undefined | false, limitMs: number, what: string): Promise<T> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const value = ready()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`no ${what} within ${limitMs} ms`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const undone = new WeakMap<Scope, (() => unknown)[]>()

/** Undoes a step at the end of its scope, the last one first: a host ends before its folder goes. */
export function atEnd(scope: Scope, undo: () => unknown): void {
  const steps = undone.get(scope) ?? []
  if (!undone.has(scope)) {
    undone.set(scope, steps)
    scope.after(async () => { for (let step = steps.pop(); step; step = steps.pop()) await step() })
  }
  steps.push(undo)
}

/** Makes a temporary folder that goes away with the scope. */
export function scratch(scope: Scope): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jev-test-')))
  atEnd(scope, () => { rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) })
  return folder
}

export class Home {
  /** The host's `DSH_HOME`. */
  readonly dsh: string
  readonly #root: string
  readonly #modelUrl: string

  constructor(scope: Scope, model: { url: string }) {
    this.#root = scratch(scope)
    this.#modelUrl = model.url
    this.dsh = join(this.#root, 'home')
    mkdirSync(this.dsh)
  }

  /** Where the plugin keeps its data by default. */
  get dataDir(): string { return join(this.dsh, 'jev-memory') }

  /** Makes an empty workspace folder. */
  workspace(name = 'project'): string {
    const folder = join(this.#root, name)
    mkdirSync(folder, { recursive: true })
    return folder
  }

  /** Replaces a profile's own patch layer. JSON is YAML, so no writer for that is needed. */
  patch(profile: string, rows: PatchRow[]): void {
    const folder = join(this.dsh, 'profiles', profile)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'cordis.patch.yml'), JSON.stringify(rows.length === 0 ? [] : [{ insert: rows }], null, 2))
  }

  /** Rows of every ledger segment in the data folder, oldest first. */
  ledger(dataDir = this.dataDir): Row[] {
    if (!existsSync(dataDir)) return []
    const segments = readdirSync(dataDir).filter(name => /^ledger.*\.jsonl$/.test(name)).sort()
    const lines = segments.flatMap(name => readFileSync(join(dataDir, name), 'utf8').split('\n'))
    return lines.filter(line => line.trim() !== '').map(line => JSON.parse(line) as Row)
  }

  /** Files under a folder whose bytes hold a text. */
  grep(text: string, folder = this.dsh): string[] {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    return files.map(entry => join(entry.parentPath, entry.name)).filter(path => readFileSync(path).includes(text))
  }

  /** Starts the host and leaves it running. */
  spawn(args: string[], options: { cwd: string, env?: Record<string, string> }): ChildProcess {
    return spawn(process.execPath, [HOST_BIN, ...args], {
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: [packageManager(this.#root), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
        HOME: this.#root,
        LANG: 'C.UTF-8',
        DSH_HOME: this.dsh,
        DSH_TELEMETRY_DISABLED: '1',
        DEEPSEEK_BASE_URL: this.#modelUrl,
        DEEPSEEK_API_KEY: 'loopback',
        ...options.env,
      },
    })
  }

  /** Runs the host to its end. */
  async run(args: string[], options: { cwd: string, env?: Record<string, string>, limitMs?: number }): Promise<Ended> {
    const child = this.spawn(args, options)
    const ended = watch(child)
    try { return await within(ended, options.limitMs ?? 60_000, `end of dsh ${args.join(' ')}`) } finally { child.kill('SIGKILL') }
  }
}

/** Collects what a process prints until it ends. `onText` sees standard output so far. */
export function watch(child: ChildProcess, onText?: (stdout: string) => void): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => { stdout += text; onText?.(stdout) })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { stderr += text })
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code, signal) => { done({ code, signal, stdout, stderr }) })
  })
}

/** Folder with a `pnpm` program for `dsh plugin`, which looks for it on PATH. */
function packageManager(root: string): string {
  const folder = join(root, 'bin')
  const entry = join(REPOSITORY, 'node_modules/pnpm/bin/pnpm.cjs')
  if (existsSync(entry) && !existsSync(folder)) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'pnpm'), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, { mode: 0o755 })
  }
  return folder
}
