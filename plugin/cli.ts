#!/usr/bin/env node
/** The command line `dsh-jev-memory`: the verbs of `/memory`, and those that need no session. It asks no judge, and no network but for `digest` and `sync`. */
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { CommandReply, Typed } from '../dist/core.js'
import { messageOf } from './calls.ts'
import { command, localeOf, syncFrom } from './command.ts'
import { dataDirOf, homeOf } from './config.ts'
import { CoreHandle } from './core-handle.ts'
import { Credentials } from './credentials.ts'
import { complete, digest, type Service } from './digest.ts'
import { coded } from './http.ts'
import { factsOf, readFile, writeFile } from './system.ts'
import type { Answering } from './world.ts'

const HELP = `dsh-jev-memory: what is remembered, and why.

Usage: dsh-jev-memory <command> [words] [options]

  list [all] [type] [words]   what is remembered in this folder's project, and for every project
  show ID                     one memory with everything the ledger says about it
  why-not WORDS               why a sentence was not kept, and what would change that
  review [ID ANSWER]          what waits for you; ANSWER is replace, keep-old or both (read in from elsewhere: keep or drop)
  undo ID                     take back what a judge decided about one (relations: judge)
  forget ID                   forget one for good, with every trace
  stats                       figures from the ledger; --queries FILE adds Hit@K and Recall@K
  digest                      derive patterns and a catalogue, with a model you name: --llm URL
  health                      one line: does it work
  doctor                      examine folder, lock, formats, damage, key, host; says what to do
  export [FILE]               everything as Markdown, or as JSON Lines with --format jsonl; --log for another device of yours
  import FILE                 read an export in; from another device it waits for your answer. A log is taken in as it is
  sync [REMOTE]               bring this memory and a git remote or a folder up to date; without REMOTE the one used last
  devices                     whose entries are held here, and how far
  scope list | join FROM TO   the projects there are; make two of them one, on every device
  sweep                       look for what would be refused today, such as secrets; --apply forgets it

An ID may be written as it is printed, without brackets, in upper case, or by its first characters.

Options:
  --data-dir DIR     the data folder (default: $DSH_HOME/jev-memory, and ~/.dsh without DSH_HOME)
  --cwd DIR          the project's folder (default: the current one)
  --all              every project, not this one alone        (list, review, stats, digest)
  --history          superseded and archived ones, too        (list)
  --type TYPE        constraint, pitfall or decision          (list)
  --limit N          lines                                    (list)
  --queries FILE     JSON Lines {"query":"…","ids":["m-…"]}   (stats)
  --k N              results looked at, 5                     (stats)
  --format FORMAT    markdown or jsonl                        (export)
  --out FILE         write there, where no file is yet        (export)
  --log              a log of entries, for import on another device of yours (export)
  --since FILE       only what that device lacks: its log, or what devices prints there (export)
  --rewrite          leave one commit at a git remote, without what was forgotten (sync)
  --here             this project and global alone; for import, into this project (export, import)
  --preview          write nothing                            (import)
  --apply            forget what is found                     (sweep)
  --secrets          secrets alone                            (sweep)
  --llm URL          root of an OpenAI-compatible service, its key in LLM_API_KEY (digest)
  --model NAME       the service's model                      (digest)
  --json             the answer as one JSON object
  --lang LANG        en or zh (default: by your locale)
  --help, --version

Ends with 0 when it is done, 1 when nothing was found or something is wrong, 2 when it was not understood,
3 when the memory cannot be used, 4 when it failed otherwise.

Examples:
  dsh-jev-memory list all constraint
  dsh-jev-memory why-not "make check"
  dsh-jev-memory doctor --json
  dsh-jev-memory export --format jsonl --out memories.jsonl
  dsh-jev-memory import memories.jsonl --preview
  dsh-jev-memory sync git@example.org:me/memory.git
`

const OPTIONS = {
  'data-dir': { type: 'string' }, cwd: { type: 'string' }, lang: { type: 'string' },
  json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' },
  all: { type: 'boolean' }, history: { type: 'boolean' }, type: { type: 'string' }, limit: { type: 'string' },
  log: { type: 'boolean' }, since: { type: 'string' }, rewrite: { type: 'boolean' }, queries: { type: 'string' }, k: { type: 'string' }, format: { type: 'string' }, out: { type: 'string' }, here: { type: 'boolean' },
  preview: { type: 'boolean' }, apply: { type: 'boolean' }, secrets: { type: 'boolean' }, llm: { type: 'string' }, model: { type: 'string' },
} as const

