/**
 * One memory on several machines: files are carried to and from a remote. What they say, which are sent and what is taken
 * in is the core's; here they are listed, read and written.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CommandReply, Typed } from '../dist/core.js'
import { messageOf } from './calls.ts'
import { FolderRemote } from './remote-folder.ts'
import { GitRemote } from './remote-git.ts'
import { isKept, isUrl, kindOf, Problem, type File, type Remote } from './remote.ts'

/** How often a push is tried that another device's came before. */
const ATTEMPTS = 8
/** Text handed to the core at once. */
const BATCH_BYTES = 16 << 20
/** What is remembered of a remote, beside the memory. It names files, and no word of any. */
const REMEMBERED = 'remote.json'

export interface SyncOptions { remote?: string, rewrite?: boolean, signal?: AbortSignal }
/** Asks the core: the verb is `sync`, the options say which step. */
export type Ask = (options: NonNullable<Typed['options']>) => Promise<CommandReply>

/** The remote that was used last, the files of it that were seen whole, and how much was forgotten when they were looked at. */
interface Known { remote?: string, seen: Record<string, string>, forgotten: number }

interface Counts { taken: number, changed: number, sent: number, forgotten: number, held: number, refused: number, rewritten: number }
interface Told { code: string, what: string, detail: string }

/** Brings a memory and a remote up to date with each other. Never throws for what a remote is or holds. */
export async function sync(ask: Ask, dataDir: string, options: SyncOptions): Promise<CommandReply> {
  const known = remembered(dataDir)
  const given = options.remote?.trim() ?? known.remote ?? ''
  // A folder is remembered from the root on: the next call may come from elsewhere.
  const address = given === '' || given.startsWith('-') || isUrl(given) || /^\w[\w+.-]*:/.test(given) ? given : resolve(given.replace(/^~(?=\/|$)/, homedir()))
  if (address === '') return await ask({})
  const isNew = known.remote !== address
  if (isNew) Object.assign(known, { remote: address, seen: {}, forgotten: -1 })
  const counts: Counts = { taken: 0, changed: 0, sent: 0, forgotten: 0, held: 0, refused: 0, rewritten: 0 }
  const problems: Told[] = []
  const tell = async (more: object): Promise<CommandReply> => await ask({ step: 'tell', ...counts, problems, ...more })
  let remote: Remote | undefined
  try {
    const kind = kindOf(address)
    for (let attempt = 1; ; attempt++) {
      await remote?.close()
      remote = undefined
      remote = kind === 'git' ? await GitRemote.open(address, options.signal) : FolderRemote.open(address, Object.keys(known.seen).length > 0)
      const refused = await exchange(ask, remote, known, counts, problems, options.rewrite === true)
      if (refused) return refused
      try {
        await remote.publish(options.rewrite === true)
        break
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'busy' || attempt >= ATTEMPTS) throw error
        // Another device was first: what it sent is read before ours is tried again.
        await new Promise(done => setTimeout(done, 50 * attempt * (1 + Math.random())))
      }
    }
    Object.assign(known.seen, remote.written())
    counts.sent = remote.sent
    counts.rewritten = remote.rewritten
    const reply = await tell({ history: kind === 'git' && remote.rewritten > 0 && options.rewrite !== true })
    known.forgotten = Number(reply.data.tombstones ?? known.forgotten)
    remember(dataDir, known)
    return worst(reply, problems)
  } catch (error) {
    const { code, what, detail } = error instanceof Problem ? error : new Problem('not-written', address, messageOf(error))
    problems.push({ code, what, detail })
    // What was taken in stays, and so does what was seen whole; nothing was lost on the way.
    // A remote that never worked is not remembered in the place of one that did.
    if (!isNew) remember(dataDir, { ...known, forgotten: -1 })
    return { ...await tell({ failed: 'yes' }), ok: false, code, exit: code === 'bad-remote' ? 2 : 1 }
  } finally {
    await remote?.close()
  }
}

