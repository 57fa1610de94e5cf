//! What a sentence looks like, apart from its words: a table of facts with weights.

use super::reading::Reading;
use super::signal::Hint;

/// One fact about a sentence and its surroundings.
#[derive(Debug)]
pub struct Shape {
    /// Stored with the memory; frozen.
    pub id: &'static str,
    pub weight: f32,
    pub hint: Hint,
    pub holds: fn(&Reading) -> bool,
}

const fn row(id: &'static str, weight: f32, hint: Hint, holds: fn(&Reading) -> bool) -> Shape {
    Shape {
        id,
        weight,
        hint,
        holds,
    }
}

/// The shapes.
pub const SHAPES: &[Shape] = &[
    row("is-han", 0.0, Hint::None, |r| r.is_han()),
    row("very-short", -0.8, Hint::None, |r| r.length() < 4),
    row("short", -0.2, Hint::None, |r| (4..8).contains(&r.length())),
    row("long", -0.4, Hint::None, |r| r.length() > 30),
    row("has-path", -0.4, Hint::None, |r| has_path(&r.text)),
    row("has-url", -0.2, Hint::None, |r| r.text.contains("://")),
    row("has-mention", -0.8, Hint::None, |r| has_mention(&r.text)),
    row("has-code-mark", 0.1, Hint::None, |r| r.text.contains('`')),
    row("has-call", -0.3, Hint::None, |r| r.text.contains("()")),
    row("shouts", 0.4, Hint::Constraint, |r| shouts(&r.text)),
    row("tech", 0.4, Hint::Decision, |r| tech(&r.text) == 1),
    row("tech-list", 0.9, Hint::Decision, |r| tech(&r.text) >= 2),
    row("ends-open", -1.2, Hint::None, |r| {
        matches!(r.last, ':' | '：' | ',' | '，')
    }),
    row("ends-query", -1.5, Hint::None, |r| {
        matches!(r.last, '?' | '？')
    }),
    row("ends-part", -0.3, Hint::None, |r| {
        matches!(r.last, ';' | '；' | '…')
    }),
    row("ends-stop", 0.1, Hint::None, |r| {
        matches!(r.last, '.' | '。' | '!' | '！')
    }),
    row("is-item", 0.0, Hint::None, |r| r.is_item()),
    row("lower-start", -0.2, Hint::None, |r| {
        r.first.is_ascii_lowercase()
    }),
    row("many-symbols", -0.6, Hint::None, |r| {
        r.symbols * 8 > r.chars
    }),
    row("many-digits", -0.3, Hint::None, |r| r.digits * 8 > r.chars),
    row("alone", 0.2, Hint::None, |r| {
        r.before.trim().is_empty() && r.after.trim().is_empty()
    }),
    row("first", -0.2, Hint::None, |r| r.before.trim().is_empty()),
    row("after-intro", -0.2, Hint::None, |r| {
        r.before.trim_end().ends_with([':', '：'])
    }),
    row("under-heading", 0.0, Hint::None, |r| {
        r.before.contains("\n#") || r.before.starts_with('#')
    }),
    row("among-items", 0.0, Hint::None, |r| {
        r.before.contains("\n- ") || r.after.contains("\n- ")
    }),
    row("near-code", -0.5, Hint::None, |r| {
        near_code(r.before) || near_code(r.after)
    }),
];

/// Returns whether a file path or file name stands in the text.
fn has_path(text: &str) -> bool {
    text.split(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '，' | '。' | '、' | '`' | '"' | '(' | ')' | '（' | '）' | ','
            )
    })
    .any(|word| {
        let word = word.trim_matches(['.', ':', ';']);
        let slashes = word.bytes().filter(|b| *b == b'/').count();
        (slashes > 0
            && word.len() > 3
            && !word.contains("://")
            && word.bytes().any(|b| matches!(b, b'.' | b'_')))
            || slashes > 1 && !word.contains("://")
            || word.rsplit_once('.').is_some_and(|(stem, ext)| {
                !stem.is_empty()
                    && (1..=5).contains(&ext.len())
                    && ext.bytes().all(|b| b.is_ascii_lowercase())
                    && stem.bytes().any(|b| b.is_ascii_alphabetic())
                    && stem.is_ascii()
            })
    })
}