/** Which options go with which command, beside those that go with all. */
const TAKES: Record<string, readonly string[]> = {
  list: ['all', 'history', 'type', 'limit'], show: [], 'why-not': [], review: ['all'], undo: [], forget: [], stats: ['all', 'queries', 'k'],
  health: [], doctor: [], export: ['format', 'out', 'here', 'log', 'since'], import: ['preview', 'here'], sweep: ['apply', 'secrets'], digest: ['all', 'llm', 'model'],
  sync: ['rewrite'], devices: [], scope: [],
}
const EVERYWHERE = ['data-dir', 'cwd', 'lang', 'json', 'help', 'version']

const MISUNDERSTOOD = 2
const UNUSABLE = 3
const FAILED = 4
/** After this long, and as often again, a line on standard error says that work goes on. */
const PROGRESS_MS = 1_000

/** Where a command line writes. */
export interface Terminal { out: (text: string) => void, err: (text: string) => void }

class Misunderstood extends Error {}

/** Runs one command line and returns its exit code. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  try {
    const { values, positionals } = parsed(argv)
    if (values.version === true) { terminal.out(`${version()}\n`); return 0 }
    const [verb = ''] = positionals
    if (values.help === true || verb === '' || verb === 'help') {
      terminal.out(HELP)
      return verb === '' && values.help !== true ? MISUNDERSTOOD : 0
    }
    return await run(verb, positionals.slice(1), values, env, terminal)
  } catch (error) {
    if (!(error instanceof Misunderstood)) { terminal.err(`dsh-jev-memory: ${messageOf(error)}\n`); return FAILED }
    terminal.err(`dsh-jev-memory: ${error.message}\nSee: dsh-jev-memory --help\n`)
    return MISUNDERSTOOD
  }
}

type Parsed = ReturnType<typeof parseArgs<{ options: typeof OPTIONS, allowPositionals: true, strict: true }>>
type Values = Parsed['values']

function parsed(argv: readonly string[]): Parsed {
  try { return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true }) } catch (error) { throw new Misunderstood(messageOf(error).replace(/\. To specify a positional.*$/, '')) }
}

async function run(verb: string, words: string[], values: Values, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const takes = TAKES[verb]
  if (!takes) throw new Misunderstood(`there is no command \`${verb}\``)
  const strange = Object.keys(values).find(name => !takes.includes(name) && !EVERYWHERE.includes(name))
  if (strange !== undefined) throw new Misunderstood(`\`${verb}\` takes no --${strange}`)
  const [odd] = Object.keys(values).filter(name => values.log === true ? name === 'format' || name === 'here' : name === 'since')
  if (verb === 'export' && odd !== undefined) throw new Misunderstood(values.log === true ? `a log holds every project's entries: --log goes without --${odd}` : '--since goes with --log')
  // How far a digest is asks no model.
  const service = verb === 'digest' && words[0] !== 'status' ? serviceOf(values, env) : undefined
  const typed: Typed = { verb, words: words.join(' '), locale: localeIn(values, env), cwd: values.cwd ?? process.cwd(), options: options(verb, words, values) }
  const dataDir = dataDirOf({ dataDir: values['data-dir'] })
  const credentials = new Credentials(() => undefined, homeOf(), new Map())
  const core = new CoreHandle({ config: { dataDir }, defaultDataDir: dataDir, hostVersion: '' }, () => {}, alone(credentials, service))
  if (core.fault !== '') { terminal.err(`dsh-jev-memory: ${core.fault}\n`); return UNUSABLE }
  if (verb === 'doctor') typed.facts = factsOf(dataDir, homeOf())
  const began = performance.now()
  const progress = setInterval(() => {
    terminal.err(`${verb}: ${Math.round((performance.now() - began) / 1_000)} s …\n`)
    if (service) command(core, { ...typed, words: 'status' }).then(reply => { terminal.err(`${reply.text}\n`) }, () => {})
  }, PROGRESS_MS)
  try {
    const reply = await (service ? digest(core, typed) : verb === 'sync' ? syncFrom(core, typed) : command(core, typed))
    return tell(reply, values, terminal)
  } finally {
    clearInterval(progress)
    await core.leave()
  }
}

/** The options as the core reads them: the content of files in place of their names. */
function options(verb: string, words: string[], values: Values): Record<string, string | boolean> {
  if (verb === 'export' && words[0] !== undefined) values.out ??= words[0]
  const { 'data-dir': _dir, cwd: _cwd, lang: _lang, json: _json, help: _help, version: _version, llm: _llm, model: _model, out, queries, since, ...rest } = values
  const options: Record<string, string | boolean> = { ...rest }
  if (verb === 'export' && options.format === undefined && /\.jsonl$/.test(out ?? '')) options.format = 'jsonl'
  try {
    if (queries !== undefined) options.queries = readFile(queries)
    if (since !== undefined) options.since = existsSync(since) ? readFile(since) : since
    const [file] = words
    if (verb === 'import' && file !== undefined) options.content = readFile(file)
  } catch (error) { throw new Misunderstood(readable(error)) }
  return options
}

