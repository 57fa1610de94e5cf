/** Long-term memory for the agents of DeepSeek Harness. This file wires the core to the host's hooks. */
import type { Context } from '@deepseek-ai/cordis'
import type {} from '@deepseek-ai/dsh-agent'
import type {} from '@deepseek-ai/dsh-session'
import type {} from '@deepseek-ai/dsh-system-prompt'
import type {} from '@deepseek-ai/dsh-tools'
import { messageOf } from './calls.ts'
import { registerCommand } from './command.ts'
import { dataDirOf, given, homeOf, keysOf, plain } from './config.ts'
import { CoreHandle } from './core-handle.ts'
import { prepare } from './instance.ts'
import { CONTEXT_NAME, isChild, turnOf, type Session } from './log.ts'
import { explain, hostVersion } from './note.ts'
import { Questions } from './questions.ts'
import { Sessions } from './sessions.ts'
import { registerTools } from './tools.ts'
import { World } from './world.ts'

export * from './errors.ts'
export { Memory, open } from './library.ts'
export type { Decision, DigestProgress, Found, Imported, Item, JudgeReply, JudgeRequest, Message, ScopeDigest, Settings, Time, Vector, WriteResult } from './library.ts'

export const name = 'jev-memory'
/** Services that every supported host has in every profile: one that is missing keeps the host from starting. */
export const inject = ['agents', 'sessions', 'systemPrompt', 'tools', 'llm', 'credentials', 'agentDefaultModel']

/** Any config is accepted: the host refuses to start over a rejected one. The core names what is wrong with it. */
export const Config = {
  '~standard': {
    version: 1,
    vendor: 'dsh-jev-memory',
    validate: (value: unknown): { value: unknown } => ({ value: value ?? {} }),
  },
} as const

/** Behind the host's own parts of the runtime context. */
const CONTEXT_ORDER = 900
/** Without a core nobody reads the config. */
const WRITE_TIMEOUT_MS = 2_500
/** The host leaves five seconds for everything at its end, the last reading of sessions included. */
const CLOSE_MAX_MS = 2_500

export function apply(ctx: Context, config: unknown): void {
  // A throw here keeps the host from starting. What was registered before it goes with the plugin.
  try { mount(ctx, config) } catch (error) { explain(dataDirOf(config), `mounting failed: ${messageOf(error)}`) }
}

