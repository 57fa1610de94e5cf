/** How the core is set up. */
export interface Settings {
  /** The row's `config`, as the host gave it. Wrong keys are named in a `health` row and survived. */
  config: unknown;
  /** Used when `config.dataDir` is empty: an absolute path. */
  defaultDataDir: string;
  /** What the host calls itself, for the `start` row. */
  hostVersion: string;
}

export interface Session {
  id: string;
  cwd: string;
  /** Whether another agent delegated this session. */
  child: boolean;
}

/** What a human typed, by the host's own marks. `at` in milliseconds since the epoch. */
export interface Human { seq: number; turn: number; at: number; text: string; zone?: string }

/** One event that can matter to memory. `denied` is true when the human or a policy refused the call. */
export type TurnEvent =
  | ({ kind: 'human' } & Human)
  | { kind: 'tool-call'; seq: number; turn: number; callId: string; tool: string; arguments: string }
  | { kind: 'tool-result'; seq: number; turn: number; at: number; callId: string; tool: string; isError?: boolean; code?: string; denied?: boolean; text: string };

/** Everything since `readPosition`, ascending by `seq`, ending with the turn that is stopping. */
export interface Turn { session: Session; turn: number; readTo: number; events: TurnEvent[] }

/** What a turn left behind. `failed` names why nothing could be committed. */
export interface Learned {
  kept: { id: string; type: string; text: string }[];
  /** What waits for the human because it contradicts something known. */
  held?: { id: string; type: string; text: string }[];
  skipped: number;
  failed?: { code: string; detail: string };
}

/** One question for the human. `token` brings the answer back; `detail` is Markdown. */
export interface Question {
  token: number;
  card: { header: string; question: string; detail: string; options: { label: string; description: string }[] };
  timeoutMs: number;
}

/** Where a tool was called, and what the session's human said: all of it for `write`, this turn's for `forget`. */
export interface Call { session: Session; turn: number; seq: number; humans: Human[] }

/** A tool's answer: lossless JSON. A refusal is `{ refused: { reason, message, nearest? } }`. */
export type Reply = Record<string, unknown>;

/** What a person typed, where, and what else the program around the core knows. */
export interface Typed {
  verb: string;
  /** Everything after the verb that is no option. */
  words: string;
  /** Options by their long names in camelCase: flags are true, values texts; steps of a sync carry lists, too. */
  options?: Record<string, string | boolean | number | unknown[]>;
  /** The session it was typed in; left out on a command line. */
  session?: Session;
  turn?: number;
  seq?: number;
  /** What the human said last, for the language. */
  said?: string;
  /** Such as `zh_CN.UTF-8`. */
  locale?: string;
  /** The folder a command line stands in. */
  cwd?: string;
  /** What `doctor` is told of the system. */
  facts?: Record<string, unknown>;
}

/** What a command came to. `exit`: 0 done, 1 found nothing or something wrong, 2 not understood, 3 memory cannot be used. */
export interface CommandReply {
  ok: boolean;
  /** `done`, or why not. */
  code: string;
  /** For a person. */
  text: string;
  /** The same as data. */
  data: Record<string, unknown>;
  exit: number;
  /** Whether questions wait that a card could ask now. */
  ask: boolean;
  /** What stands beside a text that is a file's content; empty otherwise. */
  note: string;
}

export interface Health {
  /** Whether sentences are captured. */
  capture: boolean;
  /** What is wrong: empty when all is well. */
  problems: { code: string; detail: string }[];
  /** Why nothing works, for a note beside the data; empty while it works, and where nothing may be written. */
  inert: string;
  judge: string;
  /** Where Jev's key was last found: `service:<source>`, `file`, `config`, `env` or `none`; '' before the first look. */
  key: string;
  jevReady: boolean;
  /** `off`, `none` without a model, or the route that restates; '' before the first look. */
  normalize: string;
  /** What each judge that reads cost in this process. */
  usage: Record<string, { requests: number; inputTokens: number; outputTokens: number }>;
  memories: number;
  dataDir: string;
  version: string;
  tokeniser: string;
  /** The parts of the config that the shim acts on. */
  registerTools: boolean;
  writeTimeoutMs: number;
}
