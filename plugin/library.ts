/** The memory as a library: the same store and core as the plugin's, without a host around it. No rule about memory is here. */
import { resolve } from 'node:path'
import type { Job, LibraryCore } from '../dist/core.js'
import { messageOf, perform } from './calls.ts'
import { Credentials } from './credentials.ts'
import { scopeByScope } from './digest.ts'
import { drive, driveSync, Ended } from './drive.ts'
import { errorOf, InputError, MemoryError, SettingsError, StorageError, type Refusal } from './errors.ts'
import { NodeFiles } from './files.ts'
import { Host } from './host.ts'
import { coded, send } from './http.ts'
import { condemn, isBroken, loadFresh, loadSync, MODULE_PATH, type Instance } from './instance.ts'
import type { Answering, Question } from './world.ts'

/** One request of a judge, as Jev is sent it: answer every question with one of its options. */
export interface JudgeRequest {
  model: string
  state: unknown
  questions: Record<string, { type: 'choice', instructions: unknown, criteria: Record<string, string> }>
}
export interface JudgeReply {
  model?: string
  answers: Record<string, { type: 'choice', choice: string, confidence?: number, probabilities?: Record<string, number> }>
}

/** Flat and strict: an unknown, removed or nested key is a `SettingsError` that names it. */
export interface Settings {
  /** Where the memory lies. */
  dataDir: string
  /** Asked in place of Jev. */
  judge?: (request: JudgeRequest, signal?: AbortSignal) => Promise<JudgeReply> | JudgeReply
  /** Takes statements out of a source. Without it they are the person's own sentences. */
  llm?: (request: { system: string, prompt: string, maxTokens: number }, signal?: AbortSignal) => Promise<string> | string
  /** One vector for each text. Without it texts are compared by their words. */
  embed?: (texts: string[], signal?: AbortSignal) => Promise<number[][]> | number[][]
  /** Jev's key; else it is looked up as `jevApiKeyEnv`. It stays out of the core and out of the folder. */
  jevApiKey?: string
  embeddingApiKey?: string
  extract?: 'verbatim' | 'model'
  /** `dual`: what is added is registered for `digest`. */
  mode?: 'system1' | 'dual'
  system2ClusterDistance?: number
  system2RefineDistance?: number
  system2LexicalClusterDistance?: number
  system2LexicalRefineDistance?: number
  system2MinClusterSize?: number
  system2MinSources?: number
  system2CrossDomainMinBasics?: number
  system2HeadLimit?: number
  /** Schemas of a search's result; 0: none. */
  derivedContextLimit?: number
  /** Whether a search's result holds the catalogue. */
  catalogContextEnabled?: boolean
  reconcileCandidateLimit?: number
  reconcileRelationThreshold?: number
  reconcileLexicalThreshold?: number
  reconcileReviewConfidence?: number
  reconcileBatchSize?: number
  jevMaxQuestionChars?: number
  requestOutcomeTtlSeconds?: number
  persistHistory?: boolean
  embeddings?: boolean
  jevEndpoint?: string
  jevApiKeyEnv?: string
  jevModel?: string
  jevTimeoutMs?: number
  jevRetries?: number
  embeddingEndpoint?: string
  embeddingApiKeyEnv?: string
  embeddingModel?: string
  embeddingDimensions?: number
  embeddingTimeoutMs?: number
  llmTimeoutMs?: number
}

export interface Message { role: string, content: unknown, tool_calls?: unknown }
/** A time: a `Date`, milliseconds since the epoch, or a day like `2026-02-15`. */
export type Time = Date | number | string

