/** `/memory` in the host. What a word means and what is answered is the core's; here a line is passed in and a text out. */
import type { Context } from '@deepseek-ai/cordis'
import type { CommandInvocation, CommandResult } from '@deepseek-ai/dsh-commands'
import type { Agent } from '@deepseek-ai/dsh-agent'
import type { CommandReply, Typed } from '../dist/core.js'
import { messageOf } from './calls.ts'
import { Inert, type CoreHandle } from './core-handle.ts'
import { digest } from './digest.ts'
import type { Sessions } from './sessions.ts'
import { sync } from './sync.ts'

/** Longest wait for an answer: a ledger of many segments is read in a second or two. */
const COMMAND_MAX_MS = 30_000
/** Longest wait for a digest. It goes on behind, and `digest status` says how far it is. */
const DIGEST_MAX_MS = 20_000
/** Longest a sync may take: a first one over a slow line. */
const SYNC_MAX_MS = 300_000
/** Messages of the human that tell their language. */
const HEARD = 3

/** What runs commands: the core, or a test's stand-in. */
export type Commanded = Pick<CoreHandle, 'run'>

/** Registers the command where the host has commands; it goes with the plugin. `review` opens the cards that wait, `leaving` ends what runs behind. */
export function registerCommand(ctx: Context, core: CoreHandle, sessions: Sessions, review: (agent: Agent) => void, leaving: AbortSignal): void {
  const digests = new Digests(core, leaving)
  ctx.inject(['commands'], child => {
    child.commands.register({
      name: 'memory',
      description: 'What is remembered and why · 查看与管理记忆',
      input: { hint: 'list | show <id> | why-not <words> | review | undo <id> | forget <id> | sync [remote] | devices | scope | stats | digest | health' },
      handler: async invocation => await answer(core, sessions, review, digests, invocation),
    })
  })
}

async function answer(core: CoreHandle, sessions: Sessions, review: (agent: Agent) => void, digests: Digests, { agent, rawInput, signal }: CommandInvocation): Promise<CommandResult> {
  try {
    const { session, turn, seq, humans } = sessions.call(agent.session)
    const [, verb = '', words = ''] = /^\s*(\S*)\s*([^]*)$/.exec(rawInput.toWellFormed()) ?? []
    const said = humans.slice(-HEARD).map(({ text }) => text).join('\n')
    const typed: Typed = { verb, words, session, turn, seq, said, locale: localeOf(process.env) }
    const name = verb.toLowerCase()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(name === 'sync' ? SYNC_MAX_MS : COMMAND_MAX_MS)])
    const reply = await (name === 'digest' ? digests.run(typed, limit) : name === 'sync' ? syncFrom(core, typed, limit) : command(core, typed, limit))
    if (reply.ask) review(agent)
    return { kind: reply.ok || reply.exit === 1 ? 'success' : 'error', text: reply.text }
  } catch (error) {
    const message = messageOf(error)
    return { kind: 'error', text: error instanceof Inert ? `dsh-jev-memory is off: ${message}` : `dsh-jev-memory: ${message}` }
  }
}

/** The digest of this mount: one at a time, behind the command that began it. */
class Digests {
  readonly #core: CoreHandle
  readonly #leaving: AbortSignal
  #running: Promise<CommandReply> | undefined

  constructor(core: CoreHandle, leaving: AbortSignal) {
    this.#core = core
    this.#leaving = leaving
  }

  /** Begins a digest, or joins the one that runs, and answers when it ended or after a while with how far it is. */
  async run(typed: Typed, signal: AbortSignal): Promise<CommandReply> {
    const status = async (): Promise<CommandReply> => await command(this.#core, { ...typed, words: 'status' }, signal)
    if (typed.words.trim().toLowerCase() === 'status') return await status()
    this.#running ??= digest(this.#core, typed, this.#leaving).finally(() => { this.#running = undefined })
    const work = this.#running
    work.catch(() => {}) // Nobody may be there any more when the plugin ends it.
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => { resolve(undefined) }, DIGEST_MAX_MS)
    try { return await Promise.race([work, late]) ?? await status() } finally { clearTimeout(timer) }
  }
}

/** `sync REMOTE`, `sync` with the remote used last; `--rewrite` leaves one commit. */
export async function syncFrom(core: CoreHandle, typed: Typed, signal?: AbortSignal): Promise<CommandReply> {
  const words = typed.words.trim().split(/\s+(?=--rewrite$)|^(?=--rewrite$)/)
  const rewrite = typed.options?.rewrite === true || words.includes('--rewrite')
  const [remote = ''] = words.filter(word => word !== '--rewrite')
  const dataDir = core.use('health', live => live.health().dataDir) ?? ''
  return await sync(async options => await command(core, { ...typed, words: '', options }, signal), dataDir, { ...(remote !== '' && { remote }), rewrite, ...(signal && { signal }) })
}

/** Runs what was typed. Rejects where there is no core to answer. */
export async function command(core: Commanded, typed: Typed, signal?: AbortSignal): Promise<CommandReply> {
  const bytes = new TextEncoder().encode(JSON.stringify(typed))
  const reply = await core.run('command', live => live.command(bytes), signal, 1) as CommandReply & { error?: { message: string } }
  if (reply.error) throw new Error(reply.error.message)
  return reply
}

/** The person's locale as the system has it. */
export function localeOf(env: NodeJS.ProcessEnv): string {
  const set = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find(value => value !== undefined && value !== '')
  return set ?? Intl.DateTimeFormat().resolvedOptions().locale
}