fn has_mention(text: &str) -> bool {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        if c == '@' && !previous.is_alphanumeric() {
            let tail = text.get(at + 1..).unwrap_or_default();
            if tail.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/')) {
                return true;
            }
        }
        previous = c;
    }
    false
}

/// Returns whether one of the words of rules is in capitals.
fn shouts(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| {
        matches!(
            word,
            "NOT"
                | "NEVER"
                | "ALWAYS"
                | "MUST"
                | "ONLY"
                | "AVOID"
                | "DO"
                | "ALL"
                | "SHOULD"
                | "REQUIRED"
        )
    })
}

fn near_code(text: &str) -> bool {
    text.contains("@@ ")
        || text.contains("\n+ ")
        || text.contains("\n+++")
        || text.contains("();")
        || text.contains("def ")
        || text.contains("import ")
}

/// Names of languages, libraries, services and tools, lower case. Counted up to three.
const TECH: &[&str] = &[
    "python",
    "typescript",
    "javascript",
    "rust",
    "golang",
    "java",
    "kotlin",
    "swift",
    "ruby",
    "php",
    "c++",
    "scala",
    "elixir",
    "node",
    "nodejs",
    "node.js",
    "deno",
    "bun",
    "react",
    "vue",
    "svelte",
    "angular",
    "next.js",
    "nextjs",
    "nuxt",
    "solid.js",
    "vite",
    "webpack",
    "rollup",
    "esbuild",
    "tailwind",
    "tailwindcss",
    "shadcn",
    "antd",
    "ant",
    "refine",
    "mui",
    "bootstrap",
    "fastapi",
    "flask",
    "django",
    "express",
    "nestjs",
    "spring",
    "rails",
    "laravel",
    "gin",
    "axum",
    "actix",
    "tokio",
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "sqlite",
    "duckdb",
    "redis",
    "mongodb",
    "mongo",
    "elasticsearch",
    "opensearch",
    "kafka",
    "rabbitmq",
    "nats",
    "clickhouse",
    "neo4j",
    "milvus",
    "qdrant",
    "pgvector",
    "minio",
    "s3",
    "sqs",
    "ses",
    "sns",
    "lambda",
    "dynamodb",
    "cloudfront",
    "cloudflare",
    "vercel",
    "netlify",
    "aws",
    "gcp",
    "azure",
    "aliyun",
    "docker",
    "kubernetes",
    "k8s",
    "helm",
    "terraform",
    "pulumi",
    "ansible",
    "nginx",
    "caddy",
    "graphql",
    "grpc",
    "rest",
    "websocket",
    "jwt",
    "oauth",
    "pydantic",
    "sqlalchemy",
    "prisma",
    "drizzle",
    "sqlglot",
    "pytest",
    "vitest",
    "jest",
    "playwright",
    "cypress",
    "mocha",
    "eslint",
    "oxlint",
    "prettier",
    "biome",
    "ruff",
    "black",
    "mypy",
    "pyright",
    "clippy",
    "rustfmt",
    "uv",
    "pip",
    "poetry",
    "conda",
    "npm",
    "pnpm",
    "yarn",
    "cargo",
    "maven",
    "gradle",
    "make",
    "cmake",
    "bazel",
    "just",
    "git",
    "github",
    "gitlab",
    "jira",
    "openai",
    "claude",
    "gemini",
    "qwen",
    "llama",
    "electron",
    "tauri",
    "flutter",
    "zustand",
    "redux",
    "pandas",
    "numpy",
    "polars",
    "pytorch",
    "celery",
    "airflow",
    "spark",
    "slog",
    "zap",
    "tracing",
    "otel",
    "opentelemetry",
    "prometheus",
    "grafana",
    "sentry",
    "ubuntu",
    "debian",
    "alpine",
    "windows",
    "macos",
    "linux",
    "sdk",
    "monaco",
    "logto",
    "supabase",
    "firebase",
    "stripe",
    "html",
    "css",
    "sass",
    "wasm",
    "webassembly",
    "protobuf",
    "nacos",
    "etcd",
    "consul",
    "langchain",
    "ollama",
];

/// Returns how many known names stand in the text, at most 3.
fn tech(text: &str) -> usize {
    let mut n = 0;
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '#'))) {
        let word = word.trim_end_matches('.');
        if (2..=15).contains(&word.len()) && TECH.iter().any(|name| name.eq_ignore_ascii_case(word))
        {
            n += 1;
            if n == 3 {
                break;
            }
        }
    }
    n
}