export interface Item {
  id: string, text: string, scope: string, layer: string, kind: string, status: string, isLatest: boolean, revision: number, by: string
  /** When it was said, milliseconds since the epoch, and its day of UTC. */
  at: number, date: string, createdAt: number
  sourceIds: string[], supersedes: string[], supersededBy: string[], conflictsWith: string[], aliases?: string[]
  quote?: string, validFrom?: number, validUntil?: number, temporalScope?: string
  /** Of a `kind: 'procedure'`. */
  procedure?: Procedure
  previous?: Item[], conflicts?: Item[], score?: number
  /** Of what a digest derived: whether all it rests on (`sourceIds`) is as it was; its domain, or the behaviour behind it. */
  fresh?: boolean, domain?: string, behaviour?: string
}
/** How a task was done, in a model's words. */
export interface Procedure {
  task: string, searchKeys?: string[], solution: string
  /** What has to be so for it to work, and how far it holds. */
  boundaryEnvs?: string[], boundaryScope: 'strict' | 'project' | 'user' | 'global', confidence: number
  /** Paths out of the arguments of the tools that were called. */
  files?: string[]
  /** Where it was done, as `add` was told. */
  workspace?: string, branch?: string, session?: string
}
export interface Decision {
  /** Whether it is about a statement or a procedure. */
  path: 'chat' | 'procedure'
  action: 'ADD' | 'SKIP' | 'RAW_ONLY' | 'DELETE' | 'INVALID'
  updateType?: 'OVERRIDE' | 'SUPPLEMENT' | 'NEGATE' | 'CONFLICT' | 'TEMPORAL' | 'HISTORICAL'
  targets: string[], proposalIds: string[], sourceIds: string[]
  /** Absent when no judge was asked. */
  confidence?: number
}
export interface WriteResult {
  status: 'committed' | 'known' | 'raw_only' | 'partial', scene: 'chat' | 'coding', sourceIds: string[]
  /** New procedures, and everything new: statements, then procedures. */
  procedureIds: string[], extraNodeIds: string[]
  decisions: Decision[]
  /** Of coding: the way that came to nothing while the other was committed, and the code of its error. */
  failed?: { path: 'chat' | 'procedure', code: string }
}
/** Scores are compared inside one list only. */
export interface Found {
  memories: Item[], raw: Item[], procedures: Item[]
  /** Schemas, as far as `derivedContextLimit` lets them in. */
  derived: Item[]
  /** What somebody who talks to this person should know first: facts in their own words, by domain. */
  catalog: Item[]
}
/** What the digest of one scope came to. */
export interface ScopeDigest {
  scope: string
  /** `partial`: a product is missing. That scope and one that `failed` still wait for a digest. */
  status: 'done' | 'unchanged' | 'partial' | 'failed'
  /** Why it failed. */
  error?: string
  /** `lexical`: there are no vectors, and statements were compared by their words. */
  comparedBy?: 'embedding' | 'lexical'
  heads?: number, leftOut?: number, clusters?: number, asked?: number, schemas?: number, evidenceAdded?: number, coreSchemas?: number
  /** Entries of the catalogue; null when it was not picked anew. */
  catalog?: number | null
  retired?: number, dropped?: number, failures?: number, failed?: string[]
}
/** How far the digest of one scope is: `total` is 0 while its statements are compared. */
export interface DigestProgress { scope: string, done: number, total: number, ended: boolean }
/** How far the entries of each device are held: all up to `seq`. */
export type Vector = { origin: string, seq: number }[]
/** What taking a log in came to. */
export interface Imported {
  /** Whether all of the log was there; else `stopped` says why not, and every whole commit before that was taken. */
  complete: boolean, stopped: string | null
  added: number, known: number
  /** Memories that were added, changed or removed. */
  changed: number
  /** Memories that other devices forgot, and questions that were opened because devices differ. */
  forgotten: string[], held: string[]
  /** Devices whose entries do not follow on what is held, and devices that are two: their folder was copied. */
  gaps: string[], forked: string[]
  refused: { origin: string, seq: number, code: string }[]
}

/**
 * Opens a memory.
 *
 * @throws `SettingsError`, `ForeignFormatError`, `StorageError`.
 */
export async function open(settings: Settings): Promise<Memory> {
  const memory = new Memory(settings)
  await memory.problems()
  return memory
}

/** Who wants to know of each step of a job, and may end it. */
interface Watched { tell: () => void, signal: AbortSignal | undefined }
const NOTHING = new TextEncoder().encode('{}')

/** What a caller gave as options. The core says which of them are missing; what is no object is refused here. */
function given<T extends object>(options: T): T {
  const value: unknown = options
  if (value === undefined || value === null) return {} as T
  if (typeof value === 'object' && !Array.isArray(value)) return options
  throw new InputError('the options are an object', 'input', 422)
}

