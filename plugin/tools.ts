/** The three tools. Their arguments are judged by the core; here they are only named and passed on. */
import type { Context } from '@deepseek-ai/cordis'
import type { ToolDefinition } from '@deepseek-ai/dsh-tools'
import type { Call, Core, Human, Job } from '../dist/core.js'
import { messageOf } from './calls.ts'
import type { CoreHandle } from './core-handle.ts'
import type { Sessions } from './sessions.ts'

/** Longest wait for a tool's answer. */
const TOOL_MAX_MS = 10_000

interface Tool {
  name: string
  description: string
  parameters: Record<string, unknown>
  /** Which of the human's words the core gets to see. */
  heard(human: Human, turn: number): boolean
  /** Reads only, so it may run beside other calls. */
  reads: boolean
  begin(core: Core, args: unknown, call: Call): Job
}

const text = (description: string): object => ({ type: 'string', description })

const TOOLS: Tool[] = [
  {
    name: 'memory_search',
    description: 'Search the long-term memory of this workspace: rules, decisions and pitfalls the user stated in earlier sessions, in their own words, and tool failures that kept coming back. Each hit has an id, the text, its date, status, scope, the original quote and why it ranked. Search before asking the user something they may have said already.',
    parameters: {
      type: 'object',
      properties: {
        query: text('What to look for, in the words the user would have used.'),
        types: { type: 'array', items: { type: 'string', enum: ['constraint', 'pitfall', 'decision'] }, description: 'Only these types. All by default.' },
        limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Most hits to return; 8 by default.' },
        scope: text('Only this scope, by its key as hits print it. This workspace and global by default.'),
        includeHistory: { type: 'boolean', description: 'Also superseded and archived versions.' },
        asOf: text('Only what was valid on this day, such as 2026-02-15.'),
      },
      required: ['query'],
    },
    reads: true,
    heard: () => false,
    begin: (core, args, call) => core.search(args, call),
  },
  {
    name: 'memory_write',
    description: 'Remember something the user said in this session, when they ask for it to be remembered. What is stored is the user\'s own sentence, word for word, not yours: give a text close to it. Refused when the user said no such sentence.',
    parameters: {
      type: 'object',
      properties: {
        text: text('The user\'s sentence, as close to their words as you can.'),
        type: { type: 'string', enum: ['constraint', 'pitfall', 'decision'], description: 'What it is: a standing rule, something that breaks, or a choice that was made.' },
      },
      required: ['text'],
    },
    reads: false,
    heard: () => true,
    begin: (core, args, call) => core.write(args, call),
  },
  {
    name: 'memory_forget',
    description: 'Forget one memory for good, when the user asks for it in this message. It is blanked everywhere and cannot be brought back.',
    parameters: {
      type: 'object',
      properties: { id: text('The id of the memory (m-…), or its exact text.') },
      required: ['id'],
    },
    reads: false,
    heard: (human, turn) => human.turn === turn,
    begin: (core, args, call) => core.forget(args, call),
  },
]

/** Registers the tools; each goes with the plugin. Without a core they answer with the reason. */
export function registerTools(ctx: Context, core: CoreHandle, sessions: Sessions): void {
  for (const tool of TOOLS) ctx.tools.register(definition(tool, core, sessions))
}

function definition(tool: Tool, core: CoreHandle, sessions: Sessions): ToolDefinition {
  const { name, description, parameters, reads } = tool
  return {
    name,
    description,
    parameters,
    output: { schema: {}, render: (_args, value) => [{ type: 'text', text: JSON.stringify(value) }] },
    isConcurrencySafe: () => reads,
    async execute(args, { agent, signal }) {
      if (!agent) return refused('no-session', `${name} needs a session`)
      try {
        const call = sessions.call(agent.session)
        call.humans = call.humans.filter(human => tool.heard(human, call.turn))
        const limit = AbortSignal.any([signal, AbortSignal.timeout(TOOL_MAX_MS)])
        // The host demands lossless JSON and takes an undefined property for a fault.
        return JSON.parse(JSON.stringify(await core.run(name, live => tool.begin(live, args ?? {}, call), limit) ?? {})) as object
      } catch (error) {
        return refused('unavailable', messageOf(error))
      }
    },
  }
}

const refused = (reason: string, message: string): object => ({ refused: { reason, message } })
