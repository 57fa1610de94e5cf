//! Keys that a vendor marks with a prefix, whole, split over lines, or with spaces and quotes inside.

use super::value::{is_digest, is_stand_in, is_uuid, is_wordy, kinds};
use super::{Found, Tries};

/// Characters of a key behind its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// `0-9a-f`
    Hex,
    /// `0-9A-Z`
    Upper,
    /// `0-9A-Za-z`
    Alnum,
    /// `0-9A-Za-z_-`
    Word,
    /// `0-9A-Za-z_-.`
    Dotted,
    /// `0-9A-Za-z+/=_-.`
    Base64,
}

/// A prefix, what follows it and how much, a key of that shape, and a text that only looks like one.
///
/// In the cases `{h32}` stands for 32 hexadecimal digits drawn when the test runs (`U` upper, `A` letters and digits,
/// `D` digits, `g` a UUID), so that no key stands in the source.
pub(super) struct Row {
    pub rule: &'static str,
    pub prefix: &'static str,
    body: Body,
    /// Characters of the body.
    min: usize,
    /// 0 for no end.
    max: usize,
    #[cfg(test)]
    pub hit: &'static str,
    #[cfg(test)]
    pub miss: &'static str,
}

const fn row(
    rule: &'static str,
    prefix: &'static str,
    body: Body,
    (min, max): (usize, usize),
    hit: &'static str,
    miss: &'static str,
) -> Row {
    let _ = (hit, miss);
    Row {
        rule,
        prefix,
        body,
        min,
        max,
        #[cfg(test)]
        hit,
        #[cfg(test)]
        miss,
    }
}

