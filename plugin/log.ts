/** The host's session log in any supported host version: its shapes, who speaks in it, and what of ours stands in it. */
import { randomUUID } from 'node:crypto'
import type { UserMessage } from '@deepseek-ai/dsh-llm'
import type { Session as SessionValue } from '../dist/core.js'

/** The name of our part of the host's runtime context. */
export const CONTEXT_NAME = 'jev-memory:recall'

/** What is read of a content block, a message and an event. */
export interface Block { type?: string, text?: string, toolCallId?: string, content?: Block[], isError?: boolean }
interface Source {
  kind?: string, plugin?: string, form?: string, rpcId?: unknown, clientTimeZone?: unknown, callId?: string
  sections?: readonly { name?: string, text?: string }[], baseline?: boolean
}
export interface Message { role?: string, content?: Block[] | string, source?: Source, toolCallId?: string, isError?: boolean }
export interface Data extends Message {
  turn?: number, id?: string, callId?: string, subCallId?: string, name?: string, toolName?: string, outcome?: string,
  arguments?: unknown, message?: Message, error?: { code?: string }
}
export interface LogEvent { type: string, seq: number, time: number, data: unknown }
export interface Header { cwd?: string, origin?: string, delegationDepth?: number, parentSession?: string, seedLength?: number }
export interface Session {
  id: string, header: Header, firstLiveSeq?: number, seq?: number,
  events?: readonly LogEvent[], snapshotEvents?: () => readonly LogEvent[]
  /** What the model is shown: the log without what a compaction took away. */
  deriveMessages?: () => readonly Message[]
  /** What the session's next request is made with. */
  requestHeader?(): { config?: { provider?: string, model?: string } } | undefined
}

/** UTF-16 units of one human text that cross to the core. What is longer loses its end. */
export const TEXT_MAX = 1 << 20

export const eventsOf = (session: Session): readonly LogEvent[] => session.events ?? session.snapshotEvents?.() ?? []
export const dataOf = (event: LogEvent | undefined): Data => event?.data ?? {}
export const nextSeqOf = (session: Session): number => session.seq ?? (eventsOf(session).at(-1)?.seq ?? -1) + 1

export const isChild = (header: Header): boolean => header.origin === 'subagent' || (header.delegationDepth ?? 0) > 0

// A parent's instruction to a child has the same source as a human's message; only a human's carries the client's call id.
export const isHuman = (header: Header, source: Source | undefined): boolean =>
  source?.kind === 'user' && (!isChild(header) || source.rpcId !== undefined)

export const sessionValue = (session: Session): SessionValue =>
  ({ id: String(session.id), cwd: (session.header.cwd ?? '').toWellFormed(), child: isChild(session.header) })

/** The text blocks of a message, one a line. */
export function textOf(content: Block[] | string | undefined): string {
  if (typeof content === 'string') return content
  return (content ?? []).filter(block => block.type === 'text').map(block => block.text ?? '').join('\n')
}

/** The beginning of a text, well-formed. */
export const head = (text: string, max: number): string => (text.length > max ? text.slice(0, max) : text).toWellFormed()

/** What steers recall: the words of a human, or of a parent agent. */
export const queryOf = (message: Message): string | undefined =>
  message.source?.kind === 'user' ? head(textOf(message.content), TEXT_MAX) : undefined

/** What the host gave the model of hand-written instructions since it last gave them whole, in events from `from` on. */
export function instructionsIn(log: readonly LogEvent[], from: number, before: string): string {
  let text = before
  for (const event of log.slice(from)) {
    const { source, content } = event.type === 'user/message' ? dataOf(event) : {}
    if (source?.kind !== 'agent-instructions') continue
    text = `${source.baseline === true ? '' : text}${textOf(content)}\n`.slice(-TEXT_MAX)
  }
  return text.toWellFormed()
}

/** The number of the turn that is open before `index` of a log, or of its last one. */
export function turnIn(log: readonly LogEvent[], index = log.length): number {
  for (let at = index - 1; at >= 0; at--) if (log[at]?.type === 'turn/start') return dataOf(log[at]).turn ?? 0
  return 0
}

export const turnOf = (session: Session): number => turnIn(eventsOf(session))

/** Our text in the newest runtime context that the session's log shows, or an empty text. */
export function lastBlock(session: Session): string {
  const shown = eventsOf(session).findLast(event => event.type === 'user/message' && dataOf(event).source?.sections)
  return dataOf(shown).source?.sections?.find(({ name }) => name === CONTEXT_NAME)?.text ?? ''
}

/** Who a message of ours is from, where a preset shows no runtime context. */
const ORIGIN = { kind: 'plugin', plugin: 'dsh-jev-memory', form: 'recall' } as const

/** The newest message of ours that the model still sees, or an empty text. */
export function lastMessage(session: Session): string {
  const seen = session.deriveMessages?.() ?? eventsOf(session).filter(({ type }) => type === 'user/message').map(event => dataOf(event))
  return textOf(seen.findLast(({ source }) => source?.plugin === ORIGIN.plugin && source.form === ORIGIN.form)?.content)
}

/** A message that stands in the log as ours. */
export const messageOfOurs = (text: string): UserMessage =>
  ({ id: randomUUID() as unknown as UserMessage['id'], role: 'user', content: [{ type: 'text', text }], source: ORIGIN })
