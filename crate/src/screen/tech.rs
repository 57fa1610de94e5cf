//! Names of languages, libraries, services and tools: a sentence that names two is often a choice of technology.

/// In order, lower case, separated by spaces. Words that are also plain English are left out.
pub const NAMES: &str = ".net actix aiohttp airflow aliyun alpine angular ansible ant-design antd argocd artifactory astro auth0 \
    avro aws axios axum azure babel bazel beautifulsoup bigquery biome bootstrap buildkite buildx bun c++ \
    caddy cargo cassandra celery chromatic circleci clang claude clickhouse clippy cloudflare cloudfront \
    cmake cockroachdb codemirror conda consul csharp cuda cypress d3 dbt debian deno django docker dotnet \
    drizzle duckdb dynamodb echarts elasticsearch electron element-plus elixir envoy esbuild eslint etcd \
    faiss fastapi firebase flask flutter gatsby gcc gcp gemini ghcr gitlab godot golang gorm gradle grafana \
    graphql grpc haproxy hibernate hikari hono htmx httpx huggingface influxdb iso8601 istio java javascript \
    jekyll jenkins jest jetpack jira jpa junit jwt k8s kafka keras keycloak koa kotlin ktor kubernetes \
    lambda lancedb langchain langgraph laravel ldap leaflet lerna linux llama llamaindex log4j logback logto \
    loguru lombok macos mapbox mariadb maven mdx meson micronaut milvus mingw minikube minio mocha monaco \
    mongo mongodb mqtt msvc mui mybatis mypy mysql nacos nats neo4j nestjs netlify next.js nextjs nginx \
    node.js nodejs nosql npm numpy nuxt nx oauth oidc okta ollama onnx openai opensearch opentelemetry otel \
    oxlint pandas parquet pgvector php pinecone pinia pino pip playwright pnpm podman poetry polars postgres \
    postgresql prettier prisma prometheus protobuf pulsar pulumi puppeteer pydantic pyqt pyright pyside6 \
    pytest python pytorch qdrant qt quarkus qwen rabbitmq rails raylib react redis redux rollup rsbuild \
    rspack ruby ruff rust rustfmt s3 saml sass scala scrapy sentry sequelize serilog ses shadcn sklearn slog \
    snowflake sns spring springboot sqlalchemy sqlglot sqlite sqs storybook stripe structlog supabase svelte \
    swc swiftui swr tailwind tailwindcss tanstack taro tauri tensorflow terraform testcontainers three.js \
    timescaledb tokio traefik trpc turborepo typeorm typescript ubuntu ulid uniapp unreal utf-8 uv vercel \
    verdaccio vite vitest vue vuex wasm weaviate webassembly webpack websocket winston yarn zerolog zod \
    zookeeper zustand";