use Body::{Alnum, Base64, Dotted, Hex, Upper, Word};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Models
    row("model-key", "sk-", Dotted, (16, 0), "sk-{h32}", "sk-learn-contrib-examples-v2"),
    row("model-key", "sk-proj-", Dotted, (20, 0), "sk-proj-{A48}", "sk-proj-your-key-goes-here-please"),
    row("model-key", "sk-ant-", Dotted, (20, 0), "sk-ant-api03-{A60}", "sk-ant-your-own-key-from-console"),
    row("model-key", "sk-or-v1-", Hex, (32, 64), "sk-or-v1-{h64}", "sk-or-v1-prefix"),
    row("model-key", "pk-lf-", Word, (16, 0), "pk-lf-{g}", "pk-lf-public"),
    row("model-key", "gsk_", Alnum, (20, 0), "gsk_{A52}", "gsk_model_key_name"),
    row("model-key", "xai-", Alnum, (20, 0), "xai-{A80}", "xai-grok-model-name"),
    row("model-key", "pplx-", Alnum, (20, 0), "pplx-{A48}", "pplx-online-model"),
    row("model-key", "nvapi-", Word, (20, 0), "nvapi-{A64}", "nvapi-endpoint-base"),
    row("model-key", "fw_", Alnum, (20, 0), "fw_{A24}", "fw_update_service"),
    row("model-key", "r8_", Alnum, (30, 0), "r8_{A37}", "r8_shrinker_rules"),
    row("model-key", "hf_", Alnum, (24, 0), "hf_{A34}", "hf_transformers_cache"),
    row("model-key", "tvly-", Word, (16, 0), "tvly-{A32}", "tvly-search-tool"),
    row("model-key", "jina_", Alnum, (20, 0), "jina_{A60}", "jina_embeddings_model"),
    row("model-key", "lsv2_", Word, (20, 0), "lsv2_pt_{h32}_{h10}", "lsv2_tracing"),
    row("model-key", "fc-", Hex, (32, 32), "fc-{h32}", "fc-cache"),
    row("model-key", "bce-v3/", Base64, (30, 0), "bce-v3/ALTAK-{A21}/{h40}", "bce-v3/signature"),
    row("model-key", "ALTAK-", Alnum, (16, 0), "ALTAK-{A21}", "ALTAK-prefix"),
    row("model-key", "app-", Alnum, (24, 24), "app-{A24}", "app-configurationprovider"),
    row("model-key", "dataset-", Alnum, (24, 24), "dataset-{A24}", "dataset-preprocessingpipelin"),
    row("model-key", "cpk_", Dotted, (40, 0), "cpk_{h32}.{h32}", "cpk_prefix"),
    // Clouds
    row("cloud-key", "AKIA", Upper, (16, 16), "AKIA{U16}", concat!("AKIA", "EXAMPLEEXAMPLEEX")),
    row("cloud-key", "ASIA", Upper, (16, 16), "ASIA{U16}", "ASIAPACIFICREGIONONE"),
    row("cloud-key", "ABIA", Upper, (16, 16), "ABIA{U16}", "ABIAEXAMPLEEXAMPLEEX"),
    row("cloud-key", "LTAI", Alnum, (12, 22), "LTAI{A20}", "LTAIexampleexample"),
    row("cloud-key", "STS.", Alnum, (16, 0), "STS.{A24}", "STS.AssumeRole"),
    row("cloud-key", "AKID", Alnum, (16, 40), "AKID{A32}", "AKIDexampleexampleexa"),
    row("cloud-key", "AKLT", Alnum, (20, 0), "AKLT{A43}", "AKLTexampleexampleexample"),
    row("cloud-key", "AIza", Word, (30, 0), "AIza{A35}", "AIzaYourKeyHere"),
    row("cloud-key", "GOCSPX-", Word, (20, 0), "GOCSPX-{A28}", "GOCSPX-prefix"),
    row("cloud-key", "ya29.", Word, (20, 0), "ya29.{A60}", "ya29.prefix"),
    row("cloud-key", "1//0", Word, (30, 0), "1//0{A60}", "1//0"),
    row("cloud-key", "dop_v1_", Hex, (40, 0), "dop_v1_{h64}", "dop_v1_prefix"),
    row("cloud-key", "doo_v1_", Hex, (40, 0), "doo_v1_{h64}", "doo_v1_prefix"),
    row("cloud-key", "HRKU-", Word, (20, 0), "HRKU-{g}", "HRKU-prefix"),
    row("cloud-key", "nfp_", Alnum, (20, 0), "nfp_{A36}", "nfp_prefix_of_netlify_tokens"),
    row("cloud-key", "sbp_", Hex, (32, 0), "sbp_{h40}", "sbp_prefix"),
    row("cloud-key", "pscale_tkn_", Dotted, (20, 0), "pscale_tkn_{A43}", "pscale_tkn_prefix"),
    row("cloud-key", "pscale_pw_", Dotted, (20, 0), "pscale_pw_{A43}", "pscale_pw_prefix"),
    row("cloud-key", "dapi", Hex, (32, 0), "dapi{h32}", "dapi"),
    row("cloud-key", "v1.0-", Word, (60, 0), "v1.0-{h24}-{h146}", "v1.0-beta"),
    row("cloud-key", "rpa_", Alnum, (30, 0), "rpa_{A46}", "rpa_workflow_definition_files"),
    // Forges and registries
    row("forge-token", "ghp_", Alnum, (20, 0), "ghp_{A36}", "ghp_prefix"),
    row("forge-token", "gho_", Alnum, (20, 0), "gho_{A36}", "gho_prefix"),
    row("forge-token", "ghu_", Alnum, (20, 0), "ghu_{A36}", "ghu_prefix"),
    row("forge-token", "ghs_", Alnum, (20, 0), "ghs_{A36}", "ghs_prefix"),
    row("forge-token", "ghr_", Alnum, (20, 0), "ghr_{A36}", "ghr_prefix"),
    row("forge-token", "github_pat_", Word, (30, 0), "github_pat_{A22}_{A59}", "github_pat_prefix"),
    row("forge-token", "glpat-", Dotted, (16, 0), "glpat-{A20}", "glpat-prefix"),
    row("forge-token", "gldt-", Word, (16, 0), "gldt-{A20}", "gldt-prefix"),
    row("forge-token", "glrt-", Dotted, (16, 0), "glrt-{A20}", "glrt-prefix"),
    row("forge-token", "glptt-", Word, (16, 0), "glptt-{h40}", "glptt-prefix"),
    row("forge-token", "glcbt-", Word, (16, 0), "glcbt-{A24}", "glcbt-prefix"),
    row("forge-token", "ATBB", Alnum, (24, 0), "ATBB{A32}", "ATBBprefix"),
    row("forge-token", "ATATT3", Base64, (40, 0), "ATATT3{A180}", "ATATT3prefix"),
    row("forge-token", "ATCTT3", Base64, (40, 0), "ATCTT3{A180}", "ATCTT3prefix"),
    row("registry-token", "npm_", Alnum, (30, 0), "npm_{A36}", "npm_config_registry"),
    row("registry-token", "pypi-", Word, (32, 0), "pypi-{A90}", "pypi-mirror-of-our-own-packages-2"),
    row("registry-token", "rubygems_", Hex, (32, 0), "rubygems_{h48}", "rubygems_api"),
    row("registry-token", "dckr_pat_", Word, (20, 0), "dckr_pat_{A27}", "dckr_pat_prefix"),
    row("registry-token", "dckr_oat_", Word, (20, 0), "dckr_oat_{A32}", "dckr_oat_prefix"),
    row("registry-token", "cio", Alnum, (32, 32), "cio{A32}", "cio"),
    row("registry-token", "NuGet-oy2", Alnum, (40, 0), "NuGet-oy2{A43}", "NuGet-oy2"),
    row("registry-token", "oy2", Alnum, (43, 43), "oy2{a43}", "oy2"),
    // Chat and mail
    row("chat-token", "xoxb-", Word, (16, 0), "xoxb-{D12}-{D12}-{A24}", "xoxb-prefix"),
    row("chat-token", "xoxp-", Word, (16, 0), "xoxp-{D12}-{D12}-{A24}", "xoxp-prefix"),
    row("chat-token", "xoxa-", Word, (16, 0), "xoxa-{D12}-{A24}", "xoxa-prefix"),
    row("chat-token", "xoxr-", Word, (16, 0), "xoxr-{D12}-{A24}", "xoxr-prefix"),
    row("chat-token", "xoxs-", Word, (16, 0), "xoxs-{D12}-{A24}", "xoxs-prefix"),
    row("chat-token", "xoxe", Dotted, (24, 0), "xoxe.xoxp-1-{A60}", "xoxe"),
    row("chat-token", "xapp-", Word, (24, 0), "xapp-1-{U11}-{D12}-{h64}", "xapp-prefix"),
    row("chat-token", "SG.", Dotted, (40, 0), "SG.{A22}.{A43}", "SG.Standard"),
    row("chat-token", "key-", Hex, (32, 32), "key-{h32}", "key-value"),
    row("chat-token", "SEC", Hex, (64, 64), "SEC{h64}", "SEC"),
    row("chat-token", "SCT", Alnum, (24, 40), "SCT{D6}{A24}", "SCT"),
    row("chat-token", "sctp", Alnum, (24, 40), "sctp{D5}t{A24}", "sctp"),
    // Payments and telephony
    row("payment-key", "sk_live_", Alnum, (16, 0), "sk_live_{A24}", "sk_live_prefix"),
    row("payment-key", "sk_test_", Alnum, (16, 0), "sk_test_{A24}", "sk_test_prefix"),
    row("payment-key", "rk_live_", Alnum, (16, 0), "rk_live_{A24}", "rk_live_prefix"),
    row("payment-key", "rk_test_", Alnum, (16, 0), "rk_test_{A24}", "rk_test_prefix"),
    row("payment-key", "pk_live_", Alnum, (16, 0), "pk_live_{A24}", "pk_live_prefix"),
    row("payment-key", "whsec_", Base64, (20, 0), "whsec_{A32}", "whsec_prefix"),
    row("payment-key", "sq0atp-", Word, (20, 0), "sq0atp-{A22}", "sq0atp-prefix"),
    row("payment-key", "sq0csp-", Word, (30, 0), "sq0csp-{A43}", "sq0csp-prefix"),
    row("payment-key", "shpat_", Hex, (32, 0), "shpat_{h32}", "shpat_prefix"),
    row("payment-key", "shpss_", Hex, (32, 0), "shpss_{h32}", "shpss_prefix"),
    row("payment-key", "shpca_", Hex, (32, 0), "shpca_{h32}", "shpca_prefix"),
    row("telephony-key", "SK", Hex, (32, 32), "SK{h32}", "SK"),
    row("telephony-key", "AC", Hex, (32, 32), "AC{h32}", "AC"),
    // Services
    row("service-token", "lin_api_", Alnum, (20, 0), "lin_api_{A40}", "lin_api_prefix"),
    row("service-token", "lin_oauth_", Alnum, (20, 0), "lin_oauth_{h64}", "lin_oauth_prefix"),
    row("service-token", "secret_", Alnum, (40, 0), "secret_{A43}", "secret_name"),
    row("service-token", "ntn_", Alnum, (30, 0), "ntn_{A46}", "ntn_prefix"),
    row("service-token", "figd_", Word, (20, 0), "figd_{A40}", "figd_prefix"),
    row("service-token", "PMAK-", Word, (24, 0), "PMAK-{h24}-{h34}", "PMAK-prefix"),
    row("service-token", "NRAK-", Upper, (20, 0), "NRAK-{U27}", "NRAK-prefix"),
    row("service-token", "glsa_", Word, (24, 0), "glsa_{A32}_{h8}", "glsa_prefix"),
    row("service-token", "glc_", Base64, (32, 0), "glc_{A60}", "glc_prefix"),
    row("service-token", "sntrys_", Base64, (32, 0), "sntrys_{A60}", "sntrys_prefix"),
    row("service-token", "sntryu_", Hex, (32, 0), "sntryu_{h64}", "sntryu_prefix"),
    row("service-token", "hvs.", Word, (20, 0), "hvs.{A24}", "hvs.prefix"),
    row("service-token", "hvb.", Word, (20, 0), "hvb.{A60}", "hvb.prefix"),
    row("service-token", "dp.pt.", Alnum, (20, 0), "dp.pt.{A43}", "dp.pt.prefix"),
    row("service-token", "dp.st.", Dotted, (20, 0), "dp.st.prd.{A43}", "dp.st.prefix"),
    row("service-token", "pul-", Hex, (32, 0), "pul-{h40}", "pul-prefix"),
    row("service-token", "pat-na1-", Word, (20, 0), "pat-na1-{g}", "pat-na1-prefix"),
    row("service-token", "sl.", Word, (60, 0), "sl.{A130}", "sl.prefix"),
    row("service-token", "CFPAT-", Word, (20, 0), "CFPAT-{A43}", "CFPAT-prefix"),
    row("service-token", "EAAC", Alnum, (60, 0), "EAAC{A120}", "EAAC"),
    row("service-token", "AGE-SECRET-KEY-1", Upper, (40, 0), "AGE-SECRET-KEY-1{U58}", "AGE-SECRET-KEY-1"),
    row("service-token", "tskey-", Word, (16, 0), "tskey-auth-{A17}-{A32}", "tskey-prefix"),
    row("service-token", "phc_", Alnum, (30, 0), "phc_{A43}", "phc_prefix"),
    row("service-token", "phx_", Alnum, (30, 0), "phx_{A43}", "phx_prefix"),
    row("service-token", "re_", Word, (24, 0), "re_{A8}_{A24}", "re_render_the_component_tree"),
    row("service-token", "sdk-", Word, (36, 40), "sdk-{g}", "sdk-release"),
];

