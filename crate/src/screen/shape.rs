//! What a sentence looks like, apart from its words: a table of facts with weights.

use super::reading::Reading;
use super::signal::Kind;

/// One fact about a sentence and its surroundings.
#[derive(Debug)]
pub struct Shape {
    /// Stored with the memory; frozen.
    pub id: &'static str,
    /// Set by hand, before any fit.
    pub prior: f64,
    pub weight: f64,
    pub kind: Kind,
    pub holds: fn(&Reading) -> bool,
}

const fn row(
    id: &'static str,
    prior: f64,
    weight: f64,
    kind: Kind,
    holds: fn(&Reading) -> bool,
) -> Shape {
    Shape {
        id,
        prior,
        weight,
        kind,
        holds,
    }
}

/// The shapes.
pub const SHAPES: &[Shape] = &[
    row("is-han", 0.0, 0.17, Kind::Support, |r| r.is_han()),
    row("very-short", -0.8, -1.24, Kind::Passing, |r| r.length() < 4),
    row("short", -0.2, -0.04, Kind::Passing, |r| {
        (4..8).contains(&r.length())
    }),
    row("long", -0.4, -0.39, Kind::Passing, |r| r.length() > 30),
    row("has-path", -0.4, 0.05, Kind::Passing, |r| has_path(&r.text)),
    row("has-url", -0.2, -0.39, Kind::Passing, |r| {
        r.text.contains("://")
    }),
    row("has-mention", -0.8, -0.79, Kind::Passing, |r| {
        has_mention(&r.text)
    }),
    row("has-code-mark", 0.2, 0.61, Kind::Support, |r| {
        r.text.contains('`')
    }),
    row("has-call", -0.3, -0.20, Kind::Passing, |r| {
        r.text.contains("()")
    }),
    row("shouts", 0.4, 0.84, Kind::Rule, |r| shouts(&r.text)),
    row("labelled", 0.6, 0.68, Kind::Rule, |r| labelled(&r.text)),
    row("tech", 0.4, 0.45, Kind::Choice, |r| r.tech == 1),
    row("tech-list", 0.9, 1.13, Kind::Choice, |r| r.tech >= 2),
    row("tech-label", 0.8, 0.43, Kind::Choice, |r| {
        r.tech > 0 && tech_label(&r.text)
    }),
    row("ends-query", -1.5, -1.31, Kind::Passing, |r| {
        matches!(r.last, '?' | '？')
    }),
    row("ends-part", -0.6, -0.97, Kind::Passing, |r| {
        matches!(r.last, ';' | '；' | '…' | ',' | '，')
    }),
    row("ends-stop", 0.1, -0.13, Kind::Support, |r| {
        matches!(r.last, '.' | '。' | '!' | '！')
    }),
    row("cut-start", -1.0, -1.12, Kind::Passing, |r| {
        matches!(r.first, '的' | '了' | '，' | '、' | ',' | ')' | '）' | '；')
    }),
    row("unbalanced", -0.8, -0.69, Kind::Passing, |r| {
        unbalanced(&r.text)
    }),
    row("has-line-number", -0.8, -0.87, Kind::Passing, |r| {
        has_line_number(&r.text)
    }),
    row("pointing-start", -0.6, -0.71, Kind::Passing, |r| {
        starts_pointing(&r.text)
    }),
    row("is-item", 0.0, -0.78, Kind::Support, |r| r.is_item()),
    row("lower-start", -0.2, 0.17, Kind::Passing, |r| {
        r.first.is_ascii_lowercase()
    }),
    row("many-symbols", -0.6, -0.61, Kind::Passing, |r| {
        r.symbols * 8 > r.chars
    }),
    row("many-digits", -0.3, -0.16, Kind::Passing, |r| {
        r.digits * 8 > r.chars
    }),
    row("alone", 0.2, -0.15, Kind::Support, |r| {
        r.before.trim().is_empty() && r.after.trim().is_empty()
    }),
    row("first", -0.2, -0.21, Kind::Passing, |r| {
        r.before.trim().is_empty()
    }),
    row("under-rules", 0.8, 1.19, Kind::Rule, |r| {
        r.intro == Intro::Rules
    }),
    row("under-traps", 1.0, 1.46, Kind::Trap, |r| {
        r.intro == Intro::Traps
    }),
    row("under-contents", -0.7, -0.53, Kind::Passing, |r| {
        r.intro == Intro::Contents
    }),
    row("among-items", 0.0, -0.06, Kind::Support, |r| {
        r.before.contains("\n- ") || r.after.contains("\n- ")
    }),
    row("in-paste", -1.5, -1.51, Kind::Passing, |r| r.pasted),
    row("near-code", -0.5, -0.77, Kind::Passing, |r| {
        near_code(r.before) || near_code(r.after)
    }),
];

