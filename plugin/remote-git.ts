/**
 * A git remote: one branch, files that are only added, each push on top of what was fetched, so there is nothing to merge.
 *
 * Plain `git` does it in a repository of its own that is gone afterwards: what is forgotten is not kept in a copy.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { codeOf } from './calls.ts'
import { FILE_MAX_BYTES, FILES_MAX, isUrl, Problem, runs, type File, type Remote } from './remote.ts'

const BRANCH = 'refs/heads/dsh-jev-memory'
/** Longest wait for one command of git. */
const TIMEOUT_MS = 120_000
const OUTPUT_MAX_BYTES = 512 << 20
const WHO = 'dsh-jev-memory'

/** Repositories of syncs that were killed are removed by the next one, after this long. */
const LEFT_MS = 3_600_000

interface Blob { oid: string, size: number }
interface Done { code: number, out: Buffer, err: string }

const PREFIX = 'dsh-jev-memory-'

/** Removes what syncs that were killed left behind. */
function sweep(): void {
  try {
    for (const name of readdirSync(tmpdir()).filter(name => name.startsWith(PREFIX))) {
      const path = join(tmpdir(), name)
      if (Date.now() - statSync(path).mtimeMs > LEFT_MS) rmSync(path, { recursive: true, force: true })
    }
  } catch { /* Somebody else's, or gone. */ }
}

export class GitRemote implements Remote {
  sent = 0
  rewritten = 0
  readonly #address: string
  readonly #folder: string
  readonly #signal: AbortSignal | undefined
  #tip: string | undefined
  readonly #blobs = new Map<string, Blob>()
  readonly #put = new Map<string, string>()

  private constructor(address: string, folder: string, signal: AbortSignal | undefined) {
    this.#address = address
    this.#folder = folder
    this.#signal = signal
  }

  /** Fetches what the remote holds now. */
  static async open(address: string, signal: AbortSignal | undefined): Promise<GitRemote> {
    // A path is seen from where it was typed, not from the repository below.
    const path = isUrl(address) ? address : resolve(address)
    sweep()
    const remote = new GitRemote(path, mkdtempSync(join(tmpdir(), PREFIX)), signal)
    try { await remote.#fetch() } catch (error) {
      await remote.close()
      throw error
    }
    return remote
  }

  async #fetch(): Promise<void> {
    await this.#must(['init', '--quiet', '--bare', '.'])
    const { out } = await this.#reach(['ls-remote', '--', this.#address, BRANCH])
    const [tip] = out.toString().split(/\s/)
    if (tip === undefined || tip === '') return
    await this.#reach(['fetch', '--quiet', '--no-tags', '--depth=1', '--', this.#address, `+${BRANCH}:refs/tip`])
    this.#tip = (await this.#must(['rev-parse', 'refs/tip'])).out.toString().trim()
    const listed = (await this.#must(['ls-tree', '-r', '-z', '-l', 'refs/tip'])).out.toString()
    for (const line of listed.split('\0').slice(0, FILES_MAX)) {
      // Regular files alone: a link in a tree may lead anywhere.
      const [, oid, size, name] = /^100644 blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(line) ?? []
      if (oid !== undefined && name !== undefined) this.#blobs.set(name, { oid, size: Number(size) })
    }
  }