/// Bytes looked at behind one prefix.
const REACH_BYTES: usize = 512;
/// Pieces a key may be split into.
const PIECES_MAX: usize = 12;
/// Bytes of space, quotes and plus signs between two pieces.
const GAP_BYTES: usize = 24;

/// Reads keys with a known prefix; what an earlier key has used is not read again.
#[derive(Default)]
pub(super) struct Scan {
    read_to: usize,
    tries: Tries,
}

impl Scan {
    /// Looks at the prefix of a row, found without regard to case.
    pub(super) fn read(
        &mut self,
        text: &str,
        row: &Row,
        start: usize,
        end: usize,
        found: &mut Vec<Found>,
    ) {
        let bytes = text.as_bytes();
        let is_prefix = text.get(start..end) == Some(row.prefix);
        if start < self.read_to || !is_prefix || super::follows_word(text, start) {
            return;
        }
        let limit = bytes.len().min(end + REACH_BYTES);
        if !self.tries.allow(start, run(bytes, end, limit, row.body)) {
            return;
        }
        if let Some(stop) = key_end(bytes, end, row) {
            found.push(Found {
                rule: row.rule,
                start,
                end: stop,
            });
            self.read_to = stop;
        }
    }
}

/// Returns where the key whose prefix ends at `start` ends; nothing when what follows is no key.
fn key_end(bytes: &[u8], start: usize, row: &Row) -> Option<usize> {
    let limit = bytes.len().min(start + REACH_BYTES);
    let mut joined = String::new();
    let mut end = start;
    let mut at = start;
    for n_piece in 0..PIECES_MAX {
        let piece_end = run(bytes, at, limit, row.body);
        let piece = bytes
            .get(at..piece_end)
            .and_then(|piece| std::str::from_utf8(piece).ok())?;
        if piece.is_empty() {
            if n_piece > 0 {
                break;
            }
        } else {
            let stands_alone = bytes
                .get(piece_end)
                .is_none_or(|&b| !b.is_ascii_alphanumeric());
            let gap = bytes.get(end..at).unwrap_or_default();
            let on_its_line = gap.contains(&b'\n')
                && bytes
                    .get(piece_end)
                    .is_none_or(|b| b"\r\n\"'`,;".contains(b));
            let continues = n_piece == 0
                || is_material(piece, joined.len() >= row.min)
                || n_piece > 1 && joined.len() == n_piece * piece.len() && kinds(piece).digit > 0
                || on_its_line
                    && piece.len() >= 4
                    && !is_wordy(piece)
                    && !is_stand_in(piece)
                    && kinds(piece).other == 0;
            if !continues
                || !stands_alone && n_piece > 0
                || row.max > 0 && joined.len() + piece.len() > row.max
            {
                break;
            }
            joined.push_str(piece);
            end = piece_end;
        }
        if row.max > 0 && joined.len() >= row.max {
            break;
        }
        let gap = bytes
            .get(piece_end..limit)
            .unwrap_or_default()
            .iter()
            .take(GAP_BYTES)
            .take_while(|b| {
                matches!(
                    b,
                    b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'\'' | b'`' | b'+' | b'\\' | b'|'
                )
            })
            .count();
        if gap == 0 || gap == GAP_BYTES {
            break;
        }
        at = piece_end + gap;
    }
    // A full stop that ends the sentence is not the key's.
    while end > start && bytes.get(end - 1).is_some_and(|b| b".-_=".contains(b)) {
        end -= 1;
    }
    let key = joined.trim_end_matches(['.', '-', '_', '=']);
    (key.len() >= row.min.min(if row.max > 0 { row.max } else { usize::MAX }) && is_key(key, row))
        .then_some(end)
}