/// What the line that introduces a list or a section promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Intro {
    #[default]
    None,
    Rules,
    Traps,
    Contents,
}

/// Longest introducing line, in characters.
const INTRO_CHARS: usize = 40;

/// Returns what the nearest introducing line above promises: a heading, a line that ends in a colon, or a short line with no stop.
pub fn intro(before: &str) -> Intro {
    let Some(line) = before
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| is_intro(line))
    else {
        return Intro::None;
    };
    let line = line.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    if has(&[
        "gotcha",
        "pitfall",
        "caveat",
        "known issue",
        "trap",
        "troubleshoot",
        "踩坑",
        "陷阱",
        "常见问题",
        "已知问题",
        "坑",
    ]) {
        Intro::Traps
    } else if has(&[
        "rule",
        "convention",
        "guideline",
        "principle",
        "standard",
        "constraint",
        "don't",
        "do not",
        "never",
        "always",
        "style",
        "policy",
        "important",
        "workflow",
        "practice",
        "规则",
        "规范",
        "约定",
        "原则",
        "禁止",
        "不要",
        "约束",
        "限制",
        "红线",
        "标准",
        "习惯",
        "注意",
    ]) {
        Intro::Rules
    } else if has(&[
        "include",
        "contain",
        "content",
        "following",
        "list",
        "step",
        "task",
        "todo",
        "phase",
        "output",
        "plan",
        "包括",
        "包含",
        "内容",
        "如下",
        "列出",
        "步骤",
        "阶段",
        "任务",
        "待办",
        "计划",
        "输出",
        "生成",
        "识别",
        "功能",
        "流程",
    ]) {
        Intro::Contents
    } else {
        Intro::None
    }
}

fn is_intro(line: &str) -> bool {
    let item = line.starts_with(['-', '*', '+', '•', '|', '`', '>'])
        || line.starts_with(|c: char| c.is_ascii_digit());
    !line.is_empty()
        && line.chars().take(INTRO_CHARS + 1).count() <= INTRO_CHARS
        && (line.starts_with('#')
            || line.starts_with("**")
            || line.ends_with([':', '：'])
            || !item
                && !line.ends_with([
                    '.', '。', '!', '！', '?', '？', ';', '；', ',', '，', ')', '}', '{', '…',
                ]))
}

/// Returns whether the sentence opens with the label of a rule.
fn labelled(text: &str) -> bool {
    const LABELS: &[&str] = &[
        "must",
        "must not",
        "avoid",
        "note",
        "important",
        "rule",
        "never",
        "always",
        "warning",
        "caution",
        "don't",
        "注意",
        "重要",
        "规则",
        "约定",
        "禁止",
        "原则",
        "警告",
        "提醒",
    ];
    let Some(end) = text.find([':', '：']).filter(|end| *end <= 12) else {
        return false;
    };
    text.get(..end).is_some_and(|label| {
        LABELS
            .iter()
            .any(|word| word.eq_ignore_ascii_case(label.trim()))
    })
}