/** Reads what is new, and puts what the remote lacks on its way. Returns a reply only where the memory itself refused. */
async function exchange(ask: Ask, remote: Remote, known: Known, counts: Counts, problems: Told[], all: boolean): Promise<CommandReply | undefined> {
  const there = await remote.list()
  const named = await ask({ step: 'names', names: [...there.keys()] })
  if (!named.ok) return named
  const { known: ours, other } = named.data as { known: string[], other: string[] }
  for (const name of other) note(problems, 'unknown-file', name)
  for (const name of Object.keys(known.seen)) if (!there.has(name)) Reflect.deleteProperty(known.seen, name)
  const stale = ours.filter(name => known.seen[name] !== there.get(name)).sort()
  const apart: string[] = []
  for await (const files of remote.read(stale, BATCH_BYTES)) {
    const reply = await ask({ step: 'take', contents: files.map(({ content }) => content) })
    if (!reply.ok) return reply
    const data = reply.data as { files: string[], new: number, changed: number, forgot: string[], held: string[], refused: unknown[], gaps: string[], forked: string[] }
    counts.taken += data.new
    counts.changed += data.changed
    counts.forgotten += data.forgot.length
    counts.held += data.held.length
    counts.refused += data.refused.length
    for (const [at, { name }] of files.entries()) {
      const code = data.files[at] ?? 'damaged'
      if (code !== 'whole') note(problems, code, name)
      else if (data.gaps.some(origin => name.startsWith(`${origin}/`))) note(problems, 'log-gap', name)
      else if (data.forked.some(origin => name.startsWith(`${origin}/`))) {
        // Somebody's only copy of what stands in it: never written over, read again the next time, and said again.
        note(problems, 'forked', name.split('/')[0] ?? name)
        apart.push(name)
      }
      else known.seen[name] = there.get(name) ?? ''
    }
    for (const origin of data.forked) note(problems, 'forked', origin)
  }
  const whole = ours.filter(name => known.seen[name] === there.get(name))
  const now = await ask({ step: 'names', names: [] })
  // Where something was forgotten since these were looked at, each is compared with what it would hold now; else only what came
  // back or changed is, which may hold what was forgotten long ago, and what is cut off or damaged and can be made whole.
  const suspects = now.data.forgotten === 0 ? stale.filter(name => known.seen[name] !== there.get(name)) : stale
  const again = all || now.data.forgotten !== known.forgotten && now.data.forgotten !== 0 ? ours : suspects
  for await (const files of remote.read(again, BATCH_BYTES)) {
    const reply = await ask({ step: 'again', names: files.map(({ name }) => name), contents: files.map(({ content }) => content) })
    if (!reply.ok) return reply
    const before = new Map(files.map(({ name, content }) => [name, content]))
    const changed = (reply.data.files as File[]).filter(({ name, content }) => before.get(name) !== content)
    await remote.put(changed, true)
  }
  const send = await ask({ step: 'send', names: [...whole, ...apart] })
  if (!send.ok) return send
  await remote.put(send.data.files as File[], false)
  return undefined
}

function note(problems: Told[], code: string, what: string): void {
  if (!problems.some(known => known.code === code && known.what === what)) problems.push({ code, what, detail: '' })
}

/** A file that nobody knows is no fault; anything that kept entries away is. */
function worst(reply: CommandReply, problems: Told[]): CommandReply {
  const found = problems.find(({ code }) => code !== 'unknown-file')
  return found ? { ...reply, code: found.code, exit: 1 } : reply
}

function remembered(dataDir: string): Known {
  try {
    const { remote, seen, forgotten } = JSON.parse(readFileSync(join(dataDir, REMEMBERED), 'utf8')) as Partial<Known>
    const files = Object.entries(seen ?? {}).filter(([, stamp]) => typeof stamp === 'string')
    return { ...(typeof remote === 'string' && { remote }), seen: Object.fromEntries(files), forgotten: Number(forgotten ?? -1) }
  } catch { return { seen: {}, forgotten: -1 } }
}

function remember(dataDir: string, known: Known): void {
  const { remote, ...rest } = known
  const kept = remote !== undefined && isKept(remote) ? { remote, ...rest } : { seen: {}, forgotten: -1 }
  const path = join(dataDir, REMEMBERED)
  try {
    writeFileSync(`${path}.${process.pid}.tmp`, JSON.stringify(kept), { mode: 0o600 })
    renameSync(`${path}.${process.pid}.tmp`, path)
  } catch { /* The next sync reads more than it must. */ }
}