function mount(ctx: Context, config: unknown): void {
  const world: World = new World(ctx, homeOf(), keysOf(config), id => sessions.find(id))
  const settings = { config: plain(config), defaultDataDir: dataDirOf(undefined), hostVersion: hostVersion(ctx) }
  const core: CoreHandle = new CoreHandle(settings, () => { sessions.reopen() }, world)
  const sessions = new Sessions(core)
  const questions = new Questions(ctx, core)
  const health = core.use('health', live => live.health())
  explain(health?.dataDir ?? dataDirOf(config), core.fault || (health?.inert ?? ''))
  const writeTimeoutMs = health?.writeTimeoutMs ?? WRITE_TIMEOUT_MS

  /** Runs what no part of the host waits for: a rejection nobody handles would end the host. */
  const detached = (what: string, work: () => Promise<unknown>): void => {
    Promise.resolve().then(work).catch((error: unknown) => { core.note('shim-error', `${what}: ${messageOf(error)}`) })
  }
  /** Runs a listener whose throw the host would take for its own. */
  const contained = (what: string, work: () => void): void => {
    try { work() } catch (error) { core.note('shim-error', `${what}: ${messageOf(error)}`) }
  }

  ctx.systemPrompt.context({
    name: CONTEXT_NAME,
    order: CONTEXT_ORDER,
    text: ({ agent }) => {
      let block = ''
      if (agent) contained('context', () => { block = sessions.block(agent.session) })
      return block
    },
  })
  ctx.on('system-prompt/assemble', (assembly, { agent }, next) => {
    contained('assemble', () => {
      if (agent) sessions.assembled(agent.session, !assembly.contexts.some(part => part.name === CONTEXT_NAME))
    })
    return next()
  })
  ctx.on('agent/pre-step', async ({ agent }, next) => {
    const decision = await next()
    let messages = decision.kind === 'enter' ? decision.messages : undefined
    contained('pre-step', () => {
      const ours = messages && sessions.message(agent.session)
      if (ours) messages = [...messages ?? [], ours]
    })
    return messages ? { ...decision, messages } : decision
  })
  for (const session of ctx.sessions.list()) contained('mount', () => { sessions.see(session) })
  ctx.on('agent/created', ({ agent }) => { contained('created', () => { sessions.see(agent.session) }) })
  ctx.on('agent/disposed', ({ agent }) => { detached('disposed', () => sessions.leave(agent.session)) })
  ctx.on('agent/inbox/claimed', ({ agent, message, turn }) => { contained('claimed', () => { sessions.hear(agent.session, turn, message) }) })
  ctx.on('tools/execute', ({ agent, callId }, next) => {
    contained('execute', () => { if (agent) sessions.refusals.began(String(agent.id), String(callId)) })
    return next()
  })
  ctx.on('tools/result', ({ agent, callId }, { isError, error }) => {
    contained('result', () => { if (agent) sessions.refusals.ended(String(agent.id), String(callId), isError, error?.info !== undefined) })
    return undefined
  })
  // Returning a value here would keep other plugins from being asked, and a throw would fail the turn.
  ctx.on('agent/turn-stopping', async ({ agent, turn, signal }) => {
    try { await sessions.learn(agent.session, turn, AbortSignal.any([signal, AbortSignal.timeout(writeTimeoutMs)]), true) } catch (error) {
      contained('turn-stopping', () => { core.note('shim-error', messageOf(error)) })
    }
    // The turn ends while the card stays open.
    detached('question', () => questions.afterTurn(agent))
  })
  ctx.on('agent/pre-step', async ({ agent, messages, step, signal }, next) => {
    try {
      if (step === 1 && messages.some(({ source }) => source.kind === 'user') && !isChild(agent.session.header)) await questions.beforeStep(agent, signal)
    } catch (error) {
      contained('pre-step', () => { core.note('shim-error', messageOf(error)) })
    }
    return await next()
  })
  const leaving = new AbortController()
  /** Restates what a session's turns left, outside every budget; ended with the plugin. */
  const restate = async (session: Session): Promise<void> => {
    if (isChild(session.header)) return
    try { await core.run('normalise', live => live.normalise(String(session.id)), leaving.signal, 1) } catch (error) {
      if (!leaving.signal.aborted) throw error
    }
  }
  // Turns that were cancelled or failed end without the hook above, some without any event.
  ctx.on('agent/status', ({ agent, status }) => {
    if (status !== 'idle') return
    detached('idle', async () => {
      await sessions.learn(agent.session, turnOf(agent.session), AbortSignal.timeout(writeTimeoutMs), false)
      await core.run('settle', live => live.settle())
      detached('normalise', () => restate(agent.session))
      await questions.afterTurn(agent)
    })
  })
  if (health?.registerTools ?? given(config).registerTools !== false) registerTools(ctx, core, sessions)
  contained('command', () => { registerCommand(ctx, core, sessions, agent => { detached('review', () => questions.review(agent)) }, leaving.signal) })
  ctx.effect(() => async () => {
    try {
      leaving.abort()
      questions.close()
      await sessions.close()
      await core.close(AbortSignal.timeout(CLOSE_MAX_MS))
    } catch { /* The ledger is whole after any crash; there is nobody left to tell. */ }
  }, 'jev-memory')
  if (core.fault === '') {
    detached('settle', () => core.run('settle', live => live.settle()))
    detached('prepare', async () => {
      const damage = await prepare()
      if (damage !== '') explain(health?.dataDir ?? dataDirOf(config), damage)
    })
  }
}