  list(): Promise<Map<string, string>> {
    return Promise.resolve(new Map([...this.#blobs].map(([name, { oid }]) => [name, oid])))
  }

  async* read(names: readonly string[], bytes: number): AsyncGenerator<File[]> {
    const blobs = names.flatMap(name => {
      const blob = this.#blobs.get(name)
      return blob && blob.size <= FILE_MAX_BYTES ? [{ name, ...blob }] : []
    })
    for (const run of runs(blobs, ({ size }) => size, bytes)) {
      const { out } = await this.#must(['cat-file', '--batch'], run.map(({ oid }) => `${oid}\n`).join(''))
      const files: File[] = []
      let at = 0
      for (const { name } of run) {
        const end = out.indexOf(10, at)
        const size = Number(out.toString('latin1', at, end).split(' ')[2])
        if (end < 0 || !Number.isInteger(size)) break
        files.push({ name, content: out.toString('utf8', end + 1, end + 1 + size) })
        at = end + 1 + size + 1
      }
      yield files
    }
  }

  async put(files: readonly File[], again: boolean): Promise<void> {
    for (const { name, content } of files) {
      const { out } = await this.#must(['hash-object', '-w', '--stdin'], content)
      this.#put.set(name, out.toString().trim())
      if (again) this.rewritten++; else this.sent++
    }
  }

  async publish(rewrite: boolean): Promise<void> {
    if (this.#put.size === 0 && !(rewrite && this.#tip !== undefined)) return
    if (this.#tip !== undefined) await this.#must(['read-tree', this.#tip])
    await this.#must(['update-index', '--add', '--index-info'], [...this.#put].map(([name, oid]) => `100644 ${oid}\t${name}\n`).join(''))
    const tree = (await this.#must(['write-tree'])).out.toString().trim()
    const parent = this.#tip === undefined || rewrite ? [] : ['-p', this.#tip]
    const commit = (await this.#must(['commit-tree', tree, ...parent, '-m', 'Sync a memory'])).out.toString().trim()
    const force = rewrite && this.#tip !== undefined ? [`--force-with-lease=${BRANCH}:${this.#tip}`] : []
    await this.#reach(['push', '--quiet', ...force, '--', this.#address, `${commit}:${BRANCH}`])
  }

  written(): Record<string, string> { return Object.fromEntries(this.#put) }

  close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
    return Promise.resolve()
  }

  /** Runs a command that talks to the remote; what it says becomes one of the known problems. */
  async #reach(args: string[]): Promise<Done> {
    const done = await this.#git(args)
    if (done.code === 0) return done
    const said = done.err.split('\n').map(line => line.trim()).filter(line => line !== '')
    const line = said.find(one => /^(?:fatal|error|remote|!)/i.test(one)) ?? said[0] ?? `git ended with ${done.code}`
    const detail = line.replaceAll(this.#address, '…').replace(/\/\/[^/@\s]*@/g, '//…@').slice(0, 200)
    if (/\[rejected\]|fetch first|non-fast-forward|stale info|cannot lock ref|failed to lock|incorrect old value|reference already exists/i.test(done.err)) throw new Problem('busy', '', detail)
    if (/\[remote rejected\]|hook declined|authentication|permission denied|could not read (?:username|password)|terminal prompts disabled|access denied|403|401/i.test(done.err)) throw new Problem('auth', '', detail)
    throw new Problem('unreachable', '', detail)
  }

  async #must(args: string[], input?: string): Promise<Done> {
    const done = await this.#git(args, input)
    if (done.code !== 0) throw new Problem('unreachable', '', `git ${args[0] ?? ''}: ${done.err.split('\n', 1)[0] ?? ''}`.slice(0, 200))
    return done
  }

  /** Runs git: no shell, no question, no hook, no other repository than the one here. */
  async #git(args: string[], input?: string): Promise<Done> {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_SSH')))
    Object.assign(env, {
      GIT_DIR: this.#folder, GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS: '', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh', LC_ALL: 'C',
      GIT_AUTHOR_NAME: WHO, GIT_AUTHOR_EMAIL: WHO, GIT_COMMITTER_NAME: WHO, GIT_COMMITTER_EMAIL: WHO,
    })
    env.GIT_SSH_COMMAND ??= 'ssh -o BatchMode=yes'
    const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', '-c', 'commit.gpgSign=false']
    const child = spawn('git', [...settings, ...args], { cwd: this.#folder, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
    const late = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...this.#signal ? [this.#signal] : []])
    const end = (): void => { child.kill('SIGKILL') }
    late.addEventListener('abort', end, { once: true })
    const out: Buffer[] = []
    let length = 0
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => { length += chunk.length; if (length <= OUTPUT_MAX_BYTES) out.push(chunk); else end() })
    child.stderr.on('data', (chunk: Buffer) => { if (err.length < 8_192) err += chunk.toString() })
    child.stdin.on('error', () => {}) // It may end before it read everything.
    child.stdin.end(input ?? '')
    try {
      const code = await new Promise<number>((done, fail) => {
        child.once('error', fail)
        child.once('close', status => { done(status ?? -1) })
      })
      if (late.aborted) throw new Problem('timeout', '', `git ${args[0] ?? ''}`)
      return { code, out: Buffer.concat(out), err }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new Problem('no-git', '', '')
      throw error
    } finally { late.removeEventListener('abort', end) }
  }
}