/// Returns whether the sentence is a short label, a colon and a value: `缓存: Redis`.
fn tech_label(text: &str) -> bool {
    let Some((label, value)) = text.split_once([':', '：']) else {
        return false;
    };
    !label.is_empty()
        && label.chars().count() <= 16
        && !label.contains(['/', '`', '"', '，', ','])
        && !value.trim().is_empty()
        && !value.starts_with('/')
}

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

/// Returns whether a bracket closes that did not open here, or the other way round: half of a sentence.
fn unbalanced(text: &str) -> bool {
    let n = |c: char| text.matches(c).count();
    n('(') + n('（') != n(')') + n('）')
}

/// Returns whether a line of a file is named by its number.
fn has_line_number(text: &str) -> bool {
    let digit_after = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            text.get(at + word.len()..)
                .is_some_and(|tail| tail.trim_start().starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    digit_after("line ")
        || digit_after("lines ")
        || digit_after("Line ")
        || text.contains('行') && digit_after("第")
}

/// Returns whether the sentence begins with a word that points at something said before.
fn starts_pointing(text: &str) -> bool {
    const POINTERS: &[&str] = &[
        "it", "it's", "that", "that's", "this", "these", "those", "they", "he", "she", "here",
        "there", "which",
    ];
    let first = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .next()
        .unwrap_or_default();
    POINTERS.iter().any(|word| word.eq_ignore_ascii_case(first)) && !first_is_project(text)
}

/// `This repo`, `this project`: what they point at is there next week too.
fn first_is_project(text: &str) -> bool {
    let mut words = text.split_whitespace().skip(1);
    words.next().is_some_and(|word| {
        ["repo", "repository", "project", "codebase", "machine", "is"]
            .contains(&word.to_ascii_lowercase().as_str())
    }) && text
        .get(..4)
        .is_some_and(|head| head.eq_ignore_ascii_case("this"))
}

fn near_code(text: &str) -> bool {
    text.contains("@@ ")
        || text.contains("\n+ ")
        || text.contains("\n+++")
        || text.contains("();")
        || text.contains("def ")
        || text.contains("import ")
}

/// Names of languages, libraries, services and tools, lower case, in order. Words that are also plain English are left out.
const TECH: &[&str] = &[
    ".net",
    "actix",
    "aiohttp",
    "airflow",
    "aliyun",
    "alpine",
    "angular",
    "ansible",
    "ant-design",
    "antd",
    "argocd",
    "artifactory",
    "astro",
    "auth0",
    "avro",
    "aws",
    "axios",
    "axum",
    "azure",
    "babel",
    "bazel",
    "beautifulsoup",
    "bigquery",
    "biome",
    "bootstrap",
    "buildkite",
    "buildx",
    "bun",
    "c++",
    "caddy",
    "cargo",
    "cassandra",
    "celery",
    "chromatic",
    "circleci",
    "clang",
    "claude",
    "clickhouse",
    "clippy",
    "cloudflare",
    "cloudfront",
    "cmake",
    "cockroachdb",
    "codemirror",
    "conda",
    "consul",
    "csharp",
    "cuda",
    "cypress",
    "d3",
    "dbt",
    "debian",
    "deno",
    "django",
    "docker",
    "dotnet",
    "drizzle",
    "duckdb",
    "dynamodb",
    "echarts",
    "elasticsearch",
    "electron",
    "element-plus",
    "elixir",
    "envoy",
    "esbuild",
    "eslint",
    "etcd",
    "faiss",
    "fastapi",
    "firebase",
    "flask",
    "flutter",
    "gatsby",
    "gcc",
    "gcp",
    "gemini",
    "ghcr",
    "gitlab",
    "godot",
    "golang",
    "gorm",
    "gradle",
    "grafana",
    "graphql",
    "grpc",
    "haproxy",
    "hibernate",
    "hikari",
    "hono",
    "htmx",
    "httpx",
    "huggingface",
    "influxdb",
    "iso8601",
    "istio",
    "java",
    "javascript",
    "jekyll",
    "jenkins",
    "jest",
    "jetpack",
    "jira",
    "jpa",
    "junit",
    "jwt",
    "k8s",
    "kafka",
    "keras",
    "keycloak",
    "koa",
    "kotlin",
    "ktor",
    "kubernetes",
    "lambda",
    "lancedb",
    "langchain",
    "langgraph",
    "laravel",
    "ldap",
    "leaflet",
    "lerna",
    "linux",
    "llama",
    "llamaindex",
    "log4j",
    "logback",
    "logto",
    "loguru",
    "lombok",
    "macos",
    "mapbox",
    "mariadb",
    "maven",
    "mdx",
    "meson",
    "micronaut",
    "milvus",
    "mingw",
    "minikube",
    "minio",
    "mocha",
    "monaco",
    "mongo",
    "mongodb",
    "mqtt",
    "msvc",
    "mui",
    "mybatis",
    "mypy",
    "mysql",
    "nacos",
    "nats",
    "neo4j",
    "nestjs",
    "netlify",
    "next.js",
    "nextjs",
    "nginx",
    "node.js",
    "nodejs",
    "nosql",
    "npm",
    "numpy",
    "nuxt",
    "nx",
    "oauth",
    "oidc",
    "okta",
    "ollama",
    "onnx",
    "openai",
    "opensearch",
    "opentelemetry",
    "otel",
    "oxlint",
    "pandas",
    "parquet",
    "pgvector",
    "php",
    "pinecone",
    "pinia",
    "pino",
    "pip",
    "playwright",
    "pnpm",
    "podman",
    "poetry",
    "polars",
    "postgres",
    "postgresql",
    "prettier",
    "prisma",
    "prometheus",
    "protobuf",
    "pulsar",
    "pulumi",
    "puppeteer",
    "pydantic",
    "pyqt",
    "pyright",
    "pyside6",
    "pytest",
    "python",
    "pytorch",
    "qdrant",
    "qt",
    "quarkus",
    "qwen",
    "rabbitmq",
    "rails",
    "raylib",
    "react",
    "redis",
    "redux",
    "rollup",
    "rsbuild",
    "rspack",
    "ruby",
    "ruff",
    "rust",
    "rustfmt",
    "s3",
    "saml",
    "sass",
    "scala",
    "scrapy",
    "sentry",
    "sequelize",
    "serilog",
    "ses",
    "shadcn",
    "sklearn",
    "slog",
    "snowflake",
    "sns",
    "spring",
    "springboot",
    "sqlalchemy",
    "sqlglot",
    "sqlite",
    "sqs",
    "storybook",
    "stripe",
    "structlog",
    "supabase",
    "svelte",
    "swc",
    "swiftui",
    "swr",
    "tailwind",
    "tailwindcss",
    "tanstack",
    "taro",
    "tauri",
    "tensorflow",
    "terraform",
    "testcontainers",
    "three.js",
    "timescaledb",
    "tokio",
    "traefik",
    "trpc",
    "turborepo",
    "typeorm",
    "typescript",
    "ubuntu",
    "ulid",
    "uniapp",
    "unreal",
    "utf-8",
    "uv",
    "vercel",
    "verdaccio",
    "vite",
    "vitest",
    "vue",
    "vuex",
    "wasm",
    "weaviate",
    "webassembly",
    "webpack",
    "websocket",
    "winston",
    "yarn",
    "zerolog",
    "zod",
    "zookeeper",
    "zustand",
];

/// Returns how many known names stand in the text, at most 3.
pub fn tech(text: &str) -> usize {
    let mut n = 0;
    let mut buffer = [0u8; 16];
    for word in
        text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '#' | '-')))
    {
        let word = word.trim_end_matches(['.', '-']);
        let Some(lower) = buffer.get_mut(..word.len()).filter(|_| word.len() >= 2) else {
            continue;
        };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        if TECH
            .binary_search_by(|name| name.as_bytes().cmp(lower))
            .is_ok()
        {
            n += 1;
            if n == 3 {
                break;
            }
        }
    }
    n
}

#[cfg(test)]
pub(super) fn names_are_in_order() -> bool {
    TECH.is_sorted()
}