function tell(reply: CommandReply, values: Values, terminal: Terminal): number {
  const isContent = reply.note !== ''
  if (isContent && values.out !== undefined) {
    try { writeFile(values.out, reply.text) } catch (error) { throw new Misunderstood(readable(error)) }
  }
  if (values.json === true) {
    const { data, ask: _ask, exit: _exit, text, ...rest } = reply
    const shown = isContent && values.out === undefined ? { content: text } : isContent ? {} : { text }
    terminal.out(`${JSON.stringify({ ...rest, ...shown, ...data })}\n`)
    return reply.exit
  }
  if (isContent) {
    if (values.out === undefined) terminal.out(reply.text)
    terminal.err(`${reply.note}\n`)
  } else if (reply.exit >= MISUNDERSTOOD) terminal.err(`${reply.text}\n`)
  else terminal.out(`${reply.text}\n`)
  return reply.exit
}

/** What is wrong with a file a person named, and what to do. */
function readable(error: unknown): string {
  const { code, path } = error as { code?: string, path?: string }
  if (code === 'ENOENT') return `no such file: ${path ?? ''}; look at its name`
  if (code === 'EEXIST') return `${path ?? 'the file'} is there already and is not written over; choose another name`
  if (code === 'EISDIR') return `${path ?? 'that'} is a folder; name a file`
  return messageOf(error)
}

function localeIn(values: Values, env: NodeJS.ProcessEnv): string {
  if (values.lang === undefined) return localeOf(env)
  if (values.lang !== 'en' && values.lang !== 'zh') throw new Misunderstood('--lang is en or zh')
  return values.lang
}

/** The model that a digest asks: a command line has no host, and so no model of its own. */
function serviceOf({ llm, model }: Values, env: NodeJS.ProcessEnv): Service {
  if (llm === undefined) {
    throw new Misunderstood('`digest` asks a model, and a command line has none: name an OpenAI-compatible service with --llm URL (such as https://api.example.com/v1), its --model, and its key in the variable LLM_API_KEY; or type /memory digest in the host')
  }
  if (!URL.canParse(llm)) throw new Misunderstood('--llm is a URL')
  return { url: llm, model: model ?? 'default', key: env.LLM_API_KEY }
}

/** What a command line answers the core: where a key is found, and nothing that would leave the machine but for a service that was named. */
const alone = (credentials: Credentials, service: Service | undefined): Answering => ({
  answer: async (question, signal) => {
    if (question.op === 'llm.generate' && service) return await complete(service, question, signal)
    if (question.op === 'http.key') return (await credentials.find(question.credential, question.timeoutMs))?.path ?? 'none'
    if (question.op === 'llm.route') return ''
    throw coded('ENDED')
  },
})

function version(): string {
  return (JSON.parse(readFile(fileURLToPath(new URL('../package.json', import.meta.url)))) as { version: string }).version
}

// The program may be started through a link, as package managers make one.
const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
if (isProgram) {
  const write = (stream: NodeJS.WriteStream) => (text: string): void => { stream.write(text) }
  process.exitCode = await main(process.argv.slice(2), process.env, { out: write(process.stdout), err: write(process.stderr) })
}