fn run(bytes: &[u8], start: usize, limit: usize, body: Body) -> usize {
    start
        + bytes
            .get(start..limit)
            .unwrap_or_default()
            .iter()
            .take_while(|b| match body {
                Body::Hex => b.is_ascii_digit() || (b'a'..=b'f').contains(*b),
                Body::Upper => b.is_ascii_digit() || b.is_ascii_uppercase(),
                Body::Alnum => b.is_ascii_alphanumeric(),
                Body::Word => b.is_ascii_alphanumeric() || b"_-".contains(*b),
                Body::Dotted => b.is_ascii_alphanumeric() || b"_-.".contains(*b),
                Body::Base64 => b.is_ascii_alphanumeric() || b"+/=_-.".contains(*b),
            })
            .count()
}

/// Whether a further piece is part of a key and not the next word: letters and digits mixed; once the key is long enough, clearly so.
fn is_material(piece: &str, is_enough: bool) -> bool {
    let kinds = kinds(piece);
    let letters = kinds.lower + kinds.upper;
    if is_enough {
        return piece.len() >= 6
            && kinds.digit > 0
            && letters > 0
            && kinds.changes >= 3
            && !is_wordy(piece);
    }
    !is_stand_in(piece)
        && (kinds.digit > 0
            || kinds.upper > 0 && kinds.lower > 0 && kinds.changes >= 3
            || letters > 0 && !is_wordy(piece))
}

fn is_key(key: &str, row: &Row) -> bool {
    let kinds = kinds(key);
    if is_stand_in(key) || kinds.lower + kinds.upper + kinds.digit < 8 {
        return false;
    }
    if row.body == Body::Hex || is_digest(key) || is_uuid(key) {
        return kinds.digit > 0;
    }
    let mixed =
        kinds.digit > 0 || kinds.upper >= 3 && kinds.lower >= 3 && kinds.changes * 3 >= key.len();
    mixed && !is_wordy(key) && (row.min >= 12 || kinds.digit > 0)
}