/** Refuses a setting of the wrong kind that the core does not get to see. */
function check(settings: Record<string, unknown>): void {
  const kinds = { judge: 'function', llm: 'function', embed: 'function', jevApiKey: 'string', embeddingApiKey: 'string' }
  for (const [name, kind] of Object.entries(kinds)) {
    if (settings[name] !== undefined && typeof settings[name] !== kind) throw new SettingsError(`\`${name}\` is a ${kind}`, 'settings', 422)
  }
}

interface Live { instance: Instance, core: LibraryCore, host: Host }

export class Memory {
  readonly #settings: object
  readonly #world: Caller
  readonly #files = new NodeFiles()
  #live: Promise<Live> | undefined
  #problems: unknown[] = []

  constructor(settings: Settings) {
    check(given(settings) as unknown as Record<string, unknown>)
    const { judge, llm, embed, jevApiKey, embeddingApiKey, ...others } = given(settings)
    // What is no text stays among the settings, to be refused by name.
    const flat: Record<string, unknown> = { ...others }
    if (typeof others.dataDir === 'string' && others.dataDir.trim() !== '') flat.dataDir = resolve(others.dataDir)
    if (judge) flat.jevEndpoint = JUDGE
    if (embed) Object.assign(flat, { embeddingEndpoint: EMBED, embeddings: others.embeddings ?? true })
    if (llm) flat.extract ??= 'model'
    const keys = new Map<string, string>()
    if (jevApiKey !== undefined) keys.set(others.jevApiKeyEnv ?? 'TYPESAFE_API_KEY', jevApiKey)
    if (embeddingApiKey !== undefined) keys.set(others.embeddingApiKeyEnv ?? 'ZHIPU_API_KEY', embeddingApiKey)
    this.#settings = flat
    this.#world = new Caller({ judge, llm, embed }, keys)
  }

  /** What a person should know about the folder: damage that was survived, edits that were refused. */
  async problems(): Promise<unknown[]> {
    await this.#usable()
    return this.#problems
  }

  /**
   * Takes a source in: a text, or a conversation. Of one in which tools were called and which is about software, procedures are taken, too; `workspace`, `branch` and
   * `sessionId` are the boundary inside which they replace each other.
   */
  async add(source: string | Message[], options: { scope: string, memoryAt?: Time, requestId?: string, workspace?: string, branch?: string, sessionId?: string }): Promise<WriteResult> {
    const { memoryAt, ...others } = given(options)
    return await this.#call('add', { source, ...others, memoryAt: timeOf(memoryAt) }) as WriteResult
  }

  /** One memory of any status, by its id or another name of it; null when there is none. */
  async get(id: string): Promise<Item | null> { return await this.#call('get', { id }) as Item | null }

  /** The statements and procedures of a scope and what was derived from them, or those of one `kind` or `layer`, the newest first; what holds alone unless history is asked for. */
  async list(options: { scope: string, kind?: string, layer?: 'L1_FACT' | 'L2_PROFILE' | 'L3_DERIVED', includeHistory?: boolean, limit?: number, offset?: number }): Promise<Item[]> {
    return await this.#call('list', options) as Item[]
  }

  /** Puts a new text in the place of a head. The old version stays readable under its id, and is not the latest. */
  async update(id: string, text: string): Promise<Item> { return await this.#call('update', { id, text }) as Item }

  /** Retires a head and keeps it. */
  async delete(id: string): Promise<Item> { return await this.#call('delete', { id }) as Item }

  /** Removes everything of a scope from the folder, its sources too. It cannot be undone. */
  async deleteBulk(options: { scope: string, confirm: boolean }): Promise<{ removed: number }> {
    return await this.#call('deleteBulk', options) as { removed: number }
  }

  /**
   * Heads by meaning and words; with `rawLimit` also the sources themselves, with `procedureLimit` also procedures that reach `procedureMinScore`
   * (0.3; 1 is a whole match), each in a list of its own.
   */
  async search(query: string, options: { scope: string, limit?: number, asOf?: Time, includeRelations?: boolean, includeHistory?: boolean, rawLimit?: number, procedureLimit?: number, procedureMinScore?: number }): Promise<Found> {
    const { asOf, ...others } = given(options)
    return await this.#call('search', { query, ...others, asOf: timeOf(asOf) }) as Found
  }

  /** Makes a result one list: statements and sources by score, behind them the procedures in their own order. */
  async flatten(found: Found): Promise<Item[]> { return await this.#call('flatten', found) as Item[] }

  /** Makes a result lines for a prompt. */
  async format(found: Found | Item[]): Promise<string> { return await this.#call('format', found) as string }

  /**
   * Derives schemas and the catalogue where something waits, four scopes at a time; or in one `scope`. What is done is kept
   * when it ends early, by `signal` or anything else, and the rest still waits. What `onProgress` throws is passed over.
   */
  async digest(options: { scope?: string, onProgress?: (progress: DigestProgress) => void, signal?: AbortSignal } = {}): Promise<{ scopes: ScopeDigest[] }> {
    const { scope, onProgress, signal, ...other } = given(options)
    const [odd] = Object.keys(other)
    if (odd !== undefined) throw new InputError(`\`${odd}\` is no argument; known are scope, onProgress, signal`, 'input', 422)
    const live = await this.#usable()
    const due = scope === undefined ? await this.#call('digestDue', {}) as string[] : [scope]
    const told = new Map<string, string>()
    const tell = (): void => {
      if (!onProgress || this.#live === undefined || isBroken(live.instance)) return
      const { ok } = driveSync(live.core.call('digestProgress', NOTHING), live.host) as { ok: DigestProgress[] }
      for (const progress of ok) {
        const text = JSON.stringify(progress)
        if (!due.includes(progress.scope) || told.get(progress.scope) === text) continue
        told.set(progress.scope, text)
        // What the caller's own code throws is none of the memory's.
        try { onProgress(progress) } catch { /* Passed over. */ }
      }
    }
    const scopes = await scopeByScope(due, async (name): Promise<ScopeDigest> => {
      if (signal?.aborted) return { scope: name, status: 'failed', error: 'ended by the caller' }
      try {
        const result = await this.#call('digest', { scope: name }, { tell, signal }) as ScopeDigest
        return result
      } catch (error) {
        if (error instanceof MemoryError || error instanceof Ended) return { scope: name, status: 'failed', error: error.message }
        throw error
      } finally { tell() }
    })
    return { scopes }
  }

  /** How far the entries of each device are held here: what `exportLog` on another device is told. */
  async vector(): Promise<Vector> { return await this.#call('vector', {}) as Vector }

  /** Everything after `since` as a log for another device: a vector, or that device's own log. Without it, everything. */
  async exportLog(since?: Vector | string): Promise<string> { return await this.#call('exportLog', { since }) as string }

  /** Takes a log in. Again changes nothing; any order of logs comes to the same. */
  async importLog(log: string): Promise<Imported> { return await this.#call('importLog', { log }) as Imported }

  /** Writes a checkpoint and lets go of the folder. */
  async close(): Promise<void> {
    // Taken at once: a second call finds nothing to close.
    const opened = this.#live
    this.#live = undefined
    const live = await opened?.catch(() => undefined)
    if (!live) return
    try { await this.#run(live, live.core.close()) } finally {
      live.host.retire()
      live.core.free()
      await perform(this.#files.close())
    }
  }

  async #call(verb: string, args: unknown, watched?: Watched): Promise<unknown> {
    const live = await this.#usable()
    return await this.#run(live, live.core.call(verb, new TextEncoder().encode(JSON.stringify(args))), watched)
  }

  #usable(): Promise<Live> {
    this.#live ??= this.#open().catch((error: unknown) => { this.#live = undefined; throw error })
    return this.#live
  }

  async #open(): Promise<Live> {
    let instance: Instance
    try { instance = loadSync() } catch {
      try { instance = await loadFresh() } catch (error) {
        throw new StorageError(`the core at ${MODULE_PATH} cannot be loaded (${messageOf(error)}); install the package again`, 'storage', 409)
      }
    }
    const host = new Host(this.#files, this.#world)
    const live = { instance, core: new instance.LibraryCore(this.#settings, host), host }
    try { this.#problems = await this.#run(live, live.core.open()) as unknown[] } catch (error) {
      host.retire()
      throw error
    }
    return live
  }

  /** A core that traps is never used again; the next call begins with a fresh one, and what was committed is there. */
  async #run(live: Live, job: Job, watched?: Watched): Promise<unknown> {
    const failed = (error: unknown): void => {
      if (error instanceof Ended) return
      condemn(live.instance)
      live.host.retire()
      this.#live = undefined
    }
    let answer: { ok?: unknown, error?: Refusal }
    try {
      answer = await drive(job, live.host, { alive: () => !isBroken(live.instance), failed, tell: watched?.tell }, watched?.signal) as typeof answer
    } catch (error) {
      if (error instanceof Ended) throw error
      failed(error)
      throw new StorageError(`the core failed and was dropped: ${messageOf(error)}`, 'storage', 409)
    }
    if (answer.error) throw errorOf(answer.error)
    return answer.ok
  }
}

/** Addresses that stand for the caller's own functions. */
const JUDGE = 'caller://judge/v1'
const EMBED = 'caller://embed/v1'

type Functions = { [Name in 'judge' | 'llm' | 'embed']: Settings[Name] | undefined }

/** Answers the core's questions with the caller's functions, else over the network. */
class Caller implements Answering {
  readonly #own: Functions
  readonly #credentials: Credentials

  constructor(own: Functions, keys: ReadonlyMap<string, string>) {
    this.#own = own
    this.#credentials = new Credentials(() => undefined, undefined, keys)
  }

  async answer(question: Question, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted) throw coded('ENDED')
    switch (question.op) {
      // A judge of the caller's own needs no key.
      case 'http.key': return this.#own.judge ? 'caller' : (await this.#credentials.find(question.credential, question.timeoutMs))?.path ?? 'none'
      case 'llm.route': return ''
      case 'llm.generate': {
        const { system, prompt, maxTokens, timeoutMs } = question
        if (!this.#own.llm) throw coded('NO_ROUTE')
        const text = await within(this.#own.llm({ system, prompt, maxTokens }, signal), timeoutMs)
        return { text: String(text), model: '', inputTokens: 0, outputTokens: 0 }
      }
      case 'http.send': return await this.#send(question, signal)
    }
  }

  async #send(question: Extract<Question, { op: 'http.send' }>, signal: AbortSignal | undefined): Promise<unknown> {
    const { judge, embed } = this.#own
    const body = (): unknown => JSON.parse(new TextDecoder().decode(question.body))
    if (judge && question.url === JUDGE) return await replied(() => within(judge(body() as JudgeRequest, signal), question.timeoutMs))
    if (embed && question.url === EMBED) {
      return await replied(async () => {
        const vectors = await within(embed((body() as { input: string[] }).input, signal), question.timeoutMs)
        return { data: vectors.map((embedding, index) => ({ index, embedding })) }
      })
    }
    const found = question.credential === '' ? undefined : await this.#credentials.find(question.credential, question.timeoutMs / 4)
    if (question.credential !== '' && !found) throw coded('NO_KEY')
    return await send(question, found?.value, signal)
  }
}

/** What a function returned as a service's reply. One that throws is a refusal: it is not asked again. */
async function replied(work: () => Promise<unknown>): Promise<{ status: number, headers: [], body: Uint8Array }> {
  const reply = (status: number, value: unknown): { status: number, headers: [], body: Uint8Array } =>
    ({ status, headers: [], body: new TextEncoder().encode(JSON.stringify(value ?? null)) })
  try { return reply(200, await work()) } catch (error) { return reply(422, { detail: messageOf(error) }) }
}

async function within<T>(work: Promise<T> | T, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => { reject(coded('TIMEOUT')) }, limitMs)
  try { return await Promise.race([work, late]) } finally { clearTimeout(timer) }
}

/** A time as it crosses. One that is none crosses as a text, to be refused by name: JSON has no word for it. */
function timeOf(time: Time | undefined): number | string | undefined {
  const at = time instanceof Date ? time.getTime() : time
  return typeof at === 'number' && !Number.isFinite(at) ? String(at) : at
}
